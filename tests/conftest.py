"""Fixtures and hooks that all tests share."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

Python = Callable[..., subprocess.CompletedProcess[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--one-form", action="store_true", help="play scenarios by the rules that have everything in them")
    parser.addoption("--one-in", type=int, default=1, metavar="N", help="play only one in N scenarios")


# Thousands of collected tests and scenarios live until the end; freezing them spares the garbage collector from
# scanning them again and again.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


# Shells make background processes ignore Ctrl-C, which the processes that tests start would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def nothing_is_left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fail if tests, or processes that they start, leave temporary files outside of folders of their own.

    Each process of pytest has one folder for temporary files. Its name is short, since paths of sockets must not be
    long. Stable-Baselines3 creates a folder for every log that nobody asks for; these go where the other files of tests
    go.
    """
    logs = tmp_path_factory.mktemp("sb3")
    folder = tempfile.mkdtemp(prefix="tests-")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SB3_LOGDIR", str(logs))
        patch.setenv("TMPDIR", folder)
        patch.setattr(tempfile, "tempdir", folder)
        yield
    # PyTorch keeps one folder for each user, whatever is compiled in it, and Ray one for its sessions.
    left = sorted(name for name in os.listdir(folder) if name != "ray" and not name.startswith("torchinductor_"))
    shutil.rmtree(folder)
    assert left == [], "left among the temporary files"


@pytest.fixture(scope="session")
def python() -> Python:
    """Return a function that runs ``python ARGUMENTS`` in a process of its own.

    Its keywords are environment variables; None removes one.
    """

    def run(
        *arguments: str, cwd: Path = ROOT, check: bool = True, **variables: str | None
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **variables}
        environment = {name: value for name, value in environment.items() if value is not None}
        done = subprocess.run([sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True)
        assert not check or done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run


@pytest.fixture(scope="session")
def small_rules_cache(tmp_path_factory: pytest.TempPathFactory, python: Python) -> Path:
    """Return a cache that has the machine code of `small_rules.SOURCE`, as the module `small_rules_here`."""
    from small_rules import RESULT, RUN, SOURCE  # not found where this file alone is used, as a plugin

    folder = tmp_path_factory.mktemp("compiled")
    (folder / "small_rules_here.py").write_text(SOURCE)
    path = os.pathsep.join([str(folder), str(ROOT)])
    done = python(
        "-c", RUN, PYTHONPATH=path, RR_GYM_CACHE_DIR=str(folder / "cache"), NUMBA_DISABLE_JIT=None,
        NUMBA_BOUNDSCHECK=None,
    )  # fmt: skip
    assert done.stdout == RESULT
    return folder / "cache"
