"""Path distances, compared with a small independent simulator, and under symmetries of the rules."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from rr_gym.courses.course import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.solo.distances import UNREACHABLE, path_distances, phase_distances

STEPS = [(0, -1), (1, 0), (0, 1), (-1, 0)]
ARROWS, SIDES = "^>v<", "nesw"
CARDS = {"u_turn": 2, "rotate_left": 3, "rotate_right": 1}  # quarter turns
MOVES = {"back_up": -1, "move_1": 1, "move_2": 2, "move_3": 3}


class Floor:
    """An oracle with walls, pits, both kinds of belts and gears, for one robot."""

    def __init__(self, seed: int, width: int, height: int) -> None:
        rng = random.Random(seed)
        self.width, self.height = width, height
        self.squares = [(x, y) for y in range(height) for x in range(width)]
        self.item = {s: rng.choice("......XX^>v<^>v<2468LR") for s in self.squares}
        self.flags = rng.sample(self.squares, 2)
        for flag in self.flags:
            self.item[flag] = "."
        self.walls = {(s, d) for s in self.squares for d in range(4) if rng.random() < 0.08}

    def belt(self, square: tuple[int, int]) -> tuple[int, int]:
        """Return the direction and the speed of the belt on a square; speed 0 if there is none."""
        item = self.item[square]
        if item in ARROWS:
            return ARROWS.index(item), 1
        return ("2468".index(item), 2) if item in "2468" else (-1, 0)

    def go(self, square: tuple[int, int], d: int) -> tuple[int, int] | None:
        """Return the square after one step: the same square at a wall, None if the robot is destroyed."""
        beyond = (square[0] + STEPS[d][0], square[1] + STEPS[d][1])
        if (square, d) in self.walls or (beyond, (d + 2) % 4) in self.walls:
            return square
        return None if self.item.get(beyond, "X") == "X" else beyond

    def turn_sides(self, square: tuple[int, int]) -> list[int]:
        """Return the sides from which the belt on a square turns a robot."""
        d, speed = self.belt(square)
        return [s for s in range(4) if speed and s % 2 != d % 2 and (square[0] + square[1] + s) % 2]

    def text(self) -> str:
        """Return the floor as the text of a board."""
        rows = []
        for y in range(self.height):
            tokens = []
            for x in range(self.width):
                square = (x, y)
                d, speed = self.belt(square)
                turns = "".join(SIDES[s] for s in self.turn_sides(square))
                token = ARROWS[d] * speed + (f":{turns}" if turns else "") if speed else self.item[square]
                if square in self.flags:
                    token = f"#{self.flags.index(square) + 1}"
                sides = "".join(SIDES[s] for s in range(4) if (square, s) in self.walls)
                tokens.append(token + (f"/{sides}" if sides else ""))
            rows.append(" ".join(tokens))
        return "grid:\n" + "\n".join(rows) + "\n"

    def phase(self, square: tuple[int, int], facing: int, card: str) -> tuple[tuple[int, int], int] | None:
        """Return the square and the facing after a phase; None if the robot is destroyed."""
        facing = (facing + CARDS.get(card, 0)) % 4
        moves = MOVES.get(card, 0)
        for _ in range(abs(moves)):
            after = self.go(square, facing if moves > 0 else (facing + 2) % 4)
            if after is None:
                return None
            square = after
        for slowest in (2, 1):
            d, speed = self.belt(square)
            if speed >= slowest:
                after = self.go(square, d)
                if after is None:
                    return None
                if after != square:
                    square = after
                    if (d + 2) % 4 in self.turn_sides(square):
                        facing = (facing + self.belt(square)[0] - d) % 4
        return square, (facing + {"L": 3, "R": 1}.get(self.item[square], 0)) % 4

    def distance(self, start: tuple[tuple[int, int], int], flag: tuple[int, int]) -> int:
        """Return the distance by breadth-first search from the start."""
        seen = level = {start}
        for count in itertools.count():
            if any(square == flag for square, _ in level):
                return count
            ends = {self.phase(*state, card) for state in level for card in (*CARDS, *MOVES)}
            level = ends - seen - {None}
            if not level:
                return UNREACHABLE
            seen = seen | level


def distances_of(text: str) -> np.ndarray:
    return path_distances(Arena(Course.from_board(text)).tables[0])


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_a_forward_search_of_an_independent_simulator(seed: int) -> None:
    floor = Floor(seed, 5, 4)
    found = distances_of(floor.text())
    for f, flag in enumerate(floor.flags):
        for n, square in enumerate(floor.squares):
            for facing in range(4):
                expected = UNREACHABLE
                if floor.item[square] != "X":
                    expected = floor.distance((square, facing), flag)
                assert found[f, n, facing] == expected, (floor.text(), flag, square, facing)


ALL_ELEMENTS = """
grid:
@1      .       >:s     >>      >>      X
.       w1/n    ^       R       P<135/e .
./w*1   .       ^       L       C24     w2
.       #1/s    ^:e     <       <:s     ./e
#2      ./n     .       v       ^       X
"""


@pytest.mark.parametrize("quarters", [1, 2, 3])
def test_a_turned_course_has_the_same_distances(quarters: int) -> None:
    flags = [(1, 3), (0, 4)]
    width, height = 6, 5
    turned_flags = flags
    for _ in range(quarters):
        turned_flags = [(height - 1 - y, x) for x, y in turned_flags]
        width, height = height, width
    turned = Course.from_yaml({
        "id": "turned", "name": "turned", "players": [2], "size": [width, height],
        "boards": [{"board": "all", "rotation": quarters, "at": [0, 0]}],
        "flags": [list(flag) for flag in turned_flags], "rules": [], "board_texts": {"all": ALL_ELEMENTS},
    })  # fmt: skip
    before = phase_distances(Arena(Course.from_board(ALL_ELEMENTS)).tables[0]).reshape(2, 5, 6, 4, 5)
    after = phase_distances(Arena(turned).tables[0]).reshape(2, height, width, 4, 5)
    expected = np.roll(np.rot90(before, -quarters, axes=(1, 2)), quarters, axis=3)
    assert len(np.unique(before)) > 5
    np.testing.assert_array_equal(after, expected)


def test_distances_depend_on_the_phase_of_pushers() -> None:
    table = Arena(Course.from_board("grid:\n./w P>3/w #1 .\n. . . .\n")).tables[0]
    facing_north = phase_distances(table)[0, 1, 0]
    # Any rotation in phase 3 is enough; before it, waiting is best unless turning and walking is shorter.
    assert facing_north.tolist() == [2, 2, 1, 2, 2]
    assert path_distances(table)[0, 1, 0] == 2


def test_a_flag_behind_walls_is_out_of_reach() -> None:
    found = distances_of("grid:\n. #1/nesw .\n. . X\n")
    assert (found[0, 1] == 0).all()
    assert (found[0, [0, 2, 3, 4, 5]] == UNREACHABLE).all()


def test_distances_are_cached_and_read_only() -> None:
    arena = Arena(Course.from_board("grid:\n. #1 .\n"))
    first = path_distances(arena.tables[0])
    again = path_distances(Arena(Course.from_board("grid:\n. #1 .\n")).tables[0])
    assert np.shares_memory(first, again)
    assert first.dtype == np.int16
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0, 0] = 1


def test_a_course_without_flags() -> None:
    assert distances_of("grid:\n. .\n").shape == (0, 2, 4)
