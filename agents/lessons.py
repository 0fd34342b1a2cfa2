"""Lessons for a policy: the decisions in games of a teacher, with a target distribution over the choices of each.

The teacher plays all seats. In some turns a robot plays random cards instead, which are not learned from, so that
the games reach positions that the teacher alone would avoid. Games are played in blocks that depend on nothing but the
arguments, so that several processes or machines can play them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from rr_gym.encoding.act.components import REGISTERS
from rr_gym.envs.blocks import CoreGames, begin_block
from rr_gym.envs.core import Core
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.evaluation.block_worker import BlockWorker, block_seed
from rr_gym.players import Player
from rr_gym.players.protocol import SeatView, reset_players
from rr_gym.registry import make_player
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.records import no_orders
from rr_gym.runner import NOBODY, Seats, TurnCallback, play_out

Array = np.ndarray[Any, Any]

RANDOM_SHARE = 0.2  # the share of robots' turns that are played with random cards
AT_ONCE = 16  # the maximum number of games in a block; what is learned depends on it
NO_LABEL = -1
_LEAST_WEIGHT = 0.01  # candidates with a lower weight are dropped; the best one has weight 1


class Lessons(NamedTuple):
    """Decisions with several legal choices, and how good the teacher thinks each choice is.

    Attributes:
        observations: An array (rows, ...), or such arrays by name.
        masks: int8, (rows, choices).
        targets: float32, (rows, choices): how good each choice is; they add up to 1.
        returns: float32, (rows,): discounted rewards from the decision to the end of the game.
    """

    observations: Any
    masks: Array
    targets: Array
    returns: Array


class Advice(NamedTuple):
    """What the teacher would do in a turn.

    Attributes:
        orders: (rows, candidates), dtype `FULL_ORDERS`: the first of a row are those that it plays.
        weights: float32, (rows, candidates): how much they count relative to the first, which counts 1; 0 if absent.
    """

    orders: Array
    weights: Array


class LessonWorker(BlockWorker[int, Lessons]):
    """Plays blocks of games to learn from.

    Args:
        environment: Arguments of `Core`, as plain data; `num_games` is the size of a block.
        teacher: A player's name.
        temperature: See `TeacherGames`.
        seed: The seed of the deals, the teacher and the random cards.

    Raises:
        RoboRallyError: There is no such player, or it does not value candidates, but a temperature is given.
    """

    def __init__(self, environment: Mapping[str, Any], teacher: str, temperature: float | None, seed: int) -> None:
        self.core, self.seed = Core(**environment), seed
        super().__init__([teacher], make_player, quiet=False)
        self.games = TeacherGames(self.core, self.players[0], temperature)

    def play(self, block: int, tell: TurnCallback) -> Lessons:
        """Play a block and return its lessons, which depend on nothing but the arguments."""
        begin_block(self.core, self.seed, block)
        reset_players(self.players, block_seed(self.seed, block))
        return self.games.lessons(np.random.default_rng([self.seed, block]), tell)


class TeacherGames(CoreGames):
    """Games in which a teacher plays all seats.

    Args:
        core: The games, with ``action="cards"``.
        teacher: The player of all seats.
        temperature: For a teacher that values its candidates: one whose value is this much below the best's counts
            for 1/e of it. None: only the orders that the teacher plays count.

    Attributes:
        rng: The generator that draws which robots play random cards, and the cards.
        decisions: The decisions to learn from: turns, rows, observations, masks and targets.

    Raises:
        RoboRallyError: The teacher does not value candidates, but a temperature is given.
    """

    def __init__(self, core: Core, teacher: Player, temperature: float | None = None) -> None:
        super().__init__(core)
        assert core.steps is not None
        self.steps, self.teacher, self.temperature = core.steps, teacher, temperature
        if temperature is not None and not 0 < temperature < np.inf:
            raise RoboRallyError(f"--temperature: {temperature}: expected a finite number above 0")
        if temperature is not None and not hasattr(teacher, "values"):
            raise RoboRallyError(
                f"--temperature: {temperature:g}: teacher {short_repr(teacher.name)} does not value its candidates: "
                "expected planner or strategist, or no temperature"
            )
        self._seats = Seats(self, [teacher], np.zeros((core.num_games, core.num_robots), np.int64))
        self._begin(np.random.default_rng(0))

    def _begin(self, rng: np.random.Generator) -> None:
        empty = np.arange(self.core.num_robots) >= self.core.games["num_robots"][:, None]  # where games differ in size
        self._seats.seating = np.where(empty, NOBODY, 0)
        self.rng, self._named = rng, False
        self.decisions: list[tuple[int, Array, Any, Array, Array]] = []
        self._rewards: list[Array] = []  # the rewards of each turn, (rows,)
        self._goes_on: list[Array] = []  # for each turn, whether the game goes on after it, (rows,)

    def lessons(self, rng: np.random.Generator, tell: TurnCallback) -> Lessons:
        """Play the games to their end, and return the lessons.

        Args:
            rng: The generator of the random cards.
            tell: Called after every turn with the number of games that are over.

        Raises:
            RoboRallyError: The teacher leaves all registers to random cards.
        """
        self._begin(rng)
        play_out(self, self.advice, tell)
        if not self._named:
            raise RoboRallyError(
                f"teacher: {short_repr(self.teacher.name)}: expected a player that names the cards it plays"
            )
        core, found = self.core, self.decisions
        returns = discounted(self._rewards, self._goes_on, core.gamma)
        if not found:
            none = np.zeros((0, *core.mask_shape), np.float32)
            return Lessons(rows_of(core.observe(), slice(0, 0)), none.astype(np.int8), none, returns[0, :0])
        return Lessons(
            joined([seen for _, _, seen, _, _ in found]),
            np.concatenate([masks for *_, masks, _ in found]),
            np.concatenate([targets for *_, targets in found]),
            np.concatenate([returns[turn, rows] for turn, rows, *_ in found]),
        )

    def advice(self) -> Advice:
        """Return the teacher's advice for all rows in the current position; that of games that are over is not used."""
        if self.temperature is not None:
            return self._valued(self.temperature)
        orders = self.of_all(self._seats.ask())
        by_row = orders[np.arange(self.core.num_games)[:, None], self.core.seats].ravel()
        return Advice(by_row[:, None], np.ones((len(by_row), 1), np.float32))

    def _valued(self, temperature: float) -> Advice:
        """Return the advice with all candidates of a teacher that values them."""
        core = self.core
        teacher: Any = self.teacher
        found: list[tuple[Array, Array]] = []
        none = no_orders(1, full=True), np.zeros(1, np.float32)
        for game, seats, over in zip(core.games, core.seats, core.ended, strict=True):
            for seat in seats:
                plays = not over and seat < game["num_robots"]
                found.append(teacher.values(SeatView.of(core.arena, game, int(seat))) if plays else none)
        # No weight is above that of the first: others may have been lucky on the few deals on which they were tried.
        weights = [np.exp(np.minimum(values - values[0], 0) / temperature) for _, values in found]
        kept = [np.flatnonzero(weight >= _LEAST_WEIGHT) for weight in weights]
        most = max(map(len, kept))
        advice = Advice(no_orders(len(found), most, full=True), np.zeros((len(found), most), np.float32))
        for row, ((orders, _), weight, chosen) in enumerate(zip(found, weights, kept, strict=True)):
            advice.orders[row, : len(chosen)] = orders[chosen]
            advice.weights[row, : len(chosen)] = weight[chosen]
        return advice

    def play(self, advice: Advice) -> None:
        """Play a turn of all games that are not over, and collect the decisions to learn from."""
        core, rng = self.core, self.rng
        like = advice.weights.copy()  # the weights of candidates that agree with the choices made so far, else 0
        plays_randomly = rng.random(core.num_rows) < RANDOM_SHARE
        every = np.arange(core.num_rows)
        for stage in range(core.stages):
            masks, choices = core.masks(), self.choices(stage, advice.orders)
            legal = (choices != NO_LABEL) & (np.take_along_axis(masks, np.maximum(choices, 0), axis=1) > 0)
            targets = np.zeros(masks.shape, np.float32)
            # The weight of a choice is that of the best candidate that makes it, not the sum over such candidates.
            np.maximum.at(targets, (every[:, None], np.maximum(choices, 0)), like * legal)
            total = targets.sum(axis=1)
            has_choice = masks.sum(axis=1) > 1
            learned = np.flatnonzero(has_choice & legal[:, 0] & (total > 0) & ~plays_randomly & core.active())
            if len(learned):
                seen = rows_of(core.observe(), learned)
                shares = targets[learned] / total[learned, None]
                self.decisions.append((len(self._rewards), learned, seen, masks[learned], shares))
            if self._component(stage) in REGISTERS:
                self._named |= bool((choices[core.active(), 0] != NO_LABEL).any())
            like *= self._alike(stage, choices)
            anything = (masks * rng.random(masks.shape)).argmax(axis=-1)
            ended = core.step(np.where(plays_randomly | ~legal[:, 0], anything, choices[:, 0]))
        self._rewards.append(ended.rewards.astype(np.float32))
        self._goes_on.append(~(ended.terminated | ended.truncated))

    def choices(self, stage: int, orders: Array) -> Array:
        """Return the choices that correspond to orders in one decision of the turn.

        Args:
            stage: The number of the decision, the current one in all games that are not over.
            orders: (rows, candidates), dtype `FULL_ORDERS`.

        Returns:
            int64, (rows, candidates); `NO_LABEL` where the orders leave the decision open.
        """
        name, robot = self._component(stage), self._robots()[:, None]
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
            found = np.zeros(orders.shape)  # choice 0 is the default
        return found.astype(np.int64)

    def _alike(self, stage: int, choices: Array) -> Array:
        """Mark candidates with the first one's choice, or with a card of the same type: bool, (rows, candidates)."""
        if self._component(stage) in REGISTERS:
            types = CARD_TYPE[np.take_along_axis(self._robots()["hand"], np.maximum(choices, 0), axis=1)]
            choices = np.where(choices == NO_LABEL, NO_LABEL, types)
        alike: Array = choices == choices[:, :1]
        return alike

    def _component(self, stage: int) -> str:
        """Return the name of a decision of the turn."""
        name: str = self.steps.layout.components[self.steps.order[stage]]
        return name

    def _robots(self) -> Array:
        """Return the robots of all rows in the current decision: (rows,), dtype `ROBOT`."""
        robots: Array = self.steps.games["robots"][np.arange(self.core.num_rows), self.steps.seats[:, 0]]
        return robots


def discounted(rewards: Sequence[Array], goes_on: Sequence[Array], gamma: float) -> Array:
    """Return the discounted rewards from each turn to the end of the game: float32, (turns, rows).

    Args:
        rewards: The rewards of each turn, float32, (rows,).
        goes_on: For each turn, whether the game goes on after it: bool, (rows,).
        gamma: The discount of a turn.
    """
    returns = np.array(rewards)
    for turn in reversed(range(len(returns) - 1)):
        returns[turn] += gamma * goes_on[turn] * returns[turn + 1]
    return returns


def rows_of(observations: Any, rows: Any) -> Any:
    """Select rows of observations, which are an array or a dict of arrays."""
    if isinstance(observations, dict):
        return {name: array[rows] for name, array in observations.items()}
    return observations[rows]


def joined(parts: list[Any]) -> Any:
    """Concatenate observations along the rows."""
    if isinstance(parts[0], dict):
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return np.concatenate(parts)


def all_of(parts: list[Lessons]) -> Lessons:
    """Concatenate lessons along the rows."""
    seen, *others = zip(*parts, strict=True)
    return Lessons(joined(list(seen)), *map(np.concatenate, others))
