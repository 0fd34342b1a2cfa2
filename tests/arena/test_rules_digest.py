"""What ends a season: a rule that changes, and no comment."""

from __future__ import annotations

from pathlib import Path

import pytest

from rr_gym.arena.rules_digest import rules_digest, rules_version

RULE = '''"""Gears."""

SIZES = (
    1,
    2,
)


class Gear:
    """A gear."""

    turns: int = 1  # quarter turns

    def turn(self, facing: int) -> int:
        """Return the facing after a turn."""
        # to the right
        return (facing + self.turns) & 3
'''
BOARD = "# an island\n. #1\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, text in {"rules/gears.py": RULE, "courses/data/island.rrb": BOARD, "web/page.py": "x = 1\n"}.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# to the right", "# clockwise"),
        ('"""A gear."""', '"""A gear, which turns\n    robots.\n    """'),
        ('        """Return the facing after a turn."""\n', ""),
        ("(\n    1,\n    2,\n)", "(1, 2)"),
        ("(facing + self.turns) & 3", "((facing + self.turns)\n                & 3)"),
        ("\n", "\r\n"),
    ],
)
def test_comments_docstrings_and_formatting_do_not_count(home: Path, old: str, new: str) -> None:
    before = rules_digest(home)
    assert old in RULE
    (home / "rules/gears.py").write_bytes(RULE.replace(old, new).encode())
    assert rules_digest(home) == before
    (home / "web/page.py").write_text("x = 2\n")
    assert rules_digest(home) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("rules/gears.py", "= 1  #", "= 2  #"),
        ("rules/gears.py", "& 3", "| 3"),
        ("rules/gears.py", "SIZES", "WIDTHS"),
        ("rules/gears.py", "        return", '        "no docstring"\n        return'),
        ("courses/data/island.rrb", "#1", "#2"),
        ("courses/data/island.rrb", "# an", "# the"),
    ],
)
def test_everything_else_does(home: Path, file: str, old: str, new: str) -> None:
    before = rules_digest(home)
    text = (home / file).read_text()
    (home / file).write_text(text.replace(old, new))
    assert rules_digest(home) != before


def test_a_new_file_and_a_new_name_count(home: Path) -> None:
    before = rules_digest(home)
    (home / "rules/gears.py").rename(home / "rules/wheels.py")
    renamed = rules_digest(home)
    (home / "rules/empty.py").write_text("")
    assert len({before, renamed, rules_digest(home)}) == 3


def test_the_rules_of_this_package_have_a_digest() -> None:
    assert len(rules_version().digest) == 64
