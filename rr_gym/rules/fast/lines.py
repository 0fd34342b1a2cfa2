"""Skip lines of sight, beams and winds that meet no robot (R-E62, R-E63, R-E77), and lava without a robot beside it.

Tables mark for each square which lines may cross it, in all orientations of rooms, and whether lava may erupt beside it
(`rr_gym.courses.tables.in_line`). Rules follow a line only if a robot is in it.

Assumes that lines of sight, melting beams and winds stay in their row or column, and that eruptions reach one square.

Without this file a whole turn on everything with 8 robots takes 64 % longer (`rr-gym bench --accelerators`).
"""

from __future__ import annotations

from rr_gym.compilation.accelerators import accelerates
from rr_gym.courses.tables.ground import LINE_FAN, LINE_MELTING, MIRROR_AHEAD, NEAR_LAVA
from rr_gym.forms import FULL
from rr_gym.rules.elements.mirrors import looks_into_mirror
from rr_gym.rules.elements.ventilators import ventilators_blow
from rr_gym.rules.floor.standing import line_through
from rr_gym.rules.hazards.lava import eruptions_around
from rr_gym.rules.hazards.melting import in_melting_beam
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@accelerates(looks_into_mirror, forms=(FULL,))
def looks_where_a_mirror_is(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot sees a mirror; search only if there is a mirror ahead in its row or column."""
    body = game.robots[robot]
    if not line_through(game, table, body.square, MIRROR_AHEAD << body.facing):
        return False
    return bool(looks_into_mirror(game, table, robot))


@accelerates(in_melting_beam, forms=(FULL,))
def in_line_with_melting_beam(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a melting beam crosses a robot's square; search only if one may cross its row or column."""
    if not line_through(game, table, game.robots[robot].square, LINE_MELTING):
        return False
    return bool(in_melting_beam(game, table, robot))


@accelerates(eruptions_around, forms=(FULL,))
def eruptions_where_lava_is(game: GameRecord, table: Table, robot: int, corners: bool) -> int:
    """Return how many lava pits erupt around a robot; search only if lava is beside it."""
    if not line_through(game, table, game.robots[robot].square, NEAR_LAVA):
        return 0
    return int(eruptions_around(game, table, robot, corners))


@accelerates(ventilators_blow, forms=(FULL,))
def ventilators_blow_at_lines(game: GameRecord, table: Table, log: Log) -> None:
    """Let the ventilators blow only if a robot is in the line of one."""
    for i in range(game.num_bodies):
        body = game.robots[i]
        if body.alive and line_through(game, table, body.square, LINE_FAN):
            ventilators_blow(game, table, log)
            return
