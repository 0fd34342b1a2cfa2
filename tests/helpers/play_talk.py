"""Small games for a person, and dialogues whose lines come from a list."""

from __future__ import annotations

from typing import Any

from option_games import FLOOR, give

from rr_gym.courses.course import Course
from rr_gym.game import Game
from rr_gym.play import Dialogue, Session
from rr_gym.players import RandomPlayer

SMALL = "grid:\n@1 . . . . #1\n@2 . . . . .\n@3 . X . . #2\n"


def small(**settings: Any) -> Game:
    """Return a game of three robots on a small floor."""
    return Game(Course.from_board(SMALL, "small"), 3, seed=5, settings=settings)


def session_of(game: Game, seat: int = 0) -> Session:
    """Return a session of a person against random players."""
    return Session(game, [seat], [RandomPlayer() for _ in range(game.num_robots - 1)], seed=3)


class Talk:
    """A dialogue that reads lines from a list and collects the texts that it writes."""

    def __init__(self, session: Session, *lines: str | BaseException, **more: Any) -> None:
        self.lines, self.written = iter(lines), []
        self.dialogue = Dialogue(session, self._read, self.written.append, **more)
        self.status = self.dialogue.run()

    def _read(self, prompt: str) -> str:
        self.written.append(prompt)
        line: str | BaseException = next(self.lines, EOFError())
        if isinstance(line, BaseException):
            raise line
        return line

    @property
    def text(self) -> str:
        return "\n".join(self.written)

    @property
    def errors(self) -> list[str]:
        return [text for text in self.written if text.startswith("!")]


def options_game(*owned: str, **settings: Any) -> Game:
    """Return a game of two robots on an empty floor with option cards, of which the first seat owns some."""
    game = Game(Course.from_board(FLOOR, "floor"), 2, seed=2, settings={"option_cards": "on", **settings})
    give(game.games, 0, *owned)
    return game
