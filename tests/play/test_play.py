"""`rr-gym play`: games of a person, line by line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import ROOT
from option_games import FLOOR
from play_talk import SMALL, Talk, options_game, session_of, small

from rr_gym.cli.main import main
from rr_gym.courses.course import Course
from rr_gym.encoding.orders.orders import Orders
from rr_gym.errors import ReplayError, RoboRallyError
from rr_gym.game import Game
from rr_gym.play import PERSON, Session
from rr_gym.players import Player, RandomPlayer
from rr_gym.registry import make_player
from rr_gym.replay import Replay
from rr_gym.rules.state.cards import card_name, parse_card
from rr_gym.rules.state.records import no_orders


def test_locked_registers_need_no_card() -> None:
    game = small()
    robot = game.record.robots[0]
    robot.damage, robot.locked = 5, 0b10000
    robot.registers[4], robot.hand[4:] = robot.hand[8], 0
    held = card_name(int(robot.registers[4]))
    talk = Talk(session_of(game), "3 1 2 4", "show", "1 2 3 4 4", "1 2 3", "go")
    assert talk.errors == [
        f"! program, register 5: {game_hand_name(talk, 3)!r}: expected null: the register is locked ({held})",
        "! program: 3 cards: expected 4 cards, one for each open register; . stands for any card",
    ]
    assert talk.dialogue.session.game.turn == 1


def game_hand_name(talk: Talk, slot: int) -> str:
    """Return the name of a card in the hand before the first turn, by the replay."""
    orders = talk.dialogue.session.replay().turns[0].orders
    return card_name(int(orders[0]["program"][slot]))


def test_a_whole_game_is_played_by_lines(tmp_path: Path) -> None:
    game = small(lives=1)
    session = session_of(game)
    talk = Talk(session, *["m1 . . . .", ".", "go"] * 40, folder=tmp_path)
    assert talk.status == 0
    assert game.over
    assert "the game is over" in talk.text
    saved = Replay.load(tmp_path / "game.json")
    saved.verify()
    assert saved.players == (PERSON, "random", "random")
    assert saved.over
    with pytest.raises(ReplayError, match="the game is over"):
        Session.load(tmp_path / "game.json")


def test_cards_typed_are_the_cards_played() -> None:
    game = small()
    hand = game.hands[0]
    session = session_of(game)
    talk = Talk(session, "9 1 5 3 7", "go")
    orders = session.replay().turns[0].orders[0]
    assert [card_name(int(card)) for card in orders["program"]] == [hand[i] for i in (8, 0, 4, 2, 6)]
    assert [text for text in talk.written if text.startswith("turn ")] == ["turn 1> ", "turn 1> ", "turn 2> "]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("foo", "! there is no command, order or card 'foo': help lists them"),
        ("previw", "! there is no command, order or card 'previw': did you mean 'preview'?"),
        ("1 1 2 3 4", "! program, register 2: "),
        ("facing n", "! facing: 'n': expected null: this robot may not choose its facing now (U28)"),
        ("site option", "! site: 'option': expected auto or repair: there are no option cards"),
        ("buzz", "! buzz: True: expected false: the robot does not own buzz_bomb"),
        ("weapon=nonsense", "! weapon: 'nonsense': expected main | "),
        ("unlock 9", "! unlock: 9: expected a whole number from 1 to 5, or null"),
        ("go", "! there is no program yet: expected cards such as 3 1 5 2 4, or . for any cards"),
        ("explain", "! explain: no turn has been played yet"),
        ("take", "! take: there is no hint yet: expected hint first"),
        ("undo", "! undo: nothing is entered"),
        ("save", "! save: expected the name of a folder"),
        ("hint nobody", "! there is no player 'nobody'"),
        ("help nonsense", "! help nonsense: expected commands, cards, orders, board, options, or a name"),
        ("save /dev/null", "! /dev/null/game.json: cannot be written"),
        ("save a\0b", "! save: 'a\\x00b': cannot be read or written: expected a path without null characters"),
    ],
)
def test_wrong_input_is_answered_and_nothing_is_lost(line: str, message: str) -> None:
    session = session_of(Game("risky_exchange", 3, seed=5) if line == "facing n" else small())
    entered = "power_down" if line != "undo" else "view"
    talk = Talk(session, entered, line, "show")
    assert len(talk.errors) == 1
    assert talk.errors[0].startswith(message)
    assert ("power_down: true" in talk.written[-3]) == (line != "undo")
    assert session.game.turn == 0


def test_statements_after_a_refused_one_are_not_done() -> None:
    session = session_of(small())
    talk = Talk(session, "1 2 3 4 5; nonsense; go", ".; go")
    assert len(talk.errors) == 1
    assert session.game.turn == 1


def test_interrupts_and_the_end_of_input_leave_the_game(tmp_path: Path) -> None:
    twice = Talk(session_of(small()), KeyboardInterrupt(), KeyboardInterrupt(), ".; go")
    assert twice.status == 130
    assert "Ctrl-C again leaves" in twice.text
    kept = Talk(session_of(small()), "power_down", KeyboardInterrupt(), "show", KeyboardInterrupt(), "quit", "go")
    assert kept.status == 0
    assert kept.text.count("power_down: true") == 2
    ended = Talk(session_of(small()))
    assert ended.status == 0
    assert "end of input" in ended.written[-1]


class Impatient(Player):
    """A player that is interrupted while it thinks, the first time."""

    name = "impatient"
    asked = 0

    def orders(self, view: Any) -> Any:
        self.asked += 1
        if self.asked == 1:
            raise KeyboardInterrupt
        return no_orders(1, full=True)[0]


def test_an_interrupt_while_others_think_keeps_the_orders() -> None:
    game = Game(Course.from_board(SMALL, "small"), 2, seed=5)
    thought: list[str] = []
    session = Session(game, [1], [Impatient()], 0, thinking=lambda name: Noting(thought, name))
    talk = Talk(session, "1 2 3 4 5; power_down; go", "show", "go")
    assert "power_down: true" in talk.text
    assert session.game.turn == 1
    assert session.replay().turns[0].orders[1]["power_down"] == 1
    assert thought == ["impatient", "impatient"]


class Noting:
    """A context that notes for whom it is entered."""

    def __init__(self, names: list[str], name: str) -> None:
        names.append(name)

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


def test_a_game_is_not_saved_over_another_that_goes_on(tmp_path: Path) -> None:
    Talk(session_of(small()), f"save {tmp_path}", ".; go", f"save {tmp_path}")  # its own is replaced
    kept = (tmp_path / "game.json").read_bytes()
    talk = Talk(session_of(Game("risky_exchange", 2, seed=77)), f"save {tmp_path}")
    assert talk.errors == [f"! save: {tmp_path}: holds a game that is not over: expected another folder"]
    assert (tmp_path / "game.json").read_bytes() == kept
    assert len(Replay.load(tmp_path / "game.json").turns) == 1


def test_saved_games_resume_identically(tmp_path: Path) -> None:
    one = Session(small(), [1], [RandomPlayer(), RandomPlayer()], seed=5)
    Talk(one, ".; go", "1 2 3 4 5; go", f"save {tmp_path}", ".; go; 5 4 3 2 1; go")
    two = Session.load(tmp_path / "game.json")
    assert (two.seat, two.labels, two.game.turn) == (1, ["random 1", PERSON, "random 3"], 2)
    assert two.events
    Talk(two, ".; go; 5 4 3 2 1; go")
    assert two.replay().to_json() == one.replay().to_json()
    assert np.array_equal(two.game.games, one.game.games)


def test_files_that_cannot_be_resumed_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_of(small())
    path = session.save(tmp_path / "game.json")
    text = path.read_text()
    other = tmp_path / "other.json"
    other.write_text(text.replace('"human"', '"greedy"'))
    with pytest.raises(ReplayError, match=r"other.json: players: no seat named 'human': say which seat is yours"):
        Session.load(other)
    assert Session.load(other, seat=2).labels == ["greedy", "random", PERSON]
    other.write_text(text.replace('["human", "random"', '["human", "program:true"'))
    with pytest.raises(ReplayError, match=r"program:true.*name the opponents again"):
        Session.load(other)
    with pytest.raises(RoboRallyError, match="1 opponents: expected 2, one for each other seat"):
        Session.load(path, ["random"])
    with pytest.raises(ReplayError, match="cannot be read"):
        Session.load(tmp_path / "nothing.json")


def test_orders_of_options_go_by_name() -> None:
    game = options_game("turret", "mine_layer", "crab_legs", "drone_launcher")
    session = session_of(game)
    hand = [parse_card(card) for card in game.hands[0]]
    move = next((i for i, (kind, _) in enumerate(hand, 1) if kind == 5), 0)
    turns = [i for i, (kind, _) in enumerate(hand, 1) if kind in (2, 3)]
    others = [i for i in range(1, 10) if i not in (move, turns[0])][:4]
    assert move
    talk = Talk(
        session,
        f"{move} {' '.join(map(str, others))}",
        "turret left right",
        "weapon=main,drone",
        "gadget . mine",
        "gadget mine mine mine mine",
        "shield left",
        "movement_option crab_legs .",
        f"movement_option=crab_legs,.; second={turns[0]}",
        "show",
        "go",
    )
    assert len(talk.errors) == 2
    assert talk.errors[0].startswith("! gadget, register 4: 'mine': expected no more than the 3 left")
    assert talk.errors[1] == "! shield, register 1: 'left': expected front: the robot does not own shield"
    assert "not yet complete: second, register 1: None: expected a card" in talk.text
    orders = Orders.from_record(session.replay().turns[0].orders[0])
    assert orders.turret[:2] == ("left", "right")
    assert orders.weapon[:2] == ("main", "drone")
    assert orders.gadget[:2] == ("none", "mine")
    assert orders.movement_option[0] == "crab_legs"
    assert orders.second[0] == hand[turns[0] - 1][1]


def test_an_order_that_waits_for_another_does_not_hinder_the_rest() -> None:
    game = options_game("crab_legs")
    hand = game.hands[0]
    move = next(i for i, card in enumerate(hand, 1) if card.startswith("move_1"))
    turn = next(i for i, card in enumerate(hand, 1) if card.startswith("rotate"))
    others = [i for i in range(1, 10) if i not in (move, turn)][:4]
    talk = Talk(
        session_of(game),
        "movement_option crab_legs .",
        f"{move} {move} . . .",
        f"{move} {' '.join(map(str, others))}; power_down",
        f"second={turn}",
        "movement_option dual_processor",
        "go",
    )
    assert len(talk.errors) == 2
    assert talk.errors[0].startswith("! program, register 2: ")
    assert "expected each card once" in talk.errors[0]
    assert "the robot does not own dual_processor" in talk.errors[1]
    assert talk.text.count("not yet complete") == 3  # the option, the program, the power-down
    order = Orders.from_record(talk.dialogue.session.replay().turns[0].orders[0])
    assert (order.power_down, order.movement_option[0]) == (True, "crab_legs")


def hints() -> Iterator[tuple[str, Game]]:
    yield "random", small()
    yield "random", options_game("turret", "mine_layer", "crab_legs", "drone_launcher", "flywheel")
    yield "greedy", small()


@pytest.mark.parametrize(("player", "game"), list(hints()), ids=["random", "options", "greedy"])
def test_hints_are_legal_and_can_be_taken(player: str, game: Game) -> None:
    session = session_of(game)
    expected = make_player(player).orders(session.sight()).program.tolist()
    talk = Talk(session, f"hint {player}", "take", "go")
    assert f"{player} would order" in talk.text
    assert not talk.errors
    assert session.replay().turns[0].orders[0]["program"].tolist() == expected


def test_a_robot_that_is_down_or_out_has_nothing_to_program() -> None:
    games = (Game(Course.from_board(FLOOR, "floor"), 2, seed) for seed in range(20))
    game = next(game for game in games if sum("rotate" in card for card in game.hands[0]) >= 5)
    session = session_of(game)
    turns = [str(i) for i, card in enumerate(game.hands[0], 1) if "rotate" in card][:5]
    talk = Talk(session, f"{' '.join(turns)}; power_down; go", "go")
    assert "your robot is powered down" in talk.text
    assert session.game.turn == 2
    game = small(lives=1)
    game.record.robots[0].out, game.record.robots[0].alive, game.record.robots[0].hand[:] = 1, 0, 0
    talk = Talk(session_of(game), "1 2 3 4 5", "hint", "preview", "go")
    assert len(talk.errors) == 3
    assert all("your robot is out of the game" in error for error in talk.errors)
    assert len(talk.dialogue.session.replay().turns) == 1


def test_the_command_plays_through_a_pipe_and_resumes(tmp_path: Path) -> None:
    def play(lines: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "rr_gym", "play", *arguments]
        return subprocess.run(command, cwd=ROOT, input=lines, capture_output=True, text=True, timeout=300, check=False)

    board = tmp_path / "small.rrb"
    board.write_text(SMALL)
    folder = tmp_path / "game"
    done = play(
        "3 1 5 2 4\ngo\n", "--course", str(board), "--players", "random,random", "--seat", "2", "--seed", "7",
        "--out", str(folder),
    )
    assert done.returncode == 0, done.stderr
    assert "turn 1> 3 1 5 2 4\n" in done.stdout
    assert "end of input" in done.stdout
    assert "\x1b" not in done.stdout
    assert Replay.load(folder / "game.json").players == ("random", "random", PERSON)
    done = play(".; go; quit\n", "--out", str(folder), "--resume")
    assert done.returncode == 0, done.stderr
    assert "turn 2> .; go; quit" in done.stdout
    assert len(Replay.load(folder / "replay.json").turns) == 2
    assert (folder / "replay.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "nobody"], "there is no player 'nobody'"),
        (["--players", ","], "--players: ',': expected names with commas between"),
        (["--alone", "--players", "random"], "--alone: expected no --players with it"),
        (["--players", "random", "--seat", "2"], "seat: 2: expected 0 to 1"),
        (["--players", ",".join(["random"] * 8)], "against: 8 players: expected at most 7"),
        (["--course", "nowhere"], "nowhere"),
        (["--seed", "-1"], "--seed: -1: expected"),
        (["--set", "lives"], "--set lives: expected a name and a value"),
        (["--course", "checkmate,twister"], "--course: checkmate,twister: expected one"),
        (["--resume"], "--resume: expected --out with it"),
        (["--out", "no_such_game", "--resume"], "--resume: there is nothing to resume in no_such_game"),
    ],
)
def test_wrong_arguments_are_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda prompt: pytest.fail("nothing should be asked"))
    assert main(["play", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("rr-gym: ")
    assert message in error
    assert len(error.splitlines()) == 1
