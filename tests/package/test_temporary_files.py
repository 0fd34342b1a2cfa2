"""Tests leave nothing among the temporary files: the suite fails if they do."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, Python

LEAVING = """
import os, subprocess, sys, tempfile

def test_one():
    {one}

def test_other():
    {other}
"""
IN_A_PROCESS = 'subprocess.run([sys.executable, "-c", "import tempfile; tempfile.mkdtemp(prefix=\'of_a_child_\')"])'


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        ("tempfile.TemporaryDirectory().cleanup()", "os.environ['SB3_LOGDIR']", ()),
        ("tempfile.mkdtemp(prefix='of_a_test_')", IN_A_PROCESS, ("of_a_test_", "of_a_child_")),
    ],
    ids=["nothing", "folders"],
)
def test_what_a_test_leaves_is_an_error(
    one: str, other: str, left: tuple[str, ...], tmp_path: Path, python: Python
) -> None:
    (tmp_path / "test_it.py").write_text(LEAVING.format(one=one, other=other), encoding="utf-8")
    (tmp_path / "tmp").mkdir()
    options = ("-vv", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "conftest", "--rootdir", str(tmp_path))
    done = python(
        "-m", "pytest", *options, "--basetemp", str(tmp_path / "base"), str(tmp_path / "test_it.py"),
        cwd=tmp_path, check=False, PYTHONPATH=str(ROOT / "tests"), TMPDIR=str(tmp_path / "tmp"), PYTEST_ADDOPTS=None,
    )  # fmt: skip
    assert done.returncode == (1 if left else 0), done.stdout + done.stderr
    assert ("2 passed, 1 error" in done.stdout) == bool(left)
    assert ("left among the temporary files" in done.stdout) == bool(left)
    assert all(name in done.stdout for name in left)
    assert list((tmp_path / "tmp").iterdir()) == []
