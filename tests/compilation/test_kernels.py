"""Kernels called from Python, from each other, and from a user's own compiled functions."""

from __future__ import annotations

import sys
from types import ModuleType

import numpy as np
import pytest
from combinations import quick
from small_rules import SOURCE

from rr_gym.compilation import arguments, entering, plain
from rr_gym.compilation.kernels import COMPILED, Kernel


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """Import the small rules."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "small_rules_imported.py").write_text(SOURCE)
    sys.path.insert(0, str(folder))
    try:
        import small_rules_imported  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(folder))
    return small_rules_imported  # type: ignore[no-any-return]


NUMBERS = np.arange(12, dtype=np.int64).reshape(3, 4)
FEW = NUMBERS[:, ::2]


LAYOUTS = {"few": FEW, "all": NUMBERS, "turned": NUMBERS.T, "none": NUMBERS[:0], "small": NUMBERS.astype(np.int8)}


@pytest.mark.parametrize("layout", quick(LAYOUTS, "few"))
def test_kernels_take_arrays_of_all_layouts(layout: str, rules: ModuleType) -> None:
    numbers = LAYOUTS[layout]
    assert rules.total(numbers, 0.5, False) == numbers.sum() / 2
    assert rules.total(numbers, 0.5, np.True_) == -numbers.sum() / 2


def test_kernels_take_numbers_words_and_pairs(rules: ModuleType) -> None:
    assert rules.twice(-3) == -6
    assert int(rules.word(np.uint64(2**63 + 1))) == (2**63 + 1) * 0x9E3779B97F4A7C15 % 2**64
    assert rules.both((3, -4)) == (-4, 3)


def test_a_kernel_can_call_itself(rules: ModuleType) -> None:
    assert [rules.halvings(k) for k in (1, 2, 9)] == [0, 1, 3]


@pytest.mark.long
def test_kernels_take_other_numbers_and_arrays(rules: ModuleType) -> None:
    assert rules.twice(np.int16(7)) == 14
    assert rules.middle(np.array([1, 5, 2], np.int8)) == 5
    assert rules.corner(np.arange(12), 3) == 9
    assert rules.corner(np.arange(24).reshape(2, 3, 4)[1], 2) == 19
    read_only = np.array([1, 5, 2])
    read_only.flags.writeable = False
    assert rules.middle(read_only) == 5


def test_an_error_of_compiled_code_is_that_of_python(rules: ModuleType) -> None:
    assert rules.share(7, 2) == 3
    with pytest.raises(ZeroDivisionError):
        rules.share(7, 0)


def test_kernels_refuse_other_types(rules: ModuleType) -> None:
    if COMPILED:
        with pytest.raises(TypeError, match="a kernel takes arrays, records, numbers and tuples of them, not str"):
            rules.twice("2")


@pytest.mark.skipif(not COMPILED, reason="only for compiled kernels")
def test_arrays_are_read_through_copies_where_numpy_lays_out_objects_differently(
    rules: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert arguments._address is arguments._address_of_object, "this NumPy is read by the address of objects"
    monkeypatch.setattr(arguments, "_address", arguments._address_of_copy)
    assert rules.total(FEW, 1.0, False) == FEW.sum()
    table = np.zeros(2, rules.SmallTable.dtype)
    table["squares"][1] = [1, 2, 3, 4]
    assert rules.look(table[1], 2) == 13


@pytest.mark.skipif(not COMPILED, reason="only for compiled kernels")
def test_functions_of_a_user_call_kernels(rules: ModuleType) -> None:
    numba = pytest.importorskip("numba")
    plain.register()  # as the package's entry point does
    look, twice, halvings = rules.look, rules.twice, rules.halvings

    @numba.njit
    def mine(table, k):  # type: ignore[no-untyped-def]
        return look(table, k) + twice(k) + halvings(k)

    base, wide = np.zeros(1, rules.SmallTable.dtype), np.zeros(1, rules.WideTable.dtype)
    base["squares"], wide["squares"], wide["ground"] = 3, 4, 7
    assert mine(base[0], 2) == 3 + 10 + 4 + 1
    assert mine(wide[0], 2) == 4 + 70 + 4 + 1


@pytest.mark.skipif(not COMPILED, reason="only for compiled kernels")
def test_other_versions_of_numba_compile_the_slow_way(
    rules: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from rr_gym.compilation import numba_internals
    from rr_gym.compilation.files import notice

    monkeypatch.setitem(numba_internals.TESTED, "numba", ("0.1.",))
    monkeypatch.setattr(entering, "_libraries", [])
    notice.cache_clear()
    wide = np.zeros(1, rules.WideTable.dtype)
    wide["squares"], wide["ground"] = 4, 7
    kernel: Kernel = rules.look_from_afar
    kernel.entries.clear()
    monkeypatch.setenv("RR_GYM_CACHE_DIR", "/nowhere/at/all")
    assert kernel(wide, 2) == 74
    kernel.entries.clear()
    assert "the slow way" in capsys.readouterr().err
