"""Libraries in the cache: which changes require a new one, which do not, and how damaged ones are replaced."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Python
from small_rules import RESULT, RUN, SOURCE

from rr_gym.compilation import cache
from rr_gym.compilation.kernels import COMPILED
from rr_gym.compilation.settings import CHECKS_BOUNDS
from rr_gym.forms import SETTINGS

_LONG = pytest.mark.long
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    """Return a module with small rules."""
    file = tmp_path / "small_rules_here.py"
    file.write_text(SOURCE)
    return file


@pytest.fixture
def run(rules: Path, python: Python) -> Run:
    """Run some lines where these rules can be imported, with a cache of their own."""

    def run(code: str = RUN, check: bool = True, **variables: str | None) -> subprocess.CompletedProcess[str]:
        return python("-c", code, check=check, **{**settings(rules), **variables})

    return run


@pytest.fixture
def filled(rules: Path, small_rules_cache: Path) -> dict[str, float]:
    """Fill the cache with the compiled rules, and return its files with their times."""
    shutil.copytree(small_rules_cache, rules.parent / "cache")
    return kept(rules)


def settings(rules: Path) -> dict[str, str | None]:
    root = Path(__file__).parents[2]
    return {
        "NUMBA_DISABLE_JIT": None,
        "NUMBA_BOUNDSCHECK": None,
        "PYTHONPATH": os.pathsep.join([str(rules.parent), str(root)]),
        "RR_GYM_CACHE_DIR": str(rules.parent / "cache"),
    }


def kept(rules: Path, kind: str = "lib") -> dict[str, float]:
    """Return the files of the cache."""
    return {file.name: file.stat().st_ino for file in (rules.parent / "cache").glob(f"*.{kind}")}


WITHOUT_NUMBA = "import sys; sys.modules['numba'] = None\n"


def test_what_is_compiled_is_found_by_later_processes_without_numba(
    rules: Path, run: Run, filled: dict[str, float]
) -> None:
    assert len(filled) == 2, "one for each form"
    assert run(WITHOUT_NUMBA + RUN).stdout == RESULT
    assert kept(rules) == filled


@pytest.mark.parametrize(
    ("old", "new", "result"),
    [
        pytest.param("2 * k", "k + k", RESULT, marks=_LONG),
        pytest.param("2 * k", "2 * k + 2", None, marks=_LONG),
        ("SCALE = 10", "SCALE = 100", "103 704\n"),
        pytest.param("[5, 7, 9]", "[6, 7, 9]", "14 75\n", marks=_LONG),
        pytest.param("@with_expansions(1)", "@with_expansions(2)", "23 74\n", marks=_LONG),
        pytest.param("    squares: Array[i4]", "    more: i4\n    squares: Array[i4]", RESULT, marks=_LONG),
        pytest.param("@kernel\ndef twice", "@cold\n@kernel\ndef twice", RESULT, marks=_LONG),
    ],
)
def test_a_change_of_its_inputs_recompiles_machine_code(
    old: str, new: str, result: str | None, rules: Path, run: Run, filled: dict[str, float]
) -> None:
    rules.write_text(SOURCE.replace(old, new))
    assert old in SOURCE
    assert run().stdout == (result or RESULT)
    assert kept(rules) != filled


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Return twice a number."""', '"""Two times as much."""  # and a comment'),
        pytest.param('"""Kernels that compute small things."""', '"""Kernels."""', marks=_LONG),
        pytest.param("\n\n@kernel\ndef twice", "\n\n\n\n\n@kernel\ndef twice", marks=_LONG),
        ("return number // parts", "return number * parts"),
    ],
)
def test_words_and_other_rules_leave_it_as_it_is(
    old: str, new: str, rules: Path, run: Run, filled: dict[str, float]
) -> None:
    assert old in SOURCE
    rules.write_text(SOURCE.replace(old, new))
    assert run(WITHOUT_NUMBA + RUN).stdout == RESULT
    assert kept(rules) == filled


def test_another_folder_with_the_same_rules_compiles_nothing(
    rules: Path, run: Run, tmp_path: Path, filled: dict[str, float]
) -> None:
    other = tmp_path / "other" / rules.name
    other.parent.mkdir()
    rules.rename(other)
    path = os.pathsep.join([str(other.parent), str(Path(__file__).parents[2])])
    assert run(WITHOUT_NUMBA + RUN, PYTHONPATH=path).stdout == RESULT
    assert kept(rules) == filled


TOO_FAR = """
import numpy as np
from small_rules_here import SmallTable, look
table = np.zeros(1, SmallTable.dtype)[0]
for k in (3, 4, 3):
    try:
        print(look(table, k) if k == 3 else look(table, k) and "unchecked")
    except IndexError as error:
        print(f"caught: {error}")
"""


