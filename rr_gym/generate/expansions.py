"""Lay out the elements of the expansions at random, each by the recipe that its row names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.elements.element import Recipe as Row
from rr_gym.courses.text.words import ARROWS, SIDE_LETTERS
from rr_gym.generate import grid as carriers
from rr_gym.generate.chance import Chance
from rr_gym.generate.elements import PHASES, Crowded, beam_from, lay_pushers, lay_run, pusher_pushes_over
from rr_gym.generate.grid import Grid, Side, Square, opposite

_TRIES = 60
_LINK_COLOURS = "abcdefghijklmnopqrstuvwxyz"
_LEAST_BEAM = 2  # squares of a melting beam or of a ventilator's line
_LONGEST_BARRIER = 4
Lay = Callable[[Grid, Chance], None]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to lay one place of an element.

    Attributes:
        lay: Lays one place, or raises Crowded.
        squares: The number of squares that one place takes for itself; 0 if it lies on sides or over other elements.
        most: The maximum number of places on a board.
    """

    lay: Lay
    squares: int = 1
    most: int = 1 << 16


def _item(*words: str, squares: int = 1) -> Lay:
    """Return a function that lays one of the words on up to `squares` adjacent squares.

    In a word, `@` stands for a random direction and `#` for random phases.
    """

    def lay(grid: Grid, chance: Chance) -> None:
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
            grid.items[square] = [_spelt(chance, chance.choice(words))]

    return lay


def _spelt(chance: Chance, word: str) -> str:
    while "@" in word:
        word = word.replace("@", chance.choice(ARROWS), 1)
    return word.replace("#", chance.choice(PHASES))


def _lay_slope(grid: Grid, chance: Chance) -> None:
    down = chance.below(4)
    across = chance.choice(("", ARROWS[(down + 1) % 4], ARROWS[(down + 3) % 4]))
    _item(f"S{ARROWS[down]}{across}")(grid, chance)


def _lay_turning_belt(grid: Grid, chance: Chance) -> None:
    word = f"r{1 + chance.below(3)}" + "".join(chance.choice((*ARROWS, *ARROWS, "-")) for _ in range(5))
    _item(word)(grid, chance)


def _lay_pistons(grid: Grid, chance: Chance) -> None:
    """Lay one piston of each of the two colours."""
    for colour in "ab":
        _item(f"p{colour}@")(grid, chance)


