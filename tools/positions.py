"""Make rr_gym/bots/positions.jsonl: positions and what the rules make of them, for other simulators (docs/bots.md).

    python tools/positions.py --write     make the file anew
    python tools/positions.py             make every position again and compare; exit status 1 if a line differs

Position n depends on n alone. It is a turn of a random game on a random board, whose outcome does not depend on chance:
whatever a position leaves open, such as the order of the deck, the outcome is the same.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from rr_gym.bots.positions import POSITIONS, play_position
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.files import write_file
from rr_gym.generate import GenerateError, generate_course
from rr_gym.generate.courses import SETS
from rr_gym.progress import Progress
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.events import DESTROYED
from rr_gym.rules.state.records import new_log, no_orders, take_games
from rr_gym.transcribe import scenario_of

Array = np.ndarray[Any, Any]

NUM_BASE, NUM_ELEMENTS, NUM_OPTIONS = 250, 150, 100
NUM_POSITIONS = NUM_BASE + NUM_ELEMENTS + NUM_OPTIONS
GAMES = 64  # that are played to choose a turn from
MOST_TURNS = 8  # before the turn
CANDIDATES = 24  # turns of which the one in which most happens is taken: kinds of events, less so many for
LOSS = 3  # each robot that is destroyed
SEEDS = range(1, 9)  # of what a position leaves open
MOST_OPTIONS = 4  # of each robot
DECK = 2  # option cards of the pile that a position names
ATTEMPTS = 50


def make_position(number: int) -> dict[str, Any]:
    """Make a position, counted from 0."""
    for attempt in range(ATTEMPTS):
        rng = random.Random(number * ATTEMPTS + attempt)
        kind, elements = _kind(number, rng)
        arena = _arena(rng, kind, elements)
        for scenario in _busiest_first(arena, rng, kind):
            scenario["name"] = f"{kind} {number + 1}" + (f": {', '.join(elements)}" if elements else "")
            if all(play_position(scenario, seed).passed for seed in SEEDS):
                return scenario
    raise RuntimeError(f"position {number + 1}: none in {ATTEMPTS} attempts")


def _kind(number: int, rng: random.Random) -> tuple[str, list[str]]:
    """Return what a position is about, and the elements of expansions on its board: each takes its turn."""
    if number < NUM_BASE:
        return "base", []
    if number < NUM_BASE + NUM_ELEMENTS:
        every = SETS["all"]
        own = every[(number - NUM_BASE) % len(every)]
        return "elements", [own, rng.choice([name for name in every if name != own])]
    return "options", []


def _arena(rng: random.Random, kind: str, elements: list[str]) -> Arena:
    """Return an arena with a random board."""
    settings = {"option_cards": "on" if kind == "options" else "off"}
    while True:
        width, height = rng.randint(6, 9), rng.randint(6, 9)
        if elements:
            width, height = width + 2, height + 2
        try:
            course = generate_course(
                rng.randrange(1 << 31), width, height, rng.randint(1, 3), 8 if elements else 6,
                difficulty=rng.choice(("easy", "medium", "hard")), elements=elements, solvable=False,
            )  # fmt: skip
        except GenerateError:
            continue  # too much for a board of this size
        return Arena(course, settings)


def _busiest_first(arena: Arena, rng: random.Random, kind: str) -> Iterator[dict[str, Any]]:
    """Yield turns of random games as scenarios: for three of four positions the ones first in which most happens."""
    chance = np.random.default_rng(rng.randrange(1 << 31))
    robots = rng.choice((1, 2, 2, 3, 3, 4, 4, 6))
    games = arena.new_games(GAMES, robots, seed=rng.randrange(1 << 31))
    if kind == "options":
        arena.equip(games, rng.randint(1, MOST_OPTIONS))
    for _ in range(rng.randint(0, MOST_TURNS)):
        arena.play(games, _orders(arena, games, chance, kind), restart=True)
    before, orders = games.copy(), _orders(arena, games, chance, kind)
    found = []
    for row in range(GAMES):
        game, log = take_games(before, np.array([row])), new_log()
        arena.play(game, orders[row : row + 1], logs=log)
        scenario = scenario_of(arena, before[row], orders[row], game[0])
        if "comment" in scenario:
            continue
        if game["over"][0]:
            if (winners := int(game["winners"][0])) == 0:
                continue
            scenario["winner"] = [name for i, name in enumerate("abcdefgh") if winners >> i & 1]
        if "option_deck" in scenario:
            scenario["option_deck"] = scenario["option_deck"][:DECK]
        scenario["board"] = _tight(scenario["board"])
        scenario["orders"] = {name: given for name, given in scenario["orders"].items() if given}
        kinds = log[0]["events"][: log[0]["count"]]["kind"]
        # Random programs destroy many robots, after which little happens to them.
        found.append((len(np.unique(kinds)) - LOSS * int((kinds == DESTROYED).sum()), row, scenario))
        if len(found) == CANDIDATES:
            break
    if rng.random() < 3 / 4:
        found.sort(key=lambda one: (-one[0], one[1]))
    for _, _, scenario in found:
        yield scenario


def _tight(board: str) -> str:
    """Return the text of a board without its name and size and with one space between squares."""
    lines = [line for line in board.splitlines() if not line.startswith(("name:", "size:"))]
    later = [n for n, line in enumerate(lines) if n and line.endswith(":")]  # titles of what follows the grid
    end = later[0] if later else len(lines)
    grid = [" ".join(line.split()) for line in lines[1:end]]
    return "\n".join([*lines[:1], *grid, *lines[end:]] if later else grid)  # a grid alone needs no title


def _orders(arena: Arena, games: Array, chance: np.random.Generator, kind: str) -> Array:
    """Draw legal orders of all seats: (n, 8), dtype `FULL_ORDERS`."""
    orders = no_orders(len(games), MAX_ROBOTS, full=True)
    words = chance.integers(0, 1 << 63, len(games), np.uint64)
    if kind == "options":
        random_option_orders(arena, games, orders, words)
    else:
        arena.random_orders(games, orders, words)
    orders["power_down"] = chance.random((len(games), MAX_ROBOTS)) < 0.1
    return orders


def line_of(position: dict[str, Any]) -> str:
    """Return a position as a line of the file."""
    return json.dumps(position, separators=(",", ":"))


def main(words: list[str]) -> int:
    """Write the file or compare it."""
    parser = argparse.ArgumentParser(description=str(__doc__), formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make the file anew")
    args = parser.parse_args(words)
    made = []
    with Progress("positions") as progress:
        for number in range(NUM_POSITIONS):
            made.append(line_of(make_position(number)))
            progress(number + 1, NUM_POSITIONS)
    if args.write:
        print(write_file(POSITIONS, "\n".join(made) + "\n"))
        return 0
    there = POSITIONS.read_text("utf-8").splitlines()
    differing = [n + 1 for n, line in enumerate(made) if there[n : n + 1] != [line]]
    print(f"{len(made)} positions, {len(differing)} lines differ: {differing[:10]}")
    return 1 if differing or len(there) != len(made) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
