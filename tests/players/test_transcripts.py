"""Transcripts: what a program hears and says, with times, for each game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from programs import COURSE, written

from rr_gym.errors import RoboRallyError
from rr_gym.players.transcript import ERRORS, FROM, MOST_ERRORS, NOTE, TO, Transcript
from rr_gym.rules.arena.arena import Arena


def played(tmp_path: Path, code: str, games: int = 1, **options: object) -> Transcript:
    """Return the transcript of a turn of some games."""
    arena = Arena(COURSE)
    player = written(tmp_path, code, **options)
    player.transcript = Transcript()
    player.act(arena, arena.new_games(games, 2, seed=1), 0)
    player.close()
    return player.transcript


def test_both_directions_and_standard_error_are_recorded_with_times(tmp_path: Path) -> None:
    code = """
for turn in turns():
    print("thinking", file=sys.stderr, flush=True)
    time.sleep(0.05)
    answer(turn)
"""
    lines = [line for line in played(tmp_path, code).lines if line.way != ERRORS]
    assert [line.way for line in lines] == [NOTE, TO, TO, TO, TO, FROM]
    assert json.loads(lines[0].line) == {"start": 1}
    assert [json.loads(line.line)["type"] for line in lines[1:5]] == ["hello", "rules", "course", "turn"]
    assert json.loads(lines[5].line) == {"id": 1, "orders": {}}
    assert [line.game for line in lines] == ["", "", "", "", "0.0.0", "0.0.0"]
    assert lines[5].time - lines[4].time >= 0.05
    (said,) = [line for line in played(tmp_path, code).lines if line.way == ERRORS]
    assert (said.line, said.game) == ("thinking", "")


def test_lost_decisions_are_noted_with_their_reasons(tmp_path: Path) -> None:
    code = """
for turn in turns():
    say("?" if turn["id"] == 1 else json.dumps({"id": 77, "orders": {}}))
"""
    transcript = played(tmp_path, code, games=2)
    notes = [(line.game, json.loads(line.line)) for line in transcript.lines if line.way == NOTE][1:]
    assert [(game, note["lost"], note["fault"]) for game, note in notes] == [
        ("0.0.0", 1, "not JSON"), ("0.1.0", 2, "not an answer"),
    ]  # fmt: skip
    assert all(note["why"] for _, note in notes)


def test_a_crash_and_the_next_start_are_noted(tmp_path: Path) -> None:
    notes = [line.line for line in played(tmp_path, "sys.exit(3)", starts=2).lines if line.way == NOTE]
    assert [next(iter(json.loads(note))) for note in notes] == ["start", "end", "lost"]
    assert "exit status 3" in notes[1]


def test_a_game_has_its_own_lines_and_those_of_all(tmp_path: Path) -> None:
    transcript = played(tmp_path, "for turn in turns():\n    answer(turn)\n", games=3)
    assert transcript.games() == ["0.0.0", "0.1.0", "0.2.0"]
    second = transcript.of_game("0.1.0")
    assert [json.loads(line.line).get("id") for line in second.lines if line.game] == [2, 2]
    assert [line.way for line in second.lines] == [NOTE, TO, TO, TO, TO, FROM]


def test_a_transcript_is_written_and_read(tmp_path: Path) -> None:
    transcript = Transcript()
    transcript.add(FROM, b"\xff\xfe \x1b[2J \xe2\x80\xa8 \\")
    transcript.add(TO, '{"type":"turn"}', "1.0.0")
    transcript.write(tmp_path / "game.jsonl")
    text = (tmp_path / "game.jsonl").read_text("ascii")
    assert text.count("\n") == 2
    again = Transcript.read(tmp_path / "game.jsonl")
    assert again.text() == text
    assert again.lines[0].line.encode(errors="surrogateescape").startswith(b"\xff\xfe \x1b")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "game.jsonl:1: line 1"),
        ("[]", "game.jsonl:1: .*expected"),
        ('{"time": -1, "way": ">", "game": "", "line": ""}', "game.jsonl:1: time: -1"),
        ('{"time": 1, "way": "=", "game": "", "line": ""}', "game.jsonl:1: way: '='"),
        ('{"time": 1, "way": ">", "game": ""}', "game.jsonl:1: missing: line"),
    ],
)
def test_a_file_that_is_no_transcript_is_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "game.jsonl").write_text(line + "\n")
    with pytest.raises(RoboRallyError, match=message):
        Transcript.read(tmp_path / "game.jsonl")


def test_standard_error_is_kept_up_to_a_limit() -> None:
    transcript = Transcript()
    for _ in range(300):
        transcript.add(ERRORS, b"x" * 4095)
    assert MOST_ERRORS <= sum(len(line.line) + 1 for line in transcript.lines) <= MOST_ERRORS + 4096
    transcript.add(TO, "{}")
    assert transcript.lines[-1].line == "{}"
