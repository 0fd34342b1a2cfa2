"""``rr-gym train``: train a policy."""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import rr_gym

_AGENTS = "rr_gym.agents"


def add_parser(subparsers: Any) -> None:
    """Register ``train``."""
    program = agents_module("train")
    parser = subparsers.add_parser(
        "train",
        help="train a policy",
        description="Trains a policy by a configuration (docs/training.md). Ctrl-C saves a checkpoint; --resume "
        "resumes exactly from it, or from the last one before a crash.",
    )
    program.add_arguments(parser)
    parser.set_defaults(run=program.run)


def agents_module(name: str) -> ModuleType:
    """A module of the agents: in a wheel they are inside this package, in a checkout in the folder beside it."""
    if find_spec(_AGENTS) is None and _AGENTS not in sys.modules:
        folder = Path(rr_gym.__file__).parents[1] / "agents"
        # Under the name that it has in a wheel: another package may be installed as `agents`.
        spec = spec_from_file_location(_AGENTS, folder / "__init__.py", submodule_search_locations=[str(folder)])
        if spec is None or spec.loader is None:
            raise ImportError(f"{folder}: there are no agents")
        package = sys.modules[_AGENTS] = module_from_spec(spec)
        spec.loader.exec_module(package)
    return importlib.import_module(f"{_AGENTS}.{name}")


def call_agents(module: str, name: str, *args: Any) -> Any:
    """Call a function of the agents: as `partial` of this it can be sent to a process that has yet to import them."""
    return getattr(agents_module(module), name)(*args)
