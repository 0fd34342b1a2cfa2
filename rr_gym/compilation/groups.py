"""Which entries are compiled together: those that the package itself uses, by what they are for.

`entries.json` is written by `python tools/record_entries.py`, which plays everything interpreted and notes what Python
enters. An entry that stands there is compiled with its group; any other, such as a kernel of a user's own, by itself.
The group `TESTS` has parts of the rules that tests enter: they are compiled with everything else by `rr-gym warmup`, so
that tests need not compile one after the other, but they are no part of a wheel.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

TESTS = "tests"
FILE = Path(__file__).with_name("entries.json")


@cache
def entries() -> dict[str, dict[str, list[str]]]:
    """Names of entries by form and group."""
    return dict(json.loads(FILE.read_text(encoding="utf-8"))) if FILE.is_file() else {}


@cache
def group_of(form: str, entry: str) -> str | None:
    """The group that an entry is compiled with; None for one that is in none, or that only tests enter."""
    groups = entries().get(form, {})
    return next((group for group, names in groups.items() if entry in names and group != TESTS), None)
