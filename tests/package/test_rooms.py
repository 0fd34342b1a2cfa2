"""Imports respect the layers of the code: none from a higher layer, and no cycles between files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tools"))
import rooms


def test_imports_keep_to_the_rooms() -> None:
    assert rooms.faults() == []


def test_every_room_is_there() -> None:
    known = rooms.modules()
    assert [room for room in rooms.ROOMS if room not in known] == []


def test_contributing_has_the_table_of_the_rooms() -> None:
    assert rooms.table() in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("from rr_gym.rules.turn.turn import play_turn", "above"),
        ("def f():\n    from rr_gym.cli import main", "above"),
        ("from rr_gym.rules.state import events", "cycle"),
        ("from rr_gym.errors import RoboRallyError", ""),
        ("if TYPE_CHECKING:\n    from rr_gym.game import Game", ""),
    ],
)
def test_faults_are_found(tmp_path: Path, line: str, fault: str) -> None:
    """`events` imports `constants`, so an import in the other direction is a cycle."""
    wanted = {"rr_gym", "errors", "cli", "game", "rules", "state", "turn", "constants", "events"}
    for module, path in rooms.modules().items():
        if module.split(".")[-1] in wanted:
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text("" if module == "rr_gym" or module.startswith("rr_gym.cli") else path.read_text("utf-8"))
    (tmp_path / "agents").mkdir(exist_ok=True)
    constants = tmp_path / "rr_gym" / "rules" / "state" / "constants.py"
    before = rooms.faults(tmp_path)
    constants.write_text(constants.read_text("utf-8") + "\n" + line + "\n")
    found = [line for line in rooms.faults(tmp_path) if line not in before]
    assert (fault in found[0] if fault else not found), found
