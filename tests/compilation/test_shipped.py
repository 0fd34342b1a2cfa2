"""Shipped libraries: one is used if it fits the code, and otherwise left alone, with one line that says why."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from combinations import quick
from conftest import ROOT, Python
from small_rules import RESULT, RUN, SOURCE

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no linker")

MAKE = """
import sys
from pathlib import Path
from rr_gym.compilation import shipped
import small_rules_here
entry = "small_rules_here.look_from_afar({0}[1C], int64)"
wanted = {"base": {"rules": [entry.format("SmallTable")]}, "full": {"rules": [entry.format("WideTable")]}}
print(shipped.make(Path(sys.argv[1]), wanted))
"""
INSTALLED = """
from dataclasses import replace
from pathlib import Path
from rr_gym.compilation import shipped
from rr_gym.compilation.settings import configure
from rr_gym.forms import SETTINGS
configure(replace(SETTINGS, library=Path({folder!r})))
"""
WITHOUT_COMPILER = "import sys; sys.modules['numba'] = sys.modules['llvmlite'] = None\n"
OTHER = """
import numpy as np
from small_rules_here import total
print(total(np.ones((2, 3)), 2.0, True))
"""

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def variables(folder: Path) -> dict[str, str | None]:
    return {
        "NUMBA_DISABLE_JIT": None, "NUMBA_BOUNDSCHECK": None,
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]), "RR_GYM_CACHE_DIR": str(folder / "cache"),
    }  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with rules and, in `library`, their library."""
    folder = tmp_path_factory.mktemp("installation")
    (folder / "small_rules_here.py").write_text(SOURCE)
    build(folder, folder / "library")
    return folder


def build(folder: Path, target: Path, **more: str) -> None:
    environment = {**os.environ, **variables(folder), **more}
    subprocess.run(
        [sys.executable, "-c", MAKE, str(target)], check=True, cwd=ROOT, capture_output=True,
        env={name: value for name, value in environment.items() if value is not None},
    )  # fmt: skip


@pytest.fixture
def installation(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder that `made` returns, which may be changed."""
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    return folder


@pytest.fixture
def run(installation: Path, python: Python) -> Run:
    """Run some lines with this installation."""
    head = INSTALLED.format(folder=str(installation / "library"))

    def run(code: str = RUN, check: bool = True, **more: str | None) -> subprocess.CompletedProcess[str]:
        return python("-c", head + code, check=check, **{**variables(installation), **more})

    return run


def compiled(installation: Path) -> bool:
    return bool(list((installation / "cache").glob("*.lib")))


def test_kernels_in_the_library_are_not_compiled(installation: Path, run: Run) -> None:
    done = run(WITHOUT_COMPILER + RUN)
    assert (done.stdout, done.stderr) == (RESULT, "")
    assert not (installation / "cache").exists()


def test_machine_code_is_the_same_file_whenever_it_is_made(made: Path, tmp_path: Path) -> None:
    build(made, tmp_path / "again", PYTHONHASHSEED="7", RR_GYM_CACHE_DIR=str(tmp_path / "cache"))
    for name in ("library.json", "rr_gym.so"):
        assert (tmp_path / "again" / name).read_bytes() == (made / "library" / name).read_bytes()


def edit(installation: Path) -> None:
    rules = installation / "small_rules_here.py"
    rules.write_text(SOURCE.replace("return 2 * k", "return k + k"))


def change(installation: Path, key: str, value: object) -> None:
    said = installation / "library" / "library.json"
    contents = json.loads(said.read_text())
    (contents if key in contents else contents["forms"][0])[key] = value
    said.write_text(json.dumps(contents))


def damage(installation: Path) -> None:
    code = installation / "library" / "rr_gym.so"
    code.write_bytes(code.read_bytes()[:-500])


MISFITS: dict[str, Callable[[Path], object]] = {
    "small_rules_here.twice has changed since": edit,
    "it was built for another platform, or with other settings": lambda folder: change(folder, "settings", "other"),
    "rr_gym.so is damaged": damage,
    "JSONDecodeError": lambda folder: (folder / "library" / "library.json").write_text("{"),
    "KeyError: 'code'": lambda folder: (folder / "library" / "library.json").write_text('{"forms": [], "sources": {}}'),
    "FileNotFoundError": lambda folder: (folder / "library" / "rr_gym.so").unlink(),
    "everybody may write to": lambda folder: (folder / "library").chmod(0o777),
}


@pytest.mark.parametrize("why", quick(MISFITS, "small_rules_here.twice has changed since"))
def test_code_that_does_not_fit_is_compiled_and_one_line_says_why(why: str, installation: Path, run: Run) -> None:
    MISFITS[why](installation)
    done = run()
    assert done.stdout == RESULT
    # On a slow machine there is another line about the progress of compiling.
    (line,) = (line for line in done.stderr.splitlines() if not line.startswith("rr_gym: compiling "))
    assert line.startswith("rr_gym: the library of this installation is not used: ")
    assert line.endswith("; rules are compiled")
    assert why in line
    assert compiled(installation)


@pytest.mark.long
def test_a_processor_that_lacks_something_compiles(installation: Path, run: Run) -> None:
    done = run("shipped._features = lambda: {'popcnt', 'ssse3'}\n" + RUN)
    assert done.stdout == RESULT
    assert "the processor lacks cx16, lahf_lm, pni, sse4_1, sse4_2" in done.stderr
    assert compiled(installation)


@pytest.mark.long
def test_indices_are_checked_by_code_that_is_compiled(installation: Path, run: Run) -> None:
    done = run(NUMBA_BOUNDSCHECK="1")
    assert done.stdout == RESULT
    assert "indices are to be checked (NUMBA_BOUNDSCHECK)" in done.stderr
    assert compiled(installation)


def test_rules_run_interpreted_beside_a_library(installation: Path, run: Run) -> None:
    done = run(NUMBA_DISABLE_JIT="1")
    assert (done.stdout, done.stderr) == (RESULT, "")
    assert not (installation / "cache").exists()


def test_only_an_entry_that_the_library_lacks_is_compiled(installation: Path, run: Run) -> None:
    assert run(RUN + OTHER).stdout == RESULT + "-12.0\n"
    assert compiled(installation)


def test_without_numba_a_library_that_does_not_fit_is_a_clear_error(installation: Path, run: Run) -> None:
    edit(installation)
    done = run(WITHOUT_COMPILER + RUN, check=False)
    assert done.returncode == 1
    assert "look_from_afar has to be compiled, which needs Numba" in done.stderr.splitlines()[-1]
