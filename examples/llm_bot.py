#!/usr/bin/env python3
"""A bot for RoboRally that asks a language model: any server with the interface of OpenAI's chat completions.

It needs nothing but Python, and is configured by environment variables:

    LLM_BOT_URL         the address up to and including /v1, such as http://localhost:8000/v1
    LLM_BOT_MODEL       the name of the model
    LLM_BOT_KEY         the key, if the server wants one
    LLM_BOT_TRANSCRIPT  a file to which every question and answer is appended, a line of JSON for each turn

    rr-gym race --players "program:seconds=60 sandbox=none python3 examples/llm_bot.py",greedy

If an answer is not a legal program, the model is told what is wrong and asked once more. If the second answer is not
legal either, or the time is up, the robot gets default orders: a random program.
"""

from __future__ import annotations

import http.client
import json
import os
import queue
import re
import sys
import threading
import time
import urllib.request
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # only for type checkers, so that Python 3.8 runs it
    from typing import Any

    Message = dict[str, Any]

FACINGS = {"n": "north", "e": "east", "s": "south", "w": "west"}
MOVEMENTS = ("move_1", "move_2", "move_3", "back_up")
RESERVE = 0.3  # seconds of a turn's time limit that are kept for sending the orders
MAX_ANSWER = 1 << 20  # bytes that are read of an answer
FAILURES = (OSError, ValueError, RecursionError, http.client.HTTPException)  # errors of network, server and JSON

RULES = """You play RoboRally. Every turn all players secretly put cards into five registers. Then the programs run at
once, phase by phase: the cards of the phase by priority (the number behind @), then belts, pushers, gears and lasers.
Robots push each other. Touch the flags in the order of their numbers before the others do; a flag counts if you stand
on it at the end of a phase. Pits and the edge of the map destroy your robot. Every point of damage costs a card of
the next hand; from 5 points on registers are locked."""
TOKENS = """Tokens: . floor; X pit; - no board; ^ > v < belts and ^^ >> vv << express belts (>:n turns what comes from
the north); L R gears; w1 w2 repair sites; P pusher and C crusher with their phases; #1 flag; @1 start; behind /: n e s
w walls on these sides, *1 a laser mount on the side before it."""
ANSWER = """Answer with one JSON object and nothing else: {"program": [...]} with five entries: a card of your hand for
each open register, each card at most once, and null for a locked register."""


def course_text(course: Message) -> str:
    """Describe the map of a course in text."""
    rows = [" ".join(token or "-" for token in row) for row in course["grid"]]
    width, height = course["size"]
    head = f"The map has {width} x {height} squares. A square is (x, y), counted from 0 at the north-western corner."
    return "\n".join([head, "Rows from north to south:", *rows, TOKENS])


def position_text(turn: Message) -> str:
    """Describe in text what the seat sees in this turn."""
    view, legal, seat = turn["view"], turn["legal"], turn["seat"]
    lines = ["Flags: " + ", ".join(f"{k + 1} at {place(flag)}" for k, flag in enumerate(view["flags"]))]
    for robot in view["robots"]:
        who = f"Robot {robot['seat']}" + (" (you)" if robot["seat"] == seat else "")
        if robot["out"]:
            lines.append(f"{who} is out of the game")
            continue
        square = robot["square"]
        where = f"at {place(square)}" if square else f"off the board, back on {place(robot['archive'])}"
        facts = [f"{who}: {where}, facing {FACINGS[robot['facing']]}", f"damage {robot['damage']}"]
        facts.append(f"flags touched {robot['flag']}")
        facts += [word for word in ("virtual", "down") if robot[word]]
        lines.append("; ".join(facts))
    states = [
        f"{r} open" if r in legal["registers"] else f"{r} locked with {view['robots'][seat]['registers'][r - 1]}"
        for r in range(1, 6)
    ]
    lines += [f"Your registers: {', '.join(states)}", f"Your hand: {', '.join(legal['cards'])}"]
    if legal["first_card_moves"]:
        lines.append("Register 1 must get a movement card this turn.")
    return "\n".join(lines)


def place(square: list[int]) -> str:
    """Write a square as text, such as (3, 4)."""
    return f"({square[0]}, {square[1]})"


