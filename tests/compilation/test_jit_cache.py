"""The cache of compiled rules: what must make a new one, and where it lies. A small package with the real `jit.py`."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from conftest import ROOT, Python

CALLEE = """
import numpy as np
from rr_gym.compilation.jit import kernel

TABLE = np.arange(4)

@kernel
def rule(x):
    return x + 1

@kernel
def look_up(table, x):
    return table[x]
"""
CALLER = """
from rr_gym.compilation.jit import kernel
from rr_gym.rules.callee import look_up, rule

@kernel
def turn(x):
    return rule(x) * 10

@kernel
def reach(table, x):
    return look_up(table, x)
"""


# A rule that is compiled apart from its callers, for tables of two forms.
SEPARATE = """
from __future__ import annotations
import numpy as np
from rr_gym.compilation.jit import compiled_once, with_expansions, kernel
from rr_gym.compilation.separate import declare_records

BASE = np.dtype((np.record, [("cells", "i4", 4)]))
FULL = np.dtype((np.record, [("ground", "i4", 4), ("cells", "i4", 4)]))
declare_records("base", {"table": BASE})
declare_records("options", {"table": FULL})

@with_expansions(1)
def worth(table, k: int):
    return table.ground[k]

@compiled_once
def look(table, k: int) -> int:
    return table.cells[k] + 100 * worth(table, k)

@kernel
def look_from_afar(tables, k):
    return look(tables[0], k)

@kernel
def first_cell(table):
    return table.cells[0]
"""
RUN_SEPARATE = """
import sys
import numpy as np
from rr_gym.rules.separate_rule import BASE, FULL, look_from_afar
base, full = np.zeros(1, BASE), np.zeros(1, FULL)
base["cells"], full["cells"], full["ground"] = 3, 4, 7
sys.unraisablehook = lambda seen: print("caught", seen.exc_type.__name__)
print(look_from_afar(base, 2), look_from_afar(full, 2))
if len(sys.argv) > 1:
    look_from_afar(full, int(sys.argv[1]))
"""

# One of two processes that compile different forms of a rule: neither sees the other's form in the index, and the
# second one writes everything between the first one's index and its machine code.
RUN_TOGETHER = """
import sys, time
from pathlib import Path
import numpy as np
from numba.core.caching import IndexDataCacheFile
from rr_gym.rules.separate_rule import BASE, FULL, first_cell

def meet(say, await_):
    Path(say).touch()
    for _ in range(6000):
        if Path(await_).exists():
            return
        time.sleep(0.01)
    raise TimeoutError(await_)

first = sys.argv[1] == "first"
load, saved, data = (getattr(IndexDataCacheFile, name) for name in ("_load_index", "save", "_save_data"))

def load_index(self):
    found = load(self)
    if saves:
        meet("first looked", "second looked") if first else meet("second looked", "first has an index")
    return found

def save(self, *given):
    saves.append(1)
    return saved(self, *given)

def save_data(self, *given):
    if first:
        meet("first has an index", "second is done")
    data(self, *given)
    if not first:
        Path("second is done").touch()

saves = []
IndexDataCacheFile._load_index, IndexDataCacheFile.save, IndexDataCacheFile._save_data = load_index, save, save_data
table = np.zeros(1, BASE if first else FULL)
table["cells"] = 3 if first else 4
print(first_cell(table[0]))
"""
RUN_BOTH = """
import numpy as np
from rr_gym.rules.separate_rule import BASE, FULL, first_cell
base, full = np.zeros(1, BASE), np.zeros(1, FULL)
base["cells"], full["cells"], full["ground"] = 3, 4, 7
print(first_cell(base[0]), first_cell(full[0]))
"""

# Ctrl-C comes while Numba takes a rule into its tables, and in a callback of LLVM, where errors are lost.
RUN_INTERRUPTED = """
import os, signal, sys
import numpy as np
from numba.core.codegen import CPUCodeLibrary
from numba.core.typing.templates import RegistryLoader
new_registrations, hook = RegistryLoader.new_registrations, CPUCodeLibrary._object_compiled_hook
moment = sys.argv[1]

def interrupt(now):
    global moment
    if now == moment and compiling:
        moment = "over"
        os.kill(os.getpid(), signal.SIGINT)

def registrations(self, name):
    for item in new_registrations(self, name):
        interrupt(getattr(item[0] if isinstance(item, tuple) else item, "__name__", None))
        yield item

def compiled(*given):
    interrupt("callback")
    return hook(*given)

RegistryLoader.new_registrations, CPUCodeLibrary._object_compiled_hook = registrations, staticmethod(compiled)
compiling = False
from rr_gym.compilation import jit
from rr_gym.rules.separate_rule import BASE, FULL, look_from_afar
base, full = np.zeros(1, BASE), np.zeros(1, FULL)
base["cells"], full["cells"], full["ground"] = 3, 4, 7
signal.signal(signal.SIGINT, signal.default_int_handler)  # also where tests run in the background
calls, compiling = 0, True
while True:
    calls += 1
    try:
        print(jit.run(look_from_afar, base, 2), jit.run(look_from_afar, full, 2))
        break
    except KeyboardInterrupt:
        pass
