"""Salts stay out of files and arguments while programs play, and are written when the games are over."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from chained import chained
from programs import PRELUDE
from salted import SALT, TINY

from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import Match
from rr_gym.evaluation.benchmark import row_play, suites
from rr_gym.evaluation.benchmark.benchmark import Benchmark
from rr_gym.evaluation.match_log import EvaluationError
from rr_gym.evaluation.secret_salts import DIGEST, concealed, revealed
from rr_gym.evaluation.tournament.blocks import TournamentWorker
from rr_gym.evaluation.tournament.tournament import Tournament
from rr_gym.line_chain import unsealed
from rr_gym.players.random_player import RandomPlayer
from rr_gym.registry import make_player
from rr_gym.salt import digest_of_salt, salt_text

TEXT = f"{SALT:032x}"


class Spy(RandomPlayer):
    """Stands in for a program: when it plays, it looks for the salt in a file."""

    name, outside, sandbox = "spy", True, "process"
    file = Path()

    def __init__(self) -> None:
        self.seen: list[str] = []

    def act(self, arena: Any, games: Any, seat: int) -> Any:
        if Spy.file.exists():
            self.seen.append(Spy.file.read_text())
        return super().act(arena, games, seat)


def make(name: str) -> Any:
    return Spy() if name == "spy" else make_player(name)


def killed(count: int) -> Any:
    """Return a progress callback that ends the work after some calls, without clean-up, as a kill would."""
    calls = 0

    def report(done: int, games: int) -> None:
        nonlocal calls
        calls += 1
        if calls >= count:
            raise KeyboardInterrupt

    return report


def match(folder: Path, **options: Any) -> Match:
    given: dict[str, Any] = {"games": 16, "batch": 2, "max_cycles": 3, "salt": TEXT, **options}
    return Match(Spy(), ["random"], folder=folder, **given)


def test_a_match_hides_its_salt_while_it_plays(tmp_path: Path) -> None:
    path = Spy.file = tmp_path / "evaluation.json"
    played = match(tmp_path)
    assert json.loads(path.read_text())["salt"] == TEXT  # no program plays yet
    with pytest.raises(KeyboardInterrupt):
        played.play(killed(10))
    spy = played.players[0]
    assert isinstance(spy, Spy)
    assert spy.seen
    assert not [text for text in spy.seen if TEXT in text]
    assert {json.loads(text)[DIGEST] for text in spy.seen} == {digest_of_salt(SALT)}
    assert json.loads(path.read_text())["salt"] == TEXT
    assert match(tmp_path, salt=None, resume=True).salt == SALT


def test_a_match_that_was_killed_needs_its_salt_again(tmp_path: Path) -> None:
    path = Spy.file = tmp_path / "evaluation.json"
    match(tmp_path)
    path.write_text(json.dumps(concealed(json.loads(path.read_text()))))
    with pytest.raises(EvaluationError, match=r"it has only the digest of the salt: .*value of --salt"):
        match(tmp_path, salt=None, resume=True)
    with pytest.raises(EvaluationError, match=r"salt: 5: expected the one whose SHA-256 is in"):
        match(tmp_path, salt=5, resume=True)
    played = match(tmp_path, resume=True)
    played.play()
    assert json.loads(path.read_text())["salt"] == TEXT


def test_a_tournament_hides_its_salt_and_puts_nothing_aside_while_programs_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rr_gym.evaluation.tournament.blocks.PUT_ASIDE_EVERY", 0.0)
    path = Spy.file = tmp_path / "tournament.json"
    seen: list[set[str]] = []
    act = Spy.act

    def acting(self: Spy, *arguments: Any) -> Any:
        seen.append({file.suffix for file in tmp_path.glob("block-*")})
        assert TEXT not in path.read_text()
        return act(self, *arguments)

    monkeypatch.setattr(Spy, "act", acting)
    arguments: dict[str, Any] = {"games": 32, "seats": 2, "max_cycles": 4, "workers": 1, "make": make, "salt": TEXT}
    played = Tournament(["spy", "random"], folder=tmp_path, **arguments)
    assert played.plan.secret
    played.play()
    assert seen
    assert not any(seen)
    assert json.loads(path.read_text())["salt"] == TEXT


def test_games_that_were_put_aside_are_removed_before_programs_continue(tmp_path: Path) -> None:
    Spy.file = tmp_path / "nothing"
    arguments: dict[str, Any] = {"games": 32, "seats": 2, "max_cycles": 4, "workers": 1, "make": make, "salt": TEXT}
    plan = Tournament(["spy", "random"], folder=tmp_path, **arguments)
    worker = TournamentWorker(plan.plan)
    calls = 0

    def should_stop(over: int) -> bool:
        nonlocal calls
        calls += 1
        return calls > 2

    block = plan.blocks[0]
    assert worker(block, should_stop) is None
    aside = plan.plan.file_of(block.number)
    assert aside is not None
    assert aside.exists()
    there: list[bool] = []
    outcome = worker(block, lambda over: bool(there.append(aside.exists())))
    assert outcome is not None
    assert not any(there)
    assert outcome == TournamentWorker(plan.plan)(block)


@pytest.fixture
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(suites.SUITES, "tiny", TINY.rows)
    monkeypatch.setattr(row_play, "DEALS_AT_ONCE", 4)


@pytest.mark.usefixtures("_tiny")
def test_the_benchmark_hides_its_salt_while_it_plays(tmp_path: Path) -> None:
    path = Spy.file = tmp_path / "blocks.jsonl"
    spy = Spy()
    part = Benchmark(spy, TINY, salt=TEXT)
    with pytest.raises(KeyboardInterrupt):
        part.play(killed(12), log=path)
    assert 0 < part.num_played < part.num_games
    assert not [text for text in spy.seen if TEXT in text]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert {(line["salt"], line["sandbox"]) for line in lines} == {(TEXT, "process")}
    again = Spy()
    rest = Benchmark(again, TINY)
    rest.play(log=path)
    assert rest.salt == SALT
    assert again.seen
    assert not [text for text in again.seen if TEXT in text]
    whole = Benchmark(Spy(), TINY, salt=TEXT)
    whole.play()
    assert rest.result() == whole.result()
    assert rest.result().sandbox == "process"


@pytest.mark.usefixtures("_tiny")
def test_a_benchmark_that_was_killed_needs_its_salt_again(tmp_path: Path) -> None:
    path = Spy.file = tmp_path / "blocks.jsonl"
    part = Benchmark(Spy(), TINY, salt=TEXT)
    part.play(log=path)
    lines = [json.loads(unsealed(line)) for line in path.read_bytes().splitlines()]
    path.write_bytes(chained(json.dumps(concealed(line)) for line in lines[:-1]))
    with pytest.raises(RoboRallyError, match=r"spy have only the digest of their salt: .*value of --salt"):
        Benchmark(Spy(), TINY).play(log=path)
    with pytest.raises(RoboRallyError, match=r"expected the one whose SHA-256 blocks of spy in .* have"):
        Benchmark(Spy(), TINY, salt=5).play(log=path)
    rest = Benchmark(Spy(), TINY, salt=TEXT)
    rest.play(log=path)
    assert rest.result() == part.result()
    assert {json.loads(line)["salt"] for line in path.read_text().splitlines()} == {TEXT}
    assert path.read_bytes() == chained(path.read_bytes().splitlines())


def test_digests_replace_salts() -> None:
    data = {"a": 1, "salt": TEXT, "b": 2}
    hidden = concealed(data)
    assert list(hidden) == ["a", DIGEST, "b"]
    assert TEXT not in json.dumps(hidden)
    assert revealed(hidden, SALT) == data
    assert revealed({"a": 1}, SALT) == {"a": 1}


def test_a_salt_can_be_read_from_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{TEXT}\nmore"))
    words = ["evaluate", "--players", "random,random", "--games", "2", "--max-cycles", "1", "--salt", "-"]
    assert main(words) == 0
    assert f", salt {salt_text(SALT)}\n" in capsys.readouterr().out


def test_a_race_prints_its_salt_when_it_is_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "bot.py"
    script.write_text(PRELUDE + "for turn in turns():\n    answer(turn)\n")
    bot = f"program:seconds=10 {sys.executable} -S -E {script}"
    words = ["race", "--players", f"{bot},random", "--max-cycles", "1", "--salt", TEXT]
    assert main([*words, "--out", str(tmp_path / "race")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [number for number, line in enumerate(lines) if TEXT in line] == [lines.index(f"seed 1, salt {TEXT}")]
    assert lines.index(f"seed 1, salt {TEXT}") > next(i for i, line in enumerate(lines) if line.startswith("turn"))
