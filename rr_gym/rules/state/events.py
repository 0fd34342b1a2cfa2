"""Events: what happened in a turn, written by the rules when a log is switched on.

Replays and pictures are made only from events.
"""

# mutants: only writes events
from __future__ import annotations

from rr_gym.compilation.kernels import cold, kernel
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import LOG_CAPACITY, GameRecord, Log

EVENT_NAMES = (
    "dealt",  # robot got `value` cards (which ones is secret)
    "programmed",  # register `value` (1-5) of robot holds card `target`
    "announced",  # robot powers down next turn
    "powered_down",
    "powered_up",
    "faced",  # robot chose facing `value` before the first phase
    "card",  # robot executes card `value` from `square`
    "moved",  # robot moved to `square` from `target` (-1: off the board), for cause `value`; `other` pushed it
    "blocked",  # robot at `square` could not move in direction `value`
    "turned",  # robot now faces `value`
    "shot",  # a beam from `square` in direction `value` ends in `target`; `robot` fired it (-1: the board)
    "damaged",  # robot took `value` points; `other` is the shooter; `target` says how (HARM_NAMES)
    "locked",  # register `value` (1-5) of robot, card `target`
    "unlocked",  # register `value` (1-5) of robot
    "repaired",  # robot lost `value` points of damage
    "destroyed",  # robot at `square`; `value` says why (HARM_NAMES)
    "flag",  # robot touched flag `value` at `square`
    "archived",  # robot's archive is now `square`
    "became_real",
    "reentered",  # robot stands on `square` with facing `value`; `target` 1: virtual
    "out",  # robot has no lives left
    "won",
    "over",  # the game ended
    "option",  # robot drew option `value`
    "option_lost",  # robot gave option `value` away
    "gun",  # the turret gun on `square` now faces `value`
    "flipped",  # light barriers turned over flip belts and gears; `value` is their state
    "room_turned",  # rotating room `value` made a quarter turn
    "pistons",  # the pistons of colour `value` (0 a, 1 b) are up now
    "crumbled",  # crumbly ground on `square`, the course's number `target`, is a pit now
    "level",  # robot is on level `value` now
    "flying",  # robot flies (1) or does not (0)
    "burning",  # robot burns for `value` points in every phase
    "asleep",  # robot sleeps through `value` more phases
    "energized",  # robot is energized (1) or not (0)
    "copy",  # robot has a copy on `square` with facing `value`, or none (-1)
    "used",  # robot uses option `value`
    "counter",  # option `value` of robot has `target` left
    "absorbed",  # option `value` of robot stopped a point of damage
    "revealed",  # register `value` (1-5) of robot now holds card `target`: its program was changed
    "second",  # register `value` (1-5) of robot holds card `target` as well
    "gadget",  # register `value` (1-5) of robot has the token `target` (GADGET_NAMES) on it
    "movement_option",  # register `value` (1-5) of robot has the movement option `target` (MOVEMENT_OPTION_NAMES)
    "weapon",  # robot fires weapon `value` (WEAPON_NAMES) at `other` (-1: at nobody), from `square` to `target`
    "token",  # the token of option `value` of robot lies on `other` now (-1: on nobody)
    "device",  # robot has brought a device of kind `value` (DEVICE_NAMES) into play on `square`, facing `target`
    "device_moved",  # a device of kind `value` of robot moved to `square` from `target` (-1: off the board)
    "device_gone",  # a device of kind `value` of robot left play at `square`
    "exploded",  # `value` (BLAST_NAMES) of robot explodes with power `target` at `square`
    "stuck",  # robot is held by goo for `value` more squares; 0: free
    "bombed",  # a scrambler bomb has caught robot
    "hands",  # robot has swapped its hand with `other`
    "dealt_anew",  # robot got a new hand of `value` cards by Recompile
    "damping",  # the Option Damping Field of robot is on (1) or off (0)
    "flag_moved",  # flag `value` is on `square` now, from `target`
    "team_flag",  # flag `value` belongs to team `target` now
    "superbot",  # robot is the SuperBot now
    "taken",  # robot took option `value` from `other`
    "device_turned",  # a device of kind `value` of robot on `square` faces `target` now
    "drone_aimed",  # the target counter of a drone of robot on `square` lies on `target` now
    "side",  # option `value` of robot is turned to the side `target` (SHIELD_NAMES) now
)
(
    DEALT, PROGRAMMED, ANNOUNCED, POWERED_DOWN, POWERED_UP, FACED, CARD_PLAYED, MOVED, BLOCKED, TURNED, SHOT, DAMAGED,
    LOCKED, UNLOCKED, REPAIRED, DESTROYED, FLAG_TOUCHED, ARCHIVED, BECAME_REAL, REENTERED, ELIMINATED, WON, OVER,
    OPTION_DRAWN, OPTION_LOST, GUN_TURNED,
    FLIPPED, ROOM_TURNED, PISTONS, CRUMBLED, LEVEL, FLYING, BURNING, ASLEEP, ENERGIZED, COPY,
    OPTION_USED, COUNTER, ABSORBED, REVEALED, SECOND_CARD, GADGET_SET, MOVEMENT_OPTION_SET, WEAPON_FIRED, TOKEN_LAID,
    DEVICE_LAID, DEVICE_MOVED, DEVICE_GONE, EXPLODED, STUCK, BOMBED, HANDS_SWAPPED, DEALT_ANEW, DAMPING_SET, FLAG_MOVED,
    TEAM_FLAG, SUPERBOT, OPTION_TAKEN, DEVICE_TURNED, DRONE_AIMED, SIDE_SET,
) = range(len(EVENT_NAMES))  # fmt: skip


@cold
@kernel
def write(
    game: GameRecord, log: Log, kind: int, robot: int, other: int, value: int, square: int, target: int
) -> None:
    """Write an event, or mark the log as full."""
    if game.copies_act and kind in (MOVED, TURNED, BLOCKED, CARD_PLAYED):
        return  # it concerns a copy and not its robot; the event "copy" tells where the copy is
    if log.count >= LOG_CAPACITY:
        log.full = 1
        return
    event = log.events[log.count]
    event.turn = game.turn
    event.phase = game.phase
    event.step = game.step
    event.kind = kind
    event.robot = robot
    event.other = other
    event.value = value
    event.square = square
    event.target = target
    log.count += 1


@kernel
def note(game: GameRecord, log: Log, kind: int, robot: int, value: int) -> None:
    """Write an event that concerns one robot, at its square."""
    if log.on and robot < MAX_ROBOTS:
        write(game, log, kind, robot, -1, value, game.robots[robot].square if robot >= 0 else -1, -1)


@kernel
def note_at(
    game: GameRecord, log: Log, kind: int, robot: int, other: int, value: int, square: int, target: int
) -> None:
    """Write an event with all its fields."""
    if log.on and robot < MAX_ROBOTS:
        write(game, log, kind, robot, other, value, square, target)
