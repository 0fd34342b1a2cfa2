"""Decisions that only elements of expansions ask for, and previews of what elements do to a robot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from small_boards import arena_of

from rr_gym.courses.course import Course
from rr_gym.encoding.act.actions import ActionError, action_layout, course_features, decode_actions, write_masks
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.flat import flat_feature_names
from rr_gym.encoding.observe.observations import FlatObserver
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.envs.core import Core
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.records import no_orders

N, E = 0, 1
U_TURN, LEFT, RIGHT, MOVE_1, MOVE_2 = 1, 7, 8, 49, 67  # cards


def components(board: str, decisions: Any = None, **settings: Any) -> tuple[str, ...]:
    arena = arena_of(board, **settings)
    names = action_layout("draw", arena.settings, decisions, course_features(arena.tables)).components[5:]
    return names[: names.index("homing")] if "homing" in names else names  # option cards decide the rest


def test_components_follow_the_courses() -> None:
    base = ("power_down", "facing", "unlock")
    assert components("@1 . wc ZZ") == base  # these are about option cards
    assert components("@1 . wc ZZ", option_cards="on") == (*base, "site", "chop", "waste")
    assert components("@1 Tf ws") == (*base, "freak_order", "reset_card")
    assert components("@1 Tf ws", ["reset_card"]) == ("reset_card",)
    with pytest.raises(ActionError, match="'freak_order': the settings and the course leave no such choice"):
        components("@1 ws", ["freak_order"])


def test_choices_of_elements() -> None:
    arena = arena_of("@1 wc ZZ Tf ws", option_cards="on")
    layout = action_layout("draw", arena.settings, None, course_features(arena.tables))
    games = arena.new_games(1, 1, seed=3)
    masks = np.empty((1, 1, *layout.shape), np.int8)
    write_masks(games, arena.tables, layout.code, all_seats(1, 1), masks)
    legal = dict(zip(layout.components, masks[0, 0].sum(axis=1).tolist(), strict=True))
    assert (legal["chop"], legal["waste"], legal["freak_order"], legal["reset_card"]) == (5, 2, 6, 8)

    def decode(**choices: int) -> tuple[np.void, int]:
        orders, repaired = no_orders(1, 8, full=True), np.zeros((1, 1), np.int32)
        orders["reset_card"] = orders["chop"] = 9  # earlier contents must not matter
        actions = np.array([[[choices.get(name, 0) for name in layout.components]]])
        decode_actions(games, arena.tables, layout.code, all_seats(1, 1), actions, orders, repaired)
        return orders[0, 0], int(repaired[0, 0])

    order, _ = decode()
    assert [order[name] for name in ("chop", "chop_option", "waste", "freak_order", "reset_card")] == [0, -1, 1, 0, 0]
    pile = games["deck"][0, : games["deck_left"][0]]
    order, repaired = decode(chop=4, waste=1, freak_order=5, reset_card=7)
    assert (order["chop"], order["waste"], order["freak_order"], repaired) == (4, 0, 5, 0)
    assert order["reset_card"] == max(card for card in pile if CARD_TYPE[card] == 7)
    order, repaired = decode(chop=5, waste=2, freak_order=6, reset_card=8)
    assert (order["chop"], order["waste"], order["freak_order"], order["reset_card"], repaired) == (0, 1, 0, 0, 4)


def test_only_courses_that_have_an_element_ask_for_its_decision() -> None:
    arena = Arena([Course.from_board("@1 Tf #1", "a"), Course.from_board("@1 ws #1", "b")])
    layout = action_layout("draw", arena.settings, None, course_features(arena.tables))
    games = arena.new_games(2, 1, seed=3, course_index=np.arange(2))
    masks = np.empty((2, 1, *layout.shape), np.int8)
    write_masks(games, arena.tables, layout.code, all_seats(2, 1), masks)
    legal = masks[:, 0, [layout.components.index(name) for name in ("freak_order", "reset_card")]].sum(axis=-1)
    assert legal.tolist() == [[6, 1], [1, 8]]


def test_a_core_offers_decisions_of_elements() -> None:
    core = Core(Course.from_board("@1 . Tf\n@2 . #1", "freaks"), num_robots=2, action="cards")
    assert core.layout.components[-1] == "freak_order"
    core.reset(1)
    for _ in range(core.stages):
        core.step(np.zeros(2, int))
    assert core.cycles.tolist() == [1]


# Previews


def preview(
    board: str, cards: list[int], start: tuple[int, int] = (0, 0), facing: int = E, **settings: Any
) -> tuple[Arena, np.ndarray, TurnSteps]:
    """Return a game with previews in which the first seat has chosen these cards in order."""
    arena = arena_of(board, **settings)
    games = arena.new_games(1, 2, seed=1)
    robot = games["robots"][0, 0]
    robot["square"] = start[1] * int(arena.tables["course"]["width"][0]) + start[0]
    robot["facing"] = facing
    robot["virtual"] = 0
    robot["hand"] = 0
    robot["hand"][: len(cards)] = cards
    return arena, games, choose_all(arena, games, len(cards))


def choose_all(arena: Arena, games: np.ndarray, cards: int) -> TurnSteps:
    layout = action_layout("draw", arena.settings, [])
    steps = TurnSteps(arena, layout, preview=True)
    steps.begin(games, np.zeros((1, 1), np.int8))
    for _ in range(cards):
        steps.choose(np.zeros(1, int))
    return steps


def test_drawn_cards_do_not_show() -> None:
    """Randomizers and freak teleporters do nothing in a preview, whatever the pile holds."""
    for board in ("@1+? . . .\n#1 . . .", "@1+Tf . . .\n#1 . . ."):
        found = set()
        for top in (U_TURN, LEFT, MOVE_2):
            arena = arena_of(board)
            games = arena.new_games(1, 2, seed=1)
            robot = games["robots"][0, 0]
            robot["square"], robot["facing"], robot["virtual"] = 0, E, 0
            robot["hand"][:5] = MOVE_1, 43, 44, 45, 46
            games["deck"] = top
            games["key"] = top
            steps = choose_all(arena, games, 1)
            shown = steps.games[0]["robots"][0]
            found.add((int(shown["square"]), int(shown["facing"]), int(shown["registers"][0])))
        assert found == {(1, E, MOVE_1)}


def test_cards_of_turret_guns_do_not_show() -> None:
    board = "@1 . . t<\n#1 . . ."
    seen = []
    for cards in (MOVE_1, LEFT):
        arena = arena_of(board)
        games = arena.new_games(1, 2, seed=1)
        robot = games["robots"][0, 0]
        robot["square"], robot["facing"], robot["virtual"] = 0, E, 0
        robot["hand"][:5] = MOVE_1, 43, 44, 45, 46
        games["turret_cards"] = cards
        steps = choose_all(arena, games, 1)
        seen.append(FlatObserver(arena, 2, 9).observe(steps.games, steps.seats))
        assert steps.games[0]["robots"][0]["damage"] == 0
    assert np.array_equal(*seen)


def test_option_cards_and_decisions_of_an_earlier_turn_do_not_show() -> None:
    _, games, steps = preview("@1+wc ZZ ws .\n#1 . . .", [MOVE_1, 50, 51], option_cards="on")
    assert games["robots"]["options"][0, 0] == steps.games[0]["robots"]["options"][0] == 0
    assert steps.games[0]["robots"]["square"][0] == 3


def test_the_board_stays_as_previewed_phases_have_left_it() -> None:
    # Onto crumbly ground, which gives way under a turn; then the robot is gone.
    arena, _, steps = preview("@1 Y . .\n#1 . . .", [MOVE_1, RIGHT], crumble_leaves_pit="on")
    shown = steps.games[:1]
    assert not shown["robots"]["alive"][0, 0]
    names = flat_feature_names(2, 5, ("crumbly",))
    row = FlatObserver(arena, 2, 5).observe(shown, steps.seats)[0, 0]
    assert row[names.index("crumbly@+1,+0")] == 0
    assert row[names.index("pit@+1,+0")] == 31
    # A barrier is broken in phase 1; the gear it flips turns the robot the other way in phase 2.
    turns = []
    for gate in ("/wey", ""):
        _, _, steps = preview(f"@1 .{gate} Lf .\n#1 . . .", [MOVE_1, MOVE_1 + 1], flip_state=0)
        turns.append(int(steps.games[0]["robots"]["facing"][0]))
    assert turns == [2, 0]


def test_elevators_are_shown_as_they_stand_after_the_previewed_phases() -> None:
    arena, games, steps = preview("@1 . h2 .\n#1 . . .\nlevels:\n0001\n0000", [U_TURN, U_TURN + 1, U_TURN + 2])
    names = flat_feature_names(2, 9, FlatObserver(arena, 2, 9).elements)
    at = names.index("elevator_up@-2,+0")  # after three U-turns the robot faces the other way
    row = FlatObserver(arena, 2, 9).observe(steps.games, steps.seats)[0, 0]
    assert row[at] == 0  # after phase 3
    steps = choose_all(arena, games, 2)
    row = FlatObserver(arena, 2, 9).observe(steps.games, steps.seats)[0, 0]
    assert row[names.index("elevator_up@+2,+0")] == 1  # after phase 2


def test_sleepers_keep_their_program() -> None:
    arena = arena_of("@1 . . .\n#1 . z .")
    games = arena.new_games(1, 2, seed=1)
    robot = games["robots"][0, 0]
    robot["square"], robot["facing"], robot["virtual"] = 0, E, 0
    robot["hand"] = 0
    robot["registers"] = 0, 0, 0, MOVE_1, MOVE_2
    robot["asleep"] = 3
    steps = choose_all(arena, games, 3)
    assert steps.games[0]["robots"]["square"][0] == 0
    steps = choose_all(arena, games, 5)
    shown = steps.games[0]["robots"][0]
    assert shown["registers"].tolist() == [0, 0, 0, MOVE_1, MOVE_2]
    assert shown["square"] == 3
