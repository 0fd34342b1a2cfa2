"""Messages to the page of a seat, as plain data that contain nothing the seat may not know."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from rr_gym.courses.changes import Changes
from rr_gym.play import HumanGame
from rr_gym.play.session import OWN_ROBOT
from rr_gym.play.story import lines_of, story
from rr_gym.player_names import PROGRAM
from rr_gym.race import standings
from rr_gym.render.colours import team_colour
from rr_gym.render.pieces import Piece, changes_of, labels
from rr_gym.render.tokens import Tokens, tokens_of
from rr_gym.render.web import PlacedRobots, board_html, board_svg, drawing, squares_json, tokens_json, words_json
from rr_gym.render.web.markup import CELL
from rr_gym.render.web.sentences import IN_ORDER
from rr_gym.replay import Replay
from rr_gym.replay.page import short_names
from rr_gym.replay.page_frames import frame_json
from rr_gym.replay.scene import Frame, frames
from rr_gym.rules.state.cards import parse_card
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.web.controls import controls_of
from rr_gym.web.links import WATCHER
from rr_gym.web.seen import SeatScene, events_seen, pieces_seen

# What somebody without a seat has: no cards, no orders
NOTHING: dict[str, Any] = {
    "out": False, "down": False, "hand": [], "mates": {}, "stored": None, "locked": [None] * NUM_REGISTERS,
    "programs": False, "controls": [],
}  # fmt: skip
BEAT = 0.4  # seconds for which a page shows a frame at normal speed, roughly


class Messages:
    """Creates the messages for one seat of a game.

    Args:
        table: The game.
        seat: The seat of a person, or `WATCHER`, who sees what all may see.
        names: A name for each robot.

    Attributes:
        floors: Pictures of the board and sentences about its squares, by the numbers that messages refer to.
        showing_time: About how many seconds a page takes to show the last turn.
    """

    def __init__(self, table: HumanGame, seat: int, names: Sequence[str]) -> None:
        self.table, self.seat, self.names = table, seat, list(names)
        self.floors: dict[str, dict[str, Any]] = {}
        self._game, self._course = table.game, table.game.course
        self._played: dict[str, Any] | None = None
        self._story: list[tuple[str, list[str]]] = []
        self.showing_time = 0.0
        self._before: tuple[list[Piece], Changes, Tokens] | None = None
        self.pieces = pieces_seen(self._game, seat)

    def board(self) -> str:
        """Return the markup of the board for the page."""
        teams = [piece.team for piece in self.pieces]
        return board_html(self._course, [changes_of(self._game.record, self._course)], teams)

    def course(self) -> dict[str, Any]:
        """Return the data that never change during a game."""
        return {
            "seat": self.seat,
            "course": self._course.name,
            "names": self.names,
            "people": self.table.people,
            "num_flags": len(self._course.flags),
            "in_order": self._game.settings.game in IN_ORDER,
            "team_colours": {piece.team: team_colour(piece.team) for piece in self.pieces if piece.team},
            **drawing(self._course, self._game.num_robots),
            **words_json(),
        }

    def now(self) -> dict[str, Any]:
        """Return the position between two turns, the orders that the seat can give, and the last turn as frames."""
        game, over = self._game, self.table.over
        changes = changes_of(game.record, self._course)
        return (NOTHING if self.seat == WATCHER else self._own()) | {
            "turn": self.table.recorder.num_turns,  # that of the game stays as it is at its end
            "over": over,
            "robots": PlacedRobots(pieces_seen(game, self.seat), self._course.size[0]).states,
            "tokens": tokens_json(self._tokens(), changes, self._course),
            "floor": self._floor([changes]),
            "played": self._played,
            "story": self._story,
            "standings": self._standings() if over else [],
            "winners": list(self.table.view_of(self.table.people[0]).winners),
        }

    def _own(self) -> dict[str, Any]:
        """Return what only this seat sees, and the orders that it can give."""
        view, over = self.table.view_of(self.seat), self.table.over
        own = view.own
        orders = not over and not own.out
        return {
            "out": own.out,
            "down": own.down,
            "hand": [] if over else [_named(card) for card in view.hand],
            "mates": {} if over else {i: [_named(card) for card in hand] for i, hand in view.mates.items()},
            "stored": view.stored and _named(view.stored),
            "locked": own.registers,
            "programs": bool(orders and view.hand and not own.down and None in own.registers),
            "controls": controls_of(self.table, self.seat, self.names) if orders else [],
        }

    def _standings(self) -> list[dict[str, Any]]:
        return [asdict(line) for line in standings(replay_of(self.table, self.names))]

    def _tokens(self) -> Tokens:
        return tokens_of(self._game.record, self._course, self._game.settings.game)

    def _floor(self, looks: Sequence[Changes]) -> str:
        """Return the number by which the page can ask for a picture of the board with these looks."""
        number = hashlib.sha256(repr(looks).encode()).hexdigest()[:16]
        if number not in self.floors:
            self.floors[number] = {
                "svg": board_svg(self._course, looks, CELL),
                "about": squares_json(self._course, looks),
            }
        return number

    def begin_turn(self) -> None:
        """Remember the position before a turn, which its story starts from."""
        changes = changes_of(self._game.record, self._course)
        self._before = pieces_seen(self._game, self.seat), changes, self._tokens()

    def end_turn(self) -> None:
        """Create the frames and the story of the turn that has just been played."""
        if self._before is None:
            return
        pieces, changes, tokens = self._before
        events = self.table.recorder.last_events
        settings = asdict(self._game.settings)
        scene = SeatScene(self.seat, events, pieces, settings, self._course, changes, tokens)
        shown = frames(scene, events_seen(events, self.seat))
        looks = list(dict.fromkeys([changes, *(frame.changes for frame in shown)]))
        placed = PlacedRobots(pieces, self._course.size[0])
        self._played = {
            "turn": self.table.recorder.num_turns - 1,
            "robots": list(placed.states),  # it changes with the frames
            "tokens": tokens_json(tokens, changes, self._course),
            "look": 0,
            "floor": self._floor(looks),
            "frames": [self._frame(frame, placed, looks) for frame in shown],
        }
        self.showing_time = BEAT * len(shown)
        width = self._course.size[0]
        self._story = story(events, self._shown_names, self.seat, width)

    @property
    def _shown_names(self) -> list[str]:
        return [OWN_ROBOT if i == self.seat else label for i, label in enumerate(self.names)]

    def _frame(self, frame: Frame, placed: PlacedRobots, looks: list[Changes]) -> dict[str, Any]:
        width = self._course.size[0]
        changed = placed.update(frame.pieces, frame.events)
        return frame_json(frame, changed, self._shown_names, width) | {
            "tokens": tokens_json(frame.tokens, frame.changes, self._course),
            "look": looks.index(frame.changes),
            "log": lines_of(frame.events, self._shown_names, self.seat, width),
        }


def names_of(table: HumanGame, people: Mapping[int, str]) -> list[str]:
    """Return the names of robots for pages: no paths on the machine that serves them, and no commands of programs.

    Args:
        table: The game.
        people: What people call themselves, by seat.
    """
    programs = f"{PROGRAM}:"
    players = [PROGRAM if name.startswith(programs) else name for name in table.recorder.players]
    own = {seat: name for seat, name in people.items() if seat in table.people}
    return labels([own.get(seat, name) for seat, name in enumerate(short_names(players))])


def replay_of(table: HumanGame, names: Sequence[str]) -> Replay:
    """Return the replay of the game so far, with the names that pages use."""
    return replace(table.replay(), players=tuple(names))


def _named(card: str) -> dict[str, Any]:
    """Return a card as orders name it, with its number in the table of cards."""
    return {"card": card, "number": parse_card(card)[1]}
