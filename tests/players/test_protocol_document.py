"""The dialogue of docs/protocol.md is what is really said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from conftest import ROOT
from programs import InMemoryPlayer

import rr_gym
from rr_gym.courses.course import Course
from rr_gym.game import Game
from rr_gym.players import messages
from rr_gym.rules.state.settings import Settings

BOARD = """\
size: 5x3
grid:
@1/w  .     ./s  #1   .
.     X     .    >    v
.     R     .    ^    #2/e
"""
ANSWERS = [
    {"id": 1, "orders": {"program": ["move_3", "rotate_right", "rotate_left", "move_1@570", "back_up"], "facing": "e"}},
    {"id": 2, "orders": {"program": ["move_3@840", None, None, None, None], "power_down": True}},
    {"id": 3, "orders": {}},
]


def dialogue() -> Iterator[tuple[str, dict[str, Any]]]:
    """Both sides' messages of a game of three turns, in order."""
    answers = iter(ANSWERS)
    player = InMemoryPlayer(lambda turn: json.dumps(next(answers)).encode())
    player.reset(1)
    game = Game(Course.from_board(BOARD, "hall"), num_robots=1, seed=2)
    told = 0
    for answer in ANSWERS:
        game.play({0: player})
        for message in player.links[0].heard[told:]:
            if message["type"] != "error":
                yield ">", message
        (error,) = [m for m in player.links[0].heard[told:] if m["type"] == "error"] or [None]
        yield "<", answer
        if error:
            yield ">", error
        told = len(player.links[0].heard)


def documented() -> list[dict[str, Any]]:
    text = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    return [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)]


def test_the_dialogue_is_what_is_said() -> None:
    said = [message for _, message in dialogue()]
    said[0]["rr_gym"] = documented()[0]["rr_gym"]
    assert documented() == said


def test_every_field_is_described() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    fields = {name for message in documented() for name in message if message.get("type") != "error"}
    legal = next(message["legal"] for message in documented() if message.get("type") == "turn")
    assert [name for name in sorted(fields | legal.keys()) if f"`{name}`" not in text] == []
    for fault in ("TIME_OUT", "CRASH", "NOT_JSON", "NOT_AN_ANSWER", "ILLEGAL", "OUT"):
        assert f"| `{getattr(messages, fault)}` |" in text
    assert set(asdict(Settings())) == documented()[1]["settings"].keys()
    assert documented()[0]["protocol"] == messages.PROTOCOL
    assert re.fullmatch(r"\d+\.\d+.*", rr_gym.__version__)
