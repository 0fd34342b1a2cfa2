"""Which entries are compiled together: those that the project itself uses, by what they are for.

A project lists them in a file (`Settings.entries`): `{form: {group: [entry, ...]}}`, an entry being a kernel with the
types of its arguments, `toys.look(Table, int64)`. What stands there is compiled with its group, and is in the library
of an installation. Any other entry, such as a kernel of a user's own, is compiled by itself. The group `TESTS` has what
tests enter: it is compiled with everything else (`rr_gym.compilation.cache.compile_all`), so that tests need not
compile one after the other, but it is no part of an installation.

Groups are for the first start: the first turn of RoboRally on a base course takes 23 s of processor time from an empty
cache, 93 s if there is one group alone, and 31 s if each entry is compiled by itself.
"""

from __future__ import annotations

import json
from functools import cache

from rr_gym.compilation.settings import current

TESTS = "tests"


@cache
def entries() -> dict[str, dict[str, list[str]]]:
    """Names of entries by form and group."""
    file = current().entries
    return dict(json.loads(file.read_text(encoding="utf-8"))) if file is not None and file.is_file() else {}


@cache
def group_of(form: str, entry: str) -> str | None:
    """The group that an entry is compiled with; None for one that is in none, or that only tests enter."""
    groups = entries().get(form, {})
    return next((group for group, names in groups.items() if entry in names and group != TESTS), None)
