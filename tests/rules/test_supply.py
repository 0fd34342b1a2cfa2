"""The supply of option cards (R-G1, R-G3): their sources, limits and visibility."""

from __future__ import annotations

import re

import numpy as np
import pytest
from random_play import FLOOR

from rr_gym.courses import Course, load_course
from rr_gym.invariants import find_violations
from rr_gym.rules.arena.arena import Arena, ArenaError
from rr_gym.rules.options.options import receive_option, use_up
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import DECK_SIZE, MOVE_1, NUM_OPTIONS
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    BIO_OPTION,
    BRAKES,
    INITIAL_PAYLOAD,
    MINE_LAYER,
    OPTION_NAMES,
    RANK,
    SHIELD,
    TURRET,
)
from rr_gym.rules.state.records import clone, new_log, no_orders
from rr_gym.rules.state.settings import SettingError, Settings, resolve_settings

SITES = Course.from_board("""
@1+w1  @2+w1  @3+w2  @4
""")


def owned(games: np.ndarray, game: int, robot: int) -> set[int]:
    """Return the options of a robot."""
    mask = int(games["robots"]["options"][game, robot])
    return {k for k in range(NUM_OPTIONS) if mask >> k & 1}


def places(games: np.ndarray, game: int) -> list[int]:
    """Return the option cards in all places; a card in two places is listed twice."""
    record = games[game]
    found = [int(k) for k in record["option_deck"][: record["option_deck_left"]]]
    found += [int(k) for k in record["option_discards"][: record["option_discards_left"]]]
    found += [k for k in range(NUM_OPTIONS) if record["pile_of"][k]]
    for robot in range(record["num_robots"]):
        found += owned(games, game, robot)
    return sorted(found)


def give(games: np.ndarray, robot: int, *options: int) -> None:
    """Give a robot options from the pile of game 0, new and full."""
    record = games[0]
    left = [k for k in record["option_deck"][: record["option_deck_left"]] if k not in options]
    record["option_deck"][: len(left)] = left
    record["option_deck_left"] = len(left)
    for option in options:
        record["robots"][robot]["options"] |= np.uint64(1 << option)
        record["payload"][option] = INITIAL_PAYLOAD[option]


def idle(arena: Arena, games: np.ndarray, **orders: object) -> None:
    """Play a turn in which registers are filled at random; `orders` are for all robots."""
    chosen = no_orders(len(games), 8, full=True)
    for name, value in orders.items():
        chosen[name] = value
    arena.play(games, chosen)


@pytest.mark.parametrize(
    ("settings", "each"),
    [
        ({"option_package": "standard"}, 1),
        ({"option_package": "deluxe"}, 1),
        ({"start_options": 3}, 3),
        ({"option_draft_deal": 4, "option_draft_keep": 2}, 2),
        ({"option_package": "standard", "start_options": 2}, 3),
    ],
)
def test_what_is_dealt_at_the_start(settings: dict[str, object], each: int) -> None:
    games = Arena(FLOOR, settings).new_games(6, 4, seed=5)
    for g in range(6):
        assert places(games, g) == list(range(NUM_OPTIONS))
        for robot in range(4):
            cards = owned(games, g, robot)
            assert len(cards) == each + (BIO_OPTION in cards)  # a Bio Option comes with another option
            full = {k: 3 if k == ABLATIVE_COAT else int(INITIAL_PAYLOAD[k]) for k in cards}
            assert {k: int(games["payload"][g, k]) for k in cards} == full


BANNED = ("circuit_breaker", "mechanical_arm", "bio_option")
DEALS: list[dict[str, object]] = [
    {"start_options": 3}, {"option_draft_deal": 6, "option_draft_keep": 3}, {"option_package": "deluxe"},
    {"scavenger": 2}, {"bio_bots": "on"}, {"turbo_wrenches": "on"}, {"game": "head_to_head"},
    {"single_wrench_options": 2, "flag_options": 1},
]  # fmt: skip


@pytest.mark.parametrize("settings", DEALS, ids=lambda deal: next(iter(deal)))
def test_banned_cards_are_nowhere(settings: dict[str, object]) -> None:
    arena = Arena("risky_exchange", {**settings, "banned_options": ",".join(BANNED)})
    games = arena.new_games(2, 4, seed=8)
    for _ in range(3):
        idle(arena, games)
        assert not find_violations(games, arena)
    arena.restart(games)
    banned = {OPTION_NAMES.index(name) for name in BANNED}
    for g in range(2):
        assert set(places(games, g)) == set(range(NUM_OPTIONS)) - banned
        assert not banned & {card for robot in range(4) for card in owned(games, g, robot)}


@pytest.mark.parametrize("settings", DEALS, ids=lambda deal: next(iter(deal)))
def test_a_deck_that_is_too_small_gives_what_it_has(settings: dict[str, object]) -> None:
    for left in (0, 2):
        arena = Arena("risky_exchange", {**settings, "banned_options": ",".join(OPTION_NAMES[left:])})
        games = arena.new_games(2, 4, seed=8)
        idle(arena, games)
        assert not find_violations(games, arena)
        assert all(len(places(games, g)) == left for g in range(2))


