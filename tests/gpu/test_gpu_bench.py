"""The benchmark for GPUs runs from its first line to its last, on a stand-in for one."""

from __future__ import annotations

import pytest
from tool_modules import load_tool

from rr_gym.compilation.kernels import COMPILED

pytestmark = [pytest.mark.skipif(not COMPILED, reason="compilation is switched off"), pytest.mark.long]


def test_everything_is_compared_and_timed(capsys: pytest.CaptureFixture[str]) -> None:
    tool = load_tool("gpu_bench")
    options = ["--device", "stand-in", "--forms", "base", "--games", "16", "--turns", "2", "--check", "160"]
    assert tool.main([*options, "--observe", "flat,entities"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Device: this computer, compute capability 9.0")
    rows = [line.split(" | ") for line in lines if line.startswith("| base")]
    assert [row[1] for row in rows] == ["one launch", "28 launches", "16", "flat", "entities"]
    assert all(row[-1] == "yes |" and row[3] == row[4] for row in rows[:2])


def test_unknown_forms_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        load_tool("gpu_bench").main(["--forms", "base,all"])
    assert "--forms: all: expected some of base, options, full" in capsys.readouterr().err
