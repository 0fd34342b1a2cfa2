"""Tools for language models: what they return, what they hide, and what they refuse."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

from rr_gym.bots import new_bot
from rr_gym.cli.main import main
from rr_gym.errors import MissingExtraError, RoboRallyError
from rr_gym.mcp_server import MOST_GAMES, GameTools, server


@pytest.fixture
def tools() -> GameTools:
    return GameTools()


def _hand(text: str) -> list[str]:
    """Return the cards of the hand in a prompt."""
    found = re.search(r"[Hh]and[^\n]*", text)
    assert found is not None
    return re.findall(r"\w+@\d+", found[0])


def test_a_scripted_model_plays_a_game(tools: GameTools) -> None:
    text = tools.new_game("risky_exchange", ["greedy", "random"])
    name = text.split()[0]
    assert tools.position(name) in text
    for _ in range(120):
        hand = _hand(text)
        program = [*hand, *[None] * 5][:5] if "null" in text else []
        if len(hand) >= 5:
            previewed = tools.preview(name, program)
            assert "your robot" in previewed
        text = tools.play(name, {"program": program} if len(hand) >= 5 else {})
        if "The game is over" in text:
            break
    assert re.search(r"your robot: place \d, robot 1 \(greedy\): place \d, robot 2 \(random\): place \d", text)
    with pytest.raises(RoboRallyError, match="expected a game that is not over: none"):
        tools.position(name)


def test_hands_of_others_are_not_told(tools: GameTools) -> None:
    name = tools.new_game(opponents=["racer"]).split()[0]
    game = tools.game(name)
    position = tools.position(name)
    assert all(card in position for card in game.hands[0])
    assert not any(card in position for card in game.hands[1])
    assert tools.new_game(opponents=["racer"]).split("\n", 1)[1] != position  # no seed makes deals come again


def test_rules_boards_and_courses_are_text(tools: GameTools) -> None:
    assert "risky_exchange: 2 to 8 players, 12x16, 3 flags" in tools.courses()
    assert tools.board("risky_exchange").startswith("Risky Exchange, 12x16")
    assert "R-E25.1" in tools.rules("Flamer")
    assert tools.rules("mine layer").startswith("Mine Layer: ")
    assert "turn" in tools.rules()
    assert tools.rules("turn").startswith("#")
    assert "R-A11.6" in tools.rules("R-A11.6")
    assert "energy" in tools.rules("energy wall").lower()


def test_players_are_compared(tools: GameTools) -> None:
    assert "won" in tools.compare(["greedy", "random"], games=20)


# It asks for no previews, so that its check takes a second
BOT = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"id": message["id"], "orders": {}}), flush=True)
"""


def test_bots_are_checked_and_compared(tmp_path: Path) -> None:
    new_bot(tmp_path / "mine", "python")
    (tmp_path / "mine" / "bot.py").write_text(BOT)
    tools = GameTools(tmp_path)
    assert tools.check_bot in tools.all()
    assert "mine 0.1.0: a host would accept it" in tools.check_bot("mine")
    assert "mine 0.1.0" in tools.compare(["bot:mine", "random"], games=2)
    for name in ("../mine", "other", "", "/"):
        with pytest.raises(RoboRallyError, match=f"bot: '{name}': expected one of mine"):
            tools.check_bot(name)
    with pytest.raises(RoboRallyError, match="bot: 'mine': expected one of none"):
        GameTools().compare(["bot:mine", "random"])
    with pytest.raises(RoboRallyError, match="expected a folder with a folder for each bot"):
        GameTools(tmp_path / "nowhere")


def test_the_oldest_game_ends_when_there_are_too_many(tools: GameTools) -> None:
    names = [tools.new_game().split()[0] for _ in range(MOST_GAMES + 1)]
    with pytest.raises(RoboRallyError, match="expected a game that is not over"):
        tools.position(names[0])
    assert tools.position(names[1])


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("board", {"course": "/etc/passwd"}, "course: '/etc/passwd': expected an id from the tool courses"),
        ("new_game", {"opponents": []}, r"opponents: \[\]: expected 1 to 7 names"),
        ("new_game", {"opponents": ["program:rm"]}, "player: 'program:rm': expected one of champion"),
        ("new_game", {"opponents": ["strategist:@runs/mine"]}, "expected one of champion"),
        ("new_game", {"settings": {"lives": "many"}}, "lives"),
        ("compare", {"players": ["greedy", "random"], "games": 1000}, "games: 1000: expected 1 to 200"),
        ("compare", {"players": ["greedy"]}, "expected 2 to 8 names"),
        ("rules", {"topic": "xyzzy"}, "topic: 'xyzzy': expected the id of a rule"),
        ("play", {"game": "game-9", "orders": {}}, "game: 'game-9': expected a game that is not over: none"),
    ],
)
def test_what_a_model_may_not_do(name: str, arguments: dict[str, Any], message: str, tools: GameTools) -> None:
    with pytest.raises(RoboRallyError, match=message):
        getattr(tools, name)(**arguments)


def test_illegal_orders_play_nothing(tools: GameTools) -> None:
    name = tools.new_game().split()[0]
    before = tools.position(name)
    for orders in ({"program": ["move_1@1"] * 5}, {"programme": []}, {"program": 3}):
        with pytest.raises(RoboRallyError):
            tools.play(name, orders)
    assert tools.position(name) == before


def test_the_server_lists_and_calls_tools() -> None:
    pytest.importorskip("mcp.server.mcpserver")
    made = server(GameTools())

    async def use() -> tuple[list[Any], Any]:
        return await made.list_tools(), await made.call_tool("new_game", {"opponents": ["random"]})

    listed, result = asyncio.run(use())
    assert [tool.name for tool in listed] == [tool.__name__ for tool in GameTools().all()]
    assert all("Args:" in tool.description or not tool.input_schema["properties"] for tool in listed)
    assert result.content[0].text.startswith("game-1\n")
    with pytest.raises(Exception, match="expected 1 to 7 names"):
        asyncio.run(made.call_tool("new_game", {"opponents": []}))


def test_the_server_speaks_over_standard_input() -> None:
    pytest.importorskip("mcp.server.mcpserver")
    hello = {
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
    }  # fmt: skip
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}]
    lines += [{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "courses", "arguments": {}}}]
    with subprocess.Popen(
        [sys.executable, "-m", "rr_gym", "mcp"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
        process.stdin.flush()
        answers = {}
        while 2 not in answers:
            answer = json.loads(process.stdout.readline())
            answers[answer["id"]] = answer["result"]
        process.stdin.close()
        assert process.wait(20) == 0
    assert answers[1]["serverInfo"]["name"] == "rr-gym"
    assert "risky_exchange" in answers[2]["content"][0]["text"]


def test_the_error_names_the_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp.server", None)
    with pytest.raises(MissingExtraError, match="extra 'mcp'"):
        server(GameTools())


def test_tools_can_be_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "--tools"]) == 0
    assert "preview\nSay where a program leads your robot" in capsys.readouterr().out
