"""Whatever is changed in the folder of an arena is found."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arenas import SALT, chain_anew, few_courses, play, played_arena, small_arena, write_bot

from rr_gym.arena import (
    ArenaVerdict,
    LadderError,
    add_entry,
    close_season,
    make_ladder,
    new_season,
    read_log,
    retire_entry,
    verify,
)
from rr_gym.arena.folder import entry_folder, match_folder
from rr_gym.arena.ladder import LADDER
from rr_gym.arena.season_salt import salt_file

Change = Callable[[list[dict[str, Any]]], None]


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an arena whose season is over, with its ladder."""
    with pytest.MonkeyPatch.context() as patch:
        few_courses(patch)
        folder = played_arena(tmp_path_factory.mktemp("arena") / "arena", 1)
    close_season(folder, SALT)
    (folder / LADDER).write_text(make_ladder(read_log(folder)).file_text())
    return folder


@pytest.fixture
def arena(closed: Path, tmp_path: Path) -> Path:
    """Copy it, to be damaged."""
    return shutil.copytree(closed, tmp_path / "arena")


def checked(folder: Path, **more: Any) -> ArenaVerdict:
    return verify(folder, workers=1, **more)


def only_problem(folder: Path, **more: Any) -> str:
    verdict = checked(folder, **more)
    assert verdict.problems
    return verdict.problems[0]


def changed_digit(data: bytes) -> bytes:
    """Change the last digit of a file."""
    place = max(data.rfind(digit) for digit in (b"%d" % n for n in range(10)))
    return data[:place] + (b"7" if data[place : place + 1] != b"7" else b"3") + data[place + 1 :]


def test_an_arena_that_is_not_touched_is_verified(arena: Path) -> None:
    verdict = checked(arena, head=read_log(arena).head)
    assert (verdict.problems, verdict.notes) == ((), ())
    assert (verdict.matches, verdict.games, verdict.turns) == (1, 2, 6)
    assert verdict.text().endswith(f"verified; head of the chain: {read_log(arena).head}")
    assert verdict.to_json()["verified"] is True
    # Heads that were published earlier stay in the chain.
    assert checked(arena, head=str(read_log(arena).lines[3].hash)).problems == ()


def test_a_changed_digit_in_any_file_is_found(arena: Path) -> None:
    files = sorted(path for path in arena.rglob("*") if path.is_file())
    assert len(files) == 8  # the log, the ladder, two files of the bot, two replays, two transcripts
    for path in files:
        data = path.read_bytes()
        path.write_bytes(changed_digit(data))
        assert path.name in only_problem(arena) or path.parent.name in only_problem(arena), path
        path.write_bytes(data)
    assert checked(arena).problems == ()


def test_a_changed_byte_in_any_line_is_found(arena: Path) -> None:
    path = arena / "log.jsonl"
    data = path.read_bytes()
    lines = data.splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        for place in range(0, len(line) - 1, 41):
            changed = bytearray(line)
            changed[place] ^= 1
            path.write_bytes(b"".join([*lines[: number - 1], bytes(changed), *lines[number:]]))
            assert f"log.jsonl:{number}: " in only_problem(arena)
    for number in range(len(lines) - 1):
        path.write_bytes(b"".join([*lines[:number], *lines[number + 1 :]]))
        assert f"log.jsonl:{number + 1}: it does not follow" in only_problem(arena)


def test_lines_that_were_cut_off_are_found_by_the_head(arena: Path) -> None:
    head = read_log(arena).head
    (arena / LADDER).unlink()
    path = arena / "log.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert checked(arena).problems == ()  # the season is open
    assert "does not occur in its chain" in only_problem(arena, head=head)


def test_a_head_is_read_as_people_copy_it(arena: Path) -> None:
    head = read_log(arena).head
    for copied in (head.upper(), f" {head}\n"):
        assert checked(arena, head=copied).problems == ()
    for mistyped in (head[:4], f"{head}0", head.replace(head[0], "g"), ""):
        with pytest.raises(LadderError, match=f"^head: '{mistyped}': expected 64 hexadecimal digits$"):
            checked(arena, head=mistyped)


