"""Positions and what the rules make of them, for those who write a simulator of their own (docs/bots.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from rr_gym.bots.manifest import BotError
from rr_gym.errors import short_repr
from rr_gym.files import read_text
from rr_gym.json_text import loads
from rr_gym.scenarios import Scenario, ScenarioResult, run_scenario
from rr_gym.scenarios.node import Node, ScenarioSource

POSITIONS = Path(__file__).with_name("positions.jsonl")  # one scenario in JSON a line (docs/scenario-format.md)
KINDS = ("base", "elements", "options")  # the first word of each name
ROBOTS, WINNER = "robots", "winner"  # the keys of an answer
_ANSWERS = ("expect", "expect_state", "expect_devices", WINNER)

Position = Mapping[str, Any]


@cache
def load_positions() -> tuple[Position, ...]:
    """Return all positions, each a scenario in plain data."""
    return tuple(loads(line, str(POSITIONS)) for line in read_text(POSITIONS, BotError).splitlines())


def kind_of(position: Position) -> str:
    """Return which of `KINDS` a position belongs to."""
    return str(position["name"]).split()[0]


def question_of(position: Position) -> str:
    """Return the line that a simulator reads: the position without what the rules make of it."""
    return json.dumps({key: value for key, value in position.items() if key not in _ANSWERS}, separators=(",", ":"))


def answer_of(position: Position) -> dict[str, Any]:
    """Return what a simulator has to answer: each robot after the turn, and who has won."""
    return {ROBOTS: position["expect"], WINNER: position.get(WINNER, [])}


def differences(position: Position, line: bytes) -> list[str] | None:
    """Compare an answer with what the rules make of a position.

    Args:
        position: The position.
        line: What the simulator answered: a line of JSON in the form of `answer_of`, or ``null``.

    Returns:
        The fields that differ, each in words; None if the simulator says by ``null`` that it cannot play the position.
    """
    try:
        answer = loads(line, "answer", BotError)
    except BotError as error:
        return [str(error)]
    if answer is None:
        return None
    expected = answer_of(position)
    robots = answer.get(ROBOTS) if isinstance(answer, dict) else None
    if not isinstance(robots, dict):
        return [f"{short_repr(answer)}: expected an object with {ROBOTS} and {WINNER}"]
    found = []
    for name, fields in expected[ROBOTS].items():
        given = robots.get(name)
        if not isinstance(given, dict):
            found.append(f"{name}: {short_repr(given)}: expected its fields")
            continue
        found += [
            f"{name}.{field}: expected {_text(value)}, got {_text(given.get(field))}"
            for field, value in fields.items()
            if given.get(field) != value
        ]
    if answer.get(WINNER, []) != expected[WINNER]:
        found.append(f"{WINNER}: expected {_text(expected[WINNER])}, got {_text(answer.get(WINNER))}")
    return found


def play_position(position: Position, seed: int = 0) -> ScenarioResult:
    """Play a position by the rules and compare the outcome with what it says.

    Args:
        position: The position.
        seed: The seed of everything that the position leaves open, such as the cards of the deck.
    """
    name = str(position["name"])
    data = {**position, "seed": seed}
    return run_scenario(Scenario(name, str(POSITIONS), Node(data, (), ScenarioSource(str(POSITIONS), name))))


def _text(value: Any) -> str:
    return json.dumps(value)
