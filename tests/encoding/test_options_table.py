"""The table of option cards: complete, and in step with orders, settings, rules, scenarios and its document."""

from __future__ import annotations

import ast
import json
import re

import pytest
from combinations import for_each
from conftest import ROOT

from rr_gym.bench.firing_options import SORTS
from rr_gym.cli.main import main
from rr_gym.encoding.orders.option_orders import GADGETS, MOVEMENTS, WEAPONS
from rr_gym.errors import RoboRallyError
from rr_gym.option_facts import ARMED, BASE, CARD_ORDERS, CATEGORIES, NO_NAME, OPTION_CARDS, OptionCard
from rr_gym.option_facts.order import KINDS
from rr_gym.option_table import find_card
from rr_gym.rules.state import option_cards
from rr_gym.rules.state.constants import DEVICE_NAMES, HARM_NAMES, WEAPON_NAMES
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.order_table import ORDERS
from rr_gym.rules.state.records import ROBOT
from rr_gym.rules.state.settings import Settings

RULES = ROOT / "docs" / "rules"
SCENARIOS = ROOT / "tests" / "scenarios"
each = for_each(OPTION_CARDS, lambda card: card.id)
# Orders that name one of several options by a word, with the options by word
VALUES = {"weapon": WEAPONS, "gadget": GADGETS, "movement_option": MOVEMENTS}
# Orders about option cards that concern all of them, or none in particular
GENERAL = {"sacrifice_threshold", "give_up", "lose", "keep", "chop", "chop_option", "waste"}
# Weapons, devices, gadgets and movement options have the same names as their cards.
MOST_NAMES = 12
# Orders of the base game and of board elements
OTHER = {"power_down", "stay_down", "facing", "unlock", "site", "square", "freak_order", "reset_card"}


def test_a_card_is_named_in_few_files() -> None:
    """This is checked for a card whose name is not also that of an order, a token or a weapon, as many are."""
    word = re.compile("mine[_ -]?layer", re.IGNORECASE)
    files = [path.name for path in (ROOT / "rr_gym").rglob("*.py") if word.search(path.read_text("utf-8"))]
    assert len(files) <= 6, files


def test_every_card_is_in_the_table() -> None:
    assert tuple(card.id for card in OPTION_CARDS) == OPTION_NAMES
    numbers = list(range(1, len(OPTION_CARDS) + 1))
    assert [card.number for card in OPTION_CARDS] == numbers == sorted(card.value for card in OPTION_CARDS)
    published = [card.set for card in OPTION_CARDS]
    assert published == [BASE] * 26 + [ARMED] * (len(OPTION_CARDS) - 26)


@each
def test_kernels_know_the_card_by_its_number(card: OptionCard) -> None:
    assert getattr(option_cards, card.id.upper()) == card.number - 1
    assert option_cards.CHEAPEST_FIRST[card.value - 1] == card.number - 1
    assert option_cards.RANK[card.number - 1] == card.value - 1


@each
def test_a_row_resolves(card: OptionCard) -> None:
    sort, *names = card.shown.split()
    known = {"fired": WEAPON_NAMES, "laid": DEVICE_NAMES, "harmed": HARM_NAMES, "event": EVENT_NAMES}
    assert sort in SORTS
    assert sort not in known or names[0] in known[sort]
    assert sort != "changed" or names[0] in (ROBOT.names or ())
    for phrase in (card.used, card.absorbs, card.turned):
        stated = phrase.format(robot="Twonky", other="Spin", lost="Brakes", side="the front")
        assert stated.startswith("Twonky") or not phrase


def test_no_other_file_lists_the_cards() -> None:
    ids = {card.id for card in OPTION_CARDS}
    for path in (ROOT / "rr_gym").rglob("*.py"):
        text = path.read_text("utf-8")
        if path.parent.name != "option_facts" and sum(name in text for name in ids) >= MOST_NAMES:
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set | ast.Call):
                    texts = {part.value for part in ast.walk(node) if isinstance(part, ast.Constant)}
                    assert len(texts & ids) < MOST_NAMES, (path, node.lineno, texts & ids)


