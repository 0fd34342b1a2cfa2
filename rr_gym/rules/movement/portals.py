"""Portals (R-E27): a robot that comes onto one is at once on its twin."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.devices.contacts import met_in_passing
from rr_gym.rules.floor.ground import flies, is_pit_for, level_of, row_at
from rr_gym.rules.floor.positions import come_to
from rr_gym.rules.floor.turned import end_of_link
from rr_gym.rules.hazards.passing import has_come_down
from rr_gym.rules.movement.touching_ground import touch_ground
from rr_gym.rules.state.constants import BY_PIT, CARD, FALL, JUMP, PORTAL_CARD
from rr_gym.rules.state.events import MOVED, note_at
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def twin_is_free(game: Game, table: Table, robot: int, twin: int) -> bool:
    """No real robot stands on the other portal of the pair (K6)."""
    for i in range(game.num_bodies):
        other = game.robots[i]
        if i != robot and other.alive and not other.virtual and other.square == twin:
            return False
    return True


@kernel
def portal_leads_to(game: Game, table: Table, robot: int, square: int) -> int:
    """The twin to which a portal on a square takes the robot that comes onto it; -1 for none."""
    here = table.ground[row_at(game, table, square)]
    if not here.portal or here.twin < 0 or game.devices_act:  # flat devices do not pass (R-X1.4)
        return -1
    twin = int(end_of_link(game, table, square, int(here.twin)))
    return twin if twin_is_free(game, table, robot, twin) else -1


@kernel
def pass_portal(game: Game, table: Table, log: Log, robot: int, cause: int) -> None:
    """A robot that comes onto a portal is at once on its twin, where everything but the portal acts (R-E27)."""
    body = game.robots[robot]
    if cause > FALL or has_come_down(body) or (table.settings.portal_trigger == PORTAL_CARD and cause != CARD):
        return
    twin = int(portal_leads_to(game, table, robot, int(body.square)))
    if twin < 0:
        return
    met_in_passing(game, table, log, robot)
    body.origin = body.square
    come_to(game, table, robot, twin)
    body.level = level_of(game, table, twin)
    note_at(game, log, MOVED, robot, -1, JUMP, twin, body.origin)
    if is_pit_for(game, table, robot, twin) and not flies(game, table, robot):
        destroy(game, table, log, robot, BY_PIT)
    else:
        touch_ground(game, table, log, robot)
