"""Every rule scenario below tests/scenarios passes, and cites rules that exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

import pytest
from all_scenarios import ALL as SCENARIOS
from combinations import quick

from rr_gym.compilation import cache, entering
from rr_gym.compilation.groups import entries
from rr_gym.compilation.kernels import COMPILED
from rr_gym.forms import FULL, OPTIONS
from rr_gym.rules.state.records import new_log
from rr_gym.rules.state.table import OPTIONS_TABLE
from rr_gym.scenarios import Scenario, play, position, run_scenario
from rr_gym.scenarios.position import Position
from rr_gym.scenarios.script import Script

ROOT = Path(__file__).parents[1]
RULE_ID = r"R-[A-Z]\w*(?:\.\w+)*|[UKD]\d+"


def _name(file: str) -> str:
    return str(Path(file).relative_to(ROOT / "scenarios").with_suffix(""))


def _failed(scenarios: Sequence[Scenario]) -> list[str]:
    """Play scenarios and return all differences, each with the file and the name of the scenario."""
    return [
        f"{_name(scenario.file)}: {scenario.name}: {difference}"
        for scenario in scenarios
        for difference in run_scenario(scenario).differences
    ]


# What scenarios enter beside the kernels that are listed for them, and what the stored games enter
ENTERED = {
    "begin_conditions", "end_turn", "next_turn", "play_phase", "program",
    "play_range", "start_range", "random_options_range",
}  # fmt: skip


def load_one_library_per_form() -> None:
    """Load what scenarios and stored games enter; by groups, four libraries of a form would contain the same rules."""
    for form in (FULL, OPTIONS):
        listed = entries()[form]
        names = [name for group in listed.values() for name in group if _kernel_of(name) in ENTERED]
        names = list(dict.fromkeys([*listed.get("scenarios", ()), *names]))
        entering._libraries.append(cache.library("scenarios", form, names, []))


def _kernel_of(entry: str) -> str:
    """Return the name of the kernel of an entry, without its module and the types of its arguments."""
    return entry.partition("(")[0].rpartition(".")[2]


@pytest.fixture(scope="module", autouse=True)
def _form(request: pytest.FixtureRequest) -> Iterator[None]:
    """With `--one-form`, play scenarios of the base game by the full rules, to compile fewer forms."""
    with pytest.MonkeyPatch.context() as patch:
        if request.config.getoption("--one-form"):
            patch.setattr(position, "plays_expansions", lambda script, settings: True)
            if COMPILED:
                load_one_library_per_form()
        yield


# The scenarios of each file, with their places among all
FILES = {file: list(group) for file, group in groupby(enumerate(SCENARIOS), lambda numbered: numbered[1].file)}


@pytest.mark.parametrize("file", [pytest.param(file, id=_name(file)) for file in FILES])
def test_scenarios(file: str, pytestconfig: pytest.Config) -> None:
    """One test per file: with one per scenario, pytest itself would take longer than the scenarios."""
    one_in = pytestconfig.getoption("--one-in")
    failed = _failed([scenario for place, scenario in FILES[file] if place % one_in == 0])
    assert not failed, "\n".join(failed)


PARTS = 4  # into which the scenarios are divided; the short suite plays one of them
BY_ELEMENTS = {"asleep", "burning", "energized", "flying"}  # states that only board elements cause


@pytest.mark.parametrize("part", quick(range(PARTS), 0))
def test_rules_that_leave_out_elements_pass_the_same_scenarios(part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A course with option cards or variants but no expansion elements is played by the form compiled for them."""
    asks_for_more = position.plays_expansions
    monkeypatch.setattr(position, "plays_expansions", lambda *given: None if asks_for_more(*given) else False)
    begun: list[Position] = []

    class PlayedByOtherRules(Exception):
        """The scenario does not fit this form of the rules, so it is skipped."""

    def recorded(script: Script) -> Position:
        by_elements = any(robot.fields.get(field) for robot in script.robots for field in BY_ELEMENTS)
        found = None if by_elements else Position(script)
        if found is None or found.table.dtype != OPTIONS_TABLE:
            raise PlayedByOtherRules
        begun.append(found)
        return found

    monkeypatch.setattr(play, "Position", recorded)
    failed: list[str] = []
    for scenario in SCENARIOS[part::PARTS]:
        with suppress(PlayedByOtherRules):
            before, found = len(begun), _failed([scenario])
            failed += found if len(begun) > before else []
    assert failed == []
    assert len(begun) > 100


@pytest.mark.parametrize("every", [50, pytest.param(1, marks=pytest.mark.long)])
def test_events_change_nothing(every: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a log every run ends in the same position, byte for byte."""
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
    known |= {rule.partition(".")[0] for rule in known}  # a scenario may cite a whole section
    cited = {scenario.name: set(re.findall(rf"\b(?:{RULE_ID})\b", scenario.source)) for scenario in SCENARIOS}
    assert {name: unknown for name, rules in cited.items() if (unknown := rules - known)} == {}
