"""Mixes of opponents: drawn by shares for every seat, game and episode, in every interface."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from rr_gym import make_player
from rr_gym.envs.core import Core
from rr_gym.envs.mix import Mix
from rr_gym.envs.single import RoboRallyEnv
from rr_gym.envs.vector import RoboRallyVectorEnv
from rr_gym.errors import RoboRallyError
from rr_gym.players import Player, RandomPlayer
from rr_gym.rules.state.records import GAME

Array = np.ndarray[Any, Any]


class Named(RandomPlayer):
    """A player that records for which seats of which games it was asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[tuple[int, int]] = []

    def act(self, arena: Any, games: Array, seat: int) -> Array:
        self.asked += [(int(game), seat) for game in games["index"]]
        return super().act(arena, games, seat)


def play(core: Core, turns: int, restart: bool = True) -> list[list[list[str | None]]]:
    """Play random turns; return the seating of each game in each turn."""
    seatings = []
    rng = np.random.default_rng(5)
    for _ in range(turns):
        masks = core.masks()
        seatings.append([core.seating(game) for game in range(core.num_games)])
        core.step((rng.random(masks.shape) * masks).argmax(-1))
        if restart:
            core.restart(core.ended.copy())
    return seatings


def test_shares_are_kept() -> None:
    games = np.zeros(20_000, GAME)
    games["seed"], games["index"], games["episode"] = 3, np.arange(len(games)) % 100, np.arange(len(games)) // 100
    mix = Mix({"a": 0.2, "self": 0.3, "b": 0.0, "c": 0.5})
    drawn = np.array([mix.draw(games, number) for number in (1, 2)])
    for row in drawn:
        counts = np.bincount(row + 1, minlength=4) / len(games)
        assert np.allclose(counts, [0.3, 0.2, 0.0, 0.5], atol=0.015)  # more than four standard deviations
    both = np.mean((drawn[0] == 0) & (drawn[1] == 0))
    assert abs(both - 0.04) < 0.007  # seats are drawn independently
    others = mix.draw(games, 1, others=True)
    assert np.allclose(np.bincount(others, minlength=3) / len(games), [2 / 7, 0, 5 / 7], atol=0.015)


def test_draws_depend_only_on_seed_game_and_episode() -> None:
    shares = {"random": 0.5, "self": 0.5}
    few, many = (Core(num_games=n, num_robots=3, opponents=shares, max_cycles=3) for n in (2, 6))
    for core in (few, many):
        core.reset(11)
    seen = play(many, 24)
    assert [turn[:2] for turn in seen] == play(few, 24)
    many.reset(11)
    assert play(many, 24) == seen
    many.reset(12)
    assert play(many, 24) != seen
    first = seen[0]
    assert all(None in names for names in first)
    assert len({tuple(names) for turn in seen for names in turn}) > 3
    assert seen[0] == seen[1] == seen[2] != seen[3]  # the same for a whole episode


def test_players_give_the_orders_of_their_seats_and_no_others() -> None:
    one, other = Named("one"), Named("other")
    core = Core(num_games=8, num_robots=4, opponents={one: 0.3, other: 0.3, "self": 0.4}, max_cycles=4)
    core.reset(2)
    assert core.num_rows == 32
    for _ in range(8):
        one.asked, other.asked = [], []
        seating = play(core, 1)[0]
        for player in (one, other):
            seats = [(g, s) for g, names in enumerate(seating) for s, name in enumerate(names) if name == player.name]
            assert Counter(player.asked) == Counter(seats)


