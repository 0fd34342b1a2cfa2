"""Check that players make the same decisions as in another checkout.

    python tools/compare_decisions.py OTHER [--players greedy,racer] [--games N] [--turns N] [--cache DIR] [NAME ...]

Games are played in the other checkout, by random programs and by the players in turn: on courses of the base game, with
option cards and among elements, with 2, 4 and 8 robots. In both checkouts, the players make every decision of every
robot, with the same seed. The exit status is 0 if all orders are equal. NAME restricts the groups of games (see
`GROUPS`). Both checkouts must have the same record formats.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
# By name: course, settings, option cards of every robot, numbers of robots
GROUPS: dict[str, tuple[str, dict[str, Any], int, tuple[int, ...]]] = {
    "exchange": ("risky_exchange", {}, 0, (2, 4, 8)),
    "sea": ("oddest_sea", {}, 0, (2, 8)),
    "trap": ("death_trap", {"lives": "1"}, 0, (4,)),
    "tour": ("whirlwind_tour", {"first_card_moves": "on"}, 0, (4,)),
    "options": ("risky_exchange", {"option_cards": "on"}, 5, (2, 4, 8)),
    "armed": ("death_trap", {"option_cards": "on"}, 8, (4,)),
    "everything": ("everything", {}, 0, (2, 4, 8)),
    "all": ("everything", {"option_cards": "on"}, 4, (4,)),
}


def decide(folder: Path, players: list[str], names: list[str], num_games: int, turns: int, positions: bool) -> None:
    """Let players of this checkout decide in positions of games, and write their orders.

    With `positions`, the games are played here and their positions are written; otherwise positions are read.
    """
    import rr_gym
    from rr_gym import Arena, make_player, no_orders
    from rr_gym.encoding.act.random_orders import random_option_orders
    from rr_gym.rules.state.records import GAME

    made = [make_player(name) for name in players]
    for player in made:
        player.reset(7)
    for name in names:
        course, settings, options, robots = GROUPS[name]
        arena = Arena(course, settings)
        for number in robots:
            spent = [0.0] * len(made)
            games = arena.new_games(num_games, number, seed=number)
            words = np.arange(1, num_games + 1, dtype=np.uint64)
            for turn in range(turns):
                file = folder / f"{name}-{number}-{turn}.npy"
                if not positions:
                    games = np.load(file).view(GAME)
                else:
                    if options:
                        arena.equip(games, options)
                    np.save(file, games.view(np.uint8))
                decided = []
                for k, player in enumerate(made):
                    start = time.perf_counter()
                    decided.append(np.stack([player.act(arena, games, seat) for seat in range(number)], 1))
                    spent[k] += time.perf_counter() - start
                np.save(folder / f"{'old' if positions else 'new'}-{file.name}", np.stack(decided).view(np.uint8))
                if positions:
                    orders = no_orders(num_games, 8, full=True)
                    random_option_orders(arena, games, orders, words) if options else arena.random_orders(
                        games, orders, words
                    )
                    # The compared players control some of the games; random programs control the rest.
                    for k, by in enumerate(decided):
                        orders[k :: len(made) + 1, :number] = by[k :: len(made) + 1]
                    arena.play(games, orders, restart=True)
            each = " ".join(
                f"{p.name} {1e6 * s / (num_games * turns * number):.1f} us" for p, s in zip(made, spent, strict=True)
            )
            print(f"{Path(rr_gym.__file__).parents[1]}: {name}, {number} robots: {each}", flush=True)


def compare(folder: Path, players: list[str]) -> int:
    """Return how many decisions differ, and print a line for each file with differences."""
    from rr_gym.rules.state.records import FULL_ORDERS, GAME

    differing = total = wrong = 0
    for file in sorted(folder.glob("new-*.npy")):
        new, old = (np.load(folder / f"{kind}{file.name[3:]}").view(FULL_ORDERS) for kind in ("new", "old"))
        for k, player in enumerate(players):
            other = new[k].view(np.uint8).reshape(*new[k].shape, -1) != old[k].view(np.uint8).reshape(*old[k].shape, -1)
            robots = np.load(folder / file.name[4:]).view(GAME)["robots"]
            # Orders with cards that are not in the hand were a mistake of earlier versions; they are not compared.
            program, hands = old[k]["program"], robots["hand"][:, : old.shape[2]]
            had = (program == 0) | (program[..., None] == hands[:, :, None]).any(axis=-1)
            wrong += int((~had).any(axis=-1).sum())
            games, seats = np.nonzero(other.any(axis=-1) & had.all(axis=-1))
            total += new[k].size
            differing += len(games)
            for g, seat in list(zip(games.tolist(), seats.tolist(), strict=True))[:1]:
                was, now = old[k][g, seat], new[k][g, seat]
                fields = [name for name in FULL_ORDERS.names or () if np.any(was[name] != now[name])]
                print(f"{player}: {file.stem[4:]}, {len(games)} differ, such as game {g}, seat {seat}:", end="")
                print(*(f" {name} {now[name]}, not {was[name]}" for name in fields), sep=";")
    print(f"{total:,} decisions, {differing:,} differ; {wrong:,} were of cards that the hand did not have")
    return differing


def main() -> int:
    """Run the command. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--players", default="greedy,racer")
    parser.add_argument("--games", type=int, default=12)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--cache", type=Path, metavar="DIR", help="where machine code of the other one is kept")
    parser.add_argument("--in", dest="inside", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--positions", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_intermixed_args()
    players, names = args.players.split(","), args.names or [*GROUPS]
    if args.inside:
        decide(args.inside, players, names, args.games, args.turns, args.positions)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        for checkout, more in ((args.other, ["--positions"]), (ROOT, [])):
            command = [sys.executable, __file__, *sys.argv[1:], "--in", folder, *more]
            env = {**os.environ, "PYTHONPATH": str(checkout)}
            if args.cache and more:
                env["RR_GYM_CACHE_DIR"] = str(args.cache)
            subprocess.run(command, check=True, cwd=checkout, env=env)
        return int(compare(Path(folder), players) > 0)


if __name__ == "__main__":
    raise SystemExit(main())
