"""Arenas: seasons, entries, matches, kills, full disks, and two processes on one folder."""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shutil
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from arenas import SALT, SANDBOX, few_courses, play, played_arena, small_arena, write_bot

from rr_gym.arena import (
    ArenaLog,
    LadderError,
    add_entry,
    close_season,
    make_ladder,
    new_season,
    read_log,
    retire_entry,
    verify,
)
from rr_gym.arena import play as playing
from rr_gym.arena.beliefs import Beliefs
from rr_gym.arena.courses import draw_courses
from rr_gym.arena.folder import entry_folder, match_folder
from rr_gym.arena.lines import VoidLine
from rr_gym.arena.pairing import ROUND, Draw, draw_lineup
from rr_gym.arena.season_salt import match_salt, salt_file
from rr_gym.arena.tables import TABLES
from rr_gym.courses import load_course
from rr_gym.errors import RoboRallyError
from rr_gym.generate import is_solvable
from rr_gym.generate.chance import Chance
from rr_gym.locks import hold
from rr_gym.players.transcript import Transcript
from rr_gym.replay import Replay
from rr_gym.salt import digest_of_salt


@pytest.fixture(autouse=True)
def _few_courses(monkeypatch: pytest.MonkeyPatch) -> None:
    few_courses(monkeypatch)


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def replays(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in contents(folder / "matches").items() if "seat" not in name}


def test_a_match_leaves_replays_transcripts_and_a_line(tmp_path: Path) -> None:
    folder = played_arena(tmp_path / "arena", 1)
    log = read_log(folder)
    (line,) = log.matches.values()
    assert sorted(line.lineup) == ["random", "zoom 1.0"]
    assert line.games[1].players == line.games[0].players[::-1]
    assert line.seed == 1
    assert line.salt == f"{match_salt(int(SALT, 16), 1):032x}"
    assert line.decisions == {"random": 6, "zoom 1.0": 6}
    assert line.sandboxes == {"zoom 1.0": SANDBOX}
    assert line.faults == {}
    home = match_folder(folder, 1)
    assert {path.name for path in home.iterdir()} == set(line.files)
    for number, game in enumerate(line.games, 1):
        replay = Replay.load(home / f"game-{number}.json")
        replay.verify()
        assert replay.players == game.players
        assert replay.placements == game.places
        seat = game.players.index("zoom 1.0")
        transcript = Transcript.read(home / f"game-{number}-seat-{seat}.jsonl")
        # A program is started anew for each game, so that it keeps nothing from one to the next
        assert json.loads(transcript.lines[0].line) == {"start": 1}
        assert sum('"type":"turn"' in line.line for line in transcript.lines) == 3
    assert [pairing.match for pairing in log.unplayed] == [*range(2, ROUND + 1)]
    assert make_ladder(log).total[0].matches == 1


