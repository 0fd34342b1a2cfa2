"""The deal (T3) with board elements, and the pile of option cards; scenarios bypass both by laying cards themselves."""

import numpy as np
import pytest

from rr_gym.courses.course import Course
from rr_gym.invariants import find_violations
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.options.options import count_options, draw_option, owns
from rr_gym.rules.state.constants import NUM_OPTIONS
from rr_gym.rules.state.option_cards import CHEAPEST_FIRST, INITIAL_PAYLOAD, OPTION_NAMES
from rr_gym.rules.state.records import new_log
from rr_gym.rules.turn.dealing import deal


def arena(board, **settings):
    return Arena(Course.from_board(board, filename="board"), settings)


def redeal(arena, game):
    log = new_log(on=False)[0]
    deal(game, arena.tables[0], log)


def hands(game):
    return [set(robot["hand"][robot["hand"] > 0].tolist()) for robot in game["robots"][: game["num_robots"]]]


def test_turret_guns_get_five_cards_and_change_no_hand():
    """R-E76, U39: guns draw after all hands, from a random generator of their own."""
    guns, none = arena("@1 t> @2 t^\n. . f ."), arena("@1 . @2 .\n. . f .")
    one, other = guns.new_games(3, 3, seed=5), none.new_games(3, 3, seed=5)
    assert np.array_equal(one["robots"]["hand"], other["robots"]["hand"])
    assert all(len(set(cards)) == 5 and min(cards) > 0 for cards in one["turret_cards"].tolist())
    assert not other["turret_cards"].any()
    assert one["turret_facing"][:, :2].tolist() == [[1, 0]] * 3
    assert find_violations(one, guns) == []


def test_cards_of_turret_guns_go_back_to_the_deck():
    guns = arena("@1 t> @2 t^\n. . f .")
    game = guns.new_games(1, 2, seed=1)
    redeal(guns, game[0])
    assert find_violations(game, guns) == []


@pytest.mark.parametrize("first", [0, 1])
def test_a_claim_on_a_card_is_served_before_the_deal_in_the_order_of_claims(first):
    """R-E70: undamaged, eight cards are dealt and one is chosen; who claimed first chooses first."""
    course = arena("@1 @2 ws")
    game = course.new_games(1, 2, seed=4)
    robots = game["robots"][0]
    robots["reset"][first], robots["reset"][1 - first] = 1, 2
    robots["orders"]["reset_card"][:2] = 84
    redeal(course, game[0])
    assert [84 in hand for hand in hands(game[0])] == [first == 0, first == 1]
    assert [len(hand) for hand in hands(game[0])] == [9, 9]
    assert not robots["reset"].any()
    assert find_violations(game, course) == []


@pytest.mark.parametrize("wanted", [0, 30])
def test_a_claim_lapses_without_an_order_and_for_a_locked_card(wanted):
    course = arena("@1 @2 ws")
    game = course.new_games(1, 2, seed=4)
    robots = game["robots"][0]
    robots["damage"][1], robots["locked"][1], robots["registers"][1, 4] = 5, 16, 30
    robots["reset"][0], robots["orders"]["reset_card"][0] = 1, wanted
    redeal(course, game[0])
    assert len(hands(game[0])[0]) == 9
    assert 30 not in hands(game[0])[0]
    assert not robots["reset"].any()
    assert find_violations(game, course) == []


def test_a_claim_brings_no_card_to_a_robot_that_gets_none():
    course = arena("@1 @2 ws")
    game = course.new_games(1, 2, seed=4)
    robots = game["robots"][0]
    robots["damage"][0], robots["locked"][0], robots["down"][1] = 9, 31, 1
    robots["reset"][:2], robots["orders"]["reset_card"][:2] = (1, 2), (84, 83)
    redeal(course, game[0])
    assert hands(game[0]) == [set(), set()]
    assert not robots["reset"].any()


def test_a_robot_on_ice_is_dealt_one_card_fewer_while_it_can_fill_its_registers():
    """R-E57: with four points of damage it has five cards for five registers, and gets them all."""
    course = arena("@1+I @2+I @3 .")
    game = course.new_games(1, 3, seed=4)
    game["robots"]["damage"][0, :3] = 3, 4, 3
    redeal(course, game[0])
    assert [len(hand) for hand in hands(game[0])] == [5, 5, 6]


def options(robot):
    return {OPTION_NAMES[k] for k in range(NUM_OPTIONS) if owns(robot, k)}


def stack(game, *names):
    """Make these options the whole pile, top first."""
    game["option_deck_left"] = len(names)
    game["option_deck"][: len(names)] = [OPTION_NAMES.index(name) for name in reversed(names)]


def test_every_option_lies_in_the_pile_at_the_start_and_seeds_shuffle_it():
    games = arena("@1 . Z", option_cards="on").new_games(2, 1, seed=8)
    assert [sorted(pile) for pile in games["option_deck"].tolist()] == [list(range(NUM_OPTIONS))] * 2
    assert (games["option_deck"][0] != games["option_deck"][1]).any()
    assert not arena("@1 . Z").new_games(1, 1)["option_deck_left"].any()


def test_an_option_is_drawn_from_the_top_new_and_full():
    course = arena("@1 . Z", option_cards="on")
    game = course.new_games(1, 1)[0]
    stack(game, "mine_layer", "shield")
    draw_option(game, course.tables[0], new_log(on=False)[0], 0)
    robot = game["robots"][0]
    assert options(robot) == {"mine_layer"}
    assert game["payload"][OPTION_NAMES.index("mine_layer")] == 3


def test_an_empty_pile_is_made_of_the_discards_and_without_them_nothing_is_drawn():
    course = arena("@1 . Z", option_cards="on")
    game = course.new_games(1, 1)[0]
    log = new_log(on=False)[0]
    stack(game)
    draw_option(game, course.tables[0], log, 0)
    assert options(game["robots"][0]) == set()
    game["option_discards"][:2] = 4, 9
    game["option_discards_left"] = 2
    for _ in range(3):
        draw_option(game, course.tables[0], log, 0)
    assert options(game["robots"][0]) == {OPTION_NAMES[4], OPTION_NAMES[9]}


def test_whoever_draws_too_many_options_gives_the_least_valuable_away():
    """U24 gives the order of values; an empty launcher is given away first."""
    course = arena("@1 . Z", option_cards="on", max_options=2)
    game = course.new_games(1, 1)[0]
    log, robot = new_log(on=False)[0], game["robots"][0]
    stack(game, "shield", "mine_layer", "recompile", "brakes")
    for _ in range(3):
        draw_option(game, course.tables[0], log, 0)
    assert options(robot) == {"shield", "mine_layer"}
    game["payload"][OPTION_NAMES.index("mine_layer")] = 0
    draw_option(game, course.tables[0], log, 0)
    assert options(robot) == {"shield", "brakes"}
    assert count_options(robot) == 2


def test_the_order_of_values_names_every_option_once():
    assert sorted(CHEAPEST_FIRST) == list(range(NUM_OPTIONS))
    assert INITIAL_PAYLOAD[OPTION_NAMES.index("big_gun")] == 5
