"""The events and frames of a turn that one seat may see, without cards that lie face down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rr_gym.courses import Course
from rr_gym.courses.changes import Changes
from rr_gym.game import Game
from rr_gym.render.pieces import Piece, pieces_of
from rr_gym.render.seen_events import seen_by
from rr_gym.render.tokens import Tokens
from rr_gym.render.words import Event
from rr_gym.replay.scene import Scene
from rr_gym.rules.state.constants import NUM_REGISTERS

UNKNOWN = -1  # instead of a card, in the event of a register that locks


def events_seen(events: Iterable[Event], seat: int) -> Iterator[Event]:
    """Yield the events of a turn that a seat may know.

    When a register of another robot locks, its card is left out, because it may not have been turned over yet.

    Args:
        events: The events of one turn, in the order of its log.
        seat: The seat that sees them.
    """
    for event in seen_by(events, seat):
        yield event._replace(target=UNKNOWN) if event.kind == "locked" and event.robot != seat else event


def pieces_seen(game: Game, seat: int) -> list[Piece]:
    """Return the robots between two turns, without programs and options that a seat cannot know.

    Args:
        game: The game, before a turn.
        seat: The seat that sees them.
    """
    width = game.course.size[0]
    pieces = pieces_of(game.record, game.course)
    for robot, piece in zip(game.view(seat).robots, pieces, strict=True):
        x, y = robot.archive
        piece.archive, piece.options = y * width + x, robot.options
        if robot.seat != seat:
            piece.registers = [card if piece.locked >> r & 1 else 0 for r, card in enumerate(piece.registers)]
            piece.second, piece.copied, piece.gadgets, piece.movement_options = ([0] * NUM_REGISTERS for _ in range(4))
    return pieces


class SeatScene(Scene):
    """A scene as one seat sees it: cards of other robots are turned over when they are played.

    Args:
        seat: The seat that sees it.
        events: All events of the turn, including the cards that lie face down until they are played.
        pieces, settings, course, changes, tokens: The arguments of `Scene`.
    """

    def __init__(
        self,
        seat: int,
        events: Iterable[Event],
        pieces: Sequence[Piece],
        settings: Mapping[str, Any],
        course: Course,
        changes: Changes,
        tokens: Tokens,
    ) -> None:
        super().__init__(pieces, settings, course, changes, tokens)
        self.seat = seat
        self._face_down = {
            (e.robot, e.target): e
            for e in events
            if e.robot != seat and e.kind in ("programmed", "second") and e.target > 0
        }

    def apply(self, event: Event) -> None:
        """Apply an event that the seat may know."""
        if event.kind == "locked" and event.target == UNKNOWN:
            event = event._replace(target=self.pieces[event.robot].registers[event.value - 1])
        super().apply(event)
        if event.kind == "card" and (laid := self._face_down.get((event.robot, event.value))):
            piece = self.pieces[event.robot]
            (piece.registers if laid.kind == "programmed" else piece.second)[laid.value - 1] = event.value
