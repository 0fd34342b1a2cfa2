"""An arena: courses compiled with their settings, and batches of games played on them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, Literal, Self, overload

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.courses.library import load_course
from rr_gym.errors import (
    MAX_SEED,
    RoboRallyError,
    check_memory,
    did_you_mean,
    items,
    short_repr,
    truth_value,
    whole_number,
)
from rr_gym.rules.arena.batch import (
    equip_range,
    place_range,
    play_range,
    random_range,
    start_range,
)
from rr_gym.rules.arena.game_checks import check_games
from rr_gym.rules.arena.gifts import give_options
from rr_gym.rules.arena.ranges import course_limits, find_out_of_range
from rr_gym.rules.arena.threads import in_parts
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_OPTIONS
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.records import FULL_ORDERS, GAME, LOG, ORDERS, new_log, orders_as
from rr_gym.rules.state.settings import Settings, lives_for, resolve_settings, special_rule_settings
from rr_gym.rules.state.table import TABLE, compile_tables
from rr_gym.salt import read_salt, salt_words

Array = np.ndarray[Any, Any]
CourseLike = Course | str | os.PathLike[str]


_EVERY_GAME = np.zeros(0, np.bool_)
_LASTING = ("course", "num_robots", "start_lives")  # fields that stay the same from episode to episode


class ArenaError(RoboRallyError):
    """A batch of games cannot be made or played, because of wrong numbers, shapes or types."""


def _course(course: CourseLike) -> Course:
    if isinstance(course, Course):
        return course
    if isinstance(course, str | os.PathLike):
        return load_course(os.fspath(course))
    raise ArenaError(f"course: {short_repr(course)}: expected a Course, the id of a built-in course, or a path")


def _typed(name: str, array: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """Check the dtype and shape of an array, and return it; it may be read-only."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.shape != shape:
        found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
        known = {GAME: "GAME", ORDERS: "ORDERS", FULL_ORDERS: "FULL_ORDERS", LOG: "LOG"}.get(dtype, str(dtype))
        raise ArenaError(f"{name}: {str(found)[:80]}: expected an array of dtype {known} and shape {shape}")
    return array


def _array(name: str, array: Any, dtype: np.dtype[Any], shape: tuple[int, ...]) -> Array:
    """Check that an array has the dtype and shape and is writable, and return it."""
    typed = _typed(name, array, dtype, shape)
    if not typed.flags.writeable:
        raise ArenaError(f"{name}: the array is read-only: expected one that can be written")
    return typed


def _mask(mask: Any, num_games: int) -> Array:
    """Return a mask of games as a contiguous array; None stands for all games.

    Kernels are compiled for contiguous masks, which a column of an array is not.
    """
    if mask is None:
        return np.ones(num_games, np.bool_)
    return np.ascontiguousarray(_array("mask", mask, np.dtype(np.bool_), (num_games,)))


def _orders(orders: Any, num_games: int) -> Array:
    form = FULL_ORDERS if getattr(orders, "dtype", None) == FULL_ORDERS else ORDERS
    return _array("orders", orders, form, (num_games, MAX_ROBOTS))


