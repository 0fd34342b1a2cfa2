"""The deck, the deal, and the filling of registers, which scenarios do not cover because they bypass the deal."""

import numpy as np
import pytest

from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE, CardError, card_name, parse_card, priority
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, DECK_SIZE
from rr_gym.rules.state.events import PROGRAMMED
from rr_gym.rules.state.records import LOG, new_log, no_orders

# R-A1.3, typed from the table of the rule text: (type, cards, lowest, highest priority, step)
DECK = [
    ("u_turn", 6, 10, 60, 10),
    ("rotate_left", 18, 70, 410, 20),
    ("rotate_right", 18, 80, 420, 20),
    ("back_up", 6, 430, 480, 10),
    ("move_1", 18, 490, 660, 10),
    ("move_2", 12, 670, 780, 10),
    ("move_3", 6, 790, 840, 10),
]


@pytest.fixture(scope="module")
def arena():
    return Arena("risky_exchange")


def cards_of(game):
    """Count in how many places each card of a game is."""
    places = [game["deck"], game["discards"]]
    for robot in game["robots"][: game["num_robots"]]:
        places += [robot["hand"], robot["registers"]]
    found = np.concatenate([np.ravel(p) for p in places])
    return np.bincount(found[found > 0], minlength=DECK_SIZE + 1)[1:]


@pytest.mark.parametrize(("name", "count", "low", "high", "step"), DECK)
def test_deck(name, count, low, high, step):
    cards = np.flatnonzero(CARD_TYPE_NAMES.index(name) == CARD_TYPE)
    assert [priority(c) for c in cards] == list(range(low, high + 1, step))
    assert len(cards) == count


def test_names_round_trip():
    for card in range(1, DECK_SIZE + 1):
        assert parse_card(card_name(card)) == (CARD_TYPE[card], card)
    assert parse_card("move_2") == (CARD_TYPE_NAMES.index("move_2"), 0)
    assert card_name(0) == "none"


@pytest.mark.parametrize("text", ["move_4", "move_1@500@", "move_1@495", "move_1@670", "none", "", "move_1@0"])
def test_bad_card_names(text):
    with pytest.raises(CardError, match="expected"):
        parse_card(text)


@pytest.mark.parametrize("damage", range(10))
def test_hand_size_and_order(arena, damage):
    """R-A5.2 for every damage; hands are sorted, highest priority first, and packed."""
    games = arena.new_games(20, 4, seed=3)
    games["robots"]["damage"][:, :4] = damage
    games["robots"]["locked"][:, :4] = [0, 0, 0, 0, 0, 16, 24, 28, 30, 31][damage]
    games["robots"]["hand"] = 0  # so that no robot moves in this turn; no laser hits the dock
    games["robots"]["facing"] = 2
    arena.play(games, no_orders(20, 8, full=True))
    hands = games["robots"]["hand"][:, :4].astype(int)
    assert ((hands > 0).sum(axis=-1) == 9 - damage).all()
    assert (np.diff(hands, axis=-1) <= 0).all()


def test_each_card_is_in_one_place(arena):
    games = arena.new_games(50, 8, seed=1)
    orders = no_orders(50, 8, full=True)
    for _ in range(20):
        for game in games:
            assert (cards_of(game) == 1).all()
        arena.play(games, orders, restart=True)


def test_every_card_is_dealt_equally_often(arena):
    """A chi-square value over 84 cards exceeds 153.9 by chance once in a million times."""
    games = arena.new_games(2000, 4, seed=11)
    hands = games["robots"]["hand"][:, :4]
    counts = np.bincount(hands[hands > 0], minlength=DECK_SIZE + 1)[1:]
    expected = counts.sum() / DECK_SIZE
    assert ((counts - expected) ** 2 / expected).sum() < 153.9


def test_ordered_cards_lie_in_their_registers(arena):
    games = arena.new_games(1, 1, seed=5)
    hand = games["robots"]["hand"][0, 0].copy()
    games["robots"]["damage"][0, 0] = 0
    orders = no_orders(1, 8, full=True)
    orders["program"][0, 0] = hand[[8, 0, 4, 2, 6]]
    log = new_log()
    arena.play(games, orders, logs=log)
    events = log["events"][0][: log["count"][0]]
    programmed = events[events["kind"] == PROGRAMMED]
    assert programmed["value"].tolist() == [1, 2, 3, 4, 5]
    assert programmed["target"].tolist() == hand[[8, 0, 4, 2, 6]].tolist()


def test_wrong_cards_are_filled_from_the_hand(arena):
    """R-A5.5: cards that are not in the hand, or ordered twice, count as missing."""
    games = arena.new_games(200, 1, seed=6)
    hands = games["robots"]["hand"][:, 0].copy()
    orders = no_orders(200, 8, full=True)
    orders["program"][:, 0] = hands[:, :1]  # the same card five times
    orders["program"][:, 0, 4] = 100  # no such card
    logs = np.zeros(200, LOG)
    logs["on"] = 1
    arena.play(games, orders, logs=logs)
    fillings = set()
    for hand, log in zip(hands, logs, strict=True):
        events = log["events"][: log["count"]]
        cards = events[events["kind"] == PROGRAMMED]["target"]
        assert cards[0] == hand[0]
        assert len(set(cards)) == 5
        assert set(cards) <= set(hand)
        fillings.add(tuple(np.searchsorted(-hand[:9], -cards[1:])))
    assert len(fillings) > 100  # slots are chosen at random


def test_first_card_moves():
    """R-A5.7: every first hand has a movement card, and the first register of the first turn holds one."""
    arena = Arena("risky_exchange", {"first_card_moves": "on", "start_damage": 4})
    games = arena.new_games(500, 1, seed=2)
    assert (games["robots"]["hand"][:, 0, 0] >= 43).all()
    plain = Arena("risky_exchange", {"start_damage": 4}).new_games(500, 1, seed=2)
    assert (plain["robots"]["hand"][:, 0, 0] < 43).any()  # five cards: about one hand in 36 only turns
    hands = games["robots"]["hand"][:, 0].copy()
    orders = no_orders(500, 8, full=True)
    orders["program"][:, 0] = hands[:, [4, 3, 2, 1, 0]]  # the lowest card first
    logs = np.zeros(500, LOG)
    logs["on"] = 1
    arena.play(games, orders, logs=logs)
    for hand, log in zip(hands, logs, strict=True):
        events = log["events"][: log["count"]]
        cards = events[events["kind"] == PROGRAMMED]["target"][:5]
        assert cards[0] >= 43
        assert sorted(cards) == sorted(hand[:5])
