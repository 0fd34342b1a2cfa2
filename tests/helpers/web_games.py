"""Games on web pages, played through the addresses of the server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

from rr_gym.game import Game
from rr_gym.play import HumanGame
from rr_gym.players import RandomPlayer
from rr_gym.web import Host, application

HOST = "testserver"


class Page:
    """Does what the page of a seat does, and records everything that it receives."""

    def __init__(self, client: TestClient, host: Host, seat: int) -> None:
        self.client, self.path, self.seat = client, f"/play/{host.links.token(seat)}/", seat
        self.received: list[str] = []
        self.version = -1

    def get(self, path: str, status: int = 200) -> Any:
        answer = self.client.get(self.path + path)
        self.received.append(answer.text)
        assert answer.status_code == status, answer.text
        return answer

    def post(self, path: str, body: Any, status: int = 200) -> Any:
        answer = self.client.post(self.path + path, json=body)
        self.received.append(answer.text)
        assert answer.status_code == status, answer.text
        return answer.json()

    def state(self, newer: bool = False) -> dict[str, Any]:
        """Return the position; `newer` waits until there is one that has not been seen."""
        while True:
            found: dict[str, Any] = self.get(f"state?after={self.version if newer else -1}").json()
            if "turn" in found:
                self.version = found["version"]
                return found
            self.version, newer = found["version"], True

    def go(self, orders: Mapping[str, Any], status: int = 200) -> Any:
        return self.post("orders", {"turn": self.state()["turn"], "orders": orders}, status)


def cards(state: Mapping[str, Any]) -> list[str | None]:
    """Return a program of the first cards of the hand, with None in locked registers."""
    hand = iter(held["card"] for held in state["hand"])
    return [None if locked else next(hand) for locked in state["locked"]]


@contextmanager
def pages(
    table: HumanGame, folder: Path | None = None, report: Callable[[str], None] = lambda text: None
) -> Iterator[list[Page]]:
    """Open a page for each person of a table, while the context is open."""
    with hosted(Host(table, folder=(lambda: folder) if folder else None, report=report), *table.people) as found:
        yield found


@contextmanager
def hosted(host: Host, *guests: int) -> Iterator[list[Page]]:
    """Open a page for each of some guests of a host, while the context is open."""
    with TestClient(application(host, {HOST}), f"http://{HOST}") as client:
        yield [Page(client, host, guest) for guest in guests]


def of_people(game: Game, *people: int) -> HumanGame:
    """Return a table with people in some seats and random players in all others."""
    return HumanGame(game, people, [RandomPlayer() for _ in range(game.num_robots - len(people))], seed=3)
