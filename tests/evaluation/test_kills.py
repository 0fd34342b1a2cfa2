"""The tool that kills runs, with a few kills: resumed runs write byte for byte the same files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import Python
from tool_modules import load_tool

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["tournament", "benchmark", "training", "arena"])
def test_killed_runs_resume_to_the_same_bytes(kind: str, python: Python, tmp_path: Path) -> None:
    pytest.importorskip("sb3_contrib")
    done = python("tools/kills.py", kind, "--kills", "2", "--out", str(tmp_path / "kills"))
    assert done.stdout.startswith(f"{kind}: ")
    assert "compared" in done.stdout
    assert done.stdout.endswith("0 faults\n")


def test_differences_and_errors_are_found(tmp_path: Path) -> None:
    kills = load_tool("kills")
    begun = iter(range(99))

    def contents(folder: Path) -> dict[str, bytes]:
        return {"same": b"", "other": b"%d" % next(begun)}

    kills.KINDS["forgetful"] = kills.Kind(lambda folder: ["players"], contents)
    trial = kills.Trial("forgetful", tmp_path / "forgetful", 0)
    trial.run(1)
    assert trial.faults
    assert [fault for fault in trial.faults if not fault.endswith(": differs in other")] == []
    kills.KINDS["wrong"] = kills.Kind(lambda folder: ["players", "--no-such-option"], contents)
    with pytest.raises(SystemExit, match="ends with status 2"):
        kills.Trial("wrong", tmp_path / "wrong", 0).run(1)
