"""The state of a core as plain arrays, from which training resumes exactly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.envs.mix import LEARNER
from rr_gym.errors import EnvError, short_repr
from rr_gym.file_records import check_records
from rr_gym.player_calls import reset_player
from rr_gym.rewards.terms import MEMORY
from rr_gym.rules.arena.game_checks import find_unfit
from rr_gym.rules.arena.ranges import course_limits
from rr_gym.rules.state.constants import BEST_CARD, DECK_SIZE
from rr_gym.rules.state.order_table import FIELDS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, ROBOT, clone

if TYPE_CHECKING:
    from rr_gym.encoding.act.turn_decisions import TurnSteps
    from rr_gym.envs.core import Core

Array = np.ndarray[Any, Any]

_PLAIN = ("cycles", "ended", "seats", "illegal", "places")  # arrays of a core that are saved as they are
_STEPS = "steps_"  # prefix of the names of arrays of `TurnSteps`
# The number of robots that a reset chose, 0 for none; only if the environment was made with several numbers, and not in
# states of earlier versions.
_CHOSEN = "chosen_robots"
# The numbers that each field of orders can have. In orders to store a card, the best card is a number of its own.
_ORDER_RANGES = {name: FIELDS[name].range for name in FULL_ORDERS.names or () if name in FIELDS} | {
    "program": (0, DECK_SIZE), "conditional": (BEST_CARD, DECK_SIZE), "flywheel": (BEST_CARD, DECK_SIZE),
}  # fmt: skip


def read_state(core: Core) -> dict[str, Array]:
    """Return the arrays of a core's state by name; see `Core.get_state`."""
    state: dict[str, Array] = {
        "games": core.games.view(np.uint8).copy(),
        "memory": core.memory.view(np.uint8).copy(),
        "opponents": np.array([player.seed for player in core.lineup.opponents], np.uint64),
        **{name: getattr(core, name).copy() for name in _PLAIN},
    }
    if core.lineup.mixed:
        state["seated"] = core.seated.copy()
    if core.lineup.several:
        state[_CHOSEN] = np.array([core.lineup.chosen or 0], np.int64)
    if core.steps:
        state |= {_STEPS + name: array for name, array in core.steps.get_state().items()}
    return state


def write_state(core: Core, state: Mapping[str, Array]) -> None:
    """Set a core's state from arrays by name; see `Core.set_state`."""
    games = _checked(core, state)
    core.games = games
    if core.lineup.several and _CHOSEN in state:
        core.lineup.chosen = int(state[_CHOSEN][0]) or None
    elif not core.lineup.varies:
        core.lineup.chosen = int(games["num_robots"][0])
    core.memory = np.ascontiguousarray(state["memory"]).view(MEMORY).copy()
    for name in _PLAIN:
        setattr(core, name, state[name].copy())
    core.seated = state["seated"].copy() if core.lineup.mixed else core.lineup.seat_players(games)
    for player, seed in zip(core.lineup.opponents, state["opponents"], strict=True):
        reset_player(player, int(seed))
    if core.steps:
        core.steps.set_state({k.removeprefix(_STEPS): v for k, v in state.items() if k.startswith(_STEPS)})
    core.forget_step()


