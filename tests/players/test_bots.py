"""Submissions: their manifests, archives and build steps, and the checks of a host."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tarfile
from pathlib import Path

import pytest
from programs import COURSE, PRELUDE

from rr_gym.bots import BotError, BotPlayer, Manifest, conformance, digest_of, open_bot, pack
from rr_gym.bots.check import check_bot
from rr_gym.bots.conformance import ConformanceCase
from rr_gym.bots.start import LANGUAGES, new_bot
from rr_gym.cli import bot as bot_command
from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.players.sandbox import bubblewrap
from rr_gym.progress import StatusLine
from rr_gym.registry import PlayerError, check_player, make_player, typed_player
from rr_gym.rules.arena.arena import Arena

MANIFEST = 'name = "zoom"\nversion = "1.0"\nprotocol = 1\ncommand = ["python3", "bot.py"]\n'
CARDS = "for turn in turns():\n    answer(turn, program=turn['legal']['cards'][:len(turn['legal']['registers'])])\n"
NEEDS = {"python": "python3", "javascript": "node", "c": "cc"}
FEW = (
    ConformanceCase("a duel", COURSE, 2, turns=2),
    ConformanceCase("three questions at a time", "checkmate", 2, games=3, turns=1),
)


@pytest.fixture(autouse=True)
def _cache_of_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put built submissions into the temporary folder of the test."""
    monkeypatch.setattr("rr_gym.bots.build.cache_home", lambda: tmp_path / "cache")


def written(folder: Path, code: str = "for turn in turns():\n    answer(turn)\n", manifest: str = MANIFEST) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(manifest)
    (folder / "bot.py").write_text(PRELUDE + code)
    return folder


# Manifests


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name = zoom\n", r"bot.toml:1: not TOML: "),
        ('name = "zoom"\n', r"bot.toml:1: missing: version, command, protocol"),
        (MANIFEST + 'licnece = "MIT"\n', r"bot.toml:5: licnece: unknown key: did you mean 'licence'"),
        (MANIFEST.replace("protocol = 1", "protocol = 3"), r"bot.toml:3: protocol: 3: expected 1 | 2"),
        (MANIFEST.replace('"zoom"', '"zoom zoom"'), r"bot.toml:1: name: 'zoom zoom': expected up to 32 letters"),
        (MANIFEST.replace('"zoom"', '"zoom\\n"'), r"bot.toml:1: name: .*expected up to 32 letters"),
        (MANIFEST.replace('"zoom"', '"Champion"'), r"bot.toml:1: name: 'Champion': expected a name that no player of"),
        (MANIFEST.replace('"1.0"', "1.0"), r"bot.toml:2: version: 1.0: expected a version such as"),
        (MANIFEST.replace('["python3", "bot.py"]', '"python3 bot.py"'), r"bot.toml:4: command: .*expected a list of"),
        (MANIFEST.replace('["python3", "bot.py"]', "[]"), r"bot.toml:4: command: \[\]: expected a program with"),
        (MANIFEST.replace('"python3",', '"/usr/bin/python3",'), r"bot.toml:4: command\[0\]: .*expected a program"),
        (MANIFEST.replace('"python3",', '"../python3",'), r"bot.toml:4: command\[0\]: .*expected a program"),
        (MANIFEST + "[options]\nmemory = 9999\n", r"bot.toml:6: options.memory: 9999: expected a whole number"),
        (MANIFEST + "[options]\nseats = [4, 2]\n", r"bot.toml:6: options.seats: \[4, 2\]: expected the smaller number"),
        (MANIFEST + "[options]\nseats = [2]\n", r"bot.toml:6: options.seats: \[2\]: expected the least and the most"),
        (MANIFEST + 'author = "a\\nb"\n', r"bot.toml:5: author: .*expected text of up to 200 characters in one line"),
    ],
)
def test_errors_of_manifests_name_line_key_value_and_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(BotError, match=message):
        Manifest.read(text)


def test_a_whole_manifest() -> None:
    more = 'author = "Ada, with help"\nlicence = "MIT"\nbuild = ["make"]\n[options]\nseats = [2, 4]\nmemory = 64\n'
    text = MANIFEST + more
    manifest = Manifest.read(text)
    assert (manifest.title, manifest.author, manifest.build) == ("zoom 1.0", "Ada, with help", ["make"])
    assert (manifest.limits.memory, manifest.options.seats) == (64, [2, 4])


