"""Names of classes are unique in the package, so that a search finds one definition."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

from conftest import ROOT

CLASS = re.compile(r"^\s*class (\w+)", re.MULTILINE)


def classes_in(path: Path) -> set[str]:
    return {node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ClassDef)}


def test_no_two_classes_share_a_name() -> None:
    files = defaultdict(set)
    for folder in ("rr_gym", "agents"):
        for path in (ROOT / folder).rglob("*.py"):
            for name in CLASS.findall(path.read_text("utf-8")):
                files[name].add(path)
    assert len(files) > 500
    # Some of these lines are in docstrings; parsing only such files saves seconds.
    found = {
        name: [path.relative_to(ROOT).as_posix() for path in sorted(paths) if name in classes_in(path)]
        for name, paths in files.items()
        if len(paths) > 1
    }
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}
