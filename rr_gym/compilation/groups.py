"""Group the entries that are compiled together: those that the project itself uses, by their purpose.

A project lists them in a file (`CompilerSettings.entries`): `{form: {group: [entry, ...]}}`, where an entry is a kernel
that Python calls, with the types of its arguments, such as `toys.look(Table, int64)`. A listed entry is compiled with
its group, and is in the library of an installation. Any other entry, such as a user's own kernel, is compiled by
itself. The group `TESTS` lists the entries that only tests call: it is compiled with everything else
(`rr_gym.compilation.cache.compile_all`), so that tests need not compile entries one by one, but it is not part of an
installation.

Groups speed up the first start: the first turn of RoboRally on a base course takes 23 s of processor time from an empty
cache, 93 s if there is only one group, and 31 s if each entry is compiled by itself.
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
    """Return the group that an entry is compiled with, or None if it is in no group or in that of tests."""
    groups = entries().get(form, {})
    return next((group for group, names in groups.items() if entry in names and group != TESTS), None)
