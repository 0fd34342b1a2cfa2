"""Run a scenario and compare the outcome with what it expects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rr_gym.courses.tables.ground import HAS_TURRETS
from rr_gym.encoding.orders.option_orders import HAND_ORDERS, Refusal, check_cards, check_ownership
from rr_gym.encoding.orders.order_words import Conditional
from rr_gym.encoding.orders.orders import Orders
from rr_gym.errors import RoboRallyError
from rr_gym.rules.options.condition_events import begin_conditions
from rr_gym.rules.options.option_programs import options_end_turn
from rr_gym.rules.robot.sleep import slept_through
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import (
    BY_ANTIGRAV,
    MAX_ROBOTS,
    NOT_FLYING,
    NUM_REGISTERS,
    T3,
)
from rr_gym.rules.state.decisions import note_decisions
from rr_gym.rules.state.events import DESTROYED
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.order_table import CARD_ORDERS
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.rules.turn.after_deal import after_deal, kept_for_recompile
from rr_gym.rules.turn.end_of_turn import end_turn
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.turn import next_turn, play_phase
from rr_gym.scenarios.cards import agrees, card_texts, is_programming, lay_cards, lay_stored, names, undealt
from rr_gym.scenarios.devices import compare_devices
from rr_gym.scenarios.load import NO_ERROR, Difference, Scenario, ScenarioResult
from rr_gym.scenarios.node import Node, ScenarioError
from rr_gym.scenarios.position import Position, check_first_cards, deal_options, lay_options, owned_options
from rr_gym.scenarios.script import COUNTS, Script, ScriptTurn, read_script
from rr_gym.scenarios.state import compare_state, field_of

Watcher = Callable[[Position, Any], None]  # gets the position and the log of the last turn


def play_scenario(scenario: Scenario, watch: Watcher = lambda position, log: None) -> ScenarioResult:
    """Play a scenario and return its result; `rr_gym.scenarios.run_scenario` describes it.

    Args:
        scenario: One of `load_scenarios`.
        watch: Called before the first turn, with an empty log, and after each turn.
    """
    try:
        if scenario.problem:
            raise RoboRallyError(scenario.problem)
        differences = _play(read_script(scenario.node), watch)
    except RoboRallyError as error:
        reason = error.reason if isinstance(error, ScenarioError) else str(error)
        if scenario.error is not None and scenario.error in reason:
            return ScenarioResult(scenario.name, True, ())
        return ScenarioResult(scenario.name, False, (Difference("error", scenario.error or NO_ERROR, str(error)),))
    if scenario.error is not None:
        return ScenarioResult(scenario.name, False, (Difference("error", scenario.error, NO_ERROR),))
    return ScenarioResult(scenario.name, not differences, tuple(differences))


def _play(script: Script, watch: Watcher) -> list[Difference]:
    """Play all turns of a scenario and return the fields that differ, in order."""
    position = Position(script)
    check_first_cards(position, script)
    _place_stored(position, script)
    differences: list[Difference] = []
    phase = script.start_phase
    for number, turn in enumerate(script.turns):
        log = new_log()[0]
        if not position.game.over:
            if turn.option_deck is not None or number == 0:
                lay_options(position, turn.option_deck or [], turn.node, script.seed)
            if number == 0:
                deal_options(position, script)
                watch(position, log)
            _play_turn(position, script, turn, phase, log)
            watch(position, log)
        differences += _compare(position, script, turn, log)
        if number + 1 < len(script.turns):
            _return_loose_cards(position, broken_off=turn.phases is not None)
            phase = 1
    return differences


def _place_stored(position: Position, script: Script) -> None:
    """Place the cards that are in registers before programming: locked ones, and programs of sleeping robots."""
    bomb = [card for device in script.devices for card in device.fields.get("program", ())]
    locked = {i: robot.fields.get("locked", {}) for i, robot in enumerate(script.robots)}
    programs = script.turns[0].programs
    lay_stored(position.game, locked, {i: programs[i] for i in programs if position.game.robots[i].asleep}, bomb)


def _play_turn(position: Position, script: Script, turn: ScriptTurn, phase: int, log: Any) -> None:
    """Play a turn from sub-step T4 to the end of the scenario's `run` (U40).

    Robots program as in real games, from hands that contain exactly the cards that they play.
    """
    game, table = position.game, position.table
    begin_conditions(game, table, log)
    orders = _orders(position, script, turn, log)
    for name in ("gadget", "movement_option"):  # tokens and options of earlier registers are used up
        orders[name][:, : phase - 1] = 0
    program(game, table, orders, log)
    last = NUM_REGISTERS if turn.phases is None else phase + turn.phases - 1
    while phase <= last and not game.over:
        game.phase = phase
        play_phase(game, table, log)
        phase += 1
    if turn.phases is None and not game.over:
        end_turn(game, table, orders, log)
        if not game.over:
            next_turn(game, table, orders, log)


def _orders(position: Position, script: Script, turn: ScriptTurn, log: Any) -> Any:
    """Deal the hands, and return the orders of all robots; dtype FULL_ORDERS, shape (8,).

    Recompile and Interceptor, which come before programming, are played here too.
    """
    game = position.game
    orders = no_orders(MAX_ROBOTS, full=True)
    for i, values in turn.orders.items():
        Orders(**{name: value for name, value in values.items() if name not in CARD_ORDERS}).write(orders[i])
    if script.start_phase == 1 or turn is not script.turns[0]:
        _play_before_programming(position, orders, log)
    _check_owners(position, script, turn)
    has_guns = int(position.table.course.features) & HAS_TURRETS
    guns = turn.turret_cards if has_guns or turn.turret_cards else {}
    for i, cards in lay_cards(game, turn.programs, turn.orders, guns, turn.deck, script.seed).items():
        values = turn.orders.get(i, {}) | cards
        if wanted := values.get("reset_card"):
            values["reset_card"] = undealt(game, wanted) or None
        given = Orders(**values)
        if game.robots[i].alive and not game.robots[i].down:
            check_cards(given, game, i, position.table, _refusal_of(script, turn, i))
        given.write(orders[i])
    return orders


def _check_owners(position: Position, script: Script, turn: ScriptTurn) -> None:
    """Raise a ScenarioError if orders assign a card to an option that the robot does not own.

    This is checked before cards are dealt (U57).
    """
    game, features = position.game, int(position.table.course.features)
    for i, values in turn.orders.items():
        if is_programming(game, i):
            check_ownership(Orders(**values), game, i, features, _refusal_of(script, turn, i), HAND_ORDERS)


def _play_before_programming(position: Position, orders: Any, log: Any) -> None:
    """Play Recompile and Interceptor by this turn's orders (U23, U40).

    All hands are empty at that time; `lay_cards` deals them later.
    """
    game, table = position.game, position.table
    game.step = T3
    for i in range(game.num_robots):
        game.robots[i].hand[:] = 0
        if game.robots[i].alive:
            note_decisions(game, table, orders, i)
    after_deal(game, table, log)


def _refusal_of(script: Script, turn: ScriptTurn, i: int) -> Refusal:
    """Return a function that makes the errors for one robot's orders."""
    return partial(_refusal, turn.node.child("orders", None).child(script.robots[i].id, None))