def test_every_order_and_card_has_a_row_of_its_own() -> None:
    """A missing field of a row is an error at import, since none of the fields has a default."""
    with pytest.raises(TypeError, match="alone"):
        OptionCard(number=1, id="a", name="A", set=BASE, sentence="A.", categories=("PA",), value=1)
    with pytest.raises(ValueError, match="alone: 'never': expected one of idle, "):
        OptionCard(number=1, id="a", name="A", set=BASE, sentence="A.", categories=("PA",), value=1, alone="never")
    assert [row.place for row in CARD_ORDERS] == sorted({row.place for row in CARD_ORDERS})
    assert {row.kind for row in CARD_ORDERS} <= KINDS.keys()


def test_names_are_different() -> None:
    assert len({card.name for card in OPTION_CARDS}) == len(OPTION_CARDS)
    german = [card.german for card in OPTION_CARDS if card.german != NO_NAME]
    assert len(set(german)) == len(german) == sum(card.set == BASE for card in OPTION_CARDS)
    assert {card.set for card in OPTION_CARDS if card.german == NO_NAME} == {ARMED}


@each
def test_a_card_is_described(card: OptionCard) -> None:
    assert re.fullmatch(r"[A-Z0-9].*\.", card.sentence)
    assert set(card.categories) <= CATEGORIES.keys()
    assert card.categories
    assert set(card.settings) <= Settings.__dataclass_fields__.keys()


@each
def test_the_orders_of_a_card_exist(card: OptionCard) -> None:
    for order in card.orders:
        name, _, value = order.partition(": ")
        assert name in ORDERS
        assert bool(value) == (name in VALUES)
        if value:
            assert OPTION_NAMES[VALUES[name][value]] == card.id


def test_every_order_of_options_is_with_its_card() -> None:
    stated = {order for card in OPTION_CARDS for order in card.orders}
    words = {f"{name}: {word}" for name, options in VALUES.items() for word in options}
    assert words <= stated
    assert {order.partition(": ")[0] for order in stated} == ORDERS.keys() - GENERAL - OTHER


@each
def test_categories_agree_with_orders(card: OptionCard) -> None:
    names = {order.partition(": ")[0] for order in card.orders}
    assert ("weapon" in names) == ("OW" in card.categories)
    assert ("gadget" in names) == ("PPG" in card.categories)
    assert ("movement_option" in names) == ("PPM" in card.categories)
    assert ("fallback_to_laser" in names) == ("weapon" in names)


@each
def test_a_card_has_rules(card: OptionCard) -> None:
    text = (RULES / card.rule_file).read_text("utf-8")
    assert f"**{card.rule}.1**" in text
    assert re.search(rf"^##+ {card.number}\. {card.name}$", text, re.MULTILINE)


@each
def test_a_card_has_scenarios(card: OptionCard) -> None:
    assert f"{card.rule}." in (SCENARIOS / card.scenarios).read_text("utf-8")


@pytest.mark.parametrize("name", ["power_down_shield", "15", "Power-Down Shield", "power down shield", "Schutzschilde"])
def test_a_card_is_found_by_any_name(name: str) -> None:
    assert find_card(name).id == "power_down_shield"


@pytest.mark.parametrize("name", ["shied", "Shied"])
def test_a_wrong_name_is_one_error(name: str) -> None:
    expected = f"option '{name}': expected the id of an option card; did you mean 'shield'"
    with pytest.raises(RoboRallyError, match=expected):
        find_card(name)
    with pytest.raises(RoboRallyError, match="option '-'"):
        find_card("-")


def test_the_document_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["options", "--markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "options.md").read_text("utf-8")


def test_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(["options"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(OPTION_CARDS) + 1
    assert lines[27].split()[:4] == ["27", "big_gun", "Big", "Gun"]
    assert main(["options", "Big Gun"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("27  Big Gun\n")
    for fact in (
        "weapon: big_gun, fallback_to_laser",
        "holds 5",
        "biggun_needs_target",
        "R-O27 in",
        "options/big_gun.yaml",
    ):
        assert fact in text
    assert main(["options", "--json"]) == 0
    assert [row["id"] for row in json.loads(capsys.readouterr().out)] == list(OPTION_NAMES)
    assert main(["options", "shield", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["german"] == "Schutzschirm"
    assert main(["options", "laser"]) == 2
    assert "option 'laser': expected" in capsys.readouterr().err
    monkeypatch.setattr("rr_gym.render.board.sketch.can_show_unicode", lambda: False)
    assert main(["options"]) == 0
    assert capsys.readouterr().out.isascii()
