"""Count how often each option card acts, judging by the events of random games in which all robots own options."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from rr_gym.bench.firing import NUM_ROBOTS, random_turns
from rr_gym.courses.course import Course
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state import constants as at
from rr_gym.rules.state import events as ev
from rr_gym.rules.state import option_cards as cards
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.option_cards import OPTION_NAMES

Array = np.ndarray[Any, Any]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

OPTIONS_EACH = 5  # option cards of every robot before every turn
NOBODY = -2  # owner of an option that no robot owns; -1 stands for the board in events


class ObservedTurn:
    """The events of one turn of one game, shape (n,), dtype `EVENT`, and the game before and after it.

    Methods that return a mask tell for each event whether it meets a condition; bool, shape (n,).
    """

    def __init__(self, events: Array, before: Any, after: Any) -> None:
        self.events, self.before, self.after = events, before, after

    def __getitem__(self, name: str) -> Array:
        field: Array = self.events[name]
        return field

    def owner(self, option: int) -> int:
        """Return the robot that owned the option before the turn, or `NOBODY`."""
        owned = self.before["robots"]["options"][:NUM_ROBOTS] >> np.uint64(option) & np.uint64(1)
        return int(owned.argmax()) if owned.any() else NOBODY

    def followed_by(self, mask: Mask) -> Mask:
        """Return a mask of the events whose direct successor is in the given mask."""
        return np.append(mask[1:], False)

    def happened(self, kind: int, value: int | None = None) -> Mask:
        """Return a mask of the events of a kind, with the given value only unless it is None."""
        mask: Mask = self["kind"] == kind
        return mask if value is None else mask & (self["value"] == value)

    def event(self, kind: int, option: int, value: str = "") -> Mask:
        """Return a mask of the events of a kind; `value` is "" for any, "own" for the option's number, or a number."""
        return self.happened(kind, None if not value else option if value == "own" else int(value))

    def stopped(self, option: int) -> Mask:
        """Return a mask of the points of damage that the option absorbed.

        Options that are given up to absorb a point do not count: the loss of the option follows directly.
        """
        return self.happened(ev.ABSORBED, option) & ~self.followed_by(self.happened(ev.OPTION_LOST, option))

    def lasered(self, option: int) -> Mask:
        """Return a mask of the damage by the main laser of the option's owner."""
        hit = self.happened(ev.DAMAGED) & (self["target"] == at.BY_ROBOT_LASER)
        own: Mask = hit & (self["other"] == self.owner(option))
        return own

    def lasered_twice(self) -> Mask:
        """Return a mask of the hits by a Double-Barreled Laser that did two points, in one event or in two."""
        hit = self.lasered(cards.DOUBLE_BARRELED_LASER)
        return hit & (self.followed_by(hit) | (self["value"] > 1))

    def controlled(self) -> Mask:
        """Return a mask of the events in which Fire Control destroyed an option or locked a register."""
        locked = self.lasered(cards.FIRE_CONTROL) & self.followed_by(self.happened(ev.LOCKED))
        return locked | self.happened(ev.OPTION_USED, cards.FIRE_CONTROL)

    def shot_through(self) -> Mask:
        """Return a mask of the shots by which a High-Power Laser hit a second robot in the same phase and direction."""
        shot = self.happened(ev.SHOT) & (self["robot"] == self.owner(cards.HIGH_POWER_LASER))
        places, directions = np.flatnonzero(shot), self["value"]
        twice = np.zeros(len(self.events), np.bool_)
        for one, other in pairwise(places):
            same = self["phase"][one] == self["phase"][other] and directions[one] == directions[other]
            twice[other] = same and self["other"][one] != self["other"][other]
        return twice

    def dealt_more(self) -> Mask:
        """Return a mask of the deals that gave the owner of Extra Memory more cards than its damage leaves."""
        robot = self.owner(cards.EXTRA_MEMORY)
        size = at.HAND_SIZE - int(self.after["robots"][max(robot, 0)]["damage"])
        more: Mask = self.happened(ev.DEALT) & (self["robot"] == robot) & (self["value"] > size)
        return more

    def changed(self, field: str, nothing: int) -> int:
        """Return for how many robots a field of their record changed to a value other than `nothing`."""
        before, after = (game["robots"][field][:NUM_ROBOTS] for game in (self.before, self.after))
        return int(((before != after) & (after != nothing)).sum())


# How to recognise that an option acted, by the first word of its field `shown`. Each entry returns a mask of events
# or a count.
SORTS: Mapping[str, Callable[..., Any]] = {
    "used": lambda turn, option: turn.happened(ev.OPTION_USED, option),
    "stopped": lambda turn, option: turn.stopped(option),
    "fired": lambda turn, option, weapon: turn.happened(ev.WEAPON_FIRED, at.WEAPON_NAMES.index(weapon)),
    "laid": lambda turn, option, kind: turn.happened(ev.DEVICE_LAID, at.DEVICE_NAMES.index(kind)),
    "harmed": lambda turn, option, harm: turn.happened(ev.DAMAGED) & (turn["target"] == at.HARM_NAMES.index(harm)),
    "event": lambda turn, option, name, *value: turn.event(EVENT_NAMES.index(name), option, *value),
    "changed": lambda turn, option, field, nothing: turn.changed(field, int(nothing)),
    "turned_aside": lambda turn, option: turn.happened(ev.SIDE_SET, option) & (turn["target"] > 1),
    "lasered_twice": lambda turn, option: turn.lasered_twice(),
    "dealt_more": lambda turn, option: turn.dealt_more(),
    "controlled": lambda turn, option: turn.controlled(),
    "shot_through": lambda turn, option: turn.shot_through(),
}


def option_acts(option: int, turn: ObservedTurn) -> Any:
    """Return how an option acted in a turn: as a mask of events, or as a count."""
    sort, *names = OPTION_CARDS[option].shown.split()
    return SORTS[sort](turn, option, *names)


def option_firings(course: Course | str, *, turns: int = 1000, num_games: int = 8) -> dict[str, int]:
    """Count how often each option acts in random games of eight robots with five options each and unlimited lives.

    Before every turn all options are refilled, and lost ones are replaced from the pile.

    Args:
        course: A course, or the id of a built-in one.
        turns: Total number of game turns, rounded up to whole turns of all games.
        num_games: Number of games played side by side.

    Returns:
        Counts by option id, in the order of their numbers.
    """
    counts = dict.fromkeys(OPTION_NAMES, 0)
    arena = Arena(course, {"lives": "unlimited", "option_cards": "on"})
    for played in random_turns(arena, turns, num_games, OPTIONS_EACH):
        turn = ObservedTurn(*played)
        for option, name in enumerate(OPTION_NAMES):
            counts[name] += int(np.sum(option_acts(option, turn)))
    return counts
