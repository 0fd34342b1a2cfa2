"""The joint state `entities`: absolute coordinates, the map once, and the hands of all robots."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from pettingzoo.test.state_test import state_test

from rr_gym import determinize, roborally_v0
from rr_gym.encoding import entity_columns
from rr_gym.encoding.observe.board import board_sheets
from rr_gym.encoding.observe.elements import elements_of
from rr_gym.errors import RoboRallyError

Array = np.ndarray[Any, Any]


def table(state: dict[str, Array], name: str, elements: Any = ()) -> dict[str, Array]:
    """Return the columns of a table by name."""
    names = [column for column, _, _ in entity_columns(elements)["planes" if name == "map" else name]]
    assert state[name].shape[-1] == len(names)
    return {column: state[name][..., k] for k, column in enumerate(names)}


@pytest.mark.filterwarnings("ignore:State space for each environment probably should be:UserWarning")
@pytest.mark.filterwarnings("ignore:State is not NumPy array:UserWarning")
@pytest.mark.filterwarnings("ignore:State is not a NumPy array:UserWarning")
@pytest.mark.parametrize("action", ["draw", "cards"])
def test_pettingzoos_test(action: str) -> None:
    kind: dict[str, Any] = {"state": "entities", "action": action, "num_robots": 3}
    state_test(roborally_v0.env(**kind), roborally_v0.parallel_env(**kind), num_cycles=10)


@pytest.mark.parametrize("course", ["risky_exchange", "everything"])
def test_tables_say_what_the_record_says(course: str) -> None:
    options = "on" if course == "everything" else "off"
    env = roborally_v0.parallel_env(course=course, state="entities", settings={"option_cards": options})
    env.reset(seed=2)
    elements = elements_of(env.core.arena.tables)
    width = env.core.arena.courses[0].size[0]
    for _ in range(12):
        state = env.state()
        assert env.state_space.contains(state)
        robots, cards = table(state, "robots", elements), table(state, "cards", elements)
        for seat, robot in enumerate(env.record["robots"][:4]):
            assert robots["present"][seat] == robot["alive"]
            if robot["square"] >= 0 and course != "everything":  # there rows of turned rooms are other squares
                place = robots["right"][seat], -robots["forward"][seat]
                assert place == (robot["square"] % width, robot["square"] // width)
            assert robots["facing"][seat] == robot["facing"]
            assert robots["damage"][seat] == robot["damage"]
            assert (cards["priority"][seat, : len(robot["hand"])] == 10 * robot["hand"].astype(int)).all()
        env.step(env.sample_actions())
        if not env.agents:
            env.reset()


def test_the_map_is_there_once_and_faces_north() -> None:
    env = roborally_v0.parallel_env(state="entities")
    env.reset(seed=2)
    width, height = env.core.arena.courses[0].size
    sheet = board_sheets(env.core.arena.tables, 1)[0, 0]
    before = env.state()["map"]
    assert before.shape[:2] == (height, width)
    assert np.array_equal(before, sheet[:height, :width])
    env.step(env.sample_actions())
    assert np.array_equal(env.state()["map"], before)
    small = sum(array.size for array in env.state().values())
    flat = roborally_v0.parallel_env().state_space.shape
    assert small < flat[0]


def test_smaller_courses_end_in_pits() -> None:
    env = roborally_v0.parallel_env(["risky_exchange", "everything"], state="entities")
    env.reset(seed=1)
    elements = elements_of(env.core.arena.tables)
    sizes = np.array([course.size for course in env.core.arena.courses])
    state = env.state()
    assert state["map"].shape[:2] == (sizes[:, 1].max(), sizes[:, 0].max())
    beyond = table(state, "map", elements)["pit"][:, sizes[0, 0] :]
    assert beyond.size
    assert (beyond == 31).all()
    env.reset(options={"course": "everything"})
    assert env.state_space.contains(env.state())
    assert not np.array_equal(env.state()["map"], state["map"])


@pytest.mark.parametrize("form", ["flat", "entities"])
def test_the_joint_state_shows_hidden_cards_but_not_undealt_ones(form: str) -> None:
    env = roborally_v0.parallel_env(state=form)
    env.reset(seed=3)
    state = pickle.dumps(env.state())
    games = env.core.games.copy()
    env.core.games[:] = determinize(games, 1, 5)
    assert pickle.dumps(env.state()) != state
    env.core.games[:] = determinize(games, 1, 5)
    env.core.games["robots"]["hand"] = games["robots"]["hand"]  # only the hands stay the same
    assert pickle.dumps(env.state()) == state


@pytest.mark.parametrize("form", ["flat", "entities"])
def test_the_joint_state_shows_decisions_as_they_are_made(form: str) -> None:
    env = roborally_v0.parallel_env(state=form, action="cards", num_robots=2, decisions=())
    env.reset(seed=3)
    states = [env.state()]
    for _ in range(4):
        env.step({"robot_0": 0, "robot_1": 1})
        states.append(env.state())
    assert len({pickle.dumps(state) for state in states}) == 5
    if form == "entities":
        own = env.core.games["robots"]["hand"][0].astype(int)
        cards = table(states[1], "cards")["priority"]
        registers = cards[:, own.shape[1] :]
        assert registers[:, 0].tolist() == [10 * own[0, 0], 10 * own[1, 1]]
        assert not registers[:, 1:].any()


@pytest.mark.parametrize("form", ["flat", "entities"])
def test_seats_without_a_robot_are_zeros(form: str) -> None:
    env = roborally_v0.parallel_env(state=form, num_robots=4)
    env.reset(seed=3, options={"num_robots": 3})
    state = env.state()
    if form == "entities":
        assert not state["robots"][3].any()
        assert not state["cards"][3].any()
        assert state["cards"][:3].any(axis=(1, 2)).all()
    else:
        by_seat = state.reshape(4, -1)
        assert not by_seat[3].any()
        assert by_seat[:3].any(axis=1).all()


def test_wrong_forms() -> None:
    with pytest.raises(RoboRallyError, match=r"state: 'planes': expected flat \| entities"):
        roborally_v0.parallel_env(state="planes")
