#!/usr/bin/env python3
"""A bot for RoboRally that needs nothing but Python: it reads turns from stdin and writes orders to stdout.

It looks for the program that ends nearest the next flag. It understands walls, pits, belts and gears, and treats
everything else as floor. Run it with: rr-gym race --players "program:python3 examples/python_bot.py",greedy
"""

from __future__ import annotations

import json
import re
import sys
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # only for type checkers, so that Python 3.8 runs it
    from collections.abc import Iterable
    from typing import Any

    Square = tuple[int, int]
    Message = dict[str, Any]
    End = tuple[Square, str] | None  # the square and the facing of a robot, None if it is destroyed
    Program = list[str | None]  # a card for each register, None for a locked one

STEPS = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}
SIDES = "nesw"
MOVES = {"move_1": 1, "move_2": 2, "move_3": 3, "back_up": -1, "none": 0}  # none: a register locked without a card
TURNS = {"rotate_right": 1, "u_turn": 2, "rotate_left": 3}
UNREACHABLE = 1000  # the distance of squares from which the flag cannot be reached


class Map:
    """The map of a course: where a step, a belt or a gear takes a robot from each square."""

    def __init__(self, message: Message) -> None:
        self.steps: dict[tuple[Square, str], Square | None] = {}  # by square and direction; None: into a pit
        self.belts: dict[Square, tuple[str, int, str]] = {}  # direction, speed, sides from which it turns robots
        self.gears: dict[Square, int] = {}  # quarter turns to the right
        self.distances: dict[Square, dict[Square, int]] = {}
        grid = message["grid"]
        floor = {(x, y): token for y, row in enumerate(grid) for x, token in enumerate(row) if token and safe(token)}
        closed = {
            (square, letter)
            for square, token in floor.items()
            for letter in "".join(re.findall("[/,]([nesw]+)", token))
        }
        for (x, y), token in floor.items():
            self.read_items((x, y), token.partition("/")[0].split("+"))
            for letter, (dx, dy) in STEPS.items():
                there, back = (x + dx, y + dy), turned(letter, 2)
                if ((x, y), letter) in closed or (there, back) in closed:
                    self.steps[(x, y), letter] = (x, y)
                else:
                    self.steps[(x, y), letter] = there if there in floor else None

    def read_items(self, square: Square, items: Iterable[str]) -> None:
        """Record the belt or the gear among the items of a square."""
        for item in items:
            if belt := re.fullmatch(r"([>^v<])(\1?)(?::([nesw]+))?", item):
                letter = SIDES["^>v<".index(belt[1])]
                self.belts[square] = letter, 1 + len(belt[2]), belt[3] or ""
            elif item in ("L", "R"):
                self.gears[square] = 1 if item == "R" else 3

    def steps_to(self, flag: Square) -> dict[Square, int]:
        """Return the number of steps to a flag from every square from which it can be reached."""
        if flag not in self.distances:
            distance, queue = {flag: 0}, deque([flag])
            backwards: dict[Square | None, list[Square]] = {}
            for (square, _), there in self.steps.items():
                backwards.setdefault(there, []).append(square)
            while queue:
                square = queue.popleft()
                for before in backwards.get(square, []):
                    if before not in distance:
                        distance[before] = distance[square] + 1
                        queue.append(before)
            self.distances[flag] = distance
        return self.distances[flag]

    def phase(self, square: Square, facing: str, card: str) -> End:
        """Return where a card, and then belts and gears, leave the robot: square and facing, or None in a pit."""
        end = self.move(square, facing, card)
        for speed in (2, 1):  # express belts first, then all
            if end and end[0] in self.belts and self.belts[end[0]][1] >= speed:
                end = self.ride(*end)
        if end and end[0] in self.gears:
            end = end[0], turned(end[1], self.gears[end[0]])
        return end

    def ride(self, square: Square, facing: str) -> End:
        """Return where a belt carries the robot that stands on it: square and facing, or None into a pit."""
        letter = self.belts[square][0]
        there = self.steps[square, letter]
        if there is None or there == square:
            return (there, facing) if there else None
        onto, _, turning = self.belts.get(there, (letter, 1, ""))
        if turned(letter, 2) in turning:  # the next belt turns robots that enter from this side
            facing = turned(facing, SIDES.index(onto) - SIDES.index(letter))
        return there, facing

    def move(self, square: Square, facing: str, card: str) -> End:
        """Return where a card moves the robot: square and facing, or None into a pit."""
        kind = card.partition("@")[0]
        if kind in TURNS:
            return square, turned(facing, TURNS[kind])
        count = MOVES[kind]
        letter = facing if count > 0 else turned(facing, 2)
        for _ in range(abs(count)):
            there = self.steps.get((square, letter))
            if there is None:
                return None
            square = there
        return square, facing


