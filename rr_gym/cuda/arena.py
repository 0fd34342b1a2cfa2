"""Batches of games in the memory of a GPU: `Arena(courses, device="cuda")`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rr_gym.cuda.device import DeviceArray, DeviceError, Gpu, adopt
from rr_gym.cuda.kernels import PARTS, launches
from rr_gym.cuda.segments import SEGMENTS
from rr_gym.errors import RoboRallyError, short_repr, truth_value, whole_number
from rr_gym.forms import BASE, form_of
from rr_gym.rules.arena.arena import Arena, CourseLike
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, ORDERS, new_log, no_orders

Array = np.ndarray[Any, Any]
UPLOADED = 1 << 14  # games that are prepared on this computer and sent at once
_RULES = ("start", "random_orders", "places")


class DeviceArena:
    """Courses compiled with their settings, on which a GPU plays batches of games.

    It is made by `Arena(courses, device="cuda")`, and plays the same games as an arena on this computer: equal seeds
    and orders lead to equal records. Games, orders, masks and observations are `DeviceArray`s. Methods launch their
    work and return before it is done; `DeviceArray.read` waits for it.

    Args:
        courses: As for `Arena`.
        settings: As for `Arena`.
        full: As for `Arena`.
        device: ``"cuda"``, or ``"cuda:1"`` for another GPU than the first.
        on: The device itself, such as a stand-in, instead of `device`.
        in_parts: Whether a turn is a launch for each segment of a phase instead of one launch for all of it. None
          decides by the size of the code: only turns of the base game are one launch.

    Attributes:
        host: The arena on this computer with the same courses and settings.
        device: The device.
        tables: The tables of the courses on the device.
        status: A word for each game of the largest batch, which is not 0 if a kernel has failed for it.

    Raises:
        CourseError: As for `Arena`.
        DeviceError: There is no such device, no driver, or too little memory for the courses.
        MissingExtraError: The package that calls the driver is not installed.
        SettingError: As for `Arena`.
    """

    def __init__(
        self,
        courses: CourseLike | Sequence[CourseLike],
        settings: Mapping[str, Any] | None = None,
        *,
        full: bool | None = None,
        device: str = "cuda",
        on: Gpu | None = None,
        in_parts: bool | None = None,
    ) -> None:
        """Compile the courses, and load the code for their form."""
        self.device = Gpu(_number(device)) if on is None else on
        self.host = Arena(courses, settings, full=full)
        self.form = form_of(self.host.tables.dtype.names or ())
        if in_parts is not None:
            truth_value("in_parts", in_parts, DeviceError)
        self.in_parts = self.form != BASE if in_parts is None else bool(in_parts)
        self.full: bool = self.host.full
        self.tables = self.device.copy(f"courses: the tables of {len(self.host.courses)} courses", self.host.tables)
        self._functions: dict[str, Any] = {}
        self._blank, self._silent = (
            self.device.copy("an empty record", record) for record in (np.zeros(1, GAME), new_log(on=False))
        )
        self._every_game = self.device.empty("a mask", (0,), np.bool_)
        self.status = self.device.zeros("status words", (0,), np.int32)
        self._load([*_RULES, *(PARTS if self.in_parts else ["play"])])

    def _load(self, names: Sequence[str]) -> None:
        """Load launches that are not loaded yet."""
        new = [name for name in names if name not in self._functions]
        if new:
            self._functions.update(self.device.load(self.form, launches(self.form, new)))

    def launch(self, name: str, threads: int, *arguments: DeviceArray | tuple[Any, ...] | int) -> None:
        """Launch a kernel of `rr_gym.cuda.kernels` with one thread for each game.

        Args:
            name: The launch.
            threads: The number of games.
            arguments: The arguments of the kernel without `first` and `last`: arrays, tuples of arguments, and numbers.
        """
        self._load([name])
        if len(self.status) < threads:
            self.check()
            self.status = self.device.zeros(f"status words of {threads:,} games", (threads,), np.int32)
        self.device.launch(self._functions[name], threads, [self.status.address, threads, *_words(arguments)])

    def check(self) -> None:
        """Wait for everything that was launched, and check that no kernel has failed.

        Raises:
            DeviceError: A kernel would have raised an exception, such as for lack of memory.
        """
        failed = np.flatnonzero(self.status.read())
        if failed.size:
            self.status.clear()
            raise DeviceError(f"games: game {failed[0]}: a kernel has failed on {self.device} for {failed.size} games")

    def copy(self, array: Array) -> DeviceArray:
        """Return a copy of an array of NumPy on the device."""
        return self.device.copy("array", np.asarray(array))

    def new_games(
        self,
        num_games: int,
        num_robots: int | Array = 4,
        *,
        seed: int | Array = 0,
        course_index: int | Array = 0,
        salt: int | str | None = None,
    ) -> DeviceArray:
        """Begin a batch of games as `Arena.new_games` does: shape (num_games,), dtype `GAME`.

        Raises:
            ArenaError: As for `Arena.new_games`.
            DeviceError: The device has too little memory; nothing is taken then.
        """
        num_games = whole_number("num_games", num_games, 0, error=DeviceError)
        given = {"num_robots": num_robots, "seed": seed, "course_index": course_index}
        for name, value in given.items():
            if np.ndim(value) and len(value) != num_games:  # type: ignore[arg-type]
                expected = f"expected one number, or one for each of {num_games} games"
                raise DeviceError(f"{name}: {short_repr(value)}: {expected}")
        games = self.device.empty(f"num_games: {num_games:,}", (num_games,), GAME)
        for first in range(0, max(num_games, 1), UPLOADED):
            last = min(first + UPLOADED, num_games)
            some: Any = {name: value[first:last] if np.ndim(value) else value for name, value in given.items()}  # type: ignore[index]
            part = self.host.unstarted_games(last - first, **some, salt=salt)
            part["index"] += first
            games.rows(first, last).write(part)
        self._start(games, np.ones(num_games, np.bool_), again=False)
        return games

    def _start(self, games: DeviceArray, mask: Array | DeviceArray, again: bool) -> None:
        chosen = self.device.copy("mask", mask) if isinstance(mask, np.ndarray) else mask
        self.launch("start", len(games), games, self.tables, self._blank, self._silent, chosen, again)

    def _games(self, games: Any) -> DeviceArray:
        """Check games, which only this module may have written: kernels use their fields as unchecked indices."""
        if not isinstance(games, DeviceArray) or games.dtype != GAME or len(games.shape) != 1:
            expected = f"expected games from `new_games` of an arena on {self.device}"
            raise DeviceError(f"games: {short_repr(games)}: {expected}")
        return adopt(self.device, "games", games, GAME, games.shape)

    def _mask(self, mask: Any, games: DeviceArray) -> DeviceArray:
        return self._every_game if mask is None else adopt(self.device, "mask", mask, np.bool_, games.shape)

    def upload(self, games: Array) -> DeviceArray:
        """Return games of this computer, dtype `GAME`, on the device after checking them as `Arena.check` does."""
        self.host.check(games)
        return self.device.copy(f"games: {len(games):,} games", games)

    def restart(self, games: DeviceArray, mask: Any = None) -> None:
        """Begin the next episode of all games, or of those where `mask` (bool, on the device) is set."""
        games = self._games(games)
        chosen: Any = np.ones(len(games), np.bool_) if mask is None else self._mask(mask, games)
        self._start(games, chosen, again=True)

    def new_orders(self, num_games: int) -> DeviceArray:
        """Return orders with every default, to be filled: shape (num_games, 8), in the form that the rules read."""
        return self.device.copy(f"orders of {num_games:,} games", no_orders(num_games, MAX_ROBOTS, full=self.full))

    def _orders(self, orders: Any, games: DeviceArray) -> DeviceArray:
        return adopt(self.device, "orders", orders, FULL_ORDERS if self.full else ORDERS, (len(games), MAX_ROBOTS))

    def play(self, games: DeviceArray, orders: DeviceArray, *, restart: bool = False, mask: Any = None) -> None:
        """Play one turn of every game that is not over, as `Arena.play` does.

        Args:
            games: From `new_games`.
            orders: From `new_orders`.
            restart: Games that end begin their next episode at once.
            mask: bool, shape (n,), on the device: only these games are played. None for all.
        """
        games, count = self._games(games), len(games)
        orders, chosen = self._orders(orders, games), self._mask(mask, games)
        truth_value("restart", restart, DeviceError)
        if not self.in_parts:
            self.launch(
                "play", count, games, self.tables, orders, self._silent, chosen, self._blank, restart
            )
            return
        self.launch("turn_begins", count, games, self.tables, orders, self._silent, chosen)
        for phase in range(1, NUM_REGISTERS + 1):
            for segment in SEGMENTS:
                self.launch(segment, count, games, self.tables, self._silent, chosen, phase)
        self.launch("turn_ends", count, games, self.tables, orders, self._silent, chosen)
        if restart:
            self.launch("next_episodes", count, games, self.tables, self._blank, self._silent, chosen)

    def random_orders(self, games: DeviceArray, orders: DeviceArray, words: Any) -> None:
        """Write random legal programs into `orders`.

        Args:
            games: From `new_games`.
            orders: From `new_orders`.
            words: uint64, one for each game, on the device: the random state, which changes.
        """
        games = self._games(games)
        state = adopt(self.device, "words", words, np.uint64, games.shape)
        self.launch("random_orders", len(games), games, self._orders(orders, games), state)

    def placements(self, games: DeviceArray) -> DeviceArray:
        """Return the ranks of the robots as `Arena.placements` does: int8, shape (n, 8)."""
        games = self._games(games)
        places = self.device.zeros(f"places of {len(games):,} games", (len(games), MAX_ROBOTS), np.int8)
        self.launch("places", len(games), games, self.tables, places)
        return places


def _number(device: Any) -> int:
    """Return the number of a GPU by its name.

    Raises:
        RoboRallyError: The name is not one.
    """
    kind, colon, number = device.partition(":") if isinstance(device, str) else ("", "", "")
    if kind != "cuda" or (colon and not (number.isascii() and number.isdecimal() and len(number) < 4)):
        raise RoboRallyError(f"device: {short_repr(device)}: expected cpu | cuda | cuda:NUMBER")
    return int(number or 0)


def _words(arguments: Sequence[Any]) -> list[int]:
    """Return the words of the arguments of a launch."""
    words: list[int] = []
    for value in arguments:
        if isinstance(value, tuple):
            words += _words(value)
        else:
            words += value.words() if isinstance(value, DeviceArray) else [int(value)]
    return words
