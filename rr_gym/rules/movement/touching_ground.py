"""What a robot meets that comes onto a square or passes over it (R-P2.4, R-P2.5).

Beams of light barriers, giant trapdoors, pistons, and what hurts or wets robots that pass.
"""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel, with_elements
from rr_gym.rules.floor.ground import flies, row_at
from rr_gym.rules.hazards.giant_trapdoors import load_trapdoor
from rr_gym.rules.hazards.passing import pass_through
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import Game, Log
from rr_gym.rules.state.table import Table


@with_elements(None)
def break_barrier(game: Game, table: Table, robot: int) -> None:
    """A real robot that enters or leaves the beam of a light barrier breaks it (R-E33)."""
    body = game.robots[robot]
    real = robot < MAX_ROBOTS and not body.virtual
    if real and body.square >= 0 and table.ground[row_at(game, table, body.square)].barrier:
        game.barrier_broken = 1


@with_elements(None)
def press_piston(game: Game, table: Table, robot: int) -> None:
    """A real robot that comes onto a raised piston presses its colour down; worked out after the step (R-E68, U15)."""
    body = game.robots[robot]
    if table.ground[row_at(game, table, body.square)].piston == game.piston_up + 1 and not body.virtual:
        game.flips = 1


@kernel
def touch_ground(game: Game, table: Table, log: Log, robot: int) -> None:
    """R-P2.4 and R-P2.5: state that all share, then what acts on robots that come or pass."""
    break_barrier(game, table, robot)
    if not flies(game, table, robot):
        load_trapdoor(game, table, log, robot)
        if not game.robots[robot].alive:
            return
        press_piston(game, table, robot)
    pass_through(game, table, log, robot)
