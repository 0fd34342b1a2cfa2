"""What a reset can choose: the seeds of games, their courses, the number of robots, and settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.encoding.act.actions import course_features
from rr_gym.encoding.act.components import usable_decisions
from rr_gym.encoding.observe.board import board_sheets
from rr_gym.encoding.observe.elements import elements_of
from rr_gym.errors import MAX_SEED, EnvError, check_seed, did_you_mean, short_repr, whole_number
from rr_gym.rewards.terms import Rewards
from rr_gym.rules.arena.arena import Arena

Array = np.ndarray[Any, Any]

OPTIONS = ("course", "num_robots", "settings")


def check_options(options: Any, known: Sequence[str] = (), tolerant: bool = False) -> dict[str, Any]:
    """Return the options of a reset by name; an empty dict for None.

    Args:
        options: The options that the reset was given.
        known: The names of all options.
        tolerant: Whether unknown names are left out instead of raising an error.

    Raises:
        EnvError: The options are not a mapping by name, or a name is unknown.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise EnvError(f"options: {options!r}: expected None, or a mapping of options by name")
    for name in options:
        if name not in known and not tolerant:
            hint = did_you_mean(name, known)
            raise EnvError(
                f"options: there is no option {short_repr(name)}{f'; {hint}' if hint else ''}: "
                f"expected {', '.join(known)}"
            )
    return {name: value for name, value in options.items() if name in known}


def check_seeds(seed: Any, num_games: int) -> int | Array | None:
    """Return one seed for all games, or one for each, uint64, (games,), where None in a list draws a random one.

    Raises:
        EnvError: The seeds are not whole numbers from 0 to 2**64 - 1, or not as many as games.
    """
    if not isinstance(seed, list | tuple | np.ndarray):
        return check_seed(seed, EnvError)
    # Not `np.shape(seed)`: NumPy refuses lists whose items differ in shape.
    if (seed.shape[:1] if isinstance(seed, np.ndarray) else (len(seed),)) != (num_games,):
        raise EnvError(f"seed: {short_repr(seed)}: expected one, or a list of {num_games}, one for each game")
    drawn = np.random.default_rng().integers(2**63, size=num_games).tolist()
    given = seed.tolist() if isinstance(seed, np.ndarray) else seed
    checked = [
        drawn[i] if one is None else whole_number(f"seed[{i}]", one, 0, MAX_SEED, EnvError)
        for i, one in enumerate(given)
    ]
    return np.array(checked, np.uint64)


@dataclass(frozen=True, slots=True)
class Conditions:
    """The conditions under which the games of a batch are played.

    Attributes:
        arena: The courses with their settings.
        rewards: The rewards on this arena.
        courses: int64, (games,): the course of each game, by its number in the arena.
        num_robots: Robots in every game, if a reset chose their number; None for as many as usual.
    """

    arena: Arena
    rewards: Rewards
    courses: Array
    num_robots: int | None = None


class Resets:
    """Reads the options of resets.

    Args:
        usual: The conditions without options.
        least: The lowest number of robots.
        most: The highest number of robots.
        settings: The settings that the environment was made with.
    """

    def __init__(self, usual: Conditions, least: int, most: int, settings: Mapping[str, Any] | None) -> None:
        self.usual = usual
        self._least, self._most = least, most
        self._settings = dict(settings or {})
        self._arenas: dict[tuple[str, ...], tuple[Arena, Rewards]] = {(): (usual.arena, usual.rewards)}

    def read(self, options: Mapping[str, Any]) -> Conditions:
        """Return the conditions for some of `OPTIONS`; raise a RoboRallyError for wrong values."""
        chosen = self.usual
        if "course" in options:
            chosen = replace(chosen, courses=self.courses(options["course"]))
        if "num_robots" in options:
            given = options["num_robots"]
            robots = whole_number("options: num_robots", given, self._least, self._most, EnvError)
            chosen = replace(chosen, num_robots=robots)
        if "settings" in options:
            arena, rewards = self._arena(options["settings"])
            chosen = replace(chosen, arena=arena, rewards=rewards)
        return chosen

    def courses(self, course: Any) -> Array:
        """Return the courses of all games as numbers in the arena, (games,), from one course or a list.

        Raises:
            EnvError: A course is unknown, or there are not as many as games.
        """
        count = len(self.usual.courses)
        if not isinstance(course, list | tuple):
            return np.full(count, self._course(course))
        if len(course) != count:
            raise EnvError(f"options: course: {len(course)} courses: expected one, or {count}, one for each game")
        return np.array([self._course(one) for one in course])

    def _course(self, course: Any) -> int:
        ids = [one.id for one in self.usual.arena.courses]
        name = course.id if isinstance(course, Course) else course
        if name not in ids:
            hint = did_you_mean(name, ids)
            raise EnvError(
                f"options: course: {short_repr(name)}{f': {hint}' if hint else ''}: expected a course that the "
                f"environment was made with: {', '.join(ids)}"
            )
        return ids.index(name)

    def _arena(self, settings: Any) -> tuple[Arena, Rewards]:
        """Return the arena with other settings, and its rewards.

        Both are cached, since curricula return to earlier settings.
        """
        if not isinstance(settings, Mapping):
            raise EnvError(f"options: settings: {short_repr(settings)}: expected settings by name")
        usual = self.usual.arena
        arena = Arena(usual.courses, self._settings | dict(settings))
        key = tuple(map(repr, arena.settings))
        if arena.settings == usual.settings:
            key = ()
        if key not in self._arenas:
            if not _same_form(arena, usual):
                raise EnvError(
                    f"options: settings: {', '.join(map(str, settings))}: expected settings that leave courses, "
                    "actions and observations as they are; these need an environment of their own"
                )
            self._arenas[key] = arena, Rewards(arena, self.usual.rewards.spec, own=True)
        return self._arenas[key]


def _same_form(one: Arena, other: Arena) -> bool:
    """Tell whether two arenas differ only in settings that leave tables, actions and observations the same."""
    if one.tables.dtype != other.tables.dtype:
        return False
    names = [name for name in one.tables.dtype.names or () if name != "settings"]
    decisions, seen = (
        [usable_decisions(arena.settings, course_features(arena.tables)) for arena in (one, other)],
        [elements_of(arena.tables) for arena in (one, other)],
    )
    same_tables = all(one.tables[name].tobytes() == other.tables[name].tobytes() for name in names)
    if not same_tables or decisions[0] != decisions[1] or seen[0] != seen[1]:
        return False
    return np.array_equal(board_sheets(one.tables, 1), board_sheets(other.tables, 1))
