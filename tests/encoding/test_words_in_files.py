"""Orders whose words in files differ from their names: files keep the old words, and readers accept both."""

from __future__ import annotations

import pytest

from rr_gym import Orders
from rr_gym.encoding.act.components import OPTIONAL_COMPONENTS, choose_decisions, component_name
from rr_gym.replay.recording import orders_to_json
from rr_gym.rules.state.order_table import FIELDS, name_of, word_of
from rr_gym.rules.state.records import no_orders

NAMES = {"wcond": "fallback_to_laser", "sac_thr": "sacrifice_threshold"}


def test_every_order_has_one_word() -> None:
    words = {word_of(name): name for name in FIELDS}
    assert len(words) == len(FIELDS)
    assert {word: name for word, name in words.items() if word != name} == NAMES
    assert all(name_of(word) == name and name_of(name) == name for word, name in words.items())


def test_orders_are_read_by_word_and_by_name() -> None:
    by_word = Orders.from_json({"wcond": False, "sac_thr": 3})
    assert by_word == Orders.from_json({"fallback_to_laser": False, "sacrifice_threshold": 3})
    assert (by_word.fallback_to_laser, by_word.sacrifice_threshold) == ((False,) * 5, 3)
    assert by_word.to_json() == {"fallback_to_laser": [False] * 5, "sacrifice_threshold": 3}


def test_replays_keep_the_words() -> None:
    orders = no_orders(1, full=True)
    Orders(sacrifice_threshold=3, fallback_to_laser=(False,) * 5).write(orders[0])
    assert orders_to_json(orders[0]) == {"wcond": [0] * 5, "sac_thr": 3}


@pytest.mark.parametrize(("word", "name"), [("wcond_3", "fallback_to_laser_3"), ("sac_thr", "sacrifice_threshold")])
def test_decisions_are_chosen_by_word_and_by_name(word: str, name: str) -> None:
    assert component_name(word) == component_name(name) == name
    assert choose_decisions([word], OPTIONAL_COMPONENTS) == (name,)