def test_folders_without_a_bot(tmp_path: Path) -> None:
    with pytest.raises(BotError, match=r"nothing: expected a folder with a bot.toml"):
        open_bot(str(tmp_path / "nothing"))
    with pytest.raises(BotError, match=r"bot.toml: there is none"):
        open_bot(str(tmp_path))


# Archives


def test_archives_are_the_same_wherever_and_whenever_they_are_made(tmp_path: Path) -> None:
    one, two = written(tmp_path / "one"), written(tmp_path / "two")
    for folder in (one, two):
        (folder / "data").mkdir()
        (folder / "data" / "ä.txt").write_text("x")
    os.utime(two / "bot.py", (1, 1))
    (two / "bot.py").chmod(0o600)
    (two / "__pycache__").mkdir()
    (two / "__pycache__" / "bot.pyc").write_bytes(b"cache")
    path, digest = pack(one)
    assert path == tmp_path / "zoom-1.0.tar"
    assert digest == digest_of(two) == hashlib.sha256(path.read_bytes()).hexdigest()
    with tarfile.open(path) as tar:
        assert tar.getnames() == ["bot.py", "bot.toml", "data/ä.txt"]
        assert {(entry.mtime, entry.uid, entry.uname) for entry in tar} == {(0, 0, "")}
    (two / "data" / "ä.txt").write_text("y")
    assert digest_of(two) != digest


def test_what_cannot_be_packed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = written(tmp_path / "bot")
    with pytest.raises(BotError, match="expected an archive outside of"):
        pack(folder, folder / "mine.tar")
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(BotError, match="link: expected only files and folders, no links"):
        pack(folder)
    (folder / "link").unlink()
    monkeypatch.setattr("rr_gym.bots.archive.MOST_BYTES", 10)
    with pytest.raises(BotError, match="bot: expected at most"):
        pack(folder)


# Players


def test_only_a_command_line_may_name_them_and_tables_show_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path / "bot", CARDS)
    for refuse in (make_player, check_player):
        with pytest.raises(PlayerError, match="programs play where a command line names them"):
            refuse(f"bot:{folder}")
    player = typed_player(f"bot:seconds=3 sandbox=none {folder}")
    assert isinstance(player, BotPlayer)
    assert (player.name, player.seconds, player.sandbox) == ("zoom 1.0", 3.0, "none")
    words = ["race", "--players", f"bot:seconds=10 {folder},random", "--max-cycles", "2"]
    assert main([*words, "--out", str(tmp_path / "race"), "--json", str(tmp_path / "r.json")]) == 0
    shown = capsys.readouterr().out
    assert "zoom 1.0, random race on" in shown
    assert json.loads((tmp_path / "race" / "replay.json").read_text())["players"] == ["zoom 1.0", "random"]
    for text in (shown.replace(str(tmp_path / "race"), ""), (tmp_path / "r.json").read_text()):
        assert "python3" not in text
        assert str(folder) not in text


def test_matches_keep_the_digest(tmp_path: Path) -> None:
    folder = written(tmp_path / "bot", CARDS)
    words = ["evaluate", "--players", f"bot:seconds=10 {folder},random", "--games", "2", "--max-cycles", "2"]
    assert main([*words, "--out", str(tmp_path / "out")]) == 0
    kept = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert kept["players"] == ["zoom 1.0", "random"]
    assert kept["files"] == {"zoom 1.0": digest_of(folder)}


@pytest.mark.long
def test_tournaments_and_the_benchmark_call_them_by_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = written(tmp_path / "bot", CARDS)
    bot = f"bot:seconds=10 {folder}"
    words = ["tournament", "--players", f"{bot},random", "--seats", "2", "--games", "4", "--max-cycles", "2"]
    assert main([*words, "--workers", "2", "--watch", "1", "--out", str(tmp_path / "t")]) == 0
    assert "zoom 1.0" in capsys.readouterr().out
    text = (tmp_path / "t" / "tournament.json").read_text() + (tmp_path / "t" / "games.jsonl").read_text()
    assert "zoom 1.0" in text
    assert str(folder) not in text
    words = ["benchmark", "--players", bot, "--rows", "solo", "--games", "2", "--workers", "2"]
    assert main([*words, "--out", str(tmp_path / "b")]) == 0
    assert capsys.readouterr().out.startswith("zoom 1.0 on suite")
    assert str(folder) not in (tmp_path / "b" / "blocks.jsonl").read_text()


