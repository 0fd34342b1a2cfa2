"""Differential play: the same turns by other accelerators, or by the reference alone, and where they part."""

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
    """Go through the fields in which two records or arrays of them differ, by name; caches and padding do not count.

    Args:
        one: Any array or record.
        other: The same of the same dtype and shape.
        path: The name of what they are.
    """
    if one.dtype.names is None:
        if not np.array_equal(one, other):
            place = next(iter(np.argwhere(np.asarray(one != other)).tolist()), [])
            where = f"{path}{place or ''}"
            yield f"{where} is {one[tuple(place)]}, by the others {other[tuple(place)]}"
        return
    for name in one.dtype.names:
        if name not in GameCaches.fields:
            yield from differences(one[name], other[name], f"{path}.{name}" if path else name)


def play_again(
    arena: Arena, before: Array, orders: Array, after: Array, choice: str = REFERENCE, events: int = 8
) -> dict[int, str]:
    """Play a turn once more with other accelerators and compare all games, and the events of some.

    Args:
        arena: The arena.
        before: Shape (n,), dtype `GAME`: the games before the turn; unchanged.
        orders: Shape (n, 8), the orders of all players.
        after: Shape (n,), dtype `GAME`: what became of the games.
        choice: The accelerators, as `RR_GYM_ACCELERATORS` names them; the reference alone by default.
        events: Of so many games the events are compared too.

    Returns:
        For each game that differs by its place the first field that does.
    """
    again = before.copy()
    with using(choice):
        arena.play(again, orders)
    parted = [int(g) for g in range(len(after)) if after[g].tobytes() != again[g].tobytes()]
    found = {g: text for g in parted if (text := next(differences(after[g], again[g]), ""))}
    some = slice(0, min(events, len(before)))
    told = events_of(arena, before[some], orders[some])
    with using(choice):
        told_again = events_of(arena, before[some], orders[some])
    for g in range(len(told)):
        if g not in found and (text := next(differences(told[g], told_again[g], "log"), "")):
            found[g] = text
    return found


def events_of(arena: Arena, games: Array, orders: Array) -> Array:
    """Return the logs of a turn of some games, which are left as they are: shape (n,), dtype `LOG`."""
    logs = np.zeros(len(games), LOG)
    logs["on"] = 1
    arena.play(games.copy(), orders, logs=logs)
    return logs
