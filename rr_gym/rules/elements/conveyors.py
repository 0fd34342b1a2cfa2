"""Conveyor belts (R-A9, R-E7, R-E8, R-E32, R-E34, R-E71).

All robots carried in a sub-step move at the same time and push nobody.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import FLIP_BELT
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import flies, held, phase_of, row_at
from rr_gym.rules.movement.together import move_together
from rr_gym.rules.state.constants import BELT
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

NORMAL, EXPRESS, GOLD = 1, 2, 3  # kinds of belts; each sub-step moves one kind and all faster kinds


@with_elements(-1)
def direction_in_phase(game: GameRecord, table: Table, row: int) -> int:
    """Return the direction of a rotating belt in this phase (C3); -1 on courses without elements of expansions.

    Other belts have the same direction in all phases (R-E71).
    """
    return int(table.ground[row].directions[phase_of(game)])


@kernel
def belt_under(game: GameRecord, table: Table, robot: int, kind: int) -> int:
    """Return the direction in which a belt of this or a faster kind carries a robot, -1 for none.

    Belts carry neither flyers nor robots that are held.
    """
    row = row_at(game, table, game.robots[robot].square)
    if table.squares[row].belt < kind or flies(game, table, robot) or held(game, table, robot):
        return -1
    direction = direction_in_phase(game, table, row)
    return direction if direction >= 0 else int(table.squares[row].belt_direction)


@kernel
def belts_move(game: GameRecord, table: Table, log: Log, kind: int) -> None:
    """Move the riders of belts of a kind, and of all faster belts, by one square (R-A9.1, R-E7, R-E8, R-E34)."""
    going = 0
    for i in range(game.num_bodies):
        if game.robots[i].alive:
            direction = belt_under(game, table, i, kind)
            if direction >= 0:
                game.robots[i].leaving = direction
                going |= 1 << i
    if going:
        move_together(game, table, log, going, BELT, True)


@with_elements(None)
def gold_belts_move(game: GameRecord, table: Table, log: Log) -> None:
    """Move the riders of gold belts (C4)."""
    belts_move(game, table, log, GOLD)


@kernel
def express_belts_move(game: GameRecord, table: Table, log: Log) -> None:
    """Move the riders of express belts, and those of gold belts again (C5)."""
    belts_move(game, table, log, EXPRESS)


@kernel
def all_belts_move(game: GameRecord, table: Table, log: Log) -> None:
    """Move the riders of all belts (C6)."""
    belts_move(game, table, log, NORMAL)


@kernel
def flip_belt_under(game: GameRecord, table: Table, robot: int) -> int:
    """Return the direction in which the flip belt under a robot carries it, towards its current end (R-E32, K10).

    Return -1 if there is none, or if a light barrier is blocked, which stops all flip belts (R-E33).
    """
    ground = table.ground[row_at(game, table, game.robots[robot].square)]
    if ground.mover != FLIP_BELT or game.flip_blocked or flies(game, table, robot) or held(game, table, robot):
        return -1
    return int(ground.flip_exits[game.flip])


@with_elements(None)
def flip_belts_move(game: GameRecord, table: Table, log: Log) -> None:
    """Move the riders of flip belts (C7, R-E32)."""
    going = 0
    for i in range(game.num_bodies):
        if game.robots[i].alive:
            direction = flip_belt_under(game, table, i)
            if direction >= 0:
                game.robots[i].leaving = direction
                going |= 1 << i
    if going:
        move_together(game, table, log, going, BELT, True)
