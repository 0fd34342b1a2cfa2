"""The core of all interfaces: a batch of games with learners in some seats and players in the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from rr_gym.encoding.act.sampling import random_actions
from rr_gym.encoding.observe.observations import Observation
from rr_gym.envs.lineup import ROTATE, Lineup, Opponents
from rr_gym.envs.observation_types import named_space
from rr_gym.envs.resets import Conditions, Resets, check_seeds
from rr_gym.envs.row_facts import RowFacts
from rr_gym.envs.saving import read_state, write_state
from rr_gym.errors import EnvError, check_memory, one_of, whole_number
from rr_gym.policies.scaled_observations import RowObservations
from rr_gym.policies.scaling import NATIVE, OBSERVATION_DTYPES
from rr_gym.policies.spaces import described
from rr_gym.policies.spec import policy_facts
from rr_gym.policies.step_form import StepForm
from rr_gym.rewards.terms import MEMORY, Rewards, reward_spec
from rr_gym.rules.arena.arena import Arena, CourseLike, arena_of
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, no_orders, take_games

Array = np.ndarray[Any, Any]


def not_begun(name: str) -> EnvError:
    """Return the error for calling `name` before the first reset."""
    return EnvError(f"{name}: there is no episode: expected reset() first")


@dataclass(frozen=True, slots=True)
class StepResult:
    """The result of a step, row by row.

    Attributes:
        rewards: float64, (rows,).
        terminated: bool, (rows,): the game is over, or all its learners are eliminated.
        truncated: bool, (rows,): the game was truncated after `max_cycles` turns.
    """

    rewards: Array
    terminated: Array
    truncated: Array


class Core(RowFacts):
    """A batch of games whose learners are the rows: row = game * num_seats + index of the learner.

    Args:
        course: The id of a built-in course, a path, a `Course`, or a list of these: game i is played on course i modulo
            their number.
        num_games: Games in the batch.
        num_robots: 1 to 8, even on courses designed for other numbers; or a list, from which the number is drawn
            for every episode.
        opponents: Players in the other seats, or shares by player; see `Lineup`; without any, all seats learn.
        seat: ``"rotate"`` or the seat of the first learner; see `Lineup`.
        max_cycles: Turns after which a game is truncated.
        observation: A name of `rr_gym.encoding.observe.observations.OBSERVATIONS`; with ``"cards"`` also ``"choices"``,
            or one of those names with ``"+choices"``.
        observation_dtype: ``"scaled"`` for numbers that networks can use directly: float32 of about -1 to 1, with
            categories one-hot and the window of the board in place of an index (`rr_gym.policies.scaling`).
            ``"native"`` for integers of one or two bytes, or ``"float32"`` for the same values as floats, for libraries
            that scale observations themselves.
        action: ``"draw"`` or ``"slots"``: a step is a turn; ``"cards"``: a step is one decision of a turn.
        reward: ``"sparse"``, ``"shaped"``, or weights by term.
        gamma: Discount of the reward terms `progress` and `lead`; use the discount of the learning algorithm.
        window: Odd width of the part of the board that is observed; None for the observation's default.
        decisions: Optional components of the action; None for all that the settings can use except the rare ones, "all"
            to include these, () for none.
        preview: With ``"cards"``: whether, between decisions, the robot is observed where the cards chosen so far would
            bring it if nobody else were on the board.
        lookahead: How far an observation with ``"choices"`` looks beyond each choice: ``"none"``, ``"paths"``,
            ``"turns"``, ``"trials"`` or ``"trials+value"``; None for turns.
        settings: Settings of the game by name (docs/rules/settings.md).

    Raises:
        RoboRallyError: An argument has a wrong value.
    """

    def __init__(
        self,
        course: CourseLike | Sequence[CourseLike] = "risky_exchange",
        num_games: int = 1,
        num_robots: int | Sequence[int] = 4,
        *,
        opponents: Opponents = (),
        seat: int | str = ROTATE,
        max_cycles: int = 100,
        observation: str = "flat",
        action: str = "draw",
        reward: str | Mapping[str, Any] = "sparse",
        gamma: float = 0.99,
        window: int | None = None,
        decisions: Sequence[str] | str | None = None,
        preview: bool = False,
        lookahead: str | None = None,
        settings: Mapping[str, Any] | None = None,
        observation_dtype: str = NATIVE,
    ) -> None:
        self.num_games = whole_number("num_games", num_games, 1, error=EnvError)
        self.max_cycles = whole_number("max_cycles", max_cycles, 1, error=EnvError)
        self.observation_dtype = one_of("observation_dtype", observation_dtype, OBSERVATION_DTYPES, EnvError)
        self.lineup = Lineup(num_robots, opponents, seat)
        self.num_robots, self.num_seats = self.lineup.num_robots, self.lineup.num_learners
        self.num_rows = self.num_games * self.num_seats
        several = isinstance(course, list | tuple)
        self.arena = Arena(course, settings) if several else arena_of(course, settings)  # type: ignore[arg-type]
        self.form = StepForm(
            self.arena, self.num_robots, action, observation, window, decisions, preview, lookahead
        )
        self.layout, self.steps, self.observer = self.form.layout, self.form.steps, self.form.observer
        self.stages, self.mask_shape = self.form.stages, self.form.mask_shape
        self._seen = RowObservations(self.form, self.observation_dtype)
        check_memory("num_games", self.num_games, self.bytes_of_a_game(), EnvError)
        self.gamma = gamma
        self.rewards = Rewards(self.arena, reward_spec(reward, gamma), own=True)
        in_turn = np.arange(self.num_games) % len(self.arena.courses)
        usual = Conditions(self.arena, self.rewards, in_turn)
        listed = self.lineup.opponents and not self.lineup.mixed
        self.resets = Resets(usual, self.num_seats if listed else 1, self.num_robots, settings)
        self._conditions = usual
        self._orders = no_orders(self.num_games, MAX_ROBOTS, full=True)
        self._all = np.ones(self.num_games, np.bool_)
        self._numbers = np.arange(self.num_games)[:, None]
        self.started = False  # whether reset() has been called
        self._begin_batch(0)

    def bytes_of_a_game(self) -> int:
        """Return the minimum memory of one game in bytes: state, orders, and its rows' observations and masks."""
        row = self.bytes_of_a_row() + int(np.prod(self.mask_shape))
        return GAME.itemsize + MAX_ROBOTS * FULL_ORDERS.itemsize + self.num_seats * row

    def bytes_of_a_row(self) -> int:
        """Return the memory of one row's observation in bytes."""
        return self._seen.bytes_of_a_row

    # Spaces

    def single_observation_space(self) -> spaces.Space[Any]:
        """Make a new space for one row's observation, with the facts about it (`rr_gym.policies.spaces.facts_of`)."""
        facts = {"observation_dtype": self.observation_dtype, **policy_facts(self)}
        return described(named_space(self._seen.space(), self.observation_dtype), facts)

    def single_action_space(self) -> spaces.MultiDiscrete | spaces.Discrete:
        """Make a new space for one row's action."""
        return self.form.action_space()

    # Episodes

    def _begin_batch(self, seed: int | Array) -> None:
        courses, index = self._conditions.courses, np.arange(self.num_games)
        seeds = np.broadcast_to(np.asarray(seed, np.uint64), index.shape)
        robots = self.lineup.robots(seeds, index, np.zeros_like(index))
        self.games = self.arena.new_games(self.num_games, robots, seed=seed, course_index=courses)
        self.memory = np.zeros(self.num_games, MEMORY)
        self.cycles = np.zeros(self.num_games, np.int64)
        self.ended = np.zeros(self.num_games, np.bool_)
        self.seats = np.zeros((self.num_games, self.num_seats), np.int8)
        self.seated = np.zeros((self.num_games, self.num_robots), np.int16)
        self.illegal = np.zeros((self.num_games, self.num_seats), np.int32)
        self.conflicts = np.zeros_like(self.illegal)
        self._earned = np.zeros((self.num_games, self.num_robots))
        self._terms = np.zeros((self.num_games, self.num_robots, len(self.rewards.terms)))
        self.places = np.zeros((self.num_games, MAX_ROBOTS), np.int8)
        self._begin(self._all)

    def _begin(self, mask: Array) -> None:
        """Reset all counters, rewards and seats of the games selected by `mask`, which have just been started."""
        self.cycles[mask] = 0
        self.ended[mask] = False
        self.illegal[mask] = 0
        self.conflicts[mask] = 0
        self._terms[mask] = 0
        self.rewards.restart(self.games, self.memory, mask)
        begun = take_games(self.games, mask)
        self.places[mask] = self.arena.placements(begun)
        self.seats[mask] = self.lineup.learner_seats(begun)
        self.seated[mask] = self.lineup.seat_players(begun)
        if self.steps:
            self.steps.begin(self.games, self.seats, mask)

    def reset(
        self, seed: int | Sequence[int | None] | Array | None = None, options: Mapping[str, Any] | None = None
    ) -> None:
        """Start a new episode in all games.

        Args:
            seed: Episode k of game i depends only on (seed, i, k). A sequence holds one seed per game. None continues
                with the next episodes of the last seeds or, the first time, draws a random seed.
            options: Any of `rr_gym.envs.resets.OPTIONS`; they apply until the next reset of all games.

        Raises:
            RoboRallyError: A seed is not a whole number from 0 to 2**64 - 1, or an option has a wrong value. In that
                case nothing has changed.
        """
        seeds = check_seeds(seed, self.num_games)
        conditions = self.resets.read(options or {})
        self._conditions = conditions
        self.arena, self.rewards = conditions.arena, conditions.rewards
        self.form.play_on(self.arena)
        self.lineup.chosen = conditions.num_robots
        if seeds is None and self.started:
            self.restart(self._all, conditions.courses)
            return
        seeds = int(np.random.default_rng().integers(2**63)) if seeds is None else seeds
        self._begin_batch(seeds)
        self.lineup.reset(int(np.ravel(seeds)[0]))
        self.started = True

    def take(self, games: Array) -> None:
        """Replace the games of the batch by `games`, (num_games,), dtype `GAME`.

        They must have just begun on courses of this arena.
        """
        self.games[:] = games
        self._begin(self._all)
        self.forget_step()

    def restart(self, mask: Array, courses: Array | None = None) -> None:
        """Start the next episode of the games selected by `mask`.

        Args:
            mask: bool, (games,).
            courses: (games,): the courses to move to, by their number in the arena; None to stay.
        """
        if not mask.any():
            return
        mask = np.ascontiguousarray(mask)  # kernels are compiled for contiguous arrays
        if courses is not None:
            self.games["course"][mask] = courses[mask]
        if courses is not None or self.lineup.varies:
            games = self.games[mask]
            self.games["num_robots"][mask] = self.lineup.robots(games["seed"], games["index"], games["episode"] + 1)
            self.arena.give_lives(self.games, mask)
        self.arena.restart(self.games, mask)
        self._begin(mask)

    def set_opponents(self, opponents: Opponents) -> None:
        """Replace the opponents, from the next turn on, by the same number of others or by a mix.

        If both are mixes, a player in both that is already seated keeps its seat until its episode ends.

        Raises:
            RoboRallyError: The opponents do not fit. In that case nothing has changed.
        """
        before = self.lineup.opponents
        self.lineup.replace(opponents)
        self.lineup.reseat(before, self.games, self.seated)

    def close(self) -> None:
        """Close the opponents that were given by name."""
        self.lineup.close()

    # Steps

    def step(self, actions: Array, silent: Array | None = None, orders: Array | None = None) -> StepResult:
        """Play a turn, or with `cards` make one decision, in every game that has not ended.

        Args:
            actions: int, (rows, components), or (rows,) with `cards`. Choices that are illegal or conflict with others
                are replaced by the default and counted in the infos.
            silent: bool, (rows,): rows without an action; they get all defaults and random cards.
            orders: (games, 8), dtype `FULL_ORDERS`: orders that replace all actions, as for recorded games.

        Raises:
            ActionError: The actions have the wrong shape or type; no game has advanced.
            EnvError: `reset` has not been called.
        """
        if not self.started:
            raise not_begun("step")
        actions = self._checked(actions)
        playing = ~self.ended
        if self.steps:
            self.steps.choose(actions, playing)
            playing &= self.steps.done
        if not playing.any():
            self._terms[:] = 0
            return self._turn(playing, np.zeros(self.num_games, np.bool_))
        self._play(actions, playing, silent, orders)
        over = self.games["over"] > 0
        terminated = playing & (over | self.out().reshape(self.num_games, -1).all(axis=1))
        self.cycles += playing
        truncated = playing & ~terminated & (self.cycles >= self.max_cycles)
        self.places = self.rewards.after_turn(
            self.games, self.memory, truncated, self._earned, playing, self._terms
        )
        self.ended |= terminated | truncated
        if self.steps:
            self.steps.begin(self.games, self.seats, playing)
        return self._turn(terminated, truncated, self._earned)

    def _checked(self, actions: Any) -> Array:
        array = self.form.check_actions(actions, self.num_rows)
        idle = self.idle()
        if idle.any():
            array = np.where(idle.reshape(-1, *(1,) * (array.ndim - 1)), 0, array)
        return array

    def _play(self, actions: Array, playing: Array, silent: Array | None, orders: Array | None) -> None:
        illegal, conflicts = self.form.decode(self.games, self.seats, actions, self._orders)
        np.copyto(self.illegal, illegal, where=playing[:, None])
        np.copyto(self.conflicts, conflicts, where=playing[:, None])
        if silent is not None and silent.any():
            games, learners = np.nonzero(silent.reshape(self.num_games, self.num_seats))
            self._orders[games, self.seats[games, learners]] = no_orders(1, full=True)[0]
            self.illegal[games, learners] = self.conflicts[games, learners] = 0
        self.lineup.give_orders(self.arena, self.games, playing, self._orders, self.seats[:, 0], self.seated)
        if orders is not None:
            self._orders[:] = orders
        self.arena.play_unchecked(self.games, self._orders, mask=playing)

    def _turn(self, terminated: Array, truncated: Array, earned: Array | None = None) -> StepResult:
        rewards = np.zeros(self.num_rows) if earned is None else earned[self._numbers, self.seats].ravel()
        rewards[self.idle()] = 0
        return StepResult(rewards, self.by_row(terminated), self.by_row(truncated))

    # Observations

    def observe(self, out: Observation = None, games: Array | None = None) -> Observation:
        """Return the observations of all rows, or of the rows of the given games.

        Args:
            out: A buffer from `new_observations` to overwrite; None to allocate one.
            games: Indices of the games to observe, (m,); None for all.

        Returns:
            An array (rows, ...), or a dict of such arrays.
        """
        out = self._seen.observe(self.games, self.seats, games, out)
        idle = self.idle()
        if idle.any():  # a learner must not see the hand of a player in its seat
            rows = idle if games is None else idle.reshape(self.num_games, -1)[games].ravel()
            for array in out.values() if isinstance(out, dict) else (out,):
                array[rows] = 0
        return out

    def new_observations(self) -> Observation:
        """Allocate buffers for the observations of all rows."""
        return self._seen.buffer(self.num_rows)

    def masks(self, out: Array | None = None) -> Array:
        """Return the action masks of the next step, int8, (rows, *mask_shape), 1 for legal, in `out` if given."""
        out = np.empty((self.num_rows, *self.mask_shape), np.int8) if out is None else out
        self.form.write_masks(self.games, self.seats, out)
        idle = self.idle()
        out[idle] = 0
        out[idle, ..., 0] = 1
        return out

    def sample_actions(self, rng: np.random.Generator) -> Array:
        """Return random legal actions of all rows, free of conflicts: int64, in the shape that `step` takes."""
        return self.form.without_conflicts(self.games, self.seats, random_actions(self.masks(), rng))

    # Saving

    def get_state(self) -> dict[str, Array]:
        """Return all that `set_state` needs to resume exactly from here, as plain arrays by name.

        Raises:
            EnvError: `reset` has not been called.
        """
        if not self.started:
            raise not_begun("get_state")
        return read_state(self)

    def set_state(self, state: Mapping[str, Array]) -> None:
        """Resume from a state of a core that was made with the same arguments.

        Raises:
            EnvError: The state does not fit, or has games that the rules cannot reach. In that case nothing has
                changed.
        """
        write_state(self, state)

    def forget_step(self) -> None:
        """Continue from the games as they are, and clear the reward terms and conflicts of the last step."""
        self._terms[:] = 0
        self.conflicts = np.zeros_like(self.illegal)
        self.started = True
