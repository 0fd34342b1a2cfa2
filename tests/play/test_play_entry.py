"""What a person types becomes orders, or is refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from play_talk import options_game, small

from rr_gym.encoding.orders.orders import OrderError, Orders
from rr_gym.play.order_entry import OrderEntry, Reader
from rr_gym.play.usable import usable_orders


@pytest.fixture
def read() -> Callable[..., dict[str, Any]]:
    game = small()
    return Reader(game.view(0), ("human", "greedy", "planner:20k")).read


def test_cards_are_typed_by_number_and_by_name(read: Callable[..., dict[str, Any]]) -> None:
    hand = small().hands[0]
    assert read("3 1 5 2 4") == read("3,1,5,2,4") == read("program=3,1,5,2,4")
    assert read("3 1 5 2 4")["program"] == [hand[2], hand[0], hand[4], hand[1], hand[3]]
    assert read(f"{hand[8]} . any 2 .")["program"] == [hand[8], None, None, hand[1], None]
    assert read("m1 M3 u l back_up")["program"] == ["move_1", "move_3", "u_turn", "rotate_left", "back_up"]
    assert read(".") == {"program": [None] * 5}
    assert read("[1, 2, 3, 4, 5]") == read("program=1 2 3 4 5") == read("PROGRAM 1 2 3 4 5") == read("1 2 3 4 5")
    assert read("M1@490 m1 . . .")["program"] == ["move_1@490", "move_1", None, None, None]
    assert read("r3 = 7", [None] * 5) == {"program": [None, None, hand[6], None, None]}
    assert read("r1=1 r2=2", [None] * 5) == {"program": [hand[0], hand[1], None, None, None]}


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("power_down", {"power_down": True}),
        ("power_down off", {"power_down": False}),
        ("Power_Down", {"power_down": True}),
        ("TURRET left", {"turret": "left"}),
        ("power_down=yes stay_down", {"power_down": True, "stay_down": True}),
        ("turret left", {"turret": "left"}),
        ("turret = left, right", {"turret": ["left", "right"]}),
        ("turret left . back", {"turret": ["left", "front", "back"]}),
        ("weapon [main, big_gun]", {"weapon": ["main", "big_gun"]}),
        ("turret default", {"turret": ("front",) * 5}),
        ("frog", {"frog": True}),
        ("gyro no yes", {"gyro": [False, True]}),
        ("unlock 3", {"unlock": 3}),
        ("unlock none", {"unlock": None}),
        ("recompile true", {"recompile": True}),
        ("target 3", {"target": 2}),
        ("target=greedy", {"target": 1}),
        ("conditional m2 4", {"conditional": {"card": "move_2", "register": 4}}),
        ("conditional={card: m2, register: 4}", {"conditional": {"card": "move_2", "register": 4}}),
        ("conditional m2", {"conditional": {"card": "move_2", "register": 0}}),
        ("give_up brakes turret", {"give_up": ["brakes", "turret"]}),
        ("give_up=[]", {"give_up": []}),
        ("give_up none", {"give_up": None}),
        ("lose brakes", {"lose": "brakes"}),
        ("second m1", {"second": ["move_1"]}),
        ("second . m1", {"second": [None, "move_1"]}),
        ("copter m1", {"copter": "move_1"}),
        ("freak_order 2 0 1", {"freak_order": [2, 0, 1]}),
        ("reset_card m3", {"reset_card": "move_3"}),
    ],
)
def test_other_orders_are_typed_by_name(text: str, fields: dict[str, Any], read: Callable[..., dict[str, Any]]) -> None:
    assert read(text) == fields
    Orders.from_json(fields)


def test_program_and_orders_may_share_a_line(read: Callable[..., dict[str, Any]]) -> None:
    fields = read("1 2 3 4 5 power_down turret=left,back")
    assert list(fields) == ["power_down", "turret", "program"]
    assert fields["turret"] == ["left", "back"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3", "program: 3 cards: expected 5 cards; . stands for any card"),
        ("1 2 3 4 10", "program: 10: expected 1 to 9, a card by its number"),
        ("1 2 3 4 " + "9" * 5000, "program: 999"),
        ("1 2 3 4 move1", "program: there is no card 'move1': did you mean 'move_1'?"),
        ("1 2 3 4 move_1@10", "program: 'move_1@10': expected a priority of move_1: 490, "),
        ("turet=left", "there is no order 'turet': did you mean 'turret'?"),
        ("turret", "turret: expected a value, such as turret=left"),
        ("target 1", "target: 1: expected a robot by its number: 2 (greedy), 3 (planner:20k)"),
    ],
)
def test_words_that_mean_nothing_are_refused(text: str, message: str, read: Callable[..., dict[str, Any]]) -> None:
    with pytest.raises(OrderError) as error:
        read(text)
    assert str(error.value).startswith(message)


def test_entry_keeps_what_was_typed_when_more_is_refused() -> None:
    entry = OrderEntry()
    entry.enter({"program": ["move_1"] * 5, "power_down": True})
    with pytest.raises(OrderError, match=r"^turret: 'up': expected front"):
        entry.enter({"turret": "up"})
    assert entry.fields == {"program": ["move_1"] * 5, "power_down": True}
    entry.enter({"power_down": False})
    assert entry.fields == {"program": ["move_1"] * 5}
    assert entry.undo()
    assert entry.fields["power_down"]
    entry.clear()
    assert not entry.fields
    assert entry.undo()
    assert entry.undo()
    assert not entry.fields
    assert not entry.undo()


def test_orders_lists_what_can_be_used_now() -> None:
    names = [order.name for order in usable_orders(small(), small().view(0))]
    assert names == ["power_down", "stay_down", "facing"]
    game = options_game("turret", "mine_layer", "drone_launcher", power_down="off")
    usable = {order.name: order for order in usable_orders(game, game.view(0))}
    assert {"turret", "gadget", "weapon", "fallback_to_laser", "sacrifice_threshold", "give_up", "lose"} <= set(usable)
    assert not {"power_down", "stay_down", "shield", "second", "chop", "unlock"} & set(usable)
    assert usable["weapon"].values == "main | drone, one for each register or one for all"
    assert usable["gadget"].values.startswith("none | mine,")
    assert (usable["turret"].default, usable["fallback_to_laser"].default) == ("front", "true")
    for name in usable:
        game.resolve({0: {name: Orders().to_json().get(name, getattr(Orders(), name))}})


def test_every_value_that_orders_lists_is_accepted() -> None:
    game = options_game(
        "turret", "shield", "reflector", "fire_control", "big_gun", "gyroscopic_stabilizer", "abort_switch"
    )
    reader = Reader(game.view(0), ("human", "random"))
    tried = 0
    for order in usable_orders(game, game.view(0)):
        words = order.values.split(", one for")[0].split(" | ")
        if len(words) == 1:
            continue
        for word in words:
            game.resolve({0: reader.read(f"{order.name}={word}")})
            tried += 1
    assert tried > 30