def turned(facing: str, quarters: int) -> str:
    """Return the direction that is `quarters` quarter turns to the right of `facing`."""
    return SIDES[(SIDES.index(facing) + quarters) % 4]


def safe(token: str) -> bool:
    """Tell whether a robot can stand on a square in every phase; `token` is the square's entry in the grid."""
    return not any(item[0] in "XBKC" for item in token.partition("/")[0].split("+"))


def decide(turn: Message, course: Map) -> Message:
    """Return the orders for one turn."""
    legal, view = turn["legal"], turn["view"]
    own = view["robots"][turn["seat"]]
    orders: Message = {}
    if own["damage"] >= 6 and legal["power_down"]:
        orders["power_down"] = True
    if not legal["registers"] or own["square"] is None:
        return orders
    flags = view["flags"]
    start = square_of(own["square"])
    flag = square_of(flags[min(own["flag"], len(flags) - 1)]) if flags else start
    steps = course.steps_to(flag)
    best: tuple[int, str, Program] | None = None
    for facing in legal["facing"] or [own["facing"]]:
        # Search all programs register by register, and merge those with the same end and the same cards left.
        ends: dict[tuple[Square, str, tuple[str, ...]], Program] = {(start, facing, ()): []}
        reached: tuple[int, Program] | None = None
        for register in range(5):
            after: dict[tuple[Square, str, tuple[str, ...]], Program] = {}
            for (square, looking, used), cards in ends.items():
                locked = own["registers"][register]
                choices = [locked] if locked else first_of_each_kind(legal["cards"], used)
                if register == 0 and legal["first_card_moves"] and not locked:
                    choices = [card for card in choices if card.partition("@")[0] in MOVES]
                for card in choices:
                    end = course.phase(square, looking, card)
                    if end is None:
                        continue
                    now_used = used if locked else tuple(sorted((*used, card)))
                    longer = [*cards, None if locked else card]
                    after.setdefault((*end, now_used), longer)
                    if end[0] == flag and (reached is None or register < reached[0]):
                        reached = register, longer
            if not after:  # every program ends in a pit: the other registers get random cards
                break
            ends = after
        for (square, _, _), cards in ends.items():
            score = steps.get(square, UNREACHABLE)
            if best is None or score < best[0]:
                best = score, facing, cards
        if reached:
            best = -1, facing, reached[1]
    if best:
        _, facing, cards = best
        orders["program"] = (cards + [None] * 5)[:5]
        if legal["facing"]:
            orders["facing"] = facing
    return orders


def square_of(pair: list[int]) -> Square:
    """Convert a square in a message, [x, y], into a tuple."""
    x, y = pair
    return x, y


def first_of_each_kind(cards: Iterable[str], used: tuple[str, ...]) -> list[str]:
    """Return the first unused card of each kind."""
    kinds: dict[str, str] = {}
    for card in cards:
        if card not in used:
            kinds.setdefault(card.partition("@")[0], card)
    return list(kinds.values())


def main() -> None:
    """Read messages line by line, and answer every turn, until the input ends."""
    courses: dict[str, Map] = {}
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "course":
            courses[message["course"]] = Map(message)
        elif message["type"] == "turn":
            orders = decide(message, courses[message["course"]])
            print(json.dumps({"id": message["id"], "orders": orders}), flush=True)
        elif message["type"] == "error":
            print(message["message"], file=sys.stderr)


if __name__ == "__main__":
    main()
