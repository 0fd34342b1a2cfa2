"""Kernels for GPUs are made and assembled; whether they do what they should is tested by `test_device_arena.py`."""

from __future__ import annotations

import re
import shutil

import pytest

from rr_gym.compilation.kernels import COMPILED
from rr_gym.compilation.ptx import assemble, make_ptx
from rr_gym.cuda.kernels import NAMES, PARTS, launches
from rr_gym.forms import FORMS

pytestmark = pytest.mark.skipif(not COMPILED, reason="compilation is switched off")


def make(form: str, names: tuple[str, ...]) -> str:
    try:
        return make_ptx(form, launches(form, names))
    except RuntimeError as error:
        if "makes no code for GPUs" not in str(error):
            raise
        pytest.skip(str(error))


def check(form: str, names: tuple[str, ...]) -> None:
    text = make(form, names)
    assert sorted(re.findall(r"\.entry (\w+)\(", text)) == sorted(names)
    if shutil.which("ptxas") is None:
        pytest.skip("ptxas is not installed: the code is not assembled")
    found = {one.kernel: one for one in assemble(text)}
    assert found.keys() == set(names)
    assert all(one.registers for one in found.values())
    if form == "base":
        assert not any(one.spills for one in found.values())


def test_code_for_gpus_is_made_and_assembled() -> None:
    check("base", ("start", "random_orders", "places", "turn_begins", "cards_are_revealed"))


@pytest.mark.long
def test_all_parts_of_a_turn_are_made_together() -> None:
    check("base", ("start", "random_orders", "places", "masks", *PARTS))


@pytest.mark.long
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_every_kernel_is_made_and_assembled(form: str, name: str) -> None:
    check(form, (name,))


def test_unknown_launches_are_refused() -> None:
    with pytest.raises(ValueError, match="'fly': expected some of start, play"):
        launches("base", ["fly"])