@pytest.mark.parametrize("action", ["draw", "cards"])
def test_only_the_learners_rows_are_active(action: str) -> None:
    core = Core(
        num_games=12, num_robots=3, action=action, opponents={"random": 0.5, "self": 0.5}, reward="shaped", max_cycles=5
    )
    core.reset(4)
    rewarded = 0
    rng = np.random.default_rng(0)
    for _ in range(12 * core.stages):
        names = [core.seating(game)[seat] for game in range(12) for seat in core.seats[game]]
        idle = np.array([name is not None for name in names])
        assert idle.any()
        assert not idle.reshape(12, 3)[:, 0].any()
        assert np.array_equal(core.idle(), idle)
        masks, seen = core.masks(), core.observe()
        assert (masks[idle].sum(-1) == 1).all()
        assert (masks[idle][..., 0] == 1).all()
        assert not seen[idle].any()
        assert seen[~idle].any(axis=1).all()
        assert not core.active()[idle].any()
        turn = core.step(rng.integers(0, 2, (36, *masks.shape[1:-1])))
        rewarded += int(np.count_nonzero(turn.rewards))
        assert not turn.rewards[idle].any()
        assert not core.infos()["illegal_choices"][idle].any()
        assert not any(values[idle].any() for values in core.terms().values())
        core.restart(core.ended.copy())
    assert rewarded


def test_a_game_ends_with_the_learners_last_robot() -> None:
    core = Core(num_games=1, num_robots=2, opponents={"random": 1.0, "self": 0.0}, settings={"lives": 1}, max_cycles=99)
    core.reset(1)
    core.games["robots"]["out"][0, core.seats[0, 0]] = 1
    turn = core.step(np.zeros((2, *core.mask_shape[:-1]), int))
    assert turn.terminated.all()


def test_a_new_mix_leaves_players_that_stay_in_their_seats() -> None:
    one, two, three = Named("one"), Named("two"), Named("three")
    core = Core(num_games=40, num_robots=3, opponents={one: 0.4, two: 0.3, "self": 0.3}, max_cycles=6)
    core.reset(7)
    before = play(core, 2)[-1]
    seed = one.seed
    core.set_opponents({three: 0.5, one: 0.0, "self": 0.5})
    after = [core.seating(game) for game in range(40)]
    flat, later = [n for names in before for n in names], [n for names in after for n in names]
    assert {(a, b) for a, b in zip(flat, later, strict=True)} == {("one", "one"), (None, None), ("two", "three")}
    assert one.seed == seed != three.seed != 0
    play(core, 4)  # to the end of the episodes
    assert {name for game in range(40) for name in core.seating(game)} == {None, "three"}


def test_all_learners_can_be_given_a_mix_and_lists_too() -> None:
    core = Core(num_games=9, num_robots=3, max_cycles=2)
    core.reset(0)
    core.set_opponents({"random": 0.5, "self": 0.5})
    assert not core.idle().any()  # until the episodes end
    play(core, 2)
    assert 0 < core.idle().sum() < 27
    listed = Core(num_games=9, num_robots=3, opponents=["random"], max_cycles=2)
    listed.reset(0)
    one, two = Named("one"), Named("two")
    listed.set_opponents({one: 0.5, two: 0.5})
    names = [listed.seating(game) for game in range(9)]
    assert all(len([n for n in game if n]) == 1 for game in names)
    assert {n for game in names for n in game} == {None, "one", "two"}


def test_a_state_resumes_with_the_same_seats() -> None:
    def made() -> Core:
        core = Core(num_games=6, num_robots=3, opponents={"random": 0.6, "self": 0.4}, max_cycles=4)
        core.reset(9)
        return core

    one, other = made(), made()
    play(one, 6)
    state = one.get_state()
    expected = play(one, 9)
    other.reset(1)
    other.set_state(state)
    assert play(other, 9) == expected
    assert np.array_equal(one.games, other.games)
    bad = {**state, "seated": np.full_like(state["seated"], 1)}
    with pytest.raises(RoboRallyError, match=r"state: seated\[0, 0\]: 1: expected a whole number from -1 to 0"):
        other.set_state(bad)


def test_orders_for_seats_at_once_are_those_for_each() -> None:
    core = Core(num_games=10, num_robots=3)
    core.reset(3)
    seats = np.arange(10) % 3
    player: Player = make_player("random")
    together = player.act_seats(core.arena, core.games, seats)
    for seat in range(3):
        alone = player.act(core.arena, core.games, seat)
        assert (together[seats == seat] == alone[seats == seat]).all()


