"""The core of all interfaces: rows, line-ups, decisions one at a time, the previewed pose, saved states."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from rr_gym import GAME, determinize, make_player
from rr_gym.encoding.act.actions import ActionError
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.facts import FACTS
from rr_gym.encoding.observe.flat import flat_feature_names
from rr_gym.envs.core import Core
from rr_gym.envs.lineup import Lineup
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.errors import EnvError, RoboRallyError
from rr_gym.players import RandomPlayer

Array = np.ndarray[Any, Any]


def legal(rng: np.random.Generator, masks: Array) -> Array:
    """Draw a legal choice for every component, each with the same chance."""
    assert masks.any(axis=-1).all()
    return (rng.random(masks.shape) * masks).argmax(axis=-1)


def random_steps(core: Core, steps: int, seed: int = 0, restart: bool = True) -> list[tuple[Array, ...]]:
    """Return (observations, rewards, terminated, truncated) for each step of random legal play."""
    rng = np.random.default_rng(seed)
    history = []
    for _ in range(steps):
        turn = core.step(legal(rng, core.masks()))
        history.append((core.observe(), turn.rewards, turn.terminated, turn.truncated))
        if restart:
            core.restart(core.ended.copy())
    return history


def same(one: list[tuple[Array, ...]], other: list[tuple[Array, ...]]) -> bool:
    return all(np.array_equal(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))


@pytest.mark.parametrize("action", ["draw", "slots", "cards"])
def test_games_do_not_depend_on_the_batch(action: str) -> None:
    few, many = (Core(num_games=n, num_robots=3, action=action, opponents=["random"], max_cycles=9) for n in (2, 5))
    few.reset(4)
    many.reset(4)
    rng = np.random.default_rng(1)
    for _ in range(30 * few.stages):
        actions = legal(rng, many.masks())
        one, other = few.step(actions[:4]), many.step(actions)
        for name in ("rewards", "terminated", "truncated"):
            assert np.array_equal(getattr(one, name), getattr(other, name)[:4])
        few.restart(few.ended.copy())
        many.restart(many.ended.copy())
        assert np.array_equal(few.observe(), many.observe()[:4])
    assert many.games["episode"].max() > 1


def test_single_decisions_make_the_same_game_as_whole_turns() -> None:
    whole = Core(num_games=6, num_robots=3, reward="shaped")
    parts = Core(num_games=6, num_robots=3, reward="shaped", action="cards", gamma=0.99)
    whole.reset(8)
    parts.reset(8)
    assert parts.steps
    names = [whole.layout.components[i] for i in parts.steps.order]
    assert names[:6] == ["facing", *(f"register_{r}" for r in range(1, 6))]
    rng = np.random.default_rng(2)
    for _ in range(25):
        masks = whole.masks()
        actions = legal(rng, masks)
        expected = whole.step(actions)
        for stage, component in enumerate(parts.steps.order):
            assert parts.stage == stage
            assert np.array_equal(parts.masks(), masks[:, component])
            turn = parts.step(actions[:, component])
            last = stage == parts.stages - 1
            assert (parts.infos()["discount"] == (0.99 if last else 1.0)).all()
            if not last:
                assert not turn.rewards.any()
                assert not turn.terminated.any()
        assert np.array_equal(turn.rewards, expected.rewards)
        assert np.array_equal(turn.terminated, expected.terminated)
        assert np.array_equal(parts.observe(), whole.observe())
        assert np.array_equal(parts.infos()["illegal_choices"], np.zeros(18))
        whole.restart(whole.ended.copy())
        parts.restart(parts.ended.copy())


def poses(games: Array, seat: int = 0) -> list[tuple[int, ...]]:
    robots = games["robots"][:, seat]
    return [tuple(int(robot[name]) for name in ("square", "facing", "alive", "damage", "flag")) for robot in robots]


@pytest.mark.parametrize("course", ["risky_exchange", "death_trap", "whirlwind_tour"])
def test_the_last_preview_is_where_a_lone_robot_ends_its_turn(course: str) -> None:
    core = Core(course, num_games=40, num_robots=1, action="cards", preview=True, decisions=("facing",))
    assert core.steps
    core.reset(1)
    rng = np.random.default_rng(3)
    checked = 0
    for _ in range(12):
        for _ in range(core.stages - 1):
            core.step(legal(rng, core.masks()))
        # The last card is chosen on a copy of the decisions, to see the preview after it.
        last = legal(rng, core.masks())
        state = core.steps.get_state()
        core.steps.choose(last)
        previewed = poses(core.steps.games)
        core.steps.set_state(state)
        core.step(last)
        for shown, real, robot in zip(previewed, poses(core.games), core.games["robots"][:, 0], strict=True):
            if shown[2]:
                # Repairs come after the last phase, so the preview does not contain them.
                assert shown[:3] == real[:3]
                assert shown[4] == real[4]
                assert shown[3] >= real[3]
                checked += 1
            else:
                assert robot["lives"] < 3
        core.restart(core.ended.copy())
    assert checked > 200


def test_the_preview_shows_no_other_robots_effect_and_changes_nothing() -> None:
    core = Core(num_games=1, num_robots=2, action="cards", preview=True, decisions=(), opponents=["random"], seat=0)
    core.reset(0)
    assert core.steps
    before = core.games.tobytes()
    robots = core.games["robots"]
    other = poses(core.games, 1)
    for stage in range(4):
        core.step(np.zeros(1, int))
        assert core.games.tobytes() == before
        assert poses(core.steps.games, 1) == other
        assert core.steps.games["phase"][0] == stage + 1
        hand = robots["hand"][0, 0]
        assert core.steps.games["robots"]["registers"][0, 0, stage] == hand[stage]
        assert core.steps.games["robots"]["hand"][0, 0].tolist() == [*hand[stage + 1 :], *[0] * (stage + 1)]


def test_without_preview_the_robot_stays_where_it_is() -> None:
    core = Core(num_games=8, num_robots=2, action="cards", decisions=())
    core.reset(0)
    assert core.steps
    rng = np.random.default_rng(0)
    for _ in range(4):
        before = poses(core.steps.games, 0)
        core.step(legal(rng, core.masks()))
        assert poses(core.steps.games, 0) == before
    names = flat_feature_names(2)
    assert (core.observe()[:, names.index("phase")] == 4).all()


def test_locked_registers_are_played_and_shown_but_not_chosen() -> None:
    core = Core(num_games=1, num_robots=1, action="cards", preview=True, decisions=())
    core.reset(5)
    robot = core.games["robots"][0, 0]
    robot["damage"], robot["locked"] = 6, 0b11000
    robot["registers"][3:] = robot["hand"][7:9]  # two cards more than it may hold
    robot["hand"][3:] = 0
    assert core.steps
    core.steps.begin(core.games, core.seats)
    expected = [*robot["hand"][:3], *robot["registers"][3:]]
    for stage in range(4):
        assert core.masks()[0].sum() == max(1, 3 - stage)
        core.step(np.zeros(1, int))
        shown = core.steps.games["robots"][0, 0]
        assert shown["registers"][: stage + 1].tolist() == expected[: stage + 1]
    shown = core.steps.games["robots"][0, 0]
    assert shown["locked"] == 0b11000
    assert shown["registers"].tolist() == expected


@pytest.mark.parametrize("observation", ["flat", "entities"])
@pytest.mark.parametrize("preview", [False, True])
def test_between_decisions_nothing_hidden_is_seen(observation: str, preview: bool) -> None:
    core = Core(num_games=6, num_robots=3, action="cards", preview=preview, observation=observation)
    core.reset(9)
    random_steps(core, 4 * core.stages)
    assert core.steps
    seats = np.full((6, 1), 1, np.int8)
    views = []
    for seed in (1, 2):
        games = determinize(core.games, 1, seed)
        steps = TurnSteps(core.arena, core.layout, preview)
        steps.begin(games, seats)
        seen = []
        rng = np.random.default_rng(0)
        while not steps.done.all():
            masks = steps.masks()
            seen.append((core.observer.observe(steps.games, steps.seats), masks))
            steps.choose(legal(rng, masks))
        views.append(seen)
    assert not np.array_equal(determinize(core.games, 1, 1)["robots"]["hand"], core.games["robots"]["hand"])
    for one, other in zip(*views, strict=True):
        assert np.array_equal(one[1], other[1])
        first, second = one[0], other[0]
        if isinstance(first, dict):
            assert all(np.array_equal(first[name], second[name]) for name in first)
        else:
            assert np.array_equal(first, second)


def test_rows_of_eliminated_robots_wait_for_the_end_of_their_game() -> None:
    core = Core(num_games=30, num_robots=4, settings={"lives": 1}, max_cycles=25, reward={"turn": 1.0})
    core.reset(2)
    rng = np.random.default_rng(0)
    waited = 0
    for _ in range(60):
        active = core.active()
        masks = core.masks()
        idle = ~active
        assert (masks[idle].sum(axis=(1, 2)) == len(core.layout.components)).all()
        turn = core.step(legal(rng, masks))
        assert not turn.rewards[idle].any()
        assert (turn.rewards[active] == 1).all()
        for ends in (turn.terminated, turn.truncated):
            by_game = ends.reshape(30, 4)
            assert (by_game.all(axis=1) == by_game.any(axis=1)).all()
        assert not (turn.terminated & turn.truncated).any()
        waited += int((idle & ~turn.terminated & ~turn.truncated).sum())
        core.restart(core.ended.copy())
    assert waited > 20


def test_a_game_that_has_ended_waits_until_it_is_restarted() -> None:
    core = Core(num_games=2, num_robots=2, max_cycles=3)
    core.reset(0)
    random_steps(core, 3, restart=False)
    assert core.ended.all()
    before = core.games.tobytes()
    turn = core.step(legal(np.random.default_rng(0), core.masks()))
    assert not turn.rewards.any()
    assert not turn.terminated.any()
    assert not turn.truncated.any()
    assert core.games.tobytes() == before
    core.restart(np.array([True, False]))
    assert core.ended.tolist() == [False, True]
    assert core.games["turn"].tolist() == [0, 3]
    assert core.games["episode"].tolist() == [1, 0]


def test_a_game_is_over_for_learners_when_all_of_them_are_out() -> None:
    core = Core(num_games=40, num_robots=4, opponents=["random"] * 3, settings={"lives": 1}, max_cycles=60)
    core.reset(0)
    rng = np.random.default_rng(0)
    early = 0
    for _ in range(60):
        turn = core.step(legal(rng, core.masks()))
        out = core.games["robots"]["out"][np.arange(40), core.seats[:, 0]] > 0
        assert (turn.terminated[out]).all()
        early += int((turn.terminated & (core.games["over"] == 0)).sum())
        core.restart(core.ended.copy())
    assert early > 10


def test_everybody_moves_one_seat_further_each_episode() -> None:
    core = Core(num_games=5, num_robots=4, opponents=["random", "random"], max_cycles=1)
    core.reset(0)
    for episode in range(6):
        first = (np.arange(5) + episode) % 4
        assert np.array_equal(core.seats, np.stack([first, (first + 1) % 4], axis=1))
        assert core.seats.dtype == np.int8
        random_steps(core, 1)
    fixed = Core(num_games=5, num_robots=4, opponents=["random"] * 3, seat=2, max_cycles=1)
    fixed.reset(0)
    random_steps(fixed, 3)
    assert (fixed.seats == 2).all()


class Recording(type(make_player("random"))):  # type: ignore[misc]
    """Records for which seats of which games it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, int]] = []

    def act(self, arena: Any, games: Array, seat: int) -> Array:
        assert games.dtype == GAME
        self.asked += [(int(index), seat) for index in games["index"]]
        return super().act(arena, games, seat)


