"""Programs of protocol 2 in an arena: previews, forfeits, and every edit of their transcripts is found."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from arenas import SALT, chain_anew, few_courses, play, small_arena, write_bot
from combinations import quick

from rr_gym.arena import add_entry, close_season, read_log, transcript_check, verify
from rr_gym.arena.folder import match_folder
from rr_gym.arena.lines import MatchLine
from rr_gym.arena.pages.lost_games import LadderLoss
from rr_gym.players.program import ProgramPlayer
from rr_gym.players.protocol2 import conversation

Lines = list[dict[str, Any]]
Edit = Callable[[Lines], None]

# Plays well in seat 0, after previews and with lines that are no answers; in seat 1 it answers nonsense.
TWO_FACES = """
seat = None
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game":
        seat = message["seat"]
    elif message["type"] == "turn" and seat:
        answer(message, program=["move_9"] * 5)
    elif message["type"] == "turn":
        hand, takes = message["legal"]["program"]["cards"], message["legal"]["program"]["registers"]
        cards = [hand.pop(0) if register in takes else None for register in range(1, 6)]
        say(json.dumps({"id": message["id"], "preview": [{"program": cards}, {"program": ["no card"]}]}))
    elif message["type"] == "preview":
        if message["id"] > 1:
            answer({"id": message["id"] - 1}, program=[])
        answer(message, program=cards)
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an arena with a match of a bot that forfeits one of its two games."""
    home = tmp_path_factory.mktemp("arena")
    with pytest.MonkeyPatch.context() as patch:
        few_courses(patch)
        folder = small_arena(home / "arena", "random", max_cycles=5)
        add_entry(folder, write_bot(home / "bot", code=TWO_FACES, protocol=2))
        play(folder, 1)
    return folder


@pytest.fixture
def arena(played: Path, tmp_path: Path) -> Path:
    """Copy it, to be damaged."""
    return shutil.copytree(played, tmp_path / "arena")


def match_of(folder: Path) -> MatchLine:
    (line,) = read_log(folder).matches.values()
    return line


def problems(folder: Path) -> tuple[str, ...]:
    return verify(folder, workers=1).problems


def transcript_of(folder: Path, seat: int) -> str:
    return next(name for name in match_of(folder).files if name.endswith(f"seat-{seat}.jsonl"))


def test_a_game_that_a_bot_forfeits_counts_as_lost(arena: Path) -> None:
    line = match_of(arena)
    for game in line.games:
        seat = game.players.index("zoom 1.0")
        assert game.forfeits == ((1,) if seat else ())
        if seat:
            assert (game.places, game.winners, game.turns) == ((1, 2), (0,), 5)
    assert line.faults == {"zoom 1.0": {"illegal order": 3, "forfeit": 2}}
    assert line.decisions["zoom 1.0"] == 10
    assert problems(arena) == ()
    number = next(number for number, game in enumerate(line.games, 1) if game.forfeits)
    assert LadderLoss(line, number, 1, 1).forfeit == ", forfeited by zoom 1.0"
    assert LadderLoss(line, 3 - number, 0, 1).forfeit == ""


def test_a_season_of_such_matches_is_verified(arena: Path) -> None:
    close_season(arena, SALT)
    assert verify(arena, workers=1, head=read_log(arena).head).problems == ()


def test_a_bot_is_told_who_plays_and_what_counts(arena: Path) -> None:
    text = (match_folder(arena, 1) / transcript_of(arena, 0)).read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    messages = [json.loads(line["line"]) for line in lines if line["way"] == ">"]
    game = next(message for message in messages if message["type"] == "game")
    assert (game["players"], game["scored"], game["truncated_after"]) == (["zoom 1.0", "random"], "places", 5)


def rewritten(folder: Path, name: str, change: Callable[[str], str]) -> None:
    """Change a file of the match, and its SHA-256 in a log that is chained anew."""
    path = match_folder(folder, 1) / name
    text = path.read_text()
    assert change(text) != text
    path.write_text(change(text))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()

    def other_digest(lines: Lines) -> None:
        next(line for line in lines if line["kind"] == "match")["files"][name] = digest

    chain_anew(folder, other_digest)


def _message(kind: str, change: Callable[[dict[str, Any]], None], which: int = 0) -> Edit:
    """Change a message of a type, or a line of the program or a note with such a key."""

    def edit(lines: Lines) -> None:
        found = [line for line in lines if line["way"] != "!" and _is(line, kind)]
        message = json.loads(found[which]["line"])
        change(message)
        found[which]["line"] = json.dumps(message)

    return edit


def _without(kind: str, which: int = 0) -> Edit:
    def edit(lines: Lines) -> None:
        lines.remove([line for line in lines if line["way"] != "!" and _is(line, kind)][which])

    return edit


def _is(line: dict[str, Any], kind: str) -> bool:
    message = json.loads(line["line"])
    return message.get("type") == kind if line["way"] == ">" else kind.strip("<#") in message and kind[0] == line["way"]


def _one_more(lines: Lines) -> None:
    """Tell the program a secret in a message that it need not know."""
    place = next(k for k, line in enumerate(lines) if _is(line, "turn"))
    lines.insert(place, {**lines[place], "line": '{"type": "hint", "hand": ["move_3@840"]}'})


def _never_asked(lines: Lines) -> None:
    """Leave out a question and all that follows from it."""
    first, second = [k for k, line in enumerate(lines) if _is(line, "turn")][:2]
    del lines[first:second]


ELSE = "the message to the program is not the one that the rules give"
# Edits of other fields of what the program was told, which are found as the first ones of the next list are
MORE_FIELDS = [
    (0, _message("course", lambda m: m["tables"]["turns_to_go"][0].reverse()), f"tables: {ELSE}"),
    (0, _message("course", lambda m: m.update(seconds=1.0)), f"seconds: {ELSE}"),
    (0, _message("game", lambda m: m["players"].reverse()), f"players: {ELSE}"),
    (0, _message("turn", lambda m: m["view"]["hand"].reverse(), 1), f"view: {ELSE}"),
    (0, _message("turn", lambda m: m["last"]["programs"].reverse(), 2), f"last: {ELSE}"),
    (0, _message("turn", lambda m: m.update(chance=1)), f"chance: {ELSE}"),
    (0, _message("turn", lambda m: m.update(state=-1)), f"state: {ELSE}"),
    (0, _message("turn", lambda m: m.update(bank_seconds=9e9), 1), f"bank_seconds: {ELSE}"),
    (0, _message("turn", lambda m: m.update(seconds=30.0)), f"seconds: {ELSE}"),
    (0, _message("end", lambda m: m["places"].append(3)), f"places: {ELSE}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("seat", "edit", "problem"),
    [
        (0, _message("hello", lambda m: m.update(secret=1)), f"secret: {ELSE}"),
        (0, _message("course", lambda m: m["tables"]["steps"][0]["none"].reverse()), f"tables: {ELSE}"),
        (0, _message("turn", lambda m: m["legal"]["program"]["cards"].reverse()), f"legal: {ELSE}"),
        (0, _message("turn", lambda m: m["last"]["events"].pop(), 1), f"last: {ELSE}"),
        (0, _message("turn", lambda m: m.update(hand_of_others=[])), f"hand_of_others: {ELSE}"),
        (0, _message("preview", lambda m: m["results"][0]["end"].update(damage=9)), f"results: {ELSE}"),
        (0, _message("<preview", lambda m: m["preview"].reverse()), f"results: {ELSE}"),
        (0, _message("<orders", lambda m: m["orders"]["program"].reverse()), "the orders that were played are not"),
        (0, _message("<orders", lambda m: m["orders"].update(program=["move_9"])), "was played, but is invalid"),
        (0, _message("<orders", lambda m: m.update(id=99)), "neither an answer nor a note"),
        (0, _without("<orders"), "neither an answer nor a note"),
        (0, _without("end"), f"end: {ELSE}"),
        (0, _without("turn", 1), f"turn: {ELSE}"),
        (0, _one_more, f"turn: {ELSE}"),
        (1, _never_asked, "turn: "),
        (1, _message("#lost", lambda m: m.update(fault="not JSON")), "expected decision 1 by illegal order"),
        (1, _message("#lost", lambda m: m.update(why="bad luck")), "expected decision 1 by illegal order"),
        (1, _without("#lost"), "its answer was played, but is invalid"),
        (1, _without("#lost", 3), "expected decision 4 by forfeit"),
        (1, _without("#lost", 4), "neither an answer nor a note"),
        (1, _without("#forfeit"), "expected a note that the game is forfeited: 3 of 3 decisions"),
        (1, _message("#forfeit", lambda m: m.update(forfeit="bad luck")), "expected a note that the game is"),
        (1, _message("error", lambda m: m.update(message="bad luck")), f"message: {ELSE}"),
        (1, _message("error", lambda m: m.update(forfeited=False), 2), f"forfeited: {ELSE}"),
        (1, _without("error"), f"error: {ELSE}"),
        (1, _message("<orders", lambda m: m.update(orders={})), "its answer was not played, but is valid"),
        *(pytest.param(*edit, marks=pytest.mark.long) for edit in MORE_FIELDS),
    ],
)  # fmt: skip
def test_an_edit_of_a_transcript_is_found(seat: int, edit: Edit, problem: str, arena: Path) -> None:
    def change(text: str) -> str:
        lines = [json.loads(line) for line in text.splitlines()]
        edit(lines)
        return "".join(json.dumps(line) + "\n" for line in lines)

    rewritten(arena, transcript_of(arena, seat), change)
    found = problems(arena)
    assert any(problem in each for each in found), found


@pytest.mark.parametrize(
    "change",
    [
        lambda game: game.update(forfeits=[]),
        lambda game: game.update(winners=[]),
        lambda game: game.update(places=[2, 1]),
        lambda game: game.update(forfeits=[0], places=[2, 1], winners=[1]),
        lambda game: game.update(forfeits=[7]),
    ],
)
def test_a_forfeit_that_was_invented_or_hidden_is_found(change: Callable[[Any], None], arena: Path) -> None:
    def edit(lines: Lines) -> None:
        line = next(line for line in lines if line["kind"] == "match")
        change(next(game for game in line["games"] if game["forfeits"]))

    chain_anew(arena, edit)
    assert any("result: " in found or "forfeits (7,): expected some of 2 seats" in found for found in problems(arena))


LATE = "for turn in turns():\n    answer(turn)\n    if turn['turn'] < 3: time.sleep(0.25)\n"


FAILING: dict[str, tuple[str, int, dict[str, Any], dict[str, int]]] = {
    "crash": ("sys.exit(3)", 2, {}, {"crash": 3, "forfeit": 1}),
    "out": ("sys.exit(3)", 1, {}, {"crash": 3, "out": 1}),
    "time-out": (LATE, 2, {"seconds": 0.1}, {"time-out": 3, "forfeit": 1}),
    "not-json": ("for turn in turns():\n    say('?')\n", 2, {}, {"not JSON": 3, "forfeit": 1}),
    "no-answer": ("for turn in turns():\n    say('{}')\n", 2, {}, {"not an answer": 3, "forfeit": 1}),
    "quits": ("answer(next(turns()))\n", 1, {}, {"crash": 2}),
    "floods": ("first = next(turns())\nanswer(first)\nwhile True: answer(first)\n", 1, {}, {"crash": 2}),
    "unknown-id": ("for turn in turns():\n    answer({'id': 77})\n", 2, {}, {"not an answer": 3, "forfeit": 1}),
}


@pytest.mark.parametrize("how", quick(FAILING, "crash", "out", "time-out", "not-json", "quits", "floods"))
def test_bots_that_fail_are_verified(how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, protocol, more, faults = FAILING[how]
    few_courses(monkeypatch)
    monkeypatch.setitem(ProgramPlayer.__init__.__kwdefaults__, "starts", 3)
    monkeypatch.setattr(transcript_check, "STARTS", 3)
    folder = small_arena(tmp_path / "arena", "random", max_cycles=5, **more)
    add_entry(folder, write_bot(tmp_path / "bot", code=code, protocol=protocol))
    play(folder, 1)
    line = match_of(folder)
    assert problems(folder) == ()
    lost = line.faults["zoom 1.0"]
    assert [*lost] == [*faults]
    assert all(lost[kind] >= 2 * count for kind, count in faults.items())  # a robot may be eliminated before the end
    assert all(bool(game.forfeits) == (protocol == 2) for game in line.games)


def test_a_time_bank_that_is_used_up_forfeits_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few_courses(monkeypatch)
    monkeypatch.setattr(conversation, "BANK_DECISIONS", 1)
    folder = small_arena(tmp_path / "arena", "random", max_cycles=4, seconds=0.4)
    code = "for turn in turns():\n    if turn['turn']: time.sleep(0.25)\n    answer(turn)\n"
    add_entry(folder, write_bot(tmp_path / "bot", code=code, protocol=2))
    play(folder, 1)
    assert problems(folder) == ()
    line = match_of(folder)
    assert line.faults == {"zoom 1.0": {"time-out": 2, "forfeit": 2}}
    assert [game.players[game.forfeits[0]] for game in line.games] == ["zoom 1.0"] * 2
