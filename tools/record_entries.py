"""Write `rr_gym/entries.json`: the kernels that are called from Python, with the types of their arguments.

`python tools/record_entries.py` plays, observes, decides and runs scenarios on small courses, in a separate process for
each form of the rules. Kernels that take a table are interpreted, and all others are compiled, which takes 15
minutes. Entries that are missing from the file also work, but are compiled one by one.

`python tools/record_entries.py --tests` adds the entries that only tests use: those that `make test` has compiled into
the cache and no other group contains. The cache (`RR_GYM_CACHE_DIR`) must be empty before `make test`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.compilation import entering, groups
from rr_gym.compilation.kernels import Kernel
from rr_gym.forms import ANY, BASE, FULL, OPTIONS, SETTINGS

ROOT = Path(__file__).parents[1]


@contextmanager
def interpreted() -> Iterator[None]:
    """Within this context, interpret all kernels that take a table, and record all calls from Python."""
    inside: list[bool] = []
    compiled = Kernel.enter

    def enter(kernel: Any, arguments: tuple[Any, ...]) -> Any:
        # Calls within a kernel are not entries.
        if not inside:
            form = entering.form_of_arguments(arguments)
            entering.entered[form, entering.entry_name(kernel, arguments)] = None
            if form == ANY:
                return compiled(kernel, arguments)
        inside.append(True)
        try:
            with np.errstate(over="ignore"):
                return kernel.function(*arguments)
        finally:
            inside.pop()

    Kernel.enter = enter
    try:
        yield
    finally:
        Kernel.enter = compiled


def course_of(form: str, more: int = 0) -> Any:
    """Create a small course for a form of the rules, with `more` additional squares in each row."""
    from rr_gym import Course

    way = ". " * more
    course = Course.from_board(f"@1 {'W' if form == FULL else '.'} {way}> #1\n@2 . {way}. #2\n")
    return replace(course, params={"option_cards": "on"} if form == OPTIONS else {})


def play(form: str) -> None:
    """Call all methods of `Arena`."""
    from rr_gym import arena_of, no_orders

    arena = arena_of(course_of(form))
    games, orders = arena.new_games(2), no_orders(2, 8, full=True)
    for either in (orders, no_orders(2, 8)):
        arena.random_orders(games, either, np.zeros(2, np.uint64))
    arena.play(games, orders, restart=True)
    arena.play(games, no_orders(2, 8))
    arena.restart(games)
    arena.placements(games)
    if arena.full:
        arena.equip(games, 2)


def observe(form: str) -> None:
    """Use observations, actions and rewards, with one turn per step."""
    from rr_gym import arena_of, roborally_v0
    from rr_gym.encoding.observe.observations import OBSERVATIONS, make_observer

    course = course_of(form)
    arena = arena_of(course)
    for observation in OBSERVATIONS:
        make_observer(observation, arena, 1).observe(arena.new_games(1, 1))
    for observation, action, reward in (("flat", "draw", "sparse"), ("planes", "slots", "shaped")):
        env = roborally_v0.parallel_env(course, observation=observation, action=action, reward=reward)
        seen, _ = env.reset(seed=0)
        env.sample_actions()
        env.step({agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents})
    env = roborally_v0.parallel_env(course, state="entities")
    env.reset(seed=0)
    env.state()


def choose(form: str) -> None:
    """Make decisions one by one, and observe the facts of their choices."""
    from rr_gym.sb3 import make_vec_env

    course = course_of(form)
    choices = make_vec_env(course, 2, 2, action="cards", preview=True, observation="choices")
    choices.reset()
    cards = make_vec_env(course, 2, 2, action="cards", preview=True, reward="shaped")
    cards.reset()
    for _ in range(12):
        cards.step(cards.action_masks().argmax(axis=-1))


def look(form: str) -> None:
    """Use views of games and previews of orders for people and programs, and find a route."""
    from rr_gym import Game, OrderError
    from rr_gym.generate.route import find_route
    from rr_gym.play.preview import path_alone
    from rr_gym.play.prompt import prompt
    from rr_gym.players.protocol import SeatView

    turns = course_of(form, more=16)  # long enough for a route of several turns
    game = Game(turns, 2, settings={} if form == BASE else {"option_cards": "on"})
    own, sixth = game.hands[0][:5], game.hands[0][5]
    if form != BASE:
        for seat, option in enumerate(("dual_processor", "shield")):
            game.arena.give(game.games, seat, option)
        two = {"program": own, "movement_option": ["dual_processor", *["none"] * 4], "second": [sixth, *[None] * 4]}
        with suppress(OrderError):  # the two cards may not be combined
            game.resolve({0: two})
    prompt(game, 0)
    path_alone(SeatView.of(game.arena, game.record, 0), game.resolve({0: {"program": own}})[0])
    find_route(game.arena.tables[0], game.record, 0)


def decide(form: str) -> None:
    """Let all built-in players decide."""
    from rr_gym import Game, arena_of, list_players, make_player
    from rr_gym.envs.core import Core
    from rr_gym.policies import Policy, PolicyPlayer, PolicySpec
    from rr_gym.policies.choice_inputs import weight_shapes
    from rr_gym.policies.spec import policy_facts

    course = course_of(form)
    arena = arena_of(course)
    games = arena.new_games(1)
    for player in list_players():
        searches = player.name in ("equilibrium", "planner", "strategist")
        make_player(f"{player.name}:100" if searches else player.name).act(arena, games, 0)
        print(player.name, file=sys.stderr, flush=True)
    Game(course).play({})
    core = Core(course, 1, 1, action="cards", preview=True, observation="choices")
    spec = PolicySpec.from_json({**policy_facts(core), "network": {"kind": "choices"}})
    weights = {name: np.zeros(shape, np.float32) for name, shape in weight_shapes(spec).items()}
    policy = Policy(spec, weights=weights)
    core.reset(0)
    policy.evaluate(core.observe())
    PolicyPlayer(policy, sample=True).act(core.arena, core.games, 0)


def check(form: str) -> None:
    """Run scenarios."""
    from rr_gym.scenarios import load_scenarios, run_scenario

    for folder in sorted((ROOT / "tests" / "scenarios").iterdir()):
        for file in sorted(folder.rglob("*.yaml")):
            for scenario in load_scenarios(file):
                run_scenario(scenario)


def record(form: str) -> None:
    """Record one form in this process, and print its entries as JSON."""
    groups.entries = dict  # type: ignore[assignment]  # ignore the entries of the present file
    found: dict[str, dict[str, list[str]]] = {}
    steps: dict[str, Callable[[str], None]] = {
        "rules": play, "encoding": observe, "choices": choose, "players": decide, "views": look, "scenarios": check,
    }  # fmt: skip
    for group, step in steps.items():
        if group == "scenarios" and form != BASE:
            continue  # files of scenarios mix all forms
        before = set(entering.entered)
        with interpreted():
            step(form)
        for of, name in entering.entered.keys() - before:
            found.setdefault(of, {}).setdefault(group, []).append(name)
        print(form, group, file=sys.stderr, flush=True)
    print(json.dumps(found))


def entered_by_tests() -> dict[str, list[str]]:
    """Return, by form, the entries in the cache that belong to no other group."""
    from rr_gym.compilation.cache import read_library
    from rr_gym.compilation.files import cache_home

    found: dict[str, set[str]] = {}
    for file in cache_home().glob("*.lib"):
        library = read_library(file)
        if library is not None:
            form = library[0].form
            names = (name for name in library[0].entries if name.startswith("rr_gym."))
            found.setdefault(form, set()).update(n for n in names if groups.group_of(form, n) is None)
    return {form: sorted(names) for form, names in found.items() if names}


def write(listed: dict[str, dict[str, list[str]]]) -> None:
    """Write the file of entries."""
    file = SETTINGS.entries
    assert file is not None
    file.write_text(json.dumps(dict(sorted(listed.items())), indent=1) + "\n", encoding="utf-8")
    count = sum(len(names) for of in listed.values() for names in of.values())
    print(f"{file}: {count} entries, {ANY}: without a table")


def main() -> None:
    """Record all forms, or only the form that is given as an argument."""
    if sys.argv[1:] == ["--tests"]:
        by_tests = entered_by_tests()
        known = groups.entries()
        write({form: {**known[form], groups.TESTS: by_tests.get(form, [])} for form in known})
        return
    if len(sys.argv) > 1:
        record(sys.argv[1])
        return
    merged: dict[str, dict[str, list[str]]] = {}
    for form in (BASE, OPTIONS, FULL):
        done = subprocess.run([sys.executable, __file__, form], stdout=subprocess.PIPE, check=True, text=True)
        for of, by_group in json.loads(done.stdout).items():
            noted = {name for names in merged.get(of, {}).values() for name in names}
            for group, names in by_group.items():
                merged.setdefault(of, {}).setdefault(group, []).extend(n for n in names if n not in noted)
    listed = {of: {g: sorted(names) for g, names in found.items() if names} for of, found in merged.items()}
    for form, by_group in groups.entries().items():
        elsewhere = {name for names in listed[form].values() for name in names}
        listed[form][groups.TESTS] = [name for name in by_group.get(groups.TESTS, []) if name not in elsewhere]
    write(listed)


if __name__ == "__main__":
    main()
