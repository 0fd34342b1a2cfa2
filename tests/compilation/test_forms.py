"""Rules are lowered once for tables of all forms; linking decides which of two rules a call gets."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from rr_gym.compilation.kernels import COMPILED
from rr_gym.compilation.records import RECORDS, STANDS_FOR, Array, Record, i4, i8, shape, stand_for

RULES = """
from __future__ import annotations
from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.compilation.records import Array, Record, i4, shape, stand_for

class ShortTable(Record):
    squares: Array[i4] = shape(2)

class LongTable(Record):
    squares: Array[i4] = shape(4)
    ground: Array[i4] = shape(4)

stand_for(LongTable, ShortTable)

@kernel
def base_worth(table: ShortTable, k: int) -> int:
    return k

@with_expansions(base_worth)
def worth(table: LongTable, k: int) -> int:
    return table.ground[k]

@with_expansions(True)
def plain(table: LongTable, k: int) -> bool:
    return table.ground[k] == 0

@with_expansions(7)
def seven(table: LongTable) -> int:
    return table.ground[0]

@with_expansions(None)
def mark(table: LongTable) -> None:
    table.ground[1] += 1

@kernel
def look(table: ShortTable, k: int) -> int:
    mark(table)
    return 100 * table.squares[k] + 10 * worth(table, k) + seven(table) + (1000 if plain(table, k) else 0)

@kernel
def look_at_first(tables: Array[ShortTable], k: int) -> int:
    return look(tables[0], k)
"""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "rules_of_forms.py").write_text(RULES)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("RR_GYM_CACHE_DIR", str(tmp_path / "cache"))
    import rules_of_forms  # type: ignore[import-not-found]

    yield rules_of_forms
    del sys.modules["rules_of_forms"]
    for name in ("ShortTable", "LongTable"):
        RECORDS.pop(name)
        STANDS_FOR.pop(name, None)


def test_each_form_has_its_rules(rules: ModuleType) -> None:
    short, long = np.zeros(1, rules.ShortTable.dtype), np.zeros(1, rules.LongTable.dtype)
    short["squares"], long["squares"], long["ground"] = 3, 4, [5, 6, 7, 8]
    for look, of in ((rules.look, lambda tables: tables[0]), (rules.look_at_first, lambda tables: tables)):
        assert look(of(short), 1) == 300 + 10 + 7 + 1000
        assert look(of(long), 3) == 400 + 80 + 5
    assert long["ground"].tolist() == [[5, 8, 7, 8]], "marked twice"


@pytest.mark.skipif(not COMPILED, reason="interpreted kernels are not lowered")
def test_what_forms_share_is_lowered_once(rules: ModuleType) -> None:
    from rr_gym.compilation.building import Build, Units

    units = Units()
    base = Build("base", ["rules_of_forms.look(ShortTable, int64)"], units, lambda *_: None)
    assert units.new == 2, "look and base_worth"
    options = Build("options", ["rules_of_forms.look(LongTable, int64)"], units, lambda *_: None)
    assert units.new == 2 + 4, "what only option cards have"
    assert base.link("", "")[1] != options.link("", "")[1]


class _Elsewhere(Executor):
    """An executor that passes arguments and results through pickle, as to another process."""

    def map(self, call: Any, *items: Any, **_: Any) -> Any:
        return [copied(call(*map(copied, given))) for given in zip(*items, strict=True)]


def copied(value: Any) -> Any:
    """Return a value pickled and unpickled."""
    return pickle.loads(pickle.dumps(value))


@pytest.mark.skipif(not COMPILED, reason="interpreted kernels are not lowered")
def test_other_processes_lower_units_for_this_one(rules: ModuleType) -> None:
    from rr_gym.compilation.building import Build, Units

    names = ["rules_of_forms.look(LongTable, int64)"]
    here, there = Units(), Units()
    expected = Build("options", names, here, lambda *_: None).link("", "")[0]
    assert Build("options", names, there, lambda *_: None, _Elsewhere()).link("", "")[0] == expected
    assert there.new == here.new == 5
    calls = [{key: [call.symbol for call in unit.calls] for key, unit in units.used.items()} for units in (here, there)]
    assert calls[0] == calls[1]


class Here(Record):
    """A record with another field behind its squares."""

    squares: Array[i4] = shape(4)
    more: i4


class Wider(Record):
    """The same field with items of another type."""

    squares: Array[i8] = shape(4)


class Behind(Record):
    """The same field at another offset."""

    before: i4
    squares: Array[i4] = shape(4)


@pytest.mark.parametrize("other", [Wider, Behind])
def test_only_records_with_the_same_places_stand_for_each_other(other: type[Record]) -> None:
    with pytest.raises(TypeError, match=rf"{other.__name__}\.squares: expected it as Here has it"):
        stand_for(Here, other)
    assert other.__name__ not in STANDS_FOR
