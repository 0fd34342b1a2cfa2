"""Commit messages that the pre-commit hook accepts and refuses."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from commit_message import main, problems_of

BODY = "\n\nOthers read it in the log, where nothing else says why.\n"


@pytest.mark.parametrize("subject", ["Let robots on ramps slide", "Speed up the looks of lasers", "Say " + 68 * "x"])
def test_a_subject_with_a_body_passes(subject: str) -> None:
    assert problems_of(subject + BODY) == []
    assert problems_of("\n# a comment\n" + subject + BODY + "# On branch main\n") == []


@pytest.mark.parametrize(
    ("message", "problem"),
    [
        ("Say " + 69 * "x" + BODY, "the subject has 73 characters: expected at most 72"),
        ("say why" + BODY, "a capital letter first"),
        ("Say why." + BODY, "no full stop"),
        ("Added a rule" + BODY, "expected the imperative"),
        ("Adding a rule" + BODY, "expected the imperative"),
        ("Say why\nand how" + BODY, "an empty line after the subject"),
        ("Say why", "a body that says why"),
        ("Say why\n\n# Please enter the commit message\n", "a body that says why"),
        ("", "a capital letter first"),
    ],
)
def test_faults_are_described(message: str, problem: str) -> None:
    assert any(problem in found for found in problems_of(message))


def test_messages_of_git_pass() -> None:
    assert problems_of("Merge branch 'rules'") == []
    assert problems_of('Revert "Say why"\n\nThis reverts commit 1234567.\n') == []


def test_the_hook_fails_with_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "COMMIT_EDITMSG"
    path.write_text("Say why" + BODY)
    assert main([str(path)]) == 0
    path.write_text("say why")
    assert main([str(path)]) == 1
    assert f"{path}: expected a body that says why" in capsys.readouterr().out
