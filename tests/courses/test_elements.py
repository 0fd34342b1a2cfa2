"""The table of board elements: complete, and in step with grammar, rules, scenarios, pictures and its document."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest
from all_scenarios import ALL
from combinations import for_each
from conftest import ROOT

from rr_gym.cli.main import main
from rr_gym.courses.elements import ELEMENTS, Element
from rr_gym.courses.samples import sample_course
from rr_gym.courses.tables.features import BASE_ELEMENTS, elements
from rr_gym.courses.text.board import GROUP_ELEMENTS, PARAMS
from rr_gym.courses.text.words import ITEMS, SIDE_KINDS
from rr_gym.render.board.legend import shapes, sign, to_html
from rr_gym.render.board.picture import to_svg
from rr_gym.render.board.scene import primitives
from rr_gym.rules.state.constants import STEP_NAMES
from rr_gym.rules.state.settings import Settings

RULES = ROOT / "docs" / "rules"
SCENARIOS = ROOT / "tests" / "scenarios"
NUMBER = len(ELEMENTS)
DERIVED = {"board_edge", "ledge", "waterfall"}  # elements without a word in the grammar
# What a sample needs besides its element: the wall of a pusher, the belt of a fast ramp, the floor of a padded wall.
SHARED = {"wall", "express_conveyor", "padded_square", "gear", "conveyor", "water"}
PARAM_NAMES = {"portal_card_only": "portal_trigger", "checkpoint_pass_over": "flag_touch"}
each = for_each(ELEMENTS, lambda element: element.id)


def test_every_element_of_the_grammar_is_in_the_table() -> None:
    assert [element.number for element in ELEMENTS] == list(range(1, NUMBER + 1))
    named = {word.element for word in (*ITEMS, *SIDE_KINDS)} | set(GROUP_ELEMENTS.values()) | DERIVED
    assert Counter(element.id for element in ELEMENTS) == Counter(named)
    assert {element.id for element in ELEMENTS if element.set == "base game"} == BASE_ELEMENTS


def test_settings_of_elements_exist() -> None:
    setting_names = {name for element in ELEMENTS for name in element.settings}
    assert setting_names <= Settings.__dataclass_fields__.keys()
    assert setting_names >= {PARAM_NAMES.get(name, name) for name in PARAMS}


@each
def test_an_element_is_described(element: Element) -> None:
    assert set(element.steps) <= {*STEP_NAMES, "C3", "enter", "step", "settle", "always", "sight"}
    assert element.steps
    assert re.fullmatch(r"[A-Z0-9].*\.", element.sentence)
    assert element.words or element.id in DERIVED


@each
def test_an_element_is_on_its_sample(element: Element) -> None:
    course = sample_course(element)
    assert element.id in elements(course) or element.id == "board_edge"
    assert element.id in DERIVED or elements(course).keys() <= {element.id, "open_floor", "ledge", *SHARED}


@each
def test_an_element_has_rules(element: Element) -> None:
    text = (RULES / element.rule_file).read_text("utf-8")
    assert f"**{element.rule}.1**" in text
    assert re.search(rf"^### {element.number}\. ", text, re.MULTILINE)


def test_every_element_has_a_scenario() -> None:
    cited = {rule for file in ALL for rule in re.findall(r"R-E\d+", file.source)} | {
        element.rule for element in ELEMENTS if any((SCENARIOS / element.id).glob("*.yaml"))
    }
    assert [element.id for element in ELEMENTS if element.rule not in cited] == []


def test_all_elements_look_different() -> None:
    pictures = {element.id: primitives(sample_course(element)) for element in ELEMENTS}
    assert [(a, b) for a, b in combinations(pictures, 2) if pictures[a] == pictures[b]] == []
    for unicode in (True, False):
        signs = Counter(sign(element, unicode) for element in ELEMENTS)
        assert [text for text, count in signs.items() if count > 1] == []
        assert max(map(len, signs)) == 3


def test_the_document_is_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "elements", "--markdown"]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / "elements.md").read_text("utf-8")


def test_the_picture_of_the_document_is_up_to_date() -> None:
    picture = (ROOT / "docs" / "images" / "elements.svg").read_text("utf-8")
    assert picture == to_svg(*shapes(), title="Board elements")


def test_command_elements(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "elements", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows[24]["id"] == "flamer"
    assert rows[24]["steps"] == ["B1", "B4", "D3"]
    assert main(["course", "elements"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == NUMBER + 1


def test_command_legend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "legend", "--ascii"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == NUMBER + 1
    assert "".join(lines).isascii()
    assert lines[22].split()[:3] == ["22", "X", "X135"]
    assert main(["course", "legend", "--out", str(tmp_path / "legend.svg")]) == 0
    texts = [text.text for text in ElementTree.parse(tmp_path / "legend.svg").getroot().iter() if text.text]
    assert all(f"{element.number}  {element.name}" in texts for element in ELEMENTS)
    assert main(["course", "legend", "--out", str(tmp_path / "legend.html")]) == 0
    assert (tmp_path / "legend.html").read_text("utf-8").count("<svg ") == NUMBER
    assert main(["course", "legend", "--out", str(tmp_path / "legend.gif")]) == 2
    assert "expected a name that ends in .png, .svg or .html" in capsys.readouterr().err


def test_legend_as_png(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    assert main(["course", "legend", "--out", str(tmp_path / "legend.png")]) == 0
    with image.open(tmp_path / "legend.png") as picture:
        assert picture.size[0] > 1000


def test_the_legend_holds_every_sentence() -> None:
    page = to_html()
    assert [element.id for element in ELEMENTS if element.sentence not in page] == []
