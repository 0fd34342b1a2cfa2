"""The same seed gives the stored trajectory, compiled or not, for any batch size and number of threads."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from combinations import combinations
from conftest import ROOT, Python

from rr_gym.bench.golden import CASES, TURNS, digest, digests, play
from rr_gym.compilation.kernels import COMPILED

STORED: dict[str, dict[str, list[str]]] = json.loads((ROOT / "tests/golden/trajectories.json").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES)
def test_games_are_played_as_stored(case: str) -> None:
    assert digests(case) == STORED[case]


def test_nothing_else_is_stored() -> None:
    assert set(STORED) == set(CASES)


@pytest.mark.long
@pytest.mark.skipif(not COMPILED, reason="this process runs the rules uncompiled already")
def test_uncompiled_rules_play_the_same(python: Python) -> None:
    code = (
        "import json; from rr_gym.bench.golden import CASES, digests; "
        f"print(json.dumps({{case: digests(case, {TURNS[1]}) for case in CASES}}))"
    )
    played = json.loads(python("-c", code, NUMBA_DISABLE_JIT="1").stdout)
    for case, stored in STORED.items():
        assert played[case] == {turn: stored[turn] for turn in played[case]}, case
        assert str(TURNS[1]) in played[case]


@pytest.mark.parametrize("case", combinations(list(CASES), one_in=3))
def test_a_game_does_not_depend_on_its_batch_or_on_threads(case: str) -> None:
    turns = TURNS[-1]
    batch = play(case, 64, turns)[turns]
    shared = play(case, 64, turns, threads=2)[turns]
    assert digest(shared) == digest(batch)
    for size in (1, 7):
        assert digest(play(case, size, turns)[turns]) == digest(batch[:size])


def test_a_digest_sees_every_field_that_is_used_and_no_padding() -> None:
    dtype = np.dtype([("a", "i1"), ("b", [("c", "i4", 2)])], align=True)
    value: np.ndarray[Any, Any] = np.zeros(3, dtype)
    seen = {digest(value)}
    value["b"]["c"][1, 0] = 5
    seen.add(digest(value))
    value["a"][2] = 5
    seen.add(digest(value))
    assert len(seen) == 3
    again = value.copy()
    again.view(np.uint8)[1] = 9  # in the padding between a and b
    assert digest(again) == digest(value)
    wider = np.zeros(3, np.dtype([*[(n, dtype[n]) for n in ("a", "b")], ("d", "i8")], align=True))
    wider["a"], wider["b"] = value["a"], value["b"]
    assert digest(wider) == digest(value)
