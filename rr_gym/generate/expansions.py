"""Place the elements of expansions at random, each by the recipe in its row of the table of elements."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.elements.element import Recipe
from rr_gym.courses.text.words import ARROWS, SIDE_LETTERS
from rr_gym.generate import grid as carriers
from rr_gym.generate.chance import Chance
from rr_gym.generate.elements import PHASES, Crowded, beam_from, lay_pushers, lay_run, pusher_pushes_over
from rr_gym.generate.grid import Grid, Side, Square, opposite

_TRIES = 60
_LINK_COLOURS = "abcdefghijklmnopqrstuvwxyz"
_MIN_BEAM = 2  # minimum number of squares of a melting beam or of a ventilator's line
_MAX_BARRIER = 4
# Places one occurrence of an element by its recipe, or raises Crowded
Lay = Callable[[Grid, Chance, Recipe], None]


def _lay_words(grid: Grid, chance: Chance, words: tuple[str, ...], squares: int = 1) -> None:
    """Put one of the words on each of up to `squares` adjacent squares.

    In a word, `@` stands for a random direction and `#` for random phases.
    """
    free = set(grid.free())
    if not free:
        raise Crowded
    patch = [chance.choice(sorted(free))]
    for _ in range(chance.below(squares)):
        beside = {grid.beyond(square, side) for square in patch for side in range(4)}
        near = sorted(square for square in beside if square in free and square not in patch)
        if near:
            patch.append(chance.choice(near))
    for square in patch:
        grid.items[square] = [_filled_in(chance, chance.choice(words))]


def _lay_item(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    _lay_words(grid, chance, recipe.words, recipe.patch)


def _filled_in(chance: Chance, word: str) -> str:
    while "@" in word:
        word = word.replace("@", chance.choice(ARROWS), 1)
    return word.replace("#", chance.choice(PHASES))


def _lay_slope(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    down = chance.below(4)
    across = chance.choice(("", ARROWS[(down + 1) % 4], ARROWS[(down + 3) % 4]))
    _lay_words(grid, chance, (f"S{ARROWS[down]}{across}",))


def _lay_turning_belt(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    word = f"r{1 + chance.below(3)}" + "".join(chance.choice((*ARROWS, *ARROWS, "-")) for _ in range(5))
    _lay_words(grid, chance, (word,))


def _lay_pistons(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place one piston of each of the two colours."""
    for colour in "ab":
        _lay_words(grid, chance, (f"p{colour}@",))


