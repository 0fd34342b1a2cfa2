"""The end of a flight (R-P3.5): robots come down, those that were hit as well (R-E40, R-O50)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.floor.landing import come_down
from rr_gym.rules.movement.entering import enter
from rr_gym.rules.options.options import copter_card_goes, works
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.cards import discard
from rr_gym.rules.state.constants import BY_COPTER, DISPLACED, FALL, HOVERED, LANDS
from rr_gym.rules.state.option_cards import ROBO_COPTER
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@kernel
def come_to_ground(game: Game, table: Table, log: Log, robot: int, direction: int) -> None:
    """The end of a flight, but for what pistons do.

    A robot that comes down where it already was, and has not just come there, has no direction of travel (U55).
    """
    body = game.robots[robot]
    if body.flying == BY_COPTER:  # R-O50.3: the card on it goes with the flight
        discard(game, body.copter)
        body.copter = 0
    body.flying = 0
    over = int(body.square)
    come_down(game, table, log, robot, direction & 3)
    if body.square == over:
        body.origin = over  # what fills its own square has met it before
        if not body.marks & DISPLACED:
            body.marks |= HOVERED
    else:
        body.origin = -1
        body.heading = direction & 3
        body.goo = 0  # it has come down beside the goo that held it
    body.marks |= DISPLACED
    game.unsettled = 1
    enter(game, table, log, robot, FALL)


@kernel
def land_robots_hit(game: Game, table: Table, log: Log) -> None:
    """Damage ends a flight by antigrav (R-E40.3), the loss of the option or a damping field one by Robo-Copter."""
    left: Any = np.uint64(game.aloft)
    while left != np.uint64(0):
        i = int(lowest_bit(left))
        left = without_lowest(left)
        robot = game.robots[i]
        if not robot.alive:
            continue  # destroyed, or out of the way of devices that ride
        if robot.flying == BY_COPTER and not works(game, table, i, ROBO_COPTER):
            copter_card_goes(game, robot)
        if robot.marks & LANDS:
            robot.marks &= ~LANDS
            if robot.flying:
                come_to_ground(game, table, log, i, robot.heading)


@kernel
def somebody_lands(game: Game) -> bool:
    """An explosion has ended a flight."""
    marks = 0
    left: Any = np.uint64(game.aloft)
    while left != np.uint64(0):
        marks |= game.robots[int(lowest_bit(left))].marks
        left = without_lowest(left)
    return marks & LANDS != 0
