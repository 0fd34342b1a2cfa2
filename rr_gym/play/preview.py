"""Preview where a program would lead if nobody else were on the board."""

from __future__ import annotations

from typing import NamedTuple

from rr_gym.encoding.observe.view import square_of
from rr_gym.play.story import story
from rr_gym.players import SeatView
from rr_gym.render.phrases import FACING_WORDS
from rr_gym.render.pieces import Piece, pieces_of
from rr_gym.render.words import events_of
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.rules.state.records import OrdersRecord
from rr_gym.solo.distances import alone
from rr_gym.solo.lone_turn import LoneTurn, play_alone

SOMEBODY = "somebody"  # what sentences call the owners of devices


class PathStop(NamedTuple):
    """Where a robot comes to stand in a phase.

    Attributes:
        phase: The number of the phase; 0 before the first phase.
        square: The number of the square; -1 off the board.
        facing: The direction that the robot faces.
    """

    phase: int
    square: int
    facing: int


def preview(sight: SeatView, orders: OrdersRecord, name: str) -> list[str]:
    """Play orders for the seat's robot alone, up to the first open register, and tell what happens in each phase.

    Nothing is drawn at random and nothing hidden is read, so a preview reveals nothing that the seat does not know.

    Args:
        sight: The seat's view.
        orders: Its orders, dtype `FULL_ORDERS`.
        name: The robot's name.

    Returns:
        Lines of text.
    """
    course = sight.arena.courses[sight.record.course]
    lone, log, phases, _ = _played_alone(sight, orders)
    events = [event for event in events_of(log) if event.kind != "programmed"]
    lines = [
        f"{heading}: {line}"
        for heading, sentences in story(events, (name, SOMEBODY), 0, course.size[0])
        for line in sentences
    ]
    return [*lines, f"{_place(pieces_of(lone, course)[0], name, course.size[0])} {_when(phases)}"]


def where_alone(sight: SeatView, orders: OrdersRecord, name: str) -> str:
    """Return where orders bring the seat's robot if nobody else is on the board, without saying when."""
    course = sight.arena.courses[sight.record.course]
    return _place(pieces_of(_played_alone(sight, orders).game, course)[0], name, course.size[0]).removesuffix(",")


def path_alone(sight: SeatView, orders: OrdersRecord) -> list[PathStop]:
    """Play orders for the seat's robot alone and return its stops, square by square, from where it stands now.

    Args:
        sight: The seat's view.
        orders: Its orders, dtype `FULL_ORDERS`.
    """
    course = sight.arena.courses[sight.record.course]
    _, log, phases, _ = _played_alone(sight, orders)
    piece = pieces_of(alone(sight.record, sight.seat), course)[0]
    facing, square = piece.facing, piece.square
    stops = [PathStop(0, square, facing)] if square >= 0 else []
    for event in events_of(log):
        if event.robot != 0 or event.kind not in ("moved", "turned", "faced", "reentered", "destroyed"):
            continue
        facing = event.value if event.kind in ("turned", "faced", "reentered") else facing
        square = event.square if event.kind in ("moved", "reentered") else square
        if event.kind == "destroyed":
            square = -1
        phase = event.phase or (phases if stops and stops[-1].phase else 0)
        stop = PathStop(phase, square, facing)
        if stops and (stops[-1].phase, stops[-1].square) == (stop.phase, stop.square):
            stops[-1] = stop  # it turned where it is
        else:
            stops.append(stop)
    return stops


def _played_alone(sight: SeatView, orders: OrdersRecord) -> LoneTurn:
    return play_alone(sight.record, sight.seat, sight.table, orders)


def _place(piece: Piece, name: str, width: int) -> str:
    if piece.square < 0:
        return f"{name} is off the board"
    x, y = square_of(piece.square, width)
    damage = f", with {piece.damage} points of damage," if piece.damage > 1 else ", with a point of damage,"
    return f"{name} is at ({x}, {y}), facing {FACING_WORDS[piece.facing]}{damage if piece.damage else ''}"


def _when(phases: int) -> str:
    if phases == NUM_REGISTERS:
        return "at the end of the turn"
    return (f"after phase {phases}" if phases else "now") + f"; register {phases + 1} is open"
