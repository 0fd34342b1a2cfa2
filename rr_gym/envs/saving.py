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
from rr_gym.rules.state.records import GAME

if TYPE_CHECKING:
    from rr_gym.envs.core import Core

Array = np.ndarray[Any, Any]

_PLAIN = ("cycles", "ended", "seats", "illegal", "places")  # arrays of a core that are saved as they are
_STEPS = "steps_"  # prefix of the names of arrays of `TurnSteps`


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
    if core.steps:
        state |= {_STEPS + name: array for name, array in core.steps.get_state().items()}
    return state


def write_state(core: Core, state: Mapping[str, Array]) -> None:
    """Set a core's state from arrays by name; see `Core.set_state`."""
    games = _checked(core, state)
    core.games = games
    if not core.lineup.varies:
        core.lineup.at_table = int(games["num_robots"][0])
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
    check_arrays(state, read_state(core))
    games = np.ascontiguousarray(state["games"]).view(GAME).copy()
    check_records(games, core.arena, "state: games", EnvError)
    if ((state["seats"] < 0) | (state["seats"] >= core.num_robots)).any():
        raise EnvError(f"state: seats: expected whole numbers from 0 to {core.num_robots - 1}")
    players = len(core.lineup.opponents)
    if core.lineup.mixed and ((state["seated"] < LEARNER) | (state["seated"] >= players)).any():
        raise EnvError(f"state: seated: expected whole numbers from {LEARNER} to {players - 1}")
    if core.steps:
        seen = np.ascontiguousarray(state["steps_seen"]).view(GAME)
        check_records(seen, core.arena, "state: steps_seen", EnvError, whole=False)
    return games
