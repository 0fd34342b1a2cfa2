"""Load modules of tools/site, which is not a package and has names that other folders have, too."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

SITE = Path(__file__).resolve().parents[2] / "tools" / "site"


def load(name: str) -> Any:
    """Return a module of tools/site by its name, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"site_{name}", SITE / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module
