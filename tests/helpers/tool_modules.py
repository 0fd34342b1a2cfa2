"""Load modules of tools and tools/site, which are not packages and have names that other folders have, too."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

TOOLS = Path(__file__).resolve().parents[2] / "tools"
SITE = TOOLS / "site"


def load_tool(name: str, folder: Path = TOOLS) -> Any:
    """Return a module of one of these folders by its name, under a name of its own."""
    spec = importlib.util.spec_from_file_location(f"{folder.name}_{name}", folder / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module
