"""Mirrors (R-E63): a robot that looks into one executes its card reversed."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_MIRRORS, MIRROR
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import features_of, row_at
from rr_gym.rules.floor.sight import beam_next, in_fog
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.constants import MOVE_1, MOVE_2, MOVE_3, NO_CARD, ROTATE_LEFT, ROTATE_RIGHT, U_TURN
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

# By type of card: the type that is executed instead; moves are executed in the opposite direction.
MIRRORED = np.array([NO_CARD, U_TURN, ROTATE_RIGHT, ROTATE_LEFT, MOVE_1, MOVE_1, MOVE_2, MOVE_3], np.int8)


@kernel
def executed_as(kind: int, mirrored: bool) -> int:
    """Return the type of card that a robot executes; `mirrored` tells whether it looks into a mirror (R-E63.1)."""
    return int(MIRRORED[kind]) if mirrored else kind


@kernel
def robot_at(game: GameRecord, table: Table, robot: int, place: int) -> bool:
    """Tell whether another real robot, or The Big One, blocks a robot's view at a place (R-O29.3).

    Robots on a ramp count as being on its foot (R-E14).
    """
    body = game.robots[robot]
    if body.virtual:
        return False
    for i in range(game.num_bodies):
        other = game.robots[i]
        meets = i != robot and other.alive and not other.virtual and other.level == body.level
        if meets and place_of_square(game, table, other.square) == place:
            return True
    return False


@with_elements(False)
def looks_into_mirror(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot sees a mirror ahead on its level, at any distance (R-E63).

    Robots, The Big One, walls, turret guns and fog block its view; virtual robots see through robots and The Big One.
    """
    if not features_of(table) & HAS_MIRRORS:  # mutants (never): only an optimisation
        return False
    body = game.robots[robot]
    place = int(place_of_square(game, table, body.square))
    while place >= 0 and not in_fog(game, table, place):
        row = row_at(game, table, place)
        if table.ground[row].kinds[body.facing] == MIRROR and table.squares[row].level == body.level:
            return True
        place = beam_next(game, table, place, body.facing, body.level)
        if place >= 0 and robot_at(game, table, robot, place):
            return False
    return False
