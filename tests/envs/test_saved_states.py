"""`get_state` and `set_state` of all interfaces: another environment continues from a state in the same way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from gymnasium.vector import AutoresetMode
from random_play import FLOOR

from rr_gym import roborally_v0
from rr_gym.envs import RoboRallyEnv, RoboRallyVectorEnv
from rr_gym.errors import EnvError
from rr_gym.rules.state.records import FULL_ORDERS, GAME, ROBOT

LIVES = {"lives": 1, "start_damage": 8}  # settings with which robots are soon eliminated


def single(**options: Any) -> RoboRallyEnv:
    return RoboRallyEnv(FLOOR, num_robots=2, opponents=["greedy"], max_cycles=4, **options)


def vector(mode: AutoresetMode, **options: Any) -> RoboRallyVectorEnv:
    return RoboRallyVectorEnv(
        6, FLOOR, num_robots=3, opponents=["random"], max_cycles=3, autoreset_mode=mode, **options
    )


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_one_game_resumes(action: str) -> None:
    one, other = single(action=action), single(action=action)
    one.reset(seed=3)
    rng = np.random.default_rng(1)
    steps = 2 * one.core.stages - 1 if action == "cards" else 2
    for _ in range(steps):
        shown, *_, later_info = one.step(one.sample_actions())
    seen, info = other.set_state(one.get_state())
    assert data_equivalence(seen, shown)
    assert (info["action_mask"] == later_info["action_mask"]).all()
    done = False
    while not done:
        chosen = one.core.sample_actions(rng)[0]
        first, second = one.step(chosen), other.step(chosen)
        assert data_equivalence(first, second)
        done = first[2] or first[3]
    ended = one.get_state()
    other.reset(seed=9)
    other.set_state(ended)
    with pytest.raises(EnvError, match="there is no episode"):
        other.step(chosen)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_many_games_resume(mode: AutoresetMode) -> None:
    one, other = vector(mode, settings=LIVES), vector(mode, settings=LIVES)
    one.reset(seed=3)
    for _ in range(3):
        if mode != AutoresetMode.DISABLED or not one.core.ended.any():
            one.step(one.sample_actions())
    seen, infos = other.set_state(one.get_state())
    assert (seen == one.core.observe()).all()
    assert (infos["action_mask"] == one.core.masks()).all()
    rng = np.random.default_rng(1)
    for _ in range(6):
        over = one.core.ended
        if mode == AutoresetMode.DISABLED and over.any():
            mask = np.repeat(over, one.core.num_seats)
            with pytest.raises(EnvError, match="is over"):
                other.step(other.sample_actions())
            for env in (one, other):
                env.reset(options={"reset_mask": mask})
        chosen = one.core.sample_actions(rng)
        first, second = one.step(chosen), other.step(chosen)
        for a, b in zip(first[:4], second[:4], strict=True):
            assert np.array_equal(a, b)


@pytest.mark.parametrize("opponents", [(), ["greedy"], {"self": 0.5, "random": 0.5}])
@pytest.mark.parametrize("action", ["draw", "cards"])
def test_agents_of_the_parallel_environment_resume(opponents: Any, action: str) -> None:
    def new() -> Any:
        return roborally_v0.parallel_env(
            course=FLOOR, num_robots=3, opponents=opponents, action=action, max_cycles=6, settings=LIVES
        )

    one, other = new(), new()
    one.reset(seed=5)
    for _ in range(2):
        one.step(one.sample_actions())
    observations, infos = other.set_state(one.get_state())
    assert other.agents == one.agents == list(observations) == list(infos)
    rng = np.random.default_rng(1)
    while one.agents:
        drawn = one.core.sample_actions(rng)
        actions = {agent: drawn[one.possible_agents.index(agent)] for agent in one.agents}
        assert data_equivalence(one.step(actions), other.step(actions))
        assert np.array_equal(one.state(), other.state())
    assert other.agents == []


@pytest.mark.parametrize("steps", range(1, 12, 2))
def test_agents_that_act_in_turn_resume(steps: int) -> None:
    def new() -> Any:
        return roborally_v0.env(course=FLOOR, num_robots=3, max_cycles=4, settings=LIVES, masks="info")

    def moves(env: Any, count: int, rng: np.random.Generator) -> list[Any]:
        seen = []
        for _ in range(count):
            if not env.agents:
                break
            agent, (_, reward, terminated, truncated, info) = env.agent_selection, env.last()
            seen.append((agent, env.observe(agent), reward, terminated, truncated, env.agents[:], dict(env.rewards)))
            if terminated or truncated:
                env.step(None)
            elif rng.random() < 0.2:
                env.step(None)  # agents that have left the game give no action
            else:
                env.step(env.action_space(agent).sample(info["action_mask"]))
        return seen

    one, other = new(), new()
    one.reset(seed=2)
    for agent in one.possible_agents:
        one.action_space(agent).seed(1)
    moves(one, steps, np.random.default_rng(0))
    other.set_state(one.get_state())
    for env in (one, other):
        for agent in env.possible_agents:
            env.action_space(agent).seed(4)
    first, second = (moves(env, 40, np.random.default_rng(3)) for env in (one, other))
    assert len(first) == len(second)
    for a, b in zip(first, second, strict=True):
        assert data_equivalence(a[1], b[1])
        assert (a[0], *a[2:]) == (b[0], *b[2:])


@pytest.mark.parametrize(
    "new",
    [
        lambda: single(), lambda: vector(AutoresetMode.SAME_STEP), lambda: roborally_v0.parallel_env(num_robots=2),
        lambda: roborally_v0.env(num_robots=2),
    ],
)  # fmt: skip
def test_states_that_do_not_fit_are_refused(new: Callable[[], Any]) -> None:
    env = new()
    with pytest.raises(EnvError, match=r"get_state: there is no episode: expected reset\(\) first"):
        env.get_state()
    env.reset(seed=1)
    state = env.get_state()
    with pytest.raises(EnvError, match="state: 5: expected arrays by name"):
        env.set_state(5)
    with pytest.raises(EnvError, match="state: games: missing: expected uint8"):
        env.set_state({name: array for name, array in state.items() if name != "games"})
    with pytest.raises(EnvError, match=r"state: seats: int64 .*: expected int8"):
        env.set_state({**state, "seats": state["seats"].astype(np.int64)})
    for name, array in env.get_state().items():
        assert np.array_equal(array, state[name])


def test_agents_of_a_wrong_type_are_refused() -> None:
    env = roborally_v0.env(num_robots=2)
    env.reset(seed=1)
    for agents in ("x", np.zeros(2), None):
        with pytest.raises(EnvError, match=r"state: agents: .*: expected bool \(2,\)"):
            env.set_state({**env.get_state(), "agents": agents})


def changed(state: dict[str, Any], name: str, value: int, field: str = "", dtype: np.dtype[Any] | None = None) -> Any:
    """Return a state in which the first number of an array, or of a field of its records, has another value."""
    array = state[name].copy()
    numbers = array if dtype is None else array.view(dtype)
    for part in field.split(".") if field else ():
        numbers = numbers[part]
    numbers[(0,) * numbers.ndim] = value
    return {**state, name: array}


@pytest.mark.parametrize(
    ("name", "value", "field", "dtype", "message"),
    [
        ("cycles", -5, "", None, r"cycles\[0\]: -5: expected a whole number, 0 or more"),
        ("games", 3, "num_robots", GAME, "games: "),
        ("steps_seats", 100, "", None, r"steps_seats\[0, 0\]: 100: expected 0, as in seats"),
        ("steps_stages", -1_000_000, "", None, r"steps_stages\[0\]: -1000000: expected a whole number from 0 to"),
        ("steps_stages", 99, "", None, r"steps_stages\[0\]: 99: expected a whole number from 0 to"),
        ("steps_actions", 77, "", None, r"steps_actions\[0, 0, 0\]: 77: expected a whole number from 0 to"),
        ("steps_actions", -1, "", None, r"steps_actions\[0, 0, 0\]: -1: expected a whole number from 0 to"),
        ("steps_illegal", -1, "", None, r"steps_illegal\[0, 0\]: -1: expected a whole number, 0 or more"),
        ("steps_masks", 2, "", None, r"steps_masks\[0, 0, 0, 0\]: 2: expected a whole number from 0 to 1"),
        ("steps_hands", 120, "", None, r"steps_hands\[0, 0, 0\]: 120: expected \d+, as in the hands of games"),
        ("steps_orders", 99, "program", FULL_ORDERS, r"steps_orders: program\[0, 0\]: 99: expected .* from 0 to 84"),
        ("steps_orders", 9, "square", FULL_ORDERS, None),
        ("steps_orders", 99, "square", FULL_ORDERS, r"steps_orders: square\[0\]: 99: expected .* from -1 to 15"),
        ("steps_bodies", 9, "facing", ROBOT, r"steps_bodies: game 0: robots\[0\]\.facing: 9: expected"),
        ("steps_bodies", -1, "square", ROBOT, r"steps_bodies: game 0: robots\[0\]\.square: -1: expected a square"),
        ("steps_seen", 3000, "robots.square", GAME, r"steps_seen: game 0: robots\[0\]\.square: 3000: expected"),
        ("steps_seen", -1, "robots.square", GAME, r"steps_seen: game 0: robots\[0\]\.square: -1: expected a square"),
    ],
)  # fmt: skip
def test_decisions_that_do_not_fit_are_refused(
    name: str, value: int, field: str, dtype: np.dtype[Any] | None, message: str | None
) -> None:
    env = RoboRallyVectorEnv(2, num_robots=2, opponents=["random"], action="cards")
    env.reset(seed=1)
    env.step(env.sample_actions())
    before = env.get_state()
    wrong = changed(before, name, value, field, dtype)
    if message is None:
        env.set_state(wrong)
        return
    with pytest.raises(EnvError, match=f"state: {message}"):
        env.set_state(wrong)
    for kept, array in env.get_state().items():
        assert np.array_equal(array, before[kept]), kept


@pytest.mark.parametrize(("name", "field", "dtype"), [("seen", "hand", GAME), ("orders", "second", FULL_ORDERS)])
def test_cards_that_were_not_dealt_are_refused(name: str, field: str, dtype: np.dtype[Any]) -> None:
    """A decision about an option card looks for the card in the hand that was dealt."""
    env = RoboRallyVectorEnv(1, num_robots=2, opponents=["random"], action="cards", settings={"option_cards": "on"})
    env.reset(seed=1)
    state = env.get_state()
    seat, dealt = int(state["seats"][0, 0]), state["steps_hands"].ravel().tolist()
    array = state[f"steps_{name}"]
    records = array.view(dtype)
    cards = records["robots"][0, seat][field] if name == "seen" else records[field][0]
    cards[0] = card = next(card for card in range(1, 85) if card not in dealt)
    with pytest.raises(EnvError, match=f"state: steps_{name}: row 0: card {card}: expected a card of its hand"):
        env.set_state(state)


@pytest.mark.parametrize("options", [{}, {"option_cards": "on", "start_options": 5}])
def test_every_state_of_a_game_is_accepted(options: dict[str, Any]) -> None:
    course = "everything" if options else FLOOR
    env = RoboRallyVectorEnv(
        4, course, num_robots=4, action="cards", decisions="all", preview=True, max_cycles=3, settings=options
    )
    env.reset(seed=2)
    for _ in range(4 * env.core.stages if not options else env.core.stages + 5):
        env.step(env.sample_actions())
        env.set_state(env.get_state())
