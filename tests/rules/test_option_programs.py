"""T3, T4 and F6 with option cards, which scenarios do not cover because they set hands (R-O0, U7, U23)."""

from collections import Counter

import numpy as np
import pytest

from rr_gym.courses.course import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.options.option_programs import options_end_turn
from rr_gym.rules.options.options import clear_option
from rr_gym.rules.state import option_cards
from rr_gym.rules.state.cards import FIRST_MOVEMENT
from rr_gym.rules.state.constants import (
    ALWAYS,
    BEST_CARD,
    BUZZ_TOKEN,
    CRAB,
    DECK_SIZE,
    LAY_MINE,
    NUM_REGISTERS,
    OVERLOAD,
    OVERLOAD_SECOND_FIRST,
    RETRO_2,
)
from rr_gym.rules.state.option_cards import INITIAL_PAYLOAD, OPTION_NAMES
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.rules.turn.dealing import deal
from rr_gym.rules.turn.turn import program

BOARD = "@1 . . . . . @2\n.  . . . . . ."
SILENT = new_log(on=False)[0]


def table(robots=2, seed=3, **settings):
    """Return an arena and a game in its first turn."""
    arena = Arena(Course.from_board(BOARD, filename="board"), {"option_cards": "on", **settings})
    return arena, arena.new_games(1, robots, seed=seed)[0]


def give(game, robot, *names):
    for name in names:
        option = OPTION_NAMES.index(name)
        game["robots"][robot]["options"] |= np.uint64(1 << option)
        game["payload"][option] = INITIAL_PAYLOAD[option]


def hand(game, robot):
    return [int(card) for card in game["robots"][robot]["hand"] if card]


def set_hand(game, *cards):
    """Give robot 0 these cards and robot 1 none."""
    game["robots"]["hand"] = 0
    game["robots"][0]["hand"][: len(cards)] = sorted(cards, reverse=True)
    rest = [card for card in range(1, DECK_SIZE + 1) if card not in cards]
    game["deck"][:] = 0
    game["deck"][: len(rest)] = rest
    game["deck_left"] = len(rest)


def everywhere(game, robots=2):
    """Count the places of each program card, including buzz bombs and turret guns."""
    found = Counter()
    for robot in game["robots"][:robots]:
        stored = int(robot["flywheel"])
        found.update(int(card) for card in robot["hand"] if card and card != stored)
        for places in (robot["registers"], robot["second"], [robot["conditional"], stored, robot["copter"]]):
            found.update(int(card) for card in places if card)
    for name in ("deck", "discards"):
        found.update(int(card) for card in game[name][: game[f"{name}_left"]])
    found.update(int(card) for card in (*game["buzz_program"], *game["turret_cards"]) if card)
    return found


ONCE = Counter(range(1, DECK_SIZE + 1))


@pytest.mark.parametrize(("damage", "size"), [(0, 10), (4, 6), (9, 1)])
def test_extra_memory_is_one_card_more(damage, size):
    arena, game = table()
    give(game, 0, "extra_memory")
    game["robots"]["damage"][:2] = damage
    deal(game, arena.tables[0], SILENT)
    assert [len(hand(game, i)) for i in range(2)] == [size, size - 1]
    assert hand(game, 0) == sorted(hand(game, 0), reverse=True)


@pytest.mark.parametrize("seed", range(8))
def test_recompile_redeals_a_hand_with_fewer_movement_cards_than_asked_for(seed):
    """R-O20, U23: it costs one point of damage, but no card of the hand."""
    arena, game = table(seed=seed)
    give(game, 0, "recompile")
    plain = game.copy()
    deal(plain, arena.tables[0], SILENT)
    movements = sum(card >= FIRST_MOVEMENT for card in hand(plain, 0))
    for threshold in (movements, movements + 1, ALWAYS):
        again = game.copy()
        again["robots"][0]["orders"]["recompile"] = threshold
        deal(again, arena.tables[0], SILENT)
        fires = threshold > movements
        assert set(hand(again, 0)).isdisjoint(hand(plain, 0)) == fires
        assert len(hand(again, 0)) == 9
        assert again["robots"][0]["damage"] == fires
        assert hand(again, 1) == hand(plain, 1)
        assert everywhere(again) == ONCE


