"""Kinds of games and special rules of courses (R-G2, R-G3): whole games, teams, boards that turn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from combinations import quick

from rr_gym.compilation.kernels import COMPILED
from rr_gym.courses import Course, load_course
from rr_gym.encoding.orders.orders import OrderError
from rr_gym.errors import CourseError
from rr_gym.game import Game
from rr_gym.invariants import find_violations
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.damage.damage import destroy
from rr_gym.rules.state.constants import NUM_OPTIONS
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.rules.turn.turn import play_phase
from rr_gym.rules.variants.teams import num_teams

# Flags are close together, and robots can only fall into one pit, so that games end soon.
YARD = Course.from_board("""
grid:
@1/nw  #1/n   ./n   #2/n  @2/ne
@3/w   w1     >     v     @4/e
#3/w   .      X     w2    #4/e
@5/w   ^      <     .     @6/e
@7/sw  ./s    ./s   ./s   @8/se
""", "yard")
CAMPS = Course.from_yaml("""
id: camps
boards:
- {board: camp, rotation: 0, at: [0, 0]}
- {board: camp, rotation: 2, at: [6, 0]}
flags: [[4, 0], [7, 3]]
rules: [{rule: capture_the_flag}]
board_texts:
  camp: |
    grid:
    ./nw ./n ./n ./n ./n ./n
    ./w  .   .   .   .   .
    ./w  .   .   w1  .   .
    ./sw ./s ./s ./s ./s ./s
