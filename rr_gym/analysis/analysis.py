"""What each robot gave away in each turn of a recorded game, and what was luck."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rr_gym.analysis.ghost import GhostStop, ghost_path
from rr_gym.players.planner import PlannerPlayer
from rr_gym.players.protocol import SeatView
from rr_gym.replay.recording import orders_to_json
from rr_gym.replay.replay import Replay
from rr_gym.replay.rerun import begin, rerun
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import NUM_REGISTERS

Array = np.ndarray[Any, Any]

DEALS = 256  # redeals of the unseen cards on which the played orders are compared with the best ones found


@dataclass(frozen=True)
class AnalysedTurn:
    """One turn of one robot. Values are expected results, from 0 for the last place to 1 for the first.

    In a duel that is the chance to win.

    Attributes:
        turn: Counted from 1.
        seat: The robot's seat.
        best: The value of the best orders that were found.
        played: The value of the orders that were played.
        after: The value with the next hand, before it is programmed, or the result of the game.
        program: The cards that were played, as `move_1@490`; `none` for a locked register, or where a random card was
            left to be drawn.
        better: The cards of the best orders, None if nothing better was found.
        orders: The best orders as `Game.play` takes them, without defaults; None if nothing better was found.
        path: Where the best orders would have led if all others had played as they did; empty if nothing better was
            found.
    """

    turn: int
    seat: int
    best: float
    played: float
    after: float
    program: tuple[str, ...]
    better: tuple[str, ...] | None
    orders: dict[str, Any] | None
    path: tuple[GhostStop, ...] = ()

    @property
    def given_away(self) -> float:
        """Return how much value the orders lost compared with the best ones that were found, 0 or more."""
        return self.best - self.played

    @property
    def luck(self) -> float:
        """Return how much the other robots, random board elements and the next deal added to the value."""
        return self.after - self.played


@dataclass(frozen=True)
class Analysis:
    """The analysis of a game.

    Attributes:
        players: The names of the players by seat.
        turns: The turns in which a robot had something to decide, in order of turns and seats.
    """

    players: tuple[str, ...]
    turns: tuple[AnalysedTurn, ...]

    def of(self, seat: int) -> list[AnalysedTurn]:
        """Return the turns of one seat."""
        return [turn for turn in self.turns if turn.seat == seat]

    def sums(self, seat: int) -> tuple[str, str, str]:
        """Return as text what a seat gave away in all and in a turn on average, and its luck in all."""
        turns = self.of(seat)
        given, luck = sum(turn.given_away for turn in turns), sum(turn.luck for turn in turns)
        return f"{given:.2f}", f"{given / max(1, len(turns)):.3f}", f"{luck:+.2f}"

    def worst(self, count: int = 3) -> list[AnalysedTurn]:
        """Return the turns that gave most away, the worst first."""
        bad = [turn for turn in self.turns if turn.better is not None]
        return sorted(bad, key=lambda turn: -turn.given_away)[:count]

    def decisive(self, seat: int) -> int:
        """Return the turn that cost a seat the game: where it gave most away, or else had the worst luck; from 1."""
        turns = self.of(seat)
        return max(turns, key=lambda turn: (turn.given_away, -turn.luck)).turn if turns else 1


@dataclass(frozen=True)
class _Decision:
    """What is known about a decision before the turn is played."""

    best: float
    played: float
    program: tuple[str, ...]
    better: Any  # orders, or None
    path: tuple[GhostStop, ...] = ()


def judge_of(num_robots: int) -> str:
    """Return the name of the player whose values are best calibrated in games of so many robots (docs/replay.md)."""
    return "strategist" if num_robots <= 2 else "strategist:@champion+veteran"


def analyse(
    replay: Replay,
    judge: PlannerPlayer,
    deals: int = DEALS,
    report: Callable[[int, int | None], None] = lambda done, total: None,
    seats: Collection[int] | None = None,
) -> Analysis:
    """Value every decision of a recorded game.

    The judge sees what the robot saw: its own hand, but not the hands of others. It looks for the best orders,
    then compares them with those that were played, on deals that it has not used for the search. Orders that beat those
    that it finds count as giving nothing away.

    Args:
        replay: The game.
        judge: A player that values orders: `StrategistPlayer`, whose values are expected results, or `PlannerPlayer`,
            whose values are estimated chances to be first.
        deals: The number of times that the cards that a robot cannot see are redealt for the comparison.
        report: Called with the number of decisions valued and the number of all, as far as known.
        seats: The seats whose decisions are valued; None for all.

    Raises:
        ReplayError: The game was written without its seed.
    """
    arena, games = begin(replay)
    found: list[tuple[int, dict[int, _Decision]]] = []
    valued = [seat for seat in range(replay.num_robots) if seats is None or seat in seats]
    total = len(replay.turns) * len(valued)

    def decide(number: int) -> dict[int, _Decision]:
        orders = replay.turns[number].orders
        decided = {}
        for place, seat in enumerate(valued):
            view = SeatView.of(arena, games[0], seat)
            if view.robot.alive and not view.robot.down:
                one = _judge(view, judge, orders[seat], deals)
                if one.better is not None:
                    one = replace(one, path=ghost_path(replay, arena, games, number, seat, one.better))
                decided[seat] = one
            report(number * len(valued) + place + 1, total)
        return decided

    going = rerun(replay, arena, games)
    for number in range(len(replay.turns)):
        if games["over"][0]:
            break
        found.append((number, decide(number)))
        next(going)
    final = _results(replay)
    turns: list[AnalysedTurn] = []
    later = dict(enumerate(final))
    for number, decided in reversed(found):
        for seat in sorted(decided, reverse=True):
            one = decided[seat]
            better = one.better
            turns.append(AnalysedTurn(
                number + 1, seat, one.best, one.played, later[seat], one.program,
                None if better is None else _cards(better), None if better is None else orders_to_json(better),
                one.path,
            ))  # fmt: skip
            later[seat] = one.best
    return Analysis(replay.players, tuple(reversed(turns)))


def _judge(view: SeatView, judge: PlannerPlayer, orders: Any, deals: int) -> _Decision:
    """Compare the orders that were played with the best ones that a judge finds."""
    candidates = judge.values(view)[0]
    best, played = judge.weigh(view, np.array([candidates[0], orders], candidates.dtype), deals)
    if best <= played or candidates[0] == orders:
        return _Decision(float(played), float(played), _cards(orders), None)
    return _Decision(float(best), float(played), _cards(orders), candidates[0])


def _cards(orders: Any) -> tuple[str, ...]:
    return tuple(card_name(int(orders["program"][k])) for k in range(NUM_REGISTERS))


def _results(replay: Replay) -> list[float]:
    """Return the result of each seat by its place, whether or not the game was over."""
    last = max(replay.num_robots - 1, 1)
    return [(replay.num_robots - place) / last for place in replay.placements]
