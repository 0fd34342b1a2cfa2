"""Records in a game that are not part of its state: temporary values of a sub-step, and caches of accelerators."""

from __future__ import annotations

from rr_gym.compilation.records import Array, Record, i1, i2, i8, shape, u1, u2, u8
from rr_gym.courses.tables.ground import MAX_PLATFORMS
from rr_gym.rules.state.constants import MAX_BLASTS, MAX_BODIES, MAX_ROBOTS


class Displacement(Record):
    """The displacement of one body, while it is computed."""

    origin: i2  # the square that it came from, -1 if it was in the air
    target: i2  # the square that it would come to, -1 off the board
    leaving: i1  # the side over which it would leave; copied to `heading` if it does
    drop: i1  # levels that it falls
    on_ice: u1  # while its card moves it: it stood on ice before; afterwards: it has still to slide


class RobotScratch(Displacement):
    """Temporary values of a robot; no sub-step reads those of another sub-step."""

    pusher_square: i2  # the square on which an active pusher found it in C10, -1 for none
    copy_virtual: u1  # `virtual` of the robot, while robot and copy are swapped


class Push(Record):
    """A robot and all bodies that it pushes by one square; empty between two steps."""

    length: i1  # how many bodies
    robots: Array[i1] = shape(MAX_BODIES)  # the mover first, the foremost last
    repelled: i1  # the body that has met a repulsor field, until the field repels it


class VentilatorLine(Record):
    """The robots that a ventilator blows away, while it does so."""

    length: i1  # how many they are
    robots: Array[i1] = shape(MAX_BODIES)  # the nearest first


class Blast(Record):
    """An explosion that waits for its turn."""

    square: i2
    level: i1
    power: i1
    owner: i1  # the owner of the device, -1 for nobody
    kind: i1  # an index of BLAST_NAMES
    only: i1  # the only robot that a virtual device acts on, -1 for all robots


class GameScratch(Record):
    """Temporary values of a game; no sub-step reads those of another sub-step."""

    flips: i1  # a raised piston has been pressed, and pistons have yet to flip
    copies_act: u1  # the robots are swapped with their copies
    devices_act: u1  # RIDE: the only body on the board is that of a flat device; HAVE_RIDDEN: all are back
    hidden: u2  # bit i: body i is on the board, but hidden while devices act
    thrown: u1  # bit i: a drone that has gone off is about to push robot i
    thrown_to: i1  # the direction of that push
    rammed: u1  # bit i: the card being executed has rammed robot i
    push: Push
    line: VentilatorLine
    heaviest: Array[i1] = shape(MAX_PLATFORMS)  # the heaviest area of each platform, while platforms tilt
    num_blasts: i1
    blasts: Array[Blast] = shape(MAX_BLASTS)
    order: Array[i1] = shape(MAX_ROBOTS)  # the robots by priority when their cards were revealed; zeros between phases
    order_now: Array[i1] = shape(MAX_ROBOTS)  # the robots by priority now, for the sub-step that needs it
    precedence: Array[i2] = shape(MAX_ROBOTS)  # the precedence of each robot, while an order is computed


class Caches(Record):
    """The caches of accelerators during a register phase (`rr_gym.rules.fast`).

    All fields are zero between phases, and in games that are played without accelerators.
    """

    dirty_squares: Array[u8] = shape(4)  # squares that a body has reached since devices were last checked
    trigger_squares: Array[u8] = shape(4)  # squares on which some device acts
    features_under_devices: i8  # the features of the squares on which devices lie
    features_under_bodies: i8  # the features of the squares on which bodies stand
    devices_known: u1  # which of the fields about devices are valid
    over_pit: u1  # a flat device lies where a pit is, or may open
    nobody_flies: u1  # 1: certainly nobody flies or has to come down
    nobody_moves: u1  # 1: certainly nobody has been displaced or stands on a ramp
    bodies_known: u1  # 1: `features_under_bodies` is valid


class GameCaches(Record):
    """Fields that only accelerators use; they are not part of the state of a game."""

    caches: Caches
