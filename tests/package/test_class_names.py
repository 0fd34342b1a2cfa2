"""Names of classes are unique in the package, so that a search finds one definition."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_no_two_classes_share_a_name() -> None:
    files = defaultdict(set)
    for folder in ("rr_gym", "agents"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.ClassDef):
                    files[node.name].add(path.relative_to(ROOT).as_posix())
    assert {name: sorted(found) for name, found in files.items() if len(found) > 1} == {}