def test_an_opponent_by_itself_takes_all_seats_but_one() -> None:
    core = Core(num_robots=[2, 4], opponents="random")
    assert (core.num_seats, core.lineup.names) == (1, ("random",) * 3)
    core.set_opponents("greedy")
    assert core.lineup.names == ("greedy",) * 3
    assert Core(num_robots=1, opponents="random").lineup.names == ()


@pytest.mark.parametrize("seat", ["rotate", 1])
def test_opponents_play_every_other_seat_once(seat: int | str) -> None:
    player, other = Recording(), Recording()
    core = Core(num_games=6, num_robots=4, opponents=[player, other, player], seat=seat)
    core.reset(0)
    core.step(np.zeros((6, len(core.layout.components)), int))
    asked = sorted(player.asked + other.asked)
    expected = [(game, s) for game in range(6) for s in range(4) if s != core.seats[game, 0]]
    assert asked == expected
    assert all(s == (core.seats[game, 0] + 2) % 4 for game, s in other.asked)
    assert len(other.asked) == 6
    newcomer = Recording()
    core.set_opponents([newcomer] * 3)
    core.step(np.zeros((6, len(core.layout.components)), int))
    assert len(newcomer.asked) == 18
    with pytest.raises(RoboRallyError, match="opponents: 1: expected 3, as many as before"):
        core.set_opponents(["random"])


