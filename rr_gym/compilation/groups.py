"""Find the group that an entry is compiled with.

An entry is a kernel that is called from Python, with the types of its arguments, such as `toys.look(Table, int64)`. A
project lists its own entries by purpose in a file (`CompilerSettings.entries`): `{form: {group: [entry, ...]}}`. The
entries of a group are compiled together, and are in the library of an installation. Any other entry, such as a user's
own kernel, is compiled by itself. The group `TESTS` lists the entries that only tests use. It is compiled with
everything else (`rr_gym.compilation.cache.compile_all`), so that tests need not compile entries one by one, but it is
not part of an installation.

Groups shorten the first start: with an empty cache, the first turn of RoboRally on a base course takes 23 s of
processor time. It would take 93 s if there were only one group, and 31 s if each entry were compiled by itself.
"""

from __future__ import annotations

import json
from functools import cache

from rr_gym.compilation.settings import current

TESTS = "tests"


@cache
def entries() -> dict[str, dict[str, list[str]]]:
    """Return the names of the listed entries by form and group."""
    file = current().entries
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file is not None and file.is_file() else {}


@cache
def group_of(form: str, entry: str) -> str | None:
    """Return the group that an entry is compiled with, or None if it is in no group or in the group of tests."""
    groups = entries().get(form, {})
    return next((group for group, names in groups.items() if entry in names and group != TESTS), None)
