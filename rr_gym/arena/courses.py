"""The courses of a season, drawn by its salt: built-in ones, built-in ones with moved flags, and generated ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from rr_gym import yaml12
from rr_gym.arena.lines import CourseDigest
from rr_gym.arena.season_salt import derive_seed
from rr_gym.arena.tables import LadderTable
from rr_gym.courses import Course, load_course
from rr_gym.generate import generate_course, is_solvable
from rr_gym.generate.chance import Chance
from rr_gym.generate.expansions import RECIPES

_TRIES = 30  # sets of flags to try before the flags stay where they are
_LEVELS = ("medium", "medium", "hard")


@dataclass(frozen=True)
class SeasonCourse:
    """A course of a season, which is made when it is first needed.

    Attributes:
        id: The id of the course.
        base: The built-in course that is played as it is (if it has this id) or with moved flags; empty for a
            generated course.
        seed: The seed for moving flags or generating.
        elements: How many kinds of expansion elements a generated course has.
    """

    id: str
    base: str
    seed: int
    elements: int

    @cached_property
    def course(self) -> Course:
        """Make the course."""
        if not self.base:
            chance = Chance(self.seed)
            elements = chance.shuffled(tuple(RECIPES))[: self.elements]
            course = generate_course(self.seed, difficulty=chance.choice(_LEVELS), elements=elements)
            return _renamed(course, self.id)
        return load_course(self.base) if self.id == self.base else _with_moved_flags(self.base, self.id, self.seed)

    @property
    def digest(self) -> CourseDigest:
        """Return the id of the course and the SHA-256 of its text."""
        return digest_of_course(self.course)


def digest_of_course(course: Course) -> CourseDigest:
    """Return the id of a course and the SHA-256 of its text."""
    return CourseDigest(course.id, sha256(course.to_yaml().encode()).hexdigest())


def draw_courses(table: LadderTable, season: int, salt: int) -> list[SeasonCourse]:
    """Draw the courses of a table for a season. They are made later.

    Args:
        table: The table.
        season: The number of the season, which is part of the ids.
        salt: The salt of the season.
    """
    chance = Chance(derive_seed(salt, f"courses {table.name}"))
    bases = chance.shuffled(table.library)
    courses = [SeasonCourse(base, base, 0, 0) for base in bases[: table.known]]
    for number in range(table.moved):
        base = bases[(table.known + number) % len(bases)]
        courses.append(_drawn(f"moved_{season}_{table.name}_{number + 1}", base, salt, 0))
    for number in range(table.generated):
        courses.append(_drawn(f"drawn_{season}_{table.name}_{number + 1}", "", salt, table.elements))
    return courses


def _drawn(name: str, base: str, salt: int, elements: int) -> SeasonCourse:
    return SeasonCourse(name, base, derive_seed(salt, f"course {name}"), elements)


def _renamed(course: Course, name: str) -> Course:
    return Course.from_yaml(dict(yaml12.load(course.to_yaml(), name)) | {"id": name, "name": name}, name)


def _with_moved_flags(base: str, name: str, seed: int) -> Course:
    """Return a built-in course with its flags on other squares, such that a lone robot can finish it."""
    course, chance = load_course(base), Chance(seed)
    data = dict(yaml12.load(course.to_yaml(), name)) | {"id": name, "name": f"{course.name}, other flags"}
    starts = set(course.starts.values())
    plain = [
        square for square, placed in course.squares.items()
        if not placed.placement.is_dock and square not in starts
        and all(item.kind == "floor" for item in placed.cell.items)
    ]  # fmt: skip
    for _ in range(_TRIES):
        flags = [list(square) for square in chance.shuffled(plain)[: len(course.flags)]]
        moved = Course.from_yaml(data | {"flags": flags}, name)
        if is_solvable(moved):
            return moved
    return Course.from_yaml(data, name)
