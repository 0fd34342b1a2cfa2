"""Programs of protocol 2 in processes of their own: floods, late previews, transcripts, names of players."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import COURSE, DEFAULTS, LOST, written

from rr_gym.players import program as player_module
from rr_gym.players.program import ProgramPlayer
from rr_gym.players.transcript import FROM, TO, Transcript
from rr_gym.registry import PlayerError, typed_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import LOG


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(COURSE)


def program(folder: Path, code: str, **options: Any) -> ProgramPlayer:
    return written(folder, code, protocol=2, **options)


def test_a_flood_of_previews_costs_the_time_of_its_decision_and_no_more(arena: Arena, tmp_path: Path) -> None:
    code = """
for turn in turns():
    if turn["id"] > 1:
        flood = json.dumps({"id": turn["id"], "preview": [{}] * 256})
        for _ in range(400):
            say(flood)
        time.sleep(0.5)
    answer(turn)
"""
    player = program(tmp_path, code, seconds=0.3)
    games = arena.new_games(1, 2, seed=1)
    player.act(arena, games, 0)
    begin = time.monotonic()
    games["turn"] = 1
    assert player.act(arena, games, 0)[0] == LOST
    assert time.monotonic() - begin < 3
    assert dict(player.faults) == {"time-out": 1}
    player.close()


def test_a_program_that_asks_and_does_not_read_is_stopped(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(player_module, "MOST_UNREAD", 100_000)
    code = """
for turn in turns():
    for _ in range(100):
        say(json.dumps({"id": turn["id"], "preview": [0] * 256}))
    time.sleep(30)
"""
    player = program(tmp_path, code, starts=1)
    player.act(arena, arena.new_games(1, 2, seed=1), 0)
    assert dict(player.faults) == {"crash": 1}
    assert "it asked for previews and did not read them" in player.reports[-1]
    player.close()


def test_an_answer_in_time_counts_although_previews_before_it_were_not_made(arena: Arena, tmp_path: Path) -> None:
    code = """
for turn in turns():
    if turn["id"] == 2:
        for _ in range(8):
            say(json.dumps({"id": 2, "preview": [{}] * 256}))
    answer(turn, program=turn["legal"]["program"]["cards"][:5])
"""
    player = program(tmp_path, code, seconds=0.4)
    games = arena.new_games(1, 2, seed=1)
    player.act(arena, games, 0)
    games["turn"] = 1
    assert player.act(arena, games, 0)[0] not in (DEFAULTS, LOST)
    assert not player.faults
    player.close()


def test_late_and_second_answers_and_giant_lines(arena: Arena, tmp_path: Path) -> None:
    code = """
for turn in turns():
    if turn["turn"] == 1:
        time.sleep(0.7)
    if turn["turn"] == 3:
        say("x" * 70000)
    answer(turn)
    answer(turn)
    say(json.dumps({"id": turn["id"], "preview": [{}]}))
"""
    player = program(tmp_path, code, seconds=0.5)
    games = arena.new_games(1, 2, seed=1)
    for turn in range(5):
        games["turn"] = turn
        player.act(arena, games, 0)
        time.sleep(0.25)
    assert dict(player.faults) == {"time-out": 1, "crash": 1}
    assert "wrote a line of more than 65,536 bytes" in "".join(player.reports)
    player.close()


def test_banks_end_in_whatever_order_a_program_answers(arena: Arena, tmp_path: Path) -> None:
    code = """
first = None
for turn in turns():
    if first is None:
        first = turn
        continue
    if turn["turn"]:
        time.sleep(0.6)
    answer(turn)
    answer(first)
    first = None
"""
    player = program(tmp_path, code, seconds=5.0, bank=1.0)
    games = arena.new_games(2, 2, seed=1)
    for turn in range(3):
        games["turn"] = turn
        player.act(arena, games, 0)
        forfeited = player.watch(arena, games, 0, np.zeros(2, LOG), np.zeros(2, np.bool_))
    assert forfeited[1]  # the oldest question was always that of the first game
    assert "the time bank of this game is used up" in "".join(player.reports)
    player.close()


def test_a_transcript_has_previews_and_the_end(arena: Arena, tmp_path: Path) -> None:
    code = """
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        say(json.dumps({"id": message["id"], "preview": [{}]}))
    elif message["type"] == "preview":
        say(json.dumps({"id": message["id"], "orders": {}}))
"""
    player = program(tmp_path, code)
    player.transcript = Transcript()
    games = arena.new_games(1, 2, seed=1)
    player.act(arena, games, 0)
    player.watch(arena, games, 0, np.zeros(1, LOG), np.array([True]))
    player.close()
    lines = [line for line in player.transcript.lines if line.way in (TO, FROM)]
    said = [(line.way, json.loads(line.line).get("type", "-"), line.game) for line in lines]
    assert said == [
        (TO, "hello", ""), (TO, "course", ""), (TO, "game", "1"), (TO, "turn", "1"), (FROM, "-", "1"),
        (TO, "preview", "1"), (FROM, "-", "1"), (TO, "end", "1"),
    ]  # fmt: skip
    assert player.transcript.games() == ["1"]


def test_a_program_that_was_restarted_is_told_everything_again(arena: Arena, tmp_path: Path) -> None:
    code = """
heard = [json.loads(sys.stdin.readline())["type"] for _ in range(4)]
print(heard, file=sys.stderr)
sys.exit(0)
"""
    player = program(tmp_path, code, starts=2)
    player.act(arena, arena.new_games(2, 2, seed=1), 0)
    assert dict(player.faults) == {"crash": 2}
    assert all("['hello', 'course', 'game', 'turn']" in report for report in player.reports)


def test_names_of_players_say_the_protocol_and_the_times(tmp_path: Path) -> None:
    player = typed_player("program:protocol=2 bank=20 seconds=2 sandbox=none python3 bot.py")
    assert isinstance(player, ProgramPlayer)
    assert (player.protocol, player.seconds, player.command[-1]) == (2, 2.0, "bot.py")
    plain = typed_player("program:sandbox=none python3 bot.py")
    assert isinstance(plain, ProgramPlayer)
    assert (plain.protocol, plain.watches) == (1, False)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("program:protocol=3 python3 bot.py", "protocol: '3': expected 1 or 2"),
        ("program:protocol=2 bank=no python3 bot.py", "bank: 'no': expected a number above 0"),
        ("program:bank=5 sandbox=none python3 bot.py", "bank: 5.0: expected none: protocol 1 has no time bank"),
        ("bot:protocol=2 mybot", "protocol: '2': expected none: the bot's manifest says it"),
    ],
)
def test_names_with_wrong_options_are_refused(name: str, message: str) -> None:
    with pytest.raises((PlayerError, ValueError), match=message):
        typed_player(name)
