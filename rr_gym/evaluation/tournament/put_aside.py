"""The file of a block of games that was put aside, possibly in the middle of a turn, to be resumed later."""

from __future__ import annotations

import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.file_records import check_records
from rr_gym.files import write_file
from rr_gym.json_text import loads
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, STATE_VERSION, no_orders
from rr_gym.runner import Batch, Seats

Array = np.ndarray[Any, Any]

_AGAIN = "without this file the block is played from its beginning"


class BlockError(RoboRallyError):
    """Games that cannot be put aside, or that were put aside and cannot be resumed."""


def put_aside(path: Path, batch: Batch, seats: Seats, seed: int) -> None:
    """Write the games of a block of this seed, atomically. Raises BlockError if they cannot be written."""
    counts = {
        "state_version": STATE_VERSION, "seed": seed, "turn": batch.turn, "asked": seats.asked,
        "decisions": seats.decisions, "faults": seats.faults,
    }  # fmt: skip
    orders = no_orders(len(batch.records), MAX_ROBOTS, full=True) if seats.orders is None else seats.orders
    content = io.BytesIO()
    np.savez_compressed(
        content,
        games=batch.records.view(np.uint8), ended=batch.ended.view(np.uint8), orders=orders.view(np.uint8),
        running=batch.running, forfeits=seats.forfeits, counts=np.frombuffer(json.dumps(counts).encode(), np.uint8),
    )  # fmt: skip
    write_file(path, content.getvalue(), BlockError)


def resume_block(path: Path, batch: Batch, seats: Seats, seed: int) -> None:
    """Resume the games of a block that were put aside.

    Args:
        path: The file.
        batch: The games of the block before their first turn.
        seats: The players at their tables.
        seed: The seed of the block.

    Raises:
        BlockError: The file is damaged, or contains something else.
    """
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            counts = loads(file["counts"].tobytes(), f"{path}: counts", BlockError)
            batch.ended, batch.records = file["ended"].view(GAME), file["games"].view(GAME)
            batch.running, seats.forfeits = file["running"], file["forfeits"]
            seats.orders = file["orders"].view(FULL_ORDERS).reshape(-1, MAX_ROBOTS)
        batch.turn, seats.asked, seats.decisions = counts["turn"], counts["asked"], counts["decisions"]
        seats.faults = [Counter(faults) for faults in counts["faults"]]
        proper = (counts["state_version"], counts["seed"]) == (STATE_VERSION, seed) and _fit(batch, seats)
    except BlockError as error:
        raise BlockError(f"{error}: {_AGAIN}") from None
    except Exception:  # damaged archives raise errors of a dozen kinds
        proper = False
    if not proper:
        raise BlockError(f"{path}: expected the games of this block, as they were put aside: {_AGAIN}")
    check_records(batch.records, batch.arena, f"{path}: games", BlockError)
    over = np.setdiff1d(np.arange(len(batch.ended)), batch.running)
    check_records(batch.ended[over], batch.arena, f"{path}: ended", BlockError)


def _fit(batch: Batch, seats: Seats) -> bool:
    """Tell whether the parts of a file are consistent."""
    at_all, left, players = len(seats.seating), len(batch.running), len(seats.players)
    numbers = [batch.turn, seats.asked, *seats.decisions, *(n for kinds in seats.faults for n in kinds.values())]
    return (
        batch.ended.shape == (at_all,)
        and batch.records.shape == (left,)
        and seats.orders is not None
        and seats.orders.shape == (left, MAX_ROBOTS)
        and seats.forfeits.dtype == np.bool_
        and seats.forfeits.shape == seats.seating.shape
        and players == len(seats.faults) == len(seats.decisions)
        and batch.running.dtype == np.arange(0).dtype
        and np.unique(batch.running).tolist() == batch.running.tolist()
        and set(batch.running.tolist()) <= set(range(at_all))
        and all(type(number) is int and number >= 0 for number in numbers)
        and batch.turn < batch.max_cycles
        and seats.asked <= len(seats.questions(batch.records))
    )
