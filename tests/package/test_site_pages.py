"""Generated pages of the site: the rules primer, the explained codes of sub-steps, and the index of the reference."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from conftest import ROOT
from tool_modules import SITE, load_tool

from rr_gym.render.words import STEP_WORDS
from rr_gym.replay.film import film_of
from rr_gym.replay.gif import VISIBLE
from rr_gym.scenarios.load import load_scenarios
from rr_gym.scenarios.play import play_scenario

primer, reference, steps = load_tool("primer", SITE), load_tool("reference", SITE), load_tool("steps", SITE)
TURN = (ROOT / "docs" / "rules" / "turn.md").read_text("utf-8")


@pytest.mark.parametrize("step", primer.STEPS, ids=lambda step: step.id)
def test_each_step_of_the_primer_shows_something_and_is_true(step: Any) -> None:
    scenario = primer.scenario_of(step)
    assert not play_scenario(scenario).differences
    _, frames, _ = film_of(scenario)
    assert any(event.kind in VISIBLE for frame in frames for event in frame.events)


def test_the_scenarios_of_the_primer_are_all_shown() -> None:
    shown = {step.scenario for step in primer.STEPS if step.file == primer.OWN}
    assert shown == {scenario.name for scenario in load_scenarios(ROOT / primer.OWN)}


def test_one_phase_of_the_primer_acts_in_the_order_of_its_table() -> None:
    step = next(step for step in primer.STEPS if step.id == "phase")
    _, frames, _ = film_of(primer.scenario_of(step))
    codes = [frame.step for frame in frames if any(event.kind in VISIBLE for event in frame.events)]
    assert [code for code in dict.fromkeys(codes) if code >= "B"][:6] == ["B1", "C6", "C10", "C11", "D1", "E1"]


def test_the_page_of_the_primer_has_a_picture_and_rules_for_each_step() -> None:
    text = primer.text()
    for number, step in enumerate(primer.STEPS, start=1):
        assert f"{number}. [{step.title}](#{step.id})" in text
        assert f"](primer/{step.id}.gif)" in text
        assert "](../docs/rules/" in step.rules
    for link in re.findall(r"\]\(\.\./(docs/[^)#]+)", text):
        assert (ROOT / link).is_file(), link


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Crushers act in C12, after C10b and C10.", ["C12", "C10b", "C10"]),
        ("| C5 C6 |", ["C5", "C6"]),
        ("| C10 | R-T.C10 and `C10`, [C10](turn.md) |", ["C10"]),
        ("## A1. The program deck\nin A1", ["A1"]),
        ("```\nD1\n```\nD1", ["D1"]),
        ("it does not go up ramps (D3), D4: a goo token", []),
        ("the page A7, C14, F6.2 and XB1", []),
    ],
)
def test_codes_of_sub_steps_are_explained(text: str, codes: list[str]) -> None:
    shown = steps.linked(text)
    assert re.findall(r'\[<abbr title="[^"]+">(\w+)</abbr>\]\(turn\.md#', shown) == codes
    for code in codes:
        assert f'title="{STEP_WORDS[code]}">{code}<' in shown


def test_headings_of_the_timing_table_are_linked() -> None:
    headings = re.findall(r"^#+ (.*)$", TURN, re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert {*steps.ANCHORS.values()} <= anchors
    assert {code[0] for code in STEP_WORDS if code != "setup"} == {*steps.ANCHORS}


def test_documents_of_the_rules_are_linked_except_the_timing_table(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    for path in (rules / "turn.md", rules / "README.md", rules / "cards.md", tmp_path / "elements.md"):
        path.write_text("Gears turn in C11.", "utf-8")
    steps.link_all(tmp_path)
    assert (rules / "turn.md").read_text("utf-8") == (rules / "README.md").read_text("utf-8") == "Gears turn in C11."
    assert "](turn.md#c-board-elements-move)" in (rules / "cards.md").read_text("utf-8")
    assert "](rules/turn.md#c-board-elements-move)" in (tmp_path / "elements.md").read_text("utf-8")


def test_first_sentences() -> None:
    assert reference.first_sentence("Return ``x``, e.g. 1.\nMore. And more.") == "Return `x`, e.g. 1."
    assert reference.first_sentence("One\nsentence over two lines\n\nArgs:\n    x: y.") == "One sentence over two lines"
    assert reference.first_sentence("See 1.5 of the table. Then more.") == "See 1.5 of the table."


def test_the_index_of_the_reference_has_a_line_for_each_name(monkeypatch: pytest.MonkeyPatch) -> None:
    packages = ("rr_gym.errors", "rr_gym.option_facts")
    monkeypatch.setattr(reference, "PACKAGES", packages)
    index = dict(reference.pages())["index"]
    for package in packages:
        assert f"## [{package}]({package}.md)" in index
        module = sys.modules[package]
        for name in reference.public(module):
            if not isinstance(getattr(module, name), ModuleType):
                lines = re.findall(rf"^\| {{py:obj}}`{name} <[\w.]+>` \| (.+) \|$", index, re.MULTILINE)
                assert len(lines) == 1, name
                assert lines[0].endswith((".", ":", "`")), lines
