"""The tables of an arena: kinds of games that are rated separately."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from rr_gym.arena.errors import LadderError
from rr_gym.errors import did_you_mean

_BASE = (
    "risky_exchange", "dizzy_dash", "island_hop", "chop_shop_challenge", "bloodbath_chess", "death_trap", "pilgrimage",
    "vault_assault", "lost_bearings", "robot_stew", "against_the_grain",
)  # fmt: skip
_CROWDED = (
    "risky_exchange", "checkmate", "dizzy_dash", "island_hop", "twister", "around_the_world", "pilgrimage",
    "whirlwind_tour", "oddest_sea", "island_king",
)  # fmt: skip
_EXPANSIONS = ("high_water", "critical_mass", "grand_tour", "night_shift", "hot_metal", "all_the_fun", "everything")


class LadderTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of games. Each season draws new courses for it.

    Attributes:
        name: The name of the table.
        seats: The number of robots.
        settings: Settings of the games by name (docs/rules/settings.md).
        library: The built-in courses from which a season draws.
        known: How many built-in courses a season plays unchanged.
        moved: How many built-in courses it plays with moved flags.
        generated: How many generated courses it plays.
        elements: How many kinds of expansion elements a generated course has.
    """

    name: str
    seats: int
    settings: dict[str, Any]
    library: tuple[str, ...]
    known: int
    moved: int
    generated: int
    elements: int


_OPTIONS = {"option_cards": "on", "start_options": 3}
TABLES = {
    table.name: table
    for table in (
        LadderTable("duels", 2, {}, _BASE, 2, 2, 2, 0),
        LadderTable("fours", 4, {}, _BASE, 2, 2, 2, 0),
        LadderTable("eights", 8, {}, _CROWDED, 2, 2, 2, 0),
        LadderTable("options", 4, _OPTIONS, _BASE, 2, 2, 2, 0),
        LadderTable("expansions", 4, {}, _EXPANSIONS, 2, 2, 2, 5),
    )
}


def select_tables(names: Iterable[str]) -> tuple[LadderTable, ...]:
    """Return the named tables, each once, in the order of `TABLES`. Raises LadderError for an unknown name."""
    wanted = set()
    for name in names:
        if name not in TABLES:
            hint = did_you_mean(name, TABLES) or f"expected {' | '.join(TABLES)}"
            raise LadderError(f"tables: there is no table '{name}': {hint}")
        wanted.add(name)
    if not wanted:
        raise LadderError(f"tables: expected at least one of {', '.join(TABLES)}")
    return tuple(table for name, table in TABLES.items() if name in wanted)
