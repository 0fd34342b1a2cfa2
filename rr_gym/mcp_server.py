"""Tools for language models over the Model Context Protocol: rules, boards, previews, games, matches."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from itertools import count
from pathlib import Path
from typing import Any

from rr_gym.bots import MANIFEST, open_bot
from rr_gym.bots.check import check_bot
from rr_gym.courses import Course, list_courses, load_course
from rr_gym.errors import RoboRallyError, require, short_repr
from rr_gym.evaluation import evaluate
from rr_gym.files import read_text
from rr_gym.game import Game
from rr_gym.option_table import find_card
from rr_gym.play.preview import preview
from rr_gym.play.prompt import prompt
from rr_gym.play.story import story
from rr_gym.player_names import BOT
from rr_gym.players import Player, SeatView
from rr_gym.registry import make_player
from rr_gym.render.board.legend import find_element
from rr_gym.render.board.sketch import draw
from rr_gym.rule_lookup import rule_text, rules_folder
from rr_gym.salt import draw_salt
from rr_gym.version import __version__

SEAT = 0  # of the model
MOST_GAMES = 16  # at a time; the oldest one ends when another begins
MOST_MATCHES = 200  # games in one comparison
MOST_TURNS = 100
YOU = "your robot"

INSTRUCTIONS = (
    "RoboRally by its rulebooks. Begin a game with new_game, try programs with preview, which plays your robot alone, "
    "and play turns with play. rules looks up a rule, a board element or an option card. compare plays matches between "
    "players, check_bot checks a bot, if there are bots."
)


class GameTools:
    """The tools, each a method whose docstring is what the model reads. All return text.

    Hands of others are hidden: games have a random salt, so that no seed tells them.

    Args:
        bots: A folder of submissions (docs/bots.md), which tools may build and play in the strongest sandbox that
            works; None for no tools that run programs.
    """

    def __init__(self, bots: Path | None = None) -> None:
        if bots is not None and not bots.is_dir():
            raise RoboRallyError(f"--bots {bots}: expected a folder with a folder for each bot")
        self._bots = bots
        self._games: dict[str, tuple[Game, dict[int, Player]]] = {}
        self._numbers = count(1)

    def courses(self) -> str:
        """List the courses that can be played: id, numbers of players, size, flags, difficulty."""
        lines = []
        for name in list_courses():
            course = load_course(name)
            size = f"{course.size[0]}x{course.size[1]}, {len(course.flags)} flags"
            players = f"{course.players[0]} to {course.players[-1]} players"
            lines.append(f"{name}: {players}, {size}, {course.details.get('difficulty', 'original course')}")
        return "\n".join(lines)

    def board(self, course: str) -> str:
        """Draw the map of a course with letters and signs.

        Args:
            course: An id from `courses`, such as risky_exchange.
        """
        found = _course(course)
        return f"{found.name}, {found.size[0]}x{found.size[1]}, {len(found.flags)} flags\n{draw(found, unicode=False)}"

    def rules(self, topic: str = "") -> str:
        """Look up the rules of the game.

        Args:
            topic: A rule's id such as R-A11, a board element or an option card by its name, a word to search for, or
                the name of a document; without a topic, the documents are listed.
        """
        documents = {path.stem: path for path in sorted(rules_folder().glob("*.md"))}
        if not topic.strip():
            return "Documents: " + ", ".join(documents)
        if topic in documents:
            return read_text(documents[topic])
        for find in (find_element, find_card):
            with suppress(RoboRallyError):
                thing: Any = find(topic)
                return f"{thing.name}: {thing.sentence}\n\n{rule_text(thing.rule, thing.rule_file)}"
        whole = re.compile(rf"\b{re.escape(topic)}\b", re.IGNORECASE)
        found = [
            f"{name}: {part.strip()}"
            for name, path in documents.items()
            for part in re.split(r"\n(?=\n|\* |- |\| )", read_text(path))
            if whole.search(part)
        ]
        if not found:
            raise RoboRallyError(f"topic: {short_repr(topic)}: expected the id of a rule, an element, a card or a word")
        return "\n\n".join(found[:12])

    def new_game(
        self, course: str = "risky_exchange", opponents: Sequence[str] = ("greedy",),
        settings: Mapping[str, Any] | None = None,
    ) -> str:  # fmt: skip
        """Begin a game in which you drive robot 0, and return its id and the first position.

        Args:
            course: An id from `courses`.
            opponents: 1 to 7 players: random, greedy, racer, planner, rookie, veteran, champion, grandmaster,
                strategist.
            settings: Settings of the rules by name, such as {"option_cards": "on"}; rules of settings lists them.
        """
        found = _course(course)
        if not 1 <= len(opponents) <= 7:
            raise RoboRallyError(f"opponents: {short_repr(list(opponents))}: expected 1 to 7 names")
        players = {seat: _registered(name) for seat, name in enumerate(opponents, 1)}
        salt = draw_salt()
        for seat, player in players.items():
            player.reset(salt + seat)
        game = Game(found, 1 + len(players), 0, settings, salt)
        name = f"game-{next(self._numbers)}"
        self._games[name] = game, players
        if len(self._games) > MOST_GAMES:
            del self._games[next(iter(self._games))]
        return f"{name}\n\n{prompt(game, SEAT)}"

    def position(self, game: str) -> str:
        """Return the position of a game: the map, all robots, your registers, your hand.

        Args:
            game: The id from `new_game`.
        """
        return prompt(self.game(game), SEAT)

    def preview(self, game: str, program: Sequence[str | None]) -> str:
        """Say where a program leads your robot if nobody else were on the board. Nothing is played.

        Args:
            game: The id from `new_game`.
            program: Five cards of your hand, such as move_1@490; null for locked registers and for those left open.
        """
        played = self.game(game)
        orders = played.resolve({SEAT: {"program": list(program)}})[SEAT]
        return "\n".join(preview(SeatView.of(played.arena, played.record, SEAT), orders, YOU))

    def play(self, game: str, orders: Mapping[str, Any]) -> str:
        """Play one turn and return what happened and the next position, or the result.

        Args:
            game: The id from `new_game`.
            orders: Your orders: {"program": [five cards]}, and where the rules allow it "power_down": true and orders
                for option cards; open registers without a card get a random one.
        """
        played, players = self._table(game)
        mine = {SEAT: dict(orders)} if orders else {}  # none where the robot is out of the game
        events = played.play({**mine, **players})
        names = [YOU, *(f"robot {seat} ({player.name})" for seat, player in players.items())]
        sections = story(events, names, SEAT, played.course.size[0])
        text = "\n".join(f"{heading}: {line}" for heading, lines in sections for line in lines)
        if not played.over and played.turn < MOST_TURNS:
            return f"{text}\n\n{prompt(played, SEAT)}"
        del self._games[game]
        places = ", ".join(f"{name}: place {place}" for name, place in zip(names, played.placements, strict=True))
        return f"{text}\n\nThe game is over. {places}."

    def compare(self, players: Sequence[str], course: str = "risky_exchange", games: int = 100) -> str:
        """Play matches between players and return the share of games that each has won, with 95 % intervals.

        Args:
            players: 2 to 8 names, as the opponents of `new_game`; where there is check_bot, bot:NAME for a bot, too.
            course: An id from `courses`.
            games: How many games, at most 200.
        """
        if not 2 <= len(players) <= 8:
            raise RoboRallyError(f"players: {short_repr(list(players))}: expected 2 to 8 names")
        if not 1 <= games <= MOST_MATCHES:
            raise RoboRallyError(f"games: {games}: expected 1 to {MOST_MATCHES}")
        found = _course(course)
        first, *others = [self._player(name) for name in players]
        return evaluate(first, others, course=found, games=games).text()

    def check_bot(self, name: str) -> str:
        """Check a bot as a host of games would: build it, play the conformance set, measure its answers.

        Args:
            name: The name of its folder in the folder of bots.
        """
        return check_bot(self._folder_of(name)).text()

    def all(self) -> list[Callable[..., str]]:
        """Return all tools."""
        return [
            self.courses, self.board, self.rules, self.new_game, self.position, self.preview, self.play, self.compare,
            *([self.check_bot] if self._bots else []),
        ]  # fmt: skip

    def game(self, name: str) -> Game:
        """Return a game that is not over, with all hands. It is not a tool: models do not call it."""
        return self._table(name)[0]

    def _folder_of(self, bot: str) -> Path:
        """Return the folder of a bot, which is directly in the folder of bots."""
        known = sorted(path.parent.name for path in self._bots.glob(f"*/{MANIFEST}")) if self._bots else []
        if not self._bots or bot not in known:
            raise RoboRallyError(f"bot: {short_repr(bot)}: expected one of {', '.join(known) or 'none'}")
        return self._bots / bot

    def _player(self, name: str) -> Player:
        """Create a player that may be compared: one of the package, or a bot."""
        kind, colon, bot = name.partition(":")
        return open_bot(str(self._folder_of(bot))) if kind == BOT and colon else _registered(name)

    def _table(self, name: str) -> tuple[Game, dict[int, Player]]:
        if name not in self._games:
            known = ", ".join(self._games) or "none"
            raise RoboRallyError(f"game: {short_repr(name)}: expected a game that is not over: {known}")
        return self._games[name]


def _course(name: str) -> Course:
    """Load a built-in course by its id: a model may not name files."""
    if name not in list_courses():
        raise RoboRallyError(f"course: {short_repr(name)}: expected an id from the tool courses")
    return load_course(name)


def _registered(name: str) -> Player:
    """Create a player by a name that comes with the package: a model may not name files."""
    from rr_gym.player_names import BUILT_IN

    if name.partition(":")[0] not in BUILT_IN or not re.fullmatch(r"\w+(:\w+)?", name):
        raise RoboRallyError(f"player: {short_repr(name)}: expected one of {', '.join(BUILT_IN)}")
    return make_player(name)


def server(tools: GameTools) -> Any:
    """Return an MCP server with the tools, whose `run` serves it on standard input and output.

    Raises:
        MissingExtraError: mcp is not installed.
    """
    made = require("mcp.server", extra="mcp").MCPServer(
        name="rr-gym", title="RoboRally", version=__version__, instructions=INSTRUCTIONS
    )
    expected_error = require("mcp.server.mcpserver.exceptions", extra="mcp").ToolError
    for tool in tools.all():
        made.add_tool(_telling(tool, expected_error), structured_output=False)
    return made


def _telling(tool: Callable[..., str], expected_error: type[Exception]) -> Callable[..., str]:
    """Return a tool whose errors the model reads: the message of any other error would be hidden from it."""

    @wraps(tool)
    def call(*args: Any, **kwargs: Any) -> str:
        try:
            return tool(*args, **kwargs)
        except RoboRallyError as error:
            raise expected_error(str(error)) from None

    return call
