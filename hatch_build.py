"""The build of wheels: with `RR_GYM_BUILD_LIBRARY=1` the rules come as machine code for this platform.

Without it the wheel is pure Python, and rules are compiled where they are first played.

With `RR_GYM_HOME`, the address of the repository, or on its own runners, the package names it, and its description
links to the documents of this version there. Without it the description has no links, since they would lead nowhere.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

WANTED = os.environ.get("RR_GYM_BUILD_LIBRARY", "0") not in ("", "0")


class LibraryHook(BuildHookInterface):  # type: ignore[type-arg]
    """Makes the library and says for which platform the wheel is."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return what the build needs in addition: the package's dependencies, since it compiles the rules."""
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
    """Return the platform as wheels name it.

    On Linux that is manylinux 2.17, since the code uses only functions that the C library has had since 2012.
    """
    tag = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return tag.replace("linux_", "manylinux_2_17_", 1) if tag.startswith("linux_") else tag


class DescriptionHook(MetadataHookInterface):
    """Gives the package its address and its description, the README with links that work anywhere."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Add what depends on where the repository is."""
        home = home_of(os.environ)
        file = Path(self.root, "rr_gym", "version.py")
        version = re.search(r'__version__ = "(.+)"', file.read_text(encoding="utf-8"))
        assert version
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": description(text, home, f"v{version[1]}")}
        if home:
            metadata["urls"] = {
                "Homepage": home,
                "Documentation": f"{home}/blob/v{version[1]}/docs/README.md",
                "Source": home,
                "Issues": f"{home}/issues",
                "Changelog": f"{home}/blob/v{version[1]}/CHANGELOG.md",
            }


def home_of(environment: Mapping[str, str]) -> str:
    """Return the address of the repository; an empty text if it is unknown."""
    server, name = environment.get("GITHUB_SERVER_URL", ""), environment.get("GITHUB_REPOSITORY", "")
    return environment.get("RR_GYM_HOME", "").rstrip("/") or (f"{server}/{name}" if server and name else "")


def description(readme: str, home: str, tag: str) -> str:
    """Return a README whose relative links and pictures lead to the tag of a repository.

    Without a repository links become plain words, and pictures are left out. So are badges, since the page of an index
    shows the same facts.
    """

    def link(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if "://" in target:
            return found[0]
        if not home:
            return "" if picture else words
        target = f"README.md{target}" if target.startswith("#") else target
        return f"{picture}[{words}]({home}/{'raw' if picture else 'blob'}/{tag}/{target})"

    without_badges = re.sub(r"^\[!\[.*\n", "", readme, flags=re.MULTILINE)
    return re.sub(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)", link, without_badges)
