"""What tests share."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

Python = Callable[..., subprocess.CompletedProcess[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--one-form", action="store_true", help="play scenarios by the rules that have everything in them")


# What is collected stays until the end: thousands of tests and scenarios, through which the garbage collector would
# look again and again.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


# Shells start what runs in the background so that it ignores Ctrl-C, and what tests start would ignore it too.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def python() -> Python:
    """Run ``python ARGUMENTS`` in a process of its own; keywords are environment variables, None removes one."""

    def run(
        *arguments: str, cwd: Path = ROOT, check: bool = True, **variables: str | None
    ) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, **variables}
        environment = {name: value for name, value in environment.items() if value is not None}
        done = subprocess.run([sys.executable, *arguments], cwd=cwd, env=environment, capture_output=True, text=True)
        assert not check or done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    return run
