"""The messages between a game and a program that plays: one JSON object in a line (docs/protocol.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.courses.text.grammar import write_cell
from rr_gym.courses.text.layout import PlacedSquare
from rr_gym.encoding.observe.view import view_of
from rr_gym.encoding.orders.legal_orders import hand_of_team, resolve_orders
from rr_gym.errors import RoboRallyError
from rr_gym.json_text import loads
from rr_gym.players.protocol import SeatView, decision_word
from rr_gym.rules.state.cards import FIRST_MOVEMENT, card_name
from rr_gym.rules.state.constants import DIRECTION_NAMES, NUM_REGISTERS
from rr_gym.rules.state.records import OrdersRecord, no_orders
from rr_gym.rules.state.settings import Settings
from rr_gym.version import __version__

PROTOCOL = 1
TIME_OUT = "time-out"
CRASH = "crash"
NOT_JSON = "not JSON"
NOT_AN_ANSWER = "not an answer"
ILLEGAL = "illegal order"
OUT = "out"  # crashed too often, not started again


class AnswerError(RoboRallyError):
    """A line of a program contains no valid orders.

    Attributes:
        fault: The kind of fault, one of the constants of this module.
    """

    def __init__(self, fault: str, message: str) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Said:
    """What a line of a program says.

    Attributes:
        number: The number of the turn that it names.
        orders: The orders of an answer, unchecked.
        previews: The orders, unchecked, of which it asks where they lead; None for an answer.
    """

    number: int
    orders: Any = None
    previews: tuple[Any, ...] | None = None


def write_line(message: Mapping[str, Any]) -> str:
    """Return a message as a line without its end, in ASCII and without spaces."""
    return json.dumps(message, separators=(",", ":"), allow_nan=False)


def hello(seconds: float) -> dict[str, Any]:
    """Return the first message to a program."""
    return {"type": "hello", "protocol": PROTOCOL, "rr_gym": __version__, "seconds": seconds}


def rules_message(number: int, settings: Settings) -> dict[str, Any]:
    """Return the message that describes the settings of games, under the number that turns refer to."""
    return {"type": "rules", "rules": number, "settings": asdict(settings)}


def course_facts(number: int, course: Course) -> dict[str, Any]:
    """Return what messages about a course begin with in both protocols."""
    facing = course.start_facing
    return {
        "type": "course",
        "course": number,
        "id": course.id,
        "name": course.name,
        "size": course.size,
        "flags": course.flags,
        "starts": course.starts,
        "start_facing": None if facing is None else DIRECTION_NAMES[facing],
    }


def squares_by_row(course: Course) -> list[list[PlacedSquare | None]]:
    """Return the squares of a course in rows from the north, None where there is none."""
    width, height = course.size
    return [[course.squares.get((x, y)) for x in range(width)] for y in range(height)]


def course_message(number: int, course: Course) -> dict[str, Any]:
    """Return the message that describes the course of games, under the number that turns refer to."""
    rows = squares_by_row(course)
    return {
        **course_facts(number, course),
        "grid": [[square and write_cell(square.cell.items, square.cell.sides) for square in row] for row in rows],
        "levels": [[square.level if square else 0 for square in row] for row in rows],
        "text": course.to_yaml(),
    }


def turn_message(
    view: SeatView, number: int, run_number: int, seed: int, seconds: float, played_by: Mapping[str, int]
) -> dict[str, Any]:
    """Return the message that asks for the orders of one seat.

    Args:
        view: What the seat sees; the message contains nothing else about the game.
        number: Identifies the message in the answer.
        run_number: How often the player was reset; together with the game's index in its batch it identifies the game.
        seed: The seed of the player.
        seconds: The time for the answer.
        played_by: The numbers of `rules` and `course`.
    """
    game, course = view.record, view.arena.courses[view.record["course"]]
    word = int(decision_word(game, view.seat, np.uint64(seed)))
    return {
        "type": "turn",
        "id": number,
        "game": f"{run_number}.{game['index']}.{game['episode']}",
        "seat": view.seat,
        "turn": int(game["turn"]),
        "seconds": seconds,
        **played_by,
        "chance": word >> 32,
        "legal": legal_choices(view),
        "view": view_of(game, view.seat, course).to_json(),
    }


def legal_choices(view: SeatView) -> dict[str, Any]:
    """Return the legal orders of the base game, as plain data."""
    robot, settings = view.record["robots"][view.seat], view.arena.settings[view.record["course"]]
    cards = hand_of_team(view.record, view.seat, settings)
    locked = [r + 1 for r in range(NUM_REGISTERS) if robot["locked"] >> r & 1]
    may_power_down = settings.power_down == "on"
    damaged = settings.pd_needs_damage == "off" or robot["damage"] > 0
    first = settings.first_card_moves == "on" and view.record["turn"] == 0
    return {
        "cards": [card_name(card) for card in cards],
        "registers": [r for r in range(1, NUM_REGISTERS + 1) if r not in locked] if cards and not robot["down"] else [],
        "facing": list(DIRECTION_NAMES) if robot["may_face"] else [],
        "power_down": bool(may_power_down and damaged and not robot["down"]),
        "stay_down": may_power_down,
        "unlock": locked if settings.unlock == "choice" else [],
        "first_card_moves": bool(first and any(card >= FIRST_MOVEMENT for card in robot["hand"])),
    }


def error_message(number: int, fault: str, message: str) -> dict[str, Any]:
    """Return the message that tells a program that default orders were played instead of its answer."""
    return {"type": "error", "id": number, "fault": fault, "message": message}


def read_answer(line: bytes) -> tuple[int, Any]:
    """Return the number of the turn and the orders of an answer, both unchecked.

    Raises:
        AnswerError: The line is not JSON, or not an object with exactly `id` and `orders`.
    """
    try:
        answer = loads(line, "answer")
    except RoboRallyError as error:
        raise AnswerError(NOT_JSON, f"expected one JSON object in a line: {error}") from None
    if not isinstance(answer, dict) or answer.keys() != {"id", "orders"}:
        raise AnswerError(NOT_AN_ANSWER, "expected an object with 'id' and 'orders' and nothing else")
    if not isinstance(answer["id"], int) or isinstance(answer["id"], bool):
        raise AnswerError(NOT_AN_ANSWER, "id: expected that of the turn")
    return answer["id"], answer["orders"]


def read_orders(orders: Any, view: SeatView) -> OrdersRecord:
    """Return a seat's orders as a record, after the same checks as for people.

    Raises:
        AnswerError: The rules do not allow them.
    """
    game = view.record
    settings, table = view.arena.settings[game["course"]], view.arena.tables[game["course"]]
    try:
        return resolve_orders({view.seat: orders}, game, settings, table)[view.seat]
    except ValueError as error:  # an OrderError, or a number with too many digits
        raise AnswerError(ILLEGAL, str(error)) from None


def lost_orders() -> OrdersRecord:
    """Return what is played if a program has lost a decision: default orders, marked as late (R-G4.2)."""
    orders: OrdersRecord = no_orders(1, full=True)[0]
    orders.late = 1
    return orders


def shortened(text: str, length: int) -> str:
    """Return a text that is safe for terminals, shortened to a number of characters."""
    text = "".join(c if c.isprintable() else "?" for c in text[: length + 1])
    return text if len(text) <= length else f"{text[:length]}..."
