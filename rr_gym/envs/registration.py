"""Puts the environments into the registries of Gymnasium and PettingZoo, whichever is imported first."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import cache
from importlib.machinery import ModuleSpec
from types import ModuleType

PARALLEL_ID = "rr_gym/roborally-v0"
GYMNASIUM_IDS = {  # robots by id; all except one are random players
    "rr_gym/RoboRally-v0": 4,
    "rr_gym/RoboRallyDuel-v0": 2,
    "rr_gym/RoboRallySolo-v0": 1,
}


def register_environments() -> None:
    """Register with Gymnasium and PettingZoo, as far as they are imported; existing registrations are kept."""
    for library, register in LIBRARIES.items():
        if library in sys.modules:
            register()


def register_when_imported() -> None:
    """Register with the libraries that are imported, and with the others as soon as they are.

    They are too heavy to be imported together with this package, and neither looks for environments by itself:
    ``gymnasium.make("rr_gym:rr_gym/RoboRally-v0")`` imports `rr_gym`, which does nothing if that was imported before.
    """
    register_environments()
    if not any(isinstance(finder, _Watcher) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watcher())


class _Watcher:
    """An import hook that finds no modules itself, but registers the environments once a library has been imported."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return what the other finders find for one of `LIBRARIES`; None for all other modules."""
        if name not in LIBRARIES:
            return None
        finders = [finder for finder in sys.meta_path if finder is not self and hasattr(finder, "find_spec")]
        found = (finder.find_spec(name, path, target) for finder in finders)
        spec = next((spec for spec in found if spec is not None), None)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            _register_after(spec, LIBRARIES[name])
        return spec


def _register_after(spec: ModuleSpec, register: Callable[[], None]) -> None:
    """Make the loader of a module register the environments after it has executed the module."""
    loader, execute = spec.loader, spec.loader.exec_module  # type: ignore[union-attr]

    def execute_and_register(module: ModuleType) -> None:
        execute(module)
        register()

    loader.exec_module = execute_and_register  # type: ignore[union-attr, method-assign]


@cache
def register_gymnasium() -> None:
    """Make the ids of `GYMNASIUM_IDS` known to ``gymnasium.make`` and ``gymnasium.make_vec``."""
    import gymnasium

    for name, robots in GYMNASIUM_IDS.items():
        gymnasium.register(
            name,
            entry_point="rr_gym.envs.single:RoboRallyEnv",
            vector_entry_point="rr_gym.envs.vector:RoboRallyVectorEnv",
            kwargs={"num_robots": robots, "opponents": "random"},
        )


@cache
def register_pettingzoo() -> None:
    """Make ``pettingzoo.make`` know `PARALLEL_ID`, for ``"parallel"`` and ``"aec"``."""
    import pettingzoo

    if hasattr(pettingzoo, "register"):  # from PettingZoo 1.27
        pettingzoo.register("parallel", PARALLEL_ID, entry_point="rr_gym.roborally_v0:parallel_env")
        pettingzoo.register("aec", PARALLEL_ID, entry_point="rr_gym.roborally_v0:env")


LIBRARIES: dict[str, Callable[[], None]] = {"gymnasium": register_gymnasium, "pettingzoo": register_pettingzoo}
