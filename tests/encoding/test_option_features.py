"""Features of option cards, devices and teams in observations, which contain nothing hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from option_games import deal_options, floor, give, play_random
from small_boards import put, seen_from

from rr_gym.encoding.act.actions import action_layout, write_masks
from rr_gym.encoding.act.components import COMPONENTS
from rr_gym.encoding.act.plans import LAST_ASKED
from rr_gym.encoding.observe.elements import elements_of, extra_card_places, extra_flag_features
from rr_gym.encoding.observe.entities import entity_columns
from rr_gym.encoding.observe.features import game_features, robot_features
from rr_gym.encoding.observe.flat import flat_feature_names
from rr_gym.encoding.observe.game_groups import DEVICES, LAST_DECISION, MATES, OTHERS, OWN
from rr_gym.encoding.observe.observations import OBSERVATIONS, FlatObserver, make_observer
from rr_gym.encoding.observe.planes import plane_names
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.encoding.observe.view import view_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.hidden import determinize
from rr_gym.rules.devices.devices import lay_device
from rr_gym.rules.state.constants import BUZZ_TOKEN, DEVICE_NAMES, DRONE_TOKEN, GOO_TOKEN, LAY_MINE
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.rules.turn.turn import program

Array = np.ndarray[Any, Any]
VARIANTS: list[dict[str, Any]] = [
    {},
    {"game": "tag_teams", "team_cards": "shared", "scavenger": 1, "bio_bots": "on"},
    {"game": "head_to_head", "superbot": "on"},
    {"game": "capture_the_flag", "moving_flags": "on", "sit_out": 1},
    {"racer_and_blocker": "on", "rotate_board_on_flag": "on"},
]


def lay(arena: Arena, games: Array, kind: int, owner: int, square: int, facing: int = 0, power: int = 4) -> int:
    return int(
        lay_device(games[0], arena.tables[0], new_log(on=False)[0], kind, owner, square, 0, facing, power)
    )


# Groups


def test_groups_follow_the_settings() -> None:
    assert elements_of(floor().tables) == ("options", "devices")
    plain = {"option_cards": "off"}
    assert elements_of(floor(**plain, teams=2).tables) == ("teams",)
    assert elements_of(floor(**plain, game="tag_teams", team_cards="shared").tables) == ("teams", "team_hands")
    assert elements_of(floor(**plain, game="flag_toggle").tables) == ("teams", "flag_owners")
    assert elements_of(floor(**plain, game="capture_the_flag").tables) == (
        "teams", "flag_owners", "carried_flags", "moving_flags",
    )  # fmt: skip
    assert elements_of(floor(**plain, superbot="on", sit_out=2, moving_flags="on").tables) == (
        "superbot", "sitting_out", "moving_flags",
    )  # fmt: skip
    assert elements_of(floor(scavenger=2).tables) == ("options", "devices", "piles")


def test_a_course_of_the_base_game_shows_nothing_of_options() -> None:
    arena = Arena("risky_exchange")
    assert elements_of(arena.tables) == ()
    assert len(flat_feature_names(4)) == 45 + 29 * 4 + 18 * 81
    assert entity_columns().keys() == {"game", "robots", "cards", "flags", "planes"}


def test_the_bound_of_decision_is_the_last_decision() -> None:
    assert LAST_DECISION == LAST_ASKED == 1 + len(COMPONENTS)


# What is shown


def test_options_and_what_is_left_in_them() -> None:
    arena = floor()
    games = arena.new_games(1, 2, seed=1)
    give(games, 0, "brakes", "mine_layer")
    give(games, 1, "ablative_coat", "converter")
    games["payload"][0, OPTION_NAMES.index("mine_layer")] = 2
    seen = seen_from(arena, games)
    shown = {name: value for name, value in seen.items() if "_option_" in name and value}
    assert shown == {
        "robot_0_option_brakes": 1, "robot_0_option_mine_layer": 3,
        "robot_1_option_ablative_coat": 4, "robot_1_option_converter": 1,
    }  # fmt: skip
    assert seen["options_left"] == games["option_deck_left"][0]


def test_tokens_marks_and_stored_cards() -> None:
    arena = floor(superbot="on")
    games = arena.new_games(1, 3, seed=1)
    give(games, 1, "flywheel")
    games["robots"]["flywheel"][0, 1] = 50
    games["robots"]["goo"][0, 2] = 3
    games["bombed"], games["homing_target"], games["intercept_target"], games["superbot"] = 0b010, 2, 0, 1
    seen = seen_from(arena, games, seat=2)  # robots 2, 0, 1
    names = ("goo", "bombed", "homing_token", "interceptor_token", "stores_card", "superbot")
    assert [[seen[f"robot_{k}_{name}"] for name in names] for k in range(3)] == [
        [3, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 1, 0, 0, 1, 1],
    ]  # fmt: skip
    assert seen["flywheel_priority"] == 0
    own = seen_from(arena, games, seat=1)
    assert (own["flywheel_type"], own["flywheel_priority"]) == (5, 500)


def test_the_cards_of_a_buzz_bomb_are_seen_only_by_its_commander() -> None:
    arena = floor()
    games = arena.new_games(1, 2, seed=1)
    games["buzz_program"] = [10, 20, 30, 40, 50]
    give(games, 0, "buzz_bomb")
    assert seen_from(arena, games)["buzz_program_5_priority"] == 500
    assert seen_from(arena, games, seat=1)["buzz_program_5_priority"] == 0
    lay(arena, games, BUZZ_TOKEN, 1, 9)  # a buzz bomb of another robot is in flight
    assert seen_from(arena, games)["buzz_program_5_priority"] == 0


def test_devices_are_features_of_squares_and_rows_of_a_table() -> None:
    arena = floor(game="tag_teams")
    games = arena.new_games(1, 4, seed=1)
    for seat, square in enumerate((27, 0, 7, 63)):
        put(games, seat, square, facing=1)  # to the east
    lay(arena, games, LAY_MINE, 0, 28)
    lay(arena, games, GOO_TOKEN, 1, 26, power=0)
    slot = lay(arena, games, DRONE_TOKEN, 2, 35, facing=2, power=2)
    games["devices"]["target"][0, slot] = 29
    lay(arena, games, LAY_MINE, -1, 62)  # outside of the window
    seen = seen_from(arena, games)
    features = {name for name, _, _ in DEVICES}
    found = {name: value for name, value in seen.items() if value and name.partition("@")[0] in features}
    assert found == {
        "mine@+1,+0": 4, "device_owner@+1,+0": OWN, "goo@-1,+0": 4, "device_owner@-1,+0": OTHERS,
        "drone@+0,+1": 2, "device_owner@+0,+1": MATES, "device_right@+0,+1": 1,
    }  # fmt: skip
    rows = make_observer("entities", arena, 4).observe(games)["devices"][0, 0]
    names = [name for name, _, _ in entity_columns(("devices",))["devices"]]
    listed = [dict(zip(names, row, strict=True)) for row in rows]
    assert not rows[4:].any()
    assert [DEVICE_NAMES[row["kind"]] for row in listed[:4]] == ["mine", "goo", "drone", "mine"]
    assert [(row["forward"], row["right"]) for row in listed[:4]] == [(1, 0), (-1, 0), (0, 1), (3, 4)]
    assert [row["owner"] for row in listed[:4]] == [OWN, OTHERS, MATES, 0]
    assert [row["spares_own"] for row in listed[:4]] == [1, 0, 0, 0]
    drone = listed[2]
    found = {name: drone[name] for name in ("facing", "priority", "target_forward", "target_right")}
    assert found == {"facing": 1, "priority": 880, "target_forward": 2, "target_right": 0}


def test_teams_and_their_hands() -> None:
    arena = floor(game="tag_teams", team_cards="shared", option_cards="off")
    games = arena.new_games(1, 4, seed=1)
    seen = seen_from(arena, games)
    assert [seen[f"robot_{k}_friend"] for k in range(4)] == [1, 0, 1, 0]
    hands = [[seen[f"robot_{k}_hand_{slot}_priority"] // 10 for slot in range(9)] for k in range(4)]
    assert hands == [[0] * 9, [0] * 9, games["robots"]["hand"][0, 2, :9].tolist(), [0] * 9]


def test_flags_of_teams() -> None:
    arena = floor(game="flag_toggle", option_cards="off")
    games = arena.new_games(1, 2, seed=1)
    for owner, expected in ((0, 0), (1, 1), (2, 2)):
        games["flag_owner"][0, 0] = owner
        assert seen_from(arena, games)["flag_1_owner"] == expected
    games["flag_owner"][0, 0] = 2
    put(games, 0, 0)
    seen = seen_from(arena, games)
    assert (seen["next_flag_forward"], seen["next_flag_right"]) == (-6, 6)
    games["flag_owner"][0, 0] = 1
    assert (seen_from(arena, games)["next_flag_forward"]) == 0  # nothing left to touch


def test_flags_that_have_moved() -> None:
    arena = floor(moving_flags="on", option_cards="off")
    games = arena.new_games(1, 1, seed=1)
    put(games, 0, 27)
    games["flag_squares"][0, 0] = 28
    seen = seen_from(arena, games, window=9)
    assert {name: value for name, value in seen.items() if name.startswith("flag@") and value} == {"flag@+0,+1": 1}
    assert seen["flag_1_right"] == seen["next_flag_right"] == 1
    assert "planes" in make_observer("entities", arena, 1, 9).space().spaces


# All kinds alike


def busy(num_games: int = 4, seed: int = 3, turns: int = 2, **settings: Any) -> tuple[Arena, Array]:
    arena = floor(**settings)
    games = arena.new_games(num_games, 4, seed=seed)
    play_random(arena, games, turns, seed)
    deal_options(games, np.random.default_rng(seed), each=4)
    rng = np.random.default_rng(seed)
    for g in range(num_games):
        for kind in rng.permutation(np.arange(1, 11))[:6]:
            lay(arena, games[g : g + 1], int(kind), int(rng.integers(-1, 4)), int(rng.integers(64)), power=2)
    return arena, games


@pytest.mark.parametrize("settings", VARIANTS)
def test_all_observations_show_the_same(settings: dict[str, Any]) -> None:
    arena, games = busy(2, turns=1, **settings)
    groups = elements_of(arena.tables)
    flat = FlatObserver(arena, 4, 5)
    rows = flat.observe(games)
    names = {name: i for i, name in enumerate(flat_feature_names(4, 5, groups))}
    tables = make_observer("entities+planes", arena, 4, 5).observe(games)
    planes = make_observer("planes", arena, 4, 5).observe(games)
    of_planes = plane_names(groups)
    assert len(of_planes) == planes.shape[2]
    squares = rows[..., names["floor@+2,-2"] :].reshape(2, 4, 5, 5, -1)
    assert np.array_equal(squares, tables["planes"])
    for i, (name, _, _) in enumerate(entity_columns(groups)["planes"]):
        assert np.array_equal(squares[..., i], planes[:, :, of_planes.index(name)]), name
    for i, (name, _, _) in enumerate(robot_features(groups)):
        for k in range(4):
            assert np.array_equal(rows[..., names[f"robot_{k}_{name}"]], tables["robots"][..., k, i]), name
        if f"own_{name}" in of_planes:
            own = rows[..., names[f"robot_0_{name}"]].clip(-127, 127)
            assert (planes[:, :, of_planes.index(f"own_{name}"), 0, 0] == own).all(), name
    for i, (name, _, _) in enumerate(game_features(groups)):
        assert np.array_equal(rows[..., names[name]], tables["game"][..., i]), name
    for i, (name, _, _) in enumerate(extra_flag_features(groups)):
        for k in range(8):
            assert np.array_equal(rows[..., names[f"flag_{k + 1}_{name}"]], tables["flags"][..., k, 5 + i]), name
    for i, place in enumerate(extra_card_places(groups)):
        assert np.array_equal(rows[..., names[f"{place}_priority"]], tables["cards"][..., 16 + i, 2]), place
        card = planes[:, :, of_planes.index(f"{place}_card"), 0, 0].astype(int)
        assert np.array_equal(rows[..., names[f"{place}_priority"]], 10 * card), place
    assert (flat.low <= rows).all()
    assert (rows <= flat.high).all()
    space = make_observer("entities+planes", arena, 4, 5).space()
    assert space.contains({name: array[1, 2] for name, array in tables.items()})


# Nothing hidden


def programmed(arena: Arena, games: Array) -> Array:
    """Return the same games before their second phase, with random orders about options."""
    inside, log = games.copy(), new_log(on=False)
    rng = np.random.default_rng(0)
    for game in inside:
        orders = no_orders(8, full=True)
        for field in ("gadget", "weapon", "movement_option"):
            orders[field] = rng.integers(0, 8, orders[field].shape)
        orders["conditional"] = orders["flywheel"] = -1
        if not game["over"]:
            program(game, arena.tables[0], orders, log[0])
            game["phase"] = 2
    return inside


@pytest.mark.parametrize("settings", VARIANTS)
def test_nothing_depends_on_hidden_things(settings: dict[str, Any]) -> None:
    arena, games = busy(3, turns=1, **settings)
    if settings.get("game") == "head_to_head":
        games["secret"] = 2**52 - 1
    give(games, 1, "flywheel")
    games["robots"]["flywheel"][:, 1] = games["robots"]["hand"][:, 1, 0]
    layout = action_layout("draw", arena.settings, "all")
    seats = all_seats(3, 4)
    observers = [make_observer(name, arena, 4, 5) for name in OBSERVATIONS]
    for shown in (games, programmed(arena, games)):
        masks = np.empty((2, 3, 4, *layout.shape), np.int8)
        write_masks(shown, arena.tables, layout.code, seats, masks[0])
        seen = [observer.observe(shown) for observer in observers]
        for seat in range(4):
            dealt = determinize(shown, seat, 31)
            write_masks(dealt, arena.tables, layout.code, seats, masks[1])
            assert np.array_equal(masks[0][:, seat], masks[1][:, seat])
            for observer, before in zip(observers, seen, strict=True):
                after = observer.observe(dealt)
                for name in before if isinstance(before, dict) else [...]:
                    assert np.array_equal(before[name][:, seat], after[name][:, seat]), name
            for g in range(3):
                assert view_of(dealt[g], seat, arena.courses[0]) == view_of(shown[g], seat, arena.courses[0])


def all_cards(game: Any) -> list[int]:
    robots = game["robots"][: game["num_robots"]]
    hands = [set(robot["hand"].tolist()) | {int(robot["flywheel"])} for robot in robots]
    piles = [game["deck"][: game["deck_left"]], game["discards"][: game["discards_left"]], game["turret_cards"]]
    piles += [robots[name].ravel() for name in ("registers", "second", "conditional", "copter")]
    piles += [game["buzz_program"]]
    cards = [card for pile in (*hands, *piles) for card in (pile if isinstance(pile, set) else pile.tolist())]
    return sorted(card for card in cards if card > 0)


def test_every_card_stays_in_one_place() -> None:
    arena = floor()
    games = arena.new_games(3, 4, seed=2)
    give(games, 1, "flywheel", "conditional_program", "overload_override", "buzz_bomb")
    play_random(arena, games, 2, seed=1)
    for shown in (games, programmed(arena, games)):
        for seat in range(4):
            for before, after in zip(shown, determinize(shown, seat, 5), strict=True):
                assert all_cards(before) == all_cards(after)
                assert int(np.bitwise_or.reduce(before["robots"]["options"])) == int(
                    np.bitwise_or.reduce(after["robots"]["options"])
                )


def test_cards_that_others_hide_are_redealt() -> None:
    arena = floor()
    games = arena.new_games(1, 2, seed=2)
    give(games, 1, "flywheel", "conditional_program")
    robot = games["robots"][0, 1]
    robot["flywheel"] = robot["hand"][3]
    robot["conditional"] = games["deck"][0, games["deck_left"][0] - 1]
    games["deck_left"] -= 1
    games["buzz_program"][0] = games["deck"][0, games["deck_left"][0] - 5 : games["deck_left"][0]]
    games["deck_left"] -= 5
    own = determinize(games, 1, 7)[0]
    assert np.array_equal(own["robots"][1]["hand"], robot["hand"])
    assert (own["robots"][1]["flywheel"], own["robots"][1]["conditional"]) == (robot["flywheel"], robot["conditional"])
    found = [determinize(games, 0, seed)[0] for seed in range(6)]
    for game in found:
        assert game["robots"][1]["flywheel"] in game["robots"][1]["hand"]
        assert (game["robots"][1]["hand"] > 0).sum() == (robot["hand"] > 0).sum()
    for field in ("flywheel", "conditional"):
        assert len({int(game["robots"][1][field]) for game in found}) > 1
    assert len({tuple(game["buzz_program"].tolist()) for game in found}) > 1
    give(games, 0, "buzz_bomb")
    assert np.array_equal(determinize(games, 0, 1)["buzz_program"], games["buzz_program"])


def test_options_that_nobody_has_shown_are_redealt() -> None:
    arena = floor(game="head_to_head")
    games = arena.new_games(1, 4, seed=2)
    counts = [int(options).bit_count() for options in games["robots"]["options"][0, :4]]
    assert sum(counts) == 8
    found = set()
    for seed in range(5):
        dealt = determinize(games, 0, seed)[0]
        options = dealt["robots"]["options"]
        assert [int(owned).bit_count() for owned in options[:4]] == counts
        assert options[0] == games["robots"]["options"][0, 0]
        assert options[2] == games["robots"]["options"][0, 2]  # its mate's
        assert dealt["secret"] == np.bitwise_or.reduce(options)
        assert dealt["option_deck_left"] == games["option_deck_left"][0]
        found.add((int(options[1]), int(options[3])))
    assert len(found) > 3
    games["secret"] = 0
    assert np.array_equal(determinize(games, 0, 1)["robots"]["options"], games["robots"]["options"])


def test_team_mates_see_joint_hands_and_others_do_not() -> None:
    arena = floor(game="tag_teams", team_cards="shared")
    games = arena.new_games(1, 4, seed=2)
    dealt = determinize(games, 0, 3)[0]["robots"]["hand"]
    hands = games["robots"]["hand"][0]
    assert np.array_equal(dealt[2], hands[2])
    assert not np.array_equal(dealt[1], hands[1])
