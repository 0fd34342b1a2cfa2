"""Play recorded games again by the rules, from their seeds and orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from rr_gym.courses import Course
from rr_gym.courses.changes import Changeable, Changes, place_of, with_turned_room
from rr_gym.render.words import Event, events_of
from rr_gym.replay.recording import Recording
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.batch import start_range
from rr_gym.rules.state.records import GAME, new_log

Array = np.ndarray[Any, Any]
# Events whose target is a square
PLACED_TARGETS = frozenset({"moved", "shot", "weapon", "token", "device_moved", "drone_aimed"})


def on_layout(events: Iterable[Event], course: Course, rooms: list[int]) -> Iterator[Event]:
    """Yield events in which robots on ramps are placed on the foot of their ramp.

    Args:
        events: The events of one turn, in the order of its log.
        course: The course of the game.
        rooms: The quarter turns of rotating rooms before these events, updated in place. Rooms beyond the end of the
            list have not turned yet.
    """
    if not Changeable.of(course).ramps:
        yield from events
        return
    for event in events:
        if event.kind == "room_turned":
            rooms[:] = with_turned_room(Changes(rooms=tuple(rooms)), event.value).rooms
        target = place_of(course, event.target, rooms) if event.kind in PLACED_TARGETS else event.target
        yield event._replace(square=place_of(course, event.square, rooms), target=target)


def result_of(arena: Arena, games: Array) -> dict[str, Any]:
    """Return the fields `over`, `winners` and `placements` of a `Recording`, from a game of shape (1,)."""
    seats = range(int(games["num_robots"][0]))
    return {
        "over": bool(games["over"][0]),
        "winners": tuple(seat for seat in seats if int(games["winners"][0]) >> seat & 1),
        "placements": tuple(int(arena.placements(games)[0, seat]) for seat in seats),
    }


def begin(replay: Recording) -> tuple[Arena, Array]:
    """Return the arena of a recorded game, and the game before its first turn: shape (1,), dtype `GAME`.

    Raises:
        ReplayError: The replay was written without its seed.
    """
    arena = Arena(replay.course, replay.settings)
    games = arena.new_games(1, replay.num_robots, seed=replay.known_seed(), salt=replay.salt)
    games["index"], games["episode"] = replay.index, replay.episode
    start_range(games, arena.tables, np.zeros(1, GAME), new_log(on=False), np.ones(1, np.bool_), False, 0, 1)
    return arena, games


def rerun(replay: Recording, arena: Arena, games: Array) -> Iterator[tuple[Array, tuple[Event, ...]]]:
    """Play a recorded game again by the rules, starting from the result of `begin`, with the recorded orders.

    Yields:
        After each turn the game, which is changed in place, and the events of the turn.
    """
    logs = new_log()
    rooms = list(replay.board.rooms)
    for turn in replay.turns:
        if games["over"][0]:
            return
        arena.play(games, turn.batch(), logs=logs)
        yield games, tuple(on_layout(events_of(logs[0]), replay.course, rooms))
