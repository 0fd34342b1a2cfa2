"""Count how often each board element acts in random games, judging by the events and the squares where they happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.courses.elements import ELEMENTS, Element
from rr_gym.courses.elements.traces import Sort, Trace
from rr_gym.courses.text.board import GROUP_ELEMENTS
from rr_gym.courses.text.grammar import STEPS
from rr_gym.encoding.act.random_orders import random_option_orders
from rr_gym.encoding.observe.bounds import number_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state import constants as at
from rr_gym.rules.state import events as ev
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import CAUSE_NAMES, HARM_NAMES, STEP_NAMES
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.records import LOG, no_orders

Array = np.ndarray[Any, Any]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

NUM_ROBOTS = 8
SEED = 1  # of the games and of the orders


class FiringScene:
    """Match events on one course to the squares of its elements.

    Elements in rotating rooms count where they were at the start of the game.

    Methods that return a mask tell for each event whether it meets a condition; bool, shape (n,).

    Args:
        course: Any course.
        table: The same course, compiled.
        events: Shape (n,), dtype `EVENT`, turn by turn, game by game.
    """

    def __init__(self, course: Course, table: Any, events: Array) -> None:
        self.course, self.table, self.events = course, table, events
        self.ground = table["ground"] if "ground" in table.dtype.names else None
        self.squares = table["squares"]

    def __getitem__(self, name: str) -> Array:
        field: Array = self.events[name]
        return field

    def happened(self, kind: int, *, value: int | None = None, target: int | None = None) -> Mask:
        """Return a mask of the events of a kind, only those with the given value and target if these are not None."""
        mask: Mask = self["kind"] == kind
        if value is not None:
            mask = mask & (self["value"] == value)
        return mask if target is None else mask & (self["target"] == target)

    @cached_property
    def _places(self) -> dict[str, Mask]:
        """Return the squares of each element as a mask, shape (squares + 1,), bool.

        Events without a square have the square -1, which selects the last entry; it is always false.
        """
        width = self.course.size[0]
        found: dict[str, Mask] = {}
        for (x, y), placed in self.course.squares.items():
            elements = {item.element for item in placed.cell.items}
            for item in placed.cell.items:
                dx, dy = STEPS[item.direction]
                below = self.course.squares.get((x + dx, y + dy))
                if item.kind == "stream" and below is not None and below.level < placed.level:
                    elements.add("waterfall")
            for element in elements:
                found.setdefault(element, np.zeros(len(self.squares) + 1, np.bool_))[y * width + x] = True
        for placement in self.course.placements:
            for group in placement.turned.groups:
                mask = found.setdefault(GROUP_ELEMENTS[group.kind], np.zeros(len(self.squares) + 1, np.bool_))
                for x, y in group.squares:
                    mask[(y + placement.at[1]) * width + x + placement.at[0]] = True
        return found

    @cached_property
    def _sides(self) -> dict[str, Array]:
        """Return the sides with each element, shape (squares + 1, 4), int8.

        An entry is 1 for the square on which the side is defined, 2 for the other face of the side, and 0 elsewhere.
        """
        width = self.course.size[0]
        found: dict[str, Array] = {}
        for (x, y), placed in self.course.squares.items():
            for part in placed.cell.sides:
                faces = found.setdefault(part.element, np.zeros((len(self.squares) + 1, 4), np.int8))
                faces[y * width + x, part.side] = 1
                dx, dy = STEPS[part.side]
                beyond = (y + dy) * width + x + dx
                if (x + dx, y + dy) in self.course.squares and not faces[beyond, part.side ^ 2]:
                    faces[beyond, part.side ^ 2] = 2
        return found

    def on(self, element: str, field: str = "square") -> Mask:
        """Return a mask of the events whose square, or another field such as `target`, has the element."""
        places = self._places.get(element)
        return np.zeros(len(self.events), np.bool_) if places is None else places[self[field]]

    def met(self, element: str, own_face: bool = False) -> Mask:
        """Return a mask of the events in which a robot was stopped at a side with the element.

        With `own_face`, only hits on the face that carries the element count.
        """
        faces = self._sides.get(element)
        blocked = self.happened(ev.BLOCKED)
        if faces is None:
            return blocked & False
        face = faces[self["square"], self["value"] & 3]
        met: Mask = blocked & ((face == 1) if own_face else (face > 0))
        return met

    def moved(self, cause: int) -> Mask:
        """Return a mask of the moves that have a given cause."""
        return self.happened(ev.MOVED, value=cause)

    def began(self, types: tuple[str, ...]) -> Mask:
        """Return a mask of the events in which a robot executed a card of one of these types.

        Without types, any card counts.
        """
        mask = self.happened(ev.CARD_PLAYED)
        kinds = [getattr(at, name.upper()) for name in types]
        return mask & np.isin(CARD_TYPE[np.maximum(self["value"], 0)], kinds) if kinds else mask

    def climbed(self, fast: int) -> Mask:
        """Return a mask of the moves to or from a ramp's hidden square; `fast` is 1 for fast ramps, 0 for others."""
        if self.ground is None:
            return np.zeros(len(self.events), np.bool_)
        hidden = (self.ground["up"] >= 0) & (self.ground["fast"] == fast)
        touches = (hidden[self["square"]] & (self["square"] >= 0)) | (hidden[self["target"]] & (self["target"] >= 0))
        climbed: Mask = self.happened(ev.MOVED) & touches
        return climbed

    def pulled_to(self, element: str) -> Mask:
        """Return a mask of the pulls in the row or column of a square with the element."""
        places = np.flatnonzero(self._places.get(element, np.zeros(1, np.bool_)))
        x, y = self.squares["x"][self["target"]], self.squares["y"][self["target"]]
        in_line = [(x == self.squares["x"][p]) | (y == self.squares["y"][p]) for p in places]
        return self.moved(at.PULL) & (np.any(in_line, axis=0) if in_line else False)

    def through_gate(self) -> Mask:
        """Return a mask of the moves through a gate."""
        if self.ground is None:
            return np.zeros(len(self.events), np.bool_)
        beyond = self.ground["gate_to"][self["target"]]
        passed: Mask = (beyond == self["square"][:, None]).any(axis=1) & (self["target"] >= 0) & (self["square"] >= 0)
        return self.happened(ev.MOVED) & np.isin(self["value"], (at.CARD, at.PUSH)) & passed

    def mounted(self, element: str) -> Mask:
        """Return a mask of the hits by beams whose mount is a side with the element."""
        faces = self._sides.get(element)
        shot = self.happened(ev.SHOT) & (self["robot"] < 0)
        return shot & False if faces is None else shot & (faces[self["square"], (self["value"] & 3) ^ 2] == 1)


