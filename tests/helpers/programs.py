"""Programs that play, in memory and in processes of their own, and mutated answers of programs."""

from __future__ import annotations

import json
import random
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.encoding.orders.orders import FIELDS
from rr_gym.players.messages import lost_orders
from rr_gym.players.process import Gone, OutputLine
from rr_gym.players.program import ProgramPlayer
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders

PRELUDE = """
import json, os, sys, time
def turns():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "turn":
            yield message
def say(line):
    sys.stdout.write(line + "\\n")
    sys.stdout.flush()
def answer(turn, **orders):
    say(json.dumps({"id": turn["id"], "orders": orders}))
"""

COURSE = "risky_exchange"
DEFAULTS = no_orders(1, full=True)[0]
LOST = lost_orders()

Answer = Callable[[dict[str, Any]], "bytes | None"]


class InMemory:
    """Stands in for the process of a program: a function answers each turn at once, or not at all."""

    unread = 0

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.heard: list[dict[str, Any]] = []
        self.said: deque[OutputLine] = deque()

    def send(self, text: str) -> None:
        message = json.loads(text)
        self.heard.append(message)
        if message["type"] in ("turn", "preview"):
            for line in (self.answer(message) or b"").splitlines():
                self.said.append(OutputLine(line, time.monotonic()))

    def receive(self, until: float) -> OutputLine | Gone | None:
        return self.said.popleft() if self.said else None

    def close(self) -> None: ...

    def verdict(self) -> str:
        return ""

    def last_words(self) -> str:
        return "nothing"


class InMemoryPlayer(ProgramPlayer):
    """A program that is a function in this process; when it does not answer, it times out at once."""

    def __init__(self, answer: Answer, **options: Any) -> None:
        super().__init__([sys.executable], **options)
        self.sandbox = ""  # it runs in this process
        self.answer = answer
        self.links: list[InMemory] = []

    def start(self) -> Any:
        self.links.append(InMemory(self.answer))
        return self.links[-1]

    def heard(self, kind: str) -> list[dict[str, Any]]:
        return [message for link in self.links for message in link.heard if message["type"] == kind]


def written(folder: Path, code: str, **options: Any) -> ProgramPlayer:
    """Return a player whose program is this Python code, written to a file."""
    script = folder / "program.py"
    script.write_text(PRELUDE + code)
    return ProgramPlayer([sys.executable, "-S", "-E", str(script)], **{"seconds": 5.0, "sandbox": "none", **options})


