"""Digests of kernels depend on everything that enters machine code: all values that kernels read, by any path."""

from __future__ import annotations

import contextlib
import importlib
import os
import pkgutil
import py_compile
import shutil
import subprocess
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, Python
from small_rules import RESULT, RUN, SOURCE

import rr_gym
from rr_gym.compilation import reads, sources
from rr_gym.compilation.digests import HALF, code_digest, kernel_digest, settings, text_digest
from rr_gym.compilation.kernels import COMPILED, KERNELS, FormDispatch, Kernel, kernel
from rr_gym.compilation.libraries import Contents, Fit
from rr_gym.compilation.reads import values_digest
from rr_gym.errors import MissingExtraError

pytestmark = pytest.mark.skipif(not COMPILED, reason="compilation is switched off")
_LONG = pytest.mark.long


@pytest.fixture(autouse=True)
def _kernels_of_this_test() -> Iterator[None]:
    before = dict(KERNELS)
    yield
    for name in [name for name in KERNELS if name not in before and not name.startswith("rr_gym.")]:
        del KERNELS[name]
    KERNELS.update(before)


@kernel
def other_kernel(number: int) -> int:
    return number


def changed(value: Any) -> Any:
    """Return another value of the same type."""
    if isinstance(value, np.ndarray):
        copy = value.copy()
        raw = copy.view(np.uint8).reshape(-1) if copy.flags.c_contiguous else None
        assert raw is not None
        raw[-1] ^= 1
        return copy
    if isinstance(value, np.generic):
        return value ^ value.dtype.type(1) if isinstance(value, np.integer) else value + value.dtype.type(1)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, tuple):
        return (*value[:-1], changed(value[-1]))
    if isinstance(value, np.dtype):
        return np.dtype([*((name, value[name]) for name in (value.names or ())), ("more", "i1")])
    if isinstance(value, Kernel | FormDispatch):
        return other_kernel
    if isinstance(value, type):
        return type(value.__name__, (value,), {"_fields": (*getattr(value, "_fields", ()), "more")})
    raise AssertionError(f"no other value of {type(value)}")


class _Cells(dict[str, Any]):
    """The variables of a closure by name."""

    def __init__(self, function: types.FunctionType) -> None:
        self._cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        super().__init__({"__name__": function.__qualname__})

    def __setitem__(self, name: str, value: Any) -> None:
        self._cells[name].cell_contents = value


def homes(one: Kernel, name: str) -> tuple[dict[str, Any], Any, str]:
    """Return where a value that a kernel reads is stored: a dictionary or an object with attributes, and its name."""
    first, *rest = name.split(".")
    if first in one.function.__code__.co_freevars:
        return _Cells(one.function), None, first
    if not rest:
        return one.function.__globals__, None, first
    home = one.function.__globals__[first]
    for part in rest[:-1]:
        home = getattr(home, part)
    return vars(home), home, rest[-1]


def package_kernels() -> list[Kernel]:
    for module in pkgutil.walk_packages(rr_gym.__path__, "rr_gym.", onerror=lambda name: None):
        if not module.name.endswith(("__main__", ".rllib", ".open_spiel")):
            with contextlib.suppress(MissingExtraError):
                importlib.import_module(module.name)
    return [one for name, one in KERNELS.items() if name.startswith("rr_gym.")]


def test_every_value_that_any_kernel_of_the_package_reads_counts() -> None:
    constants, through_modules = set(), 0
    for one in package_kernels():
        before = values_digest(one)
        for name, value in reads.reads(one.function).items():
            if isinstance(value, types.ModuleType):
                assert value.__name__ in ("numpy", "math")
                continue
            home, _, attribute = homes(one, name)
            try:
                home[attribute] = changed(value)
                assert values_digest(one) != before, f"{one.name}: {name}"
            finally:
                home[attribute] = value
            constants.add((home["__name__"], attribute))
            through_modules += "." in name
        assert values_digest(one) == before
    assert len(constants) > 2000
    assert through_modules > 80


def test_globals_that_code_reads_are_those_that_the_disassembler_finds() -> None:
    for one in package_kernels():
        for code in sources.codes_in(one.function.__code__):
            found: set[tuple[str, ...]] = set()
            path: list[str] = []
            for step in reads.dis.get_instructions(code):
                if path and step.opname in ("LOAD_ATTR", "LOAD_METHOD"):
                    path.append(str(step.argval))
                    continue
                if path:
                    found.add(tuple(path))
                path = [str(step.argval)] if step.opname == "LOAD_GLOBAL" else []
            assert set(reads._global_paths(code)) == found, one.name