def test_a_public_salt_may_stay_and_goes_with_the_next_change(arena: Path) -> None:
    left = salt_file(arena, 1)
    left.write_text(f"{SALT}\n")  # as `close` leaves it if it is killed after its line
    assert checked(arena).problems == ()
    salt_file(arena, 2).write_text(f"{SALT}\n")  # as `new` leaves it if it is killed before its line
    assert checked(arena).problems == ()
    new_season(arena, salt=SALT[::-1])
    assert not left.exists()
    assert not salt_file(arena, 2).exists()
    left.write_text(f"{SALT}\n")
    retire_entry(arena, "zoom 1.0")
    assert not left.exists()
    salt_file(arena, 3).write_text(f"{SALT}\n")
    assert only_problem(arena) == f"{salt_file(arena, 3)}: not a part of the arena"


def match_line(lines: list[dict[str, Any]]) -> dict[str, Any]:
    return next(line for line in lines if line["kind"] == "match")


def _other_places(lines: list[dict[str, Any]]) -> None:
    game = match_line(lines)["games"][0]
    game["places"] = [3 - place for place in game["places"]] if len({*game["places"]}) > 1 else [1, 2]


def _other_lineup(lines: list[dict[str, Any]]) -> None:
    drawn = next(line for line in lines if line["kind"] == "round")["matches"][0]
    drawn["lineup"].reverse()
    match_line(lines)["games"].reverse()


def _fewer_games(lines: list[dict[str, Any]]) -> None:
    del match_line(lines)["games"][1]


def _twice(lines: list[dict[str, Any]]) -> None:
    place = lines.index(match_line(lines))
    lines.insert(place, lines[place])


def _for(key: str, value: Any) -> Change:
    def change(lines: list[dict[str, Any]]) -> None:
        match_line(lines)[key] = value

    return change


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (_other_places, "result: "),
        (_other_lineup, "its matches do not follow from the salt"),
        (_fewer_games, "1 games: expected 2"),
        (_twice, "match 1 was not drawn, or already has a result"),
        (_for("decisions", {"random": 6, "zoom 1.0": 5}), "decisions: "),
        (_for("decisions", {"random": 6}), "decisions: "),
        (_for("faults", {"greedy": {"crash": 1}}), "faults: "),
        (_for("faults", {"zoom 1.0": {"crash": 1}}), "faults: "),
        (_for("salt", "1" * 32), "its deal does not follow from the salt"),
        (_for("seed", 2), "its deal does not follow from the salt"),
        (_for("course", {"id": "checkmate", "sha256": "0" * 64}), "its course does not follow"),
        (_for("table", "fours"), "table: there is no 'fours'"),
        (_for("season", 2), "season 2: expected the open season"),
        (lambda lines: lines.append(lines[-1]), "the season is not open"),
        (lambda lines: lines[-1].update(salt="1" * 32), "the SHA-256 of its salt is not the published one"),
    ],
)  # fmt: skip
def test_a_log_that_was_chained_anew_contradicts_the_games(change: Change, problem: str, arena: Path) -> None:
    (arena / LADDER).unlink()
    chain_anew(arena, change)
    assert any(problem in found for found in checked(arena).problems)


def test_what_games_do_not_show_is_found_by_a_published_head(arena: Path) -> None:
    head = read_log(arena).head
    (arena / LADDER).unlink()
    chain_anew(arena, _for("begun", "2020-01-01T00:00:00Z"))
    assert checked(arena).problems == ()
    assert "does not occur in its chain" in only_problem(arena, head=head)


def _changed_file(arena: Path, name: str, change: Callable[[str], str]) -> None:
    """Change a file of the match, and its SHA-256 in a log that is chained anew."""
    (arena / LADDER).unlink()
    path = match_folder(arena, 1) / name
    text = path.read_text()
    assert change(text) != text
    path.write_text(change(text))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    chain_anew(arena, lambda lines: match_line(lines)["files"].update({name: digest}))


def _transcript_of(arena: Path) -> str:
    return next(name for name in read_log(arena).matches[1].files if "seat" in name)


