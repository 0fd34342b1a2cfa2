"""Write down one turn of a game as a scenario (docs/scenario-format.md), so that it can be read and played again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from rr_gym.compilation.records import Array
from rr_gym.courses.course import Course
from rr_gym.courses.library import list_courses
from rr_gym.courses.tables.ground import HAS_ELEVATORS, HAS_LEVELS, HAS_TURRETS
from rr_gym.courses.text.board_format import format_board
from rr_gym.encoding.orders.option_orders import lacking
from rr_gym.encoding.orders.orders import Orders
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.devices.devices import GOO_SQUARES
from rr_gym.rules.options.buzz_bombs import bomb_owner
from rr_gym.rules.options.options import owns
from rr_gym.rules.state.cards import card_name, draw_card
from rr_gym.rules.state.constants import DECK, DIRECTION_NAMES, GOO_TOKEN, NUM_OPTIONS, NUM_REGISTERS
from rr_gym.rules.state.option_cards import BIO_OPTION, OPTION_NAMES, RECOMPILE
from rr_gym.rules.state.order_table import BASE_ORDERS, word_of
from rr_gym.rules.state.order_table import ORDERS as ORDER_WORDS
from rr_gym.rules.state.records import DECISIONS, FULL_ORDERS, GAME, GameRecord, OrdersRecord, Robot, new_log, orders_as
from rr_gym.rules.state.settings import Settings, resolve_settings, special_rule_settings
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.planning import program
from rr_gym.scenarios.devices import device_fields
from rr_gym.scenarios.position import owned_options
from rr_gym.scenarios.script import COUNTS
from rr_gym.scenarios.state import field_of, state_of
from rr_gym.scenarios.words import NONE

# Settings that matter only at the start of a game
AT_THE_START = (
    "lives", "start_damage", "first_card_moves", "option_package", "option_draft_deal", "option_draft_keep",
    "start_options",
)  # fmt: skip


def scenario_of(
    arena: Arena, before: GameRecord, orders: Array[OrdersRecord] | None, after: GameRecord | None
) -> dict[str, Any]:
    """Return a turn of a game as a scenario, in plain data.

    Args:
        arena: The arena of the game.
        before: The game before the turn, dtype `GAME`.
        orders: The orders of the turn, shape (8,), dtype `FULL_ORDERS`; None to write only the position.
        after: The game after the turn; None to expect only that the turn can be played.

    Returns:
        The scenario, with the cards that the robots really played, including randomly drawn ones. Scenarios cannot
        express how long a robot has been virtual, sometimes the facing of a robot that re-enters, where copies are, and
        that elevators begin a turn raised with nobody on them. State of option cards and variants that they cannot
        express is listed in `comment`.
    """
    course, settings, table = arena.courses[before.course], arena.settings[before.course], arena.tables[before.course]
    ids = [chr(ord("a") + i) for i in range(before.num_robots)]
    bodies = {i: name for i, name in enumerate(ids) if before.robots[i].alive}
    owners = [bodies.get(i, NONE) for i in range(before.num_robots)]  # names of robots on the board
    scenario: dict[str, Any] = {"name": f"game {before.index}, episode {before.episode}, turn {before.turn}"}
    scenario |= {"course": course.id} if course.id in list_courses() else {"board": board_text(course)}
    scenario["params"] = _params(course, settings)
    if not before.pile_of.any():
        scenario["params"].pop("scavenger", None)  # this setting would lay the piles again
    scenario["robots"] = {name: _position(before, table, i, orders) for i, name in bodies.items()}
    if state := state_of(before, table):
        scenario["state"] = state
    if table.course.features & HAS_TURRETS:
        scenario.setdefault("state", {})["turret_cards"] = [card_name(card) for card in before.turret_cards]
    if settings.option_cards == "on":
        undealt = before.option_deck[: before.option_deck_left]
        scenario["option_deck"] = [OPTION_NAMES[option] for option in reversed(undealt)]
    if facts := inexpressible_state(before, orders, settings):
        scenario["comment"] = f"not in this scenario: {', '.join(facts)}"
    if devices := _devices(before, table, owners):
        scenario["devices"] = devices
    if orders is not None:
        played = _programmed(table, before, orders)
        open_robots = {i: name for i, name in bodies.items() if not before.robots[i].down}
        scenario["programs"] = {name: _program(before.robots[i], played.robots[i]) for i, name in open_robots.items()}
        scenario["orders"] = {
            name: _decisions(table, before, played, i, orders[i], owners) for i, name in bodies.items()
        }
        if not _chooses_facing(course, settings):
            for given in scenario["orders"].values():
                given.pop("facing", None)
        if deck := _drawn(played, after):
            scenario["deck"] = deck
        scenario["run"] = "turn"
    scenario["expect"] = {} if after is None else {
        name: _outcome(after, table, i) for i, name in bodies.items()
    }
    if after is not None and (state := state_of(after, table)):
        scenario["expect_state"] = state
    if after is not None and settings.option_cards == "on":
        scenario["expect_devices"] = [
            {name: value for name, value in device.items() if name != "program"}
            for device in _devices(after, table, owners)
        ]
    if settings.reentry_facing == "cleanup" and not _chooses_facing(course, settings):
        for outcome in scenario["expect"].values():
            outcome.pop("facing", None)
    return scenario


def inexpressible_state(game: GameRecord, orders: Array[OrdersRecord] | None, settings: Settings) -> list[str]:
    """Return phrases for state of option cards and variants that a scenario of this turn cannot express."""
    robots = game.robots[: game.num_robots]
    devices = game.devices[: game.num_devices]
    goo = devices[devices["kind"] == GOO_TOKEN]
    facts = {
        "robots that are off the board": any(not robot.alive and not robot.out for robot in robots),
        "the cards on Flywheels": robots["flywheel"].any(),
        "the robots with tokens": game.homing_target >= 0 or game.intercept_target >= 0,
        "the robots caught by a scrambler bomb": game.bombed != 0,
        "the robots powered down by a Circuit Breaker": (robots["down"] > 1).any(),
        "piles beside flags": game.pile_of.any(),
        "the options that a built-in Bio Option grants": settings.bio_bots == "on" and (robots["bio"] >= 0).any(),
        "the SuperBot": settings.superbot == "on" and game.superbot != 0,
        "the owners and bearers of flags": game.flag_owner.any() or robots["carries"].any(),
        "the squares of flags": settings.moving_flags == "on" or settings.rotate_board_on_flag == "on",
        "devices that spare robots": devices["spares"].any(),
        "how much goo is left": (goo["left"] != GOO_SQUARES).any(),
        "hands that are dealt again": orders is not None
        and any(owns(robot, RECOMPILE) and orders[i].recompile > 0 for i, robot in enumerate(robots)),
    }
    return [fact for fact, holds in facts.items() if holds]


def _params(course: Course, settings: Settings) -> dict[str, Any]:
    """Return the settings that differ from those the course alone gives, and always `option_cards`.

    Scenarios have option cards on by default (U26), so they must say it if they are off.
    """
    own = resolve_settings(("course", special_rule_settings(course.rules)), ("course", course.params))
    return {
        name: value
        for name, value in asdict(settings).items()
        if name not in AT_THE_START and (value != getattr(own, name) or name == "option_cards")
    }


def board_text(course: Course) -> str:
    """Return the text of the board of a course that has one board and no dock."""
    return format_board(course.placements[0].board)


def _state(game: GameRecord, table: Table, seat: int) -> dict[str, Any]:
    """Return what scenarios write about a robot both before and after a turn, without unremarkable values."""
    robot = game.robots[seat]
    names = ["at", "facing", "damage", "flag", "archive", "virtual", "powered_down", "lives"]
    if table.course.features & (HAS_LEVELS | HAS_ELEVATORS):
        names.append("level")
    state = {name: field_of(game, table, robot, name) for name in names}
    for name in ("on_ramp", "flying", *COUNTS, "team"):
        if (value := field_of(game, table, robot, name)) not in (NONE, 0):
            state[name] = value
    options = owned_options(game, robot)
    if options or table.settings.option_cards:
        first = (BIO_OPTION, int(robot.bio))  # what it grants is listed after it
        order = sorted(options, key=lambda option: first.index(option) if option in first else NUM_OPTIONS + option)
        state["options"] = {OPTION_NAMES[option]: options[option] for option in order}
    return state


def _position(game: GameRecord, table: Table, seat: int, orders: Array[OrdersRecord] | None) -> dict[str, Any]:
    """Return a robot before the turn in the words of scenarios."""
    robot = game.robots[seat]
    state = _state(game, table, seat)
    if orders is not None and robot.may_face and 0 <= orders[seat].facing < 4:
        state["facing"] = DIRECTION_NAMES[orders[seat].facing]  # it is turned before the first card
    locked = [r for r in range(NUM_REGISTERS) if robot.locked >> r & 1]
    if locked:
        state["locked"] = {r + 1: card_name(robot.registers[r]) for r in locked}
    return state


def _outcome(game: GameRecord, table: Table, seat: int) -> dict[str, Any]:
    """Return a robot after the turn in the words of scenarios."""
    robot = game.robots[seat]
    if not robot.alive:
        return {"flag": int(robot.flag), **({"out": True} if robot.out else {"destroyed": True})}
    return {**_state(game, table, seat), "locked": [r + 1 for r in range(NUM_REGISTERS) if robot.locked >> r & 1]}


# Orders that act on the next hand (U23), whose effect is a part of the position
_ELSEWHERE = {"recompile", "intercept"}


def _programmed(table: Table, before: GameRecord, orders: Array[OrdersRecord]) -> GameRecord:
    """Return the game as it is after programming."""
    games = np.array([before], GAME)
    given: Array[OrdersRecord] = orders_as(orders, "ground" in (table.dtype.names or ()))  # type: ignore[assignment]
    program(games[0], table, given, new_log(on=False)[0])
    played: GameRecord = games[0]
    return played


def _drawn(played: GameRecord, after: GameRecord | None) -> list[str]:
    """Return the cards that are drawn from the deck during the turn; all cards of the deck if `after` is not known."""
    game = np.array([played], GAME)[0]
    drawn = game.deck_left if after is None else int(after.draws[DECK]) - int(played.draws[DECK])
    return [card_name(draw_card(game, DECK)) for _ in range(min(drawn, game.deck_left))]


def _program(before: Robot, played: Robot) -> list[str]:
    """Return the cards in the registers after programming; locked registers are left to `_position`."""
    return [NONE if before.locked >> r & 1 else card_name(played.registers[r]) for r in range(NUM_REGISTERS)]


def _decisions(
    table: Table, before: GameRecord, played: GameRecord, seat: int, given: OrdersRecord, owners: list[str]
) -> dict[str, Any]:
    """Return the orders that have an effect, in the words of scenarios."""
    expansions = "ground" in (table.dtype.names or ())
    order = Orders.from_record(_final_orders(before, played, seat, given) if expansions else given)
    if expansions:
        order = _without(order, lacking(order, before, seat, int(table.course.features)))
    known = (ORDER_WORDS.keys() if expansions else BASE_ORDERS) - _ELSEWHERE
    return {word_of(name): _in_words(name, value, owners) for name, value in order.to_json().items() if name in known}


def _final_orders(before: GameRecord, played: GameRecord, seat: int, given: OrdersRecord) -> OrdersRecord:
    """Return the orders as they stand once everybody has programmed, without those that were not possible."""
    record: OrdersRecord = np.array([given], FULL_ORDERS)[0]
    robot = played.robots[seat]
    for name in DECISIONS.names or ():
        record[name] = robot.orders[name]
    record.second, record.conditional, record.copter = robot.second, robot.conditional, robot.copter
    record.flywheel = robot.flywheel if robot.flywheel != before.robots[seat].flywheel else 0
    reordered = bomb_owner(before) == seat and (played.buzz_program != before.buzz_program).any()
    record["buzz_program"] = played.buzz_program if robot.orders.buzz or reordered else 0
    return record


def _without(order: Orders, fields: Iterable[tuple[str, int | None, Any, Any]]) -> Orders:
    """Return the orders without those about options that the robot does not have."""
    for name, r, _, _ in fields:
        default, entries = ORDER_WORDS[name].default, getattr(order, name)
        changed: dict[str, Any] = {name: default if r is None else (*entries[:r], default, *entries[r + 1 :])}
        order = replace(order, **changed)
    return order


def _in_words(name: str, value: Any, owners: list[str]) -> Any:
    """Return a JSON value in the words of scenarios: cards and robots by name, five equal values as one."""
    match ORDER_WORDS[name].kind:
        case "card":
            value = [card_name(card or 0) for card in value] if isinstance(value, list) else card_name(value)
        case "cards":
            return [card_name(card) for card in value]
        case "conditional":
            return {"card": card_name(value["card"]), "register": value["register"]}
        case "robot":
            return owners[value] if value < len(owners) else NONE
    per_register = ORDER_WORDS[name].per_register
    return value[0] if per_register and all(entry == value[0] for entry in value) else value


def _devices(game: GameRecord, table: Table, owners: list[str]) -> list[dict[str, Any]]:
    """Return the devices on the board; a device of a robot that is off the board has no owner."""
    slots = [slot for slot in range(game.num_devices) if game.devices[slot].kind]
    return [device_fields(game, table, slot, owners) for slot in slots]


def _chooses_facing(course: Course, settings: Settings) -> bool:
    """Tell whether a scenario can say how a robot that re-enters in its turn faces.

    Without a dock the order would turn everybody at the start of the run instead (U28).
    """
    return settings.reentry_facing == "cleanup" and course.start_facing is not None
