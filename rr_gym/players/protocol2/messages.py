"""The messages of protocol 2 besides `course`, and what programs answer (docs/protocol.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.observe.view import seats_of, view_of
from rr_gym.errors import RoboRallyError
from rr_gym.json_text import loads
from rr_gym.players.messages import NOT_AN_ANSWER, NOT_JSON, AnswerError, Said
from rr_gym.players.process import LONGEST_LINE
from rr_gym.players.protocol import SeatView, decision_word
from rr_gym.players.protocol2.legal import legal_orders
from rr_gym.players.protocol2.previews import state_of
from rr_gym.players.protocol2.seat_games import FORFEIT_LOST, FORFEIT_SHARE, SeatGame
from rr_gym.rules.state.records import GameRecord
from rr_gym.version import __version__

PROTOCOL = 2
FORFEIT = "forfeit"  # a decision of a game that was forfeited before
BANK_USED_UP = "the time bank of this game is used up"
MOST_PREVIEWS = 256  # in one request
EXPECTED = "expected an object with 'id' and either 'orders' or 'preview', and nothing else"


def hello(start_seconds: float) -> dict[str, Any]:
    """Return the first message to a program."""
    return {"type": "hello", "protocol": PROTOCOL, "rr_gym": __version__, "start_seconds": start_seconds}


def course_facts(seconds: float, bank: float, preparation: float) -> dict[str, Any]:
    """Return the times and limits that the message about a course contains."""
    return {
        "seconds": seconds,
        "bank_seconds": bank,
        "preparation_seconds": preparation,
        "limits": {
            "line_bytes": LONGEST_LINE,
            "previews": MOST_PREVIEWS,
            "forfeit_lost": FORFEIT_LOST,
            "forfeit_share": FORFEIT_SHARE,
        },
    }


def game_message(game: SeatGame, course: int, num_robots: int) -> dict[str, Any]:
    """Return the message that begins a game."""
    return {
        "type": "game",
        "game": game.name,
        "course": course,
        "seat": game.seat,
        "robots": num_robots,
        "players": list(game.facts.players) or None,
        "scored": game.facts.scored or None,
        "truncated_after": game.facts.max_cycles,
    }


def turn_message(view: SeatView, number: int, game: SeatGame, seed: int, seconds: float) -> dict[str, Any]:
    """Return the message that asks for the orders of one seat.

    Args:
        view: What the seat sees; besides `game`, the message contains nothing else.
        number: Identifies the message in the answer.
        game: The game of the seat.
        seed: The seed of the player.
        seconds: The time for the answer.
    """
    record, course = view.record, view.arena.courses[view.record["course"]]
    shown = view_of(record, view.seat, course).to_json()
    for known in ("seat", "course", "size", "turn", "over", "winners"):
        del shown[known]
    return {
        "type": "turn",
        "id": number,
        "game": game.name,
        "turn": int(record["turn"]),
        "seconds": seconds,
        "bank_seconds": round(game.bank, 3),
        "chance": int(decision_word(record, view.seat, np.uint64(seed))) >> 32,
        "state": state_of(record, view.table, view.seat),
        "legal": legal_orders(view),
        "view": shown,
        "last": game.last,
    }


def preview_message(number: int, results: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the answer to a request for previews."""
    return {"type": "preview", "id": number, "results": results}


def error_message(number: int, game: SeatGame, fault: str, message: str) -> dict[str, Any]:
    """Return the message that tells a program that default orders were played instead of its answer."""
    return {
        "type": "error",
        "id": number,
        "game": game.name,
        "fault": fault,
        "message": message,
        "lost": game.lost,
        "forfeited": bool(game.forfeited),
    }


def end_message(game: SeatGame, record: GameRecord, places: list[int]) -> dict[str, Any]:
    """Return the message that ends a game.

    Args:
        game: The game of the seat.
        record: The game as it ended.
        places: The place of each seat.
    """
    return {
        "type": "end",
        "game": game.name,
        "turns": int(record["turn"] + record["over"]),  # the record does not count the turn in which a game ends
        "truncated": not record["over"],
        "winners": list(seats_of(int(record["winners"]))),
        "places": places,
        "lost": game.lost,
        "forfeited": bool(game.forfeited),
        "last": game.last,
    }


def read_line(line: bytes) -> Said:
    """Return what a line of a program says: an answer, or a request for previews.

    Raises:
        AnswerError: It is neither.
    """
    try:
        said = loads(line, "answer")
    except RoboRallyError as error:
        raise AnswerError(NOT_JSON, f"expected one JSON object in a line: {error}") from None
    if not isinstance(said, dict) or said.keys() not in ({"id", "orders"}, {"id", "preview"}):
        raise AnswerError(NOT_AN_ANSWER, EXPECTED)
    number = said["id"]
    if not isinstance(number, int) or isinstance(number, bool):
        raise AnswerError(NOT_AN_ANSWER, "id: expected the number of a turn")
    if "orders" in said:
        return Said(number, said["orders"])
    listed = said["preview"]
    if not isinstance(listed, list) or not 1 <= len(listed) <= MOST_PREVIEWS:
        raise AnswerError(NOT_AN_ANSWER, f"preview: expected a list of 1 to {MOST_PREVIEWS} orders")
    return Said(number, previews=tuple(listed))
