"""Accelerators: which kernel a call gets in which form, and which libraries are used when the choice changes."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Python

from rr_gym.compilation.accelerators import accelerates, using
from rr_gym.compilation.kernels import COMPILED, kernel

pytestmark = pytest.mark.skipif(not COMPILED, reason="compilation is switched off")
_LONG = pytest.mark.long

RULES = """
from __future__ import annotations
import numpy as np
from rr_gym.compilation.kernels import kernel, with_form
from rr_gym.compilation.settings import Form, CompilerSettings, configure
from rr_gym.compilation.records import Array, Record, i4, shape, stand_for

FORMS = (Form("base"), Form("options", "ground"), Form("full", "elements"))
configure(CompilerSettings("toys", forms=FORMS, tables_have="squares", accelerators="toys_fast"))

class ShortTable(Record):
    squares: Array[i4] = shape(2)

class LongTable(Record):
    squares: Array[i4] = shape(4)
    ground: Array[i4] = shape(4)

stand_for(LongTable, ShortTable)

@kernel
def worth(table: ShortTable, k: int) -> int:
    return table.squares[k]

@with_form("options", 0)
def more(table: LongTable, k: int) -> int:
    return table.ground[k]

@kernel
def look(table: ShortTable, k: int) -> int:
    return 1000 * worth(table, k) + more(table, k)

def tables():
    short, long = np.zeros(1, ShortTable.dtype), np.zeros(1, LongTable.dtype)
    short["squares"] = long["squares"] = 3
    long["ground"] = 5
    return short[0], long[0]
"""
# These accelerators change results, so that tests see which of them were called.
FAST = {
    "first": """
@accelerates(worth)
def tenfold(table: ShortTable, k: int) -> int:
    return 10 * worth(table, k)

@accelerates(more)
def forty_more(table: ShortTable, k: int) -> int:
    return 40 + more(table, k)
""",
    "second": """
@kernel
def helper(table: ShortTable, k: int) -> int:
    return worth(table, k)

@accelerates(worth, forms=("full", "options"))
def one_more(table: ShortTable, k: int) -> int:
    return helper(table, k) + 1
""",
    "third": """
@accelerates(look, forms=("base",))
def looked(table: ShortTable, k: int) -> int:
    return -look(table, k)