FROM_THE_END = """
import numpy as np
from rr_gym.compilation.kernels import kernel

def find(numbers, place: int) -> int:
    return numbers[place]

print(kernel(find)(np.arange(9)[3:], -1))
find.__module__ = "rr_gym.rules.made_up"
try:
    print(kernel(find)(np.arange(9)[3:], -1))
except IndexError as error:
    print(f"caught: {error}")
"""


def test_a_bounds_checked_run_has_code_of_its_own(run: Run) -> None:
    """An index out of bounds is an error of its call alone; kernels of the package do not support negative indices."""
    unchecked, checked = "10\nunchecked\n10\n", "10\ncaught: index is out of bounds in small_rules_here.look\n10\n"
    assert run(TOO_FAR + FROM_THE_END).stdout == unchecked + "8\n2\n"  # reads the memory before the array
    caught = "8\ncaught: index is out of bounds in rr_gym.rules.made_up.find\n"
    assert run(TOO_FAR + FROM_THE_END, NUMBA_BOUNDSCHECK="1").stdout == checked + caught
    assert run(WITHOUT_NUMBA + TOO_FAR).stdout == unchecked


# A listed entry, whose lowered units are kept too; the memory beyond the array exists.
TOO_FAR_LISTED = """
import numpy as np
from rr_gym.rules.state.chance import shuffle
try:
    shuffle(np.arange(9)[:2], 9, np.uint64(5))
    print("unchecked")
except IndexError as error:
    print(f"caught: {error}")
"""


@_LONG
def test_lowered_units_are_the_same_whether_indices_are_checked(rules: Path, run: Run) -> None:
    said = {"1": "caught: index is out of bounds in rr_gym.rules.state.chance.shuffle\n", "0": "unchecked\n"}
    for checked in ("0", "1", "0"):
        assert run(TOO_FAR_LISTED, NUMBA_BOUNDSCHECK=checked).stdout == said[checked]
        for file in kept(rules):  # delete machine code and keep units
            (rules.parent / "cache" / file).unlink()
    assert len(kept(rules, "units")) == 1


LOWERED = """
import hashlib
from rr_gym.compilation.building import unit_of
from rr_gym.compilation.lowering import lower
unit = unit_of("rr_gym.rules.state.chance.shuffle(<i8[1C], int64, uint64)")
print(hashlib.sha256(lower(unit).bitcode).hexdigest())
"""


