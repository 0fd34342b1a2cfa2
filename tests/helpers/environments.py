"""Python environments in which only the requested distributions are installed."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import Distribution, distribution
from pathlib import Path


def needed(names: list[str]) -> dict[str, Distribution]:
    """Return the named installed distributions and their requirements without extras, by name."""
    found: dict[str, Distribution] = {}
    left = list(names)
    while left:
        name = left.pop()
        if name in found:
            continue
        found[name] = distribution(name)
        for line in found[name].requires or []:
            if ";" not in line:
                left.append(re.split(r"[^\w.-]", line)[0])
    return found


def clean_environment(folder: Path, names: list[str], wheel: Path | None = None) -> Path:
    """Create an environment with these distributions, what they require, and a wheel; return the path of its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    for one in needed(names).values():
        for top in {file.parts[0] for file in one.files or [] if file.parts[0] not in ("..", "__pycache__")}:
            if not (site / top).exists():
                (site / top).symlink_to(one.locate_file(top))
    if wheel is None:
        return folder / "bin" / "python"
    install = ("-m", "pip", "install", "--no-deps", "--no-index", "--quiet", "--target", str(site), str(wheel))
    subprocess.run([sys.executable, *install], check=True)
    return folder / "bin" / "python"
