"""Generate courses: random boards with given densities of elements, checked for a route over all flags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rr_gym.courses.course import Course
from rr_gym.courses.elements import BY_ID, ELEMENTS
from rr_gym.errors import RoboRallyError, did_you_mean, items, one_of, short_repr, truth_value, whole_number
from rr_gym.generate.chance import Chance
from rr_gym.generate.elements import (
    Crowded,
    belt_ends,
    lay_belts,
    lay_crushers,
    lay_flags,
    lay_items,
    lay_lasers,
    lay_pushers,
    lay_starts,
    lay_walls,
)
from rr_gym.generate.expansions import HILLS, LAYS, RECIPES
from rr_gym.generate.grid import EXPRESS, NORMAL, Grid
from rr_gym.generate.hills import lay_hill
from rr_gym.generate.route import find_route
from rr_gym.progress import waiting
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_FLAGS, MAX_ROBOTS, MAX_SQUARES

ATTEMPTS = 200
NEED_A_SQUARE = ("pit", "belt", "express", "gear", "pusher", "repair")  # not crushers, which may lie over belts


class GenerateError(RoboRallyError):
    """A course that cannot be generated with the given arguments."""


@dataclass(frozen=True, slots=True)
class Difficulty:
    """The parameters of a level of difficulty.

    Attributes:
        density: Elements per square of the board, by kind.
        expansions: Number of each chosen element of expansions per square of the board; at least one is placed.
        max_beams: The number of beams of the strongest laser.
        belts_into_pits: Whether belts may carry robots into pits.
    """

    density: Mapping[str, float] = field(default_factory=dict)
    expansions: float = 0.003
    max_beams: int = 1
    belts_into_pits: bool = False


DIFFICULTIES: dict[str, Difficulty] = {
    "easy": Difficulty({
        "pit": 0.03, "belt": 0.08, "express": 0.0, "wall": 0.08, "gear": 0.02,
        "pusher": 0.0, "crusher": 0.0, "laser": 0.01, "repair": 0.03,
    }),
    "medium": Difficulty({
        "pit": 0.06, "belt": 0.12, "express": 0.05, "wall": 0.12, "gear": 0.03,
        "pusher": 0.01, "crusher": 0.01, "laser": 0.02, "repair": 0.02,
    }, expansions=0.005, max_beams=2),
    "hard": Difficulty({
        "pit": 0.10, "belt": 0.15, "express": 0.10, "wall": 0.15, "gear": 0.04,
        "pusher": 0.02, "crusher": 0.02, "laser": 0.04, "repair": 0.015,
    }, expansions=0.008, max_beams=3, belts_into_pits=True),
}  # fmt: skip
KINDS = tuple(DIFFICULTIES["easy"].density)
SETS: dict[str, tuple[str, ...]] = {}  # by expansion: the ids of its elements
for _element in ELEMENTS:
    if _element.id in RECIPES:
        _name = _element.set.lower().replace(" & ", "_and_").replace(" ", "_").replace("-", "_")
        SETS[_name] = (*SETS.get(_name, ()), _element.id)
SETS["all"] = tuple(RECIPES)


def generate_course(
    seed: int,
    width: int = 12,
    height: int = 12,
    num_flags: int = 3,
    num_starts: int = 8,
    density: Mapping[str, float] | None = None,
    difficulty: str = "medium",
    elements: Iterable[str] = (),
    solvable: bool = True,
) -> Course:
    """Generate a random course that can be finished from each of its start squares.

    The proof is a route, played by the rules, on which a robot alone on the board never takes so much damage that a
    register is locked. The same arguments give the same course on every platform.

    Args:
        seed: Any whole number.
        width: The number of squares from west to east.
        height: The number of squares from north to south.
        num_flags: The number of flags, 1 to 8.
        num_starts: The number of start squares, 1 to 8.
        density: Elements per square, from 0 to 1, by kind: pit, belt, express, wall, gear, pusher, crusher, laser
            (mounts), repair, or the id of an element of the expansions. The difficulty decides the density of kinds
            that are left out.
        difficulty: easy, medium or hard.
        elements: Ids of elements of expansions (docs/rules), or names of whole expansions (`SETS`). Each element is
          placed at least once, unless `density` gives its density.
        solvable: Whether the course must be solvable. If False, the first board on which everything fits is returned.

    Raises:
        GenerateError: An argument is malformed, there are more elements than squares, or 200 attempts gave no course
            that can be finished.
    """
    preset = DIFFICULTIES[one_of("difficulty", difficulty, DIFFICULTIES, GenerateError)]
    _check_numbers(seed, width, height, num_flags, num_starts)
    # The generator computes with Python's unbounded numbers; NumPy's would overflow.
    seed, width, height, num_flags, num_starts = map(int, (seed, width, height, num_flags, num_starts))
    density = _checked({} if density is None else density)
    solvable = truth_value("solvable", solvable, GenerateError)
    chosen = [name for name in _chosen(elements) if name not in density]
    densities = {**preset.density, **dict.fromkeys(chosen, preset.expansions), **density}
    counts = _counts(width * height, densities, chosen)
    needed = num_flags + num_starts + sum(counts[kind] for kind in NEED_A_SQUARE)
    needed += sum(recipe.squares * counts.get(name, 0) for name, recipe in RECIPES.items())
    if needed > width * height:
        raise GenerateError(
            f"size: {width}x{height} has {width * height} squares: expected at least {needed}: starts {num_starts},"
            f" flags {num_flags}, elements by density {needed - num_starts - num_flags}"
        )
    chance = Chance(seed)
    name = f"generated_{seed}" if seed >= 0 else f"generated_m{-seed}"
    with waiting(f"generating course {name}"):
        for _ in range(ATTEMPTS):
            try:
                grid = _lay_out(chance, width, height, num_flags, num_starts, counts, preset)
            except Crowded:
                continue
            course = Course.from_board(grid.text(name), name)
            if not solvable or is_solvable(course):
                return course
    raise GenerateError(
        f"seed {seed}: no course in {ATTEMPTS} attempts that can be finished from every start square without"
        " a locked register: expected fewer pits, walls or lasers, or a larger board"
    )


def is_solvable(course: Course) -> bool:
    """Tell whether `find_route` finds a route over all flags from every start square.

    False does not prove that there is no route: `find_route` follows the path distances and gives up when a register
    would be locked. `rr_gym.finishing` searches further.
    """
    arena = Arena(course)
    game = arena.new_games(1, num_robots=len(course.starts))[0]
    return all(find_route(arena.tables[0], game, seat) is not None for seat in range(len(course.starts)))


def _lay_out(
    chance: Chance,
    width: int,
    height: int,
    num_flags: int,
    num_starts: int,
    counts: Mapping[str, int],
    preset: Difficulty,
) -> Grid:
    grid = Grid(width, height)
    starts = lay_starts(grid, chance, num_starts)
    lay_flags(grid, chance, num_flags, starts)
    for _ in range(max((counts.get(name, 0) for name in HILLS), default=0)):
        lay_hill(grid, chance, frozenset(name for name in HILLS if counts.get(name)))
    lay_belts(grid, chance, counts["express"], EXPRESS)
    lay_belts(grid, chance, counts["belt"], NORMAL)
    _lay_expansions(grid, chance, counts, on_squares=True)
    lay_items(grid, chance, counts["pit"], ("X",), set() if preset.belts_into_pits else belt_ends(grid))
    lay_items(grid, chance, counts["gear"], ("L", "R"), set())
    lay_items(grid, chance, counts["repair"], ("w1", "w1", "w1", "w2"), set())
    lay_pushers(grid, chance, counts["pusher"])
    lay_crushers(grid, chance, counts["crusher"])
    _lay_expansions(grid, chance, counts, on_squares=False)
    lay_walls(grid, chance, counts["wall"])
    lay_lasers(grid, chance, counts["laser"], preset.max_beams)
    return grid


def _lay_expansions(grid: Grid, chance: Chance, counts: Mapping[str, int], on_squares: bool) -> None:
    """Place the elements of expansions that need squares of their own; without `on_squares`, all others."""
    for name, recipe in RECIPES.items():
        if (recipe.squares > 0) == on_squares:
            for _ in range(counts.get(name, 0)):
                LAYS[recipe.lay](grid, chance, recipe)


def _counts(num_squares: int, density: Mapping[str, float], chosen: Iterable[str]) -> dict[str, int]:
    """Return how many of each kind to place: by density, but at least one of each chosen element."""
    counts = {kind: int(value * num_squares + 0.5) for kind, value in density.items()}
    for name in chosen:
        counts[name] = max(counts[name], 1)
    return {kind: min(count, RECIPES[kind].most) if kind in RECIPES else count for kind, count in counts.items()}


def _chosen(elements: Iterable[str]) -> list[str]:
    """Return the ids of the named elements and of all elements of named expansions, in the order of `RECIPES`."""
    names = items(elements)
    if names is None:
        raise GenerateError(f"elements: {short_repr(elements)}: expected a list of names")
    ids: set[str] = set()
    for name in names:
        if not isinstance(name, str):
            raise GenerateError(f"elements: {short_repr(name)}: expected the id of an element, or {' | '.join(SETS)}")
        if name in SETS:
            ids.update(SETS[name])
        elif name in RECIPES:
            ids.add(name)
        elif name in BY_ID:
            raise GenerateError(f"elements: {name}: expected an element of an expansion, for this one see density")
        else:
            hint = did_you_mean(name, (*SETS, *RECIPES)) or f"expected the id of an element, or {' | '.join(SETS)}"
            raise GenerateError(f"elements: there is no element or expansion {short_repr(name)}; {hint}")
    return [name for name in RECIPES if name in ids]


def _checked(density: Mapping[str, float]) -> Mapping[str, float]:
    if not isinstance(density, Mapping):
        raise GenerateError(f"density: {short_repr(density)}: expected numbers by kind")
    for kind, value in density.items():
        if kind not in KINDS and kind not in RECIPES:
            hint = did_you_mean(kind, (*KINDS, *RECIPES)) or f"expected {' | '.join(KINDS)}, or an element's id"
            raise GenerateError(f"density: there is no kind {short_repr(kind)}; {hint}")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise GenerateError(f"density: {kind}: {short_repr(value)}: expected a number from 0 to 1")
    return density


def _check_numbers(seed: int, width: int, height: int, num_flags: int, num_starts: int) -> None:
    for name, value, low, high in (
        ("seed", seed, -(2**63), 2**64 - 1),
        ("width", width, 1, MAX_SQUARES),
        ("height", height, 1, MAX_SQUARES),
        ("num_flags", num_flags, 1, MAX_FLAGS),
        ("num_starts", num_starts, 1, MAX_ROBOTS),
    ):
        whole_number(name, value, low, high, GenerateError)
    if width * height > MAX_SQUARES:
        raise GenerateError(f"size: {width}x{height}: expected at most {MAX_SQUARES} squares")
