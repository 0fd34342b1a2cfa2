"""Differential play: play the same turns with other accelerators, or with the reference alone, and compare."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from rr_gym.compilation.accelerators import REFERENCE, using
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import LOG
from rr_gym.rules.state.scratch import GameCaches

Array = np.ndarray[Any, Any]


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Yield a sentence for each field in which two records, or arrays of records, differ; skip caches and padding.

    Args:
        one: An array or record.
        other: Another one of the same dtype and shape.
        path: A name for them, with which the names of fields begin.
    """
    if one.dtype.names is None:
        if not np.array_equal(one, other):
            place = next(iter(np.argwhere(np.asarray(one != other)).tolist()), [])
            where = f"{path}{place or ''}"
            yield f"{where} is {one[tuple(place)]}, by other accelerators {other[tuple(place)]}"
        return
    for name in one.dtype.names:
        if name not in GameCaches.fields:
            yield from differences(one[name], other[name], f"{path}.{name}" if path else name)


def play_again(
    arena: Arena, before: Array, orders: Array, after: Array, choice: str = REFERENCE, events: int = 8
) -> dict[int, str]:
    """Play a turn again with other accelerators and compare the resulting games, and for some games the events.

    Args:
        arena: The arena.
        before: Shape (n,), dtype `GAME`: the games before the turn; unchanged.
        orders: Shape (n, 8), the orders of all players.
        after: Shape (n,), dtype `GAME`: the games after the turn.
        choice: The accelerators, as `RR_GYM_ACCELERATORS` names them; the reference alone by default.
        events: The number of games of which events are compared too.

    Returns:
        For each game that differs, by its index in the batch, a sentence about the first field that differs.
    """
    again = before.copy()
    with using(choice):
        arena.play(again, orders)
    differing = [int(g) for g in range(len(after)) if after[g].tobytes() != again[g].tobytes()]
    found = {g: text for g in differing if (text := next(differences(after[g], again[g]), ""))}
    some = slice(0, min(events, len(before)))
    logs = events_of(arena, before[some], orders[some])
    with using(choice):
        logs_again = events_of(arena, before[some], orders[some])
    for g in range(len(logs)):
        if g not in found and (text := next(differences(logs[g], logs_again[g], "log"), "")):
            found[g] = text
    return found


def events_of(arena: Arena, games: Array, orders: Array) -> Array:
    """Play a turn on a copy of the games and return its logs: shape (n,), dtype `LOG`."""
    logs = np.zeros(len(games), LOG)
    logs["on"] = 1
    arena.play(games.copy(), orders, logs=logs)
    return logs
