"""The conformance set: games that confront a bot with every kind of situation, and how it answers in them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.bots.player import BotPlayer
from rr_gym.player_calls import TableFacts
from rr_gym.players.process import Process
from rr_gym.players.random_player import RandomPlayer
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import LOG, no_orders

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, slots=True)
class ConformanceCase:
    """Some games of the set.

    Attributes:
        words: The situation that these games test, in words.
        course: The id of the course.
        robots: How many robots there are; the bot has seat 0.
        settings: Settings of the games.
        games: How many are played in parallel, which is also the number of questions that are open at a time.
        turns: How many turns of each are played.
    """

    words: str
    course: str
    robots: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    games: int = 1
    turns: int = 4


CASES = (
    ConformanceCase("a duel", "risky_exchange", 2, turns=6),
    ConformanceCase("alone", "checkmate", 1),
    ConformanceCase("four robots on another course", "dizzy_dash", 4),
    ConformanceCase("eight robots", "risky_exchange", 8),
    ConformanceCase("a hundred questions at a time", "checkmate", 2, games=100, turns=2),
    ConformanceCase("locked registers, with and without unlocking", "risky_exchange", 2, {"start_damage": 7}),
    ConformanceCase("a robot on its last point of damage", "risky_exchange", 2, {"start_damage": 9}),
    ConformanceCase(
        "no choice of a power-down, a first card that moves", "risky_exchange", 2,
        {"power_down": "off", "first_card_moves": "on"},
    ),
    ConformanceCase("option cards", "risky_exchange", 4, {"option_cards": "on", "start_options": 3}),
    ConformanceCase("robots that are destroyed and come back", "island_hop", 4, {"lives": 2}, 4, 8),
    ConformanceCase("elements of expansions", "everything", 4),
)  # fmt: skip


class CheckedPlayer(BotPlayer):
    """A submission whose answers are timed, and which first gets a message of an unknown type."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.seconds_of_answers: list[float] = []
        self.starts_counted = 0

    def start(self) -> Process:
        """Start the program and send a message of a type that does not exist; bots must ignore it."""
        process = super().start()
        self.starts_counted += 1
        process.send('{"type":"weather","of":"a later version","rain":true}')
        return process


def play_case(player: CheckedPlayer, case: ConformanceCase, seed: int = 1) -> Iterator[int]:
    """Play the games of a case, and yield the number of each turn that was played; answers are timed."""
    arena = Arena(case.course, dict(case.settings))
    games = arena.new_games(case.games, case.robots, seed=seed)
    other = RandomPlayer()
    other.reset(seed)
    logs = np.zeros(case.games, LOG)
    logs["on"] = 1
    player.meet(games, 0, TableFacts((player.name, *[other.name] * (case.robots - 1)), "places", case.turns))
    for turn in range(case.turns):
        orders = no_orders(case.games, MAX_ROBOTS, full=True)
        begin = time.perf_counter()
        orders[:, 0] = player.act(arena, games, 0)
        player.seconds_of_answers += [(time.perf_counter() - begin) / case.games] * case.games
        for seat in range(1, case.robots):
            orders[:, seat] = other.act(arena, games, seat)
        arena.play(games, orders, logs=logs)
        player.watch(arena, games, 0, logs, (games["over"] == 1) | (turn == case.turns - 1))
        yield turn


def folder_state(folder: Path) -> dict[str, bytes]:
    """Return the contents of all files of a folder, to see whether a bot has changed its own."""
    return {str(path): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