def _refusal(node: Node, field: str, value: Any, expected: str) -> ScenarioError:
    """Return the error for an order, with its place in the scenario, its value and what was expected."""
    name, _, register = field.partition(", ")
    value = value.card if isinstance(value, Conditional) else value
    value = card_name(value) if isinstance(value, int) and not isinstance(value, bool) else value
    return node.child(name, None).error(f"{register}{': ' * bool(register)}{value}: expected {expected}")


def _return_loose_cards(position: Position, broken_off: bool) -> None:
    """Remove all cards with which the next turn does not begin, also after a turn that was cut short (U41).

    Locked cards stay. A powered-down robot has only the cards that `pd_lock_card = keep` leaves it, and a robot off the
    board has none (R-A13.3). A sleeping robot keeps the cards that it has not executed. A card that Recompile's point
    of damage may lock stays too.
    """
    game, table = position.game, position.table
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.down or not robot.alive:
            kept = slept_through(game, table, i) | kept_for_recompile(game, table, i) if robot.alive else 0
            for register in range(NUM_REGISTERS):
                if not (int(robot.locked) | kept) >> register & 1:
                    robot.registers[register] = 0
        if broken_off and robot.flying > BY_ANTIGRAV:
            robot.flying = NOT_FLYING
    if broken_off:
        options_end_turn(game, table, new_log(on=False)[0])
    game.buzz_program[:] = 0


