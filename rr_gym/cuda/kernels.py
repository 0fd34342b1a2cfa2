"""The kernels that a GPU launches with one thread for each game (docs/gpu.md).

The kernels of `rr_gym.rules.arena.batch` and `rr_gym.cuda.segments` play a range of games; a thread gets the range of
its game. Those of `rr_gym.encoding` write rows for all games that they see; a thread sees only its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from rr_gym.compilation.groups import entries
from rr_gym.compilation.kinds import split_types
from rr_gym.compilation.launching import Launch
from rr_gym.cuda.segments import SEGMENTS
from rr_gym.forms import ANY, BASE

_BATCH, _SEGMENTS = "rr_gym.rules.arena.batch", "rr_gym.cuda.segments"
_ACT, _OBSERVE = "rr_gym.encoding.act.actions", "rr_gym.encoding.observe"
# By name: the kernel, and its parameters with a row for each game
_KERNELS: dict[str, tuple[str, tuple[str, ...]]] = {
    "start": (f"{_BATCH}.start_range", ()),  # the first episodes, or the next ones
    "play": (f"{_BATCH}.play_range", ()),
    "random_orders": (f"{_BATCH}.random_range", ()),
    "places": (f"{_BATCH}.place_range", ()),
    "masks": (f"{_ACT}.write_masks", ("games", "seats", "out")),
    "decode": (f"{_ACT}.repair_actions", ("games", "seats", "actions", "orders")),
    "observe_flat": (f"{_OBSERVE}.flat.observe_flat", ("games", "seats", "out")),
    "observe_planes": (f"{_OBSERVE}.planes.observe_planes", ("games", "seats", "out")),
    "observe_entities": (f"{_OBSERVE}.entities.observe_entities", ("games", "seats", "out")),
}
# The parts of a turn in several launches
PARTS = ("turn_begins", *SEGMENTS, "turn_ends", "next_episodes")
NAMES = (*_KERNELS, *PARTS, "shorten")
# Python calls none of the parts, so the list of what it enters has no types for them: their arguments are some of
# those of a whole turn.
_OF_PLAY = ("games", "tables", "orders", "logs", "mask", "blank", "restart", "first", "last")
_OF_SEGMENT = ("games", "tables", "logs", "mask", "phase", "first", "last")
_OF_PARTS = dict.fromkeys(SEGMENTS, _OF_SEGMENT) | {
    "turn_begins": ("games", "tables", "orders", "logs", "mask", "first", "last"),
    "turn_ends": ("games", "tables", "orders", "logs", "mask", "first", "last"),
    "next_episodes": ("games", "tables", "blank", "logs", "mask", "first", "last"),
}


def launches(form: str, names: Iterable[str] = NAMES) -> list[Launch]:
    """Return the launches with these names for a form of the rules.

    Raises:
        ValueError: There is no launch of a name.
    """
    orders = "ShortOrders" if form == BASE else "OrdersRecord"
    listed = [entry for shared in (form, ANY) for group in entries()[shared].values() for entry in group]
    found = []
    for name in names:
        if name not in NAMES:
            raise ValueError(f"{name!r}: expected some of {', '.join(NAMES)}")
        if name == "shorten":  # orders with decisions about option cards, for a game without them
            found.append(Launch(name, f"{_SEGMENTS}.shorten_range(|i1[3C], |i1[3C], int64, int64)"))
            continue
        kernel, rows = _KERNELS["play" if name in PARTS else name]
        fitting = [entry for entry in listed if entry.startswith(f"{kernel}(")]
        entry = min(fitting, key=lambda entry: orders not in entry)
        found.append(Launch(name, _part(name, entry) if name in PARTS else entry, rows))
    return found


def _part(name: str, play: str) -> str:
    """Return the entry of a part of a turn, given that of a whole turn in the same form."""
    kinds = dict(zip(_OF_PLAY, split_types(play.partition("(")[2][:-1]), strict=True), phase="int64")
    return f"{_SEGMENTS}.{name}_range({', '.join(kinds[parameter] for parameter in _OF_PARTS[name])})"
