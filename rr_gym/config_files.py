"""Configuration files: found by their names, in ``configs`` and among those that are shipped, and read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rr_gym import yaml12
from rr_gym.errors import RoboRallyError, did_you_mean
from rr_gym.files import check_path, read_text

CONFIGS = Path("configs")  # where one looks first, in the working folder
SUFFIX = ".yaml"

_INSIDE = Path(__file__).parent / "configs"  # in a wheel they are in the package, in a checkout beside it
SHIPPED = _INSIDE if _INSIDE.is_dir() else Path(__file__).parents[1] / "configs"


def config_names() -> list[str]:
    """The names of all configurations that can be found by them."""
    return sorted({file.stem for folder in (CONFIGS, SHIPPED) for file in folder.glob(f"*{SUFFIX}")})


def find_config(name: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError) -> Path:
    """The file of a configuration: a path, or the bare name of one in ``configs`` or of those that are shipped.

    Args:
        name: The path or the name.
        error: What is raised.

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


def read_config(path: str | os.PathLike[str], error: type[RoboRallyError] = RoboRallyError) -> tuple[Any, Any]:
    """What a configuration file says, and the lines where it says it, as `yaml12.load_lines` gives them.

    Raises:
        RoboRallyError: It cannot be read or is empty, of the class `error`; or it is not YAML.
    """
    return parse_config(read_text(path, error), str(path), error)


def parse_config(
    content: str, filename: str, error: type[RoboRallyError] = RoboRallyError
) -> tuple[Any, Mapping[yaml12.Path, int]]:
    """The same from a text."""
    data, lines = yaml12.load_lines(content, filename)
    if data is None:
        raise error(f"{filename}: is empty: expected keys with values, or {{}} for all defaults")
    return data, lines