def test_a_salt_is_published_when_the_season_is_over(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena", salt=None)
    path = salt_file(folder, 1)
    secret = path.read_text().strip()
    assert path.stat().st_mode & 0o077 == 0
    play(folder, 1, salt=None)
    assert read_log(folder).seasons[0].salt_sha256 == digest_of_salt(int(secret, 16))
    others = {name: data for name, data in contents(folder).items() if name != path.name}
    assert not [name for name, data in others.items() if secret.encode() in data]
    line = close_season(folder)
    assert line.salt == secret
    assert not path.exists()
    with pytest.raises(LadderError, match="season 1 is closed: open the next one with rr-gym arena new"):
        play(folder, 1)
    assert new_season(folder).seasons[1].season == 2
    with pytest.raises(LadderError, match="season 2 is open"):
        new_season(folder)
    assert [entry.entry for entry in read_log(folder).active] == ["random", "greedy"]


def test_a_given_salt_is_written_nowhere(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena")
    with pytest.raises(LadderError, match="expected the salt of season 1 in it, or as --salt"):
        play(folder, 1, salt=None)
    with pytest.raises(LadderError, match="salt: not the salt of season 1"):
        play(folder, 1, salt="1")
    play(folder, 1)
    assert not [name for name, data in contents(folder).items() if SALT.encode() in data]
    with pytest.raises(LadderError, match="salt: 0: expected another salt"):
        new_season(tmp_path / "other", salt=0)


def test_the_same_salt_draws_the_same_season(tmp_path: Path) -> None:
    one, other = (small_arena(tmp_path / name) for name in ("one", "other"))
    play(one, 3)
    play(other, 1)
    play(other, 2)
    assert replays(one) == replays(other)


@pytest.mark.parametrize("name", ["duels", pytest.param("expansions", marks=pytest.mark.long)])
def test_courses_follow_from_the_salt(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    table = TABLES[name]
    first, again, other = (draw_courses(table, 1, salt) for salt in (5, 5, 6))
    assert [course.id for course in first[2:]] == [
        f"{kind}_1_{name}_{n}" for kind in ("moved", "drawn") for n in (1, 2)
    ]
    assert first == again
    assert [course.base for course in first] != [course.base for course in other]
    moved, drawn = first[2].course, first[4].course
    assert moved.flags != load_course(first[2].base).flags
    assert len(moved.flags) == len(load_course(first[2].base).flags)
    assert (moved.id, drawn.id) == (first[2].id, first[4].id)
    assert first[4].digest == again[4].digest != other[4].digest
    assert is_solvable(moved)


def test_who_is_known_least_plays_next_within_its_seats(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena", "random", "greedy", "racer")
    log = play(folder, 4)
    draw = Draw(log, log.seasons[0], int(SALT, 16))
    add_entry(folder, write_bot(tmp_path / "new"))
    add_entry(folder, write_bot(tmp_path / "crowd", "crowd", more="[options]\nseats = [3, 8]\n"))
    for number in range(2):
        retire_entry(folder, ("random", "greedy")[number])
    pairing = draw.next_round(read_log(folder))[0]
    assert sorted(pairing.lineup) == ["racer", "zoom 1.0"]
    retire_entry(folder, "racer")
    with pytest.raises(LadderError, match="2 entries: expected at least 2, to fill a table"):
        draw.next_round(read_log(folder))


def test_who_always_loses_plays_little() -> None:
    beliefs, chance = Beliefs(), Chance(7)
    names = [*"abcde", "hopeless"]
    played: Counter[str] = Counter()
    for _ in range(200):
        lineup = draw_lineup(2, dict.fromkeys(names, 0), beliefs, chance)
        played.update(lineup)
        winner = chance.below(2) if "hopeless" not in lineup else 1 - lineup.index("hopeless")
        game: Any = SimpleNamespace(players=lineup, places=[1 + (seat != winner) for seat in range(2)])
        match: Any = SimpleNamespace(games=[game])
        beliefs.add(match)
    uncertain = max(names, key=lambda name: beliefs[name].sigma)
    assert uncertain == "hopeless"
    assert 2 <= played["hopeless"] < 20
    assert all(60 <= played[name] <= 90 for name in "abcde")
    assert "newcomer" in draw_lineup(2, dict.fromkeys([*names, "newcomer"], 0), beliefs, chance)


def test_entries_have_names_and_versions_of_their_own(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena")
    bot = write_bot(tmp_path / "bot")
    add_entry(folder, bot)
    with pytest.raises(LadderError, match=r"zoom 1.0: .*with the same files"):
        add_entry(folder, bot)
    write_bot(bot, code="")
    with pytest.raises(LadderError, match=r"zoom 1.0: .*expected another version"):
        add_entry(folder, bot)
    write_bot(bot, version="1.1")
    add_entry(folder, bot)
    assert [entry.entry for entry in read_log(folder).active][2:] == ["zoom 1.0", "zoom 1.1"]
    with pytest.raises(LadderError, match="there is no active entry 'zoom'"):
        retire_entry(folder, "zoom")


def test_a_bot_whose_folder_goes_plays_on_from_the_copy(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena", "random")
    add_entry(folder, write_bot(tmp_path / "bot"))
    shutil.rmtree(tmp_path / "bot")
    assert play(folder, 1).matches


@pytest.mark.parametrize("how", ["gone", "changed"])
def test_a_bot_whose_copy_goes_plays_no_more(how: str, tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena", "random", "greedy")
    add_entry(folder, write_bot(tmp_path / "bot"))
    home = entry_folder(folder, "zoom 1.0")
    if how == "gone":
        shutil.rmtree(home)
    else:
        (home / "bot.py").write_text("")
    log = play(folder, 3)
    why = log.retired["zoom 1.0"].why
    assert ("expected a folder with a bot.toml" if how == "gone" else "its files have changed since") in why
    voids = [line for line in log.lines if type(line).__name__ == "VoidLine"]
    # The first void match was to be played; those that had been drawn with it besides do not count as played
    assert [line.why for line in voids] == [why, *["zoom 1.0 retired before it was played"] * (len(voids) - 1)]
    assert len(log.matches) == 2
    assert sorted(play(folder, 2).active[-1].entry for _ in "1") == ["greedy"]


def _builds(folder: Path, script: str, patch: pytest.MonkeyPatch, more: str = "") -> Path:
    """Make an arena with an entry that has a build step, which no cache has done before."""
    patch.setattr("rr_gym.bots.build.cache_home", lambda: folder / "cache")
    arena = small_arena(folder / "arena", "random")
    bot = write_bot(folder / "bot", more=f'build = ["sh", "build.sh"]\n{more}')
    (bot / "build.sh").write_text(script)
    add_entry(arena, bot)
    return arena


def test_a_build_step_that_fails_retires(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _builds(tmp_path, "echo no compiler >&2; exit 3", monkeypatch)
    assert play(folder, 1).retired["zoom 1.0"].why.endswith("exit status 3; it said: no compiler")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("echo bwrap: No permissions to create a namespace >&2; exit 1", "exit status 1; it said: bwrap: No perm"),
        ("sleep 60", "not done after 1 s"),
    ],
)
def test_a_build_step_that_may_have_failed_because_of_the_machine_retires_nobody(
    script: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = _builds(tmp_path, script, monkeypatch, "[options]\nbuild_seconds = 1\n")
    with pytest.raises(LadderError, match=f"^zoom 1.0: .*{message}"):
        play(folder, 1)
    assert _nothing_is_settled(folder)


def test_a_full_disk_retires_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _builds(tmp_path, "true", monkeypatch)
    real = tempfile.mkdtemp

    def full(*arguments: Any, prefix: str = "", **more: Any) -> str:
        if prefix.startswith(".build-"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(*arguments, prefix=prefix, **more)

    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "mkdtemp", full)
        with pytest.raises(LadderError, match=r"^zoom 1.0: .*cannot be written: No space left on device$"):
            play(folder, 1)
    assert _nothing_is_settled(folder)
    assert play(folder, 1).matches[1]


def test_files_that_cannot_be_read_retire_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_arena(tmp_path / "arena", "random")
    add_entry(folder, write_bot(tmp_path / "bot"))
    real = Path.read_bytes

    def broken(path: Path) -> bytes:
        if path.name == "bot.py":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", broken)
    with pytest.raises(LadderError, match=r"^zoom 1.0: .*bot.py: cannot be read: Input/output error$"):
        play(folder, 1)
    assert _nothing_is_settled(folder)


def test_a_sandbox_that_cannot_be_started_retires_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_arena(tmp_path / "arena", "random")
    add_entry(folder, write_bot(tmp_path / "bot"))

    def busy(kind: str | None) -> str:
        raise RoboRallyError(f"sandbox: {kind}: bwrap cannot be run: timed out after 10 seconds")

    monkeypatch.setattr("rr_gym.bots.player.choose_kind", busy)
    with pytest.raises(LadderError, match=r"^zoom 1.0: sandbox: process: bwrap cannot be run: timed out"):
        play(folder, 1)
    assert _nothing_is_settled(folder)


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), RoboRallyError("a bad game")])
def test_only_games_that_never_could_be_played_are_void(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_arena(tmp_path / "arena")

    def failing(*_: object) -> None:
        raise error

    monkeypatch.setattr("rr_gym.arena.match_play.play_game", failing)
    if isinstance(error, OSError):
        with pytest.raises(LadderError, match=r"^match 1: cannot be played: .*No space left on device$"):
            play(folder, 1)
        assert _nothing_is_settled(folder)
    else:
        assert _voids(play(folder, 1)) == {1: "a bad game"}
    assert not read_log(folder).retired


def _voids(log: ArenaLog) -> dict[int, str]:
    return {line.match: line.why for line in log.lines if isinstance(line, VoidLine)}


def _nothing_is_settled(folder: Path) -> bool:
    log = read_log(folder)
    return not log.retired and not log.matches and not _voids(log)


def test_matches_that_were_drawn_with_a_retired_entry_are_not_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = small_arena(tmp_path / "arena")
    add_entry(folder, write_bot(tmp_path / "bot"))
    drawn = play(folder, 1).unplayed
    retire_entry(folder, "zoom 1.0")
    affected = {pairing.match for pairing in drawn if "zoom 1.0" in pairing.lineup}
    assert affected
    # No program plays any more, so no sandbox has to be chosen
    monkeypatch.setattr(playing, "choose_kind", lambda kind: kind or "process")
    log = play(folder, len(drawn), sandbox=None)
    assert _voids(log) == dict.fromkeys(affected, "zoom 1.0 retired before it was played")
    assert len(log.matches) == 1 + len(drawn)
    assert all("zoom 1.0" not in match.lineup for number, match in log.matches.items() if number > 1)
    close_season(folder, SALT)
    assert verify(folder, workers=1).problems == ()


def test_matches_of_closed_seasons_do_not_weigh_in_the_draw(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena", "random", "greedy", "racer")
    play(folder, 1)
    close_season(folder, SALT)
    new_season(folder, salt=SALT)
    log = read_log(folder)
    settled = log.until(len(log.lines))
    settled.lines += [VoidLine(time="", match=pairing.match, season=1, why="") for pairing in log.unplayed]
    # All that distinguishes these logs is whether the dropped matches count as waiting
    rounds = [Draw(each, each.seasons[1], int(SALT, 16)).next_round(each) for each in (log, settled)]
    assert rounds[0] == rounds[1]


def test_one_process_at_a_time(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena")
    before = contents(folder)
    caught: list[str] = []

    def attempt() -> None:
        for act in (lambda: play(folder, 1), lambda: close_season(folder, SALT), lambda: new_season(folder)):
            try:
                act()
            except LadderError as error:
                caught.append(str(error))

    with hold(folder):
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    assert caught == [f"{folder}: in use by another thread of this process"] * 3
    assert contents(folder) == before


def test_kills_cost_only_the_match_that_was_played(tmp_path: Path) -> None:
    whole, part = (small_arena(tmp_path / name) for name in ("whole", "part"))
    play(whole, 3)
    play(part, 2)
    # Killed within a match: its files are there in part, its line is not. And within a line.
    path = part / "log.jsonl"
    text = path.read_bytes()
    path.write_bytes(text + b'{"kind":"match","match":3,"sea')
    left = match_folder(part, 3)
    left.mkdir()
    (left / "game-1.json").write_text("{")
    (left / ".game-2.json.123").write_text("{")
    assert read_log(part).head == json.loads(text.splitlines()[-1])["hash"]
    assert len(play(part, 1).matches) == 3
    assert replays(part) == replays(whole)


def test_only_folders_of_unfinished_matches_are_removed(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena")
    play(folder, 1)
    home = folder / "matches"
    (home / ".DS_Store").write_text("mine")
    (home / "notes").mkdir()
    (home / "notes" / "todo.txt").write_text("mine")
    (home / "000099").mkdir()  # was not drawn
    (home / "000002").mkdir()
    (home / "000002" / "game-9.json").write_text("{")
    play(folder, 1)
    assert {path.name for path in home.iterdir()} == {".DS_Store", "notes", "000099", "000001", "000002"}
    assert (home / "notes" / "todo.txt").read_text() == "mine"
    assert {path.name for path in (home / "000002").iterdir()} == {"game-1.json", "game-2.json"}


@pytest.mark.parametrize("step", ["log", "salt"])
def test_a_new_arena_appears_at_once(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "arena"
    real = Path.replace
    left: list[Path] = []

    def killed(path: Path, target: Path) -> Path:
        if target.name == ("log.jsonl" if step == "log" else "season-1.salt"):
            left.append(path.with_name(f"{path.name}9"))  # of a process with another number
            shutil.copy(path, left[0])
            raise KeyboardInterrupt
        return real(path, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            small_arena(folder, salt=None)
    assert left[0].exists()
    assert not (folder / "log.jsonl").exists()
    # The salt that was left is not that of this season
    log = read_log(small_arena(folder))
    assert [type(line).__name__ for line in log.lines] == ["ArenaLine", "SeasonLine", "EntryLine", "EntryLine"]
    assert list(log.entries) == ["random", "greedy"]
    assert not salt_file(folder, 1).exists()
    assert len(play(folder, 1).matches) == 1


@pytest.mark.parametrize("write", range(3))
def test_a_full_disk_loses_nothing(write: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_arena(tmp_path / "arena")
    play(folder, 1)
    text = (folder / "log.jsonl").read_bytes()
    calls = iter(range(99))
    real = os.fsync

    def fsync(file: int) -> None:  # two replays, and the line of the match
        if next(calls) == write:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(file)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(LadderError, match="cannot be written: No space left on device"):
            play(folder, 1)
    assert (folder / "log.jsonl").read_bytes().startswith(text)
    assert len(read_log(folder).matches) == 1
    assert len(play(folder, 1).matches) == 2


def test_a_weak_sandbox_has_to_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = small_arena(tmp_path / "arena")
    add_entry(folder, write_bot(tmp_path / "bot"))
    monkeypatch.setattr(playing, "choose_kind", lambda kind: kind or "process")
    with pytest.raises(LadderError, match=r"sandbox: bubblewrap does not work here.*expected --sandbox"):
        play(folder, 1, sandbox=None)


def test_other_rules_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rr_gym.arena.rules_digest import RulesVersion

    folder = small_arena(tmp_path / "arena")
    monkeypatch.setattr(playing, "rules_version", lambda: RulesVersion("9.0", 11, "f" * 64))
    with pytest.raises(LadderError, match=r"season 1 has the rules of .*, but this is rr_gym 9.0"):
        play(folder, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tables": ["duel"]}, "tables: there is no table 'duel': did you mean 'duels'"),
        ({"tables": []}, "tables: expected at least one of duels"),
        ({"anchors": ["greedy", "greedy"]}, "anchors: 'greedy' occurs twice"),
        ({"anchors": ["greddy"]}, "there is no player 'greddy'"),
        *(
            ({"seconds": value}, f"^seconds: {re.escape(repr(value))}: expected a finite number above 0$")
            for value in (0.0, -1, math.inf, math.nan, True, "2", [1])
        ),
        ({"seconds": 10**400}, "seconds: a whole number of 1,329 bits: expected a finite number above 0"),
        ({"tables": "duels"}, "^tables: 'duels': expected a list of names$"),
        ({"tables": ["duels", 2]}, r"^tables: \['duels', 2\]: expected a list of names$"),
        ({"anchors": "random"}, "^anchors: 'random': expected a list of names$"),
        ({"anchors": 7}, "^anchors: 7: expected a list of names$"),
        ({"max_cycles": 0}, "max_cycles: 0: expected a whole number, 1 or more"),
    ],
)
def test_bad_arguments_leave_nothing(arguments: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(Exception, match=message):
        new_season(tmp_path / "arena", **arguments)
    assert contents(tmp_path) == {}


def test_folders_of_something_else_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("")
    with pytest.raises(LadderError, match="expected a new or an empty folder, or an arena"):
        new_season(tmp_path)
    with pytest.raises(LadderError, match="not an arena"):
        play(tmp_path, 1)
    folder = small_arena(tmp_path / "arena")
    with pytest.raises(LadderError, match=r"tables: cannot be changed: .* is an arena already"):
        new_season(folder, ["duels"])


def test_anchors_hold_the_scale(tmp_path: Path) -> None:
    folder = small_arena(tmp_path / "arena", "random", "greedy", "racer", max_cycles=20)
    ladder = make_ladder(play(folder, 6))
    ratings = {player.name: player.rating.value for player in ladder.tables["duels"].players}
    assert ladder.scale.anchors == ("greedy", "racer")
    assert (ratings["greedy"] + ratings["racer"]) / 2 == pytest.approx(1000, abs=0.01)
    assert ratings["random"] < 900
    assert [row.name for row in ladder.total][-1] == "random"
    assert all(row.rating.low <= row.rating.value <= row.rating.high for row in ladder.total)
    assert ladder.text().splitlines()[-1].endswith(read_log(folder).head)
    early = make_ladder(read_log(folder).until(8))
    assert 0 < early.matches < ladder.matches == 6
