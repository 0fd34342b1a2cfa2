"""The example bot that asks a language model, with a fake server whose answers tests choose."""

from __future__ import annotations

import json
import re
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT, Python

from rr_gym import Game, RoboRallyError
from rr_gym.cli.main import main
from rr_gym.play import count_tokens, prompt
from rr_gym.players import ProgramPlayer
from rr_gym.registry import typed_player

Answer = Callable[[str], Any]  # returns the text of an answer, an HTTP status, or the bytes of a whole response


class FakeModel(ThreadingHTTPServer):
    """A server that answers questions by a list of functions, of which the last one is used repeatedly."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[Answer] = [good]
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: FakeModel

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path == "/v1/chat/completions"
        number = len(self.server.asked)
        self.server.asked.append(body)
        self.server.keys.append(self.headers["Authorization"])
        answers = self.server.answers
        said = answers[min(number, len(answers) - 1)](body["messages"][1]["content"])
        status = said if isinstance(said, int) else 200
        answer = {"choices": [{"message": {"role": "assistant", "content": said}}]}
        try:
            if isinstance(said, Iterator):
                for part in said:
                    self.wfile.write(part)
                return
            self.send_response(status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())
        except OSError:
            pass  # the bot has closed the connection

    def log_message(self, *_: Any) -> None:
        pass


def cards(question: str) -> list[str]:
    found = re.search(r"^Your hand: (.*)$", question, re.MULTILINE)
    assert found
    return found[1].split(", ")


def program(question: str, take: slice = slice(0, 5)) -> list[Any]:
    states = re.findall(r"\d (open|locked)", re.search(r"^Your registers: .*$", question, re.MULTILINE)[0])  # type: ignore[index]
    hand = cards(question)[take]
    return [hand.pop() if state == "open" else None for state in states]


def good(question: str) -> str:
    return f"Here it is:\n```json\n{json.dumps({'program': program(question)})}\n```"


def twice(question: str) -> str:
    return json.dumps({"program": [cards(question)[0]] * 5})


def slow(question: str) -> str:
    time.sleep(2.5)
    return good(question)


def aloud(question: str) -> str:
    first = json.dumps({"program": cards(question)[:5]})
    return f'<think>{{maybe}} {first}? No.</think>\n{{ "program": {json.dumps(program(question))}}} {{so}}'


def deep(question: str) -> str:
    return '{"program": ' + "[" * 100_000


def drip(question: str) -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\n\r\n"
    for _ in range(25):
        time.sleep(0.1)
        yield b" "


def garbage(question: str) -> Iterator[bytes]:
    yield b"What is HTTP?\r\n\r\n"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeModel]:
    server = FakeModel()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    monkeypatch.setenv("LLM_BOT_URL", server.url)
    monkeypatch.setenv("LLM_BOT_MODEL", "fake-1")
    monkeypatch.setenv("LLM_BOT_KEY", "key-4711")
    monkeypatch.setenv("LLM_BOT_TRANSCRIPT", str(tmp_path / "transcript.jsonl"))
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def play(turns: int, seconds: float = 20.0) -> tuple[ProgramPlayer, list[Any]]:
    bot = ProgramPlayer([sys.executable, str(ROOT / "examples" / "llm_bot.py")], seconds=seconds, sandbox="none")
    game, programs = Game("risky_exchange", 2, seed=3, settings={"power_down": "off", "lives": "unlimited"}), []
    for _ in range(turns):
        hand = game.hands[0]
        orders = game.resolve({0: bot})[0]
        programs.append((hand, orders["program"].tolist()))
        game.play({0: {"program": [int(card) or None for card in orders["program"]]}})
    bot.close()
    return bot, programs


def records(tmp_path: Path) -> list[Any]:
    return [json.loads(line) for line in (tmp_path / "transcript.jsonl").read_text("utf-8").splitlines()]


def test_the_bot_plays_what_the_model_says(model: FakeModel, tmp_path: Path) -> None:
    bot, programs = play(2)
    assert not bot.faults
    assert len(model.asked) == 2
    assert {body["model"] for body in model.asked} == {"fake-1"}
    assert set(model.keys) == {"Bearer key-4711"}
    for hand, chosen in programs:
        numbers = [int(card.partition("@")[2]) // 10 for card in hand]
        assert chosen == numbers[:5][::-1]  # no register is locked yet
    kept = records(tmp_path)
    assert [record["turn"] for record in kept] == [0, 1]
    assert all(record["faults"] == [] and record["orders"] for record in kept)
    assert "key-4711" not in (tmp_path / "transcript.jsonl").read_text("utf-8")
    question = model.asked[0]["messages"][1]["content"]
    assert "> > > L . v ^ . v >> >> >>" in question
    assert "Robot 0 (you): at" in question


@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        (lambda question: "I would go north.", "there is no JSON object in it"),
        (lambda question: "", "there is no JSON object in it"),
        (lambda question: "{program: 3}", "Expecting property name"),
        (lambda question: '{"program": ["move_1"]}', "with five entries"),
        (lambda question: '{"program": ["move_1", 1, 2, 3, 4]}', 'register 1: "move_1" is not a card of your hand'),
        (twice, "is there twice"),
        (deep, "too many brackets"),
    ],
)  # fmt: skip
def test_the_bot_asks_again_once_with_the_error(model: FakeModel, tmp_path: Path, bad: Answer, fault: str) -> None:
    model.answers = [bad, good]
    bot, _ = play(1)
    assert not bot.faults
    first, second = model.asked
    assert len(first["messages"]) == 2
    assert [message["role"] for message in second["messages"]] == ["system", "user", "assistant", "user"]
    assert fault in second["messages"][3]["content"]
    (record,) = records(tmp_path)
    assert fault in record["faults"][0]
    assert record["orders"]["program"]


@pytest.mark.parametrize(
    ("answers", "asked", "fault"),
    [
        ([lambda question: "no", lambda question: "never"], 2, "there is no JSON object"),
        ([lambda question: 500], 1, "HTTPError: HTTP Error 500"),
        ([lambda question: None], 1, "the server's answer has no text"),
        ([slow], 1, "TimeoutError"),
        pytest.param([drip], 1, "TimeoutError", marks=pytest.mark.long),
        ([garbage], 1, "BadStatusLine"),
    ],
)
def test_the_bot_falls_back_to_default_orders(
    model: FakeModel, tmp_path: Path, answers: list[Answer], asked: int, fault: str
) -> None:
    model.answers = answers
    bot, programs = play(1, seconds=1.5 if answers[0] in (slow, drip) else 20.0)
    assert not bot.faults  # default orders are legal, and in time
    assert programs[0][1] == [0] * 5
    assert len(model.asked) == asked
    (record,) = records(tmp_path)
    assert fault in record["faults"][-1]
    assert record["orders"] == {}


def test_the_last_program_of_an_answer_counts(model: FakeModel, tmp_path: Path) -> None:
    model.answers = [aloud]
    _, ((hand, chosen),) = play(1)
    assert chosen == [int(card.partition("@")[2]) // 10 for card in hand[:5][::-1]]
    assert records(tmp_path)[0]["faults"] == []


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("LLM_BOT_URL", "localhost:8000/v1", "LLM_BOT_URL: 'localhost:8000/v1/chat/completions': expected an address"),
        ("LLM_BOT_TRANSCRIPT", "no/such/folder/x.jsonl", "LLM_BOT_TRANSCRIPT: "),
    ],
)
def test_the_bot_refuses_settings_that_cannot_work(python: Python, name: str, value: str, expected: str) -> None:
    done = python(str(ROOT / "examples" / "llm_bot.py"), check=False, **{name: value})
    assert done.returncode == 1
    assert done.stderr.startswith(expected)


def test_prompts_say_what_a_seat_knows() -> None:
    game = Game("risky_exchange", 3, seed=5)
    text = prompt(game, 1)
    assert all(card in text for card in game.hands[1])
    assert not any(card in text for seat in (0, 2) for card in game.hands[seat])
    alone = re.findall(r"^(\S+) in register 1: your robot is (?:at \(\d+, \d+\), facing \w+|off the board)", text, re.M)
    assert alone == list(game.hands[1])
    assert 300 < count_tokens(text) < 2500
    bare, whole = game.view(1).as_text().splitlines(), game.view(1).as_text(game.course).splitlines()
    assert len(whole) == len(bare) + 2 + game.course.size[1]
    assert set(bare) < set(whole)


def test_facings_of_turret_guns_say_when_rooms_have_turned() -> None:
    view = Game("risky_exchange", 1, seed=5).view(0)
    still = replace(view.board, guns=("n", "e"))
    assert "The turret guns face north, east." in replace(view, board=still).as_text()
    turned = replace(still, rooms=(1,))
    assert "face north, east, each as if its room had not turned." in replace(view, board=turned).as_text()


def test_programs_may_be_given_more_time_by_name() -> None:
    name = f"program:seconds=2.5 {sys.executable} bot.py --skill 3"
    player = typed_player(name)
    assert isinstance(player, ProgramPlayer)
    assert (player.name, player.seconds) == (name, 2.5)
    assert player.command == [sys.executable, "bot.py", "--skill", "3"]
    with pytest.raises(RoboRallyError, match="seconds: '0': expected a number above 0"):
        typed_player(f"program:seconds=0 {sys.executable}")


def test_the_command_prints_prompts(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = Game("risky_exchange", 4, seed=6)
    path = tmp_path / "position.game"
    game.save(path)
    assert main(["prompt", str(path), "--seat", "2"]) == 0
    out, err = capsys.readouterr()
    assert out == prompt(game, 2) + "\n"
    assert err == f"{len(prompt(game, 2)):,} characters, about {count_tokens(out):,} tokens\n"
    assert main(["prompt", "--players", "random,random", "--seed", "6", "--turns", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["prompt"].count("Robot ") == 2
    assert "Turn 3 on risky_exchange" in data["prompt"]
    for words, expected in (
        (["--seat", "4"], "seat: 4: expected 0 to 3"),
        ([str(path), "--course", "checkmate"], "--course: expected none with a saved game"),
        ([str(path), "--turns", "0"], "--turns: expected none with a saved game"),
    ):
        assert main(["prompt", *words]) == 2
        assert expected in capsys.readouterr().err


def test_prompts_follow_the_game() -> None:
    game = Game("everything", 3, seed=5, settings={"option_cards": "on", "start_options": 2})
    for _ in range(8):
        for seat in range(3):
            text, view = prompt(game, seat), game.view(seat)
            for robot in view.robots:
                if robot.square and not robot.out:
                    assert f"at ({robot.square[0]}, {robot.square[1]}), facing" in text
            for card in view.own.registers:
                assert card is None or card in text
            if not view.hand:
                assert "Answer with {}" in text
            assert not re.search(r"[,;]$", text, re.MULTILINE)
        game.play()
        if game.over:
            break
    assert game.turn > 3
