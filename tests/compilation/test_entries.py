"""Kernels that Python enters in common use are in the package's list, and so are compiled together and shipped."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from conftest import ROOT

from rr_gym.compilation import entering
from rr_gym.compilation.groups import entries, group_of
from rr_gym.compilation.kernels import COMPILED, find_kernel
from rr_gym.forms import FORMS

pytestmark = pytest.mark.skipif(not COMPILED, reason="interpreted kernels have no entries")


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return import_module("record_entries")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("step", ["play", "observe", "choose", "decide"])
def test_kernels_that_python_enters_are_listed(
    form: str, step: str, recorder: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    unlisted: list[str] = []
    find: Callable[..., Any] = entering._entry

    def entry(kernel: Any, arguments: tuple[Any, ...]) -> Any:
        name = entering.entry_name(kernel, arguments)
        if group_of(entering.form_of_arguments(arguments), name) is None:
            unlisted.append(name)
        return find(kernel, arguments)

    monkeypatch.setattr(entering, "_entry", entry)
    for name in (name for groups in entries().values() for names in groups.values() for name in names):
        kernel = find_kernel(name.partition("(")[0])
        assert kernel is not None, name
        monkeypatch.setattr(kernel, "entries", {})  # as if nothing had been entered
    getattr(recorder, step)(recorder.course_of(form))
    assert unlisted == [], "`python tools/record_entries.py` lists them"
