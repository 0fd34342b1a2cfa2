"""The kernels that a GPU launches with one thread for each game (docs/gpu.md).

The kernels of `rr_gym.rules.arena.batch` play a range of games; a thread gets the range of its game. Those of
`rr_gym.encoding` write rows for all games that they see; a thread sees only its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from rr_gym.compilation.groups import entries
from rr_gym.compilation.launching import Launch
from rr_gym.forms import ANY, BASE

_BATCH, _ACT, _OBSERVE = "rr_gym.rules.arena.batch", "rr_gym.encoding.act.actions", "rr_gym.encoding.observe"
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
NAMES = tuple(_KERNELS)


def launches(form: str, names: Iterable[str] = NAMES) -> list[Launch]:
    """Return the launches with these names for a form of the rules.

    Raises:
        ValueError: There is no launch of a name.
    """
    orders = "ShortOrders" if form == BASE else "OrdersRecord"
    listed = [entry for shared in (form, ANY) for group in entries()[shared].values() for entry in group]
    found = []
    for name in names:
        if name not in _KERNELS:
            raise ValueError(f"{name!r}: expected some of {', '.join(NAMES)}")
        kernel, rows = _KERNELS[name]
        fitting = [entry for entry in listed if entry.startswith(f"{kernel}(")]
        found.append(Launch(name, min(fitting, key=lambda entry: orders not in entry), rows))
    return found
