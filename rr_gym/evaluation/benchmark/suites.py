"""The suites of the player benchmark: fixed rows of games (docs/player-benchmark.md).

A published suite never changes: changes go into a new one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from typing import Any

from rr_gym.courses import Course, load_course
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr
from rr_gym.evaluation.benchmark.references import Reference, read_reference

RESERVED_SEEDS = range(10**12, 10**12 + 10**6)  # seeds of generated courses that nobody may train on
LATEST = "v2"


class SuiteError(RoboRallyError):
    """A suite or a row that does not exist."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A course of `rr_gym.generate` with only a seed and a difficulty."""

    seed: int
    difficulty: str


CourseName = str | Generated


@cache
def course_of(name: CourseName) -> Course:
    """Load or generate the course that a row names; the course is cached."""
    if isinstance(name, str):
        return load_course(name)
    from rr_gym.generate import generate_course

    return generate_course(name.seed, difficulty=name.difficulty)


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """Games of one kind.

    Attributes:
        name: The name of the row.
        group: What it tests; rows of a group can be requested together.
        doc: A description in a few words.
        courses: The courses, on each of which the same number of games is played.
        others: The background players at the table.
        copies: The number of robots of the player under test at the table.
        settings: Settings of the game by name.
        max_cycles: Turns after which a game is truncated.
        games: The number of games, rounded up so that all courses have the same number and all deals all rotations.
    """

    name: str
    group: str
    doc: str
    courses: tuple[CourseName, ...]
    others: tuple[str, ...] = ()
    copies: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    max_cycles: int = 60
    games: int = 400

    @property
    def seats(self) -> int:
        """Robots at the table."""
        return self.copies + len(self.others)

    @property
    def course_ids(self) -> tuple[str, ...]:
        """The ids of its courses."""
        return tuple(course_of(course).id for course in self.courses)

    @property
    def deals(self) -> int:
        """How many deals are played on each course; with three or more robots, every second one in reverse order."""
        directions = 2 if self.seats > 2 else 1
        return -(-self.games // (self.seats * len(self.courses) * directions)) * directions

    @property
    def num_games(self) -> int:
        """How many games are played."""
        return self.deals * self.seats * len(self.courses)


@dataclass(frozen=True, slots=True)
class Suite:
    """Rows of games under one name.

    Attributes:
        name: The name of the suite, such as ``v2``.
        rows: The rows that are played.
        reference: The scores that stand for 0 and 100, and digests of the games; None without one.
    """

    name: str
    rows: tuple[SuiteRow, ...]
    reference: Reference | None = None

    def chosen(self, words: Iterable[str] = (), games: int | None = None) -> Suite:
        """Return a copy of the suite with only some of its rows, or with fewer games in each.

        Args:
            words: Names of rows or groups; none for all.
            games: The maximum number of games in each row; None for all.

        Raises:
            SuiteError: There is no such row or group.
        """
        if isinstance(words, str):
            raise SuiteError(f"rows: {short_repr(words)}: expected a list of names")
        words = list(words)
        known = [name for row in self.rows for name in (row.group, row.name)]
        for word in words:
            if word not in known:
                hint = did_you_mean(word, known) or f"expected {' | '.join(dict.fromkeys(known))}"
                raise SuiteError(f"suite {self.name}: there is no row '{word}': {hint}")
        rows = [row for row in self.rows if not words or row.name in words or row.group in words]
        if games is not None:
            rows = [replace(row, games=min(games, row.games)) for row in rows]
        return replace(self, rows=tuple(rows))


def seed_of(suite: str, row: str, course: str) -> int:
    """Return the seed of deals and players for a row on one of its courses, from 0 to 2**63 - 1."""
    return int.from_bytes(blake2b(f"{suite}/{row}/{course}".encode(), digest_size=8).digest()) >> 1


def load_suite(name: str = LATEST) -> Suite:
    """Load a built-in suite by its name. Raises SuiteError if there is none."""
    if name not in SUITES:
        hint = did_you_mean(name, SUITES) or f"expected {' | '.join(SUITES)}"
        raise SuiteError(f"there is no suite '{name}': {hint}")
    return Suite(name, SUITES[name], read_reference(name))


_PLANNER = "planner:500"  # with a small budget, since its decisions take most of the time of a benchmark
_TRIO = ("greedy", "racer", _PLANNER)
_GENERATED = tuple(Generated(RESERVED_SEEDS[i], "medium" if i < 3 else "hard") for i in range(6))
_DUELS = ("risky_exchange", "chop_shop_challenge", "death_trap")
_FOUR = ("risky_exchange", "island_hop", "vault_assault")
_EIGHT = ("checkmate", "whirlwind_tour")
_OPTIONS = {"option_cards": "on", "start_options": 3}

SUITES: dict[str, tuple[SuiteRow, ...]] = {
    "v2": (
        SuiteRow("solo", "solo", "racing alone",
            ("risky_exchange", "island_hop", "pilgrimage", "whirlwind_tour", "oddest_sea")),
        SuiteRow("duel_random", "duels", "a duel with random", _DUELS, ("random",)),
        SuiteRow("duel_greedy", "duels", "a duel with greedy", _DUELS, ("greedy",)),
        SuiteRow("duel_racer", "duels", "a duel with racer", _DUELS, ("racer",)),
        SuiteRow("duel_planner", "duels", "a duel with planner", _DUELS, ("planner",)),
        SuiteRow("four_visitor", "four", "alone among three others", _FOUR, _TRIO),
        SuiteRow("four_resident", "four", "three of its kind and one visitor", _FOUR, (_PLANNER,), copies=3),
        SuiteRow("eight_visitor", "eight", "alone among seven others", _EIGHT,
            ("random", *_TRIO, *_TRIO)),
        SuiteRow("eight_resident", "eight", "five of its kind and three visitors", _EIGHT, _TRIO, copies=5),
        SuiteRow("expansions_solo", "expansions", "racing alone on expansion elements",
            ("high_water", "critical_mass", "grand_tour", "night_shift", "hot_metal")),
        SuiteRow("expansions_four", "expansions", "four robots on expansion elements",
            ("critical_mass", "hot_metal", "all_the_fun"), _TRIO),
        SuiteRow("options_duel", "options", "a duel with option cards", _DUELS, ("planner",), settings=_OPTIONS),
        SuiteRow("options_four", "options", "four robots with option cards", _FOUR, _TRIO, settings=_OPTIONS),
        SuiteRow("generated_solo", "generated", "racing alone on unseen courses", _GENERATED),
        SuiteRow("generated_four", "generated", "four robots on unseen courses", _GENERATED, _TRIO),
    ),
}  # fmt: skip