class Arena:
    """Courses compiled with their settings, on which batches of games are played.

    Args:
        courses: One course or several (a `Course`, the id of a built-in course, or a path). The field `course` of a
          game is the index of the course that it is played on.
        settings: Settings by name; they override those of courses (U37). See docs/rules/settings.md.
        full: If True, play by the rules of all expansions even if no course or setting needs them. If False, play by
          the base rules unless a course has elements of expansions. None decides by courses and settings.
        device: ``"cpu"``, or ``"cuda"`` for a GPU (``"cuda:1"`` for another than the first): then the result is a
          `rr_gym.cuda.arena.DeviceArena`, whose arrays are in the memory of the GPU.

    Raises:
        CourseError: A course uses an element or a special rule that has no rule yet.
        SettingError: An unknown setting or value.
    """

    # Without these overloads, pyright would take every arena for Any.
    @overload
    def __new__(cls, *arguments: Any, device: Literal["cpu"] = "cpu", **named: Any) -> Self: ...
    @overload
    def __new__(cls, *arguments: Any, device: str, **named: Any) -> Any: ...
    def __new__(cls, *arguments: Any, device: str = "cpu", **named: Any) -> Any:
        """Make an arena on this computer, or one on a GPU, which is not an instance of this class."""
        if isinstance(device, str) and device == "cpu":
            return super().__new__(cls)
        # By name, since that room is above this one; nothing else here needs it.
        return import_module("rr_gym.cuda.arena").DeviceArena(*arguments, device=device, **named)

    def __init__(
        self,
        courses: CourseLike | Sequence[CourseLike],
        settings: Mapping[str, Any] | None = None,
        *,
        full: bool | None = None,
        device: str = "cpu",
    ) -> None:
        """Compile the courses with their settings."""
        listed = None if isinstance(courses, Course) else items(courses)
        several: list[Any] = [courses] if listed is None else listed
        if not several:
            raise ArenaError("courses: none given: expected at least one course")
        self.courses: tuple[Course, ...] = tuple(_course(c) for c in several)
        self.settings: tuple[Settings, ...] = tuple(
            resolve_settings(
                ("settings", {} if settings is None else settings),
                (f"course '{c.id}'", special_rule_settings(c.rules)),
                (f"course '{c.id}'", c.params),
            )
            for c in self.courses
        )
        if full is not None:
            truth_value("full", full, ArenaError)
        self.tables: Array = compile_tables(self.courses, self.settings, full)
        self.full: bool = self.tables.dtype != TABLE
        self._blank = np.zeros(1, GAME)
        self._silent = new_log(on=False)
        self._limits = course_limits(self.tables)

    def new_games(
        self,
        num_games: int,
        num_robots: int | Array = 4,
        *,
        seed: int | Array = 0,
        course_index: int | Array = 0,
        salt: int | str | None = None,
    ) -> Array:
        """Begin a batch of games, with the first hands dealt: shape (num_games,), dtype `GAME`.

        Episode k of game i depends only on (salt, seed, i, k) (U39), which determine all hands. So if players may know
        the seed, use a salt that they do not know (`rr_gym.salt.draw_salt`).

        Args:
            num_games: The size of the batch.
            num_robots: Robots in each game, 1 to 8: one number for all, or an array of shape (num_games,).
            seed: From 0 to 2**64 - 1: one for all games, or an array of shape (num_games,) and dtype uint64.
            course_index: The index of the course: one for all games, or an array of shape (num_games,).
            salt: 128 bits: a whole number, or up to 32 hexadecimal digits; None and 0 stand for no salt.

        Raises:
            ArenaError: A number is out of range, or an array has a wrong shape.
        """
        games = self.unstarted_games(num_games, num_robots, seed=seed, course_index=course_index, salt=salt)
        self._start(games, np.ones(len(games), np.bool_), again=False)
        return games

    def unstarted_games(
        self,
        num_games: int,
        num_robots: int | Array = 4,
        *,
        seed: int | Array = 0,
        course_index: int | Array = 0,
        salt: int | str | None = None,
    ) -> Array:
        """Return games with only what they keep from episode to episode, to be started; arguments as in `new_games`."""
        robots = np.unique(num_robots) if isinstance(num_robots, np.ndarray) else [num_robots]
        for number in robots:
            whole_number("num_robots", number, 1, MAX_ROBOTS, error=ArenaError)
        num_games = whole_number("num_games", num_games, 0, error=ArenaError)
        check_memory("num_games", num_games, GAME.itemsize, ArenaError)
        if np.shape(num_robots) not in ((), (num_games,)):
            raise ArenaError(
                f"num_robots: {short_repr(num_robots)}: expected one number, or an array of shape ({num_games},)"
            )
        if isinstance(seed, np.ndarray) and seed.ndim:
            _array("seed", seed, np.dtype(np.uint64), (num_games,))
        else:
            seed = whole_number("seed", seed, 0, MAX_SEED, ArenaError)
        games = np.zeros(num_games, GAME)
        try:
            index = np.asarray(course_index)
        except ValueError:  # lists of different lengths
            index = np.empty(0)
        if (
            index.dtype.kind not in "iu"
            or index.shape not in ((), games.shape)
            or (index.size and not 0 <= index.min() <= index.max() < len(self.courses))
        ):
            raise ArenaError(
                f"course_index: {str(course_index)[:80]}: expected whole numbers from 0 to {len(self.courses) - 1}, "
                f"one or shape {games.shape}"
            )
        games["course"] = index
        for k in np.unique(games["course"]):
            if self.tables["course"]["num_starts"][k] == 0:
                raise ArenaError(f"course '{self.courses[k].id}': no start square: expected at least '@1'")
        games["num_robots"] = num_robots
        self.give_lives(games)
        games["seed"] = seed
        games["salt"] = salt_words(read_salt("salt", salt, ArenaError))
        games["index"] = np.arange(num_games)
        return games

    def start_lives(self, num_robots: int) -> Array:
        """Return the lives that robots start with on each course: int8, shape (courses,); -1 for no limit."""
        courses = zip(self.settings, self.courses, strict=True)
        return np.array([lives_for(chosen, num_robots, len(c.placements)) for chosen, c in courses], np.int8)

    def give_lives(self, games: Array, mask: Array | None = None) -> None:
        """Set the starting lives of robots by course and number of robots, in the games of a mask or in all games."""
        for number in np.unique(games["num_robots"]):
            chosen = games["num_robots"] == number if mask is None else mask & (games["num_robots"] == number)
            games["start_lives"][chosen] = self.start_lives(int(number))[games["course"][chosen]]

    def check(self, games: Array, *, threads: int = 1) -> None:
        """Check that games can be played here, since kernels use many of their fields as unchecked indices.

        All methods that take games do this first, except those named `..._unchecked`.

        Args:
            games: Shape (n,), dtype `GAME`; unchanged.
            threads: How many threads share the batch.

        Raises:
            ArenaError: The dtype or shape is wrong, or a number is out of range; the message names its game and field
              and what was expected.
        """
        games = _typed("games", games, GAME, np.shape(games)[:1])
        check_games(games, self._limits, ArenaError, self.full, threads)

    def _start(self, games: Array, mask: Array, again: bool) -> None:
        in_parts(
            lambda first, last: start_range(games, self.tables, self._blank, self._silent, mask, again, first, last),
            len(games),
        )

    def restart(self, games: Array, mask: Array | None = None) -> None:
        """Begin the next episode of all games, or of those where `mask` (bool, one per game) is set.

        Raises:
            ArenaError: A game has an invalid course, number of robots or number of lives.
        """
        _array("games", games, GAME, np.shape(games)[:1])
        for problem in find_out_of_range(games, self._limits, _LASTING):
            raise ArenaError(f"games: game {problem.game}: {problem.text}")
        self._start(games, _mask(mask, len(games)), again=True)

    def play(
        self,
        games: Array,
        orders: Array,
        *,
        threads: int = 1,
        restart: bool = False,
        logs: Array | None = None,
        mask: Array | None = None,
    ) -> None:
        """Play one turn of every game that is not over, in place: from the orders (T4) to the next hands (T3).

        Args:
            games: Shape (n,), dtype `GAME`.
            orders: Shape (n, 8), dtype `ORDERS`, or `FULL_ORDERS` with decisions about option cards, which games
                without them ignore. Cards that are not in the hand count as missing (R-A5.5).
            threads: How many threads share the batch; results do not depend on it.
            restart: Games that end begin their next episode at once.
            logs: Shape (n,), dtype `LOG`: what happened in this turn, where `on` is set.
            mask: Shape (n,), bool: only these games are played, the others stay as they are. None for all.
        """
        _array("games", games, GAME, np.shape(games)[:1])
        threads = whole_number("threads", threads, 1, error=ArenaError)
        self.check(games, threads=threads)
        self._play(games, orders, threads, restart, logs, mask)

    def play_unchecked(self, games: Array, orders: Array, *, mask: Array | None = None) -> None:
        """Play a turn like `play`.

        Only the rules may have written to the games since they began or were checked.
        """
        self._play(games, orders, 1, False, None, mask)

    def _play(
        self,
        games: Array,
        orders: Array,
        threads: int,
        restart: bool,
        logs: Array | None,
        mask: Array | None,
    ) -> None:
        """Play a turn of games that have been checked."""
        orders = orders_as(_orders(orders, len(games)), self.full)
        if not isinstance(restart, np.bool_):
            truth_value("restart", restart, ArenaError)
        chosen = self._silent if logs is None else _array("logs", logs, LOG, games.shape)
        playing = _EVERY_GAME if mask is None else _mask(mask, len(games))
        in_one_piece = games if games.flags.c_contiguous else np.ascontiguousarray(games)

        def play_some(first: int, last: int) -> None:
            play_range(in_one_piece, self.tables, orders, chosen, playing, self._blank, restart, first, last)

        in_parts(play_some, len(games), threads)
        if in_one_piece is not games:
            games[...] = in_one_piece

    def placements(self, games: Array) -> Array:
        """Return the current ranks of the robots (U32): int8, shape (n, 8).

        1 is best, ties share a place, and seats without a robot have 0.
        """
        self.check(games)
        return self.placements_unchecked(games)

    def placements_unchecked(self, games: Array) -> Array:
        """Return places like `placements`.

        Only the rules may have written to the games since they began or were checked.
        """
        places = np.zeros((len(games), MAX_ROBOTS), np.int8)
        in_parts(lambda first, last: place_range(games, self.tables, places, first, last), len(games))
        return places

    def random_orders(self, games: Array, orders: Array, words: Array, *, threads: int = 1) -> None:
        """Write random legal programs into `orders`; `words` (uint64, one per game) is the caller's random state."""
        threads = whole_number("threads", threads, 1, error=ArenaError)
        self.check(games, threads=threads)
        _orders(orders, len(games))
        _array("words", words, np.dtype(np.uint64), (len(games),))
        in_parts(lambda first, last: random_range(games, orders, words, first, last), len(games), threads)

    def equip(self, games: Array, number: int, mask: Array | None = None) -> None:
        """Give options to robots, for experiments: all robots on the board draw until they own `number` options.

        Args:
            games: Shape (n,), dtype `GAME`, between two turns.
            number: Options of each robot, 0 to 52; robots that own more keep them. All are new and full afterwards.
            mask: Shape (n,), bool: only in these games. None for all.
        """
        _array("games", games, GAME, np.shape(games)[:1])
        self.check(games)
        number = whole_number("number", number, 0, NUM_OPTIONS, ArenaError)
        chosen = _mask(mask, len(games))
        in_parts(
            lambda first, last: equip_range(games, self.tables, self._silent, chosen, number, first, last), len(games)
        )

    def give(self, games: Array, seats: int | Array, options: str | Sequence[str | None]) -> None:
        """Give a robot of each game a certain option card from the draw pile, new and full.

        Unlike `equip`, which draws cards, it lets you choose them. A Bio Option grants another option, as in a game.

        Args:
            games: Shape (n,), dtype `GAME`, with option cards, between two turns.
            seats: The seats of these robots: one for all, or whole numbers of shape (n,).
            options: Names such as ``"brakes"`` (docs/options.md): one for all, or one for each game, None for none.

        Raises:
            ArenaError: There is no such option or robot, the robot may not own another option, or the card is not in
              the pile. In this case nothing is given.
        """
        _array("games", games, GAME, np.shape(games)[:1])
        self.check(games)
        if not isinstance(options, Iterable):
            raise ArenaError(
                f"options: {short_repr(options)}: expected the name of an option card, or one for each game"
            )
        names = [options] * len(games) if isinstance(options, str) else list(options)
        if len(names) != len(games):
            raise ArenaError(f"options: {len(names)} names: expected one, or one for each of {len(games)} games")
        for name in names:
            if name is not None and name not in OPTION_NAMES:
                hint = did_you_mean(str(name), OPTION_NAMES) or "expected the name of an option card"
                raise ArenaError(f"options: {short_repr(name)}: {hint}")
        rows = np.flatnonzero([name is not None for name in names])
        cards = np.array([OPTION_NAMES.index(name) for name in names if name is not None], np.int64)
        whose = np.asarray(seats)
        if whose.dtype.kind not in "iu" or whose.shape not in ((), games.shape):
            raise ArenaError(
                f"seats: {short_repr(seats)}: expected a whole number, or an array of them of shape {games.shape}"
            )
        seats = np.broadcast_to(whose.astype(np.int64), games.shape)[rows]
        give_options(games, self.tables["settings"][games["course"]], rows, seats, cards, ArenaError)


_KEPT_ARENAS = 64
_arenas: dict[tuple[str, tuple[tuple[str, Any], ...]], Arena] = {}


def arena_of(course: CourseLike, settings: Mapping[str, Any] | None = None) -> Arena:
    """Return an arena of one course; it is cached for further calls with an equal course and equal settings."""
    course = _course(course)
    settings = {} if settings is None else settings
    resolve_settings(("settings", settings))  # refuses values that do not exist, so that none becomes a key
    key = course.to_yaml(), tuple(sorted(settings.items()))
    if key not in _arenas:
        if len(_arenas) >= _KEPT_ARENAS:
            del _arenas[next(iter(_arenas))]
        _arenas[key] = Arena(course, settings)
    return _arenas[key]


def new_games(
    num_games: int,
    course: CourseLike,
    num_robots: int = 4,
    *,
    seed: int = 0,
    settings: Mapping[str, Any] | None = None,
    salt: int | str | None = None,
) -> Array:
    """Begin a batch of games on one course: see `Arena.new_games`; `arena_of(course, settings)` plays it."""
    return arena_of(course, settings).new_games(num_games, num_robots, seed=seed, salt=salt)
