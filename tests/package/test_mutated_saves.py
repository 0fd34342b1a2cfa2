"""Mutated saved games: each is refused with the name of a field, or can be played; nothing fails or hangs.

To try more of them: PYTHONPATH=tests/helpers python tests/package/test_mutated_saves.py 10000
"""

from __future__ import annotations

import faulthandler
import io
import json
import random
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from combinations import for_each

from rr_gym import Game
from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.errors import RoboRallyError
from rr_gym.game import SavedGameError
from rr_gym.rules.arena.ranges import RANGES, fields_of
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, no_orders

TURNS = 4  # turns that each accepted game is played
SECONDS = 20  # time limit of a game, after which the process ends with a traceback
ARENAS: dict[str, dict[str, Any]] = {
    "base": {"course": "risky_exchange", "num_robots": 4},
    "options": {"course": "risky_exchange", "settings": {"option_cards": "on", "start_options": 5}},
    "everything": {"course": "everything", "num_robots": 8, "settings": {"option_cards": "on", "start_options": 3}},
}


@dataclass
class Tally:
    """Counts of refused and played games by kind of mutation, and the longest time that one took."""

    refused: Counter[str] = field(default_factory=Counter)
    played: Counter[str] = field(default_factory=Counter)
    longest: float = 0.0
    messages: set[str] = field(default_factory=set)


def random_orders(rng: random.Random) -> Any:
    """Return orders of eight seats: some within the ranges of their fields, some arbitrary numbers."""
    chance = np.random.default_rng(rng.randrange(1 << 32))
    orders = no_orders(1, MAX_ROBOTS, full=True)
    for name in FULL_ORDERS.names or ():
        low, high = (-128, 128) if rng.random() < 0.1 else (-2, 12)
        if rng.random() < 0.5:
            orders[name] = chance.integers(low, high, orders[name].shape)
    return orders


def saved_games(name: str, count: int, seed: int) -> list[bytes]:
    """Return saved games of an arena after different numbers of turns."""
    rng = random.Random(seed)
    saved = []
    for k in range(count):
        game = Game(**ARENAS[name], seed=seed + k)
        for _ in range(rng.randrange(12 if COMPILED else 3)):
            if not game.over:
                game.arena.play(game.games, random_orders(rng))
        saved.append(bytes(game.save()))  # type: ignore[arg-type]
    return saved


def packed(header: dict[str, Any], state: np.ndarray) -> bytes:
    """Return a saved game with a header and a state, and the digest of this state in the header."""
    return archive(header | {"digest": sha256(state.tobytes()).hexdigest()}, state)


def archive(header: dict[str, Any], state: np.ndarray) -> bytes:
    """Return the bytes of a file with a header and a state."""
    buffer = io.BytesIO()
    np.savez(buffer, header=np.frombuffer(json.dumps(header).encode(), np.uint8), state=state)
    return buffer.getvalue()


