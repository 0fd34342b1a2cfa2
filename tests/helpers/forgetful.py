"""Caches of a game put to the proof: rules that forget to mark what a cache holds, or always fill it.

    NUMBA_DISABLE_JIT=1 python tests/helpers/forgetful.py CACHE

plays the same random games with such rules, and prints as JSON what comes of it for each of them: ``reported`` by the
invariants of caches, else ``played otherwise`` or ``played alike``. Rules are named by what they forget: a statement as
``FILE:FUNCTION NUMBER``, or ``everything``; ``full`` are those that fill the cache before they look at it. A cache that
names one device cannot be full.
"""

from __future__ import annotations

import ast
import importlib
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
RULES = ROOT / "rr_gym" / "rules"
sys.path.insert(0, str(ROOT / "tools"))

from mutations import is_kernel, loaded  # noqa: E402
from option_games import give  # noqa: E402

from rr_gym.bench.golden import digest  # noqa: E402
from rr_gym.cache_invariants import find_stale_caches  # noqa: E402
from rr_gym.courses.course import Course  # noqa: E402
from rr_gym.encoding.act.random_orders import random_option_orders  # noqa: E402
from rr_gym.rules.arena.arena import Arena  # noqa: E402
from rr_gym.rules.devices.watch import ALL_DEVICES, EVERYWHERE, UNKNOWN  # noqa: E402
from rr_gym.rules.options.option_programs import GADGET_OPTION  # noqa: E402
from rr_gym.rules.state.constants import MAX_ROBOTS  # noqa: E402
from rr_gym.rules.state.option_cards import LOAD, NO_OPTION  # noqa: E402
from rr_gym.rules.state.records import GAME, no_orders  # noqa: E402

REPORTED, OTHERWISE, ALIKE = "reported", "played otherwise", "played alike"
# The functions that mark devices, and the caches of them that hold what they must between two turns too
OF_DEVICES = ("lay_device", "move_device", "mark_dangers", "mark_teleporter", "features_under_devices")
BETWEEN_TURNS = (
    "danger", "teleporters", "features_under_devices", "big_one", "of_kind", "sparing", "taken_along",
)  # fmt: skip
# Belts that carry devices, pits that open under them, ground that crumbles, and what lets robots slide and fly
BOARD = """
@1 >     c>      >    >>   >  v  @2
A  ^     Y       X45  Lf   O  v  X5
@3 ^     X24     X135 A    H> v  @4
A  ^     >       R    X24  Y  v  A
@5 ^     X24     A    X3   M  v  @6
X5 ^     <       <    X24  <  <  X34
@7 J>^<v Y       >    X1   O  A  @8
C  #1    r2^>v<^ X5   L    R  c^ .
"""
CARDS = (
    ("mine_layer", "bridge_layer"), ("proximity_mine", "goo_dropper"), ("big_one", "missile_launcher"),
    ("portable_teleporter", "drone_launcher"), ("robo_copter", "big_jet"), ("retro_rockets", "scrambler_bomb"),
    ("buzz_bomb", "mini_howitzer"), ("tractor_beam", "pressor_beam"),
)  # fmt: skip
# What a cache holds that holds all that it can
FULL = {
    "stirred": EVERYWHERE, "danger": EVERYWHERE, "shifted": ALL_DEVICES, "teleporters": ALL_DEVICES,
    "features_under_devices": UNKNOWN, "of_kind": ALL_DEVICES, "sparing": ALL_DEVICES, "taken_along": ALL_DEVICES,
}  # fmt: skip


Change = Callable[[ast.FunctionDef], ast.FunctionDef]


@dataclass(frozen=True)
class Kernel:
    """A function of the rules, by its module and its syntax tree."""

    path: Path
    tree: ast.FunctionDef

    @property
    def place(self) -> str:
        return f"{self.path.relative_to(RULES).as_posix()}:{self.tree.name}"

    def function(self) -> Any:
        """What is run when the loaded module's function is called."""
        name = ".".join(self.path.relative_to(ROOT).with_suffix("").parts)
        return loaded(importlib.import_module(name), self.tree.name)

    def changed(self, change: Change) -> CodeType:
        tree = change(ast.parse(ast.unparse(self.tree)).body[0])  # type: ignore[arg-type]
        tree.decorator_list = []
        code = compile(ast.fix_missing_locations(ast.Module([tree], [])), str(self.path), "exec", dont_inherit=True)
        return next(part for part in code.co_consts if isinstance(part, CodeType))


