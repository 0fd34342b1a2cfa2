"""The tool that runs the parts of the tests: their order, and what happens if one fails."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tool runs only on POSIX")


@pytest.fixture
def tool(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    import run_tests

    return run_tests


@pytest.mark.parametrize(
    ("failing", "run"),
    [
        ("", {"compile", "install", "small", "beside", "suite"}),
        ("compile", {"compile", "install", "small", "beside"}),
        ("install", {"compile", "install"}),
        ("small", {"compile", "install", "small", "beside"}),
        ("suite", {"compile", "install", "small", "beside", "suite"}),
    ],
)
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_suite_runs_where_all_before_it_went_well(
    tool: ModuleType, failing: str, run: set[str], jobs: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def part(name: str) -> object:
        code = f"echo said by {name}; touch {tmp_path / name}; exit {int(name == failing)}"
        return tool.Part(name, ("sh", "-c", code))

    compiling, install, small, beside, suite = map(part, ("compile", "install", "small", "beside", "suite"))
    done = tool.run_all([compiling, small, beside], install, suite, jobs)
    assert {path.name for path in tmp_path.iterdir()} == run
    assert [end.part.name for end in done if end.status] == [failing] * bool(failing)
    out = capsys.readouterr().out
    quiet = failing not in ("", "suite")
    assert out.count("failed with status 1") == out.count(f"said by {failing}\n" if failing else "said by") == quiet


def test_failures_beside_the_suite_are_reported_after_it(tool: ModuleType, capfd: pytest.CaptureFixture[str]) -> None:
    suite = tool.Part("suite", (sys.executable, "-c", "print('100 passed')"))
    beside = tool.Part("beside", ("sh", "-c", "sleep 0.3; exit 3"))
    done = tool.run_all([tool.Part("compile", ("true",)), beside], None, suite, 2)
    assert [end.status for end in done] == [0, 3, 0]
    out = capfd.readouterr().out
    assert out.index("100 passed") < out.rindex("beside: ")
    assert out.endswith("failed with status 3\n")
