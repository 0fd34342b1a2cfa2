"""The effects of a square on a robot that enters or crosses it, apart from moving the robot (R-P2.5)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_DEEP_WATER, HAS_FLAMERS, HAS_ICE, HAS_LAVA, HAS_MELTING, HAS_WATERS
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import features_of, is_ramp
from rr_gym.rules.hazards.fire import enter_flames
from rr_gym.rules.hazards.lava import enter_lava
from rr_gym.rules.hazards.melting import melt
from rr_gym.rules.hazards.momentum import enter_ice
from rr_gym.rules.hazards.water import get_wet
from rr_gym.rules.state.constants import B1, B4, FLAMED, ICE_CHART
from rr_gym.rules.state.records import GameRecord, Log, Robot
from rr_gym.rules.state.table import Table


@kernel
def has_come_down(robot: Robot) -> bool:
    """Tell whether a robot has just landed on the square above which it was flying (R-P3.5).

    Hazards that also act on flyers have then acted on it already. Such a landing is recognised by `origin`, the square
    that the robot left last: it is the square of the landing, and after other landings a different square or -1.
    """
    return robot.origin == robot.square


@with_elements(None)
def pass_through(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Expose a robot to the flames, lava, melting beams, water and ice of the square that it enters (R-P2.5).

    Flames, lava and melting beams act only in segment B; water and ice act in every segment. The robot may be
    destroyed, so check `alive` afterwards.
    """
    features = features_of(table)
    # mutants (never): only an optimisation
    if not features & (HAS_FLAMERS | HAS_MELTING | HAS_LAVA | HAS_WATERS | HAS_DEEP_WATER | HAS_ICE):
        return
    body = game.robots[robot]
    entered = not is_ramp(table, body.square)
    if entered and not has_come_down(body):
        body.marks &= ~FLAMED  # it has left the square on which flames scorched it
    if entered and B1 <= game.step <= B4:
        if features & HAS_FLAMERS and not has_come_down(body):
            enter_flames(game, table, log, robot)
        if body.alive and features & HAS_LAVA:
            enter_lava(game, table, log, robot)
        if body.alive and features & HAS_MELTING:
            melt(game, table, log, robot)
    if not body.alive:  # mutants (never): a destroyed robot does not burn
        return
    if features & (HAS_WATERS | HAS_DEEP_WATER):
        get_wet(game, table, robot)
    if features & HAS_ICE and table.settings.ice_mode == ICE_CHART and not game.copies_act:
        enter_ice(game, table, robot)
