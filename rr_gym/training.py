"""Training and imitation from Python: the functions behind ``rr-gym train`` and ``rr-gym imitate``.

Importing this module is cheap: the code of training is imported when a function is called. It is in the folder
``agents`` of a checkout, and inside the package in a wheel. Training needs the extra `train`.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.logger import Logger

__all__ = ["imitate", "read_curve", "train"]

_AGENTS = "rr_gym.agents"


def train(
    config: str | os.PathLike[str],
    out: str | os.PathLike[str] | None = None,
    *,
    resume: bool = False,
    opponents: Sequence[str] | None = None,
    course: str | Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    max_cycles: int | None = None,
    start: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    steps: int | None = None,
    overrides: Mapping[str, Any] | None = None,
    callbacks: Sequence[BaseCallback] = (),
    logger: Logger | None = None,
) -> dict[str, Any]:
    """Train a policy as a configuration describes, like ``rr-gym train`` does.

    Progress is printed on stderr. Each argument from `opponents` to `overrides` replaces a value of the configuration;
    None keeps it.

    Args:
        config: The file of a configuration, or the bare name of one, such as ``"quickstart"``.
        out: The folder of the run, new or empty; None for ``runs/NAME``, by the name of the configuration.
        resume: Resume the run in the folder from its last checkpoint.
        opponents: The players in the seats that do not learn (`environment.opponents`).
        course: One course or several (`environment.course`).
        settings: Settings of the game, added to those of the configuration (`environment.settings`).
        max_cycles: Turns after which a game is truncated (`environment.max_cycles`).
        start: The folder of the policy to start from, or the name of one that ships (`training.start`).
        seed: The seed of the training (`training.seed`).
        steps: Rows to learn from (`training.total_steps`).
        overrides: Any other values of the configuration by dotted keys, such as ``{"algorithm.learning_rate": 1e-3}``.
        callbacks: Callbacks of Stable-Baselines3, called as its own algorithms call them. If one returns False, the
            training ends after the current update, with everything that the end of a training run writes.
        logger: A logger of Stable-Baselines3: each of its output formats gets every line of the learning curve too. It
            is not closed.

    Returns:
        `rows` learned from, `seconds`, and the paths of the `policy`, of its learning `curve` and of the `picture` of
        that curve.

    Raises:
        RoboRallyError: The configuration or the folder is not valid, another process trains in the folder, the training
            diverged, or a callback or the logger is not an object of Stable-Baselines3.
        MissingExtraError: Something of the extra `train` is not installed.
        KeyboardInterrupt: It was interrupted; its argument is the folder, if there is something to resume.
    """
    given = _given(course, settings, start, seed, steps)
    given |= {"players": None if opponents is None else list(opponents), "max_cycles": max_cycles}
    given |= {"overrides": overrides, "callbacks": callbacks, "logger": logger}
    facts: dict[str, Any] = call_agents("train", "train", config, _path(out), resume=resume, **given)
    return facts


def imitate(
    teacher: str,
    config: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    temperature: float | None = None,
    resume: bool = False,
    course: str | Sequence[str] | None = None,
    settings: Mapping[str, Any] | None = None,
    start: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    steps: int | None = None,
    workers: int | None = 1,
    ray: str | None = None,
    overrides: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Teach a policy to decide as a player does, as ``rr-gym imitate`` does.

    Progress is printed on stderr. `course`, `settings`, `start`, `seed`, `steps` and `overrides` replace values of the
    configuration, as those of `train`.

    Args:
        teacher: The name of a player, or the folder of a policy or of a data set.
        config: The file of a configuration, or the bare name of one: its environment and its network.
        out: The folder of the policy, new or empty; it is written every minute and at the end.
        temperature: Learn from all candidates of a teacher that values them, such as ``"planner"``: one whose
            probability of winning is lower than the best's by this much counts for 1/e of it. None learns from the
            best alone.
        resume: Resume the imitation in the folder.
        course: One course or several.
        settings: Settings of the game, added to those of the configuration.
        start: The folder of the policy to start from, or the name of one that ships.
        seed: The seed of the imitation.
        steps: Rows to learn from.
        workers: Processes that play side by side, None for as many as there are processors; the policy does not depend
            on it.
        ray: The address of a Ray cluster whose machines play instead.
        overrides: Any other values of the configuration by dotted keys.

    Returns:
        `rows` learned from, `seconds`, `agreement` (the share of decisions of the last games, before they were learned
        from, in which the policy chose what the teacher thinks best) and the path of the `policy`.

    Raises:
        RoboRallyError: The configuration is not valid, the teacher gives no programs or no values, or there
            is nothing to resume.
        MissingExtraError: PyTorch or safetensors, of the extra `train`, is not installed.
        KeyboardInterrupt: It was interrupted; its argument is the folder, if there is something to resume.
    """
    given = _given(course, settings, start, seed, steps)
    facts: dict[str, Any] = call_agents(
        "imitate", "imitate", teacher, config, _path(out), temperature, resume,
        workers=workers, ray=ray, overrides=overrides, **given,
    )  # fmt: skip
    return facts


def read_curve(path: str | os.PathLike[str]) -> list[dict[str, str]]:
    """Return the lines of a learning curve, the `progress.csv` of a run, each as texts by the name of the column."""
    lines: list[dict[str, str]] = call_agents("curves", "read_curve", _path(path))
    return lines


def agents_module(name: str) -> ModuleType:
    """Return a module of `agents`: a part of this package in a wheel, the folder beside it in a checkout."""
    if find_spec(_AGENTS) is None and _AGENTS not in sys.modules:
        folder = Path(__file__).parents[1] / "agents"
        # Use the name that it has in a wheel, because another package may be installed as `agents`.
        spec = spec_from_file_location(_AGENTS, folder / "__init__.py", submodule_search_locations=[str(folder)])
        if spec is None or spec.loader is None:
            raise ImportError(f"{folder}: there are no agents")
        package = sys.modules[_AGENTS] = module_from_spec(spec)
        spec.loader.exec_module(package)
    return importlib.import_module(f"{_AGENTS}.{name}")


def call_agents(module: str, name: str, *args: Any, **options: Any) -> Any:
    """Call a function of `agents`: as `partial` of this it can be sent to a process that has yet to import them."""
    return getattr(agents_module(module), name)(*args, **options)


def _given(
    course: str | Sequence[str] | None,
    settings: Mapping[str, Any] | None,
    start: str | os.PathLike[str] | None,
    seed: int | None,
    steps: int | None,
) -> dict[str, Any]:
    """Return what replaces values of the configuration, by the options of the command line."""
    courses = course if course is None else [course] if isinstance(course, str) else list(course)
    policy = None if start is None else os.fspath(start)
    return {"course": courses, "set": settings, "from": policy, "seed": seed, "steps": steps}


def _path(path: str | os.PathLike[str] | None) -> Path | None:
    return None if path is None else Path(path)
