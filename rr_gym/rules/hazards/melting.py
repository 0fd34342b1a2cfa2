"""Melting beams (R-E62, K23): damage that locks the register of the phase, in segment B only."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_elements
from rr_gym.rules.damage.damage import destroy, strike
from rr_gym.rules.floor.ground import phase_of
from rr_gym.rules.floor.sight import beam_next
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.floor.turned import direction_now, place_now
from rr_gym.rules.state.constants import BY_MELTING_BEAM, FATAL_DAMAGE, FIRE_CONTROL_LOCK_1, MELTED, NO_SIDE
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def in_melting_beam(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a melting beam crosses a robot's square on its level; other robots do not stop the beam."""
    body = game.robots[robot]
    place = int(place_of_square(game, table, body.square))
    for k in range(table.extras.num_melting):
        mount = table.extras.melting[k]
        if mount.level != body.level:
            continue
        direction = direction_now(game, table, mount.square, mount.direction)
        here = place_now(game, table, mount.square)
        while here >= 0:
            if here == place:
                return True
            here = beam_next(game, table, here, direction, mount.level)
    return False


@kernel
def melt(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Give a robot in a melting beam one point of damage, which locks its register of this phase at once (R-E62).

    This happens at most once per phase. The lock is one of those that the damage requires. If an option stops the
    point, nothing is locked (R-O0.28).
    """
    body = game.robots[robot]
    if body.marks & MELTED or not in_melting_beam(game, table, robot):
        return
    body.marks |= MELTED
    strike(game, table, log, robot, 1, BY_MELTING_BEAM, -1, NO_SIDE, FIRE_CONTROL_LOCK_1 + phase_of(game))
    if body.damage >= FATAL_DAMAGE:
        destroy(game, table, log, robot, BY_MELTING_BEAM)


@with_elements(None)
def melting_beams_hit(game: GameRecord, table: Table, log: Log) -> None:
    """Hurt the robots that stand in a melting beam and were not hit by one in this phase (B4, R-E62)."""
    for i in range(game.num_robots):
        if game.robots[i].alive:
            melt(game, table, log, i)
