"""`rr-gym warmup --check`: the cache is compared with the code, and repaired."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Python
from small_rules import RESULT, RUN, SOURCE

Run = Callable[..., "subprocess.CompletedProcess[str]"]
ENTRIES = {
    "base": {"rules": ["small_rules_here.look_from_afar(SmallTable[1C], int64)"]},
    "full": {"rules": ["small_rules_here.look_from_afar(WideTable[1C], int64)"]},
}
HEAD = """
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from rr_gym.compilation.settings import configure
from rr_gym.forms import SETTINGS
configure(replace(SETTINGS, entries=Path(find_spec("small_rules_here").origin).with_name("entries.json")))
import small_rules_here
from rr_gym.cli.warmup import check_forms, compile_form
from rr_gym.compilation import digests, libraries
"""
FILL = HEAD + "compile_form('base')\ncompile_form('full')\n"
CHECK = HEAD + "sys.exit(check_forms(['base', 'options', 'full']))\n"
# A cache as a faulty version would have left it: another constant under the digest of this one.
POISON = (
    HEAD
    + """
from rr_gym.compilation.kernels import KERNELS
said = {name: digests.values_digest(one) for name, one in KERNELS.items()}
digests.values_digest = libraries.values_digest = lambda one: said[one.name]
small_rules_here.SCALE = 100
compile_form('base')
compile_form('full')
"""
)


@pytest.fixture
def run(tmp_path: Path, python: Python) -> Run:
    (tmp_path / "small_rules_here.py").write_text(SOURCE)
    (tmp_path / "entries.json").write_text(json.dumps(ENTRIES))
    variables = {
        "NUMBA_DISABLE_JIT": None, "NUMBA_BOUNDSCHECK": None, "RR_GYM_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)]),
    }  # fmt: skip
    return lambda code, check=True: python("-c", code, check=check, **variables)


@pytest.mark.long  # the next test ends with a check of a cache that agrees
def test_what_agrees_with_the_code(run: Run, tmp_path: Path) -> None:
    run(FILL)
    before = {file.name: file.read_bytes() for file in (tmp_path / "cache").glob("*.[lu]*")}
    done = run(CHECK)
    assert done.stdout.splitlines() == [
        "base: 1 libraries and 4 functions compared",
        "options: 0 libraries and 0 functions compared",
        "full: 1 libraries and 5 functions compared",
        "all that is kept is as the code says",
    ]
    assert {file.name: file.read_bytes() for file in (tmp_path / "cache").glob("*.[lu]*")} == before


def test_what_differs_from_the_code_is_said_and_put_right(run: Run, tmp_path: Path) -> None:
    run(POISON)
    assert run(HEAD + RUN).stdout == "103 704\n"
    (tmp_path / "cache" / "other-base-0.lib").write_bytes(b"damaged")
    done = run(CHECK, check=False)
    assert done.returncode == 1
    assert re.search(r"options: library [0-9a-f]+-options-\w+\.lib differs from the code: made anew", done.stdout)
    assert "file other-base-0.lib was damaged: thrown away" in done.stdout
    for form in ("base", "full"):
        assert f"{form}: library all-{form}-" in done.stdout
        assert f": function small_rules_here.look in all-{form}-" in done.stdout
    assert done.stdout.splitlines()[-1].endswith("differed and were put right")
    assert run(HEAD + RUN).stdout == RESULT
    assert run(CHECK).stdout.endswith("all that is kept is as the code says\n")
    for file in (tmp_path / "cache").glob("*.lib"):
        file.unlink()  # the functions alone
    assert run(FILL + RUN).stdout.endswith(RESULT)


def test_the_order_of_reference_counts_is_no_difference() -> None:
    """Numba takes this order from sets of names, whose order differs between processes."""
    llvm = pytest.importorskip("llvmlite.binding")
    from rr_gym.compilation.checking import _normalized_text

    def read(*names: str) -> str:
        calls = "".join(f"  call void @NRT_incref(ptr %{name})\n" for name in names)
        text = f"declare void @NRT_incref(ptr)\ndefine void @f(ptr %a, ptr %b) {{\nbegin:\n{calls}  ret void\n}}\n"
        return _normalized_text(llvm.parse_assembly(text).as_bitcode())

    assert read("a", "b") == read("b", "a")
    assert read("a", "b") != read("a", "a")
    assert read("a", "b") != read("a", "b", "b")
