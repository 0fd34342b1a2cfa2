"""Improving a bot: rounds of games, again when its files change, and recorded games once more."""

from __future__ import annotations

import json
import os
import pty
import select
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from rr_gym.bots import BotPlayer
from rr_gym.cli import bot as bot_commands
from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.players import GreedyPlayer
from rr_gym.players.process import OutputLine
from rr_gym.players.transcript import Transcript
from rr_gym.replay import Replay
from rr_gym.workshop import watching
from rr_gym.workshop.replaying import LOST, NO_ANSWER, OTHER, SAME, replay_runs, runs_of
from rr_gym.workshop.rounds import RoundPlan, play_round

PROGRAM = """
import json, sys
print("hello from the bot", file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        cards = message["legal"]["cards"]
        program = [cards.pop() if r in message["legal"]["registers"] else None for r in range(1, 6)]
        answer = {"id": message["id"], "orders": {"program": program}}
        CHANGE
        print(json.dumps(answer), flush=True)
"""
MANIFEST = 'name = "simple"\nversion = "1.0"\nprotocol = 1\ncommand = ["python3", "bot.py"]\n'


def write_bot(folder: Path, change: str = "pass") -> Path:
    """Write a bot that plays its cards as they come, with a change to its answer."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(MANIFEST)
    (folder / "bot.py").write_text(PROGRAM.replace("CHANGE", change))
    return folder


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    return write_bot(tmp_path / "simple")


@pytest.fixture
def recorded(bot: Path, tmp_path: Path) -> Path:
    """Return the transcript of a game of the bot of some turns."""
    plan = RoundPlan(("greedy",), games=1, max_cycles=4)
    play_round(BotPlayer(bot), [GreedyPlayer()], plan, tmp_path / "kept", lambda done, of: None)
    return tmp_path / "kept" / "game-1.transcript.jsonl"


def test_what_is_not_won_is_kept(bot: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    plan, others = RoundPlan(("greedy", "greedy"), games=3, seed=3, max_cycles=6), [GreedyPlayer(), GreedyPlayer()]
    one = play_round(BotPlayer(bot), others, plan, folder, lambda done, of: None)
    assert [game.seat for game in one.games] == [0, 1, 2]
    assert len(one.kept) >= 2
    for game in one.kept:
        replay = Replay.load(folder / f"game-{game.number}.json")
        replay.verify()
        assert replay.players[game.seat] == "simple 1.0"
        assert game.seat not in replay.winners
        assert game.page
        assert 1 <= game.page.turn <= len(replay.turns) == game.turns
        assert (folder / f"game-{game.number}.stderr.txt").read_text() == "hello from the bot\n"
        (run,) = runs_of(Transcript.read(folder / f"game-{game.number}.transcript.jsonl"))
        assert 1 <= len(run.turns) <= len(replay.turns)
        assert {turn.message["seat"] for turn in run.turns} == {game.seat}
    again = play_round(BotPlayer(bot), others, plan, folder, lambda done, of: None)
    assert again.games == one.games
    assert "every game as before" in again.text(one)
    assert again.text().startswith("simple 1.0 against greedy, greedy: 3 games\n  won ")


def test_games_of_the_round_before_go(bot: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    play = [GreedyPlayer()], RoundPlan(("greedy",), games=2, max_cycles=2), folder, lambda done, of: None
    assert len(play_round(BotPlayer(bot), *play).kept) == 2
    (folder / "notes.txt").write_text("mine")
    (folder / "game-plan.txt").write_text("mine")
    alone = RoundPlan((), games=1, max_cycles=1)
    assert len(play_round(BotPlayer(bot), [], alone, folder, lambda done, of: None).kept) == 1
    assert sorted({file.name.partition(".")[0] for file in folder.iterdir()}) == ["game-1", "game-plan", "notes"]


def test_changes_are_seen_once_files_rest(bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def sleep(seconds: float) -> None:
        looks.append(seconds)
        if len(looks) in (2, 3):
            (bot / "bot.py").write_text("x" * len(looks))

    monkeypatch.setattr(watching.time, "sleep", sleep)
    known = watching.state_of_files(bot)
    assert watching.wait_for_change(bot, known, every=0.25) != known
    assert looks == [0.25] * 4
    (bot / "link").symlink_to(bot / "bot.py")
    assert "no links" in str(watching.state_of_files(bot))


def test_it_plays_again_until_ctrl_c(
    bot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[str] = []

    def wait(folder: Path, known: watching.FilesState) -> None:
        waits.append(capsys.readouterr().out)
        if len(waits) == 1:
            (folder / "bot.toml").write_text("name = 1")
        elif len(waits) == 2:
            write_bot(folder, "answer['orders'] = {}")
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(watching, "wait_for_change", wait)
    assert main(["bot", "watch", str(bot), "--games", "2", "--max-cycles", "3"]) == 0
    assert waits[0].startswith("simple 1.0 against greedy: 2 games")
    assert waits[1].startswith("waiting for changes")
    assert waits[2].startswith("simple 1.0 against greedy: 2 games")
    assert (tmp_path / "simple-lost" / "game-1.html").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (["--out", "simple/kept"], "expected a folder outside of"),
        (["--against", "nobody"], "there is no player 'nobody'"),
        (["--course", "nowhere"], "nowhere"),
    ],
)
def test_mistakes_in_watching(
    line: list[str], message: str, bot: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bot.parent)
    assert main(["bot", "watch", "simple", "--once", *line]) == 2
    assert message in capsys.readouterr().err


# Recorded games once more


def test_the_same_bot_answers_the_same(bot: Path, recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "replay", str(recorded), str(bot)]) == 0
    assert capsys.readouterr().out == "4 turns: 4 same\n"
    assert main(["bot", "replay", str(recorded), str(bot), "--debug", "--until-turn", "2"]) == 0
    assert capsys.readouterr().out == "2 turns: 2 same\n"


def test_other_answers_are_shown(bot: Path, recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_bot(bot, "answer['orders']['program'].reverse() if message['turn'] == 2 else None")
    assert main(["bot", "replay", str(recorded), str(bot)]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("game 1.0.0, seat 0, turn 3: other") or out[0].endswith("seat 0, turn 3: other")
    assert out[1].startswith("  then: {")
    assert out[2].startswith("  now:  {")
    then, now = (json.loads(line.split(": ", 1)[1].rpartition(" (")[0])["program"] for line in out[1:3])
    assert then == now[::-1]
    assert out[3:] == ["4 turns: 3 same, 1 other"]
    assert main(["bot", "replay", str(recorded), str(bot), "--json"]) == 1
    assert [turn["verdict"] for turn in json.loads(capsys.readouterr().out)] == [SAME, SAME, OTHER, SAME]


@pytest.mark.parametrize(
    ("change", "verdicts", "why"),
    [
        ("message['turn'] == 1 and sys.exit(3)", [SAME, NO_ANSWER], "it ended"),
        ("answer = message['turn'] == 1 and 'hm' or answer", [SAME, NO_ANSWER, SAME, SAME], "hm"),
        ("import time; message['turn'] == 1 and time.sleep(1)", [SAME, NO_ANSWER, SAME, SAME], "no answer in 0.5 s"),
    ],
)
def test_missing_answers(change: str, verdicts: list[str], why: str, bot: Path, recorded: Path) -> None:
    write_bot(bot, change)
    seconds = 0.5 if "sleep" in change else 5.0
    turns = list(replay_runs(runs_of(Transcript.read(recorded)), BotPlayer(bot).start, seconds))
    if "sleep" in change:  # the next turn waits for the answer to this one
        assert [turn.verdict for turn in turns][:2] == verdicts[:2]
    else:
        assert [turn.verdict for turn in turns] == verdicts
    assert why in turns[1].why


def test_decisions_that_were_lost_and_starts(bot: Path, tmp_path: Path) -> None:
    write_bot(bot, "message['turn'] == 1 and sys.exit(3)")
    plan = RoundPlan(("greedy",), games=1, max_cycles=3)
    played = play_round(BotPlayer(bot), [GreedyPlayer()], plan, tmp_path, lambda done, of: None)
    assert "decisions lost: 1 crash" in played.text()
    runs = runs_of(Transcript.read(tmp_path / "game-1.transcript.jsonl"))
    assert [len(run.turns) for run in runs] == [2, 1]
    write_bot(bot)
    starts = 0

    def start() -> object:
        nonlocal starts
        starts += 1
        return BotPlayer(bot).start()

    turns = list(replay_runs(runs, start, 5.0))  # type: ignore[arg-type]
    assert (starts, [turn.verdict for turn in turns]) == (2, [SAME, LOST, SAME])
    assert "lost: crash: " in turns[1].text()


def test_forfeited_games_are_lost(bot: Path, tmp_path: Path) -> None:
    (bot / "bot.toml").write_text(MANIFEST.replace("protocol = 1", "protocol = 2"))
    (bot / "bot.py").write_text("for line in open(0):\n    if '\"turn\"' in line: print('?', flush=True)\n")
    plan = RoundPlan(("greedy",), games=1, max_cycles=4)
    (game,) = play_round(BotPlayer(bot), [GreedyPlayer()], plan, tmp_path, lambda done, of: None).games
    assert game.won == 0  # by the rules it would be half a game: nobody has touched the last flag
    assert game.page


PREVIEWING = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "turn":
        print(json.dumps({"id": message["id"], "preview": [{}]}), flush=True)
    elif message["type"] == "preview":
        print(json.dumps({"id": message["id"], "ANSWER": [{}] if "ANSWER" == "preview" else {}}), flush=True)
"""


