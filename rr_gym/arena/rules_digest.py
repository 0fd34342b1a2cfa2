"""The version of the rules, so that games are played again by the rules that they were played by."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

import msgspec

from rr_gym.compilation.sources import module_text
from rr_gym.rules.state.records import STATE_VERSION
from rr_gym.version import __version__

_PARTS = ("rules", "option_facts", "courses", "generate")  # of the package: what a game depends on, besides orders


class RulesVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules of a season.

    Attributes:
        package: The version of the package.
        state: The version of the records of games.
        digest: The SHA-256 of rules, courses and the generator, see `rules_digest`.
    """

    package: str
    state: int
    digest: str

    def __str__(self) -> str:
        return f"rr_gym {self.package} (rules {self.digest[:12]})"


def rules_digest(home: Path) -> str:
    """Return the SHA-256 of everything that games depend on besides orders, in the folder of a package.

    Modules count without docstrings, comments and formatting, so that these can be improved during a season. Courses
    and boards count as they are.
    """
    files = sorted(
        path for part in _PARTS for path in (home / part).rglob("*") if path.suffix in (".py", ".yaml", ".rrb")
    )
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes().replace(b"\r\n", b"\n")
        if path.suffix == ".py":
            content = module_text(content).encode()
        digest.update(f"{path.relative_to(home).as_posix()}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()


@cache
def rules_version() -> RulesVersion:
    """Return the version of the rules of this package."""
    return RulesVersion(__version__, STATE_VERSION, rules_digest(Path(__file__).parents[1]))
