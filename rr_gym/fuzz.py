"""Play randomly on random courses with random settings, and check every invariant after every turn."""

from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.courses.library import list_courses, load_course
from rr_gym.courses.text.board_format import format_board
from rr_gym.courses.text.boards import list_boards, load_board
from rr_gym.courses.text.grammar import Cell, TextPlace, read_cell
from rr_gym.differential import play_again
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.errors import RoboRallyError
from rr_gym.file_records import find_problems
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import (
    BEST_CARD,
    BY_VALUE,
    MAX_ROBOTS,
    NUM_OPTIONS,
    NUM_REGISTERS,
)
from rr_gym.rules.state.option_cards import NO_OPTION, OPTION_NAMES
from rr_gym.rules.state.order_table import FIELDS
from rr_gym.rules.state.records import FULL_ORDERS, ElementDecisions, OptionDecisions, no_orders
from rr_gym.rules.state.settings import Settings
from rr_gym.transcribe import scenario_of

Array = np.ndarray[Any, Any]

TURNS_PER_COURSE = 40
GENERATED_SHARE = 0.7  # share of the courses that are generated; the others are built in
EXPANSIONS_SHARE = 0.8  # share of the generated courses that have elements of expansions
MAX_SHOWN = 3  # how many broken invariants are reported for one game
ATTEMPTS = 20  # the number of attempts to generate a board with room for all chosen elements
ILLEGAL_SHARE = 0.02  # share of the orders that are arbitrary numbers, which the rules must repair
WILD_SHARE = 0.2  # share of the orders with options that the robot may not own, too many tokens, or cards used twice
OPTIONS_SHARE = 0.85  # share of the arenas with option cards
GIFTS_SHARE = 0.3  # share of the games in which all robots are given options before a turn
MAX_GIFTS = 7  # robots are given options until each owns a random number of at most this many

