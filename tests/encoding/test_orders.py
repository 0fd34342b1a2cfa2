"""Orders as people and programs give them: every decision by name, through JSON and records; what is refused."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.encoding.orders.option_orders import GADGETS, MOVEMENTS, WEAPONS
from rr_gym.encoding.orders.order_words import Conditional
from rr_gym.game import Game, OrderError, Orders
from rr_gym.rules.state.constants import ALWAYS, BUZZ_TOKEN, BY_VALUE
from rr_gym.rules.state.option_cards import ABLATIVE_COAT, INITIAL_PAYLOAD, OPTION_NAMES
from rr_gym.rules.state.order_table import ORDERS
from rr_gym.rules.state.records import no_orders

# One value of every order that is not its default, and the numbers of its record
CHOSEN: dict[str, tuple[Any, Any]] = {
    "power_down": (True, 1),
    "stay_down": (True, 1),
    "facing": ("s", 2),
    "unlock": (3, 3),
    "site": ("option", 2),
    "square": (15, 15),
    "weapon": (("main", "big_gun", "main", "interceptor", "missile"), [0, 6, 0, 10, 7]),
    "fallback_to_laser": ((True, False, True, True, False), [1, 0, 1, 1, 0]),
    "gadget": (("none", "bridge", "mine", "big_one", "goo"), [0, 1, 2, 7, 4]),
    "movement_option": (("crab_legs", "overload_empty", "big_jet", "retro_3", "none"), [1, 5, 6, 9, 0]),
    "second": ((7, None, None, 84, None), [7, 0, 0, 84, 0]),
    "gear": ((True, False, False, True, False), [1, 0, 0, 1, 0]),
    "frog": ((False, True, True, False, False), [0, 1, 1, 0, 0]),
    "gyro": ((False, True, True, False, True), [0, 1, 1, 0, 1]),
    "turret": (("front", "right", "back", "left", "left"), [0, 1, 2, 3, 3]),
    "shield": (("off", "front", "right", "back", "left"), [0, 1, 2, 3, 4]),
    "fire_control": (("damage", "lock_1", "lock_5", "destroy", "lock_next"), [0, 1, 5, 6, 7]),
    "target": (2, 2),
    "abort": (4, 4),
    "conditional": (Conditional(49, 3), 49),
    "flywheel": (79, 79),
    "reflector": ("left", 4),
    "damping": (True, 1),
    "homing": (True, 1),
    "copter": (43, 43),
    "buzz": (True, 1),
    "buzz_program": ((1, 7, 49), [1, 7, 49, 0, 0]),
    "self_destruct": (5, 5),
    "recompile": (True, ALWAYS),
    "intercept": (4, 4),
    "reengineering": ("always", 2),
    "arm": (False, 0),
    "superior_archive": (False, 0),
    "sacrifice_threshold": (11, 11),
    "give_up": (("brakes", "ablative_coat"), [2, 0, *[-1] * 8]),
    "lose": ("self_destruct", 51),
    "keep": (2, 2),
    "chop": ("reload", 3),
    "chop_option": ("mine_layer", 40),
    "waste": (False, 0),
    "freak_order": ((2, 0, 1), 4),
    "reset_card": (84, 84),
}
# Orders whose value is a single number or flag need no entry.
CHOSEN |= {
    name: (not order.default, int(not order.default)) if order.kind == "flag" else (order.high, order.high)
    for name, order in ORDERS.items()
    if name not in CHOSEN and order.kind in ("flag", "number") and not order.per_register
}


def record_of(order: Orders) -> Any:
    records = no_orders(1, full=True)
    order.write(records[0])
    return records[0]


def test_every_decision_has_a_field_and_every_field_of_the_record_a_decision() -> None:
    assert {f.name for f in fields(Orders)} == {"program", *ORDERS}
    assert set(CHOSEN) == set(ORDERS)
    written = {*ORDERS}
    assert written | {"program", "conditional_register", "late"} == set(no_orders(full=True).dtype.names or ())


def test_defaults_are_those_of_the_records() -> None:
    assert record_of(Orders()) == no_orders(1, full=True)[0]
    assert Orders.from_record(no_orders(1, full=True)[0]) == Orders()
    for name, order in ORDERS.items():
        value = getattr(Orders(), name)
        assert value == ((order.default,) * 5 if order.per_register else order.default), name


@pytest.mark.parametrize("name", CHOSEN)
def test_every_decision_survives_json_and_records(name: str) -> None:
    value, number = CHOSEN[name]
    order = Orders(**{name: value})
    assert Orders.from_json(json.loads(json.dumps(order.to_json()))) == order
    assert list(order.to_json()) == [name]
    record = record_of(order)
    assert np.array_equal(record[name], number)
    assert Orders.from_record(record) == order
    others = {f for f in record.dtype.names if f not in (name, "conditional_register")}
    assert all(np.array_equal(record[f], no_orders(full=True)[f]) for f in others)


def test_one_value_stands_for_all_registers_and_a_short_list_for_the_first() -> None:
    order = Orders.from_json({"weapon": "scrambler", "shield": ["off", "left"], "second": ["move_1"], "gear": True})
    assert order.weapon == ("scrambler",) * 5
    assert order.shield == ("off", "left", "front", "front", "front")
    assert order.second == ("move_1", None, None, None, None)
    assert order.gear == (True,) * 5


def test_nothing_given_up_is_not_the_same_as_no_order() -> None:
    assert record_of(Orders(give_up=()))["give_up"].tolist() == [-1] * 10
    assert record_of(Orders())["give_up"][0] == BY_VALUE
    assert Orders.from_json({"give_up": []}).give_up == ()
    assert Orders.from_json({"give_up": None}) == Orders()


def test_record_values_without_a_meaning_are_the_default() -> None:
    records = no_orders(1, full=True)
    for name in records.dtype.names or ():
        records[name] = 111
    order = Orders.from_record(records[0])
    flags = {name for name, entry in ORDERS.items() if entry.kind == "flag"}
    always = {"recompile": True, "intercept": True, "give_up": ()}
    given = {name: getattr(order, name) for name in ORDERS if name not in flags}
    assert given == {name: getattr(Orders(), name) for name in given} | always


BAD: list[tuple[dict[str, Any], str]] = [
    ({"weapon": "laser"}, "weapon: 'laser': expected main | mini_howitzer | pressor_beam"),
    ({"weapon": ["main", "gun"]}, "weapon, register 2: 'gun': expected main"),
    ({"weapon": ["main"] * 6}, "weapon: .*expected at most 5 entries, one for each register"),
    ({"gadget": 3}, "gadget: 3: expected none | bridge | mine"),
    ({"movement_option": [None]}, "movement_option, register 1: None: expected none | crab_legs"),
    ({"second": [85]}, "second, register 1: 85: expected the number of a card, 1 to 84"),
    ({"gear": [1]}, "gear, register 1: 1: expected true or false"),
    ({"shield": "up"}, "shield: 'up': expected off | front | right | back | left"),
    ({"fire_control": "lock_6"}, "fire_control: 'lock_6': expected damage | lock_1"),
    ({"target": 8}, "target: 8: expected a seat from 0 to 7, or null"),
    ({"abort": 0}, "abort: 0: expected a whole number from 1 to 5, or null"),
    ({"conditional": "move_1"}, "conditional: 'move_1': expected {card, register}"),
    ({"conditional": {"card": "move_1", "phase": 2}}, "conditional: .*expected {card, register}"),
    ({"conditional": {"card": "move_1", "register": 6}}, "conditional, register: 6: expected a whole number from 0 to"),
    ({"conditional": {"card": "move_9"}}, "conditional: 'move_9': expected one of"),
    ({"flywheel": "move_1@491"}, "flywheel: 'move_1@491': expected a priority of move_1"),
    ({"buzz_program": ["u_turn"] * 6}, "buzz_program: .*expected a list of at most 5 cards"),
    ({"recompile": 10}, "recompile: 10: expected true, false or a whole number from 0 to 9"),
    ({"reengineering": True}, "reengineering: True: expected never | better | always"),
    ({"sacrifice_threshold": 12}, "sacrifice_threshold: 12: expected a whole number from 0 to 11"),
    ({"give_up": "brakes"}, "give_up: 'brakes': expected a list of at most 10 option cards, or null"),
    ({"give_up": ["brake"]}, "give_up: 'brake': expected an option card .*did you mean 'brakes'"),
    ({"lose": 3}, "lose: 3: expected an option card such as 'brakes', or null"),
    ({"keep": 0}, "keep: 0: expected a whole number from 1 to 8, or null"),
    ({"turet": "left"}, "there is no field 'turet'; did you mean 'turret'"),
]


@pytest.mark.parametrize(("value", "message"), BAD)
def test_values_of_the_wrong_kind_are_refused(value: dict[str, Any], message: str) -> None:
    with pytest.raises(OrderError, match="seat 3: " + message.replace("|", r"\|").replace("{", r"\{")):
        Orders.from_json(value, "seat 3")


# Against the game


@pytest.fixture
def game() -> Game:
    return Game("risky_exchange", num_robots=3, seed=5, settings={"option_cards": "on"})


def own(game: Game, *options: str, seat: int = 0) -> None:
    for option in options:
        number = OPTION_NAMES.index(option)
        game.record["robots"][seat]["options"] |= np.uint64(1 << number)
        game.record["payload"][number] = 3 if number == ABLATIVE_COAT else INITIAL_PAYLOAD[number]


def resolve(game: Game, **order: Any) -> Any:
    return resolve_orders({0: order}, game.record, game.settings, game.arena.tables[0])[0]


OF_OPTIONS = {
    **{name: (CHOSEN[name][0], options) for name, options in {
        "gear": ["brakes", "fourth_gear", "reverse_gears"], "frog": ["frog_legs"], "gyro": ["gyroscopic_stabilizer"],
        "turret": ["turret"], "shield": ["shield"], "fire_control": ["fire_control"], "abort": ["abort_switch"],
        "target": ["radio_control"], "reflector": ["reflector"], "damping": ["option_damping_field"],
        "homing": ["homing_device"], "buzz": ["buzz_bomb"], "self_destruct": ["self_destruct"],
        "recompile": ["recompile"], "intercept": ["interceptor"], "arm": ["mechanical_arm"],
        "superior_archive": ["superior_archive"], "reengineering": ["reengineering_unit"],
    }.items()},
    **{f"weapon {word}": (word, [OPTION_NAMES[option]]) for word, option in WEAPONS.items()},
    **{f"gadget {word}": ([word], [OPTION_NAMES[option]]) for word, option in GADGETS.items()},
}  # fmt: skip


@pytest.mark.parametrize("key", OF_OPTIONS)
def test_orders_of_options_need_one_that_they_belong_to(game: Game, key: str) -> None:
    name, (value, options) = key.split()[0], OF_OPTIONS[key]
    expected = " or ".join(options)
    with pytest.raises(OrderError, match=rf"seat 0: {name}.*: expected .*: the robot does not own {expected}$"):
        resolve(game, **{name: value})
    for option in options:
        chosen = game.clone()
        own(chosen, option)
        assert not np.array_equal(resolve(chosen, **{name: value})[name], no_orders(full=True)[name])
    other = game.clone()
    own(other, "converter")
    with pytest.raises(OrderError, match="does not own"):
        resolve(other, **{name: value})


@pytest.mark.parametrize("word", MOVEMENTS)
def test_movement_options_need_their_option_and_open_registers_for_two_cards(game: Game, word: str) -> None:
    option = OPTION_NAMES[MOVEMENTS[word]]
    hand = [int(card) for card in game.record["robots"][0]["hand"]]
    game.record["robots"][0]["hand"][:4] = hand[:4] = [79, 67, 49, 7]  # move 3, move 2, move 1, rotate left
    first = 49 if word == "crab_legs" else 67
    orders = {"movement_option": [word], "program": [first, None, None, None, None]}
    if option in ("crab_legs", "dual_processor") or word in ("overload", "overload_second_first"):
        orders["second"] = ["rotate_left@70"]
    with pytest.raises(OrderError, match=f"movement_option, register 1: '{word}': expected none: .* not own {option}"):
        resolve(game, **orders)
    own(game, option)
    record = resolve(game, **orders)
    assert record["movement_option"][0] == ORDERS["movement_option"].names.index(word)
    assert record["second"][0] == (7 if "second" in orders else 0)
    game.record["robots"][0]["locked"], game.record["robots"][0]["registers"][0] = 1, 84
    orders["program"] = [None] * 5
    if option in ("big_jet", "retro_rockets"):
        resolve(game, **orders)
    else:
        with pytest.raises(OrderError, match=f"movement_option, register 1: '{word}': .*the register is locked"):
            resolve(game, **orders)


def test_run_time_orders_are_accepted_where_options_change_hands(game: Game) -> None:
    own(game, "reengineering_unit", seat=2)
    record = resolve(game, gear=True, weapon="scrambler", fire_control="destroy")
    assert (record["gear"][0], record["weapon"][0], record["fire_control"][0]) == (1, 5, 6)
    with pytest.raises(OrderError, match=r"gadget, register 1: 'mine': .*does not own mine_layer"):
        resolve(game, gadget="mine")


def test_orders_cannot_use_more_tokens_and_counters_than_are_left(game: Game) -> None:
    own(game, "bridge_layer", "retro_rockets", "buzz_bomb")
    resolve(game, gadget=["bridge", "none", "bridge"], movement_option=["retro_2", "retro_1"])
    with pytest.raises(OrderError, match="gadget, register 3: 'bridge': expected no more than the 2 left in bridge_la"):
        resolve(game, gadget=["bridge"] * 3)
    with pytest.raises(OrderError, match=r"movement_option, register 2: 'retro_2': .*than the 3 left in retro_rockets"):
        resolve(game, movement_option=["retro_2", "retro_2"])
    game.record["payload"][OPTION_NAMES.index("buzz_bomb")] = 0
    with pytest.raises(OrderError, match="buzz: True: expected false: no bomb is left"):
        resolve(game, buzz=True)


def hold(game: Game, *cards: int) -> None:
    """Give seat 0 exactly these cards."""
    game.record["robots"][0]["hand"] = 0
    game.record["robots"][0]["hand"][: len(cards)] = sorted(cards, reverse=True)


def test_cards_of_orders_come_from_the_hand_once_each(game: Game) -> None:
    own(game, "overload_override", "conditional_program", "flywheel", "robo_copter")
    hold(game, 79, 67, 66, 65, 64, 7, 9, 1, 43)
    record = resolve(
        game, program=["move_1", None, None, None, None], movement_option=["overload"], second=["move_1"],
        conditional={"card": "move_1", "register": 2}, flywheel="u_turn", copter="move_3",
    )  # fmt: skip
    assert record["program"].tolist() == [66, 0, 0, 0, 0]
    assert record["second"].tolist() == [65, 0, 0, 0, 0]
    names = ("conditional", "conditional_register", "flywheel", "copter")
    assert [int(record[name]) for name in names] == [64, 2, 1, 79]
    for order, message in [
        ({"copter": 50}, "copter: 50: expected a card in the hand: move_3@790, move_2@670"),
        ({"copter": "u_turn"}, "copter: 'u_turn': expected a movement card"),
        ({"flywheel": 7, "copter": 7}, "copter: 7: expected a movement card"),
        ({"flywheel": 67, "copter": 67}, "copter: 67: expected each card once; flywheel uses it too"),
        ({"flywheel": "move_2", "copter": "move_2"}, "copter: 'move_2': expected a card in the hand"),
        ({"program": [67, None, None, None, None], "flywheel": 67}, "flywheel: 67: .*register 1 uses it too"),
        ({"conditional": {"card": 2, "register": 1}}, "conditional: 2: expected a card in the hand"),
        ({"second": ["move_1"]}, "second, register 1: .*expected null: movement_option is 'none'"),
        ({"movement_option": ["overload"]}, "second, register 1: None: expected a card: the movement_option is"),
    ]:
        with pytest.raises(OrderError, match=f"seat 0: {message}"):
            resolve(game, **order)
    game.record["robots"][0]["flywheel"] = 79
    with pytest.raises(OrderError, match=r"flywheel: .*expected null: the flywheel holds move_3@790"):
        resolve(game, flywheel=67)
    assert resolve(game, flywheel=67, program=[79, None, None, None, None])["flywheel"] == 67


@pytest.mark.parametrize(
    ("dual", "option", "cards", "legal"),
    [
        ("table", "crab_legs", (49, 7), True),
        ("table", "crab_legs", (7, 49), True),
        ("table", "crab_legs", (49, 1), False),
        ("table", "crab_legs", (67, 7), False),
        ("table", "dual_processor", (67, 7), True),
        ("table", "dual_processor", (79, 1), True),
        ("table", "dual_processor", (67, 1), False),
        ("table", "dual_processor", (49, 7), False),
        ("general", "dual_processor", (67, 1), True),
        ("general", "dual_processor", (67, 79), False),
        ("table", "overload", (67, 79), True),
    ],
)
def test_two_cards_in_one_register(dual: str, option: str, cards: tuple[int, int], legal: bool) -> None:
    game = Game("risky_exchange", num_robots=2, seed=5, settings={"option_cards": "on", "dual": dual})
    own(game, "crab_legs", "dual_processor", "overload_override")
    hold(game, *cards, 66, 65, 64, 63, 62)
    orders = {"movement_option": [option], "program": [cards[0], None, None, None, None], "second": [cards[1]]}
    if legal:
        assert resolve(game, **orders)["second"][0] == cards[1]
    else:
        with pytest.raises(OrderError, match=f"movement_option, register 1: '{option}': .*does not combine"):
            resolve(game, **orders)


def test_the_program_of_a_buzz_bomb_is_an_order_of_its_cards(game: Game) -> None:
    game.record["buzz_program"] = [3, 67, 7, 9, 79]
    device = game.record["devices"][0]
    device["kind"], device["owner"], game.record["num_devices"] = BUZZ_TOKEN, 0, 1
    assert resolve(game, buzz_program=["rotate_left", 67, "rotate_left"])["buzz_program"].tolist() == [9, 67, 7, 0, 0]
    for wrong in (["move_1"], [67, 67], ["u_turn", "u_turn"]):
        with pytest.raises(OrderError, match=r"buzz_program: .*expected the cards of the bomb, each once: u_turn@30"):
            resolve(game, buzz_program=wrong)
    device["owner"] = 1
    with pytest.raises(OrderError, match="does not own buzz_bomb"):
        resolve(game, buzz_program=[67])


def test_radio_control_aims_at_another_robot(game: Game) -> None:
    own(game, "radio_control")
    assert resolve(game, target=2)["target"] == 2
    for seat in (0, 3):
        with pytest.raises(OrderError, match=f"target: {seat}: expected another seat, below 3, or null"):
            resolve(game, target=seat)


def test_refused_orders_leave_the_game_as_it_is(game: Game) -> None:
    before = game.clone()
    with pytest.raises(OrderError, match="seat 0"):
        game.play({0: {"gadget": "mine"}})
    assert np.array_equal(game.games, before.games)


def test_orders_may_be_given_as_an_object(game: Game) -> None:
    own(game, "brakes")
    order = replace(Orders(), gear=(True,) * 5)
    assert resolve_orders({0: order}, game.record, game.settings, game.arena.tables[0])[0]["gear"].tolist() == [1] * 5
