"""Facts about the rows of a batch: infos, reward terms, which robots still play, and in which seats."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.facts import FACTS, write_facts
from rr_gym.encoding.teams import sides_out
from rr_gym.envs.lineup import Lineup
from rr_gym.envs.mix import LEARNER
from rr_gym.rewards.terms import Rewards
from rr_gym.rules.arena.arena import Arena

Array = np.ndarray[Any, Any]


class RowFacts:
    """The rows of a batch of games: row = game * num_seats + index of the learner.

    Attributes:
        games: (games,), dtype `GAME`.
        ended: (games,), bool: whether the episode is over or truncated.
        seats: (games, num_seats), int8: the seats of the rows.
        seated: (games, num_robots), int16: who plays each robot, counted from the first learner; see `Lineup`.
        places: (games, 8), int8: the places of the robots, 1 for the best.
        illegal: (games, num_seats), int32: choices of the last turn that the mask did not allow.
        conflicts: (games, num_seats), int32: allowed choices that other choices ruled out.
    """

    num_games: int
    num_seats: int
    num_rows: int
    gamma: float
    arena: Arena
    lineup: Lineup
    rewards: Rewards
    steps: TurnSteps | None
    games: Array
    ended: Array
    seats: Array
    seated: Array
    places: Array
    illegal: Array
    conflicts: Array
    _terms: Array
    _numbers: Array

    def by_row(self, by_game: Array) -> Array:
        """Repeat values by game, (games,), for the rows of each game: (rows,)."""
        return np.repeat(by_game, self.num_seats)

    def infos(self) -> dict[str, Array]:
        """Return facts about the rows by name, (rows,) each.

        int32: the `FACTS`, and for the last turn `illegal_choices`, the number of choices that the mask did not allow,
        and `conflicting_choices`, the number of those that it allowed but that other choices of the same action ruled
        out. float64: the reward `terms`, and with `cards` also `discount`: gamma after the last decision of a turn, 1
        within it.
        """
        facts = np.empty((len(FACTS), self.num_games, self.num_seats), np.int32)
        write_facts(self.games, self.arena.tables, self.seats, self.places, facts)
        infos = dict(zip(FACTS, facts.reshape(len(FACTS), -1), strict=True))
        infos["illegal_choices"] = self.illegal.ravel().copy()
        infos["conflicting_choices"] = self.conflicts.ravel().copy()
        infos |= self.terms()
        if self.steps:
            infos["discount"] = self.by_row(np.where(self.steps.stages == 0, self.gamma, 1.0))
        return infos

    def terms(self) -> dict[str, Array]:
        """Return what each term contributed to the rewards of the last step, float64, (rows,), by name.

        Names begin with ``reward_``. Only terms with a nonzero weight are included. They are 0 for games that have
        begun since.
        """
        by_row = self._terms[self._numbers, self.seats].reshape(self.num_rows, -1)
        by_row[self.idle()] = 0
        return {f"reward_{name}": by_row[:, k].copy() for k, name in enumerate(self.rewards.terms)}

    def active(self) -> Array:
        """Tell for each row, bool, (rows,), whether it still plays: its game has not ended and it is not `out`."""
        return ~self.out() & ~self.by_row(self.ended)

    def out(self) -> Array:
        """Tell for each row, bool, (rows,), whether its robot and all teammates are eliminated, or it is `idle`."""
        return np.asarray(sides_out(self.games)[self._numbers, self.seats].ravel() | self.idle())

    def idle(self) -> Array:
        """Tell for each row, bool, (rows,), whether no learner plays it in this episode.

        Then either a player of the mix has the row's seat, or the seat has no robot.
        """
        absent = self.seats >= self.games["num_robots"][:, None]
        return np.asarray((absent | (self.seated[:, : self.num_seats] != LEARNER)).ravel())

    def seating(self, game: int) -> list[str | None]:
        """Return who plays each robot of a game: the names of players, None for the learner."""
        count, first = int(self.games["num_robots"][game]), int(self.seats[game, 0])
        return self.lineup.seating(count, first, self.seated[game])

    def against(self, row: int) -> dict[str, float]:
        """Return by player the share of its robots that are placed behind the row's robot; ties count half."""
        game, number = divmod(row, self.num_seats)
        count, first = int(self.games["num_robots"][game]), int(self.seats[game, 0])
        places = self.places[game, (first + np.arange(count)) % count]
        return self.lineup.against(places, self.seated[game, :count], number)

    @property
    def stage(self) -> int:
        """Return, with `cards`, the index of the next decision in the first game, from 0; otherwise 0."""
        return int(self.steps.stages[0]) if self.steps else 0