def test_tables_that_it_does_not_play(tmp_path: Path) -> None:
    folder = written(tmp_path / "bot", CARDS, MANIFEST + "[options]\nseats = [2, 4]\n")
    arena = Arena(COURSE)
    with pytest.raises(BotError, match=r"zoom 1.0: 1 robots: expected 2 to 4, by its manifest"):
        open_bot(str(folder)).act(arena, arena.new_games(1, 1, seed=1), 0)


# Build steps


def built(tmp_path: Path, script: str, options: str = "", kind: str | None = None) -> BotPlayer:
    """Return a bot whose build step is a shell script."""
    folder = written(tmp_path / "bot", CARDS, f'{MANIFEST}build = ["sh", "build.sh"]\n[options]\n{options}')
    (folder / "build.sh").write_text(script)
    return BotPlayer(folder, sandbox=kind)


def test_a_build_step_is_done_once_in_a_copy(tmp_path: Path) -> None:
    player = built(tmp_path, "echo made > made.txt")
    assert player.folder == tmp_path / "cache" / "bots" / player.digest
    assert (player.folder / "made.txt").read_text() == "made\n"
    assert not (tmp_path / "bot" / "made.txt").exists()
    before = (player.folder / "made.txt").stat().st_mtime_ns
    assert built(tmp_path, "echo made > made.txt").folder == player.folder
    assert (player.folder / "made.txt").stat().st_mtime_ns == before
    assert built(tmp_path, "echo other > made.txt").folder != player.folder
    assert not list((tmp_path / "cache" / "bots").glob(".build-*"))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo 'no rule to make it' >&2; exit 2", "build .*: exit status 2; it said: no rule to make it"),
        ("setsid sleep 30 & sleep 30", "build .*: not done after 1 s: it was stopped"),
        pytest.param(
            "exec 1>&- 2>&-; sleep 30", "build .*: not done after 1 s: it was stopped", marks=pytest.mark.long
        ),
        ("kill -9 $$", "build .*: exit status 137"),
    ],
)
def test_build_steps_that_fail(tmp_path: Path, script: str, message: str) -> None:
    with pytest.raises(BotError, match=message):
        built(tmp_path, script, "build_seconds = 1\n")
    assert not list((tmp_path / "cache" / "bots").iterdir())


def test_a_build_step_writes_nowhere_else(tmp_path: Path) -> None:
    if reason := bubblewrap.why_not():
        pytest.skip(reason)
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(BotError, match="exit status"):
        built(tmp_path, f"echo x > {tmp_path}/elsewhere/x", kind="bubblewrap")
    with pytest.raises(BotError, match="exit status"):
        built(tmp_path, f"cat {tmp_path}/bot/bot.py", kind="bubblewrap")
    assert not list((tmp_path / "elsewhere").iterdir())


# Checks


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rr_gym.bots.check.CASES", FEW)


@pytest.mark.usefixtures("_few")
def test_a_good_bot_is_accepted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "bot", CARDS)
    monkeypatch.setattr(StatusLine, "due", lambda line: True)  # as after two seconds
    assert main(["bot", "check", str(folder), "--seconds", "10", "--json", str(tmp_path / "c.json")]) == 0
    shown, progress = capsys.readouterr()
    turns = sum(case.turns for case in FEW)
    assert f"0 of {turns} turns, " in progress
    assert f"{turns} of {turns} turns, " in progress
    assert "ok       manifest: zoom 1.0, protocol 1, licence not said" in shown
    assert shown.endswith("zoom 1.0: a host would accept it\n")
    found = json.loads((tmp_path / "c.json").read_text())
    assert (found["accepted"], found["digest"]) == (True, digest_of(folder))
    assert [one["what"] for one in found["findings"]] == [
        "manifest", "files", "build", "a duel", "three questions at a time", "answer times", "the end of its input",
        "its own files", "decisions",
    ]  # fmt: skip