@pytest.mark.parametrize("interface", ["single", "vector", "sb3"])
def test_every_interface_takes_a_mix(interface: str) -> None:
    one, two = Named("one"), Named("two")
    if interface == "single":
        env: Any = RoboRallyEnv(num_robots=3, opponents={one: 1.0}, max_cycles=3)
        env.reset(seed=0)
    elif interface == "vector":
        env = RoboRallyVectorEnv(6, num_robots=3, opponents={one: 0.5, "self": 0.5}, max_cycles=3)
        env.reset(seed=0)
    else:
        sb3 = pytest.importorskip("rr_gym.sb3")
        env = sb3.make_vec_env(num_games=2, num_robots=3, opponents={one: 0.5, "self": 0.5}, max_cycles=3, seed=0)
        env.reset()
    env.set_opponents({two: 1.0})
    finished: list[dict[str, Any]] = []
    for _ in range(9):
        result = env.step(env.sample_actions())
        if interface == "sb3":
            finished += [info for info in result[3] if "episode" in info]
        elif interface == "single" and (result[2] or result[3]):
            env.reset()
    assert two.asked
    assert set(env.core.seating(0)) == {None, "two"}
    if interface == "sb3":
        assert all(set(info["against"]) <= {"one", "two"} for info in finished)
        assert finished[-1]["against"]["two"] in (0.0, 0.25, 0.5, 0.75, 1.0)
    env.close()


@pytest.mark.parametrize(
    ("opponents", "expected"),
    [
        ({"random": 0.5}, "opponents: the shares add up to 0.5: expected 1"),
        ({}, "opponents: the shares add up to 0: expected 1"),
        ({"random": 1.5, "self": -0.5}, "opponents: random: 1.5: expected a share, a number from 0 to 1"),
        ({"random": "all"}, "opponents: random: 'all': expected a share"),
        ({"random": True}, "opponents: random: True: expected a share"),
        ({"random": float("nan")}, "opponents: random: nan: expected a share"),
        ({"gredy": 1.0}, "there is no player 'gredy': did you mean 'greedy'?"),
        ({3: 1.0}, "opponents: 3: expected the name of a player, or a Player"),
    ],
)
def test_wrong_mixes_are_named(opponents: Any, expected: str) -> None:
    with pytest.raises(RoboRallyError) as caught:
        Core(num_robots=2, opponents=opponents)
    assert expected in str(caught.value)
    core = Core(num_robots=2)
    core.reset(0)
    with pytest.raises(RoboRallyError) as caught:
        core.set_opponents(opponents)
    assert expected in str(caught.value)
    assert not core.lineup.mixed


def test_mixes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(RoboRallyError, match="opponents: expected none: the only robot is the learner's"):
        Core(num_robots=1, opponents={"random": 1.0})
    with pytest.raises(RoboRallyError, match="opponents: 'self': expected players only, since one seat learns here"):
        RoboRallyEnv(num_robots=2, opponents={"random": 0.5, "self": 0.5})
    core = Core(num_robots=2, opponents={"random": 1.0})
    with pytest.raises(RoboRallyError, match="opponents: 'self': expected players only: the environment was made"):
        core.set_opponents({"self": 0.5, "random": 0.5})
    with pytest.raises(RoboRallyError, match="expected players with their shares, as before"):
        core.set_opponents(["random"])
    assert core.seating(0).count(None) == 1


def test_numbers_of_robots_are_drawn_for_every_game_and_episode() -> None:
    def made(count: int) -> Core:
        core = Core(num_games=count, num_robots=[2, 4], opponents={"random": 0.5, "self": 0.5}, max_cycles=3)
        core.reset(6)
        return core

    few, many = made(3), made(12)
    assert many.num_rows == 48
    seen = play(many, 30)
    assert [turn[:3] for turn in seen] == play(few, 30)
    counts = Counter(len(names) for turn in seen[::3] for names in turn)
    assert set(counts) == {2, 4}
    assert 0.3 < counts[2] / counts.total() < 0.7
    assert all(len(turn[0]) == len(seen[0][0]) for turn in seen[:3])  # the same for a whole episode
    for turn in seen:
        assert all(None in names for names in turn)
    robots = many.games["num_robots"]
    absent = (many.seats >= robots[:, None]).ravel()
    assert absent.sum() == (4 - robots).sum()
    assert not many.active()[absent].any()
    assert not many.observe()[absent].any()
    assert (many.masks()[absent].sum(-1) == 1).all()
    state = many.get_state()
    expected = play(many, 9)
    other = made(12)
    other.set_state(state)
    assert play(other, 9) == expected
    many.reset(6, {"num_robots": 3})
    assert {len(many.seating(game)) for game in range(12)} == {3}
    many.reset(6, {"num_robots": 4})  # the highest number
    assert {len(names) for turn in play(many, 9) for names in turn} == {4}
    many.reset(6)
    assert {len(many.seating(game)) for game in range(12)} == {2, 4}


