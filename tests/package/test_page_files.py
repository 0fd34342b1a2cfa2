"""Scripts, styles and templates of pages are as readable as the rest."""

from __future__ import annotations

from pathlib import Path

from conftest import ROOT

LONGEST = 140  # characters in a line
LONGEST_FILE = 400  # lines


def page_files() -> list[Path]:
    return [path for path in sorted((ROOT / "rr_gym").rglob("*.*")) if path.suffix in (".js", ".css", ".html")]


def test_lines_and_files_of_pages_are_short() -> None:
    files = {path: path.read_text(encoding="utf-8").splitlines() for path in page_files()}
    assert len(files) > 20
    long = [f"{path}:{i}" for path, lines in files.items() for i, line in enumerate(lines, 1) if len(line) > LONGEST]
    assert not long
    assert not [path for path, lines in files.items() if len(lines) > LONGEST_FILE]
