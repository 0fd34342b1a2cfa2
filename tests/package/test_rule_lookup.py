"""Looking up rules: every element and option card has a text, functions and scenarios."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest
from combinations import for_each
from conftest import ROOT

from rr_gym import rule_lookup
from rr_gym.cli.main import main
from rr_gym.courses.elements import ELEMENTS, Element
from rr_gym.option_facts import OPTION_CARDS, OptionCard
from rr_gym.rule_lookup import cited_rules, code_of, row_of, rule_text, scenarios_of
from rr_gym.rules.state.constants import STEP_NAMES

# Functions of the rules, or of the tables that the rules read
CODE = ("rr_gym/rules/", "rr_gym/courses/")
each = for_each([*ELEMENTS, *OPTION_CARDS], lambda row: row.id)


@each
def test_everything_is_found(row: Element | OptionCard) -> None:
    text = rule_text(row.rule, row.rule_file)
    assert re.match(rf"##+ {row.number}\. ", text)
    assert f"**{row.rule}.1**" in text
    assert len(re.findall(r"^#", text, re.MULTILINE)) == 1  # its own section and no other
    assert any(place.file.startswith(CODE) for place in code_of(row.rule))
    assert scenarios_of(row.rule)


@cache
def lines_of(file: str) -> list[str]:
    return (ROOT / file).read_text("utf-8").splitlines()


@cache
def docstrings_of(file: str) -> dict[int, str]:
    """Return the docstrings of the functions of a file, by line."""
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return {node.lineno: ast.get_docstring(node) or "" for node in functions}


def line_of(place: rule_lookup.SourcePlace) -> str:
    return lines_of(place.file)[place.line - 1]


@each
def test_places_are_where_they_are_said_to_be(row: Element | OptionCard) -> None:
    assert f'id="{row.id}"' in line_of(row_of(row.rule, row.id))
    for place in code_of(row.rule):
        assert line_of(place).startswith(f"def {place.name}(") or f" def {place.name}(" in line_of(place)
        assert row.rule in cited_rules(docstrings_of(place.file)[place.line])
    for place in scenarios_of(row.rule):
        assert line_of(place).startswith("- name: ")
        assert place.name in line_of(place)


def test_what_a_text_cites() -> None:
    assert cited_rules("R-E25.2, R-O41 and R-A8.4 to R-A8.9 (U11)") == {"R-E25", "R-O41", "R-A8"}
    assert cited_rules("R-E1 to R-E3; R-E25 to R-O2") == {"R-E1", "R-E2", "R-E3", "R-E25", "R-O2"}
    assert cited_rules("R-E250") == {"R-E250"}


def test_each_sub_step_is_told_in_words() -> None:
    texts = rule_lookup.step_texts()
    assert {*texts} == {*STEP_NAMES} - {"setup"}
    assert texts["C10"] == "Pushers and hydraulic pushers active in this phase."
    assert texts["B1"].startswith("Cards by descending priority. An energized robot executes two cards here")
    assert all(text and not re.search(r"[*`\[]|\bR-", text) for text in texts.values())


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["course", "elements", "Flamer"]) == 0
    text = capsys.readouterr().out
    for fact in ("25  Flamer\n", "**R-E25.8**", "rr_gym/rules/hazards/fire.py:", "scenarios/flamer/flamer.yaml:1  "):
        assert fact in text
    assert "R-E26.1" not in text
    assert main(["course", "elements", "75", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert row["id"] == "giant_trapdoor"
    assert row["rule_text"].startswith("### 75.")
    assert row["code"]
    assert row["scenarios"]
    assert main(["course", "elements", "flamr"]) == 2
    assert "element 'flamr': expected the id of a board element; did you mean 'flamer'?" in capsys.readouterr().err
    assert main(["course", "elements", "Oil"]) == 2
    assert capsys.readouterr().err.endswith("of a board element, such as oil_slick\n")
    assert main(["options", "nothing of ours"]) == 2
    assert capsys.readouterr().err.endswith("expected the id of an option card\n")
    assert main(["options", "mine_layer"]) == 0
    text = capsys.readouterr().out
    for fact in ("**R-O41.4**", "rr_gym/option_facts/armed.py:", "rr_gym/rules/", "options/mine_layer.yaml:1"):
        assert fact in text
    assert main(["options", "mine_layer", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rule_text"].startswith("## 41.")


def test_without_scenarios_it_says_where_they_are(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rule_lookup, "scenarios_folder", lambda: None)
    assert main(["course", "elements", "flamer"]) == 0
    assert "tests/scenarios of the repository, which is not installed: look for R-E25." in capsys.readouterr().out
    assert main(["course", "elements", "flamer", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scenarios"] is None
