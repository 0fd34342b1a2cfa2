"""Mutated game records: each is either refused, with the name of a field, or can be used without invalid indices.

To try many of them: NUMBA_BOUNDSCHECK=1 PYTHONPATH=tests/helpers python tests/helpers/mutated_records.py 100000
"""

from __future__ import annotations

import faulthandler
import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from rr_gym import Arena, clone, determinize, make_player, no_orders
from rr_gym.compilation.kernels import COMPILED
from rr_gym.encoding import action_layout, course_features, make_observer, write_masks
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.errors import RoboRallyError
from rr_gym.rules.arena.ranges import RANGES, fields_of
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME

Array = np.ndarray[Any, Any]
OPTIONS = {"option_cards": "on", "start_options": 5}
FORMS: dict[str, tuple[list[str], dict[str, Any], int]] = {
    "base": (["risky_exchange", "vault_assault"], {"lives": 3}, 4),
    "options": (["risky_exchange"], OPTIONS, 6),
    "elements": (["everything"], {"lives": 3}, 5),
    "everything": (["everything", "risky_exchange"], OPTIONS, 8),
    "teams": (["risky_exchange"], {"option_cards": "on", "game": "capture_the_flag"}, 8),
}
SECONDS = 300  # time limit of a batch, after which the process ends with a traceback
TURNS = 2 if COMPILED else 1
BATCH = 200 if COMPILED else 20


def games_of(arena: Arena, num_robots: int, count: int, chance: np.random.Generator) -> Array:
    """Return games between turns, after up to ten random turns."""
    courses = np.arange(count) % len(arena.courses)
    games = arena.new_games(count, num_robots, seed=int(chance.integers(1 << 30)), course_index=courses)
    for _ in range(int(chance.integers(1, 10 if COMPILED else 3))):
        arena.play(games, orders_of(arena, games, chance, wild=0.0), mask=chance.random(count) < 0.8)
    return games[games["over"] == 0]


def orders_of(arena: Arena, games: Array, chance: np.random.Generator, wild: float) -> Array:
    """Return random orders, of which the share `wild` are arbitrary numbers."""
    orders = no_orders(len(games), MAX_ROBOTS, full=arena.full)
    arena.random_orders(games, orders, chance.integers(0, 1 << 62, len(games), np.uint64))
    for name in orders.dtype.names or ():
        numbers = chance.integers(-128, 128, orders[name].shape)
        chosen = chance.random((len(games), MAX_ROBOTS)) < wild
        orders[name][chosen] = numbers[chosen]
        if name not in ("program", "second"):
            some = chance.random((len(games), MAX_ROBOTS)) < 0.3
            orders[name][some] = chance.integers(0, 6, orders[name].shape)[some]
    return orders


