"""Made-up elements and option cards: the steps of a recipe in CONTRIBUTING, applied to a copy of the package."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import yaml
from conftest import ROOT


def patches(file: str) -> list[dict[str, Any]]:
    """Return the patches in a YAML file of tests/helpers, one for each file that they change."""
    loaded: list[dict[str, Any]] = yaml.safe_load((ROOT / "tests" / "helpers" / file).read_text("utf-8"))
    return loaded


def named_files(chapter: str, others: set[str], **names: str) -> set[str]:
    """Return the paths that a recipe names, as regular expressions, with placeholders replaced by given names."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    recipe = text.partition(f"## {chapter}")[2].partition("\n## ")[0]
    paths = set(re.findall(r"[\w.<>-]+(?:/[\w.<>-]+)+\.(?:py|md|yaml|json|svg|rrb)\b", recipe)) - others
    for placeholder, name in names.items():
        paths = {path.replace(f"<{placeholder}>", name) for path in paths}
    return {re.sub(r"<\w+>", "[a-z_]+", path) for path in paths}


def check_files(touched: set[str], named: set[str]) -> None:
    """Check that every touched file is named, and that every named file is touched."""
    assert {file for file in touched if not any(re.fullmatch(path, file) for path in named)} == set()
    assert {path for path in named if not any(re.fullmatch(path, file) for file in touched)} == set()


def edited(patch: dict[str, Any]) -> str:
    """Return the text of a file after its patch."""
    path = ROOT / patch["file"]
    text = path.read_text("utf-8") if path.exists() else ""
    for edit in patch.get("edits", []):
        assert text.count(edit["old"]) == 1, f"{patch['file']}: {edit['old']!r} does not occur exactly once"
        text = text.replace(edit["old"], edit["new"])
    return text + str(patch.get("append", "")) + str(patch.get("text", ""))


def patched(folder: Path, file: str) -> None:
    """Copy the package, its documents and its tests to a folder, and apply the patch."""
    for name in ("rr_gym", "docs", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for patch in patches(file):
        path = folder / patch["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(edited(patch), encoding="utf-8")