print(calls, "calls", file=sys.stderr)
"""

# Ctrl-C comes twice within a kernel that is compiled: the second one is heeded at once, also where the first one was
# asked for by a handler that does not raise.
RUN_INTERRUPTED_TWICE = """
import os, signal, sys
from rr_gym.interrupts import interrupts_wait
heard = []

def ask(number, frame):
    if heard:
        raise KeyboardInterrupt
    heard.append(number)

signal.signal(signal.SIGINT, ask if sys.argv[1] == "asks" else signal.default_int_handler)
before = signal.getsignal(signal.SIGINT)
for times in (1, 2):
    where = "before"
    heard.clear()
    try:
        with interrupts_wait():
            with interrupts_wait():
                for _ in range(times):
                    os.kill(os.getpid(), signal.SIGINT)
                where = "after the first"
            where = "outside"
    except KeyboardInterrupt:
        pass
    print(times, where, len(heard))
    assert signal.getsignal(signal.SIGINT) is before
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package with two rule files, one of which calls the other."""
    home = tmp_path / "rr_gym"
    (home / "rules").mkdir(parents=True)
    shutil.copytree(ROOT / "rr_gym" / "compilation", home / "compilation")
    shutil.copy(ROOT / "rr_gym" / "interrupts.py", home)
    (home / "__init__.py").touch()
    (home / "rules" / "__init__.py").touch()
    (home / "rules" / "callee.py").write_text(CALLEE)
    (home / "rules" / "caller.py").write_text(CALLER)
    (home / "rules" / "separate_rule.py").write_text(SEPARATE)
    return tmp_path


RUN_TURN = "from rr_gym.rules.caller import turn; print(turn(1))"
REACH_TOO_FAR = """
import numpy as np
from rr_gym.rules.caller import reach
try:
    reach(np.arange(8)[:4], 5)
    print("unchecked")
except IndexError:
    print("caught")