def _limits(path: str, dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the bounds of a field; those of its type if its bounds depend on the course."""
    bits = np.iinfo(dtype)
    limits = RANGES[path]
    return (-1, 200) if isinstance(limits, str) else (max(limits[0], int(bits.min)), min(limits[1], int(bits.max)))


def _any_number(dtype: np.dtype[Any], chance: np.random.Generator) -> int:
    bits = np.iinfo(dtype)
    return int(chance.integers(bits.min, bits.max, dtype=dtype.type, endpoint=True))


def mutate(game: Array, other: Array, chance: np.random.Generator) -> None:
    """Change some numbers of a game, shape (1,), in place.

    A number becomes an arbitrary one, the next one beyond its bounds, one within them, or that of another game.
    """
    fields = fields_of()
    kind = chance.integers(5)
    if kind == 0:
        bytes_of, places = game.view(np.uint8), chance.integers(0, GAME.itemsize, chance.integers(1, 5))
        bytes_of[places] = chance.integers(0, 256, len(places))
        return
    for _ in range(1 if kind == 1 else chance.integers(1, 9)):
        path = list(fields)[chance.integers(len(fields))]
        values, theirs = game, other
        for name in path.split("."):
            values, theirs = values[name], theirs[name]
        place = tuple(chance.integers(0, size) for size in values.shape)
        low, high = _limits(path, fields[path].base)
        if kind == 4:
            values[place] = theirs[place]
        elif kind == 1 and chance.random() < 0.5:
            values[place] = _any_number(fields[path].base, chance)
        elif kind == 1:
            bits = np.iinfo(fields[path].base)
            values[place] = min(max(low - 1, bits.min), bits.max) if chance.random() < 0.5 else min(high + 1, bits.max)
        else:
            within = int(chance.integers(low, high, endpoint=True, dtype=np.int64 if low < 0 else np.uint64))
            values[place] = within


def uses_of(arena: Arena, num_robots: int) -> dict[str, Callable[[Array, np.random.Generator], object]]:
    """Return functions that use games, by name; they may change the games."""

    def play(games: Array, chance: np.random.Generator) -> None:
        for _ in range(TURNS):
            arena.play(games, orders_of(arena, games, chance, wild=0.1))

    rules: dict[str, Callable[[Array, np.random.Generator], object]] = {
        "play": play,
        "determinize": lambda games, chance: determinize(games, int(chance.integers(num_robots)), 5),
        "placements": lambda games, chance: arena.placements(games),
        "restart": lambda games, chance: arena.restart(games),
    }
    if not COMPILED:
        return rules  # the other uses take too long
    layout = action_layout("slots", arena.settings, "all", course_features(arena.tables))
    observer = make_observer("flat", arena, num_robots)
    entities = make_observer("entities+planes", arena, num_robots)
    seats = np.tile(np.arange(num_robots, dtype=np.int8), (1, 1))
    player = make_player("greedy")

    def masks(games: Array, chance: np.random.Generator) -> None:
        out = np.zeros((len(games), num_robots, *layout.shape), np.int8)
        write_masks(games, arena.tables, layout.code, np.repeat(seats, len(games), axis=0), out)

    return rules | {
        "masks": masks,
        "random option orders": lambda games, chance: random_option_orders(
            arena, games, no_orders(len(games), MAX_ROBOTS, full=True), chance.integers(0, 9, len(games), np.uint64)
        ),
        "observe": lambda games, chance: observer.observe(games),
        "observe entities": lambda games, chance: entities.observe(games),
        "greedy": lambda games, chance: player.act(arena, games, int(chance.integers(num_robots))),
    }


class Tally:
    """Counts how mutated games ended: refused, used, or with an invalid index."""

    def __init__(self) -> None:
        """Start with empty counts."""
        self.refused: Counter[str] = Counter()
        self.used: Counter[str] = Counter()
        self.outside: Counter[str] = Counter()


def attempt(use: Callable[[Array, np.random.Generator], object], games: Array, seed: int) -> Exception | None:
    """Use games; return the error text if this raises anything other than an error of the package."""
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    try:
        use(clone(games), np.random.default_rng(seed))
    except RoboRallyError:
        return None
    except IndexError as error:
        return error
    finally:
        faulthandler.cancel_dump_traceback_later()
    return None


def run(form: str, count: int, seed: int, tally: Tally, report: Callable[[str], None]) -> None:
    """Mutate games of one form of the rules, and use all that are not refused."""
    courses, settings, num_robots = FORMS[form]
    chance = np.random.default_rng([seed, list(FORMS).index(form)])
    arena = Arena(courses, settings)
    uses = uses_of(arena, num_robots)
    while count > 0:
        batch = games_of(arena, num_robots, min(count, BATCH), chance)
        count -= len(batch)
        accepted = []
        for k in range(len(batch)):
            before = clone(batch[k : k + 1])
            mutate(batch[k : k + 1], batch[chance.integers(len(batch)) :][:1], chance)
            try:
                arena.check(batch[k : k + 1])
            except RoboRallyError as error:
                tally.refused[str(error).split(":")[2].strip()] += 1
                continue
            accepted.append((before, k))
        games = clone(batch[[k for _, k in accepted]])
        for name, use in uses.items():
            tally.used[name] += len(games)
            if attempt(use, games, seed) is None:
                continue
            for place, (before, _) in enumerate(accepted):
                if (error := attempt(use, games[place : place + 1], seed)) is not None:
                    tally.outside[f"{name}: {error}"] += 1
                    report(f"{form}: {name}: {error}: {', '.join(changes(before, games[place : place + 1]))}")


def changes(before: Array, after: Array) -> list[str]:
    """Return the numbers that differ, by path."""
    found = []
    for path in fields_of():
        old, new = before, after
        for name in path.split("."):
            old, new = old[name], new[name]
        found += [f"{path}{list(map(int, p[1:]))}: {old[tuple(p)]} -> {new[tuple(p)]}" for p in np.argwhere(old != new)]
    return found


def main(count: int, forms: list[str], seed: int = 1) -> int:
    """Mutate games of all forms and print the results; return how many games indexed beyond an array."""
    tally = Tally()
    for form in forms or list(FORMS):
        run(form, count // len(forms or FORMS), seed, tally, lambda line: print(line, flush=True))
        print(f"{form}: refused {tally.refused.total()}, used {tally.used.total()}", flush=True)
    print(f"refused: {tally.refused.total()}, by {len(tally.refused)} fields")
    print(f"out of bounds: {tally.outside.total()}")
    for text, number in tally.outside.most_common():
        print(f"  {number} {text}")
    return tally.outside.total()


if __name__ == "__main__":
    sys.exit(bool(main(int(sys.argv[1]), [word for word in sys.argv[2:] if word in FORMS])))
