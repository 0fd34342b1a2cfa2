"""Turns with option cards, orders and devices are transcribed as scenarios."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rr_gym import yaml12
from rr_gym.courses.course import Course
from rr_gym.encoding.orders.orders import Orders
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.devices.devices import lay_device
from rr_gym.rules.state.constants import GOO_TOKEN, MINE_TOKEN
from rr_gym.rules.state.option_cards import BIO_OPTION, BRAKES, MINE_LAYER, OVERLOAD_OVERRIDE, RECOMPILE, SHIELD
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.scenarios import load_scenarios, run_scenario
from rr_gym.transcribe import inexpressible_state, scenario_of

BOARD = "\n".join(["@1 . . . . . . . @2", *[". . . . . . . . ."] * 7, ". . . . . . . . #1"]) + "\n"


@pytest.fixture
def arena() -> Arena:
    return Arena(Course.from_board(BOARD, "floor"), {"option_cards": "on", "robot_lasers": "off"})


@pytest.fixture
def games(arena: Arena) -> np.ndarray[Any, Any]:
    """Return a game of two robots; the first has options, and holds cards 7 (rotate left) and 49 to 51 (move 1)."""
    games = arena.new_games(1, 2, seed=1)
    game = games[0]
    for option, left in {BRAKES: 0, MINE_LAYER: 2, OVERLOAD_OVERRIDE: 0, SHIELD: 0, BIO_OPTION: 0}.items():
        game.robots[0].options |= np.uint64(1 << option)
        game.payload[option] = left
        game.option_deck[: game.option_deck_left - 1] = game.option_deck[: game.option_deck_left][
            game.option_deck[: game.option_deck_left] != option
        ]
        game.option_deck_left -= 1
    game.robots[0].bio = BRAKES
    game.robots[0].facing, game.robots[1].facing = 1, 2
    game.robots["may_face"] = 0
    wanted = [51, 50, 49, 7, 8, 9, 10, 11, 12]
    others = [card for card in range(84, 0, -1) if card not in wanted]
    game.robots[0].hand[:9], game.robots[1].hand[:9] = wanted, others[:9]
    game.deck[:66], game.deck_left = others[9:], 66
    return games


def test_orders_options_and_devices_are_written_in_words(arena: Arena, games: Any, tmp_path: Path) -> None:
    lay_device(games[0], arena.tables[0], new_log(on=False)[0], MINE_TOKEN, 1, 40, 0, 0, 4)
    games[0].devices[0].spares = 0
    orders = no_orders(1, 8, full=True)
    Orders(
        program=(49, 7, 50, 8, 9), movement_option=("overload", *["none"] * 4), second=(51, *[None] * 4),
        gadget=("none", "mine", "none", "none", "mine"), gear=(False, False, True, False, False), shield=("back",) * 5,
        weapon=("missile",) * 5, target=1, give_up=("shield",), sacrifice_threshold=3,
    ).write(orders[0, 0])  # fmt: skip
    Orders(program=tuple(int(card) for card in games[0].robots[1].hand[4:9])).write(orders[0, 1])
    before = games.copy()
    arena.play(games, orders)
    scenario = scenario_of(arena, before[0], orders[0], games[0])
    assert scenario["robots"]["a"]["options"] == {
        "bio_option": 0, "brakes": 0, "overload_override": 0, "shield": 0, "mine_layer": 2,
    }  # fmt: skip
    assert list(scenario["robots"]["a"]["options"])[:2] == ["bio_option", "brakes"]
    assert scenario["orders"] == {
        "a": {
            "gadget": ["none", "mine", "none", "none", "mine"], "movement_option": ["overload", *["none"] * 4],
            "second": ["move_1@510", *["none"] * 4], "gear": [False, False, True, False, False], "shield": "back",
            "sac_thr": 3, "give_up": ["shield"], "weapon": "missile", "target": "b",
        },
        "b": {},
    }  # fmt: skip
    assert scenario["devices"] == [
        {"kind": "mine", "at": [4, 4], "level": 0, "owner": "b", "facing": "n", "power": 4},
    ]
    assert "comment" not in scenario
    path = tmp_path / "turn.yaml"
    path.write_text(yaml12.dump([scenario]), "utf-8")
    (result,) = [run_scenario(entry) for entry in load_scenarios(path)]
    assert result.passed, result.differences


def test_what_a_scenario_cannot_say_is_said_in_a_comment(arena: Arena, games: Any) -> None:
    game, settings, orders = games[0], arena.settings[0], no_orders(8, full=True)
    assert inexpressible_state(game, orders, settings) == []
    game.homing_target = 1
    game.robots[1].flywheel = 84
    lay_device(game, arena.tables[0], new_log(on=False)[0], GOO_TOKEN, 1, 40, 0, 0, 0)
    game.devices[0].left = 2
    orders[0]["recompile"] = 3
    assert inexpressible_state(game, orders, settings) == [
        "the cards on Flywheels", "the robots with tokens", "devices that spare robots", "how much goo is left",
    ]  # fmt: skip
    game.robots[0].options |= np.uint64(1 << RECOMPILE)
    assert inexpressible_state(game, orders, settings)[-1] == "hands that are dealt again"
    transcript = scenario_of(arena, game, orders, None)
    assert transcript["comment"].startswith("not in this scenario: the cards on Flywheels, the robots with tokens")
