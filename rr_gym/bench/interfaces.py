"""Time what users wait for: environment steps, observations, imports, the first step of a new process."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from os import environ
from typing import Any

import numpy as np

from rr_gym.bench.engine import TimedGames
from rr_gym.bench.report import BenchLine, BenchResult, Target
from rr_gym.bench.timing import Case, Options, Timing, measure
from rr_gym.choices.columns import LOOKAHEADS, NEVER, TURNS, TURNS_BEHIND
from rr_gym.encoding.observe.observations import OBSERVATIONS, make_observer
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.envs.core import Core

PROCESSES = 3  # runs of a row, each in a new process
STEPS = 50  # environment steps per sample
OBSERVED_GAMES = 1024
SAMPLED_ROWS = 256


def pettingzoo_step(name: str, options: Options) -> BenchResult:
    """Time one step (a turn, or one decision) of one game of four robots with flat observations and random actions."""
    return _by_action(name, options, _parallel, Target("a turn", 0, 300, " us"))


def pettingzoo_aec(name: str, options: Options) -> BenchResult:
    """Time four steps of the AEC environment, in which the agents of such a game observe and act one by one."""
    return _by_action(name, options, _one_by_one)


def gymnasium_step(name: str, options: Options) -> BenchResult:
    """Time one step of one learner against three random players, with flat observations, masks and random actions."""
    return _by_action(name, options, _one_learner)


def _by_action(name: str, options: Options, case: Callable[[str], Case], target: Target | None = None) -> BenchResult:
    actions = ("draw", "cards")
    timings, reference = measure([case(action) for action in actions], options.seconds)
    lines = tuple(BenchLine.of(action, timing) for action, timing in zip(actions, timings, strict=True))
    return BenchResult(name, "step", lines, target and replace(target, value=timings[0].median), reference.best)


def _parallel(action: str) -> Case:
    from rr_gym import roborally_v0

    env = roborally_v0.parallel_env(num_robots=4, observation="flat", action=action)
    actions: dict[str, Any] = {}

    def prepare() -> None:
        nonlocal actions
        if not env.agents:
            env.reset()
        actions = env.sample_actions()

    return Case(lambda: env.step(actions), 1, prepare, STEPS)


def _one_by_one(action: str) -> Case:
    from rr_gym import roborally_v0
    from rr_gym.encoding.act.sampling import random_actions

    env = roborally_v0.env(num_robots=4, observation="flat", action=action)
    actions: dict[str, Any] = {}
    rng = np.random.default_rng(1)
    env.reset(seed=1)

    def prepare() -> None:
        if any(env.terminations.values()) or any(env.truncations.values()):
            env.reset()
        for agent in env.agents:
            actions[agent] = random_actions(env.observe(agent)["action_mask"], rng)

    def work() -> None:
        for agent in list(env.agents):
            env.last()
            env.step(actions[agent])

    return Case(work, 1, prepare, STEPS)


def _one_learner(action: str) -> Case:
    from rr_gym.envs.single import RoboRallyEnv

    env = RoboRallyEnv(observation="flat", observation_dtype="native", action=action)
    env.reset(seed=1)
    over, choice = False, None

    def prepare() -> None:
        nonlocal choice
        if over:
            env.reset()
        choice = env.sample_actions()

    def work() -> None:
        nonlocal over
        _, _, terminated, truncated, _ = env.step(choice)
        over = terminated or truncated

    return Case(work, 1, prepare, STEPS)


def sampling(name: str, options: Options) -> BenchResult:
    """Time drawing random legal actions for many rows, in three ways.

    They are drawn with `random_actions`, by hand from the masks, and by sampling the action space row by row.
    """
    from rr_gym.encoding.act.sampling import random_actions
    from rr_gym.envs.core import Core

    core = Core(num_games=SAMPLED_ROWS, num_robots=1)
    core.reset(1)
    masks, rng, space = core.masks(), np.random.default_rng(1), core.single_action_space()
    ways: dict[str, Callable[[], object]] = {
        "random_actions": lambda: random_actions(masks, rng),
        "by hand": lambda: (rng.random(masks.shape) * masks).argmax(-1),
        "space.sample": lambda: [space.sample(mask) for mask in masks],
    }
    timings, reference = measure([Case(work, SAMPLED_ROWS) for work in ways.values()], options.seconds)
    lines = tuple(BenchLine.of(way, timing) for way, timing in zip(ways, timings, strict=True))
    target = Target("random_actions over by hand", timings[0].best / timings[1].best, 1.5, " times")
    return BenchResult(name, "action", lines, target, reference.best)


def observations(name: str, options: Options) -> BenchResult:
    """Time writing the observations of all four robots of a batch, by kind of observation."""
    batch = TimedGames("risky_exchange", OBSERVED_GAMES)
    seats = all_seats(OBSERVED_GAMES, 4)
    cases = []
    for kind in OBSERVATIONS:
        observer = make_observer(kind, batch.arena, 4)
        out = observer.buffer(*seats.shape)
        cases.append(Case(partial(observer.write, batch.games, seats, out), OBSERVED_GAMES * 4))
    timings, reference = measure(cases, options.seconds)
    lines = tuple(BenchLine.of(kind, timing, reference) for kind, timing in zip(OBSERVATIONS, timings, strict=True))
    return BenchResult(name, "robot", lines, None, reference.best)


def _choices(course: str, lookahead: str) -> Case:
    """Return a case that writes the tables of choices for all decisions of a turn.

    Robots mostly take good choices, so that the games are typical.
    """
    core = Core(
        course, OBSERVED_GAMES // 4, 4, action="cards", preview=True, observation="choices", lookahead=lookahead,
        settings={"lives": "unlimited"},
    )  # fmt: skip
    core.reset(1)
    assert core.form.choices_observer
    facts, rng = core.form.choices_observer.facts, np.random.default_rng(1)
    out = core.observe()

    def prepare() -> None:
        masks = core.masks()
        behind = np.where(masks > 0, out["choices"][..., TURNS_BEHIND] + 200 * rng.random(masks.shape), NEVER)
        core.step(behind.argmin(axis=-1))
        core.restart(core.ended.copy())

    return Case(lambda: facts.write(out["choices"], out["prospects"]), core.num_rows, prepare, core.stages)


def choices(name: str, options: Options) -> BenchResult:
    """Time writing the features of a decision's choices, by lookahead."""
    labels = [*((f"lookahead {lookahead}", "risky_exchange", lookahead) for lookahead in LOOKAHEADS)]
    labels.append(("everything, lookahead turns", "everything", "turns"))
    timings, reference = measure([_choices(course, lookahead) for _, course, lookahead in labels], options.seconds)
    lines = tuple(BenchLine.of(label, timing, reference) for (label, *_), timing in zip(labels, timings, strict=True))
    slowest = max(line.yardsticks or 0 for line in lines[: TURNS + 1])
    return BenchResult(name, "row", lines, Target("a row of the base game", slowest, 12, " yardsticks"), reference.best)