def some_orders(turn: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return random legal orders for a turn."""
    legal = turn["legal"]
    cards = chance.sample(legal["cards"], len(legal["cards"]))
    if legal["first_card_moves"]:
        cards.sort(key=lambda card: not card.startswith(("move", "back")))
    program = [cards.pop(0) if r in legal["registers"] and cards else None for r in range(1, 6)]
    orders: dict[str, Any] = {"program": program}
    if legal["facing"]:
        orders["facing"] = chance.choice(legal["facing"])
    if legal["power_down"] and chance.random() < 0.1:
        orders["power_down"] = True
    return orders


JUNK = [
    b"", b"null", b"-1", b"1e999", b"[]", b"{}", b'"\\ud800"', b"NaN", b"true", b'"move_1"', b"9" * 5000, b"[" * 3000,
]  # fmt: skip


def mutated(line: bytes, chance: random.Random) -> bytes:
    """Return a line with one to three random changes, without line ends in it."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(line) + 1)
        to = min(len(line), at + chance.randint(1, 12))
        piece = line[at:to]
        match chance.randrange(6):
            case 0:
                line = line[:at] + bytes([chance.randrange(256)]) + line[at + 1 :]
            case 1:
                line = line[:at] + line[to:]
            case 2:
                line = line[:at] + piece + piece + line[to:]
            case 3:
                line = line[:at] + chance.choice(JUNK) + line[to:]
            case 4:
                line = line[:at]
            case 5:
                words = line.split(b'"')
                words[chance.randrange(len(words))] = chance.choice(JUNK)
                line = b'"'.join(words)
    return line.translate(None, b"\r\n\v\f\x1c\x1d\x1e\x85")


VALUES: list[Any] = [
    None, True, False, 0, 1, 5, -1, 84, 2**70, 0.5, 1e308, "", "n", "auto", "move_1", "move_9@5", "brakes", "big_gun",
    "\ud800\x00", "9" * 5000, "u_turn@" + "9" * 5000, [], {}, [None] * 5, [1, 2, 3, 4, 5], [1] * 6, ["move_1"] * 5,
    [0, 2, 1], [[]], {"card": 3}, {"card": "move_1", "register": 3}, {"card": None, "register": 9}, {"card": 1, "x": 2},
    [[1], {}],
]  # fmt: skip


def strange(orders: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Change one or two values or names of orders to random ones, most of which are not allowed."""
    for _ in range(chance.randint(1, 2)):
        match chance.randrange(4):
            case 0 | 1:
                orders[chance.choice(FIELDS)] = chance.choice(VALUES)
            case 2:
                program = orders.get("program")
                if isinstance(program, list) and program:
                    program[chance.randrange(len(program))] = chance.choice(VALUES)
            case 3:
                orders["".join(chance.choices("programdown_@", k=7))] = chance.choice(VALUES)
    return orders


def mutated_answer(turn: dict[str, Any], chance: random.Random) -> bytes:
    """Return an answer to a turn, mutated by its bytes or by its values; most of them are refused."""
    orders = some_orders(turn, chance)
    if chance.random() < 0.5:
        return json.dumps({"id": turn["id"], "orders": strange(orders, chance)}).encode()
    return mutated(json.dumps({"id": turn["id"], "orders": orders}).encode(), chance)


def play(arena: Arena, games: np.ndarray, orders: np.ndarray | None = None, seat: int = 0) -> None:
    """Play a turn in which all seats but one have default orders."""
    everybody = no_orders(len(games), 8, full=True)
    if orders is not None:
        everybody[:, seat] = orders
    arena.play(games, everybody)


def some_legal(turn: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """Return random orders from the field `legal` of a turn of protocol 2: every order of it has some value."""
    legal = turn["legal"]
    program = legal["program"]
    cards = chance.sample(program["cards"], len(program["cards"]))
    if program["first_card_moves"]:
        cards.sort(key=lambda card: not card.startswith(("move", "back")))
    orders: dict[str, Any] = {
        "program": [cards.pop(0) if r in program["registers"] and cards else None for r in range(1, 6)]
    }
    for name, choice in legal.items():
        if name in ("program", "second", "movement_option"):
            continue
        values = choice["values"]
        if name in ("conditional", "flywheel", "copter"):  # cards that are not in the program
            value = chance.choice([None, *(card for card in cards if card in values)])
            if value is not None:
                cards.remove(value)
            if name == "conditional" and value is not None:
                value = {"card": value, "register": chance.choice(choice["into_registers"])}
            if name == "flywheel" and turn["view"]["stored"] not in (None, *orders["program"]):
                value = None  # the card that is stored is not used
            orders[name] = value
        elif "at_most" in choice:
            orders[name] = chance.sample(values, chance.randint(0, choice["at_most"]))
        elif name == "gadget":  # what lies there is used up: one of a kind
            laid = chance.choice(values)
            orders[name] = [laid if r == 2 else "none" for r in range(5)]
        elif "registers" in choice:
            orders[name] = [chance.choice(values) for _ in range(5)]
        else:
            orders[name] = chance.choice(values)
    if "movement_option" in legal and not orders.get("homing"):
        choice = legal["movement_option"]
        word, register = chance.choice(choice["values"]), chance.choice(choice["registers"])
        seconds = [None] * 5
        if word in choice["open_registers_only"] and register not in program["registers"]:
            word = "none"
        elif word in choice["pairs"]:
            fits = [second for first, second in choice["pairs"][word] if first == orders["program"][register - 1]]
            fits = [second for second in fits if second in cards]
            seconds[register - 1] = chance.choice(fits) if fits else None
            word = word if fits else "none"
            if fits:
                cards.remove(seconds[register - 1])
        orders["movement_option"] = [word if r == register else "none" for r in range(1, 6)]
        orders["second"] = seconds
    return orders


def legal(turn: dict[str, Any]) -> bytes:
    return json.dumps({"id": turn["id"], "orders": some_orders(turn, random.Random(turn["chance"]))}).encode()
