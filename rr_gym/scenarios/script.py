"""Read a scenario and check its form, without building its position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rr_gym.rules.devices.devices import GOO_SQUARES
from rr_gym.rules.state.constants import DIRECTION_NAMES, FATAL_DAMAGE, MAX_FLAGS, MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.scenarios import words
from rr_gym.scenarios.cards import Card, Slots, read_card, read_slots
from rr_gym.scenarios.devices import ScenarioDevice, read_devices
from rr_gym.scenarios.node import Node, nearest
from rr_gym.scenarios.orders import read_orders
from rr_gym.scenarios.state import State, read_state
from rr_gym.scenarios.words import NONE

MAX_TEAMS = 4
MAX_LEVEL = 10  # a raised elevator on the highest floor
# Fields of robots that hold a count, each with its highest allowed value
COUNTS = {"burning": 99, "asleep": NUM_REGISTERS, "energized": NUM_REGISTERS, "speed": 10, "goo": GOO_SQUARES}


@dataclass(frozen=True, slots=True)
class ScenarioRobot:
    """A robot's state as written; `fields` has only the given fields."""

    id: str
    node: Node
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ScriptTurn:
    """One turn of a scenario. Robots are identified by their index.

    `phases` is None if the whole turn is played. `turret_cards` is None if turret guns are dealt cards (U53).
    """

    node: Node
    programs: dict[int, Slots]
    orders: dict[int, dict[str, Any]]
    deck: list[Card]
    option_deck: list[int] | None
    turret_cards: Slots | None
    phases: int | None
    expect: dict[int, dict[str, Any]]
    expect_state: State
    expect_devices: list[ScenarioDevice] | None
    winner: list[str] | None


@dataclass(frozen=True, slots=True)
class Script:
    """A whole scenario as read from its file."""

    node: Node
    board: Node | None
    course: Node | None
    params: dict[str, Node]
    robots: list[ScenarioRobot]
    devices: list[ScenarioDevice]
    state: State
    start_phase: int
    seed: int
    turns: list[ScriptTurn]


def read_script(node: Node) -> Script:
    """Read a scenario and check its form.

    Raises:
        ScenarioError: A key or word is unknown, or a value is of the wrong kind.
    """
    keys = _given(node.mapping("a mapping with the keys of a scenario", words.SCENARIO_KEYS))
    for key in ("name", "error"):
        if key in keys:
            keys[key].text("text")
    for key in ("name", "robots"):
        if key not in keys:
            raise node.error(f"'{key}' is missing")
    if ("board" in keys) == ("course" in keys):
        raise node.error("expected either 'board' or 'course'")
    robots = _read_robots(keys["robots"])
    start_phase = keys["start_phase"].number(1, NUM_REGISTERS) if "start_phase" in keys else 1
    expects_error = "error" in keys
    state = read_state(keys["state"]) if "state" in keys else {}
    turns = [_read_turn(node, keys, robots, start_phase, expects_error, state)]
    for entry in keys["then"].items("a list of further turns") if "then" in keys else []:
        keys_of_turn = _given(entry.mapping("the keys of a turn", words.TURN_KEYS))
        later = read_state(keys_of_turn["state"], words.LATER_STATE_FIELDS) if "state" in keys_of_turn else {}
        turns.append(_read_turn(entry, keys_of_turn, robots, 1, expects_error, later))
    names = {robot.id: i for i, robot in enumerate(robots)}
    return Script(
        node=node,
        board=keys.get("board"),
        course=keys.get("course"),
        params=keys["params"].mapping("settings by name") if "params" in keys else {},
        robots=robots,
        devices=read_devices(keys["devices"], names) if "devices" in keys else [],
        state=state,
        start_phase=start_phase,
        seed=keys["seed"].number(0, 2**63 - 1) if "seed" in keys else 0,
        turns=turns,
    )