def _lay_portals(grid: Grid, chance: Chance) -> None:
    colour = _LINK_COLOURS[sum(item[0] == "=" for items in grid.items.values() for item in items) // 2 % 26]
    for _ in range(2):
        _item(f"={colour}")(grid, chance)


def _lay_flip_belts(grid: Grid, chance: Chance) -> None:
    """Lay two or three green belts in a row."""
    for _ in range(_TRIES):
        direction, row = chance.below(4), [chance.choice(grid.free() or [(0, 0)])]
        while len(row) < 3 and (after := grid.downstream(row[-1], direction)) in grid.free() and after is not None:
            row.append(after)
        if len(row) > 1:
            word = f"g{SIDE_LETTERS[opposite(direction)]}{SIDE_LETTERS[direction]}"
            grid.items |= {square: [word] for square in row}
            return
    raise Crowded


def _run(kind: int) -> Lay:
    """Return a function that lays a run of two to six squares that carry robots."""

    def lay(grid: Grid, chance: Chance) -> None:
        for _ in range(_TRIES):
            if not grid.free():
                break
            if lay_run(grid, chance, kind, 3 + chance.below(4), 2):
                return
        raise Crowded

    return lay


def _lay_heavy_pusher(grid: Grid, chance: Chance) -> None:
    lay_pushers(grid, chance, 1, "H")


def _open_sides(grid: Grid, chance: Chance, inner: bool) -> list[Side]:
    """Return the sides on which something may stand, in random order; with `inner`, only those between two squares."""
    return [
        (square, side)
        for square, side in chance.shuffled([(square, side) for square in grid.squares() for side in range(4)])
        if not grid.is_walled(square, side)
        and not grid.belt_crosses(square, side)
        and not grid.is_kept(square, side)
        and not pusher_pushes_over(grid, square, side)
        and (not inner or grid.beyond(square, side) is not None)
    ]


def _side(*words: str, inner: bool = True) -> Lay:
    def lay(grid: Grid, chance: Chance) -> None:
        for square, side in _open_sides(grid, chance, inner):
            grid.sides[square, side] = _spelt(chance, chance.choice(words))
            return
        raise Crowded

    return lay


def _both_faces(word: str) -> Lay:
    """Return a function that lays a side that looks the same from both of its squares."""

    def lay(grid: Grid, chance: Chance) -> None:
        for square, side in _open_sides(grid, chance, inner=False):
            grid.sides[square, side] = word
            if (other := grid.beyond(square, side)) is not None:
                grid.sides[other, opposite(side)] = word
            return
        raise Crowded

    return lay


def _lay_pads(grid: Grid, chance: Chance) -> None:
    """Lay a padded wall, on a padded square if there is one."""
    sides = _open_sides(grid, chance, inner=False)
    sides.sort(key=lambda place: "D" not in grid.items.get(place[0], ()))
    if not sides:
        raise Crowded
    grid.sides[sides[0]] = ")"


def _lay_gates(grid: Grid, chance: Chance) -> None:
    colours = {kind for kind in grid.sides.values() if kind.startswith("k")}
    sides = _open_sides(grid, chance, inner=False)
    first = sides[0] if sides else None
    second = next((side for side in sides if first and side[0] != first[0]), None)
    if first is None or second is None or len(colours) == len(_LINK_COLOURS):
        raise Crowded
    grid.sides[first] = grid.sides[second] = "k" + _LINK_COLOURS[len(colours)]


def _mount(word: str) -> Lay:
    """Return a function that lays a mount whose line covers at least `_LEAST_BEAM` squares, none of them a start."""

    def lay(grid: Grid, chance: Chance) -> None:
        for square, side in _open_sides(grid, chance, inner=False):
            line = beam_from(grid, square, opposite(side))
            if len(line) >= _LEAST_BEAM and not any(map(grid.is_start, line)):
                grid.sides[square, side] = _spelt(chance, word.replace("%", str(1 + chance.below(3))))
                return
        raise Crowded

    return lay


def _lay_barrier(grid: Grid, chance: Chance) -> None:
    """Lay a light barrier across one to four squares of one level, and keep the sides between its posts free."""
    for square, side in _open_sides(grid, chance, inner=False):
        direction = opposite(side)
        beam = beam_from(grid, square, direction)[: 1 + chance.below(_LONGEST_BARRIER)]
        if grid.is_walled(beam[-1], direction) or len({grid.level(s) for s in beam}) > 1:
            continue
        if any(grid.is_kept(s, direction) for s in beam):
            continue
        grid.sides[square, side] = grid.sides[beam[-1], direction] = "y"
        grid.kept.update((s, direction) for s in beam)
        grid.kept.add((square, side))
        grid.bound.append(frozenset(beam))
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


def _area(line: str, *sizes: tuple[int, int], rows: tuple[str, ...] = ()) -> Lay:
    """Return a function that lays a group over a rectangle.

    In the line of the group, % stands for its corner, $ for its size, and # for the number of robots that it carries.
    """

    def lay(grid: Grid, chance: Chance) -> None:
        for width, height in chance.shuffled(sizes):
            for area in _areas(grid, chance, width, height):
                x, y = area[0]
                text = line.replace("%", f"{x},{y}").replace("$", f"{width}x{height}")
                text = text.replace("#", str(1 + chance.below(2)))
                grid.add_group("\n".join([text, *rows]), area)
                return
        raise Crowded

    return lay


def _lay_big_gear(grid: Grid, chance: Chance) -> None:
    """Lay a big gear, and keep the sides free where its wall is, through the middle of its longer side."""
    _area("bigear at % $", (2, 1), (1, 2), (2, 2))(grid, chance)
    gear = grid.bound[-1]
    corner = min(gear)
    side = 1 if (corner[0] + 1, corner[1]) in gear else 2
    grid.kept.update((square, side) for square in gear if grid.beyond(square, side) in gear)


def _lay_ring(grid: Grid, chance: Chance) -> None:
    """Lay a ring of the eight squares round another one, or of the four among them that are not corners."""
    for area in _areas(grid, chance, 3, 3):
        corners = chance.below(2)
        order = (0, 1, 2, 5, 8, 7, 6, 3) if corners else (1, 5, 7, 3)
        ring = [area[k] for k in order]
        grid.add_group("ring " + " ".join(f"{x},{y}" for x, y in ring), ring)
        return
    raise Crowded


def _lay_room(grid: Grid, chance: Chance) -> None:
    """Lay a rotating room over anything, except over a part of squares that belong together, and over starts."""
    size = 2 + chance.below(2)
    corners = [(x, y) for y in range(grid.height - size + 1) for x in range(grid.width - size + 1)]
    for x, y in chance.shuffled(corners):
        room = frozenset((x + i, y + j) for j in range(size) for i in range(size))
        torn = any(together & room and not together <= room for together in grid.bound)
        if torn or room & grid.roomed or any(map(grid.is_start, room)):
            continue
        grid.groups.append(f"room at {x},{y} {size}")
        grid.roomed |= room
        return
    raise Crowded


def _lay_nothing(grid: Grid, chance: Chance) -> None:
    """Do nothing, because hills are laid before everything else (`lay_hill`)."""


# The ways of laying that rows of elements name; some take details from the row.
LAYS: Mapping[str, Callable[[Row], Lay]] = {
    "hill": lambda row: _lay_nothing,
    "item": lambda row: _item(*row.words, squares=row.patch),
    "run": lambda row: _run(getattr(carriers, row.words[0])),
    "side": lambda row: _side(*row.words),
    "any_side": lambda row: _side(*row.words, inner=False),
    "mount": lambda row: _mount(row.words[0]),
    "area": lambda row: _area(row.words[0], *row.sizes, rows=row.words[1:]),
    "both_faces": lambda row: _both_faces(row.words[0]),
    "slope": lambda row: _lay_slope,
    "turning_belt": lambda row: _lay_turning_belt,
    "pistons": lambda row: _lay_pistons,
    "portals": lambda row: _lay_portals,
    "flip_belts": lambda row: _lay_flip_belts,
    "heavy_pusher": lambda row: _lay_heavy_pusher,
    "pads": lambda row: _lay_pads,
    "gates": lambda row: _lay_gates,
    "beam": lambda row: _lay_barrier,
    "big_gear": lambda row: _lay_big_gear,
    "ring": lambda row: _lay_ring,
    "room": lambda row: _lay_room,
}
_ROWS = sorted(
    ((element.recipe, element.id) for element in ELEMENTS if element.recipe is not None),
    key=lambda row: row[0].place,
)
# In the order in which they are laid: elements that need most room first, those on sides last.
RECIPES: Mapping[str, Recipe] = {
    name: Recipe(LAYS[row.lay](row), row.squares, row.most) for row, name in _ROWS
}
# Elements of higher ground (rr_gym.generate.hills)
HILLS = tuple(name for row, name in _ROWS if row.lay == "hill")
