"""Games as tasks for language models: text in, text out, rewards, courses for training and others for tests."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rr_gym.courses import Course, load_course
from rr_gym.errors import RoboRallyError, one_of, short_repr, whole_number
from rr_gym.game import Game
from rr_gym.generate import generate_course
from rr_gym.play.preview import preview
from rr_gym.play.prompt import prompt
from rr_gym.play.story import story
from rr_gym.players import Player, SeatView
from rr_gym.registry import make_player

TRAIN, TEST = "train", "test"
# No board is in both, but for the docks. Every second task of either is on a generated course.
COURSES = {
    TRAIN: ("risky_exchange", "dizzy_dash", "bloodbath_chess", "lost_bearings", "pilgrimage"),
    TEST: ("island_hop", "chop_shop_challenge", "death_trap", "robot_stew", "vault_assault"),
}
SIZES = {TRAIN: 10_000, TEST: 200}
OPPONENTS = (("random",), ("greedy",), ("racer",), ("greedy", "random"), ("racer", "greedy", "random"))
DIFFICULTIES = ("easy", "medium", "hard")
SEAT = 0  # of the model
YOU = "your robot"
MOST_TURNS = 60
ATTEMPTS = 3  # answers to a position, after which the robot gets a random program
PREVIEWS = 5  # of a turn
_FIRST_TEST = 1_000_000  # the first seed of tests
HELP = (
    'To try a program first, answer {"preview": [...]} with the same five entries: you are told where it would lead '
    f"your robot if nobody else were on the board. You may do so {PREVIEWS} times in a turn."
)


class TextTaskError(RoboRallyError):
    """There is no such task."""


@dataclass(frozen=True, slots=True)
class TextTask:
    """A game that a language model is to play in seat 0. The game depends on this alone, and on the answers.

    Attributes:
        name: The split and the number of the task, such as ``train-17``.
        course: The id of a built-in course; empty for one that is generated from the seed.
        opponents: The names of the other players.
        seed: The seed of the game, the other players and the generated course.
    """

    name: str
    course: str
    opponents: tuple[str, ...]
    seed: int

    def load_course(self) -> Course:
        """Return the course."""
        if self.course:
            return load_course(self.course)
        return generate_course(self.seed, difficulty=DIFFICULTIES[self.seed % len(DIFFICULTIES)])


def text_task(split: str, number: int) -> TextTask:
    """Return a task.

    Args:
        split: ``train`` or ``test``.
        number: From 0, below `SIZES`.

    Raises:
        TextTaskError: There is no such split or number.
    """
    one_of("split", split, SIZES, TextTaskError)
    number = whole_number("number", number, 0, SIZES[split] - 1, TextTaskError)
    known = COURSES[split]
    course = known[number // 2 % len(known)] if number % 2 == 0 else ""
    seed = number + (_FIRST_TEST if split == TEST else 0)
    return TextTask(f"{split}-{number}", course, OPPONENTS[number % len(OPPONENTS)], seed)


class TextGame:
    """A game of a task in progress: positions as text, answers as text.

    Args:
        task: The task.

    Attributes:
        text: What the model is to answer: a position, or what was wrong with its last answer.
        illegal: How many answers were no legal orders.
        lost: How many turns were played with a random program, since no answer was legal.
    """

    def __init__(self, task: TextTask) -> None:
        self.task = task
        self._players: dict[int, Player] = {seat: make_player(name) for seat, name in enumerate(task.opponents, 1)}
        for seat, player in self._players.items():
            player.reset(task.seed + seat)
        self.game = Game(task.load_course(), 1 + len(self._players), task.seed)
        self.illegal = self.lost = 0
        self._begin_turn()

    @property
    def done(self) -> bool:
        """Tell whether the game is over or was truncated."""
        return self.game.over or self.game.turn >= MOST_TURNS

    @property
    def reward(self) -> float:
        """Return the reward so far, from 0 to 1.

        One half is the share of the flags that the robot has touched. The other half comes at the end and is its place:
        1 for the first, 0 for the last, evenly spaced between. The reward of a turn is the difference that it makes.
        """
        touched = int(self.game.record.robots[SEAT].flag) / len(self.game.course.flags)
        others = self.game.num_robots - 1
        place = (self.game.num_robots - self.game.placements[SEAT]) / others if self.done else 0.0
        return touched / 2 + place / 2

    def answer(self, text: str) -> str:
        """Take an answer of the model: play a turn, try a program, or say what is wrong.

        Args:
            text: Of several JSON objects in it, the last one with a program counts.

        Returns:
            The next `text`.

        Raises:
            TextTaskError: The game is done.
        """
        if self.done:
            raise TextTaskError(f"{self.task.name}: the game is over: expected a new one")
        try:
            orders = self._read(text)
            if "preview" in orders:
                self.text = self._preview(orders["preview"])
            else:
                self._play(orders)
        except RoboRallyError as error:
            self.illegal += 1
            self._wrong += 1
            if self._wrong < ATTEMPTS:
                self.text = f"That is no legal answer: {error}\nNothing was played. Answer again."
            else:
                self.lost += 1
                self._play({}, f"None of {ATTEMPTS} answers was legal, so your robot got a random program.\n\n")
        return self.text

    def _read(self, text: str) -> dict[str, Any]:
        """Return the orders in an answer. Raises RoboRallyError if there are none."""
        for begin in reversed([found.start() for found in re.finditer(r"\{", text)]):
            try:
                found, _ = json.JSONDecoder().raw_decode(text, begin)
            except (ValueError, RecursionError):
                continue
            if isinstance(found, dict) and ("program" in found or "preview" in found or not found):
                return found
        raise TextTaskError(f"{short_repr(text)}: expected a JSON object with a program")

    def _preview(self, program: Any) -> str:
        if self._previews == PREVIEWS:
            raise TextTaskError(f"preview: expected at most {PREVIEWS} in a turn")
        orders = self.game.resolve({SEAT: {"program": program}})[SEAT]
        self._previews += 1
        return "\n".join(preview(SeatView.of(self.game.arena, self.game.record, SEAT), orders, YOU))

    def _play(self, orders: dict[str, Any], note: str = "") -> None:
        mine: dict[int, Any] = {SEAT: orders} if orders else {}
        events = self.game.play({**mine, **self._players})
        names = [YOU, *(f"robot {seat} ({player.name})" for seat, player in self._players.items())]
        told = story(events, names, SEAT, self.game.course.size[0])
        happened = "\n".join(f"{heading}: {line}" for heading, lines in told for line in lines)
        self._begin_turn(f"{note}{happened}\n\n")

    def _begin_turn(self, before: str = "") -> None:
        """Begin a turn: neither answers nor previews so far."""
        self._wrong = self._previews = 0
        if self.done:
            self.text = f"{before}The game is over. Your place: {self.game.placements[SEAT]} of {self.game.num_robots}."
        else:
            self.text = f"{before}{prompt(self.game, SEAT)}\n{HELP}"


def first_legal_answer(text: str) -> str:
    """Return the answer of a scripted model: the first cards of the hand, or whatever is there, in the open registers.

    Args:
        text: A position, as `TextGame.text`.
    """
    hand = re.findall(r"\w+@\d+", _line("Your hand: ", text))
    registers = re.findall(r"\d (open|[\w@]+)", _line("Your registers: ", text))
    if not hand or not registers:
        return "{}"
    cards: Sequence[str | None] = [hand.pop(0) if state == "open" and hand else None for state in registers]
    return json.dumps({"program": cards})


def _line(begin: str, text: str) -> str:
    lines = [line for line in text.splitlines() if line.startswith(begin)]
    return lines[-1] if lines else ""