""")


def play_on(arena: Arena, games: np.ndarray, turns: int, seed: int = 1) -> Iterator[np.ndarray]:
    """Play random legal programs until all games are over; yield the games after every turn."""
    generator = np.random.default_rng(seed)
    words = generator.integers(2**63, size=len(games), dtype=np.uint64)
    for _ in range(turns):
        orders = no_orders(len(games), 8, full=True)
        arena.random_orders(games, orders, words)
        orders["keep"] = generator.integers(0, 4, orders.shape)
        orders["lose"] = generator.integers(-1, NUM_OPTIONS, orders.shape)
        orders["site"] = generator.integers(0, 3, orders.shape)
        orders["arm"] = generator.integers(0, 2, orders.shape)
        arena.play(games, orders)
        yield games
        if games["over"].all():
            return


def winners(games: np.ndarray, game: int) -> list[int]:
    """Return the seats that have won."""
    return [robot for robot in range(8) if games["winners"][game] >> robot & 1]


def members(games: np.ndarray, game: int, team: int) -> list[int]:
    """Return the seats of a team."""
    return [i for i in range(games["num_robots"][game]) if games["robots"]["team"][game, i] == team]


KINDS: dict[str, dict[str, Any]] = {
    "race": {"start_options": 2},
    "survival": {"game": "survival", "lives": 2},
    "tag_teams": {"game": "tag_teams"},
    "joint hands": {"game": "tag_teams", "team_cards": "shared"},
    "two against two, one life": {"game": "tag_teams", "teams": 2, "lives": 1},
    "runner": {"game": "runner", "option_package": "standard"},
    "flag_toggle": {"game": "flag_toggle", "sit_out": 1},
    "head_to_head": {"game": "head_to_head"},
    "moving_flags": {"moving_flags": 1, "scavenger": 2},
    "superbot": {"superbot": 1},
    "racer_and_blocker": {"racer_and_blocker": 1},
    "rotate_board_on_flag": {"rotate_board_on_flag": 1, "moving_flags": 1},
    "team_elimination": {"game": "survival", "teams": 2, "bio_bots": 1},
    "everything": {"game": "runner", "superbot": 1, "moving_flags": 1, "rotate_board_on_flag": 1, "sit_out": 2,
                   "option_package": "deluxe", "turbo_wrenches": 1, "max_options": 2},
}  # fmt: skip


@pytest.mark.parametrize("kind", quick(KINDS, "survival", "flag_toggle", "everything"))
def test_games_of_every_kind_come_to_an_end(kind: str) -> None:
    arena = Arena(YARD, KINDS[kind])
    games = arena.new_games(40 if COMPILED else 1, 4, seed=3)
    for now in play_on(arena, games, 400 if COMPILED else 25):
        assert find_violations(now, arena) == []
    assert not COMPILED or games["over"].mean() > 0.9
    for g in np.flatnonzero(games["over"]):
        won = winners(games, g)
        left = [i for i in range(4) if not games["robots"]["out"][g, i]]
        teams = {int(games["robots"]["team"][g, i]) for i in won}
        assert len(teams) <= 1 or teams == {0}
        for team in teams - {0}:
            assert won == members(games, g, team)
        assert won or not left
        assert set(arena.placements(games)[g, won]) <= {1}


@pytest.mark.parametrize("players", [2, 3, 4, 6, 8])
def test_robots_are_dealt_to_teams(players: int) -> None:
    def teams(**settings: Any) -> list[int]:
        games = Arena(YARD, settings).new_games(1, players)
        return [int(team) for team in games["robots"]["team"][0, :players]]

    pairs = max(players // 2, 2)
    assert teams() == teams(game="survival") == [0] * players
    assert teams(game="runner") == teams(game="flag_toggle") == [i % 2 + 1 for i in range(players)]
    assert teams(game="tag_teams") == [i % pairs + 1 for i in range(players)]
    assert teams(game="tag_teams", teams=3) == [i % 3 + 1 for i in range(players)]
    assert teams(game="survival", teams=2) == [i % 2 + 1 for i in range(players)]
    assert teams(racer_and_blocker=1) == [i // 2 + 1 for i in range(players)]
    games = Arena(YARD, {"game": "runner"}).new_games(1, players)
    assert num_teams(games[0], Arena(YARD, {"game": "runner"}).tables[0]) == 2


def test_only_the_superbot_touches_flags_and_it_is_whole_again_every_turn() -> None:
    arena = Arena(YARD, {"superbot": 1, "lives": "unlimited"})
    games = arena.new_games(4 if COMPILED else 1, 4, seed=1)
    before = games["robots"]["flag"].copy()
    for now in play_on(arena, games, 60 if COMPILED else 25):
        for g in range(len(now)):
            gained = np.flatnonzero(now["robots"]["flag"][g] > before[g])
            assert len(gained) <= 2  # the old one and its heir
            if not now["over"][g]:
                robot = now["robots"][g, now["superbot"][g]]
                assert robot["damage"] in (0, 2)  # two points after a re-entry
        before = now["robots"]["flag"].copy()


def test_the_next_robot_is_the_superbot_when_nobody_has_put_it_out() -> None:
    arena = Arena(YARD, {"superbot": 1, "lives": 1})
    games = arena.new_games(1, 3)
    destroy(games[0], arena.tables[0], new_log(on=False)[0], 0, 0)
    assert games["superbot"][0] == 1


def test_a_destroyed_robot_sits_out_as_many_turns_as_the_setting_says() -> None:
    for sit_out in range(3):
        arena = Arena(YARD, {"sit_out": sit_out, "robot_lasers": "off"})
        games = arena.new_games(1, 2)
        games["phase"] = 1
        destroy(games[0], arena.tables[0], new_log(on=False)[0], 1, 0)
        games["phase"] = 0
        absent = 0
        for _ in range(4):
            idle = no_orders(1, 8, full=True)
            idle["stay_down"] = absent < sit_out  # orders of an absent robot have no effect
            games["robots"]["hand"] = 0
            games["deck_left"] = 0
            arena.play(games, idle)
            if games["robots"]["alive"][0, 1]:
                break
            absent += 1
        assert absent == sit_out
        assert games["robots"]["down"][0, 1] == 0
        assert games["robots"]["damage"][0, 1] == 2


def test_teams_start_on_the_far_rows_of_their_boards() -> None:
    course = load_course("capture_the_flag")
    for number, (x, y) in course.starts.items():
        assert x < 6 if number % 2 else x >= 18
        assert 0 <= y < 12
    assert len(set(course.starts.values())) == 8
    games = Arena(course).new_games(1, 8)
    squares = games["robots"]["square"][0, :8]
    assert (squares[0::2] % 24 < 6).all()
    assert (squares[1::2] % 24 >= 18).all()
    assert not games["robots"]["virtual"].any()
    assert games["robots"]["facing"][0, :8].tolist() == [1, 3] * 4  # towards the flag of the other team
    with pytest.raises(CourseError, match=r"flags: .*: expected two flags on two boards"):
        Course.from_yaml(CAMPS.to_yaml().replace("[7, 3]", "[5, 3]").replace("- 7\n", "- 5\n"))


def stand(games: np.ndarray, robot: int, x: int, y: int, width: int) -> None:
    games["robots"]["square"][0, robot] = y * width + x


def end_phase(arena: Arena, games: np.ndarray) -> None:
    """Play a phase in which no robot has a card."""
    games["robots"]["registers"] = 0
    games["phase"] = 1
    play_phase(games[0], arena.tables[0], new_log(on=False)[0])


def test_a_flag_is_carried_dropped_and_brought_home() -> None:
    arena = Arena(CAMPS, {"robot_lasers": "off"})
    games = arena.new_games(1, 4)
    log = new_log(on=False)[0]

    def flag(number: int) -> tuple[int, int]:
        y, x = divmod(int(games["flag_squares"][0, number - 1]), 12)
        return x, y

    stand(games, 0, 7, 3, 12)  # team 1 on the flag of team 2
    stand(games, 1, 8, 0, 12)
    end_phase(arena, games)
    assert games["robots"]["carries"][0, :4].tolist() == [2, 0, 0, 0]
    stand(games, 0, 6, 2, 12)
    end_phase(arena, games)
    assert flag(2) == (6, 2)
    destroy(games[0], arena.tables[0], log, 0, 0)
    assert flag(2) == (6, 2)
    assert games["robots"]["carries"][0, 0] == 0
    stand(games, 1, 6, 2, 12)  # its own team leaves it there
    end_phase(arena, games)
    assert games["robots"]["carries"][0, 1] == 0
    stand(games, 1, 9, 1, 12)
    stand(games, 2, 6, 2, 12)
    end_phase(arena, games)
    assert games["robots"]["carries"][0, 2] == 2
    stand(games, 2, 5, 2, 12)  # the board of team 1
    end_phase(arena, games)
    assert games["over"][0]
    assert winners(games, 0) == [0, 2]


def test_a_flag_that_is_lost_over_the_edge_is_back_on_its_first_square() -> None:
    arena = Arena(CAMPS, {"robot_lasers": "off"})
    games = arena.new_games(1, 4)
    stand(games, 0, 7, 3, 12)
    end_phase(arena, games)
    games["robots"]["square"][0, 0] = -1
    destroy(games[0], arena.tables[0], new_log(on=False)[0], 0, 0)
    assert games["flag_squares"][0, 1] == 3 * 12 + 7


def test_random_games_of_capture_the_flag() -> None:
    arena = Arena(CAMPS, {"lives": "unlimited"})
    games = arena.new_games(20 if COMPILED else 1, 4, seed=2)
    for now in play_on(arena, games, 300 if COMPILED else 30):
        assert find_violations(now, arena) == []
        carried = now["robots"]["carries"][:, :4]
        for flag in (1, 2):
            assert ((carried == flag).sum(axis=1) <= 1).all()
            assert (now["robots"]["team"][:, :4][carried == flag] == 3 - flag).all()
    if COMPILED:
        assert games["over"].any()


def test_team_mates_program_from_joint_hands() -> None:
    game = Game(YARD, 4, seed=4, settings={"game": "tag_teams", "team_cards": "shared", "robot_lasers": "off"})
    hands = [list(hand) for hand in game.hands]
    mates_best = hands[2][:3]
    program = [*mates_best, hands[0][0], hands[0][1]]
    own = [*hands[2][3:6], *hands[0][5:7]]
    game.play({0: program, 2: own})
    played = {
        seat: [e for e in game.events if e.kind == "programmed" and e.robot == seat] for seat in range(4)
    }
    assert [f"@{10 * e.target}" in card for e, card in zip(played[0], program, strict=True)] == [True] * 5
    assert [f"@{10 * e.target}" in card for e, card in zip(played[2], own, strict=True)] == [True] * 5
    for settings, other in (({"team_cards": "shared"}, 1), ({}, 2)):
        game = Game(YARD, 4, seed=4, settings={"game": "tag_teams", **settings})
        with pytest.raises(OrderError, match=r"seat 0: program, register 1.*expected a card in the hand"):
            game.play({0: [hands[other][0], None, None, None, None]})


def test_a_card_that_mates_both_name_goes_to_the_first() -> None:
    game = Game(YARD, 4, seed=4, settings={"game": "tag_teams", "team_cards": "shared", "robot_lasers": "off"})
    card = game.hands[2][0]
    game.play({seat: [card, None, None, None, None] for seat in (2, 0)})
    first = [e for e in game.events if e.kind == "programmed" and f"@{10 * e.target}" in card]
    assert [(e.robot, e.value) for e in first] == [(0, 1)]


def turned_course(course: Course, board: int) -> Course:
    """Return the course with one of its boards rotated by a further quarter."""
    placements = list(course.placements)
    placements[board] = replace(placements[board], rotation=(placements[board].rotation + 1) % 4)
    return replace(course, placements=tuple(placements))


@pytest.mark.parametrize("name", ["frenetic_factory", "yard"])
def test_a_turned_board_is_as_if_it_had_been_laid_so(name: str) -> None:
    course = YARD if name == "yard" else load_course(name)
    table = Arena(course, {"rotate_board_on_flag": 1}).tables[0]
    num_squares, (width, height) = int(table["course"]["num_squares"]), course.size
    assert table["extras"]["num_turning"] == len([p for p in course.placements if not p.is_dock])
    for board in range(int(table["extras"]["num_turning"])):
        other = Arena(turned_course(course, board), full=True).tables[0]
        rows = np.arange(width * height)
        inside = table["room_of"][:num_squares] == board
        rows[inside] = table["ground"]["room_rows"][:num_squares][inside, 1]
        names = set(other["squares"].dtype.names or ()) - {"flag", "start", "lit", "reach", "wall", "cover"}
        for field in names:
            assert (table["squares"][field][rows] == other["squares"][field][:num_squares]).all(), field
        for field in ("wall", "cover"):  # edges between boards are stored on both sides
            same = table["squares"][field][rows] == other["squares"][field][:num_squares]
            assert same[inside].all(), field
        for field in ("surface", "overlays", "directions", "kinds", "out_wall", "in_wall", "flamer"):
            assert (table["ground"][field][rows] == other["ground"][field][:num_squares]).all(), field


def test_coins_turn_only_boards_whose_flags_were_touched() -> None:
    arena = Arena("frenetic_factory", {"robot_lasers": "off"})
    games = arena.new_games(40, 5, seed=1)
    width = 24
    for g in range(40):
        games["robots"]["square"][g, 0] = 6 * width + 4  # flag 1, on the first board
        games["robots"]["registers"][g] = 0
        games["phase"][g] = 1
        play_phase(games[g], arena.tables[0], new_log(on=False)[0])
    turned = games["rooms"][:, 0]
    assert set(turned.tolist()) == {0, 1}
    assert not games["rooms"][:, 1:].any()
    assert (games["flag_squares"][:, 0] == 6 * width + 4).all()
    assert not games["boards_touched"].any()


def test_boards_that_are_not_square_do_not_turn() -> None:
    table = Arena(Course.from_board("@1 #1 ."), {"rotate_board_on_flag": 1}).tables[0]
    assert table["extras"]["num_turning"] == 0
