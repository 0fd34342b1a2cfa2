"""Measure how fast games are under JAX, beside `Arena` and the vector environment in the same process.

    python tools/jax_speed.py                     prints the table of docs/jax.md
    python tools/jax_speed.py --games 64 --repeat 3

Both sides do the same work: "rules alone" is turns with random orders, and environments take steps with the first
choice everywhere. Times are those of processors, of all threads together, without what is compiled; the fastest of
several rounds counts, of which each has all rows one after another.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import rr_gym.jax
from rr_gym.compilation.xla_arguments import CHANGED, Count, Rows
from rr_gym.envs import RoboRallyVectorEnv
from rr_gym.jax.calls import Call, bytes_of
from rr_gym.progress import StatusLine
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.batch import play_range, random_range
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import GAME, ORDERS, new_log, no_orders

COURSE, ROBOTS, TURNS = "risky_exchange", 2, 40_000
FORMS: dict[str, dict[str, Any]] = {
    "`draw`, `flat`": {"action": "draw", "observation": "flat", "observation_dtype": "native"},
    "`cards`, `choices`, `turns`": {"action": "cards", "observation": "choices", "observation_dtype": "scaled"},
}
Played = Callable[[], None]  # plays the turns of a round


def rules(games: int) -> tuple[Played, Played]:
    """Return functions that play turns with random orders, by `Arena` and by JAX."""
    arena, turns = Arena(COURSE), TURNS // games
    batch, orders = arena.new_games(games, ROBOTS, seed=1), no_orders(games, MAX_ROBOTS)
    words = np.arange(games, dtype=np.uint64)

    def plain() -> None:
        for _ in range(turns):
            arena.random_orders(batch, orders, words)
            arena.play(batch, orders, restart=True)

    changed, word = Rows("orders", ORDERS, (MAX_ROBOTS,), CHANGED), Rows("words", np.dtype(np.uint64), (), CHANGED)
    choose = Call(random_range, Rows("games", GAME), changed, word, 0, Count())
    play = Call(
        play_range, Rows("games", GAME, (), CHANGED), arena.tables, Rows("orders", ORDERS, (MAX_ROBOTS,)),
        new_log(on=False), np.zeros(0, np.bool_), np.zeros(1, GAME), True, 0, Count(),
    )  # fmt: skip

    def turn(carry: Any, _: None) -> tuple[Any, None]:
        seen, given, random = carry
        given, random = jax.vmap(choose)(seen, given, random)
        return (jax.vmap(play)(seen, given)[0], given, random), None

    loop = jax.jit(lambda carry: jax.lax.scan(turn, carry, None, length=turns)[0])
    carry = (bytes_of(batch), bytes_of(orders), bytes_of(words[:, None])[:, 0])

    return plain, lambda: jax.block_until_ready(loop(carry))


def environments(form: dict[str, Any], games: int) -> tuple[Played, Played]:
    """Return functions that take the steps of turns, by the vector environment and by JAX."""
    other = RoboRallyVectorEnv(games * ROBOTS, COURSE, num_robots=ROBOTS, copy=False, **form)
    other.reset(seed=1)
    env = rr_gym.jax.make(COURSE, num_robots=ROBOTS, **form)
    steps = max(1, TURNS // 4 // games) * env.steps_of_turn
    actions = np.zeros((games * ROBOTS, *env.action_shape[1:]), np.int64)

    def plain() -> None:
        for _ in range(steps):
            other.step(actions)

    def step(state: Any, _: None) -> tuple[Any, Any]:
        state, seen = jax.vmap(env.step)(state, jnp.zeros((games, *env.action_shape), jnp.int32))
        # Something of every result, or XLA would leave out what nobody uses.
        return state, [part.reshape(-1)[0] for part in jax.tree.leaves(seen)]

    state, _ = jax.jit(jax.vmap(env.reset))(jax.random.split(jax.random.key(1), games))
    loop = jax.jit(lambda state: jax.lax.scan(step, state, None, length=steps))
    return plain, lambda: jax.block_until_ready(loop(state))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, nargs="+", default=[64, 1024, 8192], help="sizes of batches")
    parser.add_argument("--repeat", type=int, default=5, help="rounds")
    given = parser.parse_args()
    rows: list[tuple[str, int, int, tuple[Played, Played]]] = []
    for games in given.games:
        rows.append(("rules alone", games, TURNS // games * games, rules(games)))
        for name, form in FORMS.items():
            rows.append((name, games, max(1, TURNS // 4 // games) * games, environments(form, games)))
    best = np.full((len(rows), 2), np.inf)
    line = StatusLine()
    for _, _, _, sides in rows:  # what is compiled does not count
        for side in sides:
            side()
    for number in range(given.repeat):
        for k, (name, games, _, sides) in enumerate(rows):
            if line.due():
                line.show(f"round {number + 1}: {name}, {games} games", (number + k / len(rows)) / given.repeat)
            for j, side in enumerate(sides):
                began = time.process_time()
                side()
                best[k, j] = min(best[k, j], time.process_time() - began)
    line.close()
    print("| what | games | turns a second without JAX | with JAX | ratio |\n|---|---|---|---|---|")
    for (name, games, turns, _), (plain, ours) in zip(rows, best, strict=True):
        print(f"| {name} | {games:,} | {turns / plain:,.0f} | {turns / ours:,.0f} | {plain / ours:.2f} |")


if __name__ == "__main__":
    main()
