"""Likely orders and trials of turns: the fast kernels give the same results as simple loops."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from rr_gym.courses.tables.ground import ENERGIZER
from rr_gym.players.likely_orders import plan_others, write_program
from rr_gym.players.pair_network import no_network
from rr_gym.players.playouts import play_one_turn, redeal, try_orders
from rr_gym.players.race_values import value_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.chance import GOLDEN
from rr_gym.rules.state.constants import DECK_SIZE, MOVE_1, ROTATE_LEFT
from rr_gym.rules.state.records import clone, new_log, no_orders
from rr_gym.solo.distances import DAMAGE_BITS
from rr_gym.solo.turn_tables import DAMAGED, LIFE, ExpectedTurns, expected_turns

Array = np.ndarray[Any, Any]

LOG = new_log(on=False)[0]
WORD = np.uint64(77)


def positions(arena: Arena, robots: int, turns: int, options: int = 0) -> Any:
    """Yield a game of random programs before each of its turns."""
    games = arena.new_games(1, robots, seed=robots)
    for turn in range(turns):
        if options:
            arena.equip(games, options)
        yield games[0]
        orders = no_orders(1, 8, full=True)
        arena.random_orders(games, orders, np.array([turn], np.uint64))
        arena.play(games, orders, restart=True)


def value_alone(known: ExpectedTurns, robot: Any, facing: int, kinds: list[int]) -> tuple[int, int]:
    """Return the value of a program without noise, and how many of its cards are played."""
    state, goal, damage = int(robot["square"]) * 4 + facing, int(robot["flag"]), int(robot["damage"])
    back = 4 * int(robot["archive"])
    lost = int(known.turns[2, goal, back : back + 4].min()) + LIFE + int(DAMAGED[2])
    for r, kind in enumerate(kinds):
        step = int(known.steps[state, r, kind])
        damage += step & 15
        if step < 0 or damage > 9:
            return 256 + lost, r + 1
        state = step >> DAMAGE_BITS
        if state >> 2 == known.flags[goal]:
            goal += 1
            if goal == len(known.flags):
                return 256 * (r + 1) // 5, r + 1
            lost = int(known.turns[2, goal, -1]) + int(DAMAGED[2])
    damage = int(known.repaired[state >> 2, damage])
    return 256 + int(known.turns[damage, goal, state]) + int(DAMAGED[damage]), 5


def mixed(word: int) -> int:
    """Return `mix` of a word, computed with Python's integers."""
    word %= 1 << 64
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9 % (1 << 64)
    word = (word ^ (word >> 27)) * 0x94D049BB133111EB % (1 << 64)
    return word ^ (word >> 31)


def likely_program(game: Any, arena: Arena, seat: int, word: int) -> Any:
    """Return the orders that `plan_alone` should give, by trying all programs one by one."""
    known, robot = expected_turns(arena), game["robots"][seat]
    hand = sorted(int(CARD_TYPE[card]) for card in robot["hand"] if card)
    fixed = [int(CARD_TYPE[robot["registers"][r]]) if robot["locked"] >> r & 1 else -1 for r in range(5)]
    best: tuple[int, list[int], int] | None = None
    for facing in range(4) if robot["may_face"] else [int(robot["facing"])]:
        for drawn in sorted(set(permutations(hand, fixed.count(-1)))):
            cards = iter(drawn)
            kinds = [next(cards) if kind < 0 else kind for kind in fixed]
            value, played = value_alone(known, robot, facing, kinds)
            number = 0
            for kind in kinds[:played]:
                number = number * 8 + kind
            value += mixed(word + int(GOLDEN) * (number * 4 + facing)) >> 32 & 63
            if best is None or value < best[0]:
                best = value, kinds[:played] + [0] * (5 - played), facing
    assert best
    order = no_orders(1, full=True)
    order["facing"] = best[2]
    write_program(robot, np.array(best[1]), order[0])
    return order[0]