def test_starting_options_go_by_index_until_the_pile_is_empty() -> None:
    games = Arena(FLOOR, {"start_options": 2, "banned_options": ",".join(OPTION_NAMES[3:])}).new_games(1, 4, seed=8)
    assert [len(owned(games, 0, robot)) for robot in range(4)] == [2, 1, 0, 0]


def test_courses_and_settings_that_deal_options_have_option_cards() -> None:
    for course in ("tricksy", "option_world", "flag_fry", "war_zone"):
        assert Arena(course).settings[0].option_cards == "on"
    assert Arena("risky_exchange").settings[0].option_cards == "off"
    assert Arena("flag_fry", {"option_cards": "off"}).new_games(1, 4)["robots"]["options"].sum() == 0
    for layer in ({"scavenger": 1}, {"turbo_wrenches": "on"}, {"bio_bots": 1}, {"game": "head_to_head"}):
        assert resolve_settings(("settings", layer)).option_cards == "on"
    assert resolve_settings(("settings", {"preset": "amigo"})).option_cards == "off"


def test_the_better_of_three_is_kept() -> None:
    arena = Arena(FLOOR, {"option_package": "deluxe"})
    dealt = Arena(FLOOR, {"start_options": 3}).new_games(40, 1, seed=9)  # the same three cards
    kept = arena.new_games(40, 1, seed=9)
    for g in range(40):
        seen = owned(dealt, g, 0)
        if BIO_OPTION not in seen:
            assert owned(kept, g, 0) == {max(seen, key=lambda k: RANK[k])}


def test_piles_lie_beside_all_flags_but_the_last() -> None:
    games = Arena(FLOOR, {"scavenger": 1}).new_games(1, 3)
    assert np.bincount(games["pile_of"][0]).tolist() == [NUM_OPTIONS - 6, 3, 3]
    assert places(games, 0) == list(range(NUM_OPTIONS))


def test_with_bio_bots_nobody_owns_the_card() -> None:
    games = Arena(FLOOR, {"bio_bots": 1}).new_games(8, 4)
    for g in range(8):
        assert places(games, g) == [k for k in range(NUM_OPTIONS) if k != BIO_OPTION]
        for robot in range(4):
            assert owned(games, g, robot) == {int(games["robots"]["bio"][g, robot])}


def test_turbo_wrenches_discard_what_is_not_kept() -> None:
    arena = Arena(SITES, {"turbo_wrenches": "on", "robot_lasers": "off"})
    games = arena.new_games(1, 4)
    games["robots"]["hand"] = 0  # so that no robot moves
    games["deck_left"] = 0
    idle(arena, games)
    drawn = [owned(games, 0, robot) for robot in range(4)]
    assert [len(cards) - (BIO_OPTION in cards) for cards in drawn] == [1, 1, 1, 0]
    assert games["option_discards_left"][0] == 1
    assert places(games, 0) == list(range(NUM_OPTIONS))


def test_a_limit_counts_bio_option_and_its_gift_as_one() -> None:
    arena = Arena(FLOOR, {"option_cards": "on", "max_options": 2})
    games = arena.new_games(1, 1)
    give(games, 0, TURRET, BIO_OPTION, BRAKES)
    robot = games[0]["robots"][0]
    robot["bio"] = BRAKES
    robot["orders"]["lose"] = -1
    log = new_log(on=False)[0]
    deck = games[0]["option_deck"]
    left = int(games[0]["option_deck_left"])
    where = list(deck[:left]).index(SHIELD)
    deck[where], deck[left - 1] = deck[left - 1], deck[where]
    games["option_deck_left"] -= 1
    receive_option(games[0], arena.tables[0], log, 0, SHIELD)
    assert owned(games, 0, 0) == {BIO_OPTION, BRAKES, SHIELD}  # of the cards that count, Turret has the least value


def test_naming_the_gift_gives_up_both() -> None:
    arena = Arena(FLOOR, {"option_cards": "on", "max_options": 1})
    games = arena.new_games(1, 1)
    give(games, 0, BIO_OPTION, BRAKES)
    games["robots"]["bio"][0, 0] = BRAKES
    games["robots"]["orders"]["lose"][0, 0] = BRAKES
    games["option_deck_left"] -= 1
    top = int(games["option_deck"][0, games["option_deck_left"][0]])
    receive_option(games[0], arena.tables[0], new_log(on=False)[0], 0, top)
    assert owned(games, 0, 0) == {top}
    assert games["robots"]["bio"][0, 0] == -1


