"""The decisions of a turn, noted for the sub-steps that ask for them (R-O)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.compilation.sources import define
from rr_gym.forms import with_expansions
from rr_gym.rules.state.constants import MAX_OWNED, NUM_REGISTERS
from rr_gym.rules.state.order_table import FIELDS
from rr_gym.rules.state.records import DECISIONS, DEFAULT_DECISIONS, Decisions, Game, Orders
from rr_gym.rules.state.table import Table


@kernel
def within(value: int, low: int, high: int, otherwise: int) -> int:
    """The value if it lies within the two, else another one: orders may hold what no order means."""
    return value if low <= value <= high else otherwise


def _lines() -> Iterator[str]:
    """A line for each decision, such as ``noted.arm = within(given.arm, 0, 1, 1)``."""
    yield "def note_decisions(game, table, orders, robot) -> None:"
    yield "    noted = game.robots[robot].orders"
    yield "    given = orders[robot]"
    for length in (NUM_REGISTERS, MAX_OWNED, 0):  # those that several values belong to first, value by value
        if length:
            yield f"    for k in range({length}):"
        for name in Decisions.fields:
            if DECISIONS[name].shape == ((length,) if length else ()):
                order, item = FIELDS[name], f"{name}[k]" if length else name
                low, high = order.range
                otherwise = DEFAULT_DECISIONS[name].reshape(-1)[-1]
                most = f"min({high}, game.num_robots - 1)" if order.kind == "robot" else high
                indent = "        " if length else "    "
                yield f"{indent}noted.{item} = within(given.{item}, {low}, {most}, {otherwise})"


# T4: the decisions of this turn besides the cards; what no order means becomes the default.
note_decisions: Callable[[Game, Table, Array[Orders], int], None]
note_decisions = with_expansions(None)(define("\n".join(_lines()), globals()))
