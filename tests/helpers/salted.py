"""Salts, an external player for tests of salts, and the numbers that it must never see."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from rr_gym import Arena
from rr_gym.evaluation.benchmark.suites import Suite, SuiteRow
from rr_gym.players import RandomPlayer
from rr_gym.registry import make_player
from rr_gym.salt import salt_of

SALT = 0x0123456789ABCDEFFEDCBA9876543210
SEED = 4_711_000_000_123_456_789  # too long to occur in a message by accident
OTHER = SALT ^ 1 << 100


class Stranger(RandomPlayer):
    """An external player that plays at random and records what it is given."""

    name = "stranger"

    def __init__(self) -> None:
        self.handed: list[np.ndarray[Any, Any]] = []
        self.seeds: list[int] = []

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        self.seeds.append(self.seed)

    def act(self, arena: Arena, games: Any, seat: int) -> Any:
        self.handed.append(games)
        return super().act(arena, games, seat)


def make(name: str) -> Any:
    return Stranger() if name == "stranger" else make_player(name)


def secret_words(game: Any) -> set[int]:
    low_and_high = game["salt"].tolist()
    return {SEED, salt_of(game), *low_and_high, int(game["key"]), int(game["salted_key"])}


def numbers_in(value: Any) -> Iterator[int]:
    """Yield every number that occurs anywhere in a message, in decimal or hexadecimal digits."""
    for word in re.findall(r"[0-9a-f]{6,}", json.dumps(value).lower()):
        yield int(word, 16)
        if word.isdigit():
            yield int(word)


TINY = Suite("tiny", (SuiteRow("duel", "pairs", "a duel", ("risky_exchange",), ("random",), max_cycles=4, games=24),))
