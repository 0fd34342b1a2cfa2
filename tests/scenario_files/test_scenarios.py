"""Every rule scenario below tests/scenarios, and what they cite."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from all_scenarios import ALL as SCENARIOS

from rr_gym.rules.state.records import new_log
from rr_gym.rules.state.table import OPTIONS_TABLE
from rr_gym.scenarios import Scenario, play, position, run_scenario
from rr_gym.scenarios.position import Position
from rr_gym.scenarios.script import Script

ROOT = Path(__file__).parents[1]
RULE_ID = r"R-[A-Z]\w*(?:\.\w+)*|[UKD]\d+"


def _label(scenario: Scenario) -> str:
    return f"{Path(scenario.file).relative_to(ROOT / 'scenarios').with_suffix('')}: {scenario.name}"


@pytest.fixture(scope="module", autouse=True)
def _form(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--one-form` scenarios of the base game need no rules compiled of their own."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("--one-form"):
            patch.setattr(position, "plays_expansions", lambda script, settings: True)
        yield


@pytest.mark.parametrize("scenario", [pytest.param(scenario, id=_label(scenario)) for scenario in SCENARIOS])
def test_scenario(scenario: Scenario) -> None:
    result = run_scenario(scenario)
    assert result.passed, "\n".join(map(str, result.differences))


PARTS = 4  # of all scenarios, side by side
BY_ELEMENTS = {"asleep", "burning", "energized", "flying"}  # a robot that begins so has met an element


@pytest.mark.parametrize("part", range(PARTS))
def test_rules_that_leave_out_elements_pass_the_same_scenarios(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Option cards and variants where no elements of expansions lie: there the rules have a form of their own."""
    asks_for_more = position.plays_expansions
    monkeypatch.setattr(position, "plays_expansions", lambda *given: None if asks_for_more(*given) else False)
    left_out: list[bool] = []

    def noted(script: Script) -> Position:
        begun = Position(script)
        by_elements = any(robot.fields.get(field) for robot in script.robots for field in BY_ELEMENTS)
        left_out.append(begun.table.dtype == OPTIONS_TABLE and not by_elements)
        return begun

    monkeypatch.setattr(play, "Position", noted)
    failed, seen = [], 0
    for scenario in SCENARIOS[part::PARTS]:
        left_out.clear()
        result = run_scenario(scenario)
        if any(left_out):
            seen += 1
            failed += [] if result.passed else [(_label(scenario), *map(str, result.differences))]
    assert failed == []
    assert seen > 100


@pytest.mark.parametrize("every", [50, pytest.param(1, marks=pytest.mark.long)])
def test_events_change_nothing(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a log every run ends in the same position, byte for byte: what is skipped then has no effect."""
    positions: list[Position] = []
    monkeypatch.setattr(play, "Position", lambda script: positions.append(Position(script)) or positions[-1])
    ends: dict[bool, list[bytes]] = {True: [], False: []}
    for on, found in ends.items():
        monkeypatch.setattr(play, "new_log", lambda on=on: new_log(on))
        for scenario in SCENARIOS[::every]:
            positions.clear()
            run_scenario(scenario)
            found.append(b"".join(position.game.tobytes() for position in positions))
    different = [scenario.name for scenario, a, b in zip(SCENARIOS[::every], *ends.values(), strict=True) if a != b]
    assert different == []


def test_names_are_unique() -> None:
    counts = Counter(scenario.name for scenario in SCENARIOS)
    assert [name for name, count in counts.items() if count > 1] == []


def test_every_scenario_names_its_source() -> None:
    assert [scenario.name for scenario in SCENARIOS if not scenario.source] == []


def test_every_cited_rule_exists() -> None:
    texts = [path.read_text("utf-8") for path in sorted((ROOT.parent / "docs" / "rules").glob("*.md"))]
    known = {rule for text in texts for rule in re.findall(rf"\*\*({RULE_ID})\*\*", text)}
    known |= {rule.partition(".")[0] for rule in known}  # a whole section
    cited = {scenario.name: set(re.findall(rf"\b(?:{RULE_ID})\b", scenario.source)) for scenario in SCENARIOS}
    assert {name: unknown for name, rules in cited.items() if (unknown := rules - known)} == {}
