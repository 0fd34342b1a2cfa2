"""The lookahead `trials`: whole turns tried against likely programs of the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from rr_gym.choices import choice_columns
from rr_gym.choices.columns import CERTAIN, NUM_CHOICE_FEATURES, NUM_RELATIONS, TRIAL_COLUMNS
from rr_gym.choices.facts import ChoiceFacts
from rr_gym.choices.observers import ChoicesObserver
from rr_gym.choices.trials import MAX_SAME_END, QUICK, THOROUGH, THOROUGH_VALUED, Effort
from rr_gym.courses.course import Course
from rr_gym.encoding.act.actions import action_layout, course_features
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.envs.core import Core
from rr_gym.players.likely_orders import plan_others
from rr_gym.players.pair_network import PairNetwork, network_value, no_network, shipped_network
from rr_gym.players.playouts import play_one_turn, redeal
from rr_gym.players.race_values import WIN
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.chance import mix
from rr_gym.rules.state.records import clone, new_log, no_orders
from rr_gym.solo.turn_tables import expected_turns

Array = np.ndarray[Any, Any]

LOG = new_log(on=False)[0]
NAMES = [name for name, _, _ in choice_columns(2, "trials")["choices"]]
LEGAL, TYPE, TO_GO, TRIED, CHANCE, BEHIND = map(
    NAMES.index, ("legal", "type", "turns_to_go", "tried", "chance", "chance_behind")
)


def core_of(course: Any = "risky_exchange", games: int = 6, robots: int = 2, **options: Any) -> Core:
    arguments = {
        "action": "cards", "preview": True, "observation": "choices", "lookahead": "trials", "max_cycles": 12, **options
    }  # fmt: skip
    core = Core(course, games, robots, **arguments)
    core.reset(5)
    return core


def likeliest(seen: dict[str, Array], masks: Array) -> Array:
    """Return the choices with the best chance; among equals those that are fewest turns behind."""
    rows = seen["choices"].astype(np.int64)
    return np.where(masks > 0, (rows[..., CHANCE] << 16) - rows[..., TO_GO], -1 << 40).argmax(-1)


def played(core: Core, steps: int) -> Any:
    """Yield observations of games in which the choices with the best chances are made."""
    for _ in range(steps):
        seen, masks = core.observe(), core.masks()
        yield seen, masks
        core.step(likeliest(seen, masks))
        core.restart(core.ended.copy())


def chances_by_the_rules(
    arena: Arena, game: Any, seat: int, programs: Array, effort: Effort, network: PairNetwork
) -> tuple[Array, Array]:
    """Return the mean values, from 0 to 1, of programs (n, 6) on the first and on further deals: two arrays (n,)."""
    table, known = arena.tables[game["course"]], expected_turns(arena, int(game["course"]))
    word = mix(np.uint64(int(game["turn"]) << 8 | seat))
    means = []
    for first, count in ((0, effort.deals), (effort.deals, effort.more_deals)):
        deals, others = arena.new_games(count, int(game["num_robots"])), no_orders(count, 8, full=True)
        redeal(game, seat, word, first, deals)
        plan_others(deals, table, known, seat, word, first, others)
        totals = np.zeros(len(programs), np.int64)
        for k, program in enumerate(programs):
            for d in range(count):
                copy, orders = clone(deals[d : d + 1])[0], others[d].copy()
                orders[seat]["program"] = cards_of(game["robots"][seat], program[:5])
                orders[seat]["facing"] = program[5]
                lost = play_one_turn(copy, table, orders, LOG)
                totals[k] += network_value(network, copy, table, known, 0, seat, lost)
        means.append(totals / (WIN * count))
    return means[0], means[1]


def cards_of(robot: Any, kinds: Array) -> list[int]:
    """Return a card in the hand for each type, 0 where there is none; no card is used twice."""
    hand, chosen = robot["hand"].tolist(), []
    for kind in kinds:
        card = next((c for c in hand if c and CARD_TYPE[c] == kind), 0)
        chosen.append(card)
        if card:
            hand.remove(card)
    return chosen


@pytest.mark.parametrize(("lookahead", "effort"), [("trials", THOROUGH), ("trials", QUICK), ("trials+value", QUICK)])
def test_chances_are_means_over_turns_that_are_played(lookahead: str, effort: Effort) -> None:
    core = core_of(games=2)
    for _ in played(core, core.stages):
        pass
    assert core.steps
    facts, rows = ChoiceFacts(core.steps, 2, lookahead, effort), core.num_rows
    facts.write(*(np.empty((rows, *facts.low[name].shape), np.int16) for name in ("choices", "prospects")))
    results = facts._results
    network = shipped_network() if lookahead == "trials+value" else no_network()
    for row in range(rows):
        count, seat = int(results.counts[row]), int(core.steps.seats[row, 0])
        programs = results.programs[row, :count]
        assert 5 < count <= effort.programs
        assert len(np.unique(programs, axis=0)) == count
        first, more = chances_by_the_rules(core.arena, core.steps.games[row], seat, programs, effort, network)
        both = (first * effort.deals + more * effort.more_deals) / (effort.deals + effort.more_deals)
        best = np.argsort(-first, kind="stable")[: effort.best if count > effort.best else 0]
        expected = first.copy()
        expected[best] = both[best]
        # Among programs that are equal on the first deals, any may be tried on further deals.
        safe = [k for k in range(count) if (first == first[k]).sum() == 1]
        assert len(safe) > (2 if effort.deals > 1 else 0)
        chances = results.chances[row, :count]
        assert np.abs(chances[safe] - expected[safe] * CERTAIN).max() <= 1
        assert np.minimum(*(np.abs(chances - value * CERTAIN) for value in (first, both))).max() <= 1


@pytest.mark.parametrize(
    ("course", "robots", "options", "turns"),
    [
        ("risky_exchange", 3, {}, 4),
        ("oddest_sea", 2, {"settings": {"lives": "unlimited"}}, 4),
        pytest.param(
            "everything", 4, {"settings": {"option_cards": "on", "start_options": 2}, "games": 2}, 1,
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_choice_counts_as_the_best_program_that_begins_with_it(
    course: str, robots: int, options: dict[str, Any], turns: int
) -> None:
    core = core_of(course, robots=robots, **{"games": 4, **options})
    found = 0
    for seen, masks in played(core, turns * core.stages):
        rows, best = seen["choices"], seen["prospects"][:, 0, 2]
        tried = rows[..., TRIED] > 0
        assert not rows[masks == 0].any()
        assert not rows[..., [CHANCE, BEHIND]][~tried & (rows[..., BEHIND] == 0)].any()
        assert (best >= 0).all()
        assert (best <= CERTAIN).all()
        assert not seen["prospects"][:, 1:, 2].any()
        for row in np.flatnonzero(tried.any(axis=1)):
            chances = rows[row, tried[row], CHANCE]
            assert chances.max() == best[row]
            assert (best[row] - chances == rows[row, tried[row], BEHIND]).all()
            found += len(np.unique(chances)) > 1
            kinds = rows[row, tried[row], TYPE]
            for kind in np.unique(kinds[kinds > 0]):
                assert len(np.unique(chances[kinds == kind])) == 1
        # After the best choice, the best chance of the next decision is the same.
        before = likeliest(seen, masks)
        expected = np.where(tried.any(axis=1), rows[np.arange(len(rows)), before, CHANCE], best)
        if core.steps and (core.steps.stages + 1 < core.steps.count).all():
            core_copy = core.get_state()
            core.step(before)
            after = core.observe()["prospects"][:, 0, 2]
            assert (after == expected)[tried.any(axis=1)].all()
            core.set_state(core_copy)
    assert found > 20


def alone_on_a_lane(*robots: tuple[int, int], board: str, **fields: int) -> tuple[Arena, TurnSteps]:
    """Return a game with robots at (place, facing); `fields` are set in the second robot."""
    arena = Arena(Course.from_board(board, "lane"), {"lives": "unlimited"})
    games = arena.new_games(1, len(robots), seed=1)
    for i, (place, facing) in enumerate(robots):
        robot = games["robots"][0, i]
        robot["square"], robot["facing"], robot["virtual"], robot["may_face"] = place, facing, 0, 0
    for name, value in fields.items():
        games["robots"][name][0, 1] = value
    games["robots"]["hand"][0, 0] = [84, 77, 60, 47, 42, 41, 3, 2, 1, 0, 0]
    layout = action_layout("draw", arena.settings, None, course_features(arena.tables))
    steps = TurnSteps(arena, layout, True)
    steps.begin(games, np.zeros((1, 1), np.int8))
    while steps.games["asked"][0] != 1:
        steps.choose(np.zeros(1, np.int64))
    return arena, steps


def first_card(steps: TurnSteps) -> dict[int, tuple[int, int, int]]:
    """Return by type of card the turns to go, whether the card was tried, and the chance."""
    rows = ChoicesObserver("choices", steps, 2, lookahead="trials").observe()["choices"][0]
    return {int(r[TYPE]): (int(r[TO_GO]), int(r[TRIED]), int(r[CHANCE])) for r in rows if r[LEGAL]}


def test_a_sure_win_is_certain() -> None:
    _, steps = alone_on_a_lane((0, 1), (9, 1), board="@1 . . #1\n. . . .\n. . . .\n", down=1)
    found = first_card(steps)
    assert found[7][1:] == (1, CERTAIN)


def test_only_trials_see_a_robot_that_bars_the_way() -> None:
    """A powered-down robot stands on a flag in front of a wall, so that no other robot can get there."""
    open_lane, barred = "@1 . . #1\n. . . .\n. . . .\n", (3, 1)
    _, steps = alone_on_a_lane((0, 1), (9, 1), board=open_lane, down=1)
    free = first_card(steps)
    _, steps = alone_on_a_lane((0, 1), barred, board=open_lane.replace("#1\n", "#1/e\n"), down=1)
    found = first_card(steps)
    assert found[7][0] == free[7][0]  # the tables assume that the robot is alone
    assert found[7][2] < free[7][2] == CERTAIN


def test_the_same_position_in_the_middle_of_a_turn_has_the_same_chances() -> None:
    """Programs are tried from the start of the turn, even if the state was restored in the middle of it."""
    core = core_of(games=4, robots=3)
    for number, (seen, _) in enumerate(played(core, 2 * core.stages)):
        if number % 3 == 0:
            core.set_state(core.get_state())
            again = core.observe()
            assert all(np.array_equal(again[name], seen[name]) for name in seen)


def test_results_of_an_earlier_game_are_not_used_after_batches_of_another_size() -> None:
    arena = Arena("risky_exchange")
    earlier, two, later = (arena.new_games(count, 2, seed=seed) for count, seed in ((1, 1), (2, 5), (1, 99)))
    layout = action_layout("draw", arena.settings, (), course_features(arena.tables))
    used, new = (TurnSteps(arena, layout, False) for _ in range(2))
    tables = []
    for steps, batches in ((used, (earlier, two, later)), (new, (later,))):
        facts = ChoiceFacts(steps, 2, "trials", QUICK)
        for games in batches:
            steps.begin(games, np.zeros((len(games), 1), np.int8))
            if games is not two:  # whose choices nobody looks at
                out = [np.empty((1, *facts.low[name].shape), np.int16) for name in ("choices", "prospects")]
                facts.write(*out)
        tables.append(out)
    assert tables[1][0][..., TRIED].any()
    assert all(np.array_equal(*pair) for pair in zip(*tables, strict=True))


def test_columns_come_before_the_relations() -> None:
    plain, trials = (choice_columns(3, lookahead)["choices"] for lookahead in ("turns", "trials"))
    own = NUM_CHOICE_FEATURES
    assert trials[:own] == plain[:own]
    assert trials[own + TRIAL_COLUMNS :] == plain[own:]
    assert len(plain) == own + 2 * NUM_RELATIONS
    cores = [core_of(robots=3, lookahead=lookahead) for lookahead in ("turns", "trials")]
    for _ in range(cores[0].stages):
        less, more = (core.observe() for core in cores)
        assert np.array_equal(less["choices"], np.delete(more["choices"], slice(own, own + TRIAL_COLUMNS), axis=2))
        assert np.array_equal(less["prospects"], more["prospects"][..., :2])
        for core in cores:
            core.step(likeliest(more, core.masks()))


def test_values_of_the_network_change_chances_alone() -> None:
    assert choice_columns(3, "trials+value") == choice_columns(3, "trials")
    cores = [core_of(games=2, robots=3, lookahead=lookahead) for lookahead in ("trials", "trials+value")]
    seen, valued = (core.observe()["choices"] for core in cores)
    chances = [NAMES.index("chance"), NAMES.index("chance_behind")]
    assert np.array_equal(np.delete(seen, chances, axis=2), np.delete(valued, chances, axis=2))
    assert (seen[..., chances] != valued[..., chances]).any()
    assert cores[1].form.choices_observer
    assert cores[1].form.choices_observer.facts._scratch.effort == THOROUGH_VALUED


def test_few_programs_end_alike() -> None:
    core = core_of(games=3)
    core.observe()
    assert core.form.choices_observer
    assert core.form.choices_observer.facts._scratch.effort == THOROUGH
    assert core.form.choices_observer.facts._results.counts.max() == THOROUGH.programs
    assert core.form.choices_observer.facts._scratch.ends.shape == (THOROUGH.programs,)
    assert np.unique(core.form.choices_observer.facts._scratch.ends, return_counts=True)[1].max() <= MAX_SAME_END
