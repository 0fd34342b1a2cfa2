"""One turn of a game written down as a scenario (docs/scenario-format.md), so that it can be read and played again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from rr_gym.courses.board import format_board
from rr_gym.courses.course import Course
from rr_gym.courses.ground import ELEVATORS, LEVELS, TURRETS
from rr_gym.courses.library import list_courses
from rr_gym.encoding.orders import CHOPS, FREAK_ORDERS, RING, SITES
from rr_gym.jit import run
from rr_gym.rules.arena import Arena
from rr_gym.rules.cards import card_name
from rr_gym.rules.constants import DECK_SIZE, DIRECTION_NAMES, NUM_REGISTERS
from rr_gym.rules.options import OPTION_NAMES
from rr_gym.rules.records import GAME, GameRecord, OrdersRecords, TableRecord, new_log
from rr_gym.rules.settings import Settings, resolve_settings, special_rule_settings
from rr_gym.rules.turn import program
from rr_gym.scenarios.position import owned_options
from rr_gym.scenarios.script import COUNTS
from rr_gym.scenarios.state import coordinates, ramp_side, state_of
from rr_gym.scenarios.words import NONE

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
        faces that re-enters, nor where copies are, nor that elevators begin a turn raised with nobody on them.
    """
    course, settings, table = arena.courses[before.course], arena.settings[before.course], arena.tables[before.course]
    ids = [chr(ord("a") + i) for i in range(before.num_robots)]
    bodies = {i: name for i, name in enumerate(ids) if before.robots[i].alive}
    scenario: dict[str, Any] = {"name": f"game {before.index}, episode {before.episode}, turn {before.turn}"}
    scenario |= {"course": course.id} if course.id in list_courses() else {"board": board_text(course)}
    scenario["params"] = _params(course, settings)
    scenario["robots"] = {name: _position(before, table, i, orders) for i, name in bodies.items()}
    if state := state_of(before, table):
        scenario["state"] = state
    if table.course.features & TURRETS and before.turret_cards.any():
        scenario.setdefault("state", {})["turret_cards"] = [card_name(card) for card in before.turret_cards]
    if settings.option_cards == "on":
        undealt = before.option_deck[: before.option_deck_left]
        scenario["option_deck"] = [OPTION_NAMES[option] for option in reversed(undealt)]
    if orders is not None:
        cards = _registers(table, before, orders)
        scenario["programs"] = {name: cards[i] for i, name in bodies.items() if not before.robots[i].down}
        scenario["orders"] = {name: _decisions(course, orders[i], settings) for i, name in bodies.items()}
        scenario["run"] = "turn"
    scenario["expect"] = {} if after is None else {
        name: _outcome(after, table, i) for i, name in bodies.items()
    }
    if after is not None and (state := state_of(after, table)):
        scenario["expect_state"] = state
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


def _state(game: GameRecord, table: TableRecord, seat: int) -> dict[str, Any]:
    """What a robot's position and its outcome have in common; what says nothing special is left out."""
    robot = game.robots[seat]
    state = {
        "at": list(coordinates(table, robot.square)),
        "facing": DIRECTION_NAMES[robot.facing],
        "damage": int(robot.damage),
        "flag": int(robot.flag),
        "archive": list(coordinates(table, robot.archive)),
        "virtual": bool(robot.virtual),
        "powered_down": bool(robot.down),
        "lives": int(robot.lives) if robot.lives >= 0 else "unlimited",
    }
    if table.course.features & (LEVELS | ELEVATORS):
        state["level"] = int(robot.level)
    if (side := ramp_side(game, table, robot.square)) != NONE:
        state["on_ramp"] = side
    if robot.flying:
        state["flying"] = True
    state |= {name: int(robot[name]) for name in COUNTS if robot[name]}
    if options := owned_options(robot):
        state["options"] = {OPTION_NAMES[option]: left for option, left in options.items()}
    return state


def _position(game: GameRecord, table: TableRecord, seat: int, orders: OrdersRecords | None) -> dict[str, Any]:
    robot = game.robots[seat]
    state = _state(game, table, seat)
    if orders is not None and robot.may_face and 0 <= orders[seat].facing < 4:
        state["facing"] = DIRECTION_NAMES[orders[seat].facing]  # it is turned before the first card
    locked = [r for r in range(NUM_REGISTERS) if robot.locked >> r & 1]
    if locked:
        state["locked"] = {r + 1: card_name(robot.registers[r]) for r in locked}
    return state


def _outcome(game: GameRecord, table: TableRecord, seat: int) -> dict[str, Any]:
    robot = game.robots[seat]
    if not robot.alive:
        return {"flag": int(robot.flag), **({"out": True} if robot.out else {"destroyed": True})}
    return {**_state(game, table, seat), "locked": [r + 1 for r in range(NUM_REGISTERS) if robot.locked >> r & 1]}


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
    if 0 < orders.chop < len(CHOPS):
        decisions["chop"] = CHOPS[orders.chop]
    if 0 <= orders.chop_option < len(OPTION_NAMES):
        decisions["chop_option"] = OPTION_NAMES[orders.chop_option]
    if not orders.waste:
        decisions["waste"] = False
    if 0 < orders.freak < len(FREAK_ORDERS):
        decisions["freak_order"] = list(FREAK_ORDERS[orders.freak])
    if 0 < orders.reset_card <= DECK_SIZE:
        decisions["reset_card"] = card_name(orders.reset_card)
    return decisions


def _chooses_facing(course: Course, settings: Settings) -> bool:
    """Whether a scenario can say how a robot that re-enters in its turn faces: without a dock the order would turn
    everybody at the start of the run instead (U28)."""
    return settings.reentry_facing == "cleanup" and course.start_facing is not None
