"""Caches of accelerators in game records: only accelerators use them, and they are zero between turns."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.errors import RoboRallyError
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders
from rr_gym.rules.state.scratch import Caches

FAST = ROOT / "rr_gym" / "rules" / "fast"
OTHERS = [path for path in sorted((ROOT / "rr_gym").rglob("*.py")) if FAST not in path.parents]


def others_with(words: str) -> Iterator[tuple[Path, ast.AST]]:
    """Yield the nodes of the files outside of the accelerators that contain these words; parsing all takes seconds."""
    for path in OTHERS:
        text = path.read_text("utf-8")
        if words in text:
            yield from ((path, node) for node in ast.walk(ast.parse(text)))


def test_only_accelerators_name_caches() -> None:
    for path, node in others_with("caches"):
        if isinstance(node, ast.Attribute):
            assert node.attr != "caches", f"{path}:{node.lineno}"


def test_nothing_imports_an_accelerator() -> None:
    for path, node in others_with("rules.fast"):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
        assert not any(module.startswith("rr_gym.rules.fast") for module in modules), f"{path}: {modules}"


@pytest.fixture
def arena() -> Arena:
    return Arena("everything", {"option_cards": "on", "lives": "unlimited"})


def test_caches_are_zero_between_turns(arena: Arena) -> None:
    games, orders = arena.new_games(2, 8, seed=1), no_orders(2, 8, full=True)
    words = np.arange(2, dtype=np.uint64)
    for _ in range(3):
        arena.equip(games, 5)
        random_option_orders(arena, games, orders, words)
        arena.play(games, orders)
        for name in Caches.fields:
            assert not games["caches"][name].any(), name


@pytest.mark.parametrize("name", ["devices_known", "over_pit"])
def test_caches_that_hold_something_are_refused(arena: Arena, name: str) -> None:
    games, orders = arena.new_games(1, 8, seed=1), no_orders(1, 8, full=True)
    games["caches"][name] = 1
    with pytest.raises(RoboRallyError, match=rf"caches\.{name}: 1: expected a whole number from 0 to 0"):
        arena.play(games, orders)