def _read_turn(
    node: Node, keys: dict[str, Node], robots: list[ScenarioRobot], start_phase: int, expects_error: bool, state: State
) -> ScriptTurn:
    """Read one turn: its programs, orders and piles, and what must hold after it."""
    names = {robot.id: i for i, robot in enumerate(robots)}
    if "expect" not in keys and not expects_error:
        raise node.error("'expect' is missing")
    return ScriptTurn(
        node=node,
        programs={names[k]: read_slots(v) for k, v in _by_robot(keys.get("programs"), names).items()},
        orders={names[k]: read_orders(v, names) for k, v in _by_robot(keys.get("orders"), names).items()},
        deck=[read_card(card) for card in keys["deck"].items("a list of cards")] if "deck" in keys else [],
        option_deck=_read_option_deck(keys["option_deck"]) if "option_deck" in keys else None,
        turret_cards=state.get("turret_cards"),
        phases=_read_run(keys["run"], start_phase) if "run" in keys else 1,
        expect={names[k]: _read_expectation(v) for k, v in _by_robot(keys.get("expect"), names, True).items()},
        expect_state=read_state(keys["expect_state"]) if "expect_state" in keys else {},
        expect_devices=read_devices(keys["expect_devices"], names) if "expect_devices" in keys else None,
        winner=_read_winner(keys["winner"], names) if "winner" in keys else None,
    )


def _given(keys: dict[str, Node]) -> dict[str, Node]:
    """Drop keys without a value, if an empty value means the same as leaving the key out."""
    return {key: entry for key, entry in keys.items() if entry.value is not None or key not in words.MAY_BE_EMPTY}


def _by_robot(node: Node | None, names: dict[str, int], all_entries: bool = False) -> dict[str, Node]:
    """Return entries by the id of the robot. Entries without a value are dropped unless `all_entries` is set."""
    if node is None:
        return {}
    entries = {str(name): entry for name, entry in node.mapping("a mapping from robots").items()}
    for name, entry in entries.items():
        if name not in names:
            raise entry.error(f"there is no robot '{name}'{nearest(name, names)}")
    return {name: entry for name, entry in entries.items() if all_entries or entry.value is not None}


def _read_run(node: Node, start_phase: int) -> int | None:
    """Read how many phases are played; return None for a whole turn."""
    if node.value == "turn":
        return None
    if not isinstance(node.value, dict):
        raise node.error(f"{node.short_repr()}: expected {{phases: N}} or turn")
    phases = node.mapping("{phases: N} or turn", ("phases",)).get("phases")
    if phases is None:
        raise node.error("expected {phases: N} or turn")
    return phases.number(1, NUM_REGISTERS + 1 - start_phase)


def _read_winner(node: Node, names: dict[str, int]) -> list[str]:
    """Read the robots that win, and return them in the order of the robots."""
    if node.value == NONE:
        return []
    listed = node.items("a list of robots, or none")
    winners = [robot.named().choice(names, "robot") for robot in listed]
    return [name for name in names if name in winners]


def _read_locked(node: Node) -> Slots | list[int]:
    """Read a list of registers, or cards by register; either is returned in order, with registers from 0."""
    if node.value in (None, NONE):
        return []
    if isinstance(node.value, list):
        return sorted({register.number(1, NUM_REGISTERS) - 1 for register in node.items("registers")})
    registers: Slots = {}
    for key, entry in node.mapping("cards by register, such as {5: move_1@490}").items():
        # In JSON, keys are texts.
        number = int(key) if isinstance(key, str) and key.isascii() and key.isdigit() else key
        register = node.child(key, number).number(1, NUM_REGISTERS) - 1
        if register in registers:
            raise entry.error("this register is there twice")
        registers[register] = None if entry.value in (NONE, None) else read_card(entry)
    return dict(sorted(registers.items()))