HEAD = """
import math
import numba
import numpy as np
from enum import IntEnum
from typing import NamedTuple
from rr_gym.compilation.kernels import kernel
import constants_here as at
import constants_here
"""
CONSTANTS = """
import numpy as np
B1 = 1
TABLE = np.array([1, 2, 3])
class Kind:
    MOVE = 1
    class Inner:
        TURN = 1
"""
FORMS = {
    "a module": ("return at.B1 + k", "B1 = 1"),
    "an array of a module": ("return at.TABLE[k]", "[1, 2, 3]"),
    "a class of a module": ("return at.Kind.MOVE + k", "MOVE = 1"),
    "a class within a class": ("return constants_here.Kind.Inner.TURN + k", "TURN = 1"),
}


def load(folder: Path, name: str, text: str) -> types.ModuleType:
    """Import a module as if for the first time."""
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(text)
    sources.read_text.cache_clear()
    sources._texts_in.cache_clear()
    sources._text.cache_clear()
    sys.modules.pop(name, None)
    importlib.invalidate_caches()
    return importlib.import_module(name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


def rule(body: str) -> str:
    return f"{HEAD}\n@kernel\ndef rule(k: int) -> int:\n    {body}\n"


@pytest.mark.parametrize("form", FORMS)
def test_constants_of_other_modules_count_however_they_are_reached(form: str, folder: Path) -> None:
    body, constant = FORMS[form]
    found = []
    for other in (constant, constant.replace("1", "7"), constant):
        load(folder, "constants_here", CONSTANTS.replace(constant, other))
        found.append(kernel_digest(load(folder, "rules_here", rule(body)).rule))
    assert found[0] == found[2] != found[1]


WAYS = {
    "a tuple of numbers": ("PARTS = (1, 2)\n", "PARTS[k]", "(1, 2)", "(1, 3)"),
    "a tuple of kernels": ("PARTS = (f, g)\n", "PARTS[0](k)", "(f, g)", "(g, f)"),
    "a function compiled by Numba": ("@numba.njit\ndef h(k): return k + 1\n", "h(k)", "k + 1", "k + 2"),
    "what such a function reads": ("ONE = 1\n@numba.njit\ndef h(k): return k + ONE\n", "h(k)", "ONE = 1", "ONE = 2"),
    "how it is compiled": ("@numba.njit()\ndef h(k): return k\n", "h(k)", "njit()", "njit(fastmath=True)"),
    "functions in a tuple": ("def h(k): return k + 1\nPARTS = (h,)\n", "PARTS[0](k)", "k + 1", "k + 2"),
    "an enumeration": ("class E(IntEnum):\n    A = 1\n", "E.A + k", "A = 1", "A = 2"),
    "defaults of a named tuple": ("class T(NamedTuple):\n    a: int = 1\n", "T().a + k", "int = 1", "int = 2"),
    "the type of a number": ("ONE = np.int32(1)\n", "ONE + k", "int32", "int8"),
    "the order of an array": ("TWO = np.zeros((2, 2))\n", "TWO[k, 0]", "(2, 2))", "(2, 2), order='F')"),
    "a record": ("ONE = np.zeros(1, 'i4,i4')[0]\n", "ONE.f0", "i4,i4", "i4,u4"),
    "a record's bytes": ("ONE = np.ones(1, 'i4,i4')[0]\n", "ONE.f0", "np.ones", "np.zeros"),
}
BESIDES = "\n@kernel\ndef f(k: int) -> int:\n    return k\n@kernel\ndef g(k: int) -> int:\n    return -k\n"


@pytest.mark.parametrize("way", WAYS)
def test_whatever_a_kernel_reads_counts(way: str, folder: Path) -> None:
    head, expression, old, new = WAYS[way]
    load(folder, "constants_here", CONSTANTS)
    found = []
    for text in (head, head.replace(old, new), head):
        body = f"{HEAD}{BESIDES}{text}\n@kernel\ndef rule(k: int) -> int:\n    return {expression}\n"
        found.append(kernel_digest(load(folder, "rules_here", body).rule))
    assert found[0] == found[2] != found[1]


def with_defaults(number: int) -> Any:
    def rule(k: int, more: int = number) -> int:
        return k + more

    return kernel(rule)


def with_closure(number: Any) -> Any:
    def rule(k: int) -> int:
        def inner(j: int) -> int:
            return j + number

        return inner(k)

    return kernel(rule)


def with_module(module: Any) -> Any:
    def rule(k: int) -> int:
        return k + int(module.B1)

    return kernel(rule)


@pytest.mark.parametrize("make", [with_defaults, with_closure, with_module])
def test_defaults_and_closures_count(make: Callable[[Any], Any]) -> None:
    values: list[Any] = [1, 2, 1]
    if make is with_module:
        values = [types.ModuleType("constants_here") for _ in values]
        for value, number in zip(values, (1, 2, 1), strict=True):
            value.B1 = number
    one, two, same = (kernel_digest(make(value)) for value in values)
    assert one == same != two


def test_functions_without_a_file_count_by_their_code() -> None:
    found = []
    for number in (1, 2, 1):
        names: dict[str, Any] = {"__name__": "made_up"}
        text = f"def rule(k):\n    def inner(j):\n        return j + {number}\n    return inner(k)\n"
        exec(compile(text, "<made up>", "exec"), names)
        found.append(kernel_digest(kernel(names["rule"])))
    assert found[0] == found[2] != found[1]


def test_functions_that_are_made_of_lines_count_by_their_text() -> None:
    texts = [f"def rule(k) -> int:\n    return k + {number}" for number in (1, 2, 1)]
    rules = [sources.define(text, {"__name__": "made_up"}) for text in texts]
    assert [rule(1) for rule in rules] == [2, 3, 2]
    one, two, same = (sources.text_of(rule) for rule in rules)
    assert one == same != two
    assert sys.implementation.cache_tag not in one, "it is the same for every version of Python"
    assert not sources.is_written(rules[0]), "its module's file does not say all of it"


@pytest.mark.parametrize("body", ["m = at\n    return m.B1 + k", "return len(dir(at))"])
def test_a_module_as_a_value_is_refused(body: str, folder: Path) -> None:
    load(folder, "constants_here", CONSTANTS)
    with pytest.raises(TypeError, match=r"rules_here\.rule: module at is used as a value"):
        kernel_digest(load(folder, "rules_here", rule(body)).rule)


def test_an_object_of_an_unknown_class_is_refused(folder: Path) -> None:
    load(folder, "constants_here", CONSTANTS + "THING = Kind()\n")
    with pytest.raises(TypeError, match=r"rules_here\.rule: at\.THING is an object of constants_here\.Kind"):
        kernel_digest(load(folder, "rules_here", rule("return at.THING.MOVE")).rule)


def test_text_counts_as_it_was_imported(folder: Path) -> None:
    load(folder, "constants_here", CONSTANTS)
    old, new = rule("return k + 1"), rule("return k + 2")
    one = load(folder, "rules_here", old).rule
    before = text_digest(one)
    two = load(folder, "rules_here", new).rule
    assert text_digest(two) != before
    later = load(folder, "rules_here", old).rule
    (folder / "rules_here.py").write_text(new)  # an editor saves, after the import
    sources._texts_in.cache_clear()
    sources.read_text.cache_clear()
    sources._text.cache_clear()
    assert text_digest(later) not in (before, text_digest(two))
    (folder / "rules_here.py").write_text("# a line more\n" + old.replace("    return", "    # why\n    return"))
    sources._texts_in.cache_clear()
    sources.read_text.cache_clear()
    sources._text.cache_clear()
    assert text_digest(later) == before


def test_a_library_does_not_fit_kernels_with_a_changed_global(monkeypatch: pytest.MonkeyPatch) -> None:
    from rr_gym.rules.arena import game_checks

    entered = game_checks.first_unfit
    assert isinstance(entered, Kernel)
    contents = Contents("all", "any", settings(), kernels={entered.name: kernel_digest(entered)})
    fit = Fit(contents, lambda one, text: text_digest(one) == text)
    assert not fit.misfit([entered])
    name = next(name for name, value in reads.reads(entered.function).items() if isinstance(value, int))
    home, _, attribute = homes(entered, name)
    monkeypatch.setitem(home, attribute, home[attribute] + 1)
    assert fit.misfit([entered]) == entered.name
    monkeypatch.undo()
    assert not fit.misfit([entered])


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(small_rules_cache: Path, tmp_path: Path, python: Python) -> Run:
    """Return a function that runs code where the rules are compiled already."""
    (tmp_path / "small_rules_here.py").write_text(SOURCE)
    shutil.copytree(small_rules_cache, tmp_path / "cache")
    variables = {
        "NUMBA_DISABLE_JIT": None, "NUMBA_BOUNDSCHECK": None, "RR_GYM_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
        # Python itself takes the old .pyc of a file that was edited within its second and keeps its size.
        "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    return lambda code, **more: python("-c", code, **{**variables, **more})


EDITED = "-7 -66\n"
EDIT = """
import small_rules_here
from pathlib import Path
file = Path(small_rules_here.__file__)
file.write_text(file.read_text().replace("[k] + SCALE", "[k] - SCALE"))
"""


def test_a_file_that_is_edited_while_a_process_runs(run: Run) -> None:
    """The process continues with the imported code, which no process mistakes for the new text."""
    assert run(EDIT + RUN).stdout == RESULT
    assert run(RUN).stdout == EDITED
    assert run(RUN).stdout == EDITED


def test_code_that_python_took_from_an_old_pyc(run: Run, tmp_path: Path) -> None:
    """Python does not notice an edit in the same second that keeps the size, and neither does the cache."""
    file = tmp_path / "small_rules_here.py"
    stamp = 1_700_000_000
    os.utime(file, (stamp, stamp))
    assert run(RUN, PYTHONDONTWRITEBYTECODE=None).stdout == RESULT
    assert list((tmp_path / "__pycache__").glob("small_rules_here*.pyc"))
    file.write_text(SOURCE.replace("[k] + SCALE", "[k] - SCALE"))
    os.utime(file, (stamp, stamp))
    assert run(RUN).stdout == RESULT
    for pyc in (tmp_path / "__pycache__").iterdir():
        pyc.unlink()
    assert run(RUN).stdout == EDITED


def test_a_global_that_is_changed_at_run_time_stays_in_its_process(run: Run) -> None:
    assert run("import small_rules_here\nsmall_rules_here.SCALE = 100\n" + RUN).stdout == "103 704\n"
    assert run(RUN).stdout == RESULT
    assert run("import small_rules_here\nsmall_rules_here.WORTH[0] = 6\n" + RUN).stdout == "14 75\n"


BETWEEN = """
import small_rules_here
from small_rules_here import twice, look_from_afar
from rr_gym.compilation import entering
print(twice(4))
small_rules_here.WORTH[0] = 6
"""


@_LONG
def test_a_global_that_is_changed_between_two_calls_is_seen_by_the_second(run: Run) -> None:
    assert run(RUN).stdout == RESULT
    assert run(BETWEEN + RUN).stdout == "8\n14 75\n"
    assert run(RUN).stdout == RESULT


def test_a_kernel_that_changes_while_it_is_compiled_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another thread changes a constant meanwhile, so that the lowered code fits neither value."""
    from rr_gym.compilation import units

    keys = iter(["one", "other"])
    monkeypatch.setattr(units, "key_of", lambda unit: next(keys, "other"))
    monkeypatch.setattr(units, "lower", lambda unit: None)
    assert units._lower((None, "one")) is None  # type: ignore[arg-type]


def test_digests_have_two_halves() -> None:
    found = kernel_digest(other_kernel)  # type: ignore[arg-type]
    assert len(found) == 2 * HALF
    assert found.startswith(text_digest(other_kernel))  # type: ignore[arg-type]
    assert len(code_digest(other_kernel)) == HALF  # type: ignore[arg-type]


def test_an_old_pyc_matters_only_where_python_loads_it(tmp_path: Path) -> None:
    """If Python writes no `.pyc`, that of an earlier text stays beside the file."""
    file = tmp_path / "edited.py"
    file.write_text("A = 1\n")
    compiled = Path(py_compile.compile(str(file)) or "")
    file.write_text("A = 2\n")
    for seconds, taken in ((0, True), (5, False)):
        stamp = compiled.stat().st_mtime_ns + 10**9 * seconds + 1
        os.utime(file, ns=(stamp, stamp))
        data = bytearray(compiled.read_bytes())
        if not seconds:
            data[8:12] = (stamp // 10**9 & 0xFFFFFFFF).to_bytes(4, "little")
        older = compiled.stat().st_mtime_ns
        compiled.write_bytes(data)
        os.utime(compiled, ns=(older, older))
        assert sources._is_compiled_before(str(file), file.stat()) == taken
        code = "import edited; print(edited.A)"
        done = subprocess.run(
            [sys.executable, "-B", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert done.stdout == ("1\n" if taken else "2\n")