def kernels() -> Iterator[Kernel]:
    for path in sorted(RULES.rglob("*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and is_kernel(node):
                yield Kernel(path, node)


def _is_cache(node: ast.AST, cache: str) -> bool:
    if isinstance(node, ast.Subscript):  # one word of a cache of several
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr == cache and ast.unparse(node.value) == "game"


def marks(statement: ast.AST, cache: str) -> bool:
    """Whether a statement puts something into the cache: not one that empties it."""
    if isinstance(statement, ast.AugAssign):
        return _is_cache(statement.target, cache) and isinstance(statement.op, ast.BitOr)
    empties = isinstance(statement, ast.Assign) and ast.unparse(statement.value) == "0"
    return isinstance(statement, ast.Assign) and not empties and any(_is_cache(t, cache) for t in statement.targets)


def reads(kernel: Kernel, cache: str) -> bool:
    return any(_is_cache(node, cache) and isinstance(node.ctx, ast.Load) for node in ast.walk(kernel.tree))  # type: ignore[attr-defined]


def without(cache: str, chosen: set[int]) -> Change:
    """Leave out the marking statements of these numbers in a function."""

    class Forget(ast.NodeTransformer):
        count = -1

        def visit(self, node: ast.AST) -> Any:
            if not marks(node, cache):
                return self.generic_visit(node)
            self.count += 1
            return ast.Pass() if self.count in chosen else node

    return lambda tree: Forget().visit(tree)


def filled(cache: str) -> Change:
    """Fill the cache before the function looks at it."""

    def change(tree: ast.FunctionDef) -> ast.FunctionDef:
        tree.body.insert(0, ast.parse(f"game.{cache}{'[:]' if GAME[cache].ndim else ''} = {FULL[cache]}").body[0])
        return tree

    return change


def play(seeds: int = 9, turns: int = 6) -> Iterator[tuple[list[str], str]]:
    """Random games of robots that lay devices: after each turn what is found of stale caches, and a digest."""
    arena = Arena(Course.from_board(BOARD, "devices"), {"option_cards": "on", "lives": "unlimited"})
    for seed in range(seeds):
        games = arena.new_games(1, MAX_ROBOTS, seed=seed)
        for seat, cards in enumerate(CARDS):
            give(games, seat, *cards)
        orders, words = no_orders(1, MAX_ROBOTS, full=True), np.array([seed], np.uint64)
        gadgets = np.unique(GADGET_OPTION[GADGET_OPTION != NO_OPTION])
        for _ in range(turns):
            games["payload"][0, gadgets] = LOAD[gadgets]
            random_option_orders(arena, games, orders, words)
            arena.play(games, orders)
            yield [violation.text for violation in find_stale_caches(games, arena)], digest(games)


def outcome(cache: str, as_it_is: list[str], changes: dict[Kernel, Change]) -> str:
    """What comes of changed rules."""
    functions = [(kernel.function(), kernel.changed(change)) for kernel, change in changes.items()]
    before = [function.__code__ for function, _ in functions]
    for function, code in functions:
        function.__code__ = code
    otherwise = False
    try:
        for (found, end), expected in zip(play(), as_it_is, strict=True):
            if any(f"the cache {cache} has" in text for text in found):
                return REPORTED
            otherwise = otherwise or end != expected
            if otherwise and cache not in BETWEEN_TURNS:
                break
    finally:
        for (function, _), code in zip(functions, before, strict=True):
            function.__code__ = code
    return OTHERWISE if otherwise else ALIKE


def proof(cache: str) -> dict[str, str]:
    """What comes of all changes that concern a cache."""
    found, as_it_is = zip(*play(), strict=True)
    assert not any(found)
    shown = {}
    if cache in FULL:
        readers = [kernel for kernel in kernels() if reads(kernel, cache)]
        shown["full"] = outcome(cache, [*as_it_is], dict.fromkeys(readers, filled(cache)))
    markers = {kernel: sum(marks(node, cache) for node in ast.walk(kernel.tree)) for kernel in kernels()}
    for kernel, count in markers.items():
        # What works a cache out leaves it unknown if it forgets to note it: that only costs time.
        must_mark = cache in BETWEEN_TURNS and kernel.tree.name in OF_DEVICES and kernel.tree.name != cache
        for k in range(count if must_mark else 0):
            shown[f"{kernel.place} {k}"] = outcome(cache, [*as_it_is], {kernel: without(cache, {k})})
    every = {kernel: without(cache, {*range(count)}) for kernel, count in markers.items() if count}
    shown["everything"] = outcome(cache, [*as_it_is], every)
    return shown


if __name__ == "__main__":
    print(json.dumps(proof(sys.argv[1])))