class Closable(RandomPlayer):
    """A player that records whether it was closed."""

    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_opponents_are_closed_by_whoever_made_them(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Closable] = []

    def make(name: str) -> Closable:
        made.append(Closable())
        return made[-1]

    monkeypatch.setattr("rr_gym.envs.lineup.make_player", make)
    given = Closable()
    lineup = Lineup(4, ["a", given, "a"])
    lineup.replace(["b", "c", given])
    assert [player.closed for player in made] == [1, 0, 0]
    lineup.close()
    assert [player.closed for player in made] == [1, 1, 1]
    made.clear()
    for interface in (RoboRallyEnv, RoboRallyVectorEnv):
        interface(opponents="a").close()
        assert made[-1].closed == 1
    assert given.closed == 0


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_a_saved_state_resumes_exactly(action: str) -> None:
    options: dict[str, Any] = {"num_games": 5, "num_robots": 3, "opponents": ["random"], "max_cycles": 12}
    core = Core(action=action, reward="shaped", **options)
    core.reset(3)
    random_steps(core, 3 * core.stages + 2)
    state = core.get_state()
    expected = random_steps(core, 40, seed=5)
    other = Core(action=action, reward="shaped", **options)
    other.set_state(state)
    assert same(random_steps(other, 40, seed=5), expected)
    with pytest.raises(RoboRallyError, match=r"state: cycles: missing: expected int64 \(5,\)"):
        other.set_state({name: array for name, array in state.items() if name != "cycles"})
    with pytest.raises(RoboRallyError, match=r"state: cycles: \[0, 0\]: expected int64 \(5,\)"):
        other.set_state(state | {"cycles": [0, 0]})
    broken = {"games": "square", "steps_seen": "facing"} if action == "cards" else {"games": "square"}
    before = other.get_state()
    for name, field in broken.items():
        games = state[name].view(GAME).copy()
        games["robots"][field][1, 2] = 99 if field == "facing" else 3000
        with pytest.raises(EnvError, match=rf"state: {name}: game 1: robots\[2\]\.{field}: \d+: expected a whole"):
            other.set_state(state | {name: games.view(np.uint8)})
    with pytest.raises(EnvError, match=r"state: seats\[0, \d\]: 3: expected a whole number from 0 to 2"):
        other.set_state(state | {"seats": state["seats"] + 3})
    assert all(np.array_equal(array, before[name]) for name, array in other.get_state().items())


