"""The dialogue of docs/protocol.md is what is really said."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import numpy as np
from conftest import ROOT
from programs import InMemoryPlayer

import rr_gym
from rr_gym.courses.course import Course
from rr_gym.game import Game
from rr_gym.players import messages
from rr_gym.players.protocol2.events import EVENT_FIELDS
from rr_gym.players.protocol2.messages import FORFEIT
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import CARD_TYPE_NAMES
from rr_gym.rules.state.settings import Settings
from rr_gym.runner import Batch, Seats, play_out

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


FIRST = "\n## Protocol 1\n"  # where the part about protocol 1 begins
SMALL = """\
size: 4x2
grid:
@1  >  .  #1
.   .  X  #2/e
"""


def second_answers(message: dict[str, Any]) -> dict[str, Any]:
    """Return what the program of the second dialogue says to a turn or to previews."""
    number = message["id"]
    if message["type"] == "preview":
        return {"id": number, "orders": {"program": PROGRAM, "facing": "e"}}
    if message["turn"] == 0:
        other = {"program": ["u_turn", None, None, None, None]}
        return {"id": number, "preview": [{"program": PROGRAM, "facing": "e"}, other]}
    return {"id": number, "orders": {"program": ["move_3@840", None, None, None, None]}}


PROGRAM = ["move_3", "rotate_left@390", "rotate_left@350", "move_1@570", "rotate_right"]


def second_dialogue() -> Iterator[tuple[str, dict[str, Any]]]:
    """Both sides' messages of a game of two turns in protocol 2, in order."""
    player = InMemoryPlayer(lambda message: json.dumps(second_answers(message)).encode(), protocol=2)
    player.reset(1)
    arena = Arena(Course.from_board(SMALL, "lane"))
    batch = Batch(arena, arena.new_games(1, 1, seed=2), 2)
    seats = Seats(batch, [player], np.zeros((1, 1), np.int64), names=["mybot 0.1.0"])
    play_out(batch, seats.ask, lambda _: None)
    for message in player.links[0].heard:
        yield ">", message
        if message["type"] in ("turn", "preview"):
            yield "<", second_answers(message)


def written(protocol: int) -> str:
    """Return the part of the document about a protocol."""
    text = (ROOT / "docs" / "protocol.md").read_text("utf-8")
    second, first = text.split(FIRST)
    return first if protocol == 1 else second


def documented(protocol: int = 1) -> list[dict[str, Any]]:
    text = written(protocol)
    return [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)]


def test_the_dialogue_is_what_is_said() -> None:
    said = [message for _, message in dialogue()]
    said[0]["rr_gym"] = documented()[0]["rr_gym"]
    assert documented() == said


def same(said: dict[str, Any]) -> dict[str, Any]:
    """Return a message without what differs from time to time: the version, and how quickly answers came."""
    varies = {"rr_gym": "0", "bank_seconds": 60.0}
    return said | {name: value for name, value in varies.items() if name in said}


def test_the_second_dialogue_is_what_is_said() -> None:
    said = [same(json.loads(json.dumps(message))) for _, message in second_dialogue()]
    assert sorted(json.dumps(same(message)) for message in documented(2)) == sorted(map(json.dumps, said))


def names_in(value: Any) -> Iterator[str]:
    """Yield the names of all fields of a message, also those inside of others."""
    for entry in value if isinstance(value, list) else []:
        yield from names_in(entry)
    for name, entry in value.items() if isinstance(value, dict) else []:
        yield name
        yield from names_in(entry)


def test_every_field_of_protocol_2_is_described() -> None:
    text = written(2)
    known = {*asdict(Settings()), *["1", "2", "3", "4", "5", "6", "7", "8"], *CARD_TYPE_NAMES, "none"}
    fields = {name for message in documented(2) for name in names_in(message)} - known
    fields |= {name for row in EVENT_FIELDS.values() for name, _, _ in row}
    assert [name for name in sorted(fields) if f"`{name}`" not in text] == []
    for kind in EVENT_FIELDS:
        assert f"`{kind}`" in text
    for fault in ("TIME_OUT", "CRASH", "NOT_JSON", "NOT_AN_ANSWER", "ILLEGAL", "OUT"):
        assert f"| `{getattr(messages, fault)}` |" in text
    assert f"| `{FORFEIT}` |" in text


def test_every_field_is_described() -> None:
    text = written(1)
    fields = {name for message in documented() for name in message if message.get("type") != "error"}
    legal = next(message["legal"] for message in documented() if message.get("type") == "turn")
    assert [name for name in sorted(fields | legal.keys()) if f"`{name}`" not in text] == []
    assert set(asdict(Settings())) == documented()[1]["settings"].keys()
    assert documented()[0]["protocol"] == messages.PROTOCOL
    assert re.fullmatch(r"\d+\.\d+.*", rr_gym.__version__)