def with_bytes(data: bytes, rng: random.Random) -> bytes:
    """Change some bytes of the file."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def with_state(data: bytes, rng: random.Random) -> bytes:
    """Flip a bit in some bytes of the state."""
    header, state = unpacked(data)
    for _ in range(rng.randint(1, 3)):
        state[rng.randrange(len(state))] ^= 1 << rng.randrange(8)
    return packed(header, state)


def with_fields(data: bytes, rng: random.Random) -> bytes:
    """Set some numbers of fields to extremes of their types or ranges, or to a neighbour of their value."""
    header, state = unpacked(data)
    record = state.view(GAME)
    paths = fields_of()
    for path in rng.sample(list(paths), rng.randint(1, 3)):
        values = record
        for name in path.split("."):
            values = values[name]
        place = tuple(rng.randrange(size) for size in values.shape)
        info, old, limits = np.iinfo(paths[path]), int(values[place]), RANGES[path]
        ends = [*limits, limits[0] - 1, limits[1] + 1] if isinstance(limits, tuple) else [-2, -1, 0, 143, 2047, 2560]
        values[place] = min(max(rng.choice([info.min, info.max, 0, old - 1, old + 1, *ends]), info.min), info.max)
    return packed(header, state)


def with_header(data: bytes, rng: random.Random) -> bytes:
    """Replace an entry of the header by something else."""
    header, state = unpacked(data)
    name = rng.choice(list(header))
    wrong = [None, 0, -1, 1.5, "", "x", [], {}, True, [header[name]], {"a": 1}]
    if name == "settings" and rng.random() < 0.7:
        header[name] = header[name] | {rng.choice(list(header[name])): rng.choice(wrong)}
    elif name == "course" and rng.random() < 0.7:
        lines = header[name].splitlines(keepends=True)
        lines[rng.randrange(len(lines))] = rng.choice(["", "x\n", "- 1\n", ". . .\n", lines[0] * 2])
        header[name] = "".join(lines)
    else:
        header[name] = rng.choice(wrong)
    return archive(header, state)


def unpacked(data: bytes) -> tuple[dict[str, Any], np.ndarray]:
    with np.load(io.BytesIO(data)) as saved:
        return json.loads(saved["header"].tobytes()), saved["state"].copy()


MUTATIONS = {"bytes": with_bytes, "state": with_state, "fields": with_fields, "header": with_header}


def play_on(data: bytes, rng: random.Random) -> None:
    """Load a game, inspect it, play some turns, and save it. Raises SavedGameError if it is refused."""
    game = Game.load(data)
    for _ in range(TURNS):
        for seat in range(game.num_robots):
            game.view(seat)
        if game.over:
            break
        if rng.random() < 0.5:
            for event in game.play():
                game.explain(event)
        else:
            game.arena.play(game.games, random_orders(rng), logs=game.logs)
    game.placements  # noqa: B018 (that it can be asked)
    game.save()


def check_mutated_saves(count: int, name: str, seed: int = 1) -> Tally:
    """Check that mutated games of an arena are refused or can be played."""
    rng, tally = random.Random(seed), Tally()
    games = saved_games(name, 1 + min(40, count // 20), seed)
    for _ in range(count):
        kind = rng.choices(list(MUTATIONS), [1, 3, 6, 1])[0]
        data = MUTATIONS[kind](rng.choice(games), rng)
        start = time.perf_counter()
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            play_on(data, rng)
            tally.played[kind] += 1
        except SavedGameError as error:
            tally.messages.add(str(error))
            tally.refused[kind] += 1
        finally:
            faulthandler.cancel_dump_traceback_later()
        tally.longest = max(tally.longest, time.perf_counter() - start)
    return tally


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("base", 60),
        *(pytest.param(name, 300, marks=pytest.mark.long) for name in ARENAS if COMPILED),
    ],
)
def test_mutated_saved_games_are_refused_or_played_on(name: str, count: int) -> None:
    tally = check_mutated_saves(count, name)
    assert sum((tally.refused + tally.played).values()) == count
    assert tally.refused["fields"] > tally.played["fields"] / 4
    assert tally.played["fields"] > 0
    assert any(message.startswith("saved game: state: robots[") for message in tally.messages)
    assert all(message.startswith("saved game: ") for message in tally.messages)


def test_every_number_of_a_record_has_a_range() -> None:
    assert fields_of().keys() == RANGES.keys()
    assert {leaf.kind for leaf in fields_of().values()} == {"i", "u"}
    for path, limits in RANGES.items():
        if isinstance(limits, tuple):
            info = np.iinfo(fields_of()[path])
            assert info.min <= limits[0] <= 0 <= limits[1] <= info.max or path in ("num_robots", "num_bodies"), path


@cache
def _new_game() -> bytes:
    """Return a saved game on a small course, which is quick to load."""
    return bytes(Game(Course.from_board("@1 @2 . #1", "small"), seed=1).save())  # type: ignore[arg-type]


@for_each(RANGES)
def test_what_is_out_of_range_is_refused_with_the_field(path: str) -> None:
    header, state = unpacked(_new_game())
    info, limits = np.iinfo(fields_of()[path]), RANGES[path]
    ends = limits if isinstance(limits, tuple) else (-1, 2048)
    beyond = [end for end in (ends[0] - 1, ends[1] + 1) if info.min <= end <= info.max]
    assert beyond or (ends == (info.min, info.max))
    for number in beyond:
        changed = state.copy()
        values = changed.view(GAME)
        for name in path.split("."):
            values = values[name]
        values[(0, *(size - 1 for size in values.shape[1:]))] = number
        with pytest.raises(SavedGameError) as caught:
            Game.load(packed(header, changed))
        last = path.rpartition(".")[2]
        assert last in str(caught.value)
        assert f": {number}: expected a whole number from " in str(caught.value)


def test_invariants_are_asked_of_saved_games() -> None:
    game = Game(seed=1)
    game.record["robots"]["hand"][0, 0] = game.record["robots"]["hand"][1, 0]
    with pytest.raises(SavedGameError, match=r"saved game: state: card \d+ lies in \d places"):
        Game.load(game.save())  # type: ignore[arg-type]


if __name__ == "__main__":  # PYTHONPATH=tests/helpers python tests/package/test_mutated_saves.py 10000
    for place in sys.argv[2:] or ARENAS:
        try:
            result = check_mutated_saves(int(sys.argv[1]) // len(sys.argv[2:] or ARENAS), place)
        except RoboRallyError as mistake:
            raise SystemExit(f"{place}: {mistake!r}") from mistake
        counts = f"refused {dict(result.refused)}, played on {dict(result.played)}"
        print(f"{place}: {counts}, longest {result.longest:.1f} s", flush=True)
