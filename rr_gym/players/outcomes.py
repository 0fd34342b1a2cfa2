"""What becomes of a robot by a program."""

from __future__ import annotations

from rr_gym.records import Array, Record, i1, i2, shape, u1
from rr_gym.rules.state.constants import NUM_REGISTERS


class Outcome(Record):
    """The outcome of one program for the robot that plays it."""

    program: Array[i1] = shape(NUM_REGISTERS)  # cards, including those of locked registers
    square: i2  # at the end of the turn, after re-entry; -1 if it is out of the game
    place: i2  # its index in tables of distances (`rr_gym.rules.floor.ground.standing_place`)
    facing: i1
    damage: i1  # after repairs
    flag: i1  # flags touched
    goal: i1  # the target flag, from 0; the number of flags for none
    steps: i2  # to that flag, where both are at the end of the turn
    alive: u1  # it was not destroyed in this turn
    won: u1
    phases: i1  # phases played: fewer than five if the game ended earlier


OUTCOME = Outcome.dtype
