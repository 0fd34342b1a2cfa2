"""Give option cards to robots, for experiments; this is not part of the rules."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.rules.state.constants import MAX_OWNED, NUM_OPTIONS, ON, UNLIMITED
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    ABLATIVE_POINTS,
    BIO_OPTION,
    INITIAL_PAYLOAD,
    NO_OPTION,
    OPTION_NAMES,
)

Array = np.ndarray[Any, Any]

_NEW_PAYLOAD = INITIAL_PAYLOAD.copy()
_NEW_PAYLOAD[ABLATIVE_COAT] = ABLATIVE_POINTS


def give_options(
    games: Array, settings: Array, rows: Array, seats: Array, cards: Array, error: type[Exception]
) -> None:
    """Give an option, new and full, to one robot in each of the chosen games.

    Args:
        games: Shape (n,), dtype `GAME`.
        settings: Shape (n,): the settings of each game.
        rows: int64, shape (m,): the games to change, each once.
        seats: int64, shape (m,): the seats that get an option.
        cards: int64, shape (m,): the numbers of the options.
        error: The exception to raise for the first game in which this is impossible; nothing is given then.
    """
    there = (seats >= 0) & (seats < games["num_robots"][rows])
    robots = games["robots"][rows, np.where(there, seats, 0)]  # a copy
    limit = settings["max_options"][rows].astype(np.int64)
    limit = np.where(limit == UNLIMITED, MAX_OWNED, np.minimum(limit, MAX_OWNED))
    owned = (robots["options"][:, None] >> np.arange(NUM_OPTIONS, dtype=np.uint64) & np.uint64(1)).sum(axis=1)
    whole = (robots["options"] >> np.uint64(BIO_OPTION) & np.uint64(1) > 0) & (robots["bio"] != NO_OPTION)
    owned = owned.astype(np.int64) - whole  # a Bio Option counts together with what it grants (R-O30.5)
    piles, left = games["option_deck"][rows], games["option_deck_left"][rows].astype(np.int64)
    lies = (piles == cards[:, None]) & (np.arange(piles.shape[1]) < left[:, None])
    for wrong, what in (
        (settings["option_cards"][rows] != ON, "expected games with option_cards on"),
        (~there | (robots["alive"] == 0), "expected the seat of a robot that is on the board"),
        (owned >= limit, "the robot owns as many options as it may"),
        (~lies.any(axis=1), "expected a card that lies in the undealt pile"),
    ):
        if wrong.any():
            k = int(wrong.argmax())
            raise error(f"game {rows[k]}, seat {seats[k]}: '{OPTION_NAMES[cards[k]]}': {what}")
    _take(games, rows, seats, cards, lies.argmax(axis=1))
    bio = np.flatnonzero((cards == BIO_OPTION) & (left > 1))
    rows, seats, top = rows[bio], seats[bio], left[bio] - 2
    granted = games["option_deck"][rows, top].astype(np.int64)
    games["robots"]["bio"][rows, seats] = granted
    _take(games, rows, seats, granted, top)


def _take(games: Array, rows: Array, seats: Array, cards: Array, places: Array) -> None:
    """Take cards out of draw piles; the top card of the pile fills the gap."""
    top = games["option_deck_left"][rows].astype(np.int64) - 1
    games["option_deck"][rows, places] = games["option_deck"][rows, top]
    games["option_deck_left"][rows] = top
    games["robots"]["options"][rows, seats] |= np.uint64(1) << cards.astype(np.uint64)
    games["payload"][rows, cards] = _NEW_PAYLOAD[cards]
