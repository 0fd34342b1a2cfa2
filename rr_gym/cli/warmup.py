"""``rr-gym warmup``: compile everything now rather than when it is first needed."""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from typing import Any

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.resuming import Interrupted, command_line


def add_parser(subparsers: Any) -> None:
    """Register ``warmup``."""
    parser = subparsers.add_parser(
        "warmup",
        help="compile all rules now; they are kept on disk",
        description="Compiles all rules, observations and players and keeps the machine code on disk "
        "(RR_GYM_CACHE_DIR, or the user's cache directory), where every later process finds it.",
    )
    parser.add_argument("--base", action="store_true", help="only what courses of the base game without options need")
    add(parser, "--workers", default=1, note="1 to 3")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Compile."""
    from rr_gym.compilation.jit import COMPILED, cache_home
    from rr_gym.errors import whole_number

    workers = whole_number("--workers", args.workers, 1, len(FORMS))
    if not COMPILED:
        print("compilation is switched off (NUMBA_DISABLE_JIT): nothing to do")
        return 0
    start = time.monotonic()
    forms = ["base"] if args.base else list(FORMS)
    try:
        if workers == 1:
            for form in forms:
                compile_form(form)
        else:
            with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
                list(pool.map(compile_form, forms))
    except KeyboardInterrupt:
        raise Interrupted(command_line(args.words)) from None  # what was compiled is kept
    print(f"ready after {time.monotonic() - start:.1f} s: {cache_home()}")
    return 0


def compile_form(form: str) -> None:
    """Compile everything for courses of one form."""
    course = FORMS[form]()
    for number, (name, step) in enumerate(STEPS.items(), 1):
        start = time.monotonic()
        print(f"{form} [{number}/{len(STEPS)}] {name} ...", flush=True)
        step(course)
        print(f"{form} [{number}/{len(STEPS)}] {name}: {time.monotonic() - start:.1f} s", flush=True)


def _base() -> Any:
    from rr_gym.courses.library import load_course

    return load_course("risky_exchange")


def _with_options() -> Any:
    """A course of the base game that is played with option cards."""
    return replace(_base(), params={"option_cards": "on"})


def _with_elements() -> Any:
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
    from rr_gym.encoding.observe.observations import OBSERVATIONS, make_observer

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

# The forms of the rules, what takes longest first
FORMS: dict[str, Callable[[], Any]] = {"elements": _with_elements, "options": _with_options, "base": _base}
