"""The rows of the benchmark, by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rr_gym.bench import engine, interfaces, learning, players
from rr_gym.bench.report import BenchResult
from rr_gym.bench.timing import Options


@dataclass(frozen=True, slots=True)
class BenchRow:
    """A row of the benchmark: `measure(name, options)` runs it, and `doc` describes it in one line."""

    measure: Callable[[str, Options], BenchResult]
    doc: str
    on_request: bool = False  # left out unless it is named or all rows are requested


ROWS: dict[str, BenchRow] = {
    "turn_risky_exchange": BenchRow(
        partial(engine.turns, "risky_exchange"), "a turn on one board: belts, gears, a laser"
    ),
    "turn_oddest_sea": BenchRow(
        partial(engine.turns, "oddest_sea"), "a turn on two boards: pits, pushers, lasers, gears"
    ),
    "turn_whirlwind_tour": BenchRow(partial(engine.turns, "whirlwind_tour"), "a turn among express belts and pushers"),
    "everything": BenchRow(engine.everything, "a turn among all 78 board elements, relative to one of the base game"),
    "options": BenchRow(engine.options, "a turn of eight robots with five option cards each, relative to one without"),
    "threads": BenchRow(engine.threads, "one thread and two"),
    "batch": BenchRow(engine.batches, "256, 4,096 and 65,536 games"),
    "board": BenchRow(engine.boards, "one board and six"),
    "robots": BenchRow(engine.robots, "two, four and eight robots"),
    "events": BenchRow(engine.events, "with and without events"),
    "programs": BenchRow(engine.programs, "all 15,120 programs of a hand on clones"),
    "clone": BenchRow(engine.clones, "copies, exact and for a player that may search"),
    "memory": BenchRow(engine.memory, "the size of a game"),
    "observations": BenchRow(interfaces.observations, "observations of a batch"),
    "choices": BenchRow(interfaces.choices, "where the choices of a decision lead"),
    "pettingzoo_step": BenchRow(interfaces.pettingzoo_step, "one environment step of one game"),
    "pettingzoo_aec": BenchRow(interfaces.pettingzoo_aec, "the same, agent by agent"),
    "gymnasium_step": BenchRow(interfaces.gymnasium_step, "one environment step of one learner among random players"),
    "sampling": BenchRow(interfaces.sampling, "random legal actions"),
    "vector_1024": BenchRow(partial(learning.vector_step, 1024), "vector environment against kernel, 1,024 games"),
    "vector_4096": BenchRow(partial(learning.vector_step, 4096), "vector environment against kernel, 4,096 games"),
    "sb3_over_vector": BenchRow(learning.sb3_over_vector, "the Stable-Baselines3 environment against the vector one"),
    "sb3_rows": BenchRow(learning.sb3_rows, "rows per second of the Stable-Baselines3 environment"),
    "rllib_rows": BenchRow(
        learning.rllib_rows, "rows per second of one of RLlib's runners, with its network", on_request=True
    ),
    "training_share": BenchRow(learning.training_share, "the environment's share of a training loop's time"),
    "greedy": BenchRow(partial(players.decisions, "greedy"), "decisions of greedy in batches"),
    "racer": BenchRow(partial(players.decisions, "racer"), "decisions of racer in batches"),
    "planner": BenchRow(partial(players.decisions, "planner"), "decisions of planner"),
    "opponent_greedy": BenchRow(partial(players.opponents, "greedy"), "greedy's share of a training run against it"),
    "opponent_racer": BenchRow(partial(players.opponents, "racer"), "racer's share of a training run against it"),
    "opponent_planner": BenchRow(
        partial(players.opponents, "planner"), "planner's share of a training run against it", on_request=True
    ),
    "import": BenchRow(interfaces.import_time, "importing the package"),
    "first_step_warm": BenchRow(interfaces.first_step_warm, "a new process up to its first step, with compiled rules"),
    "first_step_ever": BenchRow(
        interfaces.first_step_ever, "a new process up to its first step, nothing compiled", on_request=True
    ),
}