def _edited(text: str, way: str, key: str, change: Callable[[dict[str, Any]], None]) -> str:
    """Change the first message of a transcript that goes this way and has this key."""
    lines = [json.loads(line) for line in text.splitlines()]
    line = next(line for line in lines if line["way"] == way and key in line["line"])
    message = json.loads(line["line"])
    change(message)
    line["line"] = json.dumps(message)
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize(
    ("way", "key", "change", "problem"),
    [
        ("<", "orders", lambda m: m["orders"]["program"].reverse(), "the orders that were played are not its answer"),
        ("<", "orders", lambda m: m.update(id=99), "neither an answer nor a note"),
        ("<", "orders", lambda m: m["orders"].update(program=["u-turn 999"]), "was played, but is invalid"),
        (">", "legal", lambda m: m["legal"]["cards"].reverse(), "legal: the message to the program"),
        (">", "legal", lambda m: m["view"].update(turn=7), "view: the message to the program"),
        (">", "legal", lambda m: m.update(type="other"), "turn: the message to the program"),
    ],
)  # fmt: skip
def test_a_transcript_that_was_written_anew_contradicts_the_game(
    way: str, key: str, change: Callable[[dict[str, Any]], None], problem: str, arena: Path
) -> None:
    _changed_file(arena, _transcript_of(arena), lambda text: _edited(text, way, key, change))
    assert any(problem in found for found in checked(arena).problems)


def test_a_replay_that_was_written_anew_contradicts_the_rules(arena: Path) -> None:
    def other_winner(text: str) -> str:
        data = json.loads(text)
        data["result"]["winners"] = [0] if data["result"]["winners"] != [0] else [1]
        return json.dumps(data)

    _changed_file(arena, "game-1.json", other_winner)
    assert any("game-1.json" in found or "result" in found for found in checked(arena).problems)


def test_files_that_come_or_go_are_found(arena: Path) -> None:
    more = match_folder(arena, 1) / "game-3.json"
    more.write_text("{}")
    assert f"{more}: not a part of the match" in checked(arena).problems
    more.unlink()
    stray = arena / "matches" / "000009"
    stray.mkdir()
    assert checked(arena).problems == (f"{stray}: not a part of the arena",)
    stray.rmdir()
    shutil.rmtree(entry_folder(arena, "zoom 1.0"))
    verdict = checked(arena)
    assert verdict.problems == ()
    assert "the files of zoom 1.0 cannot be checked, its games can" in verdict.notes[0]
    shutil.rmtree(match_folder(arena, 1))
    assert "missing" in only_problem(arena)


def test_a_season_that_goes_on_is_verified_but_for_its_draw(arena: Path) -> None:
    (arena / LADDER).unlink()
    chain_anew(arena, lambda lines: lines.pop())
    verdict = checked(arena)
    assert verdict.problems == ()
    assert "until its salt is published" in verdict.notes[0]
    with pytest.raises(LadderError, match="season: 2: expected 1 to 1"):
        checked(arena, season=2)


def test_matches_of_other_rules_are_refused(arena: Path) -> None:
    def other(lines: list[dict[str, Any]]) -> None:
        lines[1]["rules"]["digest"] = "f" * 64

    chain_anew(arena, other)
    with pytest.raises(LadderError, match=r"season 1 was played by the rules of rr_gym .* \(rules ffffffffffff\)"):
        checked(arena)


def test_lost_decisions_are_verified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few_courses(monkeypatch)
    folder = small_arena(tmp_path / "arena", "random")
    code = "for turn in turns():\n    answer(turn, program=['none']) if turn['turn'] else say('?')\n"
    add_entry(folder, write_bot(tmp_path / "bot", code=code))
    (line,) = play(folder, 1).matches.values()
    assert line.faults == {"zoom 1.0": {"not JSON": 2, "illegal order": 4}}
    assert checked(folder).problems == ()
    assert {row.name: row.lost for row in make_ladder(read_log(folder)).total} == {"random": 0, "zoom 1.0": 1}
    assert "* more than 5 % of its decisions were lost" in make_ladder(read_log(folder)).text()
