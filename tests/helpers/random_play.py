"""Random play, and a small floor for it."""

from __future__ import annotations

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders

FLOOR = Course.from_board("""
grid:
@1      @2      .       >:s     >>      >>      X
.       w1/n    ^       R       P<135/e .       .
./w*1   @3      ^       L       C24     w2      .
.       #1/s    ^:e     <       <:s     ./e     @4
#2      ./n     .       v       ^       X       #3
""")


def played(arena: Arena, num_games: int, turns: int, seed: int = 1, num_robots: int = 4) -> np.ndarray:
    """Return games after some turns of random play."""
    games = arena.new_games(num_games, num_robots, seed=seed)
    player = make_player("random")
    for _ in range(turns):
        orders = no_orders(num_games, 8, full=True)
        for seat in range(num_robots):
            orders[:, seat] = player.act(arena, games, seat)
        arena.play(games, orders)
    return games


def play_random(arena: Arena, games: np.ndarray, turns: int, seed: int = 1, restart: bool = True) -> None:
    """Play random legal programs with an occasional power-down; `restart` games that are over."""
    generator = np.random.default_rng(seed)
    words = generator.integers(2**63, size=len(games), dtype=np.uint64)
    for _ in range(turns):
        orders = no_orders(len(games), 8, full=True)
        arena.random_orders(games, orders, words)
        orders["power_down"] = generator.random(orders.shape) < 0.1
        arena.play(games, orders, restart=restart)


def beside_its_flag() -> tuple[Arena, np.ndarray]:
    """Return a game of one robot with only moves in its hand, which stays on the board longest if it faces its flag."""
    arena = Arena(Course.from_board("grid:\n@1 #1 .\n. . .\n. . #2\n"))
    games = arena.new_games(1, 1)
    robot = games[0].robots[0]
    robot.facing = 3
    robot.hand[:] = 0
    robot.hand[:5] = [84, 83, 82, 81, 49]
    return arena, games
