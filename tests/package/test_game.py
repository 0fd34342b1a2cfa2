"""`Game`: hands, orders, events, views, saving and copying."""

from __future__ import annotations

import copy
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rr_gym.courses.course import Course
from rr_gym.encoding.observe.view import RobotView
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.errors import RoboRallyError
from rr_gym.game import Game, OrderError, Orders, SavedGameError
from rr_gym.registry import make_player
from rr_gym.render.words import Event, explain
from rr_gym.rules.arena.hidden import SeatError
from rr_gym.rules.state.cards import parse_card
from rr_gym.rules.state.constants import CAUSE_NAMES, HARM_NAMES
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.records import STATE_VERSION
from rr_gym.rules.state.settings import resolve_settings

COURSE = "risky_exchange"


@pytest.fixture
def game() -> Game:
    return Game(COURSE, 3, seed=7)


def card_numbers(names: Any) -> list[int]:
    return [parse_card(name)[1] for name in names]


def programs(game: Game) -> dict[int, list[int]]:
    """Return the programs of the last turn by seat, from its events."""
    found: dict[int, list[int]] = {}
    for event in game.events:
        if event.kind == "programmed":
            found.setdefault(event.robot, []).append(event.target)
    return found


def test_hands_are_dealt_and_sorted(game: Game) -> None:
    assert [len(hand) for hand in game.hands] == [9, 9, 9]
    for hand in game.hands:
        numbers = card_numbers(hand)
        assert numbers == sorted(numbers, reverse=True)
    assert game.deal() == game.hands
    assert game.turn == 0


def test_programs_are_played_as_ordered(game: Game) -> None:
    zero, one, two = game.hands
    typed = [name.split("@")[0] for name in two[:5]]
    mixed = [zero[4], zero[0], zero[8], zero[1], zero[2]]
    game.play({0: mixed, 1: {"program": card_numbers(one[4:])}, 2: Orders(program=tuple(typed))})
    played = programs(game)
    assert played[0] == card_numbers(mixed)
    assert played[1] == card_numbers(one[4:])
    assert sorted(played[2]) == sorted(card_numbers(two[:5]))
    assert game.turn == 1
    assert game.hands != (zero, one, two)


def test_missing_seats_and_cards_are_automatic(game: Game) -> None:
    zero, one, _ = game.hands
    game.play({0: [None, zero[3], None, None, zero[5]]})
    played = programs(game)
    assert (played[0][1], played[0][4]) == tuple(card_numbers([zero[3], zero[5]]))
    assert set(played[0]) <= set(card_numbers(zero))
    assert len(set(played[1])) == 5
    assert set(played[1]) <= set(card_numbers(one))


def test_a_type_takes_the_highest_card_that_the_program_does_not_name(game: Game) -> None:
    robot = game.record["robots"][0]
    robot["hand"][:9] = [66, 60, 55, 50, 49, 20, 10, 6, 1]
    game.play({0: ["move_1", "move_1@660", "move_1", "u_turn", None]})
    assert programs(game)[0][:4] == [60, 66, 55, 6]


def test_other_orders_reach_the_engine(game: Game) -> None:
    game.play({0: {"power_down": True}, 1: {"power_down": False}})
    assert [robot.down for robot in game.view(0).robots[:2]] == [True, False]
    assert game.hands[0] == ()
    game.play({0: {"stay_down": True}})
    assert game.view(1).robots[0].down
    game.play({0: {"power_down": True}})  # ignored for a robot that is down (U34)
    assert not game.view(1).robots[0].down


def test_facing_is_chosen_where_it_may_be(game: Game) -> None:
    game.record["robots"]["may_face"][0] = 1
    game.play({0: {"facing": "w", "program": [None] * 5}})
    assert [game.explain(event) for event in game.events if event.kind == "faced"] == ["robot 0 chooses to face west"]


