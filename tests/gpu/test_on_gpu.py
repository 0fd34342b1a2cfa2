"""A million turns of each form of the rules on a GPU; skipped where there is none."""

from __future__ import annotations

from functools import cache

import pytest
from gpu_games import arena_on, play_both

from rr_gym.compilation.kernels import COMPILED
from rr_gym.cuda.device import DeviceError, Gpu
from rr_gym.errors import MissingExtraError
from rr_gym.forms import FORMS

pytestmark = [pytest.mark.skipif(not COMPILED, reason="compilation is switched off"), pytest.mark.long]


@cache
def gpu() -> Gpu | str:
    """Return the first GPU, or why there is none."""
    try:
        return Gpu()
    except (DeviceError, MissingExtraError) as error:
        return str(error)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("in_parts", [False, True])
def test_a_million_turns_on_a_gpu_are_those_on_this_computer(form: str, in_parts: bool) -> None:
    device = gpu()
    if isinstance(device, str):
        pytest.skip(device)
    play_both(arena_on(device, form, in_parts), 100, num_games=10_000)
