"""``rr-gym warmup``: compile everything now rather than when it is first needed."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "warmup",
        help="compile all rules now; they are kept on disk",
        description="Compiles all rules, observations and players and keeps the machine code on disk "
        "(RR_GYM_CACHE_DIR, or the user's cache directory), where every later process finds it.",
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.jit import COMPILED, cache_directory

    if not COMPILED:
        print("compilation is switched off (NUMBA_DISABLE_JIT): nothing to do")
        return 0
    start = time.monotonic()
    for number, (name, step) in enumerate(STEPS.items(), 1):
        step_start = time.monotonic()
        print(f"[{number}/{len(STEPS)}] {name} ...", flush=True)
        step()
        print(f"[{number}/{len(STEPS)}] {name}: {time.monotonic() - step_start:.1f} s", flush=True)
    print(f"ready after {time.monotonic() - start:.1f} s: {cache_directory()}")
    return 0


def _play() -> None:
    from rr_gym import arena_of, no_orders

    arena = arena_of("risky_exchange")
    games, orders = arena.new_games(2), no_orders(2, 8)
    arena.play(games, orders, restart=True)
    arena.restart(games)
    arena.placements(games)


def _observe() -> None:
    from rr_gym import arena_of, roborally_v0
    from rr_gym.encoding.observations import OBSERVATIONS, make_observer

    arena = arena_of("risky_exchange")
    for observation in OBSERVATIONS:
        make_observer(observation, arena, 1).observe(arena.new_games(1, 1))
    for observation, action, reward in (("flat", "draw", "sparse"), ("planes", "slots", "shaped")):
        env = roborally_v0.parallel_env(observation=observation, action=action, reward=reward)
        seen, _ = env.reset(seed=0)
        env.step({agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents})


def _decide() -> None:
    from rr_gym import Game, arena_of, list_players, make_player
    from rr_gym.players.search import play_all_programs

    arena = arena_of("risky_exchange")
    games = arena.new_games(1)
    for player in list_players():
        make_player(player.name).act(arena, games, 0)
    play_all_programs(arena, games[0], 0)
    Game().play({})


STEPS: dict[str, Callable[[], None]] = {
    "rules": _play,
    "observations, actions, rewards": _observe,
    "players": _decide,
}