def _compare(position: Position, script: Script, turn: ScriptTurn, log: Any) -> list[Difference]:
    """Return the differences after a turn: in fields of robots, devices, shared state and winners."""
    place = [str(key) for key in turn.node.path]
    found = []
    for i, fields in turn.expect.items():
        for field, expected in fields.items():
            wanted, actual, holds = _field(position, i, field, expected, log)
            if not holds:
                found.append(Difference(".".join([*place, script.robots[i].id, field]), wanted, actual))
    if turn.expect_devices is not None:
        ids = [robot.id for robot in script.robots]
        if differing := compare_devices(position.game, position.table, turn.expect_devices, ids):
            found.append(Difference(".".join([*place, "expect_devices"]), *differing))
    for name, wanted, actual in compare_state(position.game, position.table, turn.expect_state):
        found.append(Difference(".".join([*place, "expect_state", name]), wanted, actual))
    if turn.winner is not None:
        actual = [robot.id for i, robot in enumerate(script.robots) if position.game.winners >> i & 1]
        if actual != turn.winner:
            found.append(Difference(".".join([*place, "winner"]), turn.winner or "none", actual or "none"))
    return found


def _field(position: Position, index: int, field: str, expected: Any, log: Any) -> tuple[Any, Any, bool]:
    """Return the expected and the actual value of a robot's field as plain data, and whether they agree (U43, U44)."""
    robot = position.game.robots[index]
    match field:
        case "registers":
            aside = _put_aside(position, index)
            held = [0 if aside >> r & 1 else int(robot.registers[r]) for r in range(len(expected))]
            return card_texts(expected), names(held), all(map(agrees, expected.values(), held))
        case "locked":
            cards = {r: int(robot.registers[r]) for r in range(NUM_REGISTERS) if robot.locked >> r & 1}
            if isinstance(expected, list):
                return [r + 1 for r in expected], [r + 1 for r in cards], expected == list(cards)
            return (
                dict(zip([r + 1 for r in expected], card_texts(expected), strict=True)),
                dict(zip([r + 1 for r in cards], names(cards.values()), strict=True)),
                list(expected) == list(cards) and all(agrees(card, cards[r]) for r, card in expected.items()),
            )
        case "options" | "counters":
            return _options(expected, owned_options(position.game, robot), complete=field == "options")
    if isinstance(expected, tuple):
        expected = list(expected)
    if isinstance(expected, bool) and field in COUNTS:
        return expected, bool(robot[field]), expected == bool(robot[field])
    if field == "destroyed":
        events = log.events[: log.count]
        actual = bool(np.any((events["kind"] == DESTROYED) & (events["robot"] == index)))
    else:
        actual = field_of(position.game, position.table, robot, field)
    return expected, actual, expected == actual


def _put_aside(position: Position, index: int) -> int:
    """Return the mask of registers that count as empty after a turn although they still hold a card.

    Such a card is kept in case Recompile's point of damage locks the register.
    """
    game, table = position.game, position.table
    if game.phase or game.robots[index].down:
        return 0
    return int(kept_for_recompile(game, table, index)) & ~int(slept_through(game, table, index))


def _options(expected: dict[int, int | None], owned: dict[int, int], complete: bool) -> tuple[Any, Any, bool]:
    """Compare option cards and, where stated, the counters left on them.

    Return the expected and the actual cards, as scenarios write them, and whether they agree.
    """
    actual = {option: left for option, left in owned.items() if complete or option in expected}
    holds = actual.keys() == expected.keys() and all(left in (None, actual[k]) for k, left in expected.items())
    if all(left is None for left in expected.values()):
        return [OPTION_NAMES[k] for k in sorted(expected)], [OPTION_NAMES[k] for k in actual], holds
    wanted, found = ({OPTION_NAMES[k]: left for k, left in some.items()} for some in (expected, actual))
    return wanted, found, holds
