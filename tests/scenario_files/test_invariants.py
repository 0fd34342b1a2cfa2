"""The invariants of option cards, devices and variants detect broken games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses.course import Course
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.invariants import check, find_violations
from rr_gym.option_invariants import owners
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.devices.devices import lay_device
from rr_gym.rules.state.constants import (
    BIG_ONE_BODY,
    BIG_ONE_TOKEN,
    BRIDGE_TOKEN,
    BUZZ_TOKEN,
    DEVICE_NAMES,
    FATAL_DAMAGE,
    GOO_TOKEN,
    MAX_DEVICES,
    MINE_TOKEN,
    MISSILE_TOKEN,
    NO_DEVICE,
    SCRAMBLER_TOKEN,
    TELEPORTER_TOKEN,
)
from rr_gym.rules.state.events import DEVICE_LAID, OPTION_DRAWN, OPTION_LOST, OPTION_TAKEN
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    BIG_GUN,
    BIO_OPTION,
    CONVERTER,
    HOMING_DEVICE,
    MINI_HOWITZER,
    OPTION_NAMES,
    PORTABLE_TELEPORTER,
)
from rr_gym.rules.state.records import LOG, new_log, no_orders

NUM_ROBOTS = 4
BROKEN_GAME = 2
FLOOR = "@1 . @2 .\n. X . .\n. . #1 .\n@3 . @4 #2"
Change = Callable[[Arena, Any], None]


def arena_with(**settings: Any) -> Arena:
    return Arena(Course.from_board(FLOOR, "floor"), {"option_cards": "on", "lives": "unlimited", **settings})


@pytest.fixture(scope="module")
def arena() -> Arena:
    return arena_with()


@pytest.fixture(scope="module")
def untouched(arena: Arena) -> np.ndarray[Any, Any]:
    return games_of(arena)


@pytest.fixture
def games(untouched: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return untouched.copy()


def games_of(arena: Arena) -> np.ndarray[Any, Any]:
    """Return four games before their first turn, in which each robot has three options."""
    games = arena.new_games(NUM_ROBOTS, NUM_ROBOTS, seed=2)
    arena.equip(games, 3)
    assert check(games, arena) == []
    return games


def own(game: Any, robot: int, option: int) -> None:
    """Move an option from wherever it is to a robot."""
    pile = [card for card in game["option_deck"][: game["option_deck_left"]] if card != option]
    game["option_deck"][: len(pile)] = pile
    game["option_deck_left"] = len(pile)
    game["robots"]["options"] &= ~np.uint64(1 << option)
    game["robots"][robot]["options"] |= np.uint64(1 << option)


def owned_by(games: np.ndarray[Any, Any], robot: int) -> list[list[int]]:
    """Return the options of a robot in each game."""
    return [np.flatnonzero(owners(games)[g, robot]).tolist() for g in range(len(games))]


def lay(arena: Arena, game: Any, kind: int, square: int, /, **fields: int) -> None:
    """Lay a device of robot 0 by the rules, and then set some of its fields."""
    slot = lay_device(game, arena.tables[0], new_log(on=False)[0], kind, 0, square, 0, 1, 4)
    for name, value in fields.items():
        game["devices"][slot][name] = value


def set_game(**fields: int) -> Change:
    def change(arena: Arena, game: Any) -> None:
        for name, value in fields.items():
            game[name] = value

    return change


def set_robot(robot: int = 0, **fields: int) -> Change:
    def change(arena: Arena, game: Any) -> None:
        for name, value in fields.items():
            game["robots"][robot][name] = value

    return change


def owned(option: int, left: int) -> Change:
    def change(arena: Arena, game: Any) -> None:
        own(game, 0, option)
        game["payload"][option] = left

    return change


def laid(kind: int, square: int = 4, /, **fields: int) -> Change:
    return lambda arena, game: lay(arena, game, kind, square, **fields)


def lose_an_option(arena: Arena, game: Any) -> None:
    game["option_deck_left"] -= 1


def own_twice(arena: Arena, game: Any) -> None:
    game["robots"][1]["options"] |= game["robots"][0]["options"]


def something_in_the_pile(arena: Arena, game: Any) -> None:
    game["payload"][game["option_deck"][0]] = 1


def token_on_its_owner(arena: Arena, game: Any) -> None:
    own(game, 2, HOMING_DEVICE)
    game["homing_target"] = 2


def token_of_nobody(arena: Arena, game: Any) -> None:
    game["robots"]["options"] &= ~np.uint64(1 << HOMING_DEVICE)
    game["homing_target"] = 1


def bio_without_option(arena: Arena, game: Any) -> None:
    own(game, 0, BIO_OPTION)
    game["robots"][0]["bio"] = game["option_deck"][0]


def free_last_slot(arena: Arena, game: Any) -> None:
    lay(arena, game, MINE_TOKEN, 4)
    game["devices"][0]["kind"] = 0


def lost_slot(arena: Arena, game: Any) -> None:
    lay(arena, game, MINE_TOKEN, 4)
    game["num_devices"] = 0


def two_of_one(kind: int) -> Change:
    def change(arena: Arena, game: Any) -> None:
        lay(arena, game, kind, 4)
        game["devices"][1] = game["devices"][0]
        game["num_devices"] = 2

    return change


def stray_body(arena: Arena, game: Any) -> None:
    lay(arena, game, BIG_ONE_TOKEN, 4)
    game["robots"][BIG_ONE_BODY]["square"] = 6


BROKEN: dict[str, tuple[Change, str]] = {
    "lost option": (lose_an_option, "lies in 0 places"),
    "option twice": (own_twice, "lies in 2 places"),
    "too much": (owned(BIG_GUN, 6), "option big_gun: it holds more than it can"),
    "converter": (owned(CONVERTER, 3), "option converter: it holds more than it can"),
    "coat": (owned(ABLATIVE_COAT, 0), "option ablative_coat: it holds too little"),
    "howitzer": (owned(MINI_HOWITZER, 0), "option mini_howitzer: it holds too little"),
    "pile": (something_in_the_pile, "it lies in a pile with something on it"),
    "bio": (bio_without_option, "robot 0: its Bio Option grants what it does not have"),
    "own token": (token_on_its_owner, "homing_target is the owner of the option"),
    "token of nobody": (token_of_nobody, "homing_target is set and nobody has the option"),
    "token off": (set_game(intercept_target=7), "intercept_target is no robot"),
    "field": (set_game(damping=1), "damping is set between turns"),
    "bombed": (set_game(bombed=16), "a bombed seat does not play"),
    "superbot": (set_game(superbot=5), "the SuperBot does not play"),
    "copied": (set_robot(copied=3), "its program is a copy"),
    "rewired": (set_robot(rewired=1), "its program has changed"),
    "card on nothing": (lambda a, g: keep_on_wheel(g), "a Flywheel that it does not have"),
    "lost slot": (lost_slot, "device 0: it lies beyond the slots in use"),
    "free last slot": (free_last_slot, "the last slot in use is free"),
    "strange device": (laid(MINE_TOKEN, kind=11), "device 0: it is of no kind"),
    "off the board": (laid(MINE_TOKEN, 200), "device 0: it lies on no square"),
    "outside": (laid(MISSILE_TOKEN, 300), "device 0: it flies outside the layout"),
    "device facing": (laid(MINE_TOKEN, facing=4), "device 0: it faces no direction"),
    "owner": (laid(MINE_TOKEN, owner=6), "device 0: its owner does not play"),
    "virtual": (laid(MINE_TOKEN, virtual=1), "device 0: it is virtual and its owner is not"),
    "old bomb": (laid(SCRAMBLER_TOKEN), "device 0: it should have gone off"),
    "goo": (laid(GOO_TOKEN, left=0), "device 0: the goo is used up"),
    "no priority": (laid(MISSILE_TOKEN, priority=0), "device 0: it has no priority"),
    "one priority": (two_of_one(MISSILE_TOKEN), "two devices have one priority"),
    "buzz bombs": (two_of_one(BUZZ_TOKEN), "there are two devices buzz_bomb"),
    "Big Ones": (two_of_one(BIG_ONE_TOKEN), "there are two devices big_one"),
    "in no goo": (set_robot(goo=2), "robot 0: it sticks where no goo is"),
    "stray body": (stray_body, "device 0: its body is elsewhere"),
    "ghost": (lambda a, g: set_robot(BIG_ONE_BODY, alive=1)(a, g), "the body of The Big One is not with it"),
    "bodies": (set_game(num_bodies=9), "num_bodies is wrong"),
    "hidden": (set_game(hidden=1), "bodies are still hidden"),
    "explosion": (set_game(num_blasts=1), "an explosion still waits"),
    "flag": (set_game(flag_squares=-1), "a flag is on no square"),
    "flag owner": (set_game(flag_owner=1), "flags belong to teams"),
    "carried": (set_robot(carries=1), "robot 0: it carries a flag"),
    "team": (set_robot(team=9), "robot 0: it is in no team"),
    "generator": (set_game(salted_key=1), "the generator does not belong to the salt"),
    "secret": (set_game(secret=(1 << 52) - 1), "nobody has it, and it is secret"),
}


def keep_on_wheel(game: Any) -> None:
    """Keep a card of the undealt pile on a Flywheel that nobody owns."""
    game["deck_left"] -= 1
    game["robots"]["options"] &= ~np.uint64(1 << OPTION_NAMES.index("flywheel"))
    game["robots"][0]["flywheel"] = game["deck"][game["deck_left"]]


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_named(arena: Arena, games: np.ndarray[Any, Any], name: str) -> None:
    change, text = BROKEN[name]
    change(arena, games[BROKEN_GAME])
    violations = find_violations(games, arena)
    assert {violation.game for violation in violations} == {BROKEN_GAME}
    assert any(text in violation.text for violation in violations), violations


def test_teams_share_their_flags() -> None:
    arena = arena_with(game="tag_teams")
    games = games_of(arena)
    games[1]["robots"][2]["flag"] = 1  # the mate of robot 0
    assert check(games, arena) == ["game 1: a team has not touched the same flags"]


def test_a_carried_flag_goes_with_its_robot() -> None:
    arena = arena_with(game="capture_the_flag")
    games = games_of(arena)
    games[0]["robots"][0]["carries"] = 2
    assert check(games, arena) == ["game 0: robot 0: the flag that it carries is elsewhere"]
    games[0]["flag_squares"][1] = games[0]["robots"][0]["square"]
    assert check(games, arena) == []


def test_a_built_in_bio_option_is_in_no_pile() -> None:
    arena = arena_with(bio_bots="on")
    games = games_of(arena)
    assert not (games["option_deck"][:, : games["option_deck_left"].max()] == BIO_OPTION).any()
    games[0]["robots"][0]["options"] |= np.uint64(1 << BIO_OPTION)
    assert f"game 0: option {BIO_OPTION} lies in 1 places" in check(games, arena)


def test_a_robot_on_a_bridge_is_not_in_the_pit(arena: Arena, games: np.ndarray[Any, Any]) -> None:
    games[0]["robots"][0]["square"] = 5
    assert check(games, arena) == ["game 0: robot 0: it stands in a pit"]
    lay(arena, games[0], BRIDGE_TOKEN, 5)
    assert check(games, arena) == []


def test_a_full_pool_keeps_the_token(arena: Arena, games: np.ndarray[Any, Any]) -> None:
    for game in games:
        own(game, 0, PORTABLE_TELEPORTER)
        game["payload"][PORTABLE_TELEPORTER] = 1
        for _ in range(MAX_DEVICES - (game["index"] == 0)):
            lay(arena, game, BRIDGE_TOKEN, 5)
    orders = no_orders(len(games), 8, full=True)
    orders["gadget"][:, 0, 0] = TELEPORTER_TOKEN
    orders["sacrifice_threshold"] = FATAL_DAMAGE + 1
    orders["lose"][:, 0] = [next(k for k in others if k != PORTABLE_TELEPORTER) for others in owned_by(games, 0)]
    arena.play(games, orders)
    kinds = games["devices"]["kind"]
    assert (kinds != NO_DEVICE).all()
    assert (kinds == TELEPORTER_TOKEN).sum(axis=1).tolist() == [1, 0, 0, 0]
    assert games["payload"][:, PORTABLE_TELEPORTER].tolist() == [0, 1, 1, 1]
    assert check(games, arena) == []


def test_random_play_with_options_breaks_nothing(arena: Arena) -> None:
    games, orders = arena.new_games(4, NUM_ROBOTS, seed=5), no_orders(4, 8, full=True)
    words = np.arange(4, dtype=np.uint64)
    for _ in range(4):
        arena.equip(games, 4)
        random_option_orders(arena, games, orders, words)
        arena.play(games, orders, restart=True)
        assert check(games, arena) == []


# By option, the devices that its tokens become
TOKENS = {
    name: DEVICE_NAMES.index(device)
    for name, device in (
        ("bridge_layer", "bridge"), ("mine_layer", "mine"), ("proximity_mine", "proximity_mine"),
        ("goo_dropper", "goo"), ("portable_teleporter", "portable_teleporter"), ("scrambler_bomb", "scrambler_bomb"),
        ("big_one", "big_one"), ("missile_launcher", "missile"), ("drone_launcher", "drone"),
        ("buzz_bomb", "buzz_bomb"),
    )
}  # fmt: skip


def test_every_token_that_leaves_an_option_is_a_device() -> None:
    arena = Arena("death_trap", {"option_cards": "on", "lives": "unlimited"})
    num_games, turns = (64, 20) if COMPILED else (3, 3)
    games, orders = arena.new_games(num_games, 8, seed=3), no_orders(num_games, 8, full=True)
    words, logs = np.arange(num_games, dtype=np.uint64), np.zeros(num_games, LOG)
    logs["on"] = 1
    laid = 0
    for _ in range(turns):
        arena.equip(games, 5)
        random_option_orders(arena, games, orders, words)
        orders["damping"] = 0  # inside a field tokens are lost
        before = games["payload"].copy()
        arena.play(games, orders, logs=logs)
        for log, game, full in zip(logs, games, before, strict=True):
            events = log["events"][: log["count"]]
            passed_on = events["value"][np.isin(events["kind"], (OPTION_LOST, OPTION_DRAWN, OPTION_TAKEN))]
            for name, device in TOKENS.items():
                option = OPTION_NAMES.index(name)
                if option not in passed_on:
                    count = int(((events["kind"] == DEVICE_LAID) & (events["value"] == device)).sum())
                    assert full[option] - game["payload"][option] == count, name
                    laid += count
    assert laid > 0