# Masks of the events that a trace describes, by `Trace.sort`
SORTS: Mapping[Sort, Callable[[FiringScene, Element, Trace], Mask]] = {
    Sort.EVENT: lambda scene, element, trace: scene.happened(EVENT_NAMES.index(trace.what[0]), value=_value(trace)),
    Sort.MOVED: lambda scene, element, trace: scene.moved(CAUSE_NAMES.index(trace.what[0])),
    Sort.HARMED: lambda scene, element, trace: scene.happened(ev.DAMAGED, target=HARM_NAMES.index(trace.what[0])),
    Sort.DESTROYED: lambda scene, element, trace: scene.happened(ev.DESTROYED, value=HARM_NAMES.index(trace.what[0])),
    Sort.MET: lambda scene, element, trace: scene.met(element.id),
    Sort.MET_FACE: lambda scene, element, trace: scene.met(element.id, own_face=True),
    Sort.BEGAN: lambda scene, element, trace: scene.began(trace.what),
    Sort.PULLED: lambda scene, element, trace: scene.pulled_to(element.id),
    Sort.CLIMBED: lambda scene, element, trace: scene.climbed(0),
    Sort.CLIMBED_FAST: lambda scene, element, trace: scene.climbed(1),
    Sort.THROUGH_GATE: lambda scene, element, trace: scene.through_gate(),
    Sort.MOUNTED: lambda scene, element, trace: scene.mounted(element.id),
}


def _value(trace: Trace) -> int | None:
    return None if trace.value is None else number_of(trace.value)


def acted(element: Element, scene: FiringScene) -> Mask:
    """Return a mask of the events that show that the element acted, according to its traces."""
    found = np.zeros(len(scene.events), np.bool_)
    for trace in element.traces:
        mask = SORTS[trace.sort](scene, element, trace)
        if trace.steps:
            mask = mask & np.isin(scene["step"], [STEP_NAMES.index(step) for step in trace.steps])
        if trace.on_element:
            mask = mask & scene.on(element.id, "target" if trace.sort is Sort.MOVED else "square")
        if trace.on:
            mask = mask & scene.on(trace.on)
        found |= mask
    return found


def firings(course: Course | str, *, turns: int = 1000, num_games: int = 8) -> dict[str, int]:
    """Count how often each element acts in random games of eight robots with option cards and unlimited lives.

    Args:
        course: A course, or the id of a built-in one.
        turns: Total number of game turns, rounded up to whole turns of all games.
        num_games: Number of games played side by side.

    Returns:
        Counts by element id, in the order of their numbers; 0 for elements that did not act or do not occur.
    """
    counts = dict.fromkeys((element.id for element in ELEMENTS), 0)
    arena = Arena(course, {"lives": "unlimited", "option_cards": "on"})
    for events, _, _ in random_turns(arena, turns, num_games):
        scene = FiringScene(arena.courses[0], arena.tables[0], events)
        for element in ELEMENTS:
            counts[element.id] += int(np.count_nonzero(acted(element, scene)))
    return counts


def random_turns(arena: Arena, turns: int, num_games: int, options: int = 0) -> Iterator[tuple[Array, Any, Any]]:
    """Play random turns of games of eight robots.

    Args:
        arena: The arena to play in; its settings must allow option cards.
        turns: Total number of game turns, rounded up to whole turns of all games.
        num_games: Number of games played side by side.
        options: How many option cards each robot is given before every turn, for its orders to use; 0 for none.

    Yields:
        The events of a turn of one game, and the game before and after it.
    """
    games = arena.new_games(num_games, NUM_ROBOTS, seed=SEED)
    words = np.random.default_rng(SEED).integers(0, 1 << 63, num_games, np.uint64)
    logs, orders = np.zeros(num_games, LOG), no_orders(num_games, at.MAX_ROBOTS, full=True)
    logs["on"] = 1
    for _ in range(-(-turns // num_games)):
        if options:
            arena.equip(games, options)
            random_option_orders(arena, games, orders, words)
        else:
            arena.random_orders(games, orders, words)
        before = games.copy()
        logs["count"] = 0
        arena.play(games, orders, restart=True, logs=logs)
        for log, old, new in zip(logs, before, games, strict=True):
            yield log["events"][: log["count"]], old, new
