"""The events and frames of a turn that one seat may see, without cards that lie face down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rr_gym.courses import Course
from rr_gym.courses.changes import Changes
from rr_gym.encoding.observe.view import RobotView
from rr_gym.game import Game
from rr_gym.render.pieces import Piece, pieces_of
from rr_gym.render.seen_events import seen_by
from rr_gym.render.tokens import Tokens
from rr_gym.render.words import Event
from rr_gym.replay.scene import Scene
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.web.links import WATCHER

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
        seat: The seat that sees them, or `WATCHER`, who sees of each robot what another team sees.
    """
    width = game.course.size[0]
    pieces = pieces_of(game.record, game.course)
    teams = [piece.team for piece in pieces]
    robots = game.view(seat).robots if seat != WATCHER else [_from_outside(game, i, teams) for i in range(len(teams))]
    for robot, piece in zip(robots, pieces, strict=True):
        x, y = robot.archive
        piece.archive, piece.options = y * width + x, robot.options
        if robot.seat != seat:
            piece.registers = [card if piece.locked >> r & 1 else 0 for r, card in enumerate(piece.registers)]
            piece.second, piece.copied, piece.gadgets, piece.movement_options = ([0] * NUM_REGISTERS for _ in range(4))
    return pieces


def _from_outside(game: Game, seat: int, teams: Sequence[int]) -> RobotView:
    """Return a robot as a seat of another team sees it; as itself if there is no other seat."""
    others = [i for i in range(len(teams)) if i != seat]
    strangers = [i for i in others if not teams[i] or teams[i] != teams[seat]]
    return game.view(next(iter([*strangers, *others, seat]))).robots[seat]


class SeatScene(Scene):
    """A scene as one seat sees it: cards of other robots are turned over at the start of the phase that plays them.

    Args:
        seat: The seat that sees it.
        events: All events of the turn, including the cards that lie face down until they are played.
        pieces, settings, course, changes, tokens: The arguments of `Scene`.
    """

    def __init__(
        self,
        seat: int,
        events: Sequence[Event],
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
        self._played = [event for event in events if event.kind == "card"]
        self._phase = 0

    def apply(self, event: Event) -> None:
        """Apply an event that the seat may know."""
        if event.kind == "locked" and event.target == UNKNOWN:
            event = event._replace(target=self.pieces[event.robot].registers[event.value - 1])
        super().apply(event)
        if event.phase != self._phase:
            self._phase = event.phase
            for played in self._played:
                if played.phase == event.phase:
                    self._turn_over(played)

    def _turn_over(self, played: Event) -> None:
        if laid := self._face_down.get((played.robot, played.value)):
            piece = self.pieces[played.robot]
            (piece.registers if laid.kind == "programmed" else piece.second)[laid.value - 1] = played.value
