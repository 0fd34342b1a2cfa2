"""Store the decisions of a turn in the game, for the sub-steps that read them (R-O)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.compilation.sources import define
from rr_gym.forms import with_expansions
from rr_gym.rules.state.constants import MAX_OWNED, NUM_REGISTERS
from rr_gym.rules.state.order_table import FIELDS
from rr_gym.rules.state.records import DECISIONS, DEFAULT_DECISIONS, Decisions, GameRecord, OrdersRecord
from rr_gym.rules.state.table import Table


@kernel
def within(value: int, low: int, high: int, otherwise: int) -> int:
    """Return a value if it lies within two bounds, else `otherwise`; orders may contain numbers without a meaning."""
    return value if low <= value <= high else otherwise


def _lines() -> Iterator[str]:
    """Yield a line of code for each decision, such as ``noted.arm = within(given.arm, 0, 1, 1)``."""
    yield "def note_decisions(game, table, orders, robot) -> None:"
    yield "    noted = game.robots[robot].orders"
    yield "    given = orders[robot]"
    for length in (NUM_REGISTERS, MAX_OWNED, 0):  # decisions with several values first, value by value
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


# Store the decisions of this turn other than cards (T4); a number without a meaning becomes the default.
note_decisions: Callable[[GameRecord, Table, Array[OrdersRecord], int], None]
note_decisions = with_expansions(None)(define("\n".join(_lines()), globals()))