def test_a_flywheel_that_is_lost_before_cards_are_programmed_leaves_no_gap_in_the_hand():
    """Hands must not have gaps; the Flywheel's card is in the hand until programming (R-O9.2)."""
    _, game = table()
    give(game, 0, "flywheel")
    robot = game.robots[0]
    middle = int(robot.hand[4])
    robot.flywheel = middle
    left = [card for card in robot.hand.tolist() if card not in (0, middle)]
    clear_option(game, robot, option_cards.FLYWHEEL)
    assert robot.hand.tolist() == left + [0] * (len(robot.hand) - len(left))
    assert robot.flywheel == 0


def test_recompile_keeps_the_card_of_the_flywheel():
    arena, game = table()
    give(game, 0, "recompile", "flywheel")
    game["robots"][0]["flywheel"] = 84
    game["robots"][0]["orders"]["recompile"] = ALWAYS
    deal(game, arena.tables[0], SILENT)
    assert hand(game, 0)[0] == 84
    assert len(hand(game, 0)) == 10
    assert everywhere(game) == ONCE


@pytest.mark.parametrize(("own", "other"), [(0, 0), (0, 5), (5, 2)])
def test_intercepted_hands_keep_their_sizes(own, other):
    """R-O40.2: the whole smaller hand is swapped for the same number of random cards of the larger one."""
    arena, game = table()
    give(game, 0, "interceptor")
    game["intercept_target"] = 1
    game["robots"]["damage"][:2] = own, other
    plain = game.copy()
    deal(plain, arena.tables[0], SILENT)
    game["robots"][0]["orders"]["intercept"] = ALWAYS
    deal(game, arena.tables[0], SILENT)
    before, after = [set(hand(plain, i)) for i in range(2)], [set(hand(game, i)) for i in range(2)]
    assert [len(cards) for cards in after] == [9 - own, 9 - other]
    small = 0 if own >= other else 1
    assert before[small] <= after[1 - small]
    assert after[small] <= before[1 - small]
    assert game["intercept_target"] == -1
    assert all(hand(game, i) == sorted(hand(game, i), reverse=True) for i in range(2))


def test_a_hand_is_swapped_only_with_a_robot_that_has_one():
    arena, game = table()
    give(game, 0, "interceptor")
    game["intercept_target"] = 1
    game["robots"][1]["down"] = 1
    game["robots"][0]["orders"]["intercept"] = ALWAYS
    deal(game, arena.tables[0], SILENT)
    assert len(hand(game, 0)) == 9
    assert game["intercept_target"] == 1


def test_a_robot_caught_by_a_scrambler_bomb_discards_its_hand_but_not_the_flywheel():
    """U7: this happens before Recompile and Interceptor."""
    arena, game = table()
    give(game, 0, "flywheel", "recompile", "interceptor")
    game["intercept_target"] = 1
    game["robots"][0]["flywheel"] = 84
    game["robots"][0]["orders"]["recompile"] = game["robots"][0]["orders"]["intercept"] = ALWAYS
    game["bombed"] = 1
    deal(game, arena.tables[0], SILENT)
    assert hand(game, 0) == []
    assert len(hand(game, 1)) == 9
    assert game["robots"][0]["damage"] == 0
    assert game["intercept_target"] == 1
    program(game, arena.tables[0], no_orders(8, full=True), SILENT)
    assert not game["robots"][0]["registers"].any()
    assert everywhere(game) == ONCE


def programmed(orders, cards, arena, game):
    """Return robot 0 after programming, with a hand of these cards if any are given."""
    if cards:
        set_hand(game, *cards)
    program(game, arena.tables[0], orders, SILENT)
    return game["robots"][0]


def test_a_blind_fill_takes_no_card_that_orders_name():
    """R-A5.5: cards for options leave the hand first."""
    arena, game = table()
    give(game, 0, "conditional_program", "robo_copter", "flywheel", "crab_legs")
    orders = no_orders(8, full=True)
    orders[0]["program"][0], orders[0]["movement_option"][0], orders[0]["second"][0] = 49, CRAB, 8
    orders[0]["conditional"], orders[0]["copter"], orders[0]["flywheel"] = 1, 43, 2
    robot = programmed(orders, (49, 8, 1, 43, 2, 10, 12, 14, 16), arena, game)
    assert robot["registers"][0] == 49
    assert sorted(robot["registers"][1:].tolist()) == [10, 12, 14, 16]
    assert [robot["second"][0], robot["conditional"], robot["copter"], robot["flywheel"]] == [8, 1, 43, 2]