def _read_robots(node: Node) -> list[ScenarioRobot]:
    """Read the robots, in the order of their seats."""
    entries = node.mapping("a mapping from robots to their states")
    if not 1 <= len(entries) <= MAX_ROBOTS:
        raise node.error(f"{len(entries)} robots: expected 1 to {MAX_ROBOTS}")
    robots: list[ScenarioRobot] = []
    for name, entry in entries.items():
        fields = entry.mapping("the state of a robot", words.ROBOT_FIELDS)
        if "at" not in fields:
            raise entry.error("'at' is missing")
        values = {key: READ_FIELD[key](value) for key, value in fields.items()}
        if values.get("lives") == 0:
            raise fields["lives"].error("0: a robot on the board is its player's last life or has more")
        if isinstance(values.get("locked"), list):
            values["locked"] = dict.fromkeys(values["locked"])
        if any(robot.id == str(name) for robot in robots):
            raise entry.error("this robot is there twice")
        robots.append(ScenarioRobot(str(name), entry, values))
    return robots


def _read_expectation(node: Node) -> dict[str, Any]:
    """Read what must hold for one robot, by field."""
    fields = node.mapping("what must hold for a robot", (*words.ROBOT_FIELDS, *words.EXPECT_FIELDS))
    return {key: _read_outcome(key, value) for key, value in fields.items()}


def _read_outcome(key: str, node: Node) -> Any:
    """Read a field's expected value. Unlike given values, it may describe a destroyed robot: no place, ten damage."""
    if key == "at" and node.value in (None, NONE):
        return NONE
    if key == "damage":
        return node.number(0, FATAL_DAMAGE)
    return READ_FIELD[key](node)


def _read_count(highest: int, node: Node) -> int:
    """Read a count up to `highest`, or true or false."""
    if isinstance(node.value, bool):
        return node.value
    return 0 if node.value in words.NOTHING else node.number(0, highest)


def _read_options(node: Node) -> dict[int, int | None]:
    """Read option cards, such as `[brakes]` or `{ablative_coat: 2}`, as a map from their numbers to counters.

    The number of counters is None if the scenario does not give it.
    """
    if node.value in words.NOTHING:
        return {}
    if isinstance(node.value, list):
        return dict.fromkeys(_read_option(option) for option in node.items("option cards"))
    entries = node.mapping("a list of option cards, or what is left in each")
    return {
        _read_option(entry.child(name, name)): None if entry.value is None else entry.number(0, 99)
        for name, entry in entries.items()
    }


def _read_option(node: Node) -> int:
    """Read the name of an option card and return its number."""
    return OPTION_NAMES.index(node.choice(OPTION_NAMES, "option"))


def _read_option_deck(node: Node) -> list[int]:
    """Read option cards and return their numbers, the top of the pile first."""
    deck: list[int] = []
    for entry in node.items("a list of option cards"):
        option = _read_option(entry)
        if option in deck:
            raise entry.error(f"'{OPTION_NAMES[option]}' is there twice: every option card exists once")
        deck.append(option)
    return deck


# By field of robots, in `robots` and `expect`: the function that reads it
READ_FIELD: dict[str, Callable[[Node], Any]] = {
    "at": Node.pair,
    "archive": Node.pair,
    "facing": lambda node: node.choice(DIRECTION_NAMES, "direction"),
    "damage": lambda node: node.number(0, FATAL_DAMAGE - 1),
    "lives": lambda node: node.value if node.value == "unlimited" else node.number(0, 100),
    "flag": lambda node: node.number(0, MAX_FLAGS),
    "level": lambda node: node.number(0, MAX_LEVEL),
    "on_ramp": lambda node: NONE if node.value in words.NOTHING else node.choice(DIRECTION_NAMES, "side"),
    "team": lambda node: 0 if node.value in words.NOTHING else node.number(1, MAX_TEAMS),
    **{name: partial(_read_count, highest) for name, highest in COUNTS.items()},
    **dict.fromkeys(("options", "counters"), _read_options),
    "registers": read_slots,
    "locked": _read_locked,
    **dict.fromkeys(("virtual", "powered_down", "flying", "destroyed", "out"), Node.flag),
}