IMPORTS = {"rr_gym": "import rr_gym", "roborally_v0": "from rr_gym import roborally_v0"}
FIRST_STEP = """
import rr_gym
env = rr_gym.roborally_v0.parallel_env()
seen, _ = env.reset(seed=0)
env.step({a: env.action_space(a).sample(seen[a]["action_mask"]) for a in env.agents})
"""


def _seconds(code: str, **variables: str) -> float:
    """Return the seconds that `code` takes in a new process, without the start of the interpreter."""
    timed = f"import time; start = time.perf_counter()\n{code}\nprint(time.perf_counter() - start)"
    done = subprocess.run(
        [sys.executable, "-c", timed], env={**environ, **variables}, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def _timing(code: str, runs: int, **variables: str) -> Timing:
    return Timing([_seconds(code, **variables) * 1e6 for _ in range(runs)])


def _process(name: str, timing: Timing, limit: float) -> BenchResult:
    target = Target("first step", timing.best / 1e6, limit, " s")
    return BenchResult(name, "process", (BenchLine.of("", timing),), target)


def import_time(name: str, options: Options) -> BenchResult:
    """Time importing the package, and importing its environment with all its dependencies."""
    lines = []
    for label, code in IMPORTS.items():
        _seconds(code)  # once to warm up the disk cache
        lines.append(BenchLine.of(label, _timing(code, PROCESSES)))
    return BenchResult(name, "import", tuple(lines), Target("rr_gym", (lines[0].best or 0) / 1e6, 1, " s"))


def first_step_warm(name: str, options: Options) -> BenchResult:
    """Time a new process from the import to the end of the first step, with compiled rules."""
    _seconds(FIRST_STEP)
    return _process(name, _timing(FIRST_STEP, PROCESSES), 2)


def first_step_ever(name: str, options: Options) -> BenchResult:
    """Time a new process from the import to the end of the first step, with an empty cache."""
    with tempfile.TemporaryDirectory() as empty:
        return _process(name, _timing(FIRST_STEP, 1, RR_GYM_CACHE_DIR=empty), 90)
