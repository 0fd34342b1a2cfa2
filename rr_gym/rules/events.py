"""What happened in a turn, written by the rules when a log is switched on. Replays and pictures read nothing else."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.records import LOG_CAPACITY, GameRecord, LogRecord

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
)
(
    DEALT, PROGRAMMED, ANNOUNCED, POWERED_DOWN, POWERED_UP, FACED, CARD_PLAYED, MOVED, BLOCKED, TURNED, SHOT, DAMAGED,
    LOCKED, UNLOCKED, REPAIRED, DESTROYED, FLAG_TOUCHED, ARCHIVED, BECAME_REAL, REENTERED, ELIMINATED, WON, OVER,
    OPTION_DRAWN, OPTION_LOST, GUN_TURNED,
    FLIPPED, ROOM_TURNED, PISTONS, CRUMBLED, LEVEL, FLYING, BURNING, ASLEEP, ENERGIZED, COPY,
) = range(len(EVENT_NAMES))  # fmt: skip


@kernel
def write(
    game: GameRecord, log: LogRecord, kind: int, robot: int, other: int, value: int, square: int, target: int
) -> None:
    if game.copies_act and kind in (MOVED, TURNED, BLOCKED, CARD_PLAYED):
        return  # of a copy, not of its robot: "copy" tells where it has come to
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
def note(game: GameRecord, log: LogRecord, kind: int, robot: int, value: int) -> None:
    """An event that concerns one robot where it stands."""
    if log.on:
        write(game, log, kind, robot, -1, value, game.robots[robot].square if robot >= 0 else -1, -1)


@kernel
def note_at(
    game: GameRecord, log: LogRecord, kind: int, robot: int, other: int, value: int, square: int, target: int
) -> None:
    """An event with everything said."""
    if log.on:
        write(game, log, kind, robot, other, value, square, target)
