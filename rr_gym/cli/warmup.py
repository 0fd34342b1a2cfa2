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
    parser.add_argument("--base", action="store_true", help="leave out what only courses with expansions need")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.jit import COMPILED, cache_home

    if not COMPILED:
        print("compilation is switched off (NUMBA_DISABLE_JIT): nothing to do")
        return 0
    start = time.monotonic()
    forms = {"base": "risky_exchange"} if args.base else {"base": "risky_exchange", "expansions": _expanded()}
    steps = [(f"{form}: {name}", step, course) for form, course in forms.items() for name, step in STEPS.items()]
    for number, (name, step, course) in enumerate(steps, 1):
        step_start = time.monotonic()
        print(f"[{number}/{len(steps)}] {name} ...", flush=True)
        step(course)
        print(f"[{number}/{len(steps)}] {name}: {time.monotonic() - step_start:.1f} s", flush=True)
    print(f"ready after {time.monotonic() - start:.1f} s: {cache_home()}")
    return 0


def _expanded() -> Any:
    """A small course with an element of an expansion."""
    from rr_gym.courses.course import Course

    return Course.from_board("@1 W . #1\n@2 . > #2\n")


def _play(course: Any) -> None:
    from rr_gym import arena_of, no_orders

    arena = arena_of(course)
    games, orders = arena.new_games(2), no_orders(2, 8, full=True)
    arena.play(games, orders, restart=True)
    arena.restart(games)
    arena.placements(games)


def _observe(course: Any) -> None:
    from rr_gym import arena_of, roborally_v0
    from rr_gym.encoding.observations import OBSERVATIONS, make_observer

    arena = arena_of(course)
    for observation in OBSERVATIONS:
        make_observer(observation, arena, 1).observe(arena.new_games(1, 1))
    for observation, action, reward in (("flat", "draw", "sparse"), ("planes", "slots", "shaped")):
        env = roborally_v0.parallel_env(course, observation=observation, action=action, reward=reward)
        seen, _ = env.reset(seed=0)
        env.step({agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents})


def _decide(course: Any) -> None:
    from rr_gym import Game, arena_of, list_players, make_player
    from rr_gym.players.search import play_all_programs

    arena = arena_of(course)
    games = arena.new_games(1)
    for player in list_players():
        make_player(player.name).act(arena, games, 0)
    play_all_programs(arena, games[0], 0)
    Game(course).play({})


STEPS: dict[str, Callable[[Any], None]] = {
    "rules": _play,
    "observations, actions, rewards": _observe,
    "players": _decide,
}