def test_stored_cards_can_be_left_to_the_rules():
    """U24: the Robo-Copter gets the best unused movement card, Conditional Program and Flywheel the next ones."""
    arena, game = table()
    give(game, 0, "conditional_program", "robo_copter", "flywheel")
    orders = no_orders(8, full=True)
    orders[0]["program"] = 10, 12, 14, 16, 18
    orders[0]["conditional"] = orders[0]["copter"] = orders[0]["flywheel"] = BEST_CARD
    robot = programmed(orders, (10, 12, 14, 16, 18, 43, 49, 79, 8), arena, game)
    assert [robot["copter"], robot["conditional"], robot["flywheel"]] == [79, 49, 43]


@pytest.mark.parametrize(("first", "second", "registers", "seconds", "movement"), [
    (49, 8, 49, 8, CRAB), (8, 49, 49, 8, CRAB), (67, 8, 67, 0, 0), (49, 1, 49, 0, 0), (49, 50, 49, 0, 0),
    (49, 67, 49, 67, OVERLOAD), (8, 67, 67, 8, OVERLOAD_SECOND_FIRST), (8, 7, 8, 7, OVERLOAD),
])  # fmt: skip
def test_the_movement_card_of_a_pair_is_its_primary_card(first, second, registers, seconds, movement):
    """R-O0.18: of two cards that cannot be combined, the second one stays in the hand."""
    arena, game = table()
    give(game, 0, "crab_legs", "overload_override")
    orders = no_orders(8, full=True)
    orders[0]["program"] = first, 10, 12, 14, 16
    orders[0]["second"][0] = second
    orders[0]["movement_option"][0] = OVERLOAD if movement in (OVERLOAD, OVERLOAD_SECOND_FIRST) else CRAB
    robot = programmed(orders, (first, second, 10, 12, 14, 16), arena, game)
    assert [robot["registers"][0], robot["second"][0]] == [registers, seconds]
    assert robot["orders"]["movement_option"][0] == movement
    assert (second in hand(game, 0)) == (seconds == 0)
    assert everywhere(game) == ONCE


def test_tokens_leave_their_options_when_they_are_programmed_and_return_when_they_are_not_used():
    arena, game = table()
    give(game, 0, "mine_layer", "retro_rockets")
    orders = no_orders(8, full=True)
    orders[0]["gadget"] = LAY_MINE
    orders[0]["movement_option"] = RETRO_2
    robot = programmed(orders, (), arena, game)
    mines, fuel = option_cards.MINE_LAYER, option_cards.RETRO_ROCKETS
    assert robot["orders"]["gadget"].tolist() == [LAY_MINE] * 3 + [0] * 2
    assert robot["orders"]["movement_option"].tolist() == [RETRO_2] + [0] * 4
    assert game["payload"][[mines, fuel]].tolist() == [0, 1]
    options_end_turn(game, arena.tables[0], SILENT)
    assert game["payload"][[mines, fuel]].tolist() == [3, 3]
    assert not robot["orders"]["gadget"].any()


def test_a_powered_down_robot_programs_nothing():
    arena, game = table()
    give(game, 0, "mine_layer", "self_destruct", "option_damping_field", "buzz_bomb")
    game["robots"][0]["down"] = 1
    orders = no_orders(8, full=True)
    orders[0]["gadget"], orders[0]["self_destruct"], orders[0]["damping"], orders[0]["buzz"] = LAY_MINE, 3, 1, 1
    robot = programmed(orders, (), arena, game)
    assert not robot["orders"]["gadget"].any()
    assert [robot["orders"][name] for name in ("self_destruct", "damping", "buzz")] == [0, 0, 0]
    assert game["payload"][option_cards.MINE_LAYER] == 3
    assert game["damping"] == -1


