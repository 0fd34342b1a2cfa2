"""The same seed gives the same game: in a batch or alone, repeated, in another process, compiled or not."""

from __future__ import annotations

import hashlib
import sys
from typing import Any

import numpy as np
import pytest
from conftest import Python

from rr_gym import roborally_v0
from rr_gym.encoding.act.actions import action_layout, decode_actions, write_masks
from rr_gym.encoding.observe.observations import make_observer
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.rewards.terms import Rewards, reward_spec
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders

COURSE = "risky_exchange"


def trajectory(turns: int, **arguments: Any) -> list[Any]:
    """Return all results of an environment for masked random actions; games that end are followed by new ones."""
    env = roborally_v0.parallel_env(course=COURSE, **arguments)
    seen, infos = env.reset(seed=77)
    for k, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(k)
    result: list[Any] = [seen, infos]
    for _ in range(turns):
        if not env.agents:
            result.append(env.reset())
            seen = result[-1][0]
        actions = {agent: env.action_space(agent).sample(seen[agent]["action_mask"]) for agent in env.agents}
        result.append(env.step(actions))
        seen = result[-1][0]
    return result


def digest(value: Any) -> str:
    """Return a digest of nested containers of numbers and arrays."""
    text = hashlib.sha256()

    def add(item: Any) -> None:
        if isinstance(item, dict):
            for key, entry in item.items():
                text.update(str(key).encode())
                add(entry)
        elif isinstance(item, list | tuple):
            for entry in item:
                add(entry)
        elif isinstance(item, np.ndarray):
            text.update(str(item.dtype).encode() + str(item.shape).encode() + item.tobytes())
        else:
            text.update(repr(item).encode())

    add(value)
    return text.hexdigest()


ARGUMENTS: dict[str, dict[str, Any]] = {
    "flat": {"reward": "shaped"},
    "planes": {"observation": "planes", "action": "slots", "num_robots": 3, "window": 7},
}


@pytest.mark.parametrize("kind", ARGUMENTS)
def test_the_same_seed_gives_the_same_games(kind: str) -> None:
    assert digest(trajectory(120, **ARGUMENTS[kind])) == digest(trajectory(120, **ARGUMENTS[kind]))


def test_another_seed_gives_another_game() -> None:
    env = roborally_v0.parallel_env()
    first, second = env.reset(seed=1)[0], env.reset(seed=2)[0]
    assert digest(first) != digest(second)


@pytest.mark.parametrize(
    "compiled", [pytest.param(True, id="compiled"), pytest.param(False, id="interpreted", marks=pytest.mark.long)]
)
def test_other_processes_play_the_same_games(python: Python, compiled: bool) -> None:
    turns = 40 if compiled else 4
    call = "import sys; sys.path[:0] = ['tests', 'tests/helpers', 'tests/rules']; from test_determinism import *; "
    call += f"print(*(digest(trajectory({turns}, **a)) for a in ARGUMENTS.values()))"
    variables = {} if compiled else {"NUMBA_DISABLE_JIT": "1"}
    printed = python("-c", call, PYTHONHASHSEED="123", **variables).stdout.split()
    assert printed == [digest(trajectory(turns, **arguments)) for arguments in ARGUMENTS.values()]


@pytest.mark.parametrize("mode", ["draw", "slots"])
def test_a_row_of_a_batch_is_the_game_alone(mode: str) -> None:
    """Game i of a batch and the same game alone have equal observations, masks and rewards."""
    arena = Arena(COURSE)
    layout = action_layout(mode, arena.settings)
    rewards = Rewards(arena, reward_spec("shaped"))
    observer = make_observer("flat", arena, 4)
    batch = arena.new_games(9, 4, seed=5)
    generator = np.random.default_rng(0)
    actions = generator.integers(0, layout.width, (40, 9, 4, len(layout.components)))

    def play(games: np.ndarray, rows: slice) -> list[np.ndarray]:
        games = games.copy()
        memory = rewards.start(games)
        orders, seats = no_orders(len(games), 8, full=True), all_seats(len(games), 4)
        masks = np.empty((len(games), 4, *layout.shape), np.int8)
        out, repaired = np.empty((len(games), 4)), np.empty((len(games), 4), np.int32)
        seen = []
        for turn in range(len(actions)):
            decode_actions(games, arena.tables, layout.code, seats, actions[turn, rows], orders, repaired)
            arena.play(games, orders, threads=2 if len(games) > 1 else 1)
            rewards.after_turn(games, memory, np.zeros(len(games), np.bool_), out)
            write_masks(games, arena.tables, layout.code, seats, masks)
            seen += [observer.observe(games), masks.copy(), out.copy(), repaired.copy()]
        return seen

    together = play(batch, slice(None))
    for i in (0, 4, 8):
        alone = play(batch[i : i + 1], slice(i, i + 1))
        assert all(np.array_equal(one[0], row[i]) for one, row in zip(alone, together, strict=True))


def test_no_global_generator_is_used() -> None:
    np.random.seed(0)
    before = digest(trajectory(10))
    state = np.random.get_state()[1].copy()  # type: ignore[index, union-attr]
    np.random.seed(1)
    assert digest(trajectory(10)) == before
    np.random.seed(0)
    assert np.array_equal(np.random.get_state()[1], state)  # type: ignore[index]
    assert "random" not in vars(sys.modules["rr_gym.envs.parallel"])