@pytest.mark.usefixtures("_few")
@pytest.mark.parametrize(
    ("code", "refused"),
    [
        ("for turn in turns():\n    say('{}')\n", "a duel: 2 of up to 2 decisions lost; the last: .*not an answer"),
        ("import sys\nsys.exit(3)\n", "a duel: 2 of up to 2 decisions lost; the last: .*exit status 3"),
        (
            "for turn in turns():\n    answer(turn, program=['move_3'] * 5)\n",
            "a duel: . of up to 2 decisions lost; the last: .*illegal order",
        ),
        (
            "for line in sys.stdin:\n    message = json.loads(line)\n    assert message['type'] != 'weather'\n",
            "a duel: 2 of up to 2 decisions lost; the last: .*",
        ),
    ],
)
def test_what_a_host_refuses(tmp_path: Path, code: str, refused: str) -> None:
    checked = check_bot(written(tmp_path / "bot", code), seconds=5.0)
    assert not checked.accepted
    found = [f"{one.what}: {one.refused}" for one in checked.findings if one.refused]
    assert re.search(refused, found[0])
    assert "REFUSED" in checked.text()


@pytest.mark.usefixtures("_few")
def test_a_bot_that_changes_itself_is_refused(tmp_path: Path) -> None:
    code = "try:\n    open(sys.argv[0], 'a').write('#')\nexcept OSError:\n    pass\n" + CARDS
    checked = check_bot(written(tmp_path / "bot", code), 10.0, "process")
    assert [one.refused for one in checked.findings if one.refused] == [f"it changed {tmp_path / 'bot' / 'bot.py'}"]
    if not bubblewrap.why_not():
        assert check_bot(written(tmp_path / "bot", code), 10.0, "bubblewrap").accepted


@pytest.mark.parametrize(
    ("manifest", "what"),
    [
        (MANIFEST.replace("python3", "no-such-program"), "command"),
        (MANIFEST.replace("protocol = 1", "protocol = 9"), "manifest"),
        (MANIFEST + 'build = ["false"]\n', "build"),
        (MANIFEST + 'build = ["no-such-program"]\n', "build"),
    ],
)
def test_manifests_that_lie(tmp_path: Path, manifest: str, what: str) -> None:
    checked = check_bot(written(tmp_path / "bot", CARDS, manifest))
    assert [one.what for one in checked.findings if one.refused] == [what]
    assert not checked.accepted


# Bots to start from


def test_the_command_knows_the_languages() -> None:
    assert bot_command.LANGUAGES == LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_a_working_start(tmp_path: Path, language: str, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"there is no {NEEDS[language]}")
    assert main(["bot", "new", str(tmp_path / "mine"), "--language", language, "--name", "mine"]) == 0
    assert f"rr-gym bot check {tmp_path / 'mine'}" in capsys.readouterr().out
    player = open_bot(str(tmp_path / "mine"), 10.0)
    arena = Arena(COURSE)
    games = arena.new_games(4, 2, seed=1)
    orders = player.act(arena, games, 0)
    player.close()
    assert not player.faults, player.reports
    assert (orders["program"] > 0).all()


@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_start_passes_the_whole_check(tmp_path: Path, language: str) -> None:
    if shutil.which(NEEDS[language]) is None:
        pytest.skip(f"there is no {NEEDS[language]}")
    new_bot(tmp_path / "mine", language, "mine")
    checked = check_bot(tmp_path / "mine", 10.0)
    assert checked.accepted, checked.text()


def test_new_bots_need_a_new_folder_and_a_name(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "file").write_text("")
    for folder, language, name, message in (
        ("there", "python", None, "there: expected a new or an empty folder"),
        ("new", "cobol", None, "language: cobol: expected python"),
        ("new", "python", "greedy", "name: 'greedy': expected a name that no player"),
        ("two words", "python", None, "name: 'two words': expected up to 32"),
    ):
        with pytest.raises(RoboRallyError, match=message):
            new_bot(tmp_path / folder, language, name)
    assert not (tmp_path / "new").exists()


def test_cases_are_of_different_tables() -> None:
    assert {case.robots for case in conformance.CASES} >= {1, 2, 4, 8}
    assert all(case.games >= 1 and case.turns >= 1 for case in conformance.CASES)
