"""Compile a duel against a player to WebAssembly: the rules, the player, and the memory that they start with.

    python tools/site/duel_engine.py         prints their sizes

The kernels are entered once for each course from Python, and what they are given there becomes the image of memory that
the page starts with. The page only changes the game's identity, seats and orders in it, and calls the same kernels.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from rr_gym.compilation.entering import entry_name
from rr_gym.compilation.kernels import Kernel
from rr_gym.compilation.memory_image import MemoryImage
from rr_gym.compilation.records import PADDING
from rr_gym.compilation.webassembly import make
from rr_gym.forms import BASE
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import FULL_ORDERS, GAME, LOG, ORDERS, new_log, no_orders

COURSES = ("risky_exchange", "checkmate", "death_trap")
PLAYER = "veteran"
NUM_ROBOTS = 2
# The kernels that the page calls; the last one gives random programs, for tests
CALLS = ("start_range", "begin_turns", "decide_turns", "decode_actions", "play_range", "random_range")
Array = np.ndarray[Any, Any]


@contextmanager
def _recording() -> Iterator[dict[str, tuple[Kernel, tuple[Any, ...]]]]:
    """Record the kernels that are entered meanwhile: the last call of each, by name."""
    calls: dict[str, tuple[Kernel, tuple[Any, ...]]] = {}
    before = Kernel.enter

    def enter(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
        calls[kernel.__name__] = kernel, arguments
        return before(kernel, arguments)

    Kernel.enter = enter
    try:
        yield calls
    finally:
        Kernel.enter = before


def _calls_on(course: str) -> dict[str, tuple[Kernel, tuple[Any, ...]]]:
    """Return the calls of a game on a course, in which the player decides and a turn is played."""
    arena = Arena(course)
    with _recording() as calls:
        games = arena.new_games(1, NUM_ROBOTS)
        make_player(PLAYER).act(arena, games, 1)
        orders = no_orders(1, 8)
        arena.random_orders(games, orders, np.zeros(1, np.uint64))
        arena.play(games, orders, logs=new_log())
    return {name: calls[name] for name in CALLS}


def layout(dtype: np.dtype[Any]) -> dict[str, Any]:
    """Return the layout of a record for the page: its size, and type, offset and number of items of each field."""
    fields = {}
    for name, (kind, at, *_) in (dtype.fields or {}).items():
        if not name.startswith(PADDING):
            item = kind.base
            fields[name] = {
                "at": at,
                "count": int(np.prod(kind.shape)) if kind.shape else None,
                "type": layout(item) if item.fields else item.str[1:],
            }
    return {"size": dtype.itemsize, "fields": fields}


def build() -> dict[str, Any]:
    """Return the module, the image and what the page has to know of them, as data for JSON."""
    recorded = [_calls_on(course) for course in COURSES]
    entries = {name: entry_name(*recorded[0][name]) for name in CALLS}
    module = make(BASE, entries)
    image = MemoryImage(module.data_end)
    games = [_add(image, course, calls) for course, calls in zip(COURSES, recorded, strict=True)]
    return {
        "courses": games,
        "records": {"game": layout(GAME), "orders": layout(ORDERS), "log": layout(LOG)},
        "sizes": {"short": ORDERS.itemsize, "full": FULL_ORDERS.itemsize},
        "defaults": list(no_orders(1, 8).tobytes()),
        "start": image.start,
        "end": image.end,
        "code": _packed(module.code),
        "image": _packed(image.to_bytes()),
    }


def _add(image: MemoryImage, course: str, calls: dict[str, tuple[Kernel, tuple[Any, ...]]]) -> dict[str, Any]:
    """Add the calls of one course to the image, and return their addresses and those of the arrays that change."""
    given: dict[str, dict[str, Any]] = {
        name: dict(zip(kernel.parameters, arguments, strict=True)) for name, (kernel, arguments) in calls.items()
    }
    words = {name: image.add_call(arguments) for name, (_, arguments) in calls.items()}
    start, played, decoded = given["start_range"], given["play_range"], given["decode_actions"]
    games: Array = played["games"]
    return {
        "id": course,
        "lives": int(games["start_lives"][0]),
        "calls": words,
        "games": {
            name: image.address(given[name]["games"])
            for name in ("start_range", "play_range", "begin_turns", "decode_actions", "random_range")
        },
        "mask": image.address(start["mask"]),
        "orders": image.address(played["orders"]),
        "drawn": image.address(given["random_range"]["orders"]),
        "log": image.address(played["logs"]),
        "seats": image.address(given["begin_turns"]["seats"]),
        "decided": image.address(decoded["orders"]),
        "words": image.address(given["random_range"]["words"]),
    }


def _packed(data: bytes) -> str:
    return base64.b64encode(zlib.compress(data, 9)).decode()


def sizes(built: dict[str, Any]) -> str:
    """Return the bytes of the module and of the image, compressed and not, and of both as they are sent."""
    lines = []
    for name in ("code", "image"):
        packed = base64.b64decode(built[name])
        lines.append(f"{name}: {len(zlib.decompress(packed)):,} bytes, compressed {len(packed):,}")
    return "\n".join([*lines, f"all: {len(json.dumps(built)):,} bytes"])


if __name__ == "__main__":
    print(sizes(build()))