def test_courses_take_turns() -> None:
    core = Core(["risky_exchange", "checkmate"], num_games=5, num_robots=2)
    core.reset(0)
    random_steps(core, 30)
    assert core.games["course"].tolist() == [0, 1, 0, 1, 0]


def test_infos_are_facts_of_the_rows() -> None:
    core = Core(num_games=3, num_robots=4, opponents=["random"] * 2, max_cycles=40)
    core.reset(1)
    random_steps(core, 12)
    infos = core.infos()
    rows = [(game, seat) for game in range(3) for seat in core.seats[game]]
    for name, field in (("flags", "flag"), ("damage", "damage"), ("lives", "lives")):
        assert infos[name].tolist() == [core.games["robots"][game, seat][field] for game, seat in rows]
    places = core.arena.placements(core.games)
    assert infos["place"].tolist() == [places[game, seat] for game, seat in rows]
    assert infos["turn"].tolist() == [core.games["turn"][game] for game, _ in rows]
    assert list(infos) == [*FACTS, "illegal_choices", "conflicting_choices", "reward_place"]
    assert all(array.shape == (6,) for array in infos.values())
    assert {name: array.dtype for name, array in infos.items()} == {
        name: np.float64 if name == "reward_place" else np.int32 for name in infos
    }


def test_illegal_choices_are_counted_and_count_as_the_default() -> None:
    core, other = (Core(num_games=1, num_robots=1, action="cards", decisions=()) for _ in range(2))
    core.reset(0)
    other.reset(0)
    for stage in range(5):
        core.step(np.array([99 if stage < 2 else 0]))
        other.step(np.array([0]))
    assert core.infos()["illegal_choices"].tolist() == [2]
    assert np.array_equal(core.observe(), other.observe())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_games": 0}, "num_games: 0: expected a whole number, 1 or more"),
        ({"max_cycles": True}, "max_cycles: True: expected a whole number, 1 or more"),
        ({"num_robots": 9}, "num_robots: 9: expected a whole number from 1 to 8"),
        ({"opponents": ["random"] * 4}, "opponents: 4: expected at most 3"),
        ({"opponents": 3}, "opponents: 3: expected a list"),
        ({"opponents": "gredy"}, "did you mean 'greedy'"),
        ({"opponents": [3]}, "opponents: 3: expected the name of a player, or a Player"),
        ({"opponents": ["gredy"]}, "did you mean 'greedy'"),
        ({"seat": 4}, "seat: 4: expected 'rotate' or a seat from 0 to 3"),
        ({"opponents": ["self"]}, "opponents: 'self': expected shares with it, such as {'self': 1}"),
        ({"seat": 1.0}, "seat: 1.0: expected 'rotate' or a seat from 0 to 3"),
        ({"seat": "first"}, "seat: 'first': expected 'rotate'"),
        ({"preview": True}, "preview: True: only with action='cards'"),
        ({"preview": "false", "action": "cards"}, "preview: 'false': expected True or False"),
        ({"observation": ["flat"]}, "observation: ['flat']: did you mean 'flat'?"),
        ({"observation": "seen"}, "observation: 'seen': expected flat | planes | entities | entities+planes"),
        ({"observation": "choice", "action": "cards"}, "observation: 'choice': did you mean 'choices'?"),
        ({"observation": "seen", "action": "cards"}, "entities+planes | entities+way | choices | flat+choices"),
        ({"action": "card"}, "action: 'card': expected draw"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=re.escape(message)):
        Core(**options)


def test_wrong_actions_play_nothing() -> None:
    core = Core(num_games=2, num_robots=2)
    core.reset(0)
    before = core.games.tobytes()
    for actions in (np.zeros((4, 3), int), np.zeros((4, 8)), [[1], [2, 3]], "x"):
        with pytest.raises(ActionError, match=r"actions: .*: expected whole numbers of shape \(4, 8\)"):
            core.step(actions)  # type: ignore[arg-type]
    assert core.games.tobytes() == before


def test_a_lineup_without_opponents_keeps_its_seats() -> None:
    core = Core(num_games=3, num_robots=3, max_cycles=1)
    core.reset(0)
    random_steps(core, 2)
    assert core.seats.tolist() == [[0, 1, 2]] * 3
    assert Lineup(3).num_learners == 3
