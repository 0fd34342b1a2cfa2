"""The display between two turns: the board, the robots, the hand and the orders so far."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rr_gym.courses.changes import current_course, raised_squares
from rr_gym.courses.course import Course
from rr_gym.encoding.observe.view import DeviceView, RobotView, View
from rr_gym.encoding.orders.order_words import Card
from rr_gym.render.board.compact import draw_compact
from rr_gym.render.board.sketch import CELL, draw
from rr_gym.render.colours import TERMINAL_CHIPS, TERMINAL_INKS
from rr_gym.render.phrases import CARD_WORDS, DEVICE_WORDS, FACING_WORDS
from rr_gym.render.pieces import changes_of
from rr_gym.render.terminal import HOLDS, device_sign, marks_on_squares, robot_mark
from rr_gym.rules.state.cards import CARD_TYPE, card_name, parse_card, priority
from rr_gym.rules.state.constants import DIRECTION_NAMES
from rr_gym.rules.state.order_table import CARD_ORDERS, ORDERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.text_layout import columns, visible, wrapped

COLUMNS = 3  # of the hand
NO_CARD = card_name(0)  # in a register that was locked without one
_FACING = dict(zip(DIRECTION_NAMES, FACING_WORDS, strict=True))


def card_words(card: Card) -> str:
    """Describe a card of orders or registers in words: ``Move 2 (720)``, ``Move 2``, ``any card`` or ``no card``."""
    if card is None:
        return "any card"
    if card == NO_CARD:
        return CARD_WORDS[0]
    kind, number = (0, card) if isinstance(card, int) else parse_card(card)
    return f"{CARD_WORDS[kind or CARD_TYPE[number]]}" + (f" ({priority(number)})" if number else "")


class Screen:
    """Formats the text that a person sees, using only the seat's view and the board.

    Args:
        course: The course of the game.
        names: A name for each robot, in seat order.
        unicode: Whether to draw with arrows and lines; otherwise plain ASCII is used.
        colour: Whether to use the colours of terminals.
        size: Returns the width and height of the terminal in characters; None if there is no limit.
    """

    def __init__(
        self,
        course: Course,
        names: Sequence[str],
        unicode: bool = True,
        colour: bool = False,
        size: Callable[[], tuple[int, int]] | None = None,
    ) -> None:
        self.course, self.names, self.unicode, self.colour, self.size = course, names, unicode, colour, size

    def strong(self, text: str) -> str:
        """Return a text highlighted, if colours are used."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def chip(self, seat: int, text: str) -> str:
        """Return a text on a background of a robot's colour, if colours are used."""
        return f"\x1b[{TERMINAL_CHIPS[seat]}m{text}\x1b[0m" if self.colour else text

    def tinted(self, line: str, robot_names: Sequence[str]) -> str:
        """Return a line with the names of robots in their colours, if colours are used.

        Args:
            line: The line.
            robot_names: The names, in seat order.
        """
        if not self.colour:
            return line
        seats = {name: seat for seat, name in enumerate(robot_names)}
        names = "|".join(re.escape(name) for name in sorted(seats, key=len, reverse=True))

        def inked(found: re.Match[str]) -> str:
            return f"\x1b[{TERMINAL_INKS[seats[found[1]]]}m{found[1]}\x1b[0m"

        return re.sub(rf"(?<![\w-])({names})(?![\w-])", inked, line)

    def wrapped(self, text: str) -> str:
        """Return a text with lines wrapped to the width of the terminal."""
        return wrapped(text, self.size()[0]) if self.size else text

    def has_room(self, text: str) -> bool:
        """Tell whether the terminal can show a text at once, with one more line for the prompt."""
        width, height = self.size() if self.size else (sys.maxsize, sys.maxsize)
        lines = text.split("\n")
        return len(lines) < height and max(map(visible, lines)) <= width

    def board(self, view: View, record: GameRecord, notes: bool = True) -> str:
        """Draw the course in its current state, with robots, devices and the coordinates of its squares.

        Args:
            view: What the seat sees.
            record: The game, of which only the board is read.
            notes: Whether to list, below the board, details that do not fit into their square.
        """
        changes = changes_of(record, self.course)
        current = current_course(self.course, changes)
        marks, tints = self._marks(view)
        drawn = draw(current, self.unicode, self.colour, marks, raised_squares(current, changes), tints).splitlines()
        width, height = self.course.size
        numbers = "".join(f"{x:^{CELL + 1}}" for x in range(width))
        rows = [f"{y // 2 if y % 2 else '':>2} {line}".rstrip() for y, line in enumerate(drawn[: 2 * height + 1])]
        return "\n".join([f"    {numbers}".rstrip(), *rows, *drawn[2 * height + 1 :] * notes]) + "\n"

    def small_board(self, view: View, record: GameRecord, columns: int, rows: int) -> list[str]:
        """Draw a limited number of columns and rows of the course around the seat's robot, as a list of lines."""
        changes = changes_of(record, self.course)
        current = current_course(self.course, changes)
        middle = view.own.square or view.own.archive or (0, 0)
        parts = []
        for place, room, length in zip(middle, (columns, rows), self.course.size, strict=True):
            start = max(0, min(place - room // 2, length - room))
            parts.append(range(start, min(length, start + room)))
        marks, tints = self._marks(view)
        return draw_compact(current, self.unicode, self.colour, marks, raised_squares(current, changes), tints, *parts)

    def _marks(self, view: View) -> tuple[dict[tuple[int, int], str], dict[tuple[int, int], str]]:
        """Return the marks of robots and devices by square, and the colours of the marks of robots by square."""
        robots = []
        tints: dict[tuple[int, int], str] = {}
        for robot in view.robots:
            facing = DIRECTION_NAMES.index(robot.facing)
            if robot.square:
                still = bool(robot.down or robot.asleep)
                mark = robot_mark(robot.seat, facing, self.unicode, virtual=robot.virtual, still=still)
                robots.append((robot.square, mark))
                tints.setdefault(robot.square, TERMINAL_CHIPS[robot.seat])
            if robot.copy:
                robots.append((robot.copy, robot_mark(robot.seat, facing, self.unicode, copy=True)))
                tints.setdefault(robot.copy, TERMINAL_CHIPS[robot.seat])
        return marks_on_squares(robots, {device.square: self._sign(device) for device in view.devices}), tints

    def _sign(self, device: DeviceView) -> str:
        return device_sign(device.kind, DIRECTION_NAMES.index(device.facing), device.owner, self.unicode)

    def robots(self, view: View) -> str:
        """Format a table of all robots, followed by their options, their locked registers, and devices on the board."""
        rows = [["", "robot", "at", "faces", "damage", "lives", "flags", "state"]]
        for robot in view.robots:
            rows.append([
                ">" if robot.seat == view.seat else "",
                f"{self.chip(robot.seat, str(robot.seat + 1))} {self._name(view, robot.seat)}",
                _at(robot.square),
                _FACING[robot.facing] if robot.square else "-",
                str(robot.damage),
                "-" if robot.lives is None else str(robot.lives),
                f"{robot.flag}/{len(view.flags)}",
                ", ".join(_states(robot, view)) or "-",
            ])  # fmt: skip
        table = columns(rows)
        table[1 + view.seat] = self.strong(table[1 + view.seat])
        return "\n".join([*table, *self._more(view)]) + "\n"

    def _name(self, view: View, seat: int) -> str:
        return "you" if seat == view.seat else self.names[seat]

    def _more(self, view: View) -> Iterable[str]:
        for robot in view.robots:
            name = self._name(view, robot.seat)
            if robot.options:
                left = [option + (f" {n}" if n or HOLDS[option] else "") for option, n in robot.options.items()]
                yield f"options of {name}: {', '.join(left)}"
            locked = [f"{r} {card_words(card)}" for r, card in enumerate(robot.registers, 1) if card]
            if locked and robot.seat != view.seat:
                yield f"locked registers of {name}: {', '.join(locked)}"
        for device in view.devices:
            owner = "" if device.owner is None else f" of {self._name(view, device.owner)}"
            aim = f", flies to {_at(device.target)}" if device.target else ""
            yield f"{self._sign(device)} at {_at(device.square)}: {DEVICE_WORDS[device.kind]}{owner}{aim}"
        for flag, team in enumerate(view.flag_owners, start=1):
            if team:
                yield f"flag {flag} belongs to team {team}"

    def hand(self, view: View) -> str:
        """Format the playable cards with their numbers, and other cards that only this seat sees."""
        cards = [*view.hand, *(card for seat in sorted(view.mates) for card in view.mates[seat])]
        if not cards:
            return ""
        cells = [f"{number} {card_words(card)}" for number, card in enumerate(cards, start=1)]
        rows = columns([cells[i : i + COLUMNS] for i in range(0, len(cells), COLUMNS)], "    ")
        lines = ["your hand", *(f"  {row}" for row in rows)]
        if view.mates:
            shared = [f"{len(hand)} of {self.names[seat]}" for seat, hand in sorted(view.mates.items())]
            lines[0] += f": {len(view.hand)} of your own, then {', '.join(shared)}"
        if view.stored:
            lines.append(f"on your Flywheel: {card_words(view.stored)}")
        if view.bomb:
            bomb = [f"{number} {card_words(card)}" for number, card in enumerate(view.bomb, start=1)]
            lines.append(f"cards of your buzz bomb: {', '.join(bomb)}")
        return "\n".join(lines) + "\n"

    def entered(self, view: View, fields: Mapping[str, Any]) -> str:
        """Format the program and the other orders so far, one line each."""
        lines = []
        if view.hand or any(view.own.registers):
            program = fields.get("program", (None,) * len(view.own.registers))
            cards = [
                f"{r} {card_words(held)}, locked" if held else f"{r} {card_words(card)}"
                for r, (card, held) in enumerate(zip(program, view.own.registers, strict=True), start=1)
            ]
            lines.append(f"program: {' | '.join(cards)}")
        lines += [self.order(name, value) for name, value in fields.items() if name != "program"]
        return "\n".join(lines or ["no orders"]) + "\n"

    def order(self, name: str, value: Any) -> str:
        """Describe one order in words."""
        if value is not None and ORDERS[name].kind == "robot":
            return f"{name}: {value + 1} {self.names[value]}"
        if name in CARD_ORDERS:
            match value:
                case {"card": card, "register": register}:
                    return f"{name}: {card_words(card)} for register {register or 'none'}"
                case list() | tuple():
                    return f"{name}: {', '.join(map(card_words, value)) or 'none'}"
            return f"{name}: {card_words(value) if value else 'none'}"
        return f"{name}: {order_words(value)}"


def order_words(value: Any) -> str:
    """Format a value of an order, other than a card or a robot, in the form in which it can be typed."""
    match value:
        case None:
            return "none"
        case bool():
            return str(value).lower()
        case list() | tuple():
            return " ".join(map(order_words, value)) or "[]"
    return str(value)


def _at(square: tuple[int, int] | None) -> str:
    return f"({square[0]}, {square[1]})" if square else "-"


def _states(robot: RobotView, view: View) -> Iterable[str]:
    states: dict[str, Any] = {
        "won": robot.seat in view.winners,
        "out": robot.out,
        f"back in {robot.sits_out} turns": robot.sits_out,
        "virtual": robot.virtual,
        "powered down": robot.down,
        "powers down next": robot.announced,
        f"on level {robot.level}": robot.level,
        "on a ramp": robot.on_ramp,
        "flying": robot.flying,
        f"burning {robot.burning}": robot.burning,
        f"asleep {robot.asleep}": robot.asleep,
        f"copy at {_at(robot.copy)}": robot.copy,
        f"team {robot.team}": robot.team,
        f"in goo {robot.goo}": robot.goo,
        f"carries flag {robot.carries}": robot.carries,
        "caught by a scrambler bomb": robot.bombed,
        "SuperBot": robot.superbot,
        **{f"{token} token": True for token in robot.tokens},
        "may choose its facing": robot.may_face and robot.seat == view.seat and not robot.out,
    }
    return [state for state, holds in states.items() if holds]
