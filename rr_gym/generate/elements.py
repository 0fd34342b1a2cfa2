"""Place the elements of the base game at random."""

from __future__ import annotations

from rr_gym.courses.text.words import ARROWS
from rr_gym.generate.chance import Chance
from rr_gym.generate.grid import Grid, Square, opposite

_TRIES = 300
_FLAG_CANDIDATES = 8
PHASES = ("24", "135", "15", "3", "2", "4")


class Crowded(Exception):
    """There is no room for an element on the board; another attempt may succeed."""


def _distance(a: Square, b: Square) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def lay_starts(grid: Grid, chance: Chance, count: int) -> list[Square]:
    """Place start squares near a random edge of the board, in random order, and return them."""
    edge = chance.below(4)

    def rows_from_edge(square: Square) -> int:
        x, y = square
        return (y, grid.width - 1 - x, grid.height - 1 - y, x)[edge]

    near = sorted(grid.free(), key=rows_from_edge)
    # Choose among whole rows with at least 1.5 times as many squares as starts, so that starts are near the edge but
    # scattered.
    last = rows_from_edge(near[min(len(near), count + count // 2) - 1])
    starts = chance.shuffled([square for square in near if rows_from_edge(square) <= last])[:count]
    for number, square in enumerate(starts, 1):
        grid.items[square] = [f"@{number}"]
    return starts


def lay_flags(grid: Grid, chance: Chance, count: int, starts: list[Square]) -> None:
    """Place the flags one by one, each on that of several random squares that is farthest from all earlier flags."""
    flags: list[Square] = []
    for number in range(1, count + 1):
        free = grid.free()
        if not free:
            raise Crowded
        candidates = [chance.choice(free) for _ in range(_FLAG_CANDIDATES)]
        others = flags or starts
        best = max(candidates, key=lambda s: (min(_distance(s, o) for o in others), -_distance(s, starts[0])))
        flags.append(best)
        grid.items[best] = [f"#{number}"]


def _exits(grid: Grid, square: Square) -> list[int]:
    """Return the directions in which a run of belts may end: onto the board, but not onto starts or against belts."""
    exits = []
    for direction in range(4):
        target = grid.downstream(square, direction)
        if target is None or grid.is_start(target):
            continue
        if grid.belts.get(target, (-1, 0))[0] != opposite(direction):
            exits.append(direction)
    return exits


def lay_run(grid: Grid, chance: Chance, kind: int, longest: int, shortest: int) -> int:
    """Place a run of belts of `shortest` to `longest` squares; return its length, or 0 if there is no room."""
    square = chance.choice(grid.free())
    direction = chance.below(4)
    run: list[Square] = []
    while True:
        grid.belts[square] = (direction, kind)
        run.append(square)
        turns = [direction] * 4 + [(direction + 1) % 4, (direction + 3) % 4]
        direction = chance.choice(turns) if len(run) > 1 else direction
        grid.belts[square] = (direction, kind)
        target = grid.downstream(square, direction)
        if len(run) == longest or target is None or target in grid.items or target in grid.belts:
            break
        square = target
    # The last belt must lead somewhere; otherwise the run is cut back.
    while run:
        square = run[-1]
        back = opposite(grid.belts[run[-2]][0]) if len(run) > 1 else -1
        del grid.belts[square]
        exits = [d for d in _exits(grid, square) if d != back]
        if exits:
            ahead = grid.belts[run[-2]][0] if len(run) > 1 else -1
            grid.belts[square] = (ahead if ahead in exits else chance.choice(exits), kind)
            break
        run.pop()
    if len(run) < shortest:
        for square in run:
            del grid.belts[square]
        return 0
    return len(run)


def lay_belts(grid: Grid, chance: Chance, count: int, kind: int) -> None:
    """Place `count` squares of belts in runs of two to eight squares, which may flow into each other."""
    for _ in range(_TRIES):
        if count == 0:
            return
        longest = min(count, 3 + chance.below(6))
        if count - longest == 1:  # do not leave a single square of belt for the last run
            longest = count if longest == 2 else longest - 1
        if not grid.free():
            raise Crowded
        count -= lay_run(grid, chance, kind, longest, min(2, count))
    if count:
        raise Crowded


def lay_items(grid: Grid, chance: Chance, count: int, items: tuple[str, ...], avoid: set[Square]) -> None:
    """Place `count` items, each drawn at random, on free squares that are not in `avoid`."""
    free = [square for square in grid.free() if square not in avoid]
    if len(free) < count:
        raise Crowded
    for square in chance.shuffled(free)[:count]:
        grid.items[square] = [chance.choice(items)]


def belt_ends(grid: Grid) -> set[Square]:
    """Return the squares onto which belts carry."""
    targets = (grid.beyond(square, direction) for square, (direction, _) in grid.belts.items())
    return {target for target in targets if target is not None}


def lay_crushers(grid: Grid, chance: Chance, count: int) -> None:
    """Place crushers over belts and, when no belts are left, on free squares."""
    belts = [square for square in grid.squares() if square in grid.belts and square not in grid.items]
    places = chance.shuffled(belts) + chance.shuffled(grid.free())
    if len(places) < count:
        raise Crowded
    for square in places[:count]:
        grid.items.setdefault(square, []).append("C" + chance.choice(PHASES))


def lay_pushers(grid: Grid, chance: Chance, count: int, word: str = "P") -> None:
    """Place pushers that push onto the board, each with a wall behind it; `word` is their letter in RRB1."""
    for square in chance.shuffled(grid.free()):
        if count == 0:
            return
        for side in chance.shuffled(range(4)):
            target = grid.beyond(square, opposite(side))
            if target is not None and not grid.belt_crosses(square, side) and not grid.is_reserved(square, side):
                grid.items[square] = [f"{word}{ARROWS[opposite(side)]}{chance.choice(PHASES)}"]
                grid.sides[square, side] = ""
                count -= 1
                break
    if count:
        raise Crowded


def lay_walls(grid: Grid, chance: Chance, count: int) -> None:
    """Place walls between pairs of squares, but not across the path of a belt or a pusher."""
    places = [
        (square, side)
        for square in grid.squares()
        for side in range(4)
        if grid.beyond(square, side) is not None
        and not grid.belt_crosses(square, side)
        and not pusher_pushes_over(grid, square, side)
        and not grid.is_reserved(square, side)
    ]
    for square, side in chance.shuffled(places):
        if count == 0:
            return
        if not grid.is_walled(square, side):
            grid.sides[square, side] = ""
            count -= 1
    if count:
        raise Crowded


def pusher_pushes_over(grid: Grid, square: Square, side: int) -> bool:
    """Tell whether a pusher beside a side pushes robots over it."""
    other = grid.beyond(square, side)
    return any(
        item[0] in "PH" and item[1] == ARROWS[direction]
        for here, direction in ((square, side), (other, opposite(side)))
        if here is not None
        for item in grid.items.get(here, ())
    )


def beam_from(grid: Grid, square: Square, direction: int) -> list[Square]:
    """Return the squares of a beam, beginning with the square of its mount."""
    squares = [square]
    while not grid.is_walled(squares[-1], direction):
        target = grid.beyond(squares[-1], direction)
        if target is None:
            break
        squares.append(target)
    return squares


def lay_lasers(grid: Grid, chance: Chance, count: int, max_beams: int) -> None:
    """Place laser mounts where the beam covers at least two squares, none of them a start."""
    starts = {square for square in grid.items if grid.is_start(square)}
    for square, side in chance.shuffled([(square, side) for square in grid.squares() for side in range(4)]):
        if count == 0:
            return
        items = grid.items.get(square, ["."])
        if items == ["X"] or items[0][0] in "PH" or grid.sides.get((square, side), ""):
            continue
        if grid.belt_crosses(square, side) or pusher_pushes_over(grid, square, side) or grid.is_reserved(square, side):
            continue
        beam = beam_from(grid, square, opposite(side))
        if len(beam) >= 2 and not starts.intersection(beam):
            grid.sides[square, side] = f"*{1 + chance.below(max_beams)}"
            count -= 1
    if count:
        raise Crowded
