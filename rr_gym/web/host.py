"""The games of one server, one after the other at the same links: set up, played, played again."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import to_builtins

from rr_gym.courses import Course, list_courses, load_course
from rr_gym.errors import RoboRallyError
from rr_gym.game import Game
from rr_gym.play import HumanGame
from rr_gym.player_names import BUILT_IN, PERSON
from rr_gym.salt import choose_salt, salt_among_people
from rr_gym.web.links import HOST, WATCHER, Links
from rr_gym.web.news import News
from rr_gym.web.plan import OWN_COURSE, Plan, choices_json, read_name, read_plan
from rr_gym.web.room import ConflictError, Room

Begin = Callable[[Plan], HumanGame]


class Host:
    """Plays games one after the other at the same links.

    All methods must be called from one event loop.

    Args:
        table: The first game; None to let a person set it up at a page.
        plan: What that page offers at first.
        begin: Starts the game of a plan.
        links: The links of people; new ones without it.
        folder: Returns the folder of the next game, which is saved there after every turn; None to save nothing.
        report: Called with what has gone wrong, which pages do not get.

    Attributes:
        room: The game that is played; None while one is set up.
        number: How many games were started.
        address: The address of the server that links begin with, as far as it is known.
    """

    def __init__(
        self,
        table: HumanGame | None = None,
        *,
        plan: Plan | None = None,
        begin: Begin | None = None,
        links: Links | None = None,
        folder: Callable[[], Path] | None = None,
        report: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.links = links or Links()
        self.plan, self._begin, self._folder, self._report = plan, begin, folder, report
        self._own_path = "" if plan is None or plan.course in list_courses() else plan.course
        self._own = load_course(self._own_path) if self._own_path else None
        self.room: Room | None = None
        self.number = 0
        self.address = ""
        self.closed = False
        self._news = News()
        self._starting = asyncio.Lock()
        if table:
            self._open(table)
        self.links.token(WATCHER)

    @property
    def players(self) -> list[str]:
        """Return the names of players that a page may choose: no programs and files but those of the command."""
        named = [] if self.plan is None else [name for name in self.plan.seats if name != PERSON]
        return list(dict.fromkeys([*BUILT_IN, *named]))

    def _open(self, table: HumanGame) -> None:
        for seat in table.people:
            self.links.token(seat)
        self.number += 1
        folder = self._folder() if self._folder else None
        self.room = Room(table, folder, self._report, links=self.links)

    def saving(self) -> Iterator[str]:
        """Yield a line that says where the game is saved, if it is."""
        if self.room and self.room.folder:
            yield f"the game is saved in {self.room.folder} after every turn"

    # ---- before a game -----------------------------------------------------------------------------------------------

    async def lobby(self, guest: int, after: int) -> dict[str, Any]:
        """Return how the next game is set up, after waiting for a version newer than `after` as `News` does."""
        if not await self._news.newer(after):
            return {"version": self._news.version, "same": True}
        plan = self._planned()
        state = {
            "version": self._news.version, "closed": self.closed, "started": self.room is not None, "guest": guest,
            "plan": to_builtins(plan) | {"course": OWN_COURSE if plan.course == self._own_path else plan.course},
            "names": {str(seat): name for seat, name in self.links.names.items()},
        }  # fmt: skip
        if guest == HOST:
            people = [seat for seat, name in enumerate(plan.seats) if name == PERSON]
            state["links"] = {str(who): f"play/{self.links.token(who)}/" for who in (*people, WATCHER)}
            state["address"] = self.address
        return state

    def choices(self) -> dict[str, Any]:
        """Return what can be chosen for a game."""
        self._planned()
        return choices_json(self._own, self.players)

    def course_of(self, name: str) -> Course:
        """Return a course that pages can choose, by the name that they have for it. Raises RoboRallyError."""
        if self._own and name == OWN_COURSE:
            return self._own
        if name not in list_courses():
            raise RoboRallyError("course: expected one that can be chosen")
        return load_course(name)

    @property
    def can_set_up(self) -> bool:
        """Tell whether games can be set up at a page."""
        return self.plan is not None

    def link_of(self, who: str) -> str:
        """Return the whole link of a guest, a seat or `WATCHER` as text. Raises ConflictError if there is no such."""
        if not who.removeprefix("-").isdecimal() or int(who) not in self.links.tokens or int(who) == HOST:
            raise ConflictError("link: expected one of a seat")
        return f"{self.address}/play/{self.links.token(int(who))}/"

    async def set_plan(self, data: Any) -> None:
        """Take over a plan from the page that sets up games. Raises RoboRallyError if it cannot be played."""
        async with self._starting:  # a game that starts is the planned one
            if self.room is not None:
                raise ConflictError("plan: a game is being played: expected to wait for its end")
            before = self._planned()
            self.plan = read_plan(data, self._own_path, self.players)
            if self.plan.host_seat >= 0 and self.plan.host_seat != before.host_seat:
                self.links.redraw(self.plan.host_seat)  # whoever was given its link must not see the host's hand
        await self._news.tell()

    async def set_name(self, guest: int, name: Any) -> None:
        """Set what a person is called in the next game. Raises RoboRallyError."""
        seat = self._planned().host_seat if guest == HOST else guest
        if self.room is not None:
            raise ConflictError("name: a game is being played: expected to wait for the next one")
        self.links.names[seat] = read_name(name)
        if not self.links.names[seat]:
            del self.links.names[seat]
        await self._news.tell()

    async def start(self) -> dict[str, Any]:
        """Start the planned game.

        Returns:
            Where the person who set it up plays or watches it, relative to the address of the server.

        Raises:
            RoboRallyError: The course, the settings and the number of robots do not fit each other.
        """
        plan = self._planned()
        async with self._starting:
            if self.room is not None:
                raise ConflictError("start: a game is being played: expected to wait for its end")
            assert self._begin
            self.links.timer = plan.timer
            self._open(await asyncio.to_thread(self._begin, plan))
        for line in self.saving():
            self._report(line)
        await self._news.tell()
        return {"link": f"play/{self.links.token(plan.host_seat)}/"}

    def _planned(self) -> Plan:
        if self.plan is None or self._begin is None:
            raise ConflictError("the game was set up by the command: expected no other one")
        return self.plan

    # ---- after a game ------------------------------------------------------------------------------------------------

    async def play_again(self, seat: int) -> None:
        """Note that a person wants to play again; once all do, the same robots race again from the start.

        Raises:
            ConflictError: The game is not over.
        """
        room = self._ended()
        room.again.add(seat)
        if not room.again >= {*room.table.people}:
            await room.news.tell()
            return
        async with self._starting:
            if self.room is not room:
                return
            self._open(await asyncio.to_thread(_again, room.table))
        await room.leave()

    async def set_up(self, guest: int) -> dict[str, Any]:
        """Let the next game be set up.

        Returns:
            Where it is set up, relative to the address of the server.

        Raises:
            ConflictError: The current game is not over, or is another person's.
        """
        async with self._starting:  # not while a rematch starts, which needs the same players
            room = self._ended()
            if guest == WATCHER or guest not in (HOST, self._planned().host_seat):
                raise ConflictError("another person sets up games: expected to wait for them")
            self.room = None
        await self._news.tell()
        await room.leave()
        await asyncio.to_thread(room.table.close)
        return {"link": f"play/{self.links.token(HOST)}/"}

    def _ended(self) -> Room:
        if self.room is None or not self.room.table.over or self.room.playing:
            raise ConflictError("the game is not over: expected to wait for its end")
        return self.room

    def close_players(self) -> None:
        """Release the resources of players, after the server has stopped."""
        if self.room:
            self.room.table.close()

    async def close(self) -> None:
        """Answer all waiting pages, because the server is about to stop."""
        self.closed = True
        await self._news.tell(last=True)
        if self.room:
            await self.room.close()


def _again(table: HumanGame) -> HumanGame:
    """Return a new game of the same people and players on the same course, dealt differently."""
    before, seed = table.replay(), secrets.randbelow(10**6)
    salt = choose_salt(salt_among_people(len(table.people), None, None), table.opponents)
    game = Game(before.course, before.num_robots, seed, before.settings, salt)
    again = HumanGame(game, table.people, table.opponents, seed, table.thinking)
    again.max_cycles = table.max_cycles
    return again