def read_program(text: str, legal: Message) -> list[str | None]:
    """Read the program in an answer. Raises ValueError, which says what is wrong, if it is not a legal program."""
    # The last one counts, since models may think aloud first.
    begins = [found.start() for found in re.finditer(r'\{\s*"program"', text)]
    begin = begins[-1] if begins else text.find("{")
    if begin < 0:
        raise ValueError("there is no JSON object in it")
    try:
        answer, _ = json.JSONDecoder().raw_decode(text, begin)
    except RecursionError:
        raise ValueError("too many brackets are nested in it") from None
    program = answer.get("program")
    if not isinstance(program, list) or len(program) != 5:
        raise ValueError('expected {"program": [...]} with five entries')
    used = []
    for register, card in enumerate(program, 1):
        if register not in legal["registers"]:
            if card is not None:
                raise ValueError(f"register {register} is locked: expected null")
        elif card not in legal["cards"]:
            raise ValueError(f"register {register}: {json.dumps(card)[:40]} is not a card of your hand")
        elif card in used:
            raise ValueError(f"register {register}: {card} is there twice")
        elif register == 1 and legal["first_card_moves"] and card.partition("@")[0] not in MOVEMENTS:
            raise ValueError("register 1 must get a movement card this turn")
        else:
            used.append(card)
    return program


class Model:
    """A language model, reached over HTTP at the address in the environment variables."""

    def __init__(self) -> None:
        self.url = os.environ.get("LLM_BOT_URL", "http://localhost:8000/v1").rstrip("/") + "/chat/completions"
        self.name = os.environ.get("LLM_BOT_MODEL", "default")
        self.key = os.environ.get("LLM_BOT_KEY", "")
        self.transcript = os.environ.get("LLM_BOT_TRANSCRIPT", "")
        if not re.match("https?://[^/]", self.url):
            raise SystemExit(f"LLM_BOT_URL: {self.url!r}: expected an address that begins with http:// or https://")
        if self.transcript:
            try:
                open(self.transcript, "a", encoding="utf-8").close()
            except OSError as error:
                raise SystemExit(f"LLM_BOT_TRANSCRIPT: {error}") from None

    def ask(self, messages: list[Message], seconds: float) -> str:
        """Ask the model and return its answer. Raises OSError, HTTPException or ValueError if there is none in time.

        The time limit is for the whole answer: a server that sends a byte now and then would keep a socket busy for
        ever.
        """
        answers: queue.Queue[str | Exception] = queue.Queue()

        def work() -> None:
            try:
                answers.put(self.request(messages, seconds))
            except Exception as error:
                answers.put(error)

        threading.Thread(target=work, daemon=True).start()
        try:
            found = answers.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError("the time is up") from None
        if isinstance(found, Exception):
            raise found
        return found

    def request(self, messages: list[Message], seconds: float) -> str:
        """Send the request and return the answer; `seconds` is the longest time without a byte."""
        body = json.dumps({"model": self.name, "messages": messages, "temperature": 0}).encode()
        headers = {"Content-Type": "application/json"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(self.url, body, headers)
        with urllib.request.urlopen(request, timeout=seconds) as response:
            answer = json.loads(response.read(MAX_ANSWER))
        try:
            content = answer["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            raise ValueError("the server's answer has no choices[0].message.content") from None
        if not isinstance(content, str):
            raise ValueError("the server's answer has no text")
        return content

    def decide(self, turn: Message, course: Message) -> Message:
        """Return the orders for one turn; empty orders, which are the default, if no answer holds a legal program."""
        legal = turn["legal"]
        if not legal["registers"] or not legal["cards"]:
            return {}
        until = time.monotonic() + turn["seconds"] - RESERVE
        question = "\n\n".join([course_text(course), position_text(turn), ANSWER])
        messages = [{"role": "system", "content": RULES}, {"role": "user", "content": question}]
        orders: Message = {}
        faults = []
        for _ in range(2):
            left = until - time.monotonic()
            if left <= 0:
                faults.append("the time is up")
                break
            try:
                text = self.ask(messages, left)
            except FAILURES as error:  # there was no answer, so asking again would not help
                faults.append(f"{type(error).__name__}: {error}")
                break
            messages.append({"role": "assistant", "content": text})
            try:
                orders = {"program": read_program(text, legal)}
                break
            except ValueError as error:
                faults.append(str(error))
                messages.append({"role": "user", "content": f"That is not a legal program: {error}. {ANSWER}"})
        self.keep({"game": turn["game"], "turn": turn["turn"], "seat": turn["seat"], "messages": messages,
                   "faults": faults, "orders": orders})  # fmt: skip
        return orders

    def keep(self, record: Message) -> None:
        """Append a turn to the transcript, if one is kept."""
        if self.transcript:
            with open(self.transcript, "a", encoding="utf-8") as file:
                file.write(json.dumps(record) + "\n")


def main() -> None:
    """Read messages line by line, and answer every turn, until the input ends."""
    model = Model()
    courses: dict[str, Message] = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "course":
            courses[message["course"]] = message
        elif message["type"] == "turn":
            orders = model.decide(message, courses[message["course"]])
            print(json.dumps({"id": message["id"], "orders": orders}), flush=True)
        elif message["type"] == "error":
            print(message["message"], file=sys.stderr)


if __name__ == "__main__":
    main()
