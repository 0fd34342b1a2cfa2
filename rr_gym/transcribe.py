"""One turn of a game written down as a scenario (docs/scenario-format.md), so that it can be read and played again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from rr_gym.courses.board import format_board
from rr_gym.courses.course import Course
from rr_gym.courses.library import list_courses
from rr_gym.encoding.orders import RING, SITES
from rr_gym.jit import run
from rr_gym.rules.arena import Arena
from rr_gym.rules.cards import card_name
from rr_gym.rules.constants import DIRECTION_NAMES, NUM_REGISTERS
from rr_gym.rules.records import GAME, GameRecord, OrdersRecords, RobotRecord, TableRecord, new_log
from rr_gym.rules.settings import Settings, resolve_settings, special_rule_settings
from rr_gym.rules.turn import program

AT_THE_START = ("lives", "start_damage", "first_card_moves")  # settings that a position in play no longer needs


def scenario_of(
    arena: Arena, before: GameRecord, orders: OrdersRecords | None, after: GameRecord | None
) -> dict[str, Any]:
    """A scenario as plain data.

    Args:
        arena: What the game is played in.
        before: The game before the turn, dtype `GAME`.
        orders: The orders of the turn, shape (8,), dtype `ORDERS`; None to write only the position.
        after: The game after the turn; None to expect nothing but that the turn can be played.

    Returns:
        The scenario with the cards that the robots really played, those drawn by chance included. It says all that
        a scenario can say: not which cards lie in the deck, nor since when a robot is virtual, nor always how one
        faces that re-enters.
    """
    course, settings, table = arena.courses[before.course], arena.settings[before.course], arena.tables[before.course]
    ids = [chr(ord("a") + i) for i in range(before.num_robots)]
    bodies = {i: name for i, name in enumerate(ids) if before.robots[i].alive}
    scenario: dict[str, Any] = {"name": f"game {before.index}, episode {before.episode}, turn {before.turn}"}
    scenario |= {"course": course.id} if course.id in list_courses() else {"board": board_text(course)}
    scenario["params"] = _params(course, settings)
    scenario["robots"] = {name: _position(table, before, i, orders) for i, name in bodies.items()}
    if orders is not None:
        cards = _registers(table, before, orders)
        scenario["programs"] = {name: cards[i] for i, name in bodies.items() if not before.robots[i].down}
        scenario["orders"] = {name: _decisions(course, orders[i], settings) for i, name in bodies.items()}
        scenario["run"] = "turn"
    scenario["expect"] = {} if after is None else {name: _outcome(table, after.robots[i]) for i, name in bodies.items()}
    if settings.reentry_facing == "cleanup" and not _chooses_facing(course, settings):
        for outcome in scenario["expect"].values():
            outcome.pop("facing", None)
    return scenario


def _params(course: Course, settings: Settings) -> dict[str, Any]:
    """The settings that the course alone would not give; in scenarios option cards are on unless they say (U26)."""
    own = resolve_settings(("course", special_rule_settings(course.rules)), ("course", course.params))
    return {
        name: value
        for name, value in asdict(settings).items()
        if name not in AT_THE_START and (value != getattr(own, name) or name == "option_cards")
    }


def board_text(course: Course) -> str:
    """The board of a course that has one board and no dock."""
    return format_board(course.placements[0].board)


def _place(table: TableRecord, square: int) -> list[int]:
    return [int(table["squares"][square]["x"]), int(table["squares"][square]["y"])]


def _state(table: TableRecord, robot: RobotRecord) -> dict[str, Any]:
    """What a robot's position and its outcome have in common."""
    return {
        "at": _place(table, robot.square),
        "facing": DIRECTION_NAMES[robot.facing],
        "damage": int(robot.damage),
        "flag": int(robot.flag),
        "archive": _place(table, robot.archive),
        "virtual": bool(robot.virtual),
        "powered_down": bool(robot.down),
        "lives": int(robot.lives) if robot.lives >= 0 else "unlimited",
    }


def _position(table: TableRecord, game: GameRecord, seat: int, orders: OrdersRecords | None) -> dict[str, Any]:
    robot = game.robots[seat]
    state = _state(table, robot)
    if orders is not None and robot.may_face and 0 <= orders[seat].facing < 4:
        state["facing"] = DIRECTION_NAMES[orders[seat].facing]  # it is turned before the first card
    locked = [r for r in range(NUM_REGISTERS) if robot.locked >> r & 1]
    if locked:
        state["locked"] = {r + 1: card_name(robot.registers[r]) for r in locked}
    return state


def _outcome(table: TableRecord, robot: RobotRecord) -> dict[str, Any]:
    if not robot.alive:
        return {"flag": int(robot.flag), **({"out": True} if robot.out else {"destroyed": True})}
    return {**_state(table, robot), "locked": [r + 1 for r in range(NUM_REGISTERS) if robot.locked >> r & 1]}


def _registers(table: TableRecord, before: GameRecord, orders: OrdersRecords) -> list[list[str]]:
    """The cards in the registers after programming; locked ones are left to the position."""
    games = np.array([before], GAME)
    run(program, games[0], table, orders, new_log(on=False)[0])
    return [
        ["none" if robot.locked >> r & 1 else card_name(robot.registers[r]) for r in range(NUM_REGISTERS)]
        for robot in games[0].robots
    ]


def _decisions(course: Course, orders: OrdersRecords, settings: Settings) -> dict[str, Any]:
    """The orders that mean something, in the words of scenarios."""
    decisions: dict[str, Any] = {"power_down": bool(orders.power_down > 0), "stay_down": bool(orders.stay_down > 0)}
    if 1 <= orders.unlock <= NUM_REGISTERS:
        decisions["unlock"] = int(orders.unlock)
    if 0 < orders.site < len(SITES):
        decisions["site"] = SITES[orders.site]
    if 0 <= orders.square < RING:
        decisions["square"] = int(orders.square)
    if _chooses_facing(course, settings) and 0 <= orders.facing < 4:
        decisions["facing"] = DIRECTION_NAMES[orders.facing]
    return decisions


def _chooses_facing(course: Course, settings: Settings) -> bool:
    """Whether a scenario can say how a robot that re-enters in its turn faces: without a dock the order would turn
    everybody at the start of the run instead (U28)."""
    return settings.reentry_facing == "cleanup" and course.start_facing is not None