def test_others_order_what_is_best_alone_up_to_the_noise() -> None:
    """This holds with damage, locked registers and a choice of facings; a second call gives the same orders."""
    arena = Arena("risky_exchange")
    known = expected_turns(arena)
    for turn, game in enumerate(positions(arena, 2, 4)):
        game = clone(np.array([game]))
        robot = game["robots"][0, 1]
        if robot["down"] or not robot["alive"]:
            continue
        if turn == 2:
            robot["damage"], robot["locked"], robot["registers"][4], robot["hand"][4:] = 5, 16, 84, 0
            robot["hand"][4] = robot["hand"][0] - 1
        for _ in range(2):
            orders = no_orders(1, 8, full=True)
            plan_others(game, arena.tables[0], known, 0, WORD, 3, orders)
            word = mixed(mixed(int(WORD) + 3 * int(GOLDEN)) + 2)
            assert orders[0, 1] == likely_program(game[0], arena, 1, word)


def scores_of_turns(arena: Arena, deals: Array, others: Array, candidates: Array, left: Array) -> Array:
    """Return the scores that `try_orders` should give candidates of seat 1, by playing turns one by one."""
    known, scores = expected_turns(arena), np.zeros(len(candidates), np.int64)
    try_orders(deals, others, arena.tables[0], known, no_network(), 0, LOG, 1, candidates, left, scores)
    for k in left.tolist():
        total = 0
        for d in range(len(deals)):
            copy, orders = clone(deals[d : d + 1])[0], others[d].copy()
            orders[1] = candidates[k]
            lost = play_one_turn(copy, arena.tables[0], orders, LOG)
            total += int(value_of(copy, arena.tables[0], known, 0, 1, lost))
        assert scores[k] == total
    return scores


@pytest.mark.parametrize(
    ("course", "settings", "options"),
    [
        ("risky_exchange", {}, 0), ("risky_exchange", {"first_card_moves": "on", "lives": 1}, 0),
        ("everything", {}, 0), ("everything", {"option_cards": "on"}, 5), ("death_trap", {"option_cards": "on"}, 8),
    ],
)  # fmt: skip
def test_tried_orders_are_worth_what_their_turns_are(course: str, settings: Any, options: int) -> None:
    """Turns whose programs begin alike share phases, which must not change their values."""
    arena = Arena(course, settings)
    known, shared = expected_turns(arena), 0
    for game in positions(arena, 3, 5, options):
        robot = game["robots"][1]
        cards = [card for card in robot["hand"].tolist() if card]
        if not robot["alive"] or robot["down"] or len(cards) < 5:
            continue
        deals, others = arena.new_games(2, 3), no_orders(2, 8, full=True)
        redeal(game, 1, WORD, 0, deals)
        plan_others(deals, arena.tables[0], known, 1, WORD, 0, others)
        candidates = no_orders(12, full=True)
        for k in range(len(candidates)):
            swapped = cards[:5]
            swapped[k % 5], swapped[-1] = swapped[-1], swapped[k % 5]
            candidates["program"][k] = swapped if k % 4 else cards[-5:]
            candidates["power_down"][k] = k == 7
            candidates["facing"][k] = k % 3
        candidates["program"] *= ~robot["locked"] >> np.arange(5) & 1
        left = np.array([3, 0, 11, 7, 8, 5, 1, 6, 4])
        scores = scores_of_turns(arena, deals, others, candidates, left)
        shared += len(left)
        assert not scores[[2, 9, 10]].any()
    assert shared > 9


def test_cards_that_an_energized_robot_hurries_to_are_not_shared() -> None:
    """A robot energized in phase 1 executes register 3 in phase 2 (R-E50), so later phases cannot be shared."""
    arena = Arena("everything")
    deals, others = arena.new_games(1, 2, seed=1), no_orders(1, 8, full=True)
    robot = deals["robots"][0, 1]
    robot["square"] = np.flatnonzero(arena.tables[0]["ground"]["overlays"] & ENERGIZER)[0]
    types = CARD_TYPE[: 1 + DECK_SIZE]
    turns, moves = np.flatnonzero(types == ROTATE_LEFT)[:4], np.flatnonzero(types == MOVE_1)[:2]
    robot["hand"][:6] = [*turns, *moves]
    candidates = no_orders(3, full=True)
    candidates["program"][0] = [*turns[:3], *moves]
    candidates["program"][1] = [*turns[:2], moves[0], turns[2], moves[1]]
    candidates["program"][2] = [*turns[:2], moves[0], turns[2], turns[3]]
    scores = scores_of_turns(arena, deals, others, candidates, np.arange(3))
    assert len(set(scores.tolist())) > 1
