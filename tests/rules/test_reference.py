"""The compiled rules, compared with the reference engine on random boards with random settings and orders."""

from __future__ import annotations

from typing import Any

import pytest
from combinations import quick
from random_chains import SETTINGS, Chain, compare, report
from reference import DEFAULTS

BLOCK = 40


@pytest.mark.parametrize("block", quick(range(8), 0))
def test_random_chains_agree(block: int) -> None:
    for seed in range(block * BLOCK, (block + 1) * BLOCK):
        scenario = Chain(seed).scenario
        differences = compare(scenario)
        assert not differences, report(scenario, differences)


def test_random_chains_use_every_setting_of_the_reference() -> None:
    assert set(SETTINGS) == set(DEFAULTS)
    played = [Chain(seed).scenario["params"] for seed in range(60)]
    assert {name: {params[name] for params in played} for name in SETTINGS} == {
        name: set(values) for name, values in SETTINGS.items()
    }


def test_random_chains_reach_what_the_rules_are_about() -> None:
    reached: set[tuple[str, Any]] = set()
    for seed in range(100):
        scenario = Chain(seed).scenario
        for turn in [scenario, *scenario.get("then", [])]:
            reached.add(("won", turn["winner"] != "none"))
            for fields in turn["expect"].values():
                reached |= {(name, fields.get(name)) for name in ("destroyed", "out", "virtual", "powered_down")}
                reached |= {("locked", len(fields["locked"])), ("damage", fields.get("damage"))}
    wanted = {(name, True) for name in ("won", "destroyed", "out", "virtual", "powered_down")}
    wanted |= {("locked", number) for number in range(6)} | {("damage", points) for points in range(11)}
    assert wanted <= reached


def test_a_wrong_expectation_is_noticed() -> None:
    scenario = Chain(0).scenario
    fields = scenario["expect"]["r0"]
    fields["flag"] += 1
    (difference,) = compare(scenario)
    assert (difference.field, difference.expected) == ("r0.flag", fields["flag"])