def write_previewing_bot(folder: Path, answer: str = "orders") -> None:
    """Write a bot of protocol 2 that asks for a preview before it answers, or asks again instead."""
    (folder / "bot.toml").write_text(MANIFEST.replace("protocol = 1", "protocol = 2"))
    (folder / "bot.py").write_text(PREVIEWING.replace("ANSWER", answer))


def test_previews_are_answered_as_they_were_then(
    bot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_previewing_bot(bot)
    plan = RoundPlan(("greedy",), games=2, max_cycles=3)
    play_round(BotPlayer(bot), [GreedyPlayer()], plan, tmp_path / "kept", lambda done, of: None)
    recorded = str(tmp_path / "kept" / "game-2.transcript.jsonl")
    assert main(["bot", "replay", recorded, str(bot)]) == 0
    assert capsys.readouterr().out == "3 turns: 3 same\n"
    write_previewing_bot(bot, answer="preview")
    assert main(["bot", "replay", recorded, str(bot)]) == 1
    out = capsys.readouterr().out
    assert "seat 1, turn 1: no answer" in out
    assert "it asks for more previews than it got then" in out


def test_turns_that_are_left_out_begin_later_games_all_the_same() -> None:
    messages = [
        {"type": "game", "game": "1", "seat": 0}, {"type": "turn", "id": 1, "game": "1", "turn": 0},
        {"type": "turn", "id": 2, "game": "1", "turn": 1}, {"type": "error", "id": 2},
        {"type": "game", "game": "2", "seat": 1}, {"type": "turn", "id": 3, "game": "2", "turn": 0},
    ]  # fmt: skip
    transcript = Transcript()
    for message in messages:
        transcript.add(">", json.dumps(message))
    heard: list[dict[str, Any]] = []

    class Program:
        def send(self, text: str) -> None:
            heard.append(json.loads(text))

        def receive(self, until: float) -> OutputLine:
            return OutputLine(json.dumps({"id": heard[-1]["id"], "orders": {}}).encode(), 0.0)

        def close(self) -> None:
            pass

    asked = list(replay_runs(runs_of(transcript), Program, 1.0, until=1))
    assert [turn.name for turn in asked] == ["game 1, seat 0, turn 1", "game 2, seat 1, turn 1"]
    assert heard == [*messages[:2], *messages[3:]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1"),
        ('{"time":0,"way":">","game":"","line":"{\\"type\\":\\"turn\\",\\"id\\":1}"}\n', "turn: seat: None"),
        ('{"time":0,"way":"#","game":"","line":"{\\"lost\\":[]}"}\n', "note: lost: .*: expected a whole number"),
        ('{"time":0,"way":"#","game":"","line":"{\\"start\\":1}"}\n', "no turn in it"),
        ('{"time":0,"way":">","game":"","line":"[]"}\n', "expected an object"),
    ],
)
def test_what_is_no_transcript(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(text)
    with pytest.raises(RoboRallyError, match=message):
        runs_of(Transcript.read(tmp_path / "t.jsonl"))


def test_games_by_name(bot: Path, recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bot", "replay", str(recorded), str(bot), "--game", "7.7.7"]) == 2
    assert "--game 7.7.7: expected one of the transcript: " in capsys.readouterr().err
    (name,) = Transcript.read(recorded).games()
    assert main(["bot", "replay", str(recorded), str(bot), "--game", name]) == 0


def test_numbers_of_commands_are_those_of_elsewhere() -> None:
    from rr_gym.bots.positions import KINDS

    assert bot_commands.KINDS == KINDS


@pytest.mark.long
@pytest.mark.skipif(not hasattr(pty, "fork"), reason="no terminals to open here")
def test_a_debugger_works_on_the_terminal(bot: Path, recorded: Path) -> None:
    stop = "from pdb import Pdb; Pdb(stdin=open('/dev/tty'), stdout=open('/dev/tty', 'w')).set_trace()"
    write_bot(bot, stop)
    pid, terminal = pty.fork()
    if pid == 0:
        words = [sys.executable, "-m", "rr_gym", "bot", "replay", str(recorded), str(bot), "--debug"]
        os.execv(sys.executable, words)
    shown, typed = b"", [b"p 6 * 7\n", b"c\n", b"c\n", b"c\n", b"c\n"]
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            shown += os.read(terminal, 4096)
        except OSError:
            break  # it has ended
        if typed and shown.count(b"(Pdb) ") > 5 - len(typed):
            os.write(terminal, typed.pop(0))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert b"42" in shown
    assert b"4 turns: 4 same" in shown
