"""Place higher ground at random: plateaus, and the ways up and down (R-E13, R-E14, R-E49, R-E52, R-E78)."""

from __future__ import annotations

from rr_gym.generate.chance import Chance
from rr_gym.generate.elements import PHASES, Crowded
from rr_gym.generate.grid import CURRENT, EXPRESS, Grid, Square, opposite

_TRIES = 40
_MIN_SIDE, _NUM_SIDES = 3, 3  # the sides of a plateau have 3 to 5 squares
_RAMPS = 2  # ramps of a plateau; with two, one robot cannot block the only way up


def lay_hill(grid: Grid, chance: Chance, chosen: frozenset[str]) -> None:
    """Place one plateau on level 1, with the chosen elements that lead up or down.

    Flags may lie on the plateau only if ramps lead to it.
    """
    for _ in range(_TRIES):
        width = min(_MIN_SIDE + chance.below(_NUM_SIDES), grid.width - 1)
        height = min(_MIN_SIDE + chance.below(_NUM_SIDES), grid.height - 1)
        x, y = chance.below(grid.width - width + 1), chance.below(grid.height - height + 1)
        hill = [(x + i, y + j) for j in range(height) for i in range(width)]
        if any(_is_taken(grid, square, flags="ramp" in chosen) for square in hill):
            continue
        before = dict(grid.levels), dict(grid.items), dict(grid.belts), dict(grid.sides), list(grid.indivisible)
        reserved = set(grid.reserved)
        grid.levels |= dict.fromkeys(hill, 1)
        try:
            _lay_climbs(grid, chance, chosen, frozenset(hill))
        except Crowded:
            grid.levels, grid.items, grid.belts, grid.sides, grid.indivisible = before
            grid.reserved = reserved
            continue
        return
    raise Crowded


def _is_taken(grid: Grid, square: Square, flags: bool) -> bool:
    """Tell whether a square is occupied, so that it cannot be raised; with `flags`, squares with flags can."""
    if square in grid.items and not (flags and grid.is_flag(square)):
        return True
    return square in grid.belts or grid.level(square) > 0


def _lay_climbs(grid: Grid, chance: Chance, chosen: frozenset[str], hill: frozenset[Square]) -> None:
    feet = [
        (square, side)
        for square in grid.free()
        for side in range(4)
        if grid.level(square) == 0 and grid.beyond(square, side) in hill
    ]
    brinks = [
        (square, side)
        for square in grid.free()
        for side in range(4)
        if square in hill and (below := grid.beyond(square, side)) is not None and grid.level(below) == 0
    ]
    feet, brinks = chance.shuffled(feet), chance.shuffled(brinks)
    for kind, count in (("ramp", _RAMPS), ("fast_ramp", 1), ("elevator", 1)):
        for _ in range(count if kind in chosen else 0):
            foot, side = _take(grid, feet)
            if kind == "elevator":
                grid.items[foot] = ["h" + chance.choice(PHASES)]
                continue
            _lay_ramp(grid, foot, side, fast=kind == "fast_ramp")
    if "waterfall" in chosen:
        brink, side = _take(grid, brinks)
        below = grid.beyond(brink, side)
        if below is None or grid.is_start(below):
            raise Crowded
        grid.belts[brink] = (side, CURRENT)
        behind = grid.beyond(brink, opposite(side))
        if behind in hill and behind in grid.free():
            grid.belts[behind] = (side, CURRENT)


def _take(grid: Grid, places: list[tuple[Square, int]]) -> tuple[Square, int]:
    while places:
        square, side = places.pop()
        if square not in grid.items and square not in grid.belts and not grid.is_reserved(square, side):
            return square, side
    raise Crowded


def _lay_ramp(grid: Grid, foot: Square, side: int, fast: bool) -> None:
    """Place a ramp, given its foot. A fast ramp gets an express belt, and a second one before it if there is room."""
    top = grid.beyond(foot, side)
    grid.sides[foot, side] = "hh" if fast else "h"
    grid.reserved.add((foot, side))
    grid.indivisible.append(frozenset({foot, top} if top else {foot}))
    if fast:
        grid.belts[foot] = (side, EXPRESS)
        behind = grid.beyond(foot, opposite(side))
        if behind is not None and behind in grid.free() and grid.level(behind) == 0:
            grid.belts[behind] = (side, EXPRESS)
    else:
        grid.items[foot] = ["."]
