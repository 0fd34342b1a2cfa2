"""The hands of a recorded game. Files do not contain them, so they are dealt again by the rules from the seed."""

from __future__ import annotations

from typing import Any

from rr_gym.replay.recording import Recording
from rr_gym.replay.rerun import begin, rerun
from rr_gym.rules.state.records import GameRecord

Hands = list[list[int]]


def hands(replay: Recording) -> list[Hands]:
    """Return the hands before each turn, by seat; the cards of a hand are in descending priority.

    Raises:
        ReplayError: The replay was written without its seed because its game was not over, so nobody may see its deals.
    """
    arena, games = begin(replay)
    found = [_hands(games[0])]
    found += [_hands(games[0]) for games, _ in rerun(replay, arena, games)]
    return found[: len(replay.turns)]


def _hands(game: GameRecord) -> Hands:
    robots: Any = game["robots"][: int(game["num_robots"])]
    return [sorted((int(card) for card in robot["hand"] if card), reverse=True) for robot in robots]
