"""Lessons for a policy: the decisions of a player's games, and which choices they mean.

The teacher plays all seats. In some turns a robot plays random cards instead, which nobody learns from, so that
the games get to where the teacher alone would not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.encoding.act.components import REGISTERS
from rr_gym.errors import RoboRallyError, shown
from rr_gym.players import Player
from rr_gym.players.protocol import SeatView
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.records import no_orders

Array = np.ndarray[Any, Any]

ASIDE = 0.2  # of the turns of robots are played with random cards
NO_LABEL = -1
_LIKELY = 0.01  # a candidate that weighs less than this beside the best one is left out


class Lessons(NamedTuple):
    """Decisions with several legal choices, and what the teacher thinks of these.

    Attributes:
        observations: An array (rows, ...), or such arrays by name.
        masks: int8, (rows, choices).
        targets: float32, (rows, choices): how good each choice is; they add up to 1.
        returns: float32, (rows,): discounted rewards from the decision on.
    """

    observations: Any
    masks: Array
    targets: Array
    returns: Array


class Advice(NamedTuple):
    """What the teacher would do in a turn.

    Attributes:
        orders: (rows, candidates), dtype `FULL_ORDERS`: the first of a row is what it plays.
        weights: float32, (rows, candidates): how good they are beside the first; 0 for none.
    """

    orders: Array
    weights: Array


class Class:
    """Games in which a teacher plays all seats.

    Args:
        core: The games, with ``action="cards"``.
        teacher: Who plays.
        temperature: Of a teacher that values its candidates: one that is valued that much less than the best counts
            for 1/e of it. None: only what the teacher plays counts.

    Attributes:
        cards: Decisions about cards so far that can be learned from.

    Raises:
        RoboRallyError: The teacher does not value candidates, but a temperature is given.
    """

    def __init__(self, core: Any, teacher: Player, temperature: float | None = None) -> None:
        self.core, self.teacher, self.temperature = core, teacher, temperature
        if temperature is not None and not 0 < temperature < np.inf:
            raise RoboRallyError(f"--temperature: {temperature}: expected a finite number above 0")
        if temperature is not None and not hasattr(teacher, "values"):
            raise RoboRallyError(
                f"--temperature: {temperature:g}: teacher {shown(teacher.name)} does not value its candidates: "
                "expected planner, or no temperature"
            )
        self.cards = 0

    def advice(self) -> Advice:
        """What the teacher would do in all rows of the games as they are."""
        core = self.core
        if self.temperature is not None:
            return self._valued(self.temperature)
        by_seat = [self.teacher.act(core.arena, core.games, seat) for seat in range(core.num_robots)]
        orders = np.stack(by_seat, axis=1)[np.arange(core.num_games)[:, None], core.seats].ravel()
        return Advice(orders[:, None], np.ones((len(orders), 1), np.float32))

    def _valued(self, temperature: float) -> Advice:
        """The same with all candidates of a teacher that values them."""
        core = self.core
        teacher: Any = self.teacher
        found = []
        for game, seats in zip(core.games, core.seats, strict=True):
            found += [teacher.values(SeatView.of(core.arena, game, int(seat))) for seat in seats]
        # None weighs more than the first, even if it was lucky on the few deals on which it was tried.
        weights = [np.exp(np.minimum(values - values[0], 0) / temperature) for _, values in found]
        kept = [np.flatnonzero(weight >= _LIKELY) for weight in weights]
        most = max(map(len, kept))
        advice = Advice(no_orders(len(found), most, full=True), np.zeros((len(found), most), np.float32))
        for row, ((orders, _), weight, chosen) in enumerate(zip(found, weights, kept, strict=True)):
            advice.orders[row, : len(chosen)] = orders[chosen]
            advice.weights[row, : len(chosen)] = weight[chosen]
        return advice

    def turn(self, chance: np.random.Generator) -> tuple[list[tuple[Array, Any, Array, Array]], Any]:
        """Play a turn, and begin games anew that have ended.

        Returns:
            For each decision the rows to learn from, their observations, masks and targets; and the `Turn` that ended.
        """
        core, lessons = self.core, []
        advice = self.advice()
        like = advice.weights.copy()  # of candidates that begin with what has been chosen
        aside = chance.random(core.num_rows) < ASIDE
        every = np.arange(core.num_rows)
        for _ in range(core.stages):
            masks, choices = core.masks(), self.choices(advice.orders)
            legal = (choices != NO_LABEL) & (np.take_along_axis(masks, np.maximum(choices, 0), axis=1) > 0)
            targets = np.zeros(masks.shape, np.float32)
            np.add.at(targets, (every[:, None], np.maximum(choices, 0)), like * legal)
            total = targets.sum(axis=1)
            learned = np.flatnonzero((masks.sum(axis=1) > 1) & legal[:, 0] & (total > 0) & ~aside & core.active())
            if len(learned):
                seen = rows_of(core.observe(), learned)
                lessons.append((learned, seen, masks[learned], targets[learned] / total[learned, None]))
            if core.layout.components[core.steps.order[core.stage]] in REGISTERS:
                self.cards += len(learned)
            like *= self._alike(choices)
            anything = (masks * chance.random(masks.shape)).argmax(axis=-1)
            ended = core.step(np.where(aside | ~legal[:, 0], anything, choices[:, 0]))
        core.restart(core.ended.copy())
        return lessons, ended

    def choices(self, orders: Array) -> Array:
        """The choices that orders mean in the decision at hand.

        Args:
            orders: (rows, candidates), dtype `FULL_ORDERS`.

        Returns:
            int64, (rows, candidates); `NO_LABEL` where they leave it open.
        """
        name, robots = self._at_hand()
        robot = robots[:, None]
        if name in REGISTERS:
            cards = orders["program"][..., REGISTERS.index(name)]
            fits = (robot["hand"] == cards[..., None]) & (cards[..., None] > 0)
            found: Array = np.where(fits.any(axis=-1), fits.argmax(axis=-1), NO_LABEL)
        elif name == "facing":
            turned = (orders["facing"] - robot["facing"]) % 4
            found = np.where((orders["facing"] >= 0) & (robot["may_face"] > 0), turned, 0)
        elif name == "power_down":
            found = np.where(robot["down"] > 0, orders["stay_down"], orders["power_down"])
        else:
            found = np.zeros(orders.shape)  # the default
        return found.astype(np.int64)

    def _alike(self, choices: Array) -> Array:
        """Which candidates choose what the first one chooses, or a card of the same type: bool, (rows, candidates)."""
        name, robots = self._at_hand()
        if name in REGISTERS:
            types = CARD_TYPE[np.take_along_axis(robots["hand"], np.maximum(choices, 0), axis=1)]
            choices = np.where(choices == NO_LABEL, NO_LABEL, types)
        alike: Array = choices == choices[:, :1]
        return alike

    def _at_hand(self) -> tuple[str, Array]:
        """The name of the decision at hand, and the robots as they are in it, (rows,)."""
        steps = self.core.steps
        rows = np.arange(len(steps.games))
        return steps.layout.components[steps.order[self.core.stage]], steps.games["robots"][rows, steps.seats[:, 0]]


def rows_of(observations: Any, rows: Any) -> Any:
    """Some rows of observations."""
    if isinstance(observations, dict):
        return {name: array[rows] for name, array in observations.items()}
    return observations[rows]


def joined(parts: list[Any]) -> Any:
    """Observations one after the other."""
    if isinstance(parts[0], dict):
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return np.concatenate(parts)
