"""Actions about option cards: masks, decoding, repairs and the step-wise interface."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from option_games import as_json, deal_options, floor, give, play_random

from rr_gym.courses.course import Course
from rr_gym.encoding.act.actions import ActionError, ActionLayout, action_layout, decode_actions, write_masks
from rr_gym.encoding.act.components import COMPONENTS, NUM_CHOICES, OPTIONAL_COMPONENTS
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.seats import all_seats
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import ALWAYS, BEST_CARD, MAX_OWNED
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.records import new_log, no_orders
from rr_gym.rules.turn.turn import program

Array = np.ndarray[Any, Any]


def layout_of(arena: Arena, decisions: Any = "all") -> ActionLayout:
    return action_layout("draw", arena.settings, decisions)


def masks_of(arena: Arena, games: Array, layout: ActionLayout) -> Array:
    seats = all_seats(len(games), int(games["num_robots"][0]))
    masks = np.empty((*seats.shape, *layout.shape), np.int8)
    write_masks(games, arena.tables, layout.code, seats, masks)
    return masks


def decode(arena: Arena, games: Array, layout: ActionLayout, actions: Array) -> tuple[Array, Array]:
    orders, repaired = no_orders(len(games), 8, full=True), np.zeros(actions.shape[:2], np.int32)
    seats = all_seats(*repaired.shape)
    decode_actions(games, arena.tables, layout.code, seats, actions.astype(np.int64), orders, repaired)
    return orders, repaired


def sample(rng: np.random.Generator, masks: Array) -> Array:
    return (rng.random(masks.shape) * masks).argmax(axis=-1)


def one(*names: str, damage: int = 0, hand: list[int] | None = None, **settings: Any) -> tuple[Arena, Array]:
    """Return a game of two robots in which the first one has some options."""
    arena = floor(**settings)
    games = arena.new_games(1, 2, seed=3)
    give(games, 0, *names)
    if hand is not None:
        games["robots"]["hand"][0, 0] = [*hand, *[0] * (11 - len(hand))]
    games["robots"]["damage"][0, 0] = damage
    return arena, games


def order_of(arena: Arena, games: Array, layout: ActionLayout | None = None, **choices: int) -> tuple[Any, int]:
    """Return the orders of the first seat for choices by component, and how many were repaired."""
    layout = layout or layout_of(arena)
    actions = np.zeros((1, int(games["num_robots"][0]), len(layout.components)), int)
    for name, choice in choices.items():
        actions[0, 0, layout.components.index(name)] = choice
    orders, repaired = decode(arena, games, layout, actions)
    return orders[0, 0], int(repaired[0, 0])


def legal_of(arena: Arena, games: Array, name: str, seat: int = 0) -> list[int]:
    layout = layout_of(arena)
    return np.flatnonzero(masks_of(arena, games, layout)[0, seat, layout.components.index(name)]).tolist()


# Which components there are


def test_no_component_has_more_than_twelve_choices() -> None:
    assert max(component.choices for component in COMPONENTS) == 12
    assert len(set(OPTIONAL_COMPONENTS)) == len(OPTIONAL_COMPONENTS) == len(NUM_CHOICES)
    assert layout_of(floor()).width == 12
    assert layout_of(floor(), ["power_down", "gear"]).width == 11


def test_rare_decisions_are_made_only_if_asked_for() -> None:
    arena = floor()
    default = layout_of(arena, None).components
    assert {"weapon_3", "second_1", "gadget_5", "conditional", "abort", "shield_2", "site"} <= set(default)
    assert not {"sacrifice_threshold", "lose", "gyro_1", "recompile", "stay_down", "self_destruct"} & set(default)
    everything = layout_of(arena).components
    assert set(default) < set(everything)
    assert layout_of(arena, ["weapon", "lose"]).components[5:] == (*(f"weapon_{r}" for r in range(1, 6)), "lose")
    assert layout_of(arena, ["weapon_2"]).components[5:] == ("weapon_2",)
    for decisions, message in [(["wepon"], "did you mean 'weapon'"), (["chop_option"], "leave no such choice")]:
        with pytest.raises(ActionError, match=message):
            layout_of(arena, decisions)
    base = Arena("risky_exchange").settings
    with pytest.raises(ActionError, match="'weapon': the settings and the course leave no such choice"):
        action_layout("draw", base, ["weapon"])
    assert action_layout("draw", base).components[5:] == ("power_down", "facing", "unlock")
    assert action_layout("draw", base, "all").components[5:] == ("power_down", "facing", "unlock", "stay_down")


def test_robots_without_options_decide_nothing_about_them() -> None:
    arena, games = one()
    masks = masks_of(arena, games, layout := layout_of(arena))[0, 0]
    names = layout.components[layout.components.index("homing") :]
    for name in names:
        assert masks[layout.components.index(name)].sum() == 1, name


# Masks


def test_masks_follow_what_a_robot_owns_and_what_is_left() -> None:
    arena, games = one("mine_layer", "bridge_layer", "missile_launcher", "scrambler", "retro_rockets", "turret")
    assert legal_of(arena, games, "gadget_2") == [0, 1, 2]
    assert legal_of(arena, games, "weapon_4") == [0, 5, 7]
    assert legal_of(arena, games, "movement_option_1") == [0, 7, 8, 9]
    assert legal_of(arena, games, "turret_5") == [0, 1, 2, 3]
    assert legal_of(arena, games, "fallback_to_laser_1") == [0, 1]
    assert legal_of(arena, games, "shield_1") == [0]
    assert legal_of(arena, games, "lose") == list(range(7))
    assert legal_of(arena, games, "gadget_2", seat=1) == [0]
    for name in ("mine_layer", "missile_launcher", "retro_rockets"):
        games["payload"][0, OPTION_NAMES.index(name)] = 0
    games["payload"][0, OPTION_NAMES.index("retro_rockets")] = 2
    assert legal_of(arena, games, "gadget_2") == [0, 1]
    assert legal_of(arena, games, "weapon_4") == [0, 5]
    assert legal_of(arena, games, "movement_option_1") == [0, 7, 8]
    games["robots"]["down"][0, 0] = 1
    assert legal_of(arena, games, "gadget_2") == legal_of(arena, games, "weapon_4") == [0]
    assert legal_of(arena, games, "lose") == list(range(7))


def test_two_cards_in_a_register() -> None:
    hand = [60, 55, 50, 20, 8, 2]  # three Move 1, two rotations, a U-turn
    arena, games = one("crab_legs", hand=hand, damage=3)
    assert legal_of(arena, games, "movement_option_1") == [0, 1]
    assert legal_of(arena, games, "second_1") == [0, 1, 2, 3, 4, 5]
    games["robots"]["locked"][0, 0] = 0b00001
    assert legal_of(arena, games, "movement_option_1") == legal_of(arena, games, "second_1") == [0]
    games["robots"]["locked"][0, 0] = 0
    games["robots"]["hand"][0, 0, 5] = 0  # no card to spare
    assert legal_of(arena, games, "movement_option_1") == [0]
    arena, games = one("crab_legs", hand=[60, 55, 50, 46, 45, 2], damage=3)
    assert legal_of(arena, games, "movement_option_1") == [0]  # nothing combines


def test_options_that_need_more_than_themselves() -> None:
    arena, games = one("homing_device", "buzz_bomb", "recompile", "robo_copter")
    assert legal_of(arena, games, "homing") == [0]
    games["homing_target"] = 1
    assert legal_of(arena, games, "homing") == [0, 1]
    games["buzz_program"] = [10, 20, 30, 40, 50]
    assert legal_of(arena, games, "buzz") == [0, 1]
    assert [len(legal_of(arena, games, f"buzz_program_{k}")) for k in range(1, 5)] == [5, 4, 3, 2]
    assert legal_of(arena, games, "recompile") == list(range(11))
    movements = [slot + 1 for slot, card in enumerate(games["robots"]["hand"][0, 0]) if card >= 43]
    assert legal_of(arena, games, "copter") == [0, *movements]
    games["bombed"] = 1
    assert legal_of(arena, games, "homing") == legal_of(arena, games, "buzz") == legal_of(arena, games, "copter") == [0]


def test_a_scrambler_bomb_leaves_the_sides_of_turret_and_shield() -> None:
    arena, games = one("turret", "shield", "reflector")
    games["bombed"] = 1
    assert legal_of(arena, games, "turret_2") == [0, 1, 2, 3]
    assert legal_of(arena, games, "shield_2") == [0, 1, 2, 3, 4]
    assert legal_of(arena, games, "reflector") == [0]


def test_settings_for_the_whole_turn_are_chosen_in_register_1() -> None:
    arena, games = one("shield", "turret", "gyroscopic_stabilizer", dir_timing="turn")
    for name, choices in (("shield", 5), ("turret", 4), ("gyro", 2)):
        assert len(legal_of(arena, games, f"{name}_1")) == choices
        assert legal_of(arena, games, f"{name}_2") == [0]


# Decoding


def test_choice_0_stands_for_the_defaults_of_learners() -> None:
    arena, games = one("conditional_program", "flywheel")
    order, repaired = order_of(arena, games)
    expected = no_orders(1, full=True)[0]
    expected["program"] = games["robots"]["hand"][0, 0, :5]
    expected["conditional"] = expected["flywheel"] = BEST_CARD
    assert order == expected
    assert repaired == 0


def test_choices_are_decoded_into_orders() -> None:
    names = ("fire_control", "shield", "reflector", "gyroscopic_stabilizer", "radio_control", "converter", "turret")
    arena, games = one(*names)
    order, repaired = order_of(
        arena, games, fire_control_1=1, fire_control_2=7, shield_1=4, shield_2=1, reflector=4, gyro_3=1,
        fallback_to_laser_2=1, target=1, sacrifice_threshold=11, weapon_5=4, turret_4=2,
    )  # fmt: skip
    assert order["fire_control"].tolist() == [0, 6, 7, 7, 7]
    assert order["shield"].tolist() == [0, 2, 1, 1, 1]
    assert order["reflector"] == 0
    assert order["gyro"].tolist() == [1, 1, 0, 1, 1]
    assert order["fallback_to_laser"].tolist() == [1, 0, 1, 1, 1]
    assert (order["target"], order["sacrifice_threshold"], order["weapon"][4], order["turret"][3]) == (1, 11, 4, 2)
    assert repaired == 0
    order, _ = order_of(arena, games, sacrifice_threshold=1, lose=2, give_up=3)
    assert order["sacrifice_threshold"] == 0
    owned = sorted(OPTION_NAMES.index(name) for name in names)
    assert order["lose"] == owned[1]
    assert order["give_up"].tolist() == [owned[2], *[-1] * (MAX_OWNED - 1)]
    arena, games = one("recompile", "interceptor", "mechanical_arm", "superior_archive", "reengineering_unit")
    order, _ = order_of(arena, games, recompile=10, intercept=4, arm=1, superior_archive=1, reengineering=2)
    found = [order[name] for name in ("recompile", "intercept", "arm", "superior_archive", "reengineering")]
    assert found == [ALWAYS, 4, 0, 0, 2]
    order, _ = order_of(arena, games, reengineering=1, stay_down=1)
    assert (order["reengineering"], order["stay_down"]) == (0, 1)


def test_cards_besides_the_program_are_named_by_the_slots_of_the_dealt_hand() -> None:
    hand = [80, 60, 55, 50, 46, 45, 20, 8, 2]
    arena, games = one("dual_processor", "robo_copter", "conditional_program", "flywheel", hand=hand)
    order, repaired = order_of(
        arena, games, movement_option_1=2, second_1=7, copter=6, conditional=8, conditional_register=3, flywheel=9
    )
    assert order["program"].tolist() == [80, 60, 55, 50, 46]
    assert order["second"].tolist() == [20, 0, 0, 0, 0]
    assert (order["copter"], order["conditional"], order["conditional_register"], order["flywheel"]) == (45, 8, 3, 2)
    assert repaired == 0
    # The default is the highest card that fits.
    order, repaired = order_of(arena, games, movement_option_1=2)
    assert (order["second"][0], repaired) == (20, 0)
    order, repaired = order_of(arena, games, flywheel=11)
    assert (order["flywheel"], repaired) == (0, 0)


def test_conflicts_are_repaired_in_one_order() -> None:
    hand = [80, 60, 55, 50, 46, 45, 20, 8, 2]
    arena, games = one("dual_processor", "robo_copter", "conditional_program", "retro_rockets", hand=hand)
    games["homing_target"] = 1
    for choices, repairs, expected in [
        # The card of slot 2 is in the program; another one that fits takes its place.
        ({"movement_option_1": 2, "second_1": 2}, 1, {"second": [20, 0, 0, 0, 0], "movement_option": [2, 0, 0, 0, 0]}),
        # A Move 1 combines with nothing here.
        ({"movement_option_2": 2, "second_2": 7}, 2, {"second": [0] * 5, "movement_option": [0] * 5}),
        # Three counters in all
        ({"movement_option_2": 8, "movement_option_4": 8}, 1, {"movement_option": [0, 8, 0, 0, 0]}),
        # A card may be named once; the first component in the list keeps it
        ({"copter": 6, "conditional": 6}, 1, {"copter": 45, "conditional": BEST_CARD}),
        ({"movement_option_1": 2, "second_1": 7, "conditional": 7}, 1, {"conditional": BEST_CARD}),
    ]:  # fmt: skip
        order, repaired = order_of(arena, games, **choices)  # type: ignore[arg-type]
        assert repaired == repairs
        for name, value in expected.items():
            assert np.array_equal(order[name], value), name
    give(games, 0, "homing_device")
    order, repaired = order_of(arena, games, homing=1, movement_option_1=8, copter=6)
    assert (order["homing"], order["movement_option"][0], order["copter"], repaired) == (1, 0, 0, 2)


def test_cards_for_options_that_a_robot_does_not_own_are_ignored_and_counted() -> None:  # U57
    hand = [80, 60, 55, 50, 46, 45, 20, 8, 2]
    arena, games = one("brakes", hand=hand)
    give(games, 1, "robo_copter", "conditional_program", "flywheel", "dual_processor")
    wanted = {"copter": 6, "conditional": 8, "conditional_register": 3, "flywheel": 9, "second_1": 7}
    order, repaired = order_of(arena, games, movement_option_1=2, **wanted)
    assert repaired == 6
    assert not any(order[name].any() for name in ("copter", "conditional_register", "second", "movement_option"))
    orders = no_orders(1, 8, full=True)
    orders[0, 0] = order
    orders["copter"][0, 0], orders["conditional"][0, 0], orders["flywheel"][0, 0] = 45, 8, 2
    orders["movement_option"][0, 0, 0], orders["second"][0, 0, 0] = 2, 20
    program(games[0], arena.tables[0], orders[0], new_log()[0])
    robot = games[0]["robots"][0]
    assert robot["registers"].tolist() == [80, 60, 55, 50, 46]
    assert [int(robot[name]) for name in ("copter", "conditional", "flywheel")] == [0, 0, 0]
    assert not robot["second"].any()
    assert {45, 8, 2, 20} <= {*robot["hand"].tolist()}


def test_the_buzz_bombs_cards_are_ordered_by_digits() -> None:
    arena, games = one("buzz_bomb")
    games["buzz_program"] = [10, 20, 30, 40, 50]
    order, repaired = order_of(arena, games, buzz=1, buzz_program_1=4, buzz_program_2=2, buzz_program_4=1)
    assert order["buzz"] == 1
    assert order["buzz_program"].tolist()[:4] == [50, 30, 10, 40]
    assert repaired == 0
    order, repaired = order_of(arena, games, buzz_program_1=4)  # no bomb flies
    assert (order["buzz_program"].tolist(), repaired) == ([0] * 5, 1)


def test_nothing_is_decided_where_there_are_no_option_cards() -> None:
    arena = Arena([floor().courses[0]], {"game": "survival"})
    games = arena.new_games(1, 2, seed=3)
    order, repaired = order_of(arena, games, floor_layout := layout_of(floor()), weapon_1=3, lose=2)
    assert repaired == 2
    assert masks_of(arena, games, floor_layout)[0, 0, 5:].sum(axis=1).max() <= 6
    assert order["weapon"][0] == 0


# Against the rules


def positions(count: int, num_robots: int = 3, seed: int = 1, turns: int = 1, **settings: Any) -> tuple[Arena, Array]:
    arena = floor(**settings)
    games = arena.new_games(count, num_robots, seed=seed)
    for turn in range(turns):
        play_random(arena, games, 1, seed + turn)
    deal_options(games, np.random.default_rng(seed), each=8)
    return arena, games


@pytest.mark.parametrize("seed", [1, 2])
def test_decoded_orders_are_legal_and_carried_out(seed: int) -> None:
    arena, games = positions(6, seed=seed)
    layout = layout_of(arena)
    rng = np.random.default_rng(seed)
    used: set[str] = set()
    give(games, 0, "robo_copter")
    for _ in range(3):
        actions = sample(rng, masks_of(arena, games, layout))
        orders, _ = decode(arena, games, layout, actions)
        for g, game in enumerate(games):
            given = {seat: as_json(orders[g, seat]) for seat in range(3) if not game["robots"][seat]["out"]}
            resolved = resolve_orders(given, game, arena.settings[0], arena.tables[0])
            for seat in given:
                for name in resolved.dtype.names:
                    if name not in ("conditional", "flywheel", "conditional_register"):
                        assert np.array_equal(resolved[seat][name], orders[g, seat][name]), name
            played = games[g : g + 1].copy()
            program(played[0], arena.tables[0], orders[g], new_log(on=False)[0])
            for seat in given:
                robot, order = played[0]["robots"][seat], orders[g, seat]
                if not robot["alive"] or robot["down"]:
                    continue
                assert np.array_equal(robot["second"] > 0, order["second"] > 0)
                assert np.array_equal(robot["orders"]["gadget"], order["gadget"])
                assert np.array_equal(robot["orders"]["movement_option"] > 0, order["movement_option"] > 0)
                used |= {name for name in ("second", "gadget", "movement_option", "copter") if np.any(order[name])}
    assert used == {"second", "gadget", "movement_option", "copter"}


def test_single_decisions_are_exact_and_mean_the_same_as_actions() -> None:
    arena, games = positions(8, seed=5)
    give(games, 0, "overload_override", "flywheel", "dual_processor", "robo_copter")
    layout = layout_of(arena)
    whole = masks_of(arena, games, layout)
    seats = all_seats(8, 3)
    rng = np.random.default_rng(0)
    for preview in (False, True):
        steps = TurnSteps(arena, layout, preview)
        steps.begin(games, seats)
        pairs = 0
        while not steps.done.all():
            steps.choose(sample(rng, steps.masks()))
        assert not steps.illegal.any()
        assert np.take_along_axis(whole, steps.actions[..., None], axis=-1).all()  # masks of whole turns admit all
        orders, repaired = decode(arena, games, layout, steps.actions)
        assert not repaired.any()
        for row, order in enumerate(steps.get_state()["orders"].view(orders.dtype)):
            decoded = orders[row // 3, row % 3]
            laid = ("program", "second", "movement_option", "gadget", "weapon", "copter", "conditional", "flywheel")
            for name in laid:
                assert np.array_equal(order[name], decoded[name]), name
            pairs += int((decoded["second"] > 0).sum())
        assert pairs > 8


def test_illegal_single_decisions_count_as_the_default() -> None:
    arena, games = positions(4, seed=6)
    layout = layout_of(arena)
    steps = TurnSteps(arena, layout, preview=False)
    steps.begin(games, all_seats(4, 3))
    rng = np.random.default_rng(0)
    wrong = np.zeros((4, 3), int)
    while not steps.done.all():
        choices = rng.integers(-2, 14, 12)
        masks = steps.masks()
        inside = (choices >= 0) & (choices < masks.shape[1])
        legal = inside & (masks[np.arange(12), np.where(inside, choices, 0)] > 0)
        wrong += ~legal.reshape(4, 3)
        steps.choose(choices)
    assert np.array_equal(steps.illegal, wrong)
    assert not decode(arena, games, layout, steps.actions)[1].any()


# Previews


def preview(board: str, options: tuple[str, ...], cards: list[int], **choices: int) -> Any:
    """Return the preview for the first robot, in the north-west corner and facing east, after these decisions."""
    arena = Arena(Course.from_board(f"grid:\n{board}", "small"), {"option_cards": "on"})
    games = arena.new_games(1, 2, seed=1)
    give(games, 0, *options)
    robot = games["robots"][0, 0]
    robot["square"], robot["facing"], robot["virtual"] = 0, 1, 0
    robot["hand"] = [*cards, *[0] * (11 - len(cards))]
    layout = layout_of(arena, ["movement_option", "second", "gadget", "gear"])
    steps = TurnSteps(arena, layout, preview=True)
    steps.begin(games, np.zeros((1, 1), np.int8))
    for place in steps.order:
        if steps.stages[0] >= 9 * len(cards) or steps.games["phase"][0] > 2:
            break
        steps.choose(np.array([choices.get(layout.components[place], 0)]))
    return steps.games[0]


U_TURNS = [6, 5, 4, 3, 2, 1]


def test_previews_show_what_options_make_of_cards() -> None:
    row = "@1 . . . . . . . . . . . #1\n@2 . . . . . . . . . . . ."
    cards = [49, *U_TURNS]
    assert preview(row, ("fourth_gear",), [79, *U_TURNS], gear_1=1)["robots"][0]["square"] == 4
    assert preview(row, ("big_jet",), cards, movement_option_1=6)["robots"][0]["square"] == 9
    shown = preview(row, ("dual_processor",), [67, 8, *U_TURNS[:5]], movement_option_1=2)
    assert (shown["robots"][0]["square"], shown["robots"][0]["facing"]) == (1, 0)  # it turns right, then about
    assert shown["robots"][0]["registers"][0] == 67
    assert shown["payload"][OPTION_NAMES.index("big_jet")] == 0


def test_previews_show_bridges_that_the_robot_lays() -> None:
    row = "@1 X X . . #1\n@2 . . . . ."
    cards = [49, 50, 51, 52, 53]
    assert not preview(row, (), cards)["robots"][0]["alive"]
    shown = preview(row, ("bridge_layer",), cards, gadget_1=1, gadget_2=1)
    assert shown["robots"][0]["alive"]
    assert shown["robots"][0]["square"] >= 2
    assert shown["num_devices"] == 2