def check_arrays(state: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    """Raise an EnvError unless `state` has arrays of the names, shapes and dtypes of `expected`."""
    if not isinstance(state, Mapping):
        raise EnvError(f"state: {short_repr(state)}: expected arrays by name")
    for name, array in expected.items():
        found = state.get(name)
        if isinstance(found, np.ndarray) and (found.dtype, found.shape) == (array.dtype, array.shape):
            continue
        other = short_repr(found) if name in state else "missing"
        had = f"{found.dtype} {found.shape}" if isinstance(found, np.ndarray) else other
        raise EnvError(f"state: {name}: {had}: expected {array.dtype} {array.shape}")


def _checked(core: Core, state: Mapping[str, Array]) -> Array:
    """Return the games of a state, dtype `GAME`; raise an EnvError if the state does not fit the core."""
    expected = read_state(core)
    if isinstance(state, Mapping) and _CHOSEN not in state:
        expected.pop(_CHOSEN, None)
    check_arrays(state, expected)
    games = np.ascontiguousarray(state["games"]).view(GAME).copy()
    check_records(games, core.arena, "state: games", EnvError)
    _check_range("games: num_robots", games["num_robots"], 1, core.num_robots)
    _check_range("cycles", state["cycles"], 0)
    _check_range("seats", state["seats"], 0, core.num_robots - 1)
    if core.lineup.mixed:
        _check_range("seated", state["seated"], LEARNER, len(core.lineup.opponents) - 1)
    if _CHOSEN in expected:
        _check_range(_CHOSEN, state[_CHOSEN], 0, core.num_robots)
        if (chosen := int(state[_CHOSEN][0])) and (other := games["num_robots"] != chosen).any():
            robots = games["num_robots"][other][0]
            raise EnvError(f"state: {_CHOSEN}: {chosen}: expected {robots}, the robots of a game, or 0")
    if core.steps:
        _check_steps(core, core.steps, state, games)
    return games


def _check_steps(core: Core, steps: TurnSteps, state: Mapping[str, Array], games: Array) -> None:
    """Raise an EnvError if the decisions of the current turns do not fit the games of a checked state.

    Kernels use these numbers as indices without checks.
    """
    own = {name.removeprefix(_STEPS): array for name, array in state.items() if name.startswith(_STEPS)}
    seats = state["seats"]
    hands = games["robots"]["hand"][np.arange(len(games))[:, None], seats]
    for name, known, whence in (("seats", seats.reshape(-1, 1), "seats"), ("hands", hands, "the hands of games")):
        if (wrong := np.argwhere(own[name] != known)).size:
            place = tuple(wrong[0].tolist())
            raise EnvError(
                f"state: {_STEPS}{name}{list(place)}: {own[name][place]}: expected {known[place]}, as in {whence}"
            )
    _check_range("steps_stages", own["stages"], 0, steps.count - 1)
    _check_range("steps_actions", own["actions"], 0, steps.layout.width - 1)
    _check_range("steps_masks", own["masks"], 0, 1)
    _check_range("steps_illegal", own["illegal"], 0)
    orders = np.ascontiguousarray(own["orders"]).view(FULL_ORDERS)
    for name, (low, high) in _ORDER_RANGES.items():
        _check_range(f"steps_orders: {name}", orders[name], low, high)
    seen = np.ascontiguousarray(own["seen"]).view(GAME)
    at = np.arange(len(seen)), seats.ravel()
    before = clone(seen)
    before["robots"][at] = np.ascontiguousarray(own["bodies"]).view(ROBOT)
    for name, views in (("seen", seen), ("bodies", before)):
        check_records(views, core.arena, f"state: {_STEPS}{name}", EnvError, whole=False)
        if unfit := find_unfit(views, course_limits(core.arena.tables), core.arena.full):
            raise EnvError(f"state: {_STEPS}{name}: game {unfit.game}: {unfit.text}")
    dealt = hands.reshape(len(seen), 1, -1)
    for name, cards in (("seen", seen["robots"]["hand"][at]), ("orders", orders["second"])):
        if (wrong := np.argwhere((cards > 0) & ~(cards[..., None] == dealt).any(axis=-1))).size:
            row, slot = wrong[0].tolist()
            raise EnvError(f"state: {_STEPS}{name}: row {row}: card {cards[row, slot]}: expected a card of its hand")


def _check_range(name: str, array: Array, low: int, high: int | None = None) -> None:
    """Raise an EnvError that names the first number of a state's array that is below `low` or above `high`."""
    outside = (array < low) | (False if high is None else array > high)
    if outside.any():
        place = tuple(np.argwhere(outside)[0].tolist())
        expected = f"a whole number, {low} or more" if high is None else f"a whole number from {low} to {high}"
        raise EnvError(f"state: {name}{list(place)}: {array[place]}: expected {expected}")