BAD_ORDERS: list[tuple[Any, str]] = [
    ({3: []}, "seat 3: expected 0 to 2"),
    ({"0": []}, "seat '0'"),
    ([1, 2], "orders: list: expected a mapping"),
    ({1: ["move_9"] + [None] * 4}, "seat 1: program, register 1: 'move_9': expected one of"),
    ({1: [85] + [None] * 4}, "seat 1: program, register 1: 85: expected the number of a card, 1 to 84"),
    ({1: [2.5] + [None] * 4}, r"seat 1: program, register 1: 2\.5: expected a card"),
    ({1: [True] + [None] * 4}, "seat 1: program, register 1: True"),
    ({1: [None] * 4}, "seat 1: program: .*expected 5 entries"),
    ({1: "move_1"}, "seat 1: 'move_1': expected Orders, a mapping"),
    ({1: 5}, "seat 1: 5: expected Orders"),
    ({1: {"program": "move_1"}}, "seat 1: program: 'move_1': expected a list of 5"),
    ({1: {"programm": []}}, "seat 1: there is no field 'programm'; did you mean 'program'"),
    ({1: {"zzz": 1}}, "seat 1: there is no field 'zzz': expected program, power_down"),
    ({1: {"power_down": 1}}, "seat 1: power_down: 1: expected true or false"),
    ({1: {"facing": "north"}}, "seat 1: facing: 'north': expected n | e | s | w, or null"),
    ({1: {"unlock": 6}}, "seat 1: unlock: 6: expected a whole number from 1 to 5"),
    ({1: {"square": 1}}, "seat 1: square: 1: expected null: robots return on their archive"),
    ({1: {"square": 16}}, "seat 1: square: 16: expected a whole number from 0 to 15"),
    ({1: {"site": "shop"}}, "seat 1: site: 'shop': expected auto | repair | option"),
    ({1: {"site": "option"}}, "seat 1: site: 'option': expected auto or repair"),
    ({1: {"chop": "swapp"}}, "seat 1: chop: 'swapp': expected auto | none | swap | reload | draw"),
    ({1: {"chop": "draw"}}, "seat 1: chop: 'draw': expected auto or none: there are no option cards"),
    ({1: {"breaker": False}}, "seat 1: breaker: False: expected true: a Circuit Breaker acts by itself"),
    ({1: {"chop_option": "brake"}}, "seat 1: chop_option: 'brake': expected an option card .*did you mean 'brakes'"),
    ({1: {"waste": 0}}, "seat 1: waste: 0: expected true or false"),
    ({1: {"freak_order": [0, 1]}}, "seat 1: freak_order: .*expected each of 0, 1 and 2 once"),
    ({1: {"freak_order": "012"}}, "seat 1: freak_order: '012'"),
    ({1: {"freak_order": [0, 1, True]}}, "seat 1: freak_order"),
    ({1: {"reset_card": "move_4"}}, "seat 1: reset_card: 'move_4': expected one of"),
    ({1: {"reset_card": 85}}, "seat 1: reset_card: 85: expected the number of a card"),
    ({1: Orders(unlock="x")}, "seat 1: unlock: 'x'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("orders", "message"), BAD_ORDERS)
def test_bad_orders_are_refused_and_nothing_is_played(game: Game, orders: Any, message: str) -> None:
    before = game.clone()
    with pytest.raises(OrderError, match=message.replace("|", r"\|")):
        game.play(orders)
    assert np.array_equal(game.games, before.games)


def test_cards_must_be_in_the_hand_once_and_in_open_registers(game: Game) -> None:
    zero, one, _ = game.hands
    message = f"seat 0: program, register 3: '{one[0]}': expected a card in the hand: {zero[0]}"
    with pytest.raises(OrderError, match=message):
        game.play({1: [*one[:5]], 0: [None, None, one[0], None, None]})
    with pytest.raises(OrderError, match=r"seat 0: program, register 4: .*each card once; register 1 uses it too"):
        game.play({0: [zero[0], None, None, zero[0], None]})
    robot = game.record["robots"][0]
    robot["locked"], robot["registers"][4] = 0b10000, 49
    with pytest.raises(OrderError, match=r"seat 0: program, register 5: .*null: the register is locked \(move_1@490\)"):
        game.play({0: zero[:5]})
    game.play({0: [None, None, None, None, "move_1@490"]})  # the card that is locked there
    assert game.turn == 1


def test_players_can_be_asked_for_their_orders() -> None:
    """A player may be given in place of a seat's orders; the game is the same as with the player's orders."""
    game, other = (Game("risky_exchange", num_robots=2, seed=8) for _ in range(2))
    for _ in range(5):
        greedy = make_player("greedy")
        orders = greedy.act(other.arena, other.games, 0)[0]
        other.play({0: [int(card) or None for card in orders["program"]], 1: {}})
        game.play({0: greedy, 1: {}})
        assert game.record == other.record
    with pytest.raises(SeatError, match="seat: 2: expected 0 to 1"):
        game.play({2: greedy})



@pytest.mark.parametrize(
    ("settings", "orders", "message"),
    [
        ({"power_down": "off"}, {"power_down": True}, "power_down: True: expected false: the setting"),
        ({"pd_needs_damage": "on"}, {"power_down": True}, "power_down: .*only a damaged robot"),
        ({"unlock": "lowest"}, {"unlock": 1}, "unlock: 1: expected null"),
        ({}, {"facing": "n"}, "facing: 'n': expected null: this robot may not choose"),
    ],
)
def test_orders_that_the_settings_do_not_allow(settings: dict[str, Any], orders: dict[str, Any], message: str) -> None:
    game = Game(COURSE, 2, seed=1, settings=settings)
    game.record["robots"]["may_face"] = 0
    with pytest.raises(OrderError, match=f"seat 0: {message}"):
        game.play({0: orders})


def test_the_first_card_must_move_where_the_rules_say_so() -> None:
    game = Game(COURSE, 2, seed=1, settings={"first_card_moves": "on"})
    turn = next(name for name in game.hands[0] if "rotate" in name or "u_turn" in name)
    with pytest.raises(OrderError, match=r"seat 0: program, register 1: .*expected a movement card"):
        game.play({0: [turn, None, None, None, None]})


def test_orders_of_eliminated_robots_and_of_ended_games_are_refused(game: Game) -> None:
    game.record["robots"]["out"][2] = 1
    with pytest.raises(OrderError, match="seat 2: its robot is out of the game"):
        game.play({2: {}})
    game.record["over"] = 1
    with pytest.raises(OrderError, match="the game is over"):
        game.play()


def test_orders_for_sites_become_records(game: Game) -> None:
    settings, table = resolve_settings(("test", {"option_cards": "on"})), game.arena.tables[0]
    orders = {"chop": "reload", "chop_option": "mine_layer", "waste": False, "freak_order": [2, 0, 1], "reset_card": 50}
    record, default, *_ = resolve_orders({0: orders}, game.record, settings, table)
    names = ("chop", "chop_option", "waste", "freak_order", "reset_card")
    assert [int(record[name]) for name in names] == [3, 40, 0, 4, 50]
    assert [int(default[name]) for name in names] == [0, -1, 1, 0, 0]
    pile = game.record["deck"][: game.record["deck_left"]]
    record = resolve_orders({0: {"reset_card": "move_1"}}, game.record, settings, table)[0]
    assert record["reset_card"] == max(card for card in pile if 49 <= card <= 66)


def test_orders_survive_json() -> None:
    orders = Orders(program=("move_1@490", 12, None, "u_turn", None), facing="s", unlock=3, power_down=True)
    text = json.dumps(orders.to_json())
    assert Orders.from_json(json.loads(text)) == orders
    sites = Orders(chop="reload", chop_option="mine_layer", waste=False, freak_order=(2, 0, 1), reset_card="move_3")
    assert json.loads(json.dumps(sites.to_json()))["freak_order"] == [2, 0, 1]
    assert Orders.from_json(json.loads(json.dumps(sites.to_json()))) == sites
    assert Orders().to_json() == {}
    assert Orders.from_json(["u_turn"] * 5).program == ("u_turn",) * 5
    assert Orders.from_json({"program": np.arange(1, 6)}).program == (1, 2, 3, 4, 5)


def test_views_show_what_is_public(game: Game) -> None:
    for _ in range(4):
        game.play()
    view = game.view(1)
    record = game.record
    assert view.hand == game.hands[1]
    assert (view.turn, view.seat, view.course, view.size) == (4, 1, COURSE, game.course.size)
    assert view.flags == game.course.flags
    for seat, robot in enumerate(view.robots):
        assert isinstance(robot, RobotView)
        state = record["robots"][seat]
        assert robot.square == game.square(int(state["square"]))
        assert robot.archive == game.square(int(state["archive"]))
        assert (robot.damage, robot.lives, robot.flag) == (state["damage"], state["lives"], state["flag"])
        assert [card is not None for card in robot.registers] == [bool(state["locked"] >> r & 1) for r in range(5)]
    assert view.own is view.robots[1]
    shown = json.dumps(view.to_json())
    assert not any(card in shown for card in set(game.hands[0]) - set(game.hands[1]))
    for seat in (-1, 3, "0"):
        with pytest.raises(SeatError, match="expected 0 to 2"):
            game.view(seat)  # type: ignore[arg-type]


def test_events_read_in_words(game: Game) -> None:
    events = game.play()
    assert events == game.events
    assert {event.phase for event in events} == {0, 1, 2, 3, 4, 5}
    assert all(game.explain(event, ["Ann", "Bob", "Cy"]) for event in events)
    assert game.square(-1) is None
    assert game.square(10**6) is None
    assert game.square(game.course.size[0] + 2) == (2, 1)


def test_clones_are_exact_and_independent(game: Game) -> None:
    for make in (Game.clone, copy.copy, copy.deepcopy):
        twin = make(game)
        twin.play()
        assert twin.turn == game.turn + 1
        other = game.clone()
        other.play()
        assert np.array_equal(twin.games, other.games)


def test_a_game_is_played_to_its_end() -> None:
    game = Game(COURSE, 2, seed=3, settings={"lives": 1})
    for _ in range(300):
        if game.over:
            break
        game.play()
    assert game.over
    assert sorted(game.placements) == [1, 2]
    assert game.winners == (game.placements.index(1),)
    assert repr(game) == f"<Game on risky_exchange: 2 robots, over, won by {list(game.winners)}>"


# Saved games


def test_saved_games_continue_as_if_nothing_had_happened(game: Game, tmp_path: Path) -> None:
    for _ in range(3):
        game.play()
    path = tmp_path / "a.game"
    assert game.save(path) == path
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.game"]
    for source in (path, str(path), game.save()):
        loaded = Game.load(source)  # type: ignore[arg-type]
        assert np.array_equal(loaded.games, game.games)
        assert loaded.settings == game.settings
        assert loaded.course == game.course
        twin = game.clone()
        assert loaded.play() == twin.play()


def test_saved_games_carry_their_own_course_and_settings(tmp_path: Path) -> None:
    board = Course.from_board("@1 . >> #1\n. . . .\n#2 . . @2", "tiny")
    game = Game(board, 2, seed=5, settings={"preset": "ah2005", "lives": "unlimited", "max_options": 4})
    loaded = Game.load(game.save(tmp_path / "b"))  # type: ignore[arg-type]
    assert loaded.course == board
    assert loaded.settings == game.settings
    assert loaded.save() == game.save()


def test_a_file_that_cannot_be_written_is_named(game: Game, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SavedGameError, match=r"a\.game: cannot be written"):
        game.save(tmp_path / "file" / "a.game")


def damaged(game: Game, **changes: Any) -> bytes:
    """Return a saved game with changed entries of its header or state."""
    with np.load(io.BytesIO(game.save()), allow_pickle=False) as saved:  # type: ignore[arg-type]
        header, state = json.loads(saved["header"].tobytes()), saved["state"].copy()
    if "state" in changes:
        state = changes.pop("state")(state)
    header |= changes
    buffer = io.BytesIO()
    np.savez(buffer, header=np.frombuffer(json.dumps(header).encode(), np.uint8), state=state)
    return buffer.getvalue()


def flipped(state: np.ndarray) -> np.ndarray:
    state[100] ^= 1
    return state


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state_version": 999}, rf"state version: 999 .*expected {STATE_VERSION}"),
        ({"layout": "other"}, rf"state version: {STATE_VERSION} .other."),
        ({"format": "a picture"}, "format: 'a picture': expected 'rr_gym game'"),
        ({"state": lambda state: state[:-1]}, "do not match their digest"),
        ({"state": flipped}, "do not match their digest"),
        ({"course": "id: x\nsize: [3"}, "saved game"),
        ({"course": 5}, "saved game"),
        ({"settings": {"lives": -5}}, "lives"),
        ({"settings": {"speed": 1}}, "there is no setting 'speed'"),
        ({"settings": 3}, "settings: 3: expected settings by name"),
        ({"settings": ""}, "settings: .*: expected settings by name"),
    ],
)
def test_other_versions_and_changed_files_are_refused(game: Game, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(SavedGameError, match=message):
        Game.load(damaged(game, **changes))


def test_files_that_are_not_saved_games(game: Game, tmp_path: Path) -> None:
    data = game.save()
    assert isinstance(data, bytes)
    for wrong in (b"", b"RoboRally", data[: len(data) // 2], data[:-30], b"PK\x03\x04" + bytes(100)):
        with pytest.raises(SavedGameError, match="saved game"):
            Game.load(wrong)
    np.savez(tmp_path / "other.npz", x=np.zeros(3))
    with pytest.raises(SavedGameError, match=r"other\.npz: no saved game"):
        Game.load(tmp_path / "other.npz")
    np.save(tmp_path / "pickled.npy", np.array([{}], object))
    with pytest.raises(SavedGameError, match=r"pickled\.npy: no saved game"):
        Game.load(tmp_path / "pickled.npy")
    with pytest.raises(SavedGameError, match="missing: cannot be read"):
        Game.load(tmp_path / "missing")


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ('{"format": ', "header: line 1: .*: expected JSON"),
        ('{"format": Infinity}', "header: Infinity is not JSON"),
        ("[" * 5000 + "]" * 5000, "header: nested too deeply"),
        ("[]", "no saved game"),
    ],
)
def test_a_header_that_is_no_json_is_named(game: Game, header: str, message: str, tmp_path: Path) -> None:
    with np.load(io.BytesIO(game.save()), allow_pickle=False) as saved:  # type: ignore[arg-type]
        state = saved["state"].copy()
    np.savez(tmp_path / "a.npz", header=np.frombuffer(header.encode(), np.uint8), state=state)
    with pytest.raises(SavedGameError, match=rf"a\.npz: {message}"):
        Game.load(tmp_path / "a.npz")


@pytest.mark.parametrize(("every", "of_directory"), [(397, 5), pytest.param(97, 1, marks=pytest.mark.long)])
def test_every_damaged_byte_is_noticed(every: int, of_directory: int, game: Game) -> None:
    """If any single byte of a file is changed, the file is refused, or the game is the same."""
    data = game.save()
    assert isinstance(data, bytes)
    directory = data.rindex(b"PK\x01\x02")
    for position in (*range(0, len(data), every), *range(30), *range(directory, len(data), of_directory)):
        changed = bytearray(data)
        changed[position] ^= 0x41
        try:
            loaded = Game.load(bytes(changed))
        except SavedGameError:
            continue
        assert np.array_equal(loaded.games, game.games)
        assert (loaded.course, loaded.settings) == (game.course, game.settings)


@pytest.mark.parametrize(
    ("arguments", "message"), [({"num_robots": 0}, "num_robots"), ({"course": "nowhere"}, "nowhere")]
)
def test_wrong_arguments(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        Game(**arguments)


def say(kind: str, value: int = 0, other: int = -1, target: int = 0) -> str:
    return explain(Event(0, 1, "C6", kind, 0, other, value, 7, target), ("Anna", "Ben"), 5)


def test_every_event_cause_and_harm_has_words_of_its_own() -> None:
    assert not [kind for kind in EVENT_NAMES if say(kind) == f"Anna: {kind} 0"]
    moved = [say("moved", cause) for cause in range(len(CAUSE_NAMES))]
    plain = [name for name, words in zip(CAUSE_NAMES, moved, strict=True) if words == "Anna moves to (2, 1)"]
    assert plain == ["card", "option", "push"]
    destroyed = [say("destroyed", harm) for harm in range(len(HARM_NAMES))]
    assert len(set(destroyed)) == len(HARM_NAMES) - 2  # three kinds of lasers share a phrase
    hurt = [say("damaged", 1, 1, harm) for harm in range(len(HARM_NAMES))]
    plain = [name for name, words in zip(HARM_NAMES, hurt, strict=True) if words.startswith("Anna is damaged")]
    assert plain == ["damage", "pit", "edge", "crusher", "trapdoor", "elevator", "crumbled", "copy"]
    assert say("option", 40) == "Anna gets the option Mine Layer"
    assert say("programmed", 3, target=68) == "register 3 of Anna now holds Move 2 (680)"
