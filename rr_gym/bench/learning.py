"""Time the interfaces for learning libraries against the engine below them, and a training loop around them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rr_gym.bench.engine import TimedGames
from rr_gym.bench.report import BenchLine, BenchResult, Target
from rr_gym.bench.timing import Case, Options, measure

Array = np.ndarray[Any, Any]

COURSE = "risky_exchange"
ROBOTS = 4
UNLIMITED_LIVES = {"lives": "unlimited"}  # as in the rows that time the engine
OBSERVED = ("flat", "entities", "entities+planes")
SB3_GAMES = 64
RLLIB_GAMES = 16
STEPS = 20  # environment steps per sample of small batches
WARM_STEPS = 30
UPDATES = 2
TRAINING_STEPS = 64  # environment steps per update
BATCH_SIZE = 1024


def legal(masks: Array, rng: np.random.Generator) -> Array:
    """Draw a random legal choice for every component, roughly uniformly, from masks of shape (..., choices), bool.

    Returns:
        The indices of the choices, shape (...), dtype int64.
    """
    choices: Array = (rng.random(masks.shape, np.float32) * masks).argmax(axis=-1)
    return choices


class Vector:
    """A vector environment in progress, stepped with random legal actions that are drawn outside the timed part."""

    def __init__(self, games: int, observation: str) -> None:
        from rr_gym.envs.vector import RoboRallyVectorEnv

        self.env = RoboRallyVectorEnv(
            games * ROBOTS, COURSE, ROBOTS, observation=observation, observation_dtype="native",
            settings=UNLIMITED_LIVES, copy=False,
        )  # fmt: skip
        self.rng = np.random.default_rng(1)
        self.masks: Array = self.env.reset(seed=1)[1]["action_mask"]
        for _ in range(WARM_STEPS):
            self.prepare()
            self.step()

    def prepare(self) -> None:
        """Draw the actions of the next step."""
        self.actions = legal(self.masks, self.rng)

    def step(self) -> None:
        """Take one step."""
        self.masks = self.env.step(self.actions)[4]["action_mask"]

    def case(self, repeats: int) -> Case:
        """Return the timed case: one step, with one item per game."""
        return Case(self.step, self.env.num_envs // ROBOTS, self.prepare, repeats)


class SB3:
    """A Stable-Baselines3 environment in progress; masks are requested after each step, as learners do."""

    def __init__(self, games: int) -> None:
        from rr_gym.sb3 import make_vec_env

        self.env = make_vec_env(
            COURSE, games, ROBOTS, observation="flat", observation_dtype="float32", settings=UNLIMITED_LIVES, seed=1
        )
        self.rng = np.random.default_rng(1)
        self.env.reset()
        self.masks: Array = np.stack(self.env.env_method("action_masks"))
        for _ in range(WARM_STEPS):
            self.prepare()
            self.step()

    def prepare(self) -> None:
        """Draw the actions of the next step."""
        components = len(self.env.core.layout.components)
        self.actions = legal(self.masks.reshape(self.env.num_envs, components, -1), self.rng)

    def step(self) -> None:
        """Take one step."""
        self.env.step(self.actions)
        self.masks = np.stack(self.env.env_method("action_masks"))

    def case(self, repeats: int) -> Case:
        """Return the timed case: one step, with one item per row."""
        return Case(self.step, self.env.num_envs, self.prepare, repeats)


def vector_step(games: int, name: str, options: Options) -> BenchResult:
    """Compare a step of the vector environment, with each observation, to a turn of the bare kernel."""
    batch = TimedGames(COURSE, games, num_robots=ROBOTS)
    repeats = max(1, 4096 // games)
    cases = [batch.case, *(Vector(games, observation).case(repeats) for observation in OBSERVED)]
    timings, reference = measure(cases, options.seconds * len(cases))
    kernel = timings[0].best
    lines = tuple(
        BenchLine.of(label, timing, reference, note=f"{timing.best / kernel:.2f} x the kernel")
        for label, timing in zip(("kernel", *OBSERVED), timings, strict=True)
    )
    slowest = max(timing.best / kernel for timing in timings[1:])
    return BenchResult(name, "turn", lines, Target("slowest interface over kernel", slowest, 3, " x"), reference.best)


def sb3_over_vector(name: str, options: Options) -> BenchResult:
    """Compare a row of the Stable-Baselines3 environment to a row of the vector environment, both with masks."""
    vector = Vector(SB3_GAMES, "flat")
    cases = [Case(vector.step, vector.env.num_envs, vector.prepare, STEPS), SB3(SB3_GAMES).case(STEPS)]
    timings, reference = measure(cases, options.seconds * len(cases))
    lines = tuple(BenchLine.of(label, t, reference) for label, t in zip(("vector", "sb3"), timings, strict=True))
    ratio = timings[1].best / timings[0].best
    return BenchResult(name, "row", lines, Target("sb3 over vector", ratio, 1.5, " x"), reference.best)


def sb3_rows(name: str, options: Options) -> BenchResult:
    """Measure rows per second of the Stable-Baselines3 environment, with masks but without a policy."""
    (timing,), reference = measure([SB3(SB3_GAMES).case(STEPS)], options.seconds)
    target = Target("rows per second", 1e6 / timing.best, 150_000, at_least=True)
    return BenchResult(name, "row", (BenchLine.of("", timing, reference),), target, reference.best)


def rllib_rows(name: str, options: Options) -> BenchResult:
    """Measure rows per second of one env runner of RLlib, with its connectors, episodes and network."""
    from rr_gym.errors import MissingExtraError, require

    try:
        from rr_gym.rllib import ppo_config
    except MissingExtraError as error:
        return BenchResult(name, "row", (BenchLine("", note=str(error)),))
    require("torch", extra="rllib").set_num_threads(1)
    config = ppo_config(
        COURSE, ROBOTS, games_per_runner=RLLIB_GAMES, network={"hidden": [64, 64], "features": 64},
        settings=UNLIMITED_LIVES,
    )
    runner = config.env_runner_cls(config=config, worker_index=1)
    rows = STEPS * RLLIB_GAMES * ROBOTS
    case = Case(lambda: runner.sample(num_timesteps=rows), rows)
    (timing,), reference = measure([case], options.seconds)
    runner.stop()
    line = BenchLine.of("", timing, reference, note=f"{1e6 / timing.best:,.0f} rows per second")
    return BenchResult(name, "row", (line,), None, reference.best)


def training_share(name: str, options: Options) -> BenchResult:
    """Measure the environment's share of MaskablePPO's wall time."""
    from rr_gym.sb3 import make_vec_env

    env = make_vec_env(COURSE, SB3_GAMES, ROBOTS, observation="flat", observation_dtype="float32", seed=1)
    methods = "step_async", "step_wait", "reset", "env_method", "has_attr"
    return share_of_training(name, env, env, methods, Target("environment", 0, 15, " %"))


def share_of_training(
    name: str, env: Any, owner: Any, methods: Sequence[str], target: Target, steps: int = TRAINING_STEPS
) -> BenchResult:
    """Measure which share of MaskablePPO's wall time some methods take.

    The network is an MLP with two layers of 64 units, trained for four epochs per update.

    Args:
        name: The name of the row.
        env: The environment.
        owner: The object that has the methods.
        methods: Their names.
        target: The row's target, without its value.
        steps: Steps of the environment for each update.
    """
    import torch
    from sb3_contrib import MaskablePPO

    torch.set_num_threads(1)
    spent = 0.0

    def timed(work: Callable[..., Any]) -> Callable[..., Any]:
        def wrapper(*arguments: Any, **keywords: Any) -> Any:
            nonlocal spent
            start = time.perf_counter()
            result = work(*arguments, **keywords)
            spent += time.perf_counter() - start
            return result

        return wrapper

    rows = steps * env.num_envs
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=steps, batch_size=min(BATCH_SIZE, rows), n_epochs=4,
        policy_kwargs={"net_arch": [64, 64]}, seed=1,
    )  # fmt: skip
    model.learn(rows)  # compiles the kernels, allocates memory, and computes the tables of the course
    for method in methods:
        setattr(owner, method, timed(getattr(owner, method)))
    start = time.perf_counter()
    model.learn(UPDATES * rows)
    total = time.perf_counter() - start
    line = BenchLine("", note=f"{spent / total:.1%} of {total:.1f} s, {UPDATES * rows / total:,.0f} rows/s in training")
    return BenchResult(name, "row", (line,), replace(target, value=100 * spent / total))
