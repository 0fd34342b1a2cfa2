"""Another project, that of docs/compilation.md, uses the compiler without the rest of the package."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Python

PACKAGE = ROOT / "rr_gym" / "compilation"
# Nothing of `rr_gym` but the compiler can be imported.
APART = f"""
import runpy, sys, types
from importlib.abc import MetaPathFinder

class Apart(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.startswith("rr_gym.") and not name.startswith("rr_gym.compilation"):
            raise ImportError(f"{{name}} is no part of the compiler")

sys.meta_path.insert(0, Apart())
sys.modules["rr_gym"] = types.ModuleType("rr_gym")
sys.modules["rr_gym"].__path__ = [{str(PACKAGE.parent)!r}]
"""
PLAY = "runpy.run_path('play.py')\n"
WITHOUT_NUMBA = "sys.modules['numba'] = None\n"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run(tmp_path: Path, python: Python) -> Run:
    """Return a function that runs code in a folder with the files of the document."""
    page = (ROOT / "docs" / "compilation.md").read_text("utf-8")
    for code, name in re.findall(r"^```python\n(# (\S+)\n.*?)^```", page, re.MULTILINE | re.DOTALL):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(code, encoding="utf-8")
    listed = re.search(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert listed
    (tmp_path / "ants" / "entries.json").write_text(listed[1], encoding="utf-8")

    def run(code: str = PLAY, check: bool = True, **variables: str | None) -> subprocess.CompletedProcess[str]:
        given = {
            "NUMBA_DISABLE_JIT": None, "NUMBA_BOUNDSCHECK": None, "PYTHONPATH": str(tmp_path),
            "ANTS_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **variables,
        }  # fmt: skip
        return python("-c", APART + code, check=check, cwd=tmp_path, **given)

    return run


def kept(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "cache").glob("*.lib"))


def test_kernels_of_a_project_are_compiled_kept_and_accelerated(run: Run, tmp_path: Path) -> None:
    assert run().stdout == "9 7\n"
    first = kept(tmp_path)
    assert [name.rpartition("-")[0] for name in first] == ["all-flat", "all-hilly"]
    done = run(WITHOUT_NUMBA + PLAY)
    assert (done.stdout, done.stderr) == ("9 7\n", "")
    fast = tmp_path / "ants" / "fast.py"
    fast.write_text(fast.read_text().replace("return 0 if", "return 3 if 1 else 0 if"))
    assert run().stdout == "9 7\n"
    assert len(kept(tmp_path)) == 4
    fast.write_text(fast.read_text().replace("return 3", "return 2 + 2"))
    assert run().stdout == "0 0\n"
    assert run(ANTS_REFERENCE="1").stdout == run(ANTS_ACCELERATORS="-fast").stdout == "9 7\n"


def test_kernels_of_a_project_run_interpreted(run: Run, tmp_path: Path) -> None:
    assert run(NUMBA_DISABLE_JIT="1").stdout == "9 7\n"
    assert not (tmp_path / "cache").exists()


def test_the_projects_name_is_in_messages_and_in_the_cache_of_the_user(run: Run, tmp_path: Path) -> None:
    done = run(ANTS_CACHE_DIR=None, XDG_CACHE_HOME=str(tmp_path / "home"), LOCALAPPDATA=str(tmp_path / "home"))
    assert done.stdout == "9 7\n"
    assert list(tmp_path.glob("**/ants/*.lib"))
    (tmp_path / "cache").touch()
    done = run()
    assert done.stdout == "9 7\n"
    assert re.fullmatch(r"ants: .*: compiled code is not kept\n", done.stderr)
    failed = run(WITHOUT_NUMBA + PLAY, check=False)
    assert "ImportError: gain has to be compiled, which needs Numba" in failed.stderr


def test_settings_come_before_kernels(run: Run) -> None:
    again = "from rr_gym.compilation.settings import CompilerSettings, configure\nconfigure(CompilerSettings('bees'))\n"
    failed = run(PLAY + again, check=False, NUMBA_DISABLE_JIT="1")
    assert failed.returncode == 1
    assert "settings of bees: expected before the first kernel of ants" in failed.stderr


def imports(file: Path) -> set[str]:
    """Return the modules that a file imports, with what it imports from them."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


FILES = sorted(PACKAGE.glob("*.py"))


def test_the_compiler_imports_nothing_else_of_the_package() -> None:
    ours = {f"{file.name}: {name}" for file in FILES for name in imports(file) if name.startswith("rr_gym")}
    assert [said for said in sorted(ours) if ": rr_gym.compilation." not in said] == []
    text = {file.name: file.read_text("utf-8") for file in FILES}
    game = re.compile(r"RR_GYM|rr_gym(?!\.compilation)|squares")
    assert [f"{name}: {found}" for name in text for found in game.findall(text[name]) if name != "__init__.py"] == []


def test_the_inside_of_numba_is_in_one_file() -> None:
    inside = re.compile(r"numba\.(core|np)\b|llvmlite\.ir\b")
    found = {file.name for file in FILES for name in imports(file) if inside.match(name)}
    assert found == {"numba_internals.py"}
