"""Read the devices of a scenario, put them on the board, and compare them with those expected (U45)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rr_gym.rules.devices.devices import POWER, free_priority, lay_device
from rr_gym.rules.floor.ground import level_of
from rr_gym.rules.state.constants import (
    BIG_ONE_BODY,
    BIG_ONE_TOKEN,
    BUZZ_TOKEN,
    DEVICE_NAMES,
    DIRECTION_NAMES,
    DRONE_TOKEN,
    GOO_TOKEN,
    MAX_DEVICES,
    MISSILE_TOKEN,
    NUM_REGISTERS,
)
from rr_gym.rules.state.records import GameRecord, new_log
from rr_gym.rules.state.table import Table
from rr_gym.scenarios.cards import Card, agrees, card_texts, names, read_card
from rr_gym.scenarios.node import Node
from rr_gym.scenarios.state import coordinates
from rr_gym.scenarios.words import DEVICE_FIELDS, DEVICE_KINDS, NONE, NOTHING

MAX_LEVEL = 20


@dataclass(frozen=True, slots=True)
class ScenarioDevice:
    """A device as written; `fields` has only the given fields."""

    node: Node
    fields: dict[str, Any]


def read_devices(node: Node, robots: dict[str, int]) -> list[ScenarioDevice]:
    """Read the devices of `devices` or `expect_devices`.

    Raises:
        ScenarioError: A field is unknown, or a value is of the wrong kind.
    """
    if node.value in NOTHING:
        return []
    devices = []
    for entry in node.items("a list of devices"):
        fields = entry.mapping("the fields of a device", DEVICE_FIELDS)
        if "kind" not in fields:
            raise entry.error("'kind' is missing")
        devices.append(ScenarioDevice(entry, {name: _read(name, value, robots) for name, value in fields.items()}))
    if len(devices) > MAX_DEVICES:
        raise node.error(f"{len(devices)} devices: expected at most {MAX_DEVICES}")
    return devices


def _read(name: str, node: Node, robots: dict[str, int]) -> Any:
    """Read the value of a device's field."""
    match name:
        case "kind":
            return DEVICE_KINDS.index(node.choice(DEVICE_KINDS, "device")) + 1
        case "at" | "target":
            return None if name == "target" and node.value in NOTHING else node.pair()
        case "owner":
            return -1 if node.value in (None, NONE) else robots[node.named().choice(robots, "robot")]
        case "facing":
            return DIRECTION_NAMES.index(node.choice(DIRECTION_NAMES, "direction"))
        case "program":
            return _read_program(node)
    return node.number(0, {"level": MAX_LEVEL, "power": 100}.get(name, 1000))


def _read_program(node: Node) -> list[Card]:
    """Read the cards of a buzz bomb."""
    cards = [] if node.value in NOTHING else node.items("a list of cards")
    if len(cards) > NUM_REGISTERS:
        raise node.error(f"{len(cards)} cards: expected at most {NUM_REGISTERS}")
    return [read_card(card) for card in cards]


def lay_devices(game: GameRecord, table: Table, devices: list[ScenarioDevice]) -> None:
    """Put devices on the board as if laid in an earlier turn: they are not virtual, and any robot sets them off (U45).

    Args:
        game: The game, with robots on their squares and no devices yet.
        table: The compiled course.
        devices: The devices, as `read_devices` returns them.

    Raises:
        ScenarioError: A device has no place or is off the board, or there is a second Big One.
    """
    silent = new_log(on=False)[0]
    for device in devices:
        fields, node = device.fields, device.node
        if "at" not in fields:
            raise node.error("'at' is missing")
        kind = fields["kind"]
        square = square_of(table, fields["at"], node.child("at", None))
        level = fields.get("level", level_of(game, table, square))
        owner, facing, power = fields.get("owner", -1), fields.get("facing", 0), fields.get("power", int(POWER[kind]))
        slot = lay_device(game, table, silent, kind, owner, square, level, facing, power)
        if slot < 0:
            raise node.error(f"{DEVICE_NAMES[kind]}: there is only one")
        laid = game.devices[slot]
        laid.spares = laid.virtual = 0
        if kind == BIG_ONE_TOKEN:
            game.robots[BIG_ONE_BODY].virtual = 0
        laid.priority = fields.get("priority", 0)
        laid.target = square if kind == DRONE_TOKEN else -1
        if fields.get("target"):
            laid.target = square_of(table, fields["target"], node.child("target", None))
    for laid in game.devices[: game.num_devices]:
        if laid.priority == 0:
            laid.priority = free_priority(game, laid.kind)
        for robot in game.robots[: game.num_robots]:
            if robot.goo and laid.kind == GOO_TOKEN and laid.square == robot.square and laid.level == robot.level:
                laid.left = robot.goo