@pytest.mark.skipif(not COMPILED or CHECKS_BOUNDS, reason="this process compiles with other settings")
def test_lowered_units_are_the_same_with_checks_as_without(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    """Otherwise a process with checks would leave slower units for all others."""
    exec(LOWERED, {})
    assert run(LOWERED, NUMBA_BOUNDSCHECK="1").stdout == capsys.readouterr().out


def test_rules_run_interpreted_without_a_cache(rules: Path, run: Run) -> None:
    assert run(NUMBA_DISABLE_JIT="1").stdout == RESULT
    assert not (rules.parent / "cache").exists()


LISTED = """
import numpy as np
from rr_gym.rules.arena.game_checks import first_unfit
from rr_gym.rules.state.records import GAME
print(first_unfit(np.zeros(0, GAME), np.zeros((1, 2), np.uint16), True, 0, 0))
"""


def _garbled(data: bytes) -> bytes:
    place = random.Random(len(data)).randrange(len(data))
    return data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "truncated": lambda data: data[: len(data) // 2],
    "garbled": _garbled,
    "zeroed": lambda data: bytes(len(data)),
    "empty": lambda data: b"",
    "nonsense": lambda data: b"nonsense",
}


@pytest.mark.parametrize(
    ("kind", "damage"),
    [
        (kind, name) if (kind, name) == ("lib", "garbled") else pytest.param(kind, name, marks=_LONG)
        for kind in ("lib", "index", "units")
        for name in DAMAGE
    ],
)
def test_damaged_files_are_made_again(
    kind: str, damage: str, rules: Path, run: Run, request: pytest.FixtureRequest
) -> None:
    if kind == "lib":
        request.getfixturevalue("filled")
    else:  # units are only kept for listed entries
        run(LISTED)
    files = [rules.parent / "cache" / name for name in kept(rules, kind)]
    assert files
    for file in files:
        file.write_bytes(DAMAGE[damage](file.read_bytes()))
    if kind == "lib":
        done = run()
        assert done.stdout == RESULT
    else:
        done = run(LISTED)
        assert done.stdout == "-1\n"
    assert "Traceback" not in done.stderr


def test_two_processes_may_compile_the_same_at_once(rules: Path, run: Run) -> None:
    with ThreadPoolExecutor() as pool:
        assert [done.stdout for done in pool.map(lambda _: run(), range(2))] == [RESULT, RESULT]
    assert run(WITHOUT_NUMBA + RUN).stdout == RESULT


LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot limit the sizes of files")
def test_a_full_disk_means_compiled_in_memory(rules: Path, run: Run) -> None:
    done = run(LIMITED + RUN)
    assert done.stdout == RESULT
    assert done.stderr.count("compiled code is not kept") == 1
    assert not kept(rules)
    assert not list((rules.parent / "cache").glob(".new-*"))


@_LONG
def test_a_home_that_cannot_be_means_compiled_in_memory(rules: Path, run: Run) -> None:
    blocked = rules.parent / "blocked"
    blocked.touch()  # a file where a directory should be: even root cannot write below it
    done = run(RR_GYM_CACHE_DIR=str(blocked / "cache"))
    assert done.stdout == RESULT
    assert done.stderr.count("compiled code is not kept") == 1


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows has other file permissions")
def test_a_folder_that_others_may_write_to_is_refused(rules: Path, run: Run, filled: dict[str, float]) -> None:
    (rules.parent / "cache").chmod(0o777)
    rules.write_text(SOURCE.replace("SCALE = 10", "SCALE = 100"))
    done = run()
    assert done.stdout == "103 704\n"
    assert "others may write there" in done.stderr
    assert kept(rules) == filled


@_LONG
def test_variables_and_the_home_directory_in_the_name_of_the_cache(rules: Path, run: Run) -> None:
    home = rules.parent / "home"
    home.mkdir()
    run(RR_GYM_CACHE_DIR="~/$WHERE/here", HOME=str(home), USERPROFILE=str(home), WHERE="kept")
    assert list((home / "kept" / "here").glob("*.lib"))


@_LONG
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_a_killed_compilation_leaves_nothing_that_hurts(rules: Path, run: Run) -> None:
    moments = random.Random(5)
    for _ in range(3):
        killed = subprocess.Popen(
            [sys.executable, "-c", RUN], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={name: value for name, value in {**os.environ, **settings(rules)}.items() if value is not None},
        )  # fmt: skip
        time.sleep(moments.uniform(0.3, 1.5))
        killed.kill()
        killed.wait()
    assert run().stdout == RESULT


# Ctrl-C comes while the first unit is lowered: it takes effect when that is done, and the next call continues.
INTERRUPTED = """
import os, signal, sys
import numpy as np
from small_rules_here import SmallTable, WideTable, look_from_afar
from rr_gym.compilation import building, lowering
signal.signal(signal.SIGINT, signal.default_int_handler)
module = lowering._bitcode
heard = []
def interrupting(*given):
    if not heard:
        heard.append(os.kill(os.getpid(), signal.SIGINT))
    return module(*given)
lowering._bitcode = interrupting
base, wide = np.zeros(1, SmallTable.dtype), np.zeros(1, WideTable.dtype)
base["squares"], wide["squares"], wide["ground"] = 3, 4, 7
try:
    look_from_afar(base, 2)
except KeyboardInterrupt:
    print("interrupted")
print(look_from_afar(base, 2), look_from_afar(wide, 2))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_an_interrupted_compilation_is_resumed(run: Run) -> None:
    done = run(INTERRUPTED)
    assert done.stdout == "interrupted\n" + RESULT
    assert "stopping after this rule" in done.stderr


@_LONG
def test_old_entries_are_removed(rules: Path, run: Run) -> None:
    cache = rules.parent / "cache"
    cache.mkdir()
    for k in range(200):
        file = cache / f"old{k}-base-0.lib"
        file.touch()
        os.utime(file, (k, k))
    run()
    left = kept(rules)
    assert len(left) < 165
    assert "old0-base-0.lib" not in left
    assert "old199-base-0.lib" in left
    assert run(WITHOUT_NUMBA + RUN).stdout == RESULT


def test_without_numba_it_says_so(run: Run) -> None:
    done = run(WITHOUT_NUMBA + RUN, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("rr_gym.errors.MissingExtraError: look_from_afar has to be compiled")


def test_the_progress_line_says_how_many_functions_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[Callable[[float], str]] = []

    @contextmanager
    def show(text: Callable[[float], str]) -> Iterator[None]:
        texts.append(text)
        yield

    monkeypatch.setattr(cache, "current", lambda: replace(SETTINGS, show=show))
    with cache._progress("options") as report:
        said = "rr_gym: compiling the rules (option cards): "
        assert texts[0](3.0) == f"{said}3 s"
        report(1, 100)
        assert texts[0](4.2) == f"{said}1 of 100 functions, 4 s"
        report(100, 100)
        assert texts[0](5.0) == f"{said}machine code, 5 s"
