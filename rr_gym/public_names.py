"""Lazy public names of a package: each is imported on first use, so that importing the package costs nothing."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


def on_first_use(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return a `__getattr__`, a `__dir__` and an `__all__` for a package.

    Its file imports its public names for type checkers alone, under ``if TYPE_CHECKING:``. This finds them there.
    """
    module = sys.modules[package]
    tree = ast.parse(module.__spec__.loader.get_source(package))  # type: ignore[union-attr]
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    home_of = {
        alias.name: node.module for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }

    def get(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = import_module(f"{home}.{name}") if home == package else getattr(import_module(home), name)
        setattr(module, name, value)
        return value

    return get, lambda: sorted({*vars(module), *home_of}), sorted(home_of)
