"""The fixed table of rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from rr_gym.bench import engine, interfaces, learning, players
from rr_gym.bench.report import Result
from rr_gym.bench.timing import Options


@dataclass(frozen=True, slots=True)
class Row:
    """A row: `measure(name, options)` returns its result."""

    measure: Callable[[str, Options], Result]
    doc: str
    on_request: bool = False  # left out unless it is named or all rows are requested


ROWS: dict[str, Row] = {
    "turn_risky_exchange": Row(partial(engine.turns, "risky_exchange"), "a turn on one board: belts, gears, a laser"),
    "turn_oddest_sea": Row(partial(engine.turns, "oddest_sea"), "a turn on two boards: pits, pushers, lasers, gears"),
    "turn_whirlwind_tour": Row(partial(engine.turns, "whirlwind_tour"), "a turn among express belts and pushers"),
    "everything": Row(engine.everything, "a turn among all 78 board elements over one of the base game"),
    "options": Row(engine.options, "a turn of eight robots with five option cards each over one without"),
    "threads": Row(engine.threads, "one thread and two"),
    "batch": Row(engine.batches, "256, 4,096 and 65,536 games"),
    "board": Row(engine.boards, "one board and six"),
    "robots": Row(engine.robots, "two, four and eight robots"),
    "events": Row(engine.events, "with and without events"),
    "programs": Row(engine.programs, "all 15,120 programs of a hand on clones"),
    "clone": Row(engine.clones, "copies, exact and for a player that may search"),
    "memory": Row(engine.memory, "the size of a game"),
    "observations": Row(interfaces.observations, "observations of a batch"),
    "choices": Row(interfaces.choices, "where the choices of a decision lead"),
    "pettingzoo_step": Row(interfaces.pettingzoo_step, "one environment step of one game"),
    "pettingzoo_aec": Row(interfaces.pettingzoo_aec, "the same, agent by agent"),
    "gymnasium_step": Row(interfaces.gymnasium_step, "one environment step of one learner among random players"),
    "sampling": Row(interfaces.sampling, "random legal actions"),
    "vector_1024": Row(partial(learning.vector_step, 1024), "the vector environment over the kernel, 1,024 games"),
    "vector_4096": Row(partial(learning.vector_step, 4096), "the vector environment over the kernel, 4,096 games"),
    "sb3_over_vector": Row(learning.sb3_over_vector, "the Stable-Baselines3 environment over the vector one"),
    "sb3_rows": Row(learning.sb3_rows, "rows per second of the Stable-Baselines3 environment"),
    "rllib_rows": Row(
        learning.rllib_rows, "rows per second of one of RLlib's runners, with its network", on_request=True
    ),
    "training_share": Row(learning.training_share, "the environment's share of a training loop's time"),
    "greedy": Row(partial(players.decisions, "greedy"), "decisions of greedy in batches"),
    "racer": Row(partial(players.decisions, "racer"), "decisions of racer in batches"),
    "planner": Row(partial(players.decisions, "planner"), "decisions of planner"),
    "opponent_greedy": Row(partial(players.opponents, "greedy"), "greedy's share of a training against it"),
    "opponent_racer": Row(partial(players.opponents, "racer"), "racer's share of a training against it"),
    "opponent_planner": Row(
        partial(players.opponents, "planner"), "planner's share of a training against it", on_request=True
    ),
    "import": Row(interfaces.import_time, "importing the package"),
    "first_step_warm": Row(interfaces.first_step_warm, "a new process up to its first step, with compiled rules"),
    "first_step_ever": Row(
        interfaces.first_step_ever, "a new process up to its first step, nothing compiled", on_request=True
    ),
}
