"""Features of robots and of the game that come from board elements of expansions."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.elements import FACTS, STATES
from rr_gym.encoding.observe.frame import Frame, offset
from rr_gym.encoding.observe.game_states import FIRST_OPTION, fact_of_game, state_in_game
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import row_at
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

LEVEL = STATES.index("level")
ON_RAMP = STATES.index("on_ramp")
SLIDE_FORWARD = STATES.index("slide_forward")
SLIDE_RIGHT = STATES.index("slide_right")
SPIN = STATES.index("spin")
BURNING = STATES.index("burning")
ENERGIZED = STATES.index("energized")
FLYING = STATES.index("flying")
ASLEEP = STATES.index("asleep")
CLAIMS_CARD = STATES.index("claims_card")
COPY = STATES.index("copy")
COPY_FORWARD = STATES.index("copy_forward")
COPY_RIGHT = STATES.index("copy_right")
COPY_FACING = STATES.index("copy_facing")
COPY_LEVEL = STATES.index("copy_level")
MACHINE_FORWARD = STATES.index("machine_forward")
MACHINE_RIGHT = STATES.index("machine_right")
SPEED = STATES.index("speed")
FLIP_OWED = FACTS.index("flip_owed")


@kernel
def ramp_of(game: GameRecord, table: Table, square: int, facing: int) -> int:
    """Return 1, 2, 3 or 4 on a ramp that rises forward, right, back or left; 0 elsewhere."""
    up = table.ground[row_at(game, table, square)].up if square >= 0 else -1
    return 1 + ((up - facing) & 3) if up >= 0 else 0


@with_expansions(0)
def state_of(
    game: GameRecord, table: Table, seat: int, robot: int, frame: Frame, facing: int, what: int
) -> int:
    """Return a robot's value of the feature with index `what` in `STATES`, as a seat sees it; 0 on base courses."""
    if what >= FIRST_OPTION:
        return int(state_in_game(game, table, seat, robot, what))
    body = game.robots[robot]
    if what == LEVEL:
        return int(body.level)
    if what == ON_RAMP:
        return int(ramp_of(game, table, int(body.square), facing))
    if what == SLIDE_FORWARD:
        return int(body.velocity[0] * frame[2] + body.velocity[1] * frame[3])
    if what == SLIDE_RIGHT:
        return int(body.velocity[1] * frame[2] - body.velocity[0] * frame[3])
    if what == SPIN:
        return int(body.velocity[2])
    if what == BURNING:
        return int(body.burning)
    if what == ENERGIZED:
        return int(body.energized)
    if what == FLYING:
        return 1 if body.flying else 0
    if what == ASLEEP:
        return int(body.asleep)
    if what == CLAIMS_CARD:
        return 1 if body.reset else 0
    if what == SPEED:
        return int(body.speed)
    return int(state_of_copy(game, table, robot, frame, facing, what)) if body.has_copy else 0


@kernel
def state_of_copy(game: GameRecord, table: Table, robot: int, frame: Frame, facing: int, what: int) -> int:
    """Return the value of a feature of `STATES` that describes a robot's copy; `what` is its index."""
    body = game.robots[robot]
    if what == COPY:
        return 1
    if what == COPY_FORWARD:
        return int(offset(game, table, frame, int(body.copy_square))[0])
    if what == COPY_RIGHT:
        return int(offset(game, table, frame, int(body.copy_square))[1])
    if what == COPY_FACING:
        return int((body.copy_facing - facing) & 3)
    if what == COPY_LEVEL:
        return int(body.copy_level)
    if what == MACHINE_FORWARD:
        return int(offset(game, table, frame, int(body.copy_birth))[0])
    if what == MACHINE_RIGHT:
        return int(offset(game, table, frame, int(body.copy_birth))[1])
    return int((body.copy_side - facing) & 3)


@with_expansions(0)
def fact_of(game: GameRecord, table: Table, what: int) -> int:
    """Return the value of a feature of `FACTS`; `what` is its index.

    It tells whether a light barrier is about to flip belts and gears (R-E33), or a fact about option cards. On base
    courses it is 0.
    """
    if what != FLIP_OWED:
        return int(fact_of_game(game, what))
    return 1 if game.flip_pending or game.barrier_broken else 0


@kernel
def write_states(
    game: GameRecord, table: Table, seat: int, robot: int, frame: Frame, facing: int, states: Array, out: Array,
    start: int,
) -> None:  # fmt: skip
    """Write the features of a robot whose indices in `STATES` are listed in `states`."""
    for k in range(states.size):
        out[start + k] = state_of(game, table, seat, robot, frame, facing, states[k])


@kernel
def write_element_facts(game: GameRecord, table: Table, facts: Array, out: Array, start: int) -> None:
    """Write the features of a game whose indices in `FACTS` are listed in `facts`."""
    for k in range(facts.size):
        out[start + k] = fact_of(game, table, facts[k])