# The lowest and highest value of each decision: first of the base game and board elements, then about options
_CHOICES = {name: FIELDS[name].range for name in ("facing", "unlock", "site", "square", *ElementDecisions.fields)}
_OPTION_CHOICES = {name: FIELDS[name].range for name in OptionDecisions.fields}
_OPTION_CHOICES |= {
    "self_destruct": (-30, NUM_REGISTERS),  # mostly negative values, which mean no register
    "give_up": (NO_OPTION, NUM_OPTIONS - 1),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """A game with a problem, such as a broken invariant, and what is needed to reproduce it."""

    seed: int
    num_games: int
    turn: int  # -1: before the first turn
    game: int
    text: str
    scenario: dict[str, Any]

    @property
    def command(self) -> str:
        """Return the command line that plays the same games up to and including this turn."""
        turns = max(1, self.num_games * (self.turn + 1))
        return f"rr-gym fuzz --seed {self.seed} --batch {self.num_games} --turns {turns}"


@dataclass(slots=True)
class Tally:
    """The progress of a run: game turns and courses played, findings, and digests of final games."""

    turns: int = 0
    courses: int = 0
    findings: list[Finding] = field(default_factory=list)
    digests: list[str] = field(default_factory=list)  # of the final games on each course


def random_settings(rng: random.Random) -> dict[str, Any]:
    """Draw values for about half of the settings; option cards are on with probability `OPTIONS_SHARE`."""
    chosen: dict[str, Any] = {}
    for setting in fields(Settings):
        if rng.random() < 0.5:
            values = list(setting.metadata.get("values", ()))
            if "cards" in setting.metadata:
                values.append(",".join(rng.sample(OPTION_NAMES, rng.randint(1, len(OPTION_NAMES)))))
            if "range" in setting.metadata:
                low, high = setting.metadata["range"]
                values.append(rng.randint(low, min(high, 9)))
            chosen[setting.name] = rng.choice(values)
    chosen["option_cards"] = "on" if rng.random() < OPTIONS_SHARE else "off"
    return chosen


def random_orders(arena: Arena, games: Array, rng: np.random.Generator) -> Array:
    """Draw orders of all seats: most are legal, some have illegal decisions, a few are arbitrary numbers.

    Returns:
        Shape (n, 8), dtype `FULL_ORDERS`.
    """
    n = len(games)
    orders = no_orders(n, MAX_ROBOTS, full=True)
    words = rng.integers(0, 1 << 63, n, np.uint64)
    if plays_options(arena):
        random_option_orders(arena, games, orders, words)
    else:
        arena.random_orders(games, orders, words)
    orders["power_down"] = rng.random((n, MAX_ROBOTS)) < 0.08
    orders["stay_down"] = rng.random((n, MAX_ROBOTS)) < 0.3
    orders["breaker"] = rng.random((n, MAX_ROBOTS)) < 0.5
    orders["late"] = rng.random((n, MAX_ROBOTS)) < 0.05
    _fill(orders, _CHOICES, rng)
    wild = rng.random((n, MAX_ROBOTS)) < WILD_SHARE
    orders[wild] = _wild_orders(orders, games, rng)[wild]
    illegal = rng.random((n, MAX_ROBOTS)) < ILLEGAL_SHARE
    for name in FULL_ORDERS.names or ():
        orders[name][illegal] = rng.integers(-128, 128, orders[name][illegal].shape)
    return orders


def plays_options(arena: Arena) -> bool:
    """Tell whether any course of an arena is played with option cards."""
    return any(settings.option_cards == "on" for settings in arena.settings)


def _fill(orders: Array, ranges: Mapping[str, tuple[int, int]], rng: np.random.Generator) -> None:
    """Fill fields of orders, in place, with random numbers within the range of each field."""
    for name, (low, high) in ranges.items():
        orders[name] = rng.integers(low, high + 1, orders[name].shape)


def _wild_orders(orders: Array, games: Array, rng: np.random.Generator) -> Array:
    """Return a copy of the orders with random decisions about all options, owned or not, and random cards of hands."""
    wild = orders.copy()
    _fill(wild, _OPTION_CHOICES, rng)
    robots = games["robots"][:, :MAX_ROBOTS]
    hands = np.concatenate([robots["hand"], np.full((*robots.shape, 1), BEST_CARD, np.int8)], axis=2)
    for name in ("second", "conditional", "flywheel", "copter"):
        shape = wild[name].shape
        picks = rng.integers(0, hands.shape[2], (*shape[:2], shape[2] if len(shape) == 3 else 1))
        wild[name] = np.take_along_axis(hands, picks, axis=2).reshape(shape)
    shuffled = rng.permuted(np.repeat(games["buzz_program"][:, None], MAX_ROBOTS, axis=1), axis=2)
    wild["buzz_program"] = shuffled
    wild["give_up"][..., 0] = np.where(rng.random(wild.shape) < 0.5, BY_VALUE, wild["give_up"][..., 0])
    return wild


@cache
def playable_courses() -> tuple[str, ...]:
    """Return the names of the built-in courses whose rules are all implemented."""
    playable = []
    for name in list_courses():
        try:
            Arena(name)
        except RoboRallyError:
            continue
        playable.append(name)
    return tuple(playable)


@cache
def bare_boards() -> tuple[str, ...]:
    """Return the names of the built-in boards without start squares."""
    return tuple(name for name in list_boards() if not load_board(name).numbered("start"))


def populated_course(name: str, rng: random.Random) -> Course:
    """Make a course from a board without starts: put eight starts and three flags on random squares of open floor."""
    board = load_board(name)
    floor = [(x, y) for x, y, cell in board.squares() if [item.element for item in cell.items] == ["open_floor"]]
    words = [*(f"@{k}" for k in range(1, MAX_ROBOTS + 1)), *(f"#{k}" for k in range(1, 4))]
    added = dict(zip(rng.sample(floor, len(words)), words, strict=True))

    def laid(x: int, y: int, cell: Cell) -> Cell:
        word = added.get((x, y))
        return cell if word is None else replace(cell, items=read_cell(TextPlace(name, 0, 0, word)).items)

    cells = tuple(tuple(laid(x, y, cell) for x, cell in enumerate(row)) for y, row in enumerate(board.cells))
    return Course.from_board(format_board(replace(board, cells=cells)), name)


def random_elements(rng: random.Random) -> list[str]:
    """Return the ids of 1 to 14 random elements of expansions or, one time in ten, the name of a whole expansion."""
    from rr_gym.generate.courses import SETS

    if rng.random() < 0.1:
        return [rng.choice(list(SETS))]
    return rng.sample(SETS["all"], rng.randint(1, 14))


def generated(rng: random.Random) -> Course:
    """Generate a random course, which need not be solvable."""
    from rr_gym.generate import GenerateError, generate_course

    for _ in range(ATTEMPTS):
        elements = random_elements(rng) if rng.random() < EXPANSIONS_SHARE else []
        size = rng.randint(12, 16) if len(elements) == 1 else rng.randint(8, 14)
        try:
            return generate_course(
                rng.randrange(1 << 31), size, rng.randint(8, 16), rng.randint(1, 4),
                difficulty=rng.choice(("easy", "medium", "hard")), elements=elements, solvable=False,
            )  # fmt: skip
        except GenerateError:
            continue  # too much for a board of this size
    return generate_course(rng.randrange(1 << 31), solvable=False)


def random_arena(rng: random.Random) -> tuple[Arena, int]:
    """Return an arena with a random course and random settings, and a random number of robots, 1 to 8."""
    if rng.random() < GENERATED_SHARE:
        course = generated(rng)
    elif rng.random() < 0.5:
        course = populated_course(rng.choice(bare_boards()), rng)
    else:
        course = load_course(rng.choice(playable_courses()))
    settings = random_settings(rng)
    try:
        arena = Arena(course, settings)
    except RoboRallyError:  # courses near the maximum size leave no room in the tables for boards that turn
        arena = Arena(course, settings | {"rotate_board_on_flag": "off"})
    return arena, rng.randint(1, MAX_ROBOTS)


def play_batch(seed: int, num_games: int, against: Sequence[str] = ()) -> Iterator[tuple[int, list[Finding], Array]]:
    """Play the games of one course and one seed, turn by turn.

    Args:
        seed: The seed of the course, the settings, the deals and the orders.
        num_games: The size of the batch.
        against: Choices of accelerators (`rr_gym.compilation.accelerators`), with which every turn is played again
            and compared.

    Yields:
        The number of game turns played, the findings in them, and the games, shape (n,), dtype `GAME`. The batch ends
        with its first findings, because a broken game stays broken.
    """
    rng = random.Random(seed)
    arena, num_robots = random_arena(rng)
    chance = np.random.default_rng(seed)
    games = arena.new_games(num_games, num_robots, seed=seed)
    found = [
        Finding(seed, num_games, -1, g, f"at the start: {text}", scenario_of(arena, games[g], None, None))
        for g, text in _violations(arena, games).items()
    ]
    yield 0, found, games
    for turn in range(TURNS_PER_COURSE):
        if found:
            return
        if plays_options(arena):
            arena.equip(games, int(chance.integers(MAX_GIFTS + 1)), chance.random(num_games) < GIFTS_SHARE)
        before, orders = games.copy(), random_orders(arena, games, chance)
        failed = _play(arena, games, orders)
        for choice in against if not failed else ():
            differing = play_again(arena, before, orders, games, choice)
            failed |= {g: f"with the accelerators {choice!r}: {text}" for g, text in differing.items()}
        found = [
            Finding(
                seed, num_games, turn, g, text,
                scenario_of(arena, before[g], orders[g], None if g in failed else games[g]),
            )
            for g, text in (_violations(arena, games) | failed).items()
        ]  # fmt: skip
        yield num_games, found, games
        arena.restart(games, games["over"] == 1)


def _violations(arena: Arena, games: Array) -> dict[int, str]:
    """Return by index in the batch, for each game that has problems, a description of the first few of them."""
    texts: dict[int, list[str]] = {}
    for violation in find_problems(games, arena):
        texts.setdefault(violation.game, []).append(violation.text)
    return {
        g: "; ".join(found[:MAX_SHOWN]) + ("; ..." if len(found) > MAX_SHOWN else "") for g, found in texts.items()
    }


def _play(arena: Arena, games: Array, orders: Array) -> dict[int, str]:
    """Play one turn in place; return an error message for each game in which the rules index out of bounds.

    Such games are restored to the state before the turn. They are detected only with NUMBA_BOUNDSCHECK=1 or when the
    rules run uncompiled.
    """
    before = games.copy()
    try:
        arena.play(games, orders)
    except IndexError:
        games[:] = before
    else:
        return {}
    failed = {}
    for g in range(len(games)):
        try:
            arena.play(games[g : g + 1], orders[g : g + 1])
        except IndexError as error:
            failed[g] = f"the rules failed: {error}"
            games[g] = before[g]
    return failed


def fuzz(
    tally: Tally,
    *,
    turns: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    num_games: int = 128,
    digests: bool = False,
    against: Sequence[str] = (),
    report: Callable[[Tally], None] = lambda tally: None,
) -> None:
    """Play course after course until a number of game turns, or a time, is reached.

    Args:
        tally: Updated in place after every turn, so that it is correct when the run is interrupted.
        turns: Game turns to play; None for no limit.
        seconds: Time to play; None for no limit.
        seed: The seed of the first course; the next courses have the next numbers.
        num_games: The number of games that are played on one course at the same time.
        digests: Whether to add digests of the final games to `tally.digests`.
        against: Choices of accelerators, with which every turn is played again and compared.
        report: Called with the tally after every turn of a batch.
    """
    end = None if seconds is None else time.monotonic() + seconds
    while True:
        tally.courses += 1
        tally.digests.append("")
        for played, found, games in play_batch(seed + tally.courses - 1, num_games, against):
            tally.turns += played
            tally.findings += found
            if digests:
                tally.digests[-1] = hashlib.blake2b(games.tobytes(), digest_size=8).hexdigest()
            report(tally)
            if (turns is not None and tally.turns >= turns) or (end is not None and time.monotonic() >= end):
                return