def test_tokens_never_make_a_launcher_more_than_full() -> None:
    arena = Arena(FLOOR, {"option_cards": "on"})
    games = arena.new_games(1, 1)
    give(games, 0, MINE_LAYER)
    use_up(games[0], new_log(on=False)[0], 0, MINE_LAYER, -1)
    assert games["payload"][0, MINE_LAYER] == INITIAL_PAYLOAD[MINE_LAYER]


def test_head_to_head_deals_four_hidden_options_to_each_side() -> None:
    games = Arena(FLOOR, {"game": "head_to_head"}).new_games(5, 6, seed=2)
    for g in range(5):
        hidden = int(games["secret"][g])
        cards = [owned(games, g, robot) for robot in range(6)]
        assert sum(1 << k for k in set().union(*cards)) == hidden
        for team in (0, 1):
            counts = [len(cards[robot]) - (BIO_OPTION in cards[robot]) for robot in range(team, 6, 2)]
            assert counts == [2, 1, 1]


def test_an_option_is_hidden_until_it_is_used() -> None:
    arena = Arena(FLOOR, {"game": "head_to_head"})
    games = arena.new_games(1, 2)
    games["robots"]["options"] = 0
    give(games, 0, BRAKES, TURRET)
    games["secret"] = 1 << BRAKES | 1 << TURRET
    forward = next(card for card in range(1, DECK_SIZE + 1) if CARD_TYPE[card] == MOVE_1)
    for gear, hidden in ((0, {BRAKES, TURRET}), (1, {TURRET})):
        games["robots"]["hand"][0, 0, 0] = forward
        orders = no_orders(1, 8, full=True)
        orders["program"][0, 0, 0] = forward
        orders["gear"][0, 0] = gear
        arena.play(games, orders)
        assert {k for k in range(NUM_OPTIONS) if int(games["secret"][0]) >> k & 1} == hidden


def test_settings_of_the_supply_are_checked() -> None:
    with pytest.raises(SettingError, match=r"scavenger.*3.*expected off | a whole number from 1 to 2"):
        resolve_settings(("settings", {"scavenger": 3}))
    assert Settings().start_options == 0
    assert len(OPTION_NAMES) == NUM_OPTIONS


def test_options_of_courses_are_played() -> None:
    arena = Arena(load_course("option_world"))
    games = arena.new_games(1, 4, seed=1)
    idle(arena, games, power_down=0)
    assert places(games, 0) == list(range(NUM_OPTIONS))


def test_given_options_are_new_and_out_of_the_pile() -> None:
    arena = Arena(FLOOR, {"option_cards": "on"})
    games = arena.new_games(2 * NUM_OPTIONS + 1, 3, seed=1)
    seats = np.arange(len(games)) % 3
    before = clone(games)
    arena.give(games, seats, [*OPTION_NAMES, *OPTION_NAMES, None])
    assert not find_violations(games, arena)
    assert games[-1] == before[-1]
    for game, seat in enumerate(seats[:-1].tolist()):
        option = game % NUM_OPTIONS
        granted = int(games["robots"]["bio"][game, seat])
        assert owned(games, game, seat) == ({option, granted} if option == BIO_OPTION else {option})
        assert not any(owned(games, game, other) for other in range(3) if other != seat)
        assert places(games, game) == list(range(NUM_OPTIONS))
        assert games["payload"][game, option] == (3 if option == ABLATIVE_COAT else INITIAL_PAYLOAD[option])
    orders = no_orders(len(games), 8, full=True)
    for _ in range(3):
        arena.play(games, orders)
    assert not find_violations(games, arena)


@pytest.mark.parametrize(
    ("settings", "seat", "option", "message"),
    [
        ({"option_cards": "off"}, 0, "brakes", "game 0, seat 0: 'brakes': expected games with option_cards on"),
        ({}, 0, "break", "options: 'break': did you mean"),
        ({}, 2, "brakes", "game 0, seat 2: 'brakes': expected the seat of a robot"),
        ({}, -1, "brakes", "game 0, seat -1: 'brakes': expected the seat of a robot"),
        ({"max_options": 1, "start_options": 1}, 0, "brakes", "game 0, seat 0: 'brakes': the robot owns as many"),
        ({"max_options": 1, "bio_bots": "on"}, 0, "brakes", "game 0, seat 0: 'brakes': the robot owns as many"),
        ({}, 1, ["turret", "shield"], "game 1, seat 1: 'shield': expected a card that lies in the undealt pile"),
        ({}, 0, ["brakes"], "options: 1 names: expected one, or one for each of 2 games"),
    ],
)
def test_options_that_cannot_be_given(settings: dict[str, object], seat: int, option: object, message: str) -> None:
    arena = Arena(FLOOR, {"option_cards": "on", **settings})
    games = arena.new_games(2, 2, seed=1)
    if message.startswith("game 1"):
        arena.give(games, 0, [None, "shield"])
    before = games.tobytes()
    with pytest.raises(ArenaError, match=re.escape(message)):
        arena.give(games, seat, option)  # type: ignore[arg-type]
    assert games.tobytes() == before