def _lay_portals(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    colour = _LINK_COLOURS[sum(item[0] == "=" for items in grid.items.values() for item in items) // 2 % 26]
    for _ in range(2):
        _lay_words(grid, chance, (f"={colour}",))


def _lay_flip_belts(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place two or three flip belts in a row."""
    for _ in range(_TRIES):
        direction, row = chance.below(4), [chance.choice(grid.free() or [(0, 0)])]
        while len(row) < 3 and (after := grid.downstream(row[-1], direction)) in grid.free() and after is not None:
            row.append(after)
        if len(row) > 1:
            word = f"g{SIDE_LETTERS[opposite(direction)]}{SIDE_LETTERS[direction]}"
            grid.items |= {square: [word] for square in row}
            return
    raise Crowded


def _lay_run(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place a run of two to six squares of belts, currents or rivers."""
    kind = getattr(carriers, recipe.words[0])
    for _ in range(_TRIES):
        if not grid.free():
            break
        if lay_run(grid, chance, kind, 3 + chance.below(4), 2):
            return
    raise Crowded


def _lay_heavy_pusher(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    lay_pushers(grid, chance, 1, "H")


def _open_sides(grid: Grid, chance: Chance, inner: bool) -> list[Side]:
    """Return the sides that are free for an element, in random order; with `inner`, only those between two squares."""
    return [
        (square, side)
        for square, side in chance.shuffled([(square, side) for square in grid.squares() for side in range(4)])
        if not grid.is_walled(square, side)
        and not grid.belt_crosses(square, side)
        and not grid.is_reserved(square, side)
        and not pusher_pushes_over(grid, square, side)
        and (not inner or grid.beyond(square, side) is not None)
    ]


def _lay_side(grid: Grid, chance: Chance, recipe: Recipe, inner: bool = True) -> None:
    for square, side in _open_sides(grid, chance, inner):
        grid.sides[square, side] = _filled_in(chance, chance.choice(recipe.words))
        return
    raise Crowded


def _lay_both_faces(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Put the same element on both faces of a side."""
    for square, side in _open_sides(grid, chance, inner=False):
        grid.sides[square, side] = recipe.words[0]
        if (other := grid.beyond(square, side)) is not None:
            grid.sides[other, opposite(side)] = recipe.words[0]
        return
    raise Crowded


def _lay_pads(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place a padded wall, beside a padded square if there is one."""
    sides = _open_sides(grid, chance, inner=False)
    sides.sort(key=lambda place: "D" not in grid.items.get(place[0], ()))
    if not sides:
        raise Crowded
    grid.sides[sides[0]] = ")"


def _lay_gates(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    colours = {kind for kind in grid.sides.values() if kind.startswith("k")}
    sides = _open_sides(grid, chance, inner=False)
    first = sides[0] if sides else None
    second = next((side for side in sides if first and side[0] != first[0]), None)
    if first is None or second is None or len(colours) == len(_LINK_COLOURS):
        raise Crowded
    grid.sides[first] = grid.sides[second] = "k" + _LINK_COLOURS[len(colours)]


def _lay_mount(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place a mount whose line covers at least `_MIN_BEAM` squares, none of them a start."""
    for square, side in _open_sides(grid, chance, inner=False):
        line = beam_from(grid, square, opposite(side))
        if len(line) >= _MIN_BEAM and not any(map(grid.is_start, line)):
            grid.sides[square, side] = _filled_in(chance, recipe.words[0].replace("%", str(1 + chance.below(3))))
            return
    raise Crowded


def _lay_barrier(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place a light barrier across one to four squares of one level, and reserve the sides between its posts."""
    for square, side in _open_sides(grid, chance, inner=False):
        direction = opposite(side)
        beam = beam_from(grid, square, direction)[: 1 + chance.below(_MAX_BARRIER)]
        if grid.is_walled(beam[-1], direction) or len({grid.level(s) for s in beam}) > 1:
            continue
        if any(grid.is_reserved(s, direction) for s in beam):
            continue
        grid.sides[square, side] = grid.sides[beam[-1], direction] = "y"
        grid.reserved.update((s, direction) for s in beam)
        grid.reserved.add((square, side))
        grid.indivisible.append(frozenset(beam))
        return
    raise Crowded


def _areas(grid: Grid, chance: Chance, width: int, height: int) -> list[list[Square]]:
    """Return all rectangles of this size on one level, without starts, flags and other groups, in random order."""
    corners = [(x, y) for y in range(grid.height - height + 1) for x in range(grid.width - width + 1)]
    areas = [
        [(x + i, y + j) for j in range(height) for i in range(width)] for x, y in chance.shuffled(corners)
    ]
    return [
        area
        for area in areas
        if not any(grid.is_start(s) or grid.is_flag(s) or s in grid.grouped for s in area)
        and len({grid.level(s) for s in area}) == 1
    ]


def _lay_area(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place a group on a rectangle; the words of the recipe are its lines in the format RRB1.

    In the first line, % stands for its corner, $ for its size, and # for the number of robots that it carries.
    """
    line, *rows = recipe.words
    for width, height in chance.shuffled(recipe.sizes):
        for area in _areas(grid, chance, width, height):
            x, y = area[0]
            text = line.replace("%", f"{x},{y}").replace("$", f"{width}x{height}")
            text = text.replace("#", str(1 + chance.below(2)))
            grid.add_group("\n".join([text, *rows]), area)
            return
    raise Crowded


def _lay_big_gear(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place a big gear, and reserve the sides where its wall runs through the middle of its longer side."""
    _lay_area(grid, chance, recipe)
    gear = grid.indivisible[-1]
    corner = min(gear)
    side = 1 if (corner[0] + 1, corner[1]) in gear else 2
    grid.reserved.update((square, side) for square in gear if grid.beyond(square, side) in gear)


def _lay_ring(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place a ring on the eight squares around a square, or on the four of them that are not corners."""
    for area in _areas(grid, chance, 3, 3):
        corners = chance.below(2)
        order = (0, 1, 2, 5, 8, 7, 6, 3) if corners else (1, 5, 7, 3)
        ring = [area[k] for k in order]
        grid.add_group("ring " + " ".join(f"{x},{y}" for x, y in ring), ring)
        return
    raise Crowded


def _lay_room(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Place a rotating room over other elements, but not over starts, nor over only a part of an indivisible group."""
    size = 2 + chance.below(2)
    corners = [(x, y) for y in range(grid.height - size + 1) for x in range(grid.width - size + 1)]
    for x, y in chance.shuffled(corners):
        room = frozenset((x + i, y + j) for j in range(size) for i in range(size))
        torn = any(together & room and not together <= room for together in grid.indivisible)
        if torn or room & grid.in_rooms or any(map(grid.is_start, room)):
            continue
        grid.groups.append(f"room at {x},{y} {size}")
        grid.in_rooms |= room
        return
    raise Crowded


def _lay_nothing(grid: Grid, chance: Chance, recipe: Recipe) -> None:
    """Do nothing: hills are placed before all other elements, by `lay_hill`."""


# By `Recipe.lay`
LAYS: Mapping[str, Lay] = {
    "hill": _lay_nothing,
    "item": _lay_item,
    "run": _lay_run,
    "side": _lay_side,
    "any_side": partial(_lay_side, inner=False),
    "mount": _lay_mount,
    "area": _lay_area,
    "both_faces": _lay_both_faces,
    "slope": _lay_slope,
    "turning_belt": _lay_turning_belt,
    "pistons": _lay_pistons,
    "portals": _lay_portals,
    "flip_belts": _lay_flip_belts,
    "heavy_pusher": _lay_heavy_pusher,
    "pads": _lay_pads,
    "gates": _lay_gates,
    "beam": _lay_barrier,
    "big_gear": _lay_big_gear,
    "ring": _lay_ring,
    "room": _lay_room,
}
_RECIPES = {element.id: element.recipe for element in ELEMENTS if element.recipe is not None}
# In the order of placement: elements that need most room come first, those on sides last.
RECIPES: Mapping[str, Recipe] = dict(sorted(_RECIPES.items(), key=lambda entry: entry[1].place))
# Elements that are placed with hills (rr_gym.generate.hills)
HILLS = tuple(name for name, recipe in RECIPES.items() if recipe.lay == "hill")
