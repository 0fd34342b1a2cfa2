"""Scrambler bombs (R-O51): which robots run random programs."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.devices.devices import remove_device
from rr_gym.rules.floor.ground import device_acts_on
from rr_gym.rules.floor.standing import place_of_square
from rr_gym.rules.state.constants import SCRAMBLER_TOKEN
from rr_gym.rules.state.events import BOMBED, note
from rr_gym.rules.state.records import GameRecord, Log, Robot
from rr_gym.rules.state.table import Table

SCRAMBLED_WITHIN = 6  # squares that a scrambler bomb reaches (R-O51)


@kernel
def reaches(game: GameRecord, table: Table, slot: int, robot: Robot) -> bool:
    """Tell whether a scrambler bomb reaches a robot; walls are ignored, and a level counts as a square (R-O51.1)."""
    device = game.devices[slot]
    here = table.squares[device.square]
    there = table.squares[place_of_square(game, table, robot.square)]
    away = abs(int(here.x) - int(there.x)) + abs(int(here.y) - int(there.y))
    return away + abs(int(device.level) - int(robot.level)) <= SCRAMBLED_WITHIN


@with_expansions(None)
def scrambler_bombs_go_off(game: GameRecord, table: Table, log: Log) -> None:
    """Set off the bombs laid last turn: mark the robots within six squares that would program (T2, U7)."""
    game.bombed = 0
    for k in range(game.num_devices):
        device = game.devices[k]
        if device.kind != SCRAMBLER_TOKEN:
            continue
        for i in range(game.num_robots):
            robot = game.robots[i]
            caught = robot.alive and not robot.down and device_acts_on(game, k, i)
            if caught and not game.bombed >> i & 1 and reaches(game, table, k, robot):
                game.bombed |= 1 << i
                note(game, log, BOMBED, i, 0)
        remove_device(game, log, k)