def test_options_of_the_turn_cannot_be_set_inside_a_damping_field():
    """R-O43.1: this holds within three squares, not six; nothing is used up, and options of registers can be set."""
    for square, damped in ((3, True), (6, False)):
        arena, game = table()
        give(game, 0, "option_damping_field")
        give(game, 1, "reflector", "robo_copter", "buzz_bomb", "conditional_program")
        game["robots"][1]["square"] = square
        deal(game, arena.tables[0], SILENT)
        orders = no_orders(8, full=True)
        orders[0]["damping"] = orders[1]["buzz"] = 1
        orders[1]["copter"] = orders[1]["conditional"] = BEST_CARD
        program(game, arena.tables[0], orders, SILENT)
        robot = game["robots"][1]
        assert game["damping"] == 0
        assert (robot["orders"]["reflector"] == 0) == damped
        assert (robot["copter"] == 0) == (robot["flying"] == 0) == damped
        assert (robot["conditional"] == 0) == damped
        assert game["payload"][option_cards.BUZZ_BOMB] == (3 if damped else 2)
        assert everywhere(game) == ONCE


def test_a_buzz_bomb_gets_five_cards_which_its_owner_orders():
    """R-O32.2: a robot that may launch a bomb gets its cards at the deal, before it decides to."""
    arena, game = table()
    give(game, 0, "buzz_bomb")
    deal(game, arena.tables[0], SILENT)
    cards = game["buzz_program"].tolist()
    assert len({*cards}) == NUM_REGISTERS
    assert everywhere(game) == ONCE
    orders = no_orders(8, full=True)
    orders[0]["buzz"] = 1
    orders[0]["buzz_program"] = cards[3], 0, cards[0], cards[3], 99
    programmed(orders, (), arena, game)
    assert game["buzz_program"].tolist() == [cards[3], cards[0], cards[1], cards[2], cards[4]]
    assert everywhere(game) == ONCE


@pytest.mark.parametrize("change", [{"down": 1}, {"options": np.uint64(0)}])
def test_the_cards_of_a_buzz_bomb_that_nobody_steers_stay_as_they_were_dealt(change):
    """R-O32.6: this holds if its owner is down or has lost the option."""
    arena, game = table()
    game["devices"][0]["kind"], game["devices"][0]["owner"], game["num_devices"] = BUZZ_TOKEN, 0, 1
    give(game, 0, "buzz_bomb")
    for field, value in change.items():
        game["robots"][0][field] = value
    deal(game, arena.tables[0], SILENT)
    cards = game["buzz_program"].tolist()
    orders = no_orders(8, full=True)
    orders[0]["buzz_program"] = cards[::-1]
    programmed(orders, (), arena, game)
    assert game["buzz_program"].tolist() == cards


def test_the_cards_for_a_buzz_bomb_that_is_not_launched_are_discarded():
    arena, game = table()
    give(game, 0, "buzz_bomb")
    deal(game, arena.tables[0], SILENT)
    programmed(no_orders(8, full=True), (), arena, game)
    assert not game["buzz_program"].any()
    assert everywhere(game) == ONCE


def test_the_card_of_the_flywheel_stays_there_until_it_is_programmed():
    arena, game = table()
    give(game, 0, "flywheel")
    game["robots"][0]["flywheel"] = 84
    deal(game, arena.tables[0], SILENT)
    unused, used = game.copy(), game
    orders = no_orders(8, full=True)
    orders[0]["program"] = hand(game, 0)[1:6]
    orders[0]["flywheel"] = hand(game, 0)[6]
    assert programmed(orders, (), arena, unused)["flywheel"] == 84
    assert 84 not in hand(unused, 0)
    orders[0]["program"][4] = 84
    assert programmed(orders, (), arena, used)["flywheel"] == orders[0]["flywheel"]
    assert everywhere(unused) == everywhere(used) == ONCE


def test_directions_may_be_set_for_the_whole_turn_by_a_setting():
    """D9: the first register's direction counts."""
    for timing, last in (("register", 2), ("turn", 1)):
        arena, game = table(dir_timing=timing)
        orders = no_orders(8, full=True)
        orders[0]["turret"] = orders[0]["shield"] = 1, 2, 2, 2, 2
        robot = programmed(orders, (), arena, game)
        assert robot["orders"]["turret"][4] == robot["orders"]["shield"][4] == last