""",
}
HEAD = """
from __future__ import annotations
from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.accelerators import accelerates
from toys import ShortTable, look, more, worth
"""
PLAY = "from toys import *\nshort, long = tables()\nprint(look(short, 1), look(long, 1))\n"
Play = Callable[..., "subprocess.CompletedProcess[str]"]


def player_of(toys: Path, python: Python) -> Play:
    """Return a function that runs code in a process that can import the toys of a folder, whose cache is there too."""
    path = os.pathsep.join([str(toys), str(ROOT)])

    def run(code: str = PLAY, check: bool = True, **variables: str | None) -> subprocess.CompletedProcess[str]:
        given = {"NUMBA_DISABLE_JIT": None, "TOYS_REFERENCE": None, "TOYS_ACCELERATORS": None, **variables}
        return python("-c", code, check=check, TOYS_CACHE_DIR=str(toys / "cache"), PYTHONPATH=path, **given)

    return run


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory, python: Python) -> Path:
    """Return a folder with the toys, their accelerators, and a cache with the machine code of all of them."""
    toys = tmp_path_factory.mktemp("toys")
    (toys / "toys.py").write_text(RULES)
    folder = toys / "toys_fast"
    folder.mkdir()
    (folder / "__init__.py").write_text("import toys_fast.first, toys_fast.second, toys_fast.third\n")
    for name, text in FAST.items():
        (folder / f"{name}.py").write_text(HEAD + text)
    assert player_of(toys, python)().stdout == "-30000 31045\n"
    return toys


@pytest.fixture
def play(compiled: Path, tmp_path: Path, python: Python) -> Play:
    """Return a function that runs code with a copy of the toys and of their cache."""
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    return player_of(tmp_path, python)


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "-30000 31045"),  # in the long form `one_more` stands in for `tenfold`, which it calls
        ({"TOYS_REFERENCE": "1"}, "3000 3005"),
        pytest.param({"TOYS_ACCELERATORS": "none"}, "3000 3005", marks=_LONG),
        pytest.param({"TOYS_ACCELERATORS": "first"}, "30000 30045", marks=_LONG),
        pytest.param({"TOYS_ACCELERATORS": "second"}, "3000 4005", marks=_LONG),
        ({"TOYS_ACCELERATORS": "second, third"}, "-3000 4005"),
        ({"TOYS_ACCELERATORS": "-first,-third"}, "3000 4005"),
        ({"NUMBA_DISABLE_JIT": "1"}, "3000 3005"),
    ],
    ids=str,
)
def test_what_a_call_means(play: Play, variables: dict[str, str], expected: str) -> None:
    assert play(**variables).stdout == f"{expected}\n"


def test_each_choice_has_libraries_of_its_own(play: Play, tmp_path: Path) -> None:
    assert [play(TOYS_REFERENCE=value).stdout for value in ("1", None, "1")] == [
        "3000 3005\n", "-30000 31045\n", "3000 3005\n",
    ]  # fmt: skip
    kept = sorted(file.name for file in (tmp_path / "cache").glob("*.lib"))
    assert len(kept) == 4  # two forms of two choices
    again = play(f"{PLAY}import sys\nassert 'numba' not in sys.modules\n")
    assert again.stdout == "-30000 31045\n"
    assert sorted(file.name for file in (tmp_path / "cache").glob("*.lib")) == kept


def test_an_accelerator_that_comes_changes_or_goes_is_seen(play: Play, tmp_path: Path) -> None:
    file = tmp_path / "toys_fast" / "second.py"
    assert play().stdout == "-30000 31045\n"
    text = file.read_text()
    # The length changes too: Python recognizes an edited file by the second of the edit and by its length.
    file.write_text(text.replace("+ 1", "+ 12"))
    assert play().stdout == "-30000 42045\n"
    file.write_text(HEAD)
    assert play().stdout == "-30000 30045\n"
    file.write_text(text)
    assert play().stdout == "-30000 31045\n"


def test_a_process_may_change_its_choice(play: Play) -> None:
    code = (
        "from toys import *\nfrom rr_gym.compilation.accelerators import known, using\nshort, long = tables()\n"
        "print(known(), look(long, 1))\n"
        "with using('none'):\n    print(look(long, 1))\n    with using('first'):\n        print(look(long, 1))\n"
        "    print(look(long, 1))\n"
        "print(look(long, 1))\n"
    )
    assert play(code).stdout.splitlines() == [
        "['first', 'second', 'third'] 31045", "3005", "30045", "3005", "31045",
    ]  # fmt: skip


def test_functions_of_a_user_take_the_reference(play: Play) -> None:
    mine = "import numba\nmine = numba.njit(lambda table, k: look(table, k))\nprint(mine(short, 1), mine(long, 1))\n"
    assert play(PLAY + mine).stdout == "-30000 31045\n3000 3005\n"


def test_names_that_nobody_knows_are_refused(play: Play) -> None:
    failed = play(check=False, TOYS_ACCELERATORS="first,fourth")
    assert failed.returncode == 1
    assert "TOYS_ACCELERATORS: fourth: expected some of first, second, third" in failed.stderr
    with pytest.raises(ValueError, match="nobody: expected some of"), using("nobody"):
        pass


def test_an_accelerator_has_the_parameters_and_the_result_of_its_rule() -> None:
    @kernel
    def rule(left: int, right: int) -> int:
        return left + right

    with pytest.raises(TypeError, match=r"expected \(left, right\) -> int"):

        @accelerates(rule)
        def swapped(right: int, left: int) -> int:
            return left + right

    with pytest.raises(TypeError, match=r"expected \(left, right\) -> int"):

        @accelerates(rule)
        def another(left: int, right: int) -> float:
            return left + right
