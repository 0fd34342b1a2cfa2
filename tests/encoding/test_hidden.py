"""Hidden state is redealt by `determinize`, and no observation, mask or view of a seat depends on it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import rr_gym
from rr_gym.encoding.act.actions import ACTION_MODES, action_layout, write_masks
from rr_gym.encoding.observe.observations import OBSERVATIONS, make_observer
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.game import Game, determinize
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import SeatError
from rr_gym.rules.state.constants import DECK_SIZE
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.rules.turn.turn import play_phase, program

COURSE = "risky_exchange"


def positions(
    num_games: int = 24, num_robots: int = 4, turns: int = 8, course: object = COURSE, **settings: object
) -> Iterator[tuple[Arena, np.ndarray]]:
    """Yield batches of random play, which contain powered-down and eliminated robots."""
    arena = Arena(course, settings)
    games = arena.new_games(num_games, num_robots, seed=17)
    generator = np.random.default_rng(5)
    words = generator.integers(2**63, size=num_games, dtype=np.uint64)
    for _ in range(turns):
        orders = no_orders(num_games, 8, full=True)
        arena.random_orders(games, orders, words)
        orders["power_down"] = generator.random(orders.shape) < 0.15
        arena.play(games, orders)
        yield arena, games


def programmed(arena: Arena, games: np.ndarray, phase: int) -> np.ndarray:
    """Return the same games with cards in all registers, after `phase` phases of the turn."""
    inside, orders, log = games.copy(), no_orders(1, 8, full=True), new_log(on=False)
    for game in inside:
        if not game["over"]:
            program(game, arena.tables[0], orders[0], log[0])
            game["phase"] = phase
    return inside


def all_cards(game: np.void) -> list[int]:
    robots = game["robots"]
    piles = game["deck"][: game["deck_left"]], game["discards"][: game["discards_left"]], game["turret_cards"]
    cards = np.concatenate([np.ravel(p) for p in (robots["hand"], robots["registers"], *piles)])
    return sorted(cards[cards > 0].tolist())


def without_hidden(games: np.ndarray, seat: int) -> np.ndarray:
    """Return the same games without everything that the seat cannot see."""
    blank = games.copy()
    blank["deck"] = blank["discards"] = blank["turret_cards"] = 0
    blank["option_deck"] = 0
    for name in ("seed", "index", "episode", "key", "draws", "deck_known"):
        blank[name] = 0
    others = [i for i in range(8) if i != seat]
    blank["robots"]["hand"][:, others] = (blank["robots"]["hand"][:, others] > 0) * 1
    return blank


def test_only_hidden_things_change() -> None:
    for _, games in positions():
        for seat in range(4):
            dealt = determinize(games, seat, 99)
            assert np.array_equal(without_hidden(dealt, seat), without_hidden(games, seat))
            for game in dealt:
                assert all_cards(game) == list(range(1, DECK_SIZE + 1))
                hands = game["robots"]["hand"].astype(int)
                assert (np.diff(hands, axis=1) <= 0).all()


EVERYTHING = {"num_games": 3, "turns": 3, "course": "everything", "option_cards": "on", "flip_state": 0}


@pytest.mark.parametrize("chosen", [{"turns": 4}, EVERYTHING])
def test_nothing_of_the_real_game_stays_behind(chosen: dict[str, object]) -> None:
    """Two games that differ only in what the seat cannot see become equal."""
    for _, games in positions(**chosen):  # type: ignore[arg-type]
        for seat in range(4):
            other = determinize(games, seat, 1)
            other["key"] ^= np.uint64(12345)
            other["draws"] += 7
            assert np.array_equal(determinize(other, seat, 2), determinize(games, seat, 2))


def test_the_generator_comes_from_the_callers_seed() -> None:
    _, games = next(positions(num_games=3))
    dealt = determinize(games, 0, 2**64 + 5)
    assert dealt["seed"].tolist() == [5, 5, 5]
    assert len(set(dealt["key"].tolist())) == 3
    assert not dealt["draws"].any()
    again = determinize(games, 0, np.array([5, 6, 5]))
    assert again[0] == dealt[0]
    assert again[1] != dealt[1]


def test_every_unseen_card_is_as_likely_in_another_hand() -> None:
    arena = Arena(COURSE)
    game = arena.new_games(1, 2, seed=3)
    hand = set(game["robots"]["hand"][0, 0].tolist()) - {0}
    count = 4000
    dealt = determinize(np.repeat(game, count), 0, 8)
    drawn = np.bincount(dealt["robots"]["hand"][:, 1].ravel(), minlength=85)[1:]
    unseen = np.array([card not in hand for card in range(1, DECK_SIZE + 1)])
    assert not drawn[~unseen].any()
    expected = 9 * count / 75
    # A chi-square value of 74 degrees of freedom lies below 130 with a probability of 0.9999.
    assert ((drawn[unseen] - expected) ** 2 / expected).sum() < 130


def test_face_down_registers_are_hidden_during_a_turn() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(1, 3, seed=6)
    log, orders = new_log(on=False), no_orders(1, 8, full=True)
    program(games[0], arena.tables[0], orders[0], log[0])
    games["phase"] = 1
    play_phase(games[0], arena.tables[0], log[0])
    games["phase"] = 2
    games["robots"]["locked"][0, 1] = 0b10000
    before = games["robots"]["registers"][0, :3].copy()
    seen = np.array([determinize(games, 0, seed)[0]["robots"]["registers"][:3] for seed in range(30)])
    changed = (seen != before).any(axis=0)
    assert changed.tolist() == [[False] * 5, [False, False, True, True, False], [False, False, True, True, True]]
    for seed in range(30):
        assert all_cards(determinize(games, 0, seed)[0]) == list(range(1, DECK_SIZE + 1))


@pytest.mark.parametrize("observation", OBSERVATIONS)
@pytest.mark.parametrize("settings", [{}, {"preset": "amigo"}, {"preset": "ah2005", "pd_lock_card": "keep"}])
def test_observations_do_not_depend_on_hidden_things(observation: str, settings: dict[str, object]) -> None:
    for arena, games in positions(**settings):
        observer = make_observer(observation, arena, 4, 5)
        for phase in (0, 3):
            shown = programmed(arena, games, phase) if phase else games
            seen = observer.observe(shown)
            for seat in range(4):
                again = observer.observe(determinize(shown, seat, 31))
                for name in seen if isinstance(seen, dict) else [...]:
                    assert np.array_equal(again[name][:, seat], seen[name][:, seat])


def test_observations_do_not_depend_on_hidden_things_on_courses_with_all_elements() -> None:
    for arena, games in positions(**EVERYTHING):  # type: ignore[arg-type]
        observers = [make_observer(name, arena, 4, 5) for name in ("flat", "planes", "entities")]
        for seat in range(4):
            for phase in (0, 3):
                shown = programmed(arena, games, phase) if phase else games
                dealt = determinize(shown, seat, 31)
                assert [all_cards(game) for game in dealt] == [all_cards(game) for game in shown]
                assert np.array_equal(np.sort(dealt["option_deck"]), np.sort(shown["option_deck"]))
                for observer in observers:
                    pair = [observer.observe(some, np.full((3, 1), seat, np.int8)) for some in (shown, dealt)]
                    for name in pair[0] if isinstance(pair[0], dict) else [...]:
                        assert np.array_equal(pair[0][name], pair[1][name])
        assert (determinize(games, 0, 31)["option_deck"] != games["option_deck"]).any()
        assert (determinize(games, 0, 31)["turret_cards"] != games["turret_cards"]).any()


def test_executed_registers_of_sleepers_and_energized_robots_are_face_up() -> None:
    games = Arena("everything").new_games(1, 3, seed=6)
    games["deck_left"] = 60
    robots = games["robots"][0]
    robots["hand"] = 0
    robots["registers"][1] = 1, 2, 3, 4, 5
    robots["registers"][2] = 6, 7, 8, 9, 10
    games["deck"][0, :60] = np.arange(11, 71)
    games["phase"] = 3
    robots["asleep"][1] = 4  # asleep since phase 2: registers 1 and 2 have been executed
    robots["energized"][2] = 2  # executes two more registers in phase 3
    seen = np.array([determinize(games, 0, seed)[0]["robots"]["registers"][1:3] for seed in range(30)])
    changed = (seen != robots["registers"][1:3]).any(axis=0)
    assert changed.tolist() == [[False, False, True, True, True], [False, False, False, False, True]]


@pytest.mark.parametrize("mode", ACTION_MODES)
def test_masks_do_not_depend_on_hidden_things(mode: str) -> None:
    for arena, games in positions(first_card_moves="on"):
        layout = action_layout(mode, arena.settings)
        masks = np.empty((2, len(games), 4, *layout.shape), np.int8)
        seats = all_seats(len(games), 4)
        write_masks(games, arena.tables, layout.code, seats, masks[0])
        for seat in range(4):
            write_masks(determinize(games, seat, 31), arena.tables, layout.code, seats, masks[1])
            assert np.array_equal(masks[0][:, seat], masks[1][:, seat])


def test_views_do_not_depend_on_hidden_things() -> None:
    game = Game(COURSE, 4, seed=9)
    for _ in range(5):
        game.play()
        for seat in range(4):
            assert rr_gym.determinize(game, seat, 4).view(seat) == game.view(seat)


def test_a_game_is_copied() -> None:
    game = Game(COURSE, 4, seed=9)
    before = game.games.copy()
    dealt = determinize(game, 2, 1)
    assert np.array_equal(game.games, before)
    assert dealt.hands[2] == game.hands[2]
    assert dealt.hands[0] != game.hands[0]
    dealt.play()
    assert dealt.turn == 1


@pytest.mark.parametrize(
    ("seat", "seed", "message"),
    [
        (4, 0, "4: expected 0 to 3"),
        (-1, 0, "seat: -1"),
        (1.5, 0, "seat"),
        (0, "x", "seed"),
        (0, [1, 2, 3], "shape"),
        (None, 0, "seat: None"),
        (0, None, "seed: None"),
        (2**70, 0, "seat: 1180591620717411303424"),
        (0, [1, 2.5], "seed"),
    ],
)
def test_wrong_seats_and_seeds_are_refused(seat: object, seed: object, message: str) -> None:
    games = Arena(COURSE).new_games(2, 4)
    with pytest.raises(SeatError, match=message):
        determinize(games, seat, seed)  # type: ignore[call-overload]


@pytest.mark.parametrize("place", ["deck", "discards"])
def test_cards_that_do_not_exist_are_refused(place: str) -> None:
    games = Arena(COURSE).new_games(8, 4)
    games["discards_left"] = 20
    games[place][3, 1] = 127
    with pytest.raises(SeatError, match=rf"games: game 3: {place}\[1\]: 127: expected a whole number from 0 to 84"):
        determinize(games, 0, 1)


def test_an_impossible_number_of_robots_is_refused() -> None:
    games = Arena(COURSE).new_games(2, 4)
    games["num_robots"][1] = 50
    with pytest.raises(SeatError, match="games: game 1: num_robots: 50: expected a whole number from 1 to 8"):
        determinize(games, 0, 0)
