"""A game that people play at web pages: whose orders are missing, when a turn is played, and what each may see."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from rr_gym.encoding.orders.orders import OrderError
from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.play import GAME, HumanGame
from rr_gym.play.preview import path_alone, preview
from rr_gym.play.session import OWN_ROBOT
from rr_gym.player_calls import traceback_of
from rr_gym.replay import Replay
from rr_gym.web.analysing import Analysing
from rr_gym.web.links import WATCHER, Links
from rr_gym.web.message import Messages, names_of, replay_of
from rr_gym.web.news import News

ADVISER = "planner"  # gives hints if no player is named
GRACE = 2.0  # seconds after the end of the time for orders in which a page sends what it has
NOT_PLAYED = (
    "The turn was not played because of an error in the program, which the server's terminal shows. Your orders are "
    "kept; new orders from any seat start the turn again."
)
NOT_KEPT = "The game could not be saved; the server's terminal shows why."
NOT_SAVED = "The turn was played, but the game could not be saved; the server's terminal shows why."
TOO_LATE = "The time was over: {} got orders by chance."
NOT_SHOWN = "The turn was played, but cannot be shown; the server's terminal shows why."
Result = TypeVar("Result")


class ConflictError(RoboRallyError):
    """A request for a turn or a state of the game that is not the current one."""


class Room:
    """A game that people play at pages in browsers.

    All methods must be called from one event loop. Work that takes long runs in a thread, one piece at a time.

    Args:
        table: The game.
        folder: The folder in which the game is saved after every turn; None not to save it.
        report: Called with what has gone wrong with a player. Pages do not get this text, which may reveal more than
            they may know.
        links: What is kept beside the game: links, the names of people, and their time for the orders of a turn.

    Attributes:
        again: The seats of people who want to play again.
        left: Whether pages should turn to another game.
        analysing: The analysis of the game, None until somebody asks for it.
    """

    def __init__(
        self,
        table: HumanGame,
        folder: Path | None = None,
        report: Callable[[str], None] = lambda text: None,
        links: Links | None = None,
    ) -> None:
        self.table, self.folder, self._report = table, folder, report
        self.links = links or Links()
        self.names = names_of(table, self.links.names)
        self.again: set[int] = set()
        self.left = False
        self.playing = False
        self.trouble = ""
        self.closed = False
        self._orders: dict[int, Mapping[str, Any]] = {}
        self._saved: int | None = None  # the number of turns in the file
        self._stuck = False  # all have ordered, and the turn could not be played
        self._messages = {seat: Messages(table, seat, self.names) for seat in (*table.people, WATCHER)}
        self._deadline: float | None = None  # of the orders for this turn, by the clock of the event loop
        self._clock: asyncio.Task[None] | None = None
        self._late: set[int] = set()  # people whose programs were not complete when the time was over
        self._missed: list[str] = []  # the names of people who gave no orders at all
        self._arriving: dict[int, asyncio.Event] = {}  # orders that have arrived and are not checked yet, by seat
        self._one_at_a_time = asyncio.Lock()
        self.news = News()
        self.analysing: Analysing | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def has(self, guest: int) -> bool:
        """Tell whether a guest sees this game: from a seat of a person, or as a watcher."""
        return guest in self._messages

    async def _exclusively(self, work: Callable[[], Result]) -> Result:
        """Run work on the game in a thread, while no other work on it runs."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(work)

    @property
    def awaited(self) -> list[int]:
        """Return the seats of people whose orders are missing: of those still in the game, or of all if none is."""
        robots = self.table.game.record.robots
        inside = [seat for seat in self.table.people if not robots[seat].out]
        if self._stuck:
            return inside or list(self.table.people)
        if not inside:
            return [] if self._orders else list(self.table.people)
        return [seat for seat in inside if seat not in self._orders]

    @property
    def _saved_words(self) -> str:
        """Return a sentence about what is kept of the game, for a page that finds the server gone."""
        if self._saved is None:
            return "The game was not saved."
        if not self._saved:
            return "The game was saved at its start."
        return f"The game was saved after turn {self._saved}."

    async def board(self, seat: int) -> str:
        """Return the markup of the board for the page of a seat."""
        return await self._exclusively(self._messages[seat].board)

    async def course(self, seat: int) -> dict[str, Any]:
        """Return the data that never change during a game, for the page of a seat."""
        return await self._exclusively(self._messages[seat].course)

    async def floor(self, seat: int, number: str) -> dict[str, Any]:
        """Return a picture of the board that a message has named. Raises ConflictError if there is no such picture."""
        floors = self._messages[seat].floors
        if number not in floors:
            raise ConflictError(f"floor: {short_repr(number)}: expected one of {', '.join(floors)}")
        return floors[number]

    async def state(self, seat: int, after: int) -> dict[str, Any]:
        """Return what a seat sees now, after waiting for a version newer than `after` as `News` does."""
        if not await self.news.newer(after):
            return {"version": self.news.version, "same": True}
        self._start_clock()  # now, because a page that has waited while a turn was played shows what is left
        public = {
            "version": self.news.version, "playing": self.playing, "trouble": self.trouble, "closed": self.closed,
            "left": self.left, "again": sorted(self.again), "seconds": self._seconds_left(),
            "ready": seat in self._orders and not self._stuck, "awaited": [] if self.playing else self.awaited,
            "given": [] if self._stuck else sorted(self._orders), "saved": self._saved_words,
        }  # fmt: skip
        if self.playing:
            return public  # the game is being changed
        return public | await self._exclusively(self._messages[seat].now)

    async def order(self, seat: int, turn: Any, orders: Any) -> None:
        """Accept the orders of a seat; once all seats have ordered, the turn is played.

        Raises:
            OrderError: The orders are illegal.
            ConflictError: They are for another turn, or the seat has ordered already.
        """
        self._check_turn(seat, turn)
        late = False
        if not self.table.game.record.robots[seat].out:
            over = self._seconds_left() == 0
            checked = self._arriving[seat] = asyncio.Event()
            try:
                complete = await self._exclusively(lambda: self.table.check_orders(seat, _mapping(orders)))
            finally:
                checked.set()
            self._check_turn(seat, turn)  # still the same after a while
            late = over and not complete
        self._orders[seat] = _mapping(orders)
        self._stuck = False
        self._late = self._late | {seat} if late else self._late - {seat}
        if self.awaited:
            await self.news.tell()
            return
        self._play_soon()

    def _play_soon(self) -> None:
        self.playing = True
        self._stop_clock()
        task = asyncio.create_task(self._play())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def take_back(self, seat: int, turn: Any) -> None:
        """Forget the orders of a seat. Raises ConflictError if it has given none, or the turn is being played."""
        self._check_now(turn)
        if seat not in self._orders or self._stuck:
            raise ConflictError(f"orders: seat {seat} has given none: expected to give them first")
        del self._orders[seat]
        self._late.discard(seat)
        await self.news.tell()

    def _check_now(self, turn: Any) -> None:
        if self.table.over:
            raise ConflictError("orders: the game is over: expected no more orders")
        if turn != self.table.game.turn or self.playing:
            raise ConflictError(f"turn: {short_repr(turn)}: expected {self.table.game.turn}, before it is played")

    def _check_turn(self, seat: int, turn: Any) -> None:
        self._check_now(turn)
        if seat in self._orders and not self._stuck:
            raise ConflictError(f"orders: seat {seat} has given its orders: expected to wait for the others")

    async def _play(self) -> None:
        await self.news.tell()
        orders, before, self.trouble = dict(self._orders), self.table.recorder.num_turns, ""
        try:
            await self._exclusively(lambda: self._turn(orders))
        except Exception as error:  # a bug in this program, which must not end the game
            self._report("".join(traceback.format_exception(error)).rstrip())
            self._stuck = self.table.recorder.num_turns == before
            self.trouble = NOT_PLAYED if self._stuck else NOT_SHOWN
        finally:
            if not self._stuck:
                self._orders.clear()
            self.playing = False
            await self.news.tell()

    def _turn(self, orders: Mapping[int, Mapping[str, Any]]) -> None:
        for messages in self._messages.values():
            messages.begin_turn()
        self.table.play_turn(orders, late=self._late)
        troubles = [TOO_LATE.format(", ".join(self._missed))] if self._missed else []
        self._late, self._missed = set(), []
        for seat, failure in self.table.failures.items():
            troubles.append(f"{self.names[seat]} has failed and got default orders; the server's terminal shows why.")
            self._report("\n".join(filter(None, (traceback_of(failure), str(failure)))))
        if self.folder:
            try:
                self._save(self.folder)
            except RoboRallyError as error:
                self._report(str(error))
                troubles.append(NOT_SAVED)
        self.trouble = " ".join(troubles)
        for messages in self._messages.values():
            messages.end_turn()

    async def preview(self, seat: int, orders: Any) -> dict[str, Any]:
        """Return where orders lead if nobody else were on the board. Raises OrderError or ConflictError."""
        self._check_in(seat)
        return await self._exclusively(lambda: self._preview(seat, _mapping(orders)))

    def _preview(self, seat: int, orders: Mapping[str, Any]) -> dict[str, Any]:
        table = self.table
        table.check_orders(seat, orders)
        record, sight = table.game.resolve({seat: orders})[seat], table.sight_of(seat)
        stops = [
            {"phase": stop.phase, "at": table.game.square(stop.square), "facing": stop.facing}
            for stop in path_alone(sight, record)
        ]
        return {"stops": stops, "lines": preview(sight, record, OWN_ROBOT)}

    async def hint(self, seat: int, name: Any) -> dict[str, Any]:
        """Return the orders that a player would give from what a seat sees. Raises RoboRallyError or ConflictError."""
        self._check_in(seat)
        if name not in (ADVISER, "racer", "greedy", "random"):
            raise RoboRallyError(f"player: {short_repr(name)}: expected {ADVISER}, racer, greedy or random")
        advised = await self._exclusively(lambda: self.table.advise(seat, name))
        return {"player": name, "orders": advised}

    def _check_in(self, seat: int) -> None:
        if self.table.over or self.playing:
            raise ConflictError("the turn is being played: expected to wait" if self.playing else "the game is over")
        if self.table.game.record.robots[seat].out:
            raise OrderError("your robot is out of the game: expected no orders")

    async def save(self) -> Path:
        """Save the game as it was before the current turn. Raises RoboRallyError if it cannot be written."""
        folder = self.folder
        if folder is None:
            raise RoboRallyError("save: this server saves nothing")
        try:
            return await self._exclusively(lambda: self._save(folder))
        except RoboRallyError as error:
            self._report(str(error))
            raise RoboRallyError(NOT_KEPT) from None

    def _save(self, folder: Path) -> Path:
        path = self.table.save(folder / GAME)
        self._saved = self.table.recorder.num_turns
        self.links.save(folder)
        return path

    async def replay(self) -> Any:
        """Return the replay of the whole game, hidden cards included. Raises ConflictError until the game is over."""
        if not self.table.over or self.playing:
            raise ConflictError("replay: the game is not over: expected to wait for its end")
        return await self._exclusively(lambda: replay_of(self.table, self.names))

    async def analyse(self) -> dict[str, Any]:
        """Start the analysis of the game, unless one is made or ready, and return how far it is as `analysis` does.

        Raises:
            ConflictError: The game is not over, or no turn was played.
        """
        if not self.table.over or self.playing:
            raise ConflictError("analysis: the game is not over: expected to wait for its end")
        if not self.table.recorder.num_turns:
            raise ConflictError("analysis: no turn was played: expected a game with turns")
        async with self._one_at_a_time:
            if self.analysing is None or self.analysing.state == "failed":
                self.analysing = await asyncio.to_thread(lambda: Analysing(self._whole(), self._report))
        return self.analysis()

    def _whole(self) -> Replay:
        """Return the replay with its seed, also if the game was truncated."""
        return replace(self.table.recorder.replay(self.table.game.games, reveal=True), players=tuple(self.names))

    def analysis(self) -> dict[str, Any]:
        """Return how far the analysis is: `state`, `done` of `total` decisions, and whether it is `possible`."""
        possible = self.table.over and self.table.recorder.num_turns > 0
        if self.analysing is None:
            return {"state": "none", "done": 0, "total": None, "possible": possible}
        about = self.analysing
        return {"state": about.state, "done": about.done, "total": about.total, "possible": possible}

    async def _stop_analysing(self) -> None:
        if self.analysing and self.analysing.state == "running":
            await asyncio.to_thread(self.analysing.close)

    async def close(self) -> None:
        """Answer all waiting pages, because the server is about to stop."""
        self.closed = True
        self._stop_clock()
        await self.news.tell(last=True)
        await self._stop_analysing()

    async def leave(self) -> None:
        """Answer all waiting pages, because there is another game."""
        self.left = True
        await self.news.tell(last=True)
        await self._stop_analysing()

    # ---- the time for orders -----------------------------------------------------------------------------------------

    def _start_clock(self) -> None:
        """Start the time for the orders of a turn, which pages first spend with showing the turn before it."""
        if not self.links.timer or self._deadline is not None or self.playing or self.table.over or self.news.ended:
            return
        time = self.links.timer + max((messages.showing_time for messages in self._messages.values()), default=0.0)
        self._deadline = asyncio.get_running_loop().time() + time
        self._clock = asyncio.create_task(self._wait(time + GRACE))

    def _stop_clock(self) -> None:
        self._deadline = None
        if self._clock and self._clock is not asyncio.current_task():
            self._clock.cancel()

    def _seconds_left(self) -> float | None:
        if self._deadline is None:
            return None
        return max(0.0, self._deadline - asyncio.get_running_loop().time())

    async def _wait(self, seconds: float) -> None:
        """Play the turn after a time; default orders, which draw cards by chance, stand for missing ones."""
        await asyncio.sleep(seconds)
        for checked in [*self._arriving.values()]:  # they came in time, and wait for other work, such as a slow hint
            await checked.wait()
        missing = self.awaited
        if self.playing or self._stuck or not missing:
            return
        self._orders |= {seat: {} for seat in missing}
        self._late |= {*missing}
        self._missed = [self.names[seat] for seat in missing]
        self._play_soon()


def _mapping(orders: Any) -> Mapping[str, Any]:
    if not isinstance(orders, dict):
        raise OrderError(f"orders: {short_repr(orders)}: expected a mapping of orders by their names")
    return orders