"""
COMPILED = {"NUMBA_DISABLE_JIT": None, "NUMBA_BOUNDSCHECK": None}


def compiled_files(cache: Path) -> set[Path]:
    return set(cache.rglob("*.nbc"))


def test_an_edited_callee_is_seen_by_its_compiled_caller(package: Path, python: Python) -> None:
    cache = package / "cache"
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(cache)}
    assert python("-c", RUN_TURN, cwd=package, **settings).stdout == "20\n"
    first = compiled_files(cache)
    assert first
    python("-c", RUN_TURN, cwd=package, **settings)
    assert compiled_files(cache) == first, "nothing changed, so nothing may be compiled anew"
    callee = package / "rr_gym" / "rules" / "callee.py"
    callee.write_text(CALLEE.replace("x + 1", "x + 5"))
    assert python("-c", RUN_TURN, cwd=package, **settings).stdout == "60\n"


def test_a_changed_player_leaves_the_compiled_rules_as_they_are(package: Path, python: Python) -> None:
    cache = package / "cache"
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(cache)}
    player = package / "rr_gym" / "players" / "player.py"
    player.parent.mkdir()
    (player.parent / "__init__.py").touch()
    player.write_text(CALLER)
    run = "from rr_gym.players.player import turn; print(turn(1))"
    assert python("-c", run, cwd=package, **settings).stdout == "20\n"
    rules = {path for path in compiled_files(cache) if path.name.startswith("callee")}
    assert rules
    player.write_text(CALLER.replace("* 10", "* 100"))
    assert python("-c", run, cwd=package, **settings).stdout == "200\n"
    assert {path for path in compiled_files(cache) if path.name.startswith("callee")} == rules


def test_a_bounds_checked_run_does_not_load_unchecked_code(package: Path, python: Python) -> None:
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(package / "cache")}
    assert python("-c", REACH_TOO_FAR, cwd=package, **settings).stdout == "unchecked\n"
    assert python("-c", REACH_TOO_FAR, cwd=package, **{**settings, "NUMBA_BOUNDSCHECK": "1"}).stdout == "caught\n"
    assert python("-c", REACH_TOO_FAR, cwd=package, **settings).stdout == "unchecked\n"


def test_separate_rules_have_two_forms_and_are_found_in_the_cache_by_later_processes(
    package: Path, python: Python
) -> None:
    cache = package / "cache"
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(cache)}
    assert python("-c", RUN_SEPARATE, cwd=package, **settings).stdout == "103 704\n"
    first = compiled_files(cache)
    assert python("-c", RUN_SEPARATE, cwd=package, **settings).stdout == "103 704\n"
    assert compiled_files(cache) == first, "nothing changed, so nothing may be compiled anew"
    rule = package / "rr_gym" / "rules" / "separate_rule.py"
    rule.write_text(SEPARATE.replace("table.cells[k] + 100", "table.cells[k] + 1000"))
    assert python("-c", RUN_SEPARATE, cwd=package, **settings).stdout == "1003 7004\n"
    interpreted = {**settings, "NUMBA_DISABLE_JIT": "1"}
    assert python("-c", RUN_SEPARATE, cwd=package, **interpreted).stdout == "1003 7004\n"


def test_forms_that_are_compiled_at_the_same_time_do_not_take_each_others_place(package: Path, python: Python) -> None:
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(package / "cache")}

    def run(which: str) -> str:
        return python("-c", RUN_TOGETHER, which, cwd=package, **settings).stdout

    with ThreadPoolExecutor() as pool:
        assert list(pool.map(run, ("first", "second"))) == ["3\n", "4\n"]
    files = compiled_files(package / "cache")
    assert python("-c", RUN_BOTH, cwd=package, **settings).stdout == "3 4\n"
    assert compiled_files(package / "cache") == files, "both forms are kept"


def test_bounds_checks_reach_separate_rules(package: Path, python: Python) -> None:
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(package / "cache")}
    assert "caught" not in python("-c", RUN_SEPARATE, "5", cwd=package, **settings).stdout
    checked = {**settings, "NUMBA_BOUNDSCHECK": "1"}
    assert "caught IndexError" in python("-c", RUN_SEPARATE, "5", cwd=package, **checked).stdout


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
@pytest.mark.parametrize("moment", ["look", "callback"])
def test_an_interrupted_compilation_is_gone_on_with_in_the_same_process(
    moment: str, package: Path, python: Python
) -> None:
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(package / "cache")}
    done = python("-c", RUN_INTERRUPTED, moment, cwd=package, **settings)
    assert done.stdout == "103 704\n"
    assert "rr_gym: stopping after this rule; Ctrl-C again stops at once" in done.stderr
    assert done.stderr.endswith("2 calls\n"), "the first one was interrupted"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of another kind")
def test_a_second_interruption_does_not_wait(package: Path, python: Python) -> None:
    settings = {**COMPILED, "PYTHONPATH": str(package)}
    done = python("-c", RUN_INTERRUPTED_TWICE, "raises", cwd=package, **settings)
    assert done.stdout == "1 after the first 0\n2 before 0\n"
    done = python("-c", RUN_INTERRUPTED_TWICE, "asks", cwd=package, **settings)
    assert done.stdout == "1 outside 1\n2 before 1\n"


def test_a_killed_compilation_is_gone_on_with(package: Path, python: Python) -> None:
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(package / "cache")}
    chance = random.Random(5)
    for _ in range(4):
        killed = subprocess.Popen(
            [sys.executable, "-c", RUN_SEPARATE], cwd=package, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={name: value for name, value in {**os.environ, **settings}.items() if value is not None},
        )  # fmt: skip
        time.sleep(chance.uniform(0.3, 0.9))
        killed.kill()
        killed.wait()
    assert python("-c", RUN_SEPARATE, cwd=package, **settings).stdout == "103 704\n"


@pytest.mark.parametrize("left", [b"", b"nonsense"])
def test_damaged_files_of_the_cache_are_compiled_anew(left: bytes, package: Path, python: Python) -> None:
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(package / "cache")}
    python("-c", RUN_SEPARATE, cwd=package, **settings)
    for kind in ("nbc", "nbi"):
        damaged = sorted((package / "cache").rglob(f"*.{kind}"))
        assert damaged
        for path in damaged:
            path.write_bytes(left)
        assert python("-c", RUN_SEPARATE, cwd=package, **settings).stdout == "103 704\n"
        assert all(path.read_bytes() != left for path in damaged)


def test_without_a_writable_home_the_cache_lies_in_the_temporary_directory(package: Path, python: Python) -> None:
    blocked = package / "home"
    blocked.touch()  # a file where the home directory should be: even root cannot write below it
    temporary = package / "temporary"
    temporary.mkdir()
    settings = {
        **COMPILED,
        "PYTHONPATH": str(package),
        "RR_GYM_CACHE_DIR": None,
        "XDG_CACHE_HOME": None,
        "HOME": str(blocked),
        "LOCALAPPDATA": str(blocked),
        "TMPDIR": str(temporary),
    }
    done = python("-c", RUN_TURN, cwd=package, **settings)
    assert done.stdout == "20\n"
    assert "is not writable" in done.stderr
    assert compiled_files(temporary)


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows gives every user a temporary directory")
def test_a_temporary_directory_that_others_may_write_is_not_trusted(package: Path, python: Python) -> None:
    blocked, temporary = package / "home", package / "temporary"
    blocked.touch()
    open_to_all = temporary / f"rr_gym-{os.getuid()}"
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(0o777)
    settings = {**COMPILED, "PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(blocked), "TMPDIR": str(temporary)}
    assert python("-c", RUN_TURN, cwd=package, **settings).stdout == "20\n"
    assert compiled_files(temporary)
    assert not compiled_files(open_to_all)


def test_rules_run_uncompiled_without_a_cache(package: Path, python: Python) -> None:
    cache = package / "cache"
    settings = {"PYTHONPATH": str(package), "RR_GYM_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "1"}
    assert python("-c", RUN_TURN, cwd=package, **settings).stdout == "20\n"
    assert not cache.exists()
