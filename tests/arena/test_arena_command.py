"""``rr-gym arena`` from the first season to the check of everything."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from arenas import SALT, few_courses, write_bot

from rr_gym.arena import read_log
from rr_gym.cli.main import main


@pytest.fixture(autouse=True)
def _few_courses(monkeypatch: pytest.MonkeyPatch) -> None:
    few_courses(monkeypatch)


def test_a_season_from_its_beginning_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arena = str(tmp_path / "ladder")
    new = f"arena new {arena} --tables duels --anchors random,greedy --max-cycles 4 --seconds 20 --salt {SALT}"
    assert main(new.split()) == 0
    assert "SHA-256 of its salt: " in capsys.readouterr().out
    assert main(["arena", "add", arena, str(write_bot(tmp_path / "bot")), "--unchecked"]) == 0
    assert "zoom 1.0 has entered; SHA-256" in capsys.readouterr().out
    assert main(["arena", "retire", arena, "zoom 1.0", "--why", "its author asked"]) == 0
    assert read_log(arena).retired["zoom 1.0"].why == "its author asked"
    play = ["arena", "play", arena, "--matches", "2", "--workers", "1", "--salt", SALT]
    assert main(play) == 0
    assert "2 matches, 4 games; the mean of greedy is 1000 at every table" in capsys.readouterr().out
    assert main(["arena", "table", arena, "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures == json.loads((tmp_path / "ladder" / "ladder.json").read_text())
    assert figures["head"] == read_log(arena).head
    assert main(["arena", "close", arena, "--salt", SALT]) == 0
    assert SALT in capsys.readouterr().out
    assert main(play) == 2
    assert "season 1 is closed: open the next one with rr-gym arena new" in capsys.readouterr().err
    assert main(["arena", "verify", arena, "--workers", "1", "--head", figures["head"]]) == 0
    assert "2 matches, 4 games" in capsys.readouterr().out
    log = tmp_path / "ladder" / "log.jsonl"
    log.write_text(log.read_text().replace('"seed":1', '"seed":3', 1))
    assert main(["arena", "verify", arena, "--workers", "1", "--json"]) == 1
    verdict = json.loads(capsys.readouterr().out)
    assert (verdict["verified"], len(verdict["problems"])) == (False, 1)


def test_manifests_that_lie_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arena = str(tmp_path / "ladder")
    assert main(f"arena new {arena} --tables duels --anchors random,greedy".split()) == 0
    before = (tmp_path / "ladder" / "log.jsonl").read_bytes()
    bot = write_bot(tmp_path / "bot")
    manifest = (bot / "bot.toml").read_text()
    for lie, message in (
        (manifest.replace("bot.py", "other.py"), "REFUSED"),
        (manifest.replace("python3", "no-such-program"), "no executable program 'no-such-program'"),
        (manifest.replace("zoom", "planner"), "expected a name that no player of the package has"),
        (manifest.replace("protocol = 1", "protocol = 9"), "protocol: 9: expected"),
        (manifest + "[options]\nseats = [4, 2]\n", "expected the smaller number first"),
        (manifest + 'build = ["no-such-build"]\n', "build"),
    ):
        (bot / "bot.toml").write_text(lie)
        status = main(["arena", "add", arena, str(bot), "--sandbox", "process"])
        out, err = capsys.readouterr()
        assert status in (1, 2)
        assert message in out + err
    assert (tmp_path / "ladder" / "log.jsonl").read_bytes() == before


def test_an_interruption_names_what_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arena = str(tmp_path / "ladder")
    assert main(f"arena new {arena} --tables duels --anchors random,greedy".split()) == 0

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("rr_gym.arena.play.share", interrupted)
    play = f"arena play {arena} --matches 5"
    assert main(play.split()) == 130
    assert f"interrupted; resume with: rr-gym {play}" in capsys.readouterr().err
