"""The dialogue with a person at a terminal, line by line; the caller reads and writes the lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from rr_gym.encoding.orders.orders import OrderError
from rr_gym.errors import RoboRallyError, did_you_mean
from rr_gym.files import check_path
from rr_gym.play import topics
from rr_gym.play.order_entry import FIELDS, SHORT, OrderEntry, Reader
from rr_gym.play.preview import preview
from rr_gym.play.screen import Screen, card_words
from rr_gym.play.session import OWN_ROBOT, Session
from rr_gym.play.small_screen import small_look
from rr_gym.play.story import story
from rr_gym.play.usable import usable_orders
from rr_gym.player_calls import traceback_of
from rr_gym.replay import Replay
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import CARD_TYPE_NAMES

INTERRUPTED = 130
GAME = "game.json"  # in the folder of a game
ADVISER = "planner"  # gives hints if no player is named
# Two fields that are only allowed together, either of which may be entered first, and how errors about one alone begin.
_TOGETHER, _ALONE = frozenset({"movement_option", "second"}), "movement_option is"
# Help topics that are commands too
_TOPICS = ("cards", "board", "options")


class Dialogue:
    """Conducts one game with a person at a terminal.

    Args:
        session: The game.
        read: Returns the next line for a prompt; raises EOFError at the end of input, KeyboardInterrupt for Ctrl-C.
        write: Shows a text, given without its final newline.
        unicode: Whether the terminal can show more than ASCII.
        colour: Whether it can show colours.
        size: Returns the width and height of the terminal in characters; None if there is no limit.
        folder: The folder in which the game is saved after every turn, under the name `GAME`; None not to save it.
    """

    def __init__(
        self,
        session: Session,
        read: Callable[[str], str],
        write: Callable[[str], None],
        *,
        unicode: bool = True,
        colour: bool = False,
        size: Callable[[], tuple[int, int]] | None = None,
        folder: Path | None = None,
    ) -> None:
        self.session, self.read, self._output, self.folder = session, read, write, folder
        self.screen = Screen(session.game.course, session.labels, unicode, colour, size)
        self.entry = OrderEntry()
        self.advised: dict[str, Any] = {}
        self.left = False
        self._saved: set[Path] = set()
        self._commands: dict[str, Callable[[str], None]] = {
            "go": self._go, "g": self._go, "preview": self._preview, "p": self._preview, "hint": self._hint,
            "take": self._take, "orders": self._orders, "o": self._orders, "show": self._show, "undo": self._undo,
            "clear": self._clear, "view": self._view, "v": self._view, "explain": self._explain, "e": self._explain,
            "save": self._save, "quit": self._quit, "q": self._quit, "help": self._help, "h": self._help,
            "?": self._help,
            **{topic: partial(self._topic, topic) for topic in _TOPICS},
        }  # fmt: skip

    def write(self, text: str) -> None:
        """Show a text, with lines wrapped to the width of the terminal."""
        self._output(self.screen.wrapped(text))

    def run(self) -> int:
        """Play until the game is over or the person leaves. Returns the exit status: 130 after Ctrl-C, else 0."""
        self._view("")
        warned = False
        while not self.session.over and not self.left:
            try:
                line = self.read(self.prompt)
                warned = False
                self.obey(line)
            except EOFError:
                self.write("end of input: leaving the game as it is")
                break
            except KeyboardInterrupt:
                if warned:
                    return INTERRUPTED
                warned = True
                self.write("\ninterrupted, nothing is lost; Ctrl-C again leaves the game")
        return 0

    @property
    def prompt(self) -> str:
        """Return the prompt for the next line."""
        return f"turn {self.session.game.turn + 1}> "

    def obey(self, line: str) -> None:
        """Execute the statements of a line in order, up to the first one that is refused."""
        for statement in line.split(";"):
            try:
                self._statement(statement.strip())
            except RoboRallyError as error:
                self.write(f"! {error}")
                return
            if self.left or self.session.over:
                return

    def _statement(self, text: str) -> None:
        word, _, rest = text.partition(" ")
        command = self._commands.get(word.lower())
        if not text:
            return
        if command:
            command(rest.strip())
            return
        reader = Reader(self.session.view(), self.session.labels)
        if len(text.split()) == 1 and word.isalpha() and word.lower() not in (*FIELDS, *SHORT, *CARD_TYPE_NAMES, "any"):
            hint = did_you_mean(word, [*self._commands, *FIELDS, *CARD_TYPE_NAMES])
            raise RoboRallyError(f"there is no command, order or card '{word}': {hint or 'help lists them'}")
        if reader.view.own.out:
            raise OrderError("your robot is out of the game: expected no more orders; go continues")
        self._enter(reader.read(text, self.entry.program))

    def _enter(self, fields: dict[str, Any]) -> None:
        """Add fields to the orders of the turn. Illegal orders are refused at once and change nothing."""
        self.entry.enter(fields)
        try:
            missing = self._missing()
        except OrderError:
            self.entry.undo()
            raise
        if missing:
            self.write(f"not yet complete: {missing}")
        self._show("")

    def _missing(self) -> str:
        """Return what is missing if only one of two fields that require each other was given, else an empty string.

        Raises OrderError for other illegal orders.
        """
        try:
            self.session.check(self.entry.fields)
        except OrderError as error:
            if _ALONE not in str(error):
                raise
            self.session.check({name: value for name, value in self.entry.fields.items() if name not in _TOGETHER})
            return str(error)
        return ""

    def _go(self, rest: str) -> None:
        view = self.session.view()
        programs = view.hand and not view.own.down and None in view.own.registers
        if programs and "program" not in self.entry.fields:
            raise RoboRallyError("there is no program yet: expected cards such as 3 1 5 2 4, or . for any cards")
        self.session.play(self.entry.fields)
        self.entry, self.advised = OrderEntry(), {}
        for seat, failure in self.session.failures.items():
            trace = traceback_of(failure)
            self.write("\n".join([*trace.splitlines(), f"! {self.session.labels[seat]} gave no orders: {failure}"]))
        self._explain("")
        if self.folder:
            self.session.save(self.folder / GAME)
        if not self.session.over:
            self._look(notes=False)

    def _preview(self, rest: str) -> None:
        if self.session.view().own.out:
            raise OrderError("preview: your robot is out of the game")
        self.session.check(self.entry.fields)
        orders = self.session.game.resolve({self.session.seat: self.entry.fields})[self.session.seat]
        self.write("\n".join(preview(self.session.sight(), orders, OWN_ROBOT)))

    def _hint(self, rest: str) -> None:
        if self.session.view().own.out:
            raise OrderError("hint: your robot is out of the game")
        name = rest or ADVISER
        self.advised = self.session.advice(name)
        if not self.advised:
            self.write(f"{name} would leave everything to the defaults")
            return
        self.write(f"{name} would order")
        hand = self.session.view().hand
        for field, value in self.advised.items():
            if field == "program":
                names = [card_name(card) if isinstance(card, int) else card for card in value]
                numbers = [str(hand.index(name) + 1) if name in hand else "." for name in names]
                self.write(f"  {' '.join(numbers)}    {', '.join(map(card_words, names))}")
            else:
                self.write(f"  {self.screen.order(field, value)}")
        self.write("take enters that")

    def _take(self, rest: str) -> None:
        if not self.advised:
            raise RoboRallyError("take: there is no hint yet: expected hint first")
        self._enter(self.advised)

    def _orders(self, rest: str) -> None:
        self.write(topics.orders(usable_orders(self.session.game, self.session.view())).rstrip())

    def _show(self, rest: str) -> None:
        self.write(self.screen.entered(self.session.view(), self.entry.fields).rstrip())

    def _undo(self, rest: str) -> None:
        if not self.entry.undo():
            raise RoboRallyError("undo: nothing is entered")
        self._show("")

    def _clear(self, rest: str) -> None:
        self.entry.clear()
        self._show("")

    def _view(self, rest: str) -> None:
        if rest not in ("", "all"):
            raise RoboRallyError(f"view {rest}: expected view, or view all")
        self._look(notes=True, whole=rest == "all")

    def _look(self, notes: bool, whole: bool = False) -> None:
        """Show the board, the robots and the hand; `notes` adds details of the board, which hardly ever change.

        If the terminal is too small for all that, only what fits is shown, unless `whole` asks for everything.
        """
        view, record = self.session.view(), self.session.game.record
        goal = f"next flag {view.own.flag + 1} of {len(view.flags)}"
        if view.own.flag < len(view.flags) and self.session.game.settings.game == "race":
            x, y = view.flags[view.own.flag]
            goal += f" at ({x}, {y})"
        title = self.screen.strong(f"{self.session.game.course.name}, turn {view.turn + 1}: {goal}")
        texts = [
            f"\n{title}",
            self.screen.board(view, record, notes).rstrip("\n"),
            self.screen.robots(view) + "\n" + self.screen.hand(view),
        ]
        if self.screen.size and not whole and not self.screen.has_room("\n".join(texts)):
            width, height = self.screen.size()
            texts = [title, small_look(self.screen, view, record, width, height)]
        for text in texts:
            self.write(text)
        if view.own.out:
            self.write("your robot is out of the game: go plays a turn without it, quit leaves")
        elif view.own.down:
            self.write("your robot is powered down: stay_down keeps it down, go plays the turn")
        elif any(view.own.registers):
            self._show("")

    def _explain(self, rest: str) -> None:
        if not self.session.events:
            raise RoboRallyError("explain: no turn has been played yet")
        turn = self.session.events[0].turn + 1
        self.write(self.screen.strong(f"\nturn {turn}"))
        game = self.session.game
        for heading, lines in story(
            self.session.events, self.session.robot_names, self.session.seat, game.course.size[0]
        ):
            self.write(heading)
            self.write("\n".join(f"  {self.screen.tinted(line, self.session.robot_names)}" for line in lines))

    def _save(self, rest: str) -> None:
        folder = check_path("save", rest) if rest else self.folder
        if not folder:
            raise RoboRallyError("save: expected the name of a folder")
        path = folder / GAME
        if folder != self.folder and path not in self._saved and path.is_file() and not Replay.load(path).over:
            raise RoboRallyError(f"save: {folder}: holds a game that is not over: expected another folder")
        self.write(f"saved: {self.session.save(path)}")
        self._saved.add(path)

    def _quit(self, rest: str) -> None:
        self.left = True

    def _topic(self, topic: str, rest: str) -> None:
        self._help(topic)

    def _help(self, rest: str) -> None:
        view = self.session.view()
        usable = usable_orders(self.session.game, view)
        self.write(topics.topic(rest, usable, view, self.session.game.course, self.screen.unicode).rstrip())
