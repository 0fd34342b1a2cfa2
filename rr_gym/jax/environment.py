"""An environment whose reset and step are functions of JAX (docs/jax.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from gymnasium import spaces

from rr_gym.encoding.act.turn_decisions import DecisionRows
from rr_gym.envs.core import Core
from rr_gym.errors import EnvError, short_repr, truth_value, whole_number
from rr_gym.jax.calls import check_platform
from rr_gym.jax.decisions import DecisionCalls
from rr_gym.jax.observing import Observations
from rr_gym.jax.opponents import check_opponents
from rr_gym.jax.rules import Rules
from rr_gym.policies.scaling import SCALED
from rr_gym.rules.arena.arena import CourseLike
from rr_gym.rules.state.constants import MAX_ROBOTS

Class = TypeVar("Class", bound=type[Any])


def _pytree(kind: Class) -> Class:
    """Register a dataclass as a tree of arrays."""
    jax.tree_util.register_dataclass(kind, [field.name for field in fields(kind)], [])
    return kind


@_pytree
@dataclass(frozen=True)
class State:
    """A game between two steps.

    Attributes:
        games: uint8, (bytes,): the record; ``np.asarray(state.games).view(rr_gym.GAME)`` shows its fields.
        memory: uint8, (bytes,): what rewards remember.
        seats: int8, (robots,): the seats of the learners and then of the opponents.
        turns: int32: the turns of the episode.
        ended: bool: whether the episode has ended, and the environment does not begin the next one by itself.
        decisions: The decisions of the turn; None if a step is a turn.
    """

    games: Any
    memory: Any
    seats: Any
    turns: Any
    ended: Any
    decisions: DecisionRows | None


@_pytree
@dataclass(frozen=True)
class TimeStep:
    """What a step brings. Arrays with the axis `learners` have a part for each seat that learns.

    Attributes:
        observation: An array (learners, ...), or a dict of them: of the next episode if this one has ended and the
            environment begins the next one by itself.
        action_mask: bool, (learners, components, choices), or (learners, choices) if a step is a card.
        active: bool, (learners,): whether the learner's choices count in the next step.
        reward: float32, (learners,).
        turn_over: bool: whether a turn has been played in this step. Rewards come with it, and so does the discount.
        terminated: bool: whether the game is over, or all its learners are eliminated.
        truncated: bool: whether the game was cut off after `max_cycles` turns.
        place: int8, (learners,): their places at the end of the last turn, from 1; several may share one.
        flags: int32, (learners,): the flags that they had touched by then.
        turns: int32: the turns of the episode by then.
    """

    observation: Any
    action_mask: Any
    active: Any
    reward: Any
    turn_over: Any
    terminated: Any
    truncated: Any
    place: Any
    flags: Any
    turns: Any

    @property
    def done(self) -> Any:
        """Tell whether the episode has ended: bool."""
        return self.terminated | self.truncated


class Environment:
    """RoboRally as functions of JAX for one game, which `jax.vmap` makes functions for many games.

    Games have generators of their own, so that steps take no keys.

    Args:
        course: The id of a built-in course, a path, or a `Course`.
        num_robots: 1 to 8.
        opponents: ``"random"``, ``"greedy"`` or ``"racer"`` in all seats but one, or a list of these, one for each of
            their seats. Learners have the other seats; without opponents they have all.
        max_cycles: Turns after which a game is truncated.
        observation: As in `rr_gym.envs.core.Core`, except ``"entities+way"``.
        observation_dtype: ``"scaled"``, ``"native"`` or ``"float32"``, as in `Core`.
        action: ``"cards"``: a step is one decision of a turn; ``"draw"`` or ``"slots"``: it is a turn.
        reward: ``"sparse"``, ``"shaped"``, or weights by term.
        gamma: Discount of the reward terms `progress` and `lead`; use the discount of the learning algorithm.
        window: Odd width of the part of the board that is observed; None for the observation's default.
        decisions: Optional components of the action, as in `Core`.
        preview: With ``"cards"``: whether robots are observed where the cards chosen so far would bring them.
        lookahead: How far an observation with ``"choices"`` looks: ``"none"``, ``"paths"`` or ``"turns"`` (None).
        settings: Settings of the game by name.
        auto_reset: Whether the next episode begins in the step in which one ends.

    Attributes:
        num_learners: The number of seats that learn.
        action_shape: The shape of an action: (learners,) with ``"cards"``, else (learners, components).
        num_choices: The number of choices of an action, or of each of its components.
        steps_of_turn: How many steps a turn has.

    Raises:
        RoboRallyError: An argument has a wrong value, or one that is not there for JAX.
    """

    def __init__(
        self,
        course: CourseLike = "risky_exchange",
        num_robots: int = 2,
        *,
        opponents: str | Sequence[str] | None = None,
        max_cycles: int = 100,
        observation: str = "choices",
        observation_dtype: str = SCALED,
        action: str = "cards",
        reward: str | Mapping[str, Any] = "sparse",
        gamma: float = 0.99,
        window: int | None = None,
        decisions: Sequence[str] | str | None = None,
        preview: bool = False,
        lookahead: str | None = None,
        settings: Mapping[str, Any] | None = None,
        auto_reset: bool = True,
    ) -> None:
        if isinstance(course, list | tuple):
            raise EnvError(f"course: {short_repr(course)}: expected one course; make an environment for each")
        robots = whole_number("num_robots", num_robots, 1, MAX_ROBOTS, EnvError)
        names = check_opponents(() if opponents is None else opponents, robots)
        self._auto_reset = truth_value("auto_reset", auto_reset, EnvError)
        self._core = core = Core(
            course, 1, robots, max_cycles=max_cycles, observation=observation, action=action, reward=reward,
            gamma=gamma, window=window, decisions=decisions, preview=preview, lookahead=lookahead, settings=settings,
            observation_dtype=observation_dtype,
        )  # fmt: skip
        self._rules = Rules(core, names)
        self.num_learners = robots - len(names)
        self._decisions = DecisionCalls(core, self.num_learners)
        self._observations = Observations(core, self.num_learners)
        self.action_shape = (self.num_learners, *core.form.action_shape)
        self.num_choices, self.steps_of_turn = core.layout.width, core.stages

    @property
    def observation_space(self) -> spaces.Space[Any]:
        """Make a new space for the observation of one learner."""
        return self._core.single_observation_space()

    @property
    def action_space(self) -> spaces.MultiDiscrete | spaces.Discrete:
        """Make a new space for the action of one learner."""
        return self._core.single_action_space()

    def reset(self, key: Any) -> tuple[State, TimeStep]:
        """Begin a game. The same key gives the same game, and the same as its seed does elsewhere (`seeds_of`).

        Args:
            key: A key of JAX, typed (`jax.random.key`) or raw (`jax.random.PRNGKey`).

        Raises:
            EnvError: JAX does not compute on processors here.
        """
        check_platform()
        games, yes = self._rules.start(key), jnp.bool_(True)
        seats = self._rules.seats(games)
        state = State(
            games=games,
            memory=self._rules.remember(games, yes, self._rules.new_memory()),
            seats=seats,
            turns=jnp.int32(0),
            ended=jnp.bool_(False),
            decisions=self._decisions.begin(games, seats, yes, self._decisions.new()),
        )
        flags, out, _ = self._rules.judge(games, seats)
        nothing, no = jnp.zeros(self.num_learners, jnp.float32), jnp.bool_(False)
        place = jnp.ones(self.num_learners, jnp.int8)
        return state, self._look(state, out, nothing, no, no, no, place, flags, state.turns)

    def step(self, state: State, action: Any) -> tuple[State, TimeStep]:
        """Take a step. The state is not changed; the next one is returned.

        Args:
            state: The state of one game.
            action: Whole numbers of `action_shape`. A choice that is illegal
                is replaced by the default.

        Raises:
            EnvError: The state or the action has a wrong shape or type, or JAX does not compute on processors here.
        """
        check_platform()
        playing = ~state.ended
        decisions, actions, playing = self._decisions.choose(self._checked(action), playing, state.decisions)
        games = self._rules.play(state.games, state.seats, actions, playing)
        flags, out, over = self._rules.judge(games, state.seats)
        turns = state.turns + playing
        terminated = playing & (over | out.all())
        truncated = playing & ~terminated & (turns >= self._core.max_cycles)
        reward, place, memory = self._rules.rewards(games, state.seats, playing, truncated, state.memory)
        last = turns
        ended, seats = terminated | truncated, state.seats
        if self._auto_reset:
            games = self._rules.restart(games, ended)
            seats = self._rules.seats(games)
            memory = self._rules.remember(games, ended, memory)
            turns, out, ended = jnp.where(ended, 0, turns), out & ~ended, jnp.bool_(False)
        ended = ended | state.ended
        decisions = self._decisions.begin(games, seats, playing, decisions)
        after = State(games, memory, seats, turns, ended, decisions)
        return after, self._look(after, out, reward, playing, terminated, truncated, place, flags, last)

    def _checked(self, action: Any) -> Any:
        """Return an action as an array; raise an EnvError if its shape or type is wrong."""
        array = jnp.asarray(action)
        if array.shape != self.action_shape or not jnp.issubdtype(array.dtype, jnp.integer):
            raise EnvError(
                f"action: {array.dtype} {array.shape}: expected whole numbers of shape {self.action_shape}, those of "
                "one game; jax.vmap steps many"
            )
        return array

    def _look(self, state: State, out: Any, *rest: Any) -> TimeStep:
        """Return what a step brings: what learners see of the state, and the results of the step."""
        return TimeStep(
            self._observations.observe(state.games, state.seats, state.decisions),
            self._decisions.masks(state.games, state.seats, state.decisions),
            ~out & ~state.ended,
            *rest,
        )


def make(course: CourseLike = "risky_exchange", **arguments: Any) -> Environment:
    """Make an environment; see `Environment` for the arguments.

    Raises:
        EnvError: There is no such argument.
        RoboRallyError: An argument has a wrong value, or one that is not there for JAX.
    """
    known = [name for name in Environment.__init__.__annotations__ if name not in ("course", "return")]
    for name in arguments:
        if name not in known:
            raise EnvError(f"{name}: expected one of {', '.join(known)}")
    return Environment(course, **arguments)