def square_of(table: Table, at: tuple[int, int], node: Node) -> int:
    """Return the number of a square of the board; raise a ScenarioError if it is off the board."""
    x, y = at
    width, height = int(table.course.width), int(table.course.height)
    if not (0 <= x < width and 0 <= y < height and table.squares[y * width + x].exists):
        raise node.error(f"[{x}, {y}] is off the board: its size is {width}x{height}")
    return y * width + x


def compare_devices(
    game: GameRecord, table: Table, expected: list[ScenarioDevice], robots: list[str]
) -> tuple[list[Any], list[Any]] | None:
    """Compare expected devices with those in play, matching them one to one (U45).

    Returns:
        None if all match; otherwise the expected devices and those in play, as scenarios write them.
    """
    slots = [slot for slot in range(MAX_DEVICES) if game.devices[slot].kind]
    fits = [[slot for slot in slots if _fits(game, table, slot, device.fields)] for device in expected]
    if len(slots) == len(expected) and _pairs(fits):
        return None
    named = {name for device in expected for name in device.fields} | {"kind", "at"}
    wanted = [_shown_fields(device.fields, robots) for device in expected]
    there = [device_fields(game, table, slot, robots) for slot in slots]
    return wanted, [{name: value for name, value in device.items() if name in named} for device in there]


def _fits(game: GameRecord, table: Table, slot: int, fields: dict[str, Any]) -> bool:
    """Tell whether the device in a slot has the values of all given fields."""
    body = place_of(game, slot)
    device = game.devices[slot]
    for name, value in fields.items():
        match name:
            case "at":
                holds = coordinates(game, table, body.square) == value
            case "level" | "facing":
                holds = int(body[name]) == value
            case "target":
                holds = value is None or coordinates(game, table, device.target) == value
            case "program":
                holds = all(agrees(card, int(held)) for card, held in zip(value, game.buzz_program, strict=False))
            case _:
                holds = int(device[name]) == value
        if not holds:
            return False
    return True


def _pairs(fits: list[list[int]]) -> bool:
    """Tell whether a perfect bipartite matching exists; `fits` lists the possible slots of each expected device."""
    partner: dict[int, int] = {}

    def find(k: int, tried: set[int]) -> bool:
        for slot in fits[k]:
            if slot not in tried:
                tried.add(slot)
                if slot not in partner or find(partner[slot], tried):
                    partner[slot] = k
                    return True
        return False

    return all(find(k, set()) for k in range(len(fits)))


def place_of(game: GameRecord, slot: int) -> Any:
    """Return the record with the place of a device: the device itself or, for The Big One, its body."""
    return game.robots[BIG_ONE_BODY] if game.devices[slot].kind == BIG_ONE_TOKEN else game.devices[slot]


def device_fields(game: GameRecord, table: Table, slot: int, robots: list[str]) -> dict[str, Any]:
    """Return a device as scenarios write it."""
    body, device = place_of(game, slot), game.devices[slot]
    fields: dict[str, Any] = {
        "kind": DEVICE_NAMES[device.kind],
        "at": list(coordinates(game, table, body.square)),
        "level": int(body.level),
        "owner": robots[device.owner] if 0 <= device.owner < len(robots) else NONE,
        "facing": DIRECTION_NAMES[body.facing],
        "power": int(device.power),
    }
    if device.kind in (MISSILE_TOKEN, DRONE_TOKEN):
        fields["priority"] = int(device.priority)
    if device.kind == DRONE_TOKEN and device.target >= 0:
        fields["target"] = list(coordinates(game, table, device.target))
    if device.kind == BUZZ_TOKEN:
        fields["program"] = names(card for card in game.buzz_program if card)
    return fields


def _shown_fields(fields: dict[str, Any], robots: list[str]) -> dict[str, Any]:
    """Return fields from `read_devices` as scenarios write them."""
    words: dict[str, Callable[[Any], Any]] = {
        "kind": lambda kind: DEVICE_NAMES[kind],
        "at": list,
        "target": lambda at: list(at) if at else NONE,
        "owner": lambda owner: robots[owner] if owner >= 0 else NONE,
        "facing": lambda facing: DIRECTION_NAMES[facing],
        "program": lambda cards: card_texts(dict(enumerate(cards))),
    }
    return {name: words[name](value) if name in words else value for name, value in fields.items()}