@pytest.mark.parametrize("robots", [None, 2, 4])
def test_a_state_has_the_number_of_robots_that_a_reset_chose(robots: int | None) -> None:
    one, other = (Core(num_games=6, num_robots=[2, 4], opponents={"random": 1.0}, max_cycles=2) for _ in range(2))
    one.reset(6, None if robots is None else {"num_robots": robots})
    state = one.get_state()
    expected = play(one, 8)
    assert {len(names) for turn in expected for names in turn} == {robots or 2, robots or 4}
    for options in (None, {"num_robots": 2}, {"num_robots": 4}):
        other.reset(9, options)
        other.set_state(state)
        assert play(other, 8) == expected
    for wrong in (3, 5, -1):
        with pytest.raises(RoboRallyError, match=rf"state: chosen_robots(\[0\])?: {wrong}: expected"):
            other.set_state({**state, "chosen_robots": np.array([wrong])})


def test_states_without_a_chosen_number_of_robots_are_read() -> None:
    one, other = (Core(num_games=6, num_robots=[2, 4], opponents={"random": 1.0}, max_cycles=2) for _ in range(2))
    one.reset(6)
    state = one.get_state()
    del state["chosen_robots"]
    other.set_state(state)
    assert play(other, 8) == play(one, 8)


@pytest.mark.parametrize("opponents", ["random", ["random", "greedy"]])
def test_new_players_are_seeded_by_the_environment_and_others_keep_their_state(opponents: Any) -> None:
    kept = Named("kept")
    seeds = []
    for seed in (1, 2, 1):
        core = Core(num_games=2, num_robots=3, opponents=[kept, "greedy"])
        core.reset(seed)
        before = kept.seed
        core.set_opponents([kept, "random"])
        assert kept.seed == before
        core.set_opponents(opponents)
        seeds.append([player.seed for player in core.lineup.opponents])
    assert seeds[0] == seeds[2] != seeds[1]
    assert not {0} & {seed for each in seeds for seed in each}


def test_lists_of_opponents_and_single_learners_with_several_numbers() -> None:
    one = Named("one")
    env = RoboRallyEnv(num_robots=[1, 3], opponents=one, max_cycles=2)
    counts = set()
    for episode in range(12):
        env.reset(seed=3 if episode == 0 else None)
        names = env.core.seating(0)
        counts.add(len(names))
        assert names.count(None) == 1
        env.step(env.sample_actions())
    assert counts == {1, 3}
    with pytest.raises(RoboRallyError, match=r"num_robots: \[\]: expected at least one number"):
        Core(num_robots=[])
    with pytest.raises(RoboRallyError, match=r"num_robots: \[\]: expected at least one number"):
        RoboRallyEnv(num_robots=[], opponents="random")
    with pytest.raises(RoboRallyError, match="num_robots: 9: expected a whole number from 1 to 8"):
        Core(num_robots=[2, 9])


def test_rows_without_a_robot_have_no_episodes() -> None:
    sb3 = pytest.importorskip("rr_gym.sb3")
    env = sb3.make_vec_env(num_games=4, num_robots=[1, 2], max_cycles=2, seed=0)
    env.reset()
    seen = set()
    for _ in range(8):
        idle = env.core.idle()
        _, _, dones, infos = env.step(env.sample_actions())
        for row in np.flatnonzero(dones):
            assert ("episode" in infos[row]) != idle[row]
            seen.add(bool(idle[row]))
    assert seen == {True, False}
    env.close()
