"""Time the scripted players: decisions in batches, and their share of a training run against them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from rr_gym.bench.learning import COURSE, SB3_GAMES, share_of_training
from rr_gym.bench.report import BenchLine, BenchResult, Target
from rr_gym.bench.timing import Case, Options, measure
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders

Array = np.ndarray[Any, Any]

GAMES = 256
PLANNED_GAMES = 4
ROBOTS = 4
WARM_TURNS = 12
MAX_YARDSTICKS = 32  # for a decision in the base game
MAX_SHARE = 30  # per cent of the wall time of training
STEPS = 64  # environment steps per update of a training run run
# Label, course, option cards of each robot, threads
VARIANTS = (
    ("base", COURSE, 0, 1),
    ("2 threads", COURSE, 0, 2),
    ("options", COURSE, 3, 1),
    ("elements", "everything", 0, 1),
)


class PlayerBatch:
    """Games in which one player plays all seats, so that its decisions can be timed."""

    def __init__(self, name: str, games: int, course: str, options: int, threads: int) -> None:
        self.arena = Arena(course, {"option_cards": "on" if options else "off"})
        self.options = options
        self.games = self.arena.new_games(games, ROBOTS, seed=1)
        self.orders = no_orders(games, MAX_ROBOTS, full=True)
        self.player = make_player(name, **({"threads": threads} if threads > 1 else {}))
        self.player.reset(1)
        self.begun = False
        for _ in range(WARM_TURNS):
            self.prepare()
            self.decide()

    def prepare(self) -> None:
        """Play the orders of the last decision; games that end restart."""
        if self.begun:
            self.arena.play(self.games, self.orders, restart=True)
        if self.options:
            self.arena.equip(self.games, self.options)
        self.begun = True

    def decide(self) -> None:
        """Have the player decide on the orders of all seats."""
        for seat in range(ROBOTS):
            self.orders[:, seat] = self.player.act(self.arena, self.games, seat)

    @property
    def case(self) -> Case:
        """Return the timed case: the decisions of one turn, with one item per robot."""
        return Case(self.decide, len(self.games) * ROBOTS, self.prepare)


def decisions(player: str, name: str, options: Options) -> BenchResult:
    """Time a player's decisions in batches: in the base game, on two threads, with option cards, and among elements."""
    planner = player == "planner"
    make = partial(PlayerBatch, player, PLANNED_GAMES if planner else GAMES)
    cases = [make(course, cards, threads).case for _, course, cards, threads in VARIANTS]
    timings, reference = measure(cases, options.seconds * len(cases))
    lines = tuple(BenchLine.of(variant[0], t, reference) for variant, t in zip(VARIANTS, timings, strict=True))
    multiple = timings[0].best / reference.best
    target = None if planner else Target("a decision in the base game", multiple, MAX_YARDSTICKS, " yardsticks")
    return BenchResult(name, "decision", lines, target, reference.best)


def opponents(player: str, name: str, options: Options) -> BenchResult:
    """Measure an opponent's share of MaskablePPO's wall time in duels."""
    from rr_gym.sb3 import make_vec_env

    env = make_vec_env(
        COURSE, SB3_GAMES, 2, opponents=[player], observation="flat", observation_dtype="float32", seed=1
    )
    target = Target("opponent", 0, MAX_SHARE, " %")
    return share_of_training(name, env, env.core.lineup, ["give_orders"], target, STEPS)
