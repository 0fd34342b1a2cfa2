"""Run scenarios, and record all their inputs and outcomes in the terms of the scenario format."""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import DIRECTION_NAMES, F1, F3
from rr_gym.rules.state.events import BECAME_REAL, DESTROYED, REENTERED
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.scenarios import Scenario, ScenarioResult, play, run_scenario
from rr_gym.scenarios.cards import undealt
from rr_gym.scenarios.devices import device_fields
from rr_gym.scenarios.position import owned_options
from rr_gym.scenarios.script import COUNTS
from rr_gym.scenarios.state import coordinates, ramp_side, state_of

Data = dict[str, Any]


@dataclass
class Turn:
    """One recorded turn of a run. Robots are given by their index.

    Attributes:
        cards: The cards of programs and orders, by robot.
        deck: The undealt pile, top first; empty if the game was over before.
        guns: The cards of turret guns.
        robots, devices, state, flags, winners: The state after the turn.
        real_in_f3: Whether a real robot was on the board in F3, so that a room around everything turns (R-E72.1).
    """

    cards: dict[int, Data] = field(default_factory=dict)
    deck: list[str] = field(default_factory=list)
    guns: list[str] = field(default_factory=list)
    robots: list[Data] = field(default_factory=list)
    devices: list[Data] = field(default_factory=list)
    state: Data = field(default_factory=dict)
    flags: list[list[int]] = field(default_factory=list)
    winners: list[int] = field(default_factory=list)
    real_in_f3: bool = False


@dataclass
class Run:
    """One run of a scenario: its result, the cards in registers and on a buzz bomb at its start, and its turns."""

    result: ScenarioResult
    registers: list[list[str]]
    bomb: list[str]
    turns: list[Turn]


def recorded(scenario: Scenario) -> Run:
    """Run a scenario and record everything. Cards are drawn from the top of the pile, whose order is known (U41)."""
    registers: list[list[str]] = []
    bomb: list[str] = []
    turns: list[Turn] = []
    turn, log = Turn(), play.new_log()[0]

    def recorded_stored(game: GameRecord, *rest: Any) -> None:
        lay_stored(game, *rest)
        registers.extend(_names(robot.registers) for robot in game.robots[: game.num_robots])
        bomb.extend(_names(card for card in game.buzz_program if card))

    def recorded_cards(game: GameRecord, programs: Any, orders: Any, *rest: Any) -> Any:
        cards = lay_cards(game, programs, orders, *rest)
        game.deck_known = game.deck_left
        turn.cards = {i: _written(given) for i, given in cards.items()}
        for i, given in orders.items():
            if card := given.get("reset_card"):
                turn.cards[i]["reset_card"] = card_name(undealt(game, card))
        turn.deck = _names(reversed(game.deck[: game.deck_left]))
        turn.guns = _names(game.turret_cards)
        return cards

    def recorded_outcome(game: GameRecord, table: Table, expected: Any) -> Any:
        nonlocal turn
        _record_outcome(turn, game, table, log)
        turns.append(turn)
        turn = Turn()
        return compare_state(game, table, expected)

    def recorded_log(on: bool = True) -> Any:
        nonlocal log
        made = new_log(on)
        log = made[0] if on else log
        return made

    lay_stored, lay_cards, compare_state, new_log = play.lay_stored, play.lay_cards, play.compare_state, play.new_log
    changed = {"lay_stored": recorded_stored, "lay_cards": recorded_cards, "compare_state": recorded_outcome}
    with patch.multiple(play, new_log=recorded_log, **changed):
        result = run_scenario(scenario)
    return Run(result, registers, bomb, turns)


def _names(cards: Iterable[Any]) -> list[str]:
    return [card_name(int(card)) for card in cards]


def _written(cards: Data) -> Data:
    """Return the cards of one robot as scenarios write them, without missing ones."""
    found: Data = {}
    for name, value in cards.items():
        if not (any(value) if isinstance(value, tuple) else value):
            continue
        if name == "conditional":
            found[name] = {"card": card_name(value.card), "register": value.register}
        else:
            found[name] = _names(card or 0 for card in value) if isinstance(value, tuple) else card_name(value)
    return found


def _record_outcome(turn: Turn, game: GameRecord, table: Table, log: Log) -> None:
    robots = game.robots[: game.num_robots]
    turn.robots = [_robot(game, table, robot) for robot in robots]
    turn.flags = [list(coordinates(game, table, square)) for square in game.flag_squares[: table.course.num_flags]]
    turn.winners = [i for i in range(game.num_robots) if game.winners >> i & 1]
    if "ground" in (table.dtype.names or ()):
        ids = list(map(str, range(game.num_robots)))
        slots = [slot for slot in range(game.num_devices) if game.devices[slot].kind]
        turn.devices = [device_fields(game, table, slot, ids) for slot in slots]
        turn.state = state_of(game, table)
    events = log.events[: log.count]
    events = events[events["step"] > F3]
    back, real, gone = (set(events["robot"][events["kind"] == kind]) for kind in (REENTERED, BECAME_REAL, DESTROYED))
    there = {i for i, robot in enumerate(robots) if robot.alive and not robot.virtual} | gone
    turn.real_in_f3 = game.phase == 0 and (not game.over or game.step >= F1) and bool(there - back - real)


def _robot(game: GameRecord, table: Table, robot: Any) -> Data:
    found: Data = {name: int(robot[name]) for name in ("lives", "flag", "team", "locked")}
    found |= {name: bool(robot[name]) for name in ("alive", "out")}
    found["archive"] = list(coordinates(game, table, robot.archive))
    found["registers"] = _names(robot.registers)
    found["options"] = {OPTION_NAMES[option]: left for option, left in owned_options(game, robot).items()}
    if robot.alive:
        found |= {name: int(robot[name]) for name in (*COUNTS, "damage", "level", "down")}
        found |= {name: bool(robot[name]) for name in ("virtual", "flying")}
        found |= {"at": list(coordinates(game, table, robot.square)), "facing": DIRECTION_NAMES[robot.facing]}
        found["on_ramp"] = ramp_side(game, table, robot.square)
    return found


def settled(data: Data, run: Run) -> Data:
    """Return a scenario in which every card has the number that it had in the run.

    Then nothing depends on the order in which cards of one type are taken, or on the seed that shuffles the pile (U41).
    """
    data = deepcopy(data)
    robots, programs = data["robots"], data.get("programs") or {}
    for (name, fields), registers in zip(robots.items(), run.registers, strict=True):
        if isinstance(fields.get("locked"), dict):
            fields["locked"] = {key: card and registers[int(key) - 1] for key, card in fields["locked"].items()}
        if fields.get("asleep") and programs.get(name):
            programs[name] = registers
    for device in data.get("devices") or ():
        if device.get("program"):
            device["program"] = run.bomb
    for entry, turn in zip(turns_of(data), run.turns, strict=True):
        if not turn.deck:
            continue
        entry["deck"] = turn.deck
        for i, cards in turn.cards.items():
            name = list(robots)[i]
            given = {key: card for key, card in cards.items() if key != "program"}
            if "program" in cards:
                entry["programs"][name] = cards["program"]
            if given:
                entry["orders"][name] |= given
        if any(card != "none" for card in turn.guns):
            entry["state"] = (entry.get("state") or {}) | {"turret_cards": turn.guns}
    return data


def turns_of(data: Data) -> list[Data]:
    """Return the mappings of a scenario that describe its turns; the first one is the scenario itself."""
    return [data, *(data.get("then") or ())]
