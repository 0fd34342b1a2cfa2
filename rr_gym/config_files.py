"""Configuration files: find them by name, in ``configs`` and among the shipped ones, and read them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rr_gym import yaml12
from rr_gym.errors import RoboRallyError, did_you_mean
from rr_gym.files import check_path, read_text

CONFIGS = Path("configs")  # searched first; in the working folder
SUFFIX = ".yaml"

_INSIDE = Path(__file__).parent / "configs"  # inside the package in a wheel, beside it in a checkout
SHIPPED = _INSIDE if _INSIDE.is_dir() else Path(__file__).parents[1] / "configs"


def config_names() -> list[str]:
    """Return the sorted names of all configurations that `find_config` finds by name."""
    return sorted({file.stem for folder in (CONFIGS, SHIPPED) for file in folder.glob(f"*{SUFFIX}")})


def find_config(name: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError) -> Path:
    """Return the path of a configuration file, given its path or its bare name.

    A bare name is looked up in the folder ``configs`` first, then among the configurations that ship with the package.

    Args:
        name: The path or the name.
        error: The class of error to raise.

    Raises:
        RoboRallyError: There is no such file; of the class `error`.
    """
    path = check_path("config", name, error)
    try:
        if path.is_file():
            return path
        if path.name == str(name) and not path.suffix:
            for folder in (CONFIGS, SHIPPED):
                if (folder / f"{name}{SUFFIX}").is_file():
                    return folder / f"{name}{SUFFIX}"
    except OSError:  # a name that is too long
        pass
    known = config_names()
    hint = did_you_mean(path.stem, known) or f"expected a YAML file, or one of {', '.join(known) or 'those in configs'}"
    raise error(f"there is no configuration '{name}': {hint}")


def read_config(
    path: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError
) -> tuple[Any, Callable[[yaml12.Path], str]]:
    """Read a configuration file and return what `parse_config` does.

    Raises:
        RoboRallyError: The file cannot be read or is empty, of the class `error`; or it is not YAML.
    """
    return parse_config(read_text(path, error), str(path), error)


def parse_config(
    content: str, filename: str, error: type[RoboRallyError] = RoboRallyError
) -> tuple[Any, Callable[[yaml12.Path], str]]:
    """Parse the text of a configuration file.

    Returns:
        The contents, and a function that returns the file and line of the value at a path, for errors. A value that is
        not in the file has the first line.

    Raises:
        RoboRallyError: The text is empty, of the class `error`; or it is not YAML.
    """
    data, lines = yaml12.load_lines(content, filename)
    if data is None:
        raise error(f"{filename}: is empty: expected keys with values, or {{}} for all defaults")
    return data, lambda path: f"{filename}:{lines.get(path, lines[()])}"
