"""Previews: where orders lead a robot that is alone on the board, by the rules."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from rr_gym.compilation.cache import seconds_spent
from rr_gym.courses.changes import place_of
from rr_gym.courses.course import Course
from rr_gym.encoding.observe.view import square_of
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.players.protocol import SeatView
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.constants import DIRECTION_NAMES, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.solo.lone_turn import LoneStand, play_alone, stand_of


def preview_result(view: SeatView, orders: Any) -> dict[str, Any]:
    """Return where orders lead the seat's robot if nobody else were on the board.

    Args:
        view: What the seat sees.
        orders: Orders as in an answer, which nobody has checked.

    Returns:
        `phases`, one entry for each phase up to the first open register, and `end`; or only `error`, what the rules do
        not allow about the orders.
    """
    game = view.record
    course, settings = view.arena.courses[game["course"]], view.arena.settings[game["course"]]
    try:
        resolved = resolve_orders({view.seat: orders}, game, settings, view.table)[view.seat]
    except ValueError as error:  # an OrderError, or a number with too many digits
        return {"error": str(error)}
    lone, _, phases, stands = play_alone(game, view.seat, view.table, resolved, logged=False)
    robot = lone.robots[0]
    return {
        "phases": [_stand(stand, lone, course) for stand in stands],
        "end": {
            **_stand(stand_of(lone), lone, course),
            "archive": _square(int(robot.archive), lone, course),
            "turn_over": phases == NUM_REGISTERS,
            "state": state_of(lone, view.table, 0),
        },
    }


def preview_results(view: SeatView, previews: Sequence[Any], deadline: float) -> list[dict[str, Any]] | None:
    """Return the results of several previews; None if there is no time for all of them.

    Args:
        view: What the seat sees.
        previews: Orders, as for `preview_result`.
        deadline: When there is no more time, by `time.monotonic`. What has to be compiled first is not counted.
    """
    results = []
    compiled = seconds_spent()
    for orders in previews:
        if time.monotonic() - (seconds_spent() - compiled) > deadline:
            return None
        results.append(preview_result(view, orders))
    return results


def state_of(game: GameRecord, table: Any, robot: int) -> int | None:
    """Return the state of a robot, its index in the tables of the course; None while it is off the board."""
    body = game["robots"][robot]
    if body["square"] < 0:
        return None
    return int(standing_place(game, table, robot)) * 4 + int(body["facing"])


def _stand(stand: LoneStand, lone: GameRecord, course: Course) -> dict[str, Any]:
    return {
        "square": _square(stand.square, lone, course),
        "facing": DIRECTION_NAMES[stand.facing],
        "damage": stand.damage,
        "flag": stand.flag,
    }


def _square(number: int, lone: GameRecord, course: Course) -> tuple[int, int] | None:
    if number < 0:
        return None
    return square_of(place_of(course, number, lone["rooms"].tolist()), course.size[0])
