"""Caches of a game hold what they must and spare nothing but looks: rules that forget to mark are found out.

Rules are changed in processes of their own, which run them uncompiled (`tests/helpers/forgetful.py`).
"""

from __future__ import annotations

import json

import pytest
from conftest import ROOT, Python
from forgetful import BETWEEN_TURNS, FULL, OTHERWISE, REPORTED

from rr_gym.rules.state.scratch import GameCaches


@pytest.mark.long  # twenty seconds each
@pytest.mark.parametrize("cache", GameCaches.fields)
def test_rules_that_forget_to_mark_a_cache_are_found_out(cache: str, python: Python) -> None:
    script = ROOT / "tests" / "helpers" / "forgetful.py"
    shown: dict[str, str] = json.loads(python(str(script), cache, NUMBA_DISABLE_JIT="1").stdout)
    # A full cache spares nothing: the same game is played.
    assert shown.pop("full", "played alike") == "played alike"
    if cache in BETWEEN_TURNS:
        assert len(shown) > 1
        assert set(shown.values()) == {REPORTED}, shown
    else:  # looked for anew in every phase, so that only the game tells
        assert shown == {"everything": OTHERWISE}


def test_every_cache_but_one_can_be_full() -> None:
    assert {*GameCaches.fields} - FULL.keys() == {"big_one"}
