"""The build of wheels: with `RR_GYM_BUILD_LIBRARY=1` the rules come as machine code for this platform.

Without it the wheel is pure Python, and rules are compiled where they are first played.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WANTED = os.environ.get("RR_GYM_BUILD_LIBRARY", "0") not in ("", "0")


class LibraryHook(BuildHookInterface):  # type: ignore[type-arg]
    """Makes the library and says for which platform the wheel is."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """What the build needs besides: all that the rules are compiled with."""
        if not WANTED:
            return []
        project = tomllib.loads(Path(self.root, "pyproject.toml").read_text(encoding="utf-8"))
        return list(project["project"]["dependencies"])

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before files are collected."""
        if not WANTED or version == "editable":
            return
        folder = Path(self.root, "build", "library")
        environment = {**os.environ, "PYTHONPATH": self.root, "NUMBA_DISABLE_JIT": "0", "NUMBA_BOUNDSCHECK": "0"}
        command = [sys.executable, "-m", "rr_gym.compilation.shipped", str(folder)]
        subprocess.run(command, check=True, cwd=self.root, env=environment)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{platform_tag()}"
        for file in sorted(folder.iterdir()):
            build_data["force_include"][str(file)] = f"rr_gym/_library/{file.name}"


def platform_tag() -> str:
    """The platform as wheels name it. On Linux the code needs nothing of the C library but what has been there since
    2012.
    """
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return tag.replace("linux_", "manylinux_2_17_", 1) if tag.startswith("linux_") else tag
