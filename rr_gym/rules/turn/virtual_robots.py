"""Steps E3 and F4 of a turn: virtual robots become real (R-A14, U1, U30)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.devices.devices import virtual_devices_vanish
from rr_gym.rules.floor.ground import flies, is_pit_for
from rr_gym.rules.movement.movement import step_ends
from rr_gym.rules.movement.settling import settle
from rr_gym.rules.state.constants import AT_TURN, BY_PIT
from rr_gym.rules.state.events import BECAME_REAL, note
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def alone(game: GameRecord, robot: int) -> bool:
    """Tell whether no other robot, real or virtual, is on a robot's square (U30)."""
    body = game.robots[robot]
    for i in range(game.num_robots):
        other = game.robots[i]
        if i != robot and other.square == body.square and other.level == body.level:
            return False
    return True


@with_expansions(None)
def lose_virtual_devices(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Remove the devices that a robot laid while it was virtual, because it becomes real (R-X1.15).

    If the robot stands on a bridge that is removed, and does not fly, the pit below destroys it.
    """
    virtual_devices_vanish(game, table, log, robot)
    if is_pit_for(game, table, robot, game.robots[robot].square) and not flies(game, table, robot):
        destroy(game, table, log, robot, BY_PIT)


@kernel
def become_real(game: GameRecord, table: Table, log: Log, end_of_turn: bool) -> None:
    """Make real every virtual robot that is alone on its square (E3, F4, R-A14.5, R-A14.6, U1)."""
    ready = 0
    for i in range(game.num_robots):
        robot = game.robots[i]
        if robot.alive & robot.virtual:  # `&` instead of `and`: one branch less to mispredict
            waits = robot.fresh and not end_of_turn and table.settings.virtual_exit == AT_TURN
            if not waits and alone(game, i):
                ready |= 1 << i
        if end_of_turn:
            robot.fresh = 0
    for i in range(game.num_robots):
        if ready >> i & 1:
            game.robots[i].virtual = 0
            note(game, log, BECAME_REAL, i, 0)
            lose_virtual_devices(game, table, log, i)
    if ready:  # a damping field did not act on virtual robots, and now ends their flights by Robo-Copter (R-O43.7)
        step_ends(game, table, log)
        settle(game, table, log)
