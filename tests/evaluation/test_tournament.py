"""Tournaments: schedules, games, folders, figures, and the command."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from chained import chained
from conftest import ROOT

from rr_gym.cli.main import main
from rr_gym.courses import load_course
from rr_gym.errors import MissingExtraError, RoboRallyError
from rr_gym.evaluation.processes import SharingError
from rr_gym.evaluation.statistics import ratings
from rr_gym.evaluation.statistics.intervals import wilson
from rr_gym.evaluation.tournament import blocks, store
from rr_gym.evaluation.tournament.blocks import TournamentWorker
from rr_gym.evaluation.tournament.put_aside import BlockError
from rr_gym.evaluation.tournament.schedule import make_blocks, make_schedule
from rr_gym.evaluation.tournament.standings import Standings, make_standings
from rr_gym.evaluation.tournament.tournament import Tournament, TournamentError
from rr_gym.evaluation.tournament.tournament_page import to_html
from rr_gym.line_chain import unsealed
from rr_gym.player_calls import FailedPlayerError, traceback_of
from rr_gym.players import Player, RandomPlayer
from rr_gym.registry import make_player
from rr_gym.replay import Replay
from rr_gym.rules.state.records import GAME

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use few bootstrap samples, since these tests are not about the intervals of ratings."""
    monkeypatch.setattr(ratings, "SAMPLES", 30)


class Toy(RandomPlayer):
    """Plays at random; depending on its name, it loses decisions or fails in other ways."""

    outside = False  # treated like a built-in player, so that no salt is drawn
    closed = 0
    made: ClassVar[list[Toy]] = []

    def __init__(self, name: str) -> None:
        self.name = name
        self.faults: dict[str, int] = {}
        self.reproducible = name != "clock"
        self.seen: list[tuple[bytes, int]] = []
        Toy.made.append(self)

    def act(self, arena: Any, games: Array, seat: int) -> Array:
        if self.name == "raises":
            raise KeyError("a mistake")
        if self.name == "dies":
            os._exit(3)
        if self.name == "faulty":
            self.faults["time-out"] = self.faults.get("time-out", 0) + int((games["turn"] == 1).sum())
        first = games[games["turn"] == 0]
        self.seen += [(game["robots"]["hand"][seat].tobytes(), seat) for game in first]
        return super().act(arena, games, seat)

    def close(self) -> None:
        Toy.closed += 1


def make_toy(name: str) -> Player:
    return make_player(name) if name in ("random", "greedy") else Toy(name)


def toys(names: str, **arguments: Any) -> Tournament:
    arguments = {"games": 60, "seats": 3, "max_cycles": 6, "workers": 1, "make": make_toy, **arguments}
    return Tournament(names.split(), **arguments)


def played(names: str = "random a b faulty", **arguments: Any) -> Standings:
    tournament = toys(names, **arguments)
    tournament.play()
    return tournament.result()


def data(standings: Standings) -> dict[str, Any]:
    return json.loads(json.dumps(standings.to_json(), allow_nan=False))


# Schedules


@pytest.mark.parametrize(
    ("players", "seats", "courses", "games", "expected"),
    [(6, 4, 1, 1000, 1080), (4, 4, 1, 10, 16), (3, 2, 2, 24, 24), (2, 4, 1, 9, 16), (3, 4, 1, 24, 24)],
)
def test_all_lineups_meet_as_often(players: int, seats: int, courses: int, games: int, expected: int) -> None:
    deals = make_schedule(players, seats, courses, games, seed=1)
    assert len(deals) * seats == expected
    met = Counter((deal.course, tuple(sorted(deal.lineup))) for deal in deals)
    assert len(set(met.values())) == 1
    if players >= seats:
        lineups = {lineup for _, lineup in met}
        assert lineups == set(combinations(range(players), seats))
        # Any two players precede each other around the table equally often, and are in every seat equally often.
        before = Counter(pair for deal in deals for seats_ in deal.rotations() for pair in combinations(seats_, 2))
        assert len(set(before.values())) == 1
    for _, lineup in met:
        counts = Counter(lineup)
        assert max(counts.values()) - min(counts.get(p, 0) for p in range(players)) <= 1 or players > seats
    sat = Counter((seat, player) for deal in deals for seats_ in deal.rotations() for seat, player in enumerate(seats_))
    assert len(set(sat.values())) == 1


@pytest.mark.parametrize(("players", "seats", "courses"), [(12, 4, 1), (20, 3, 3), (9, 8, 2), (30, 2, 1)])
def test_too_many_lineups_are_drawn_evenly(players: int, seats: int, courses: int) -> None:
    games = 240
    deals = make_schedule(players, seats, courses, games, seed=5)
    assert games <= len(deals) * seats < games + seats * courses * 2
    assert all(len(set(deal.lineup)) == seats for deal in deals)
    ways = 2 if seats > 2 else 1
    for course in range(courses):
        dealt = Counter(player for deal in deals if deal.course == course for player in deal.lineup)
        counts = [dealt[player] for player in range(players)]
        assert max(counts) - min(counts) <= ways
    met = Counter(frozenset(pair) for deal in deals for pair in combinations(deal.lineup, 2))
    mean = sum(met.values()) / (players * (players - 1) / 2)
    assert max(met.values()) <= max(2.5 * mean, 2 * ways)


def test_schedules_depend_only_on_the_seed() -> None:
    assert make_schedule(6, 4, 2, 500, 3) == make_schedule(6, 4, 2, 500, 3)
    assert make_schedule(6, 4, 2, 500, 3) != make_schedule(6, 4, 2, 500, 4)


@pytest.mark.parametrize("games", [1, 50, 1000, 5000])
def test_blocks_hold_all_deals_in_order(games: int) -> None:
    deals = make_schedule(5, 4, 1, games, 0)
    parts = make_blocks(deals)
    assert tuple(deal for block in parts for deal in block.deals) == deals
    assert [block.first for block in parts[1:]] == [a.first + len(a.deals) for a in parts[:-1]]
    assert max(len(block.deals) for block in parts) * 4 <= 128
    assert len(parts) >= min(len(deals), 8)


# Games


def test_a_deal_gives_every_seat_the_same_hand_in_all_rotations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Toy, "made", [])
    toys("a b c", games=24, max_cycles=2).play()
    hands: dict[tuple[bytes, int], list[str]] = {}
    for player in Toy.made:
        for seen in player.seen:
            hands.setdefault(seen, []).append(player.name)
    assert len(hands) == 24  # every deal with three seats
    assert all(sorted(names) == ["a", "b", "c"] for names in hands.values())


def test_outcomes_do_not_depend_on_how_they_are_played(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = data(played())
    assert data(played(workers=2)) == expected
    monkeypatch.setattr(blocks, "DECISIONS_AT_ONCE", 3)
    assert data(played()) == expected
    assert data(played(seed=1)) != expected


def test_players_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Toy, "closed", 0)
    tournament = toys("a b raises", max_cycles=1)
    assert Toy.closed == 3
    with pytest.raises(FailedPlayerError, match=r"player 'raises': .*: KeyError: 'a mistake'"):
        tournament.play()
    assert Toy.closed == 6


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("dies", "a process was killed in the middle"),
        pytest.param("raises", "a mistake", marks=pytest.mark.long),
    ],
)
def test_errors_in_a_process_are_reported(name: str, message: str) -> None:
    with pytest.raises((FailedPlayerError, SharingError), match=message) as caught:
        played(f"random a {name}", workers=2)
    assert name == "dies" or 'raise KeyError("a mistake")' in traceback_of(caught.value)


def test_blocks_continue_where_they_were_put_aside(tmp_path: Path) -> None:
    whole = toys("random a faulty greedy", seats=4, max_cycles=8)
    block = whole.blocks[1]
    expected = TournamentWorker(whole.plan)(block, lambda over: False)
    tournament = toys("random a faulty greedy", seats=4, max_cycles=8, folder=tmp_path)
    outcome, stops = None, 0
    while outcome is None:
        patience = iter(range(2 + 6 * (stops % 5)))
        outcome = TournamentWorker(tournament.plan)(block, lambda over, left=patience: next(left, None) is None)  # type: ignore[misc]
        stops += outcome is None
    assert stops > 5
    assert json.loads(json.dumps(outcome)) == json.loads(json.dumps(expected))
    assert expected is not None
    assert expected["faults"]["faulty"]["time-out"] == sum(game["turns"] > 1 for game in expected["games"])


def test_a_block_that_is_told_to_stop_after_its_last_turn_is_finished(tmp_path: Path) -> None:
    tournament = toys("random a faulty greedy", seats=4, max_cycles=8, folder=tmp_path)
    block = tournament.blocks[0]
    games = sum(len(deal.rotations()) for deal in block.deals)
    assert TournamentWorker(tournament.plan)(block, lambda over: over == games) is not None
    assert not (tmp_path / "block-0.npz").exists()


# Folders


def test_a_cut_file_is_resumed_to_the_digit(tmp_path: Path) -> None:
    expected = data(played(folder=tmp_path / "whole"))
    assert expected == data(played())
    file = tmp_path / "whole" / store.GAMES
    content = file.read_bytes()
    lines = content.splitlines(keepends=True)
    for length in (0, len(lines[0]) - 1, len(lines[0]) + 40, len(content)):
        file.write_bytes(content[:length])
        tournament = toys("random a b faulty", folder=tmp_path / "whole", resume=True)
        whole = sum(len(line) for line in lines[: content[:length].count(b"\n")])
        assert file.stat().st_size == whole
        tournament.play()
        assert file.read_bytes() == content
    assert data(tournament.result()) == expected


def test_a_part_is_reported_as_such(tmp_path: Path) -> None:
    whole = played(folder=tmp_path)
    assert whole.complete
    lines = (tmp_path / store.GAMES).read_bytes().splitlines(keepends=True)
    (tmp_path / store.GAMES).write_bytes(chained([lines[2], lines[0]]))
    part = toys("random a b faulty", folder=tmp_path, resume=True)
    result = part.result()
    assert not result.complete
    assert result.total.games == part.num_played == sum(len(json.loads(lines[n])["games"]) for n in (0, 2))
    assert f"{part.num_played} of {part.num_games} games" in result.text()
    reports: list[tuple[int, int]] = []
    part.play(lambda *report: reports.append(report))
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert reports[-1] == (part.num_games, part.num_games)
    assert data(part.result()) == data(whole)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"seats": 2}, "seats: 2: the tournament in .* has 3"),
        ({"games": 90}, "games: 96: the tournament in .* has 72"),
        ({"seed": 1}, "seed: 1: the tournament in .* has 0"),
        ({"max_cycles": 9}, "max_cycles: 9: the tournament in .* has 6"),
        ({"settings": {"lives": 1}}, "settings: .*lives.*: the tournament in .* has {}"),
        ({"courses": "checkmate"}, "courses: .*checkmate.*: the tournament in .* has .*risky_exchange"),
        ({"names": "random a b"}, "players: .*: the tournament in .* has .*faulty"),
        ({"resume": False}, "there is a tournament in it: resume it, or choose another folder"),
    ],
)
def test_another_tournament_is_refused(changed: dict[str, Any], message: str, tmp_path: Path) -> None:
    toys("random a b faulty", folder=tmp_path)
    arguments = {"names": "random a b faulty", "folder": tmp_path, "resume": True, **changed}
    with pytest.raises(TournamentError, match=message):
        toys(**arguments)


@pytest.mark.parametrize(
    "line",
    ["nonsense", "{}", "[]", '{"block":99,"games":[]}', '{"block":0,"games":[]}', "[" * 9999, "a\rb\n", "", "no end"],
)
def test_lines_of_something_else_are_refused(line: str, finished: bytes, tmp_path: Path) -> None:
    toys("random a b faulty", folder=tmp_path)
    file = tmp_path / store.GAMES
    first = finished.decode().splitlines()[0]
    file.write_text(f"{first}\n{line}{'' if line == 'no end' else chr(10)}", newline="")
    with pytest.raises(TournamentError, match=r"games\.jsonl:2: expected the games of a block"):
        toys("random a b faulty", folder=tmp_path, resume=True)
    (tmp_path / store.ARGUMENTS).write_text("[]" if line == "[]" else "nonsense")
    with pytest.raises(TournamentError, match=r"tournament\.json: not the arguments of a tournament"):
        toys("random a b faulty", folder=tmp_path, resume=True)


def test_an_edited_line_is_found(finished: bytes, tmp_path: Path) -> None:
    toys("random a b faulty", folder=tmp_path)
    file = tmp_path / store.GAMES
    first, second, *rest = finished.splitlines(keepends=True)
    changes = {
        "2: .*it was changed": [first, second.replace(b'"over":true', b'"over":false', 1), *rest],
        "2: .*does not follow": [first, *rest],
        "2: .*does not end with its hash": [first, unsealed(second.rstrip()) + b"\n", *rest],
    }
    for message, lines in changes.items():
        file.write_bytes(b"".join(lines))
        with pytest.raises(TournamentError, match=rf"games\.jsonl:{message}"):
            toys("random a b faulty", folder=tmp_path, resume=True)
    file.write_bytes(first)
    toys("random a b faulty", folder=tmp_path, resume=True).play()
    assert file.read_bytes() == finished


def test_a_file_without_hashes_is_read_and_covered_by_what_is_added(
    finished: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    toys("random a b faulty", folder=tmp_path)
    file = tmp_path / store.GAMES
    old = [unsealed(line) + b"\n" for line in finished.splitlines()]
    file.write_bytes(b"".join(old[:2]))
    tournament = toys("random a b faulty", folder=tmp_path, resume=True)
    assert f"{file}: its lines have no hashes, as in earlier versions" in capsys.readouterr().err
    tournament.play()
    assert [unsealed(line) + b"\n" for line in file.read_bytes().splitlines()] == old
    capsys.readouterr()
    toys("random a b faulty", folder=tmp_path, resume=True)
    assert capsys.readouterr().err == ""
    file.write_bytes(file.read_bytes().replace(b'"turns":', b'"turns":1', 1))
    with pytest.raises(TournamentError, match=r"games\.jsonl:3: .*does not follow the line before it"):
        toys("random a b faulty", folder=tmp_path, resume=True)


def test_a_duplicate_block_is_read_once(tmp_path: Path) -> None:
    whole = data(played(folder=tmp_path))
    file = tmp_path / store.GAMES
    lines = file.read_text().splitlines(keepends=True)
    twice = chained([*lines[:3], *reversed(lines)]).decode()
    file.write_text(twice)
    tournament = toys("random a b faulty", folder=tmp_path, resume=True)
    tournament.play()
    assert data(tournament.result()) == whole
    assert file.read_text() == twice

    other = json.loads(unsealed(lines[1].rstrip().encode()))
    other["games"][0]["turns"] += 1
    file.write_bytes(chained([*lines, json.dumps(other)]))
    with pytest.raises(TournamentError, match=r"games\.jsonl:9: block 1 .* line 2: .* without line 2 and those after"):
        toys("random a b faulty", folder=tmp_path, resume=True)
    file.write_bytes(chained([lines[0], *lines[2:]]))
    tournament = toys("random a b faulty", folder=tmp_path, resume=True)
    tournament.play()
    assert data(tournament.result()) == whole


@pytest.mark.parametrize(
    "change",
    [
        lambda block: block.update(block=True),
        lambda block: block.update(block=-1),
        lambda block: block.update(more=1),
        lambda block: block["games"].reverse(),
        lambda block: block["games"][0].update(players=["a", "a", "a"]),
        lambda block: block["games"][0].update(course="elsewhere"),
        lambda block: block["games"][0].update(places=[1, 2]),
        lambda block: block["games"][0].update(places=[1, 2, 4]),
        lambda block: block["games"][0].update(winners=[3]),
        lambda block: block["games"][0].update(turns="6"),
        lambda block: block["games"][0].update(over=1),
        lambda block: block["games"][0].pop("over"),
        lambda block: block.pop("decisions"),
        lambda block: block["decisions"].pop("a"),
        lambda block: block["decisions"].update(a=-1),
        lambda block: block["faults"].update(a=3),
        lambda block: block["faults"].update(nobody={"crash": 1}),
        lambda block: block["faults"].update(a={"crash": None}),
    ],
)
def test_lines_are_read_to_the_last_field(change: Callable[[Any], Any], finished: bytes, tmp_path: Path) -> None:
    toys("random a b faulty", folder=tmp_path)
    block = json.loads(unsealed(finished.splitlines()[0]))
    change(block)
    (tmp_path / store.GAMES).write_bytes(chained([json.dumps(block)]))
    with pytest.raises(TournamentError, match=r"games\.jsonl:1: expected the games of a block .* are played again$"):
        toys("random a b faulty", folder=tmp_path, resume=True)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return the games of a tournament of toys."""
    folder = tmp_path_factory.mktemp("finished")
    played(folder=folder)
    return (folder / store.GAMES).read_bytes()


def put_aside(folder: Path) -> tuple[Tournament, Path]:
    """Return a tournament of which one block is in progress, and that block's file."""
    tournament = toys("random a b faulty", folder=folder)
    patience = iter(range(9))
    assert TournamentWorker(tournament.plan)(tournament.blocks[0], lambda over: next(patience, None) is None) is None
    return tournament, folder / "block-0.npz"


Damage = Callable[[bytes], bytes]  # maps the contents of a file to damaged contents


def changed(**entries: Callable[[Any], Any]) -> Damage:
    """Return a change of entries in the archive of a block."""

    def change(content: bytes) -> bytes:
        with np.load(io.BytesIO(content)) as file:
            arrays = dict(file)
        new = io.BytesIO()
        np.savez(new, **arrays | {name: entry(arrays[name]) for name, entry in entries.items()})
        return new.getvalue()

    return change


def counted(**counts: Any) -> Damage:
    """Return a change of the counts in the archive of a block."""
    return changed(counts=lambda old: as_bytes(json.dumps(json.loads(old.tobytes()) | counts)))


def as_bytes(text: str) -> Array:
    return np.frombuffer(text.encode(), np.uint8)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: b"nonsense",
        lambda content: b"PK\x03\x04garbage",
        lambda content: b"\x93NUMPY",
        lambda content: content[: len(content) // 2],
        lambda content: content[:500] + bytes(len(content) - 700) + content[-200:],
        changed(running=lambda running: running + 10_000),
        changed(running=lambda running: running[:-1]),
        changed(running=lambda running: running.astype(float)),
        changed(games=lambda games: games[:-1]),
        changed(ended=lambda ended: ended[:0]),
        changed(orders=lambda orders: orders[:-1]),
        changed(counts=lambda counts: as_bytes("[]")),
        counted(seed=1),  # the seed of another block
        counted(state_version=0),
        counted(turn=6),
        counted(turn=-1),
        counted(turn="1"),
        counted(asked=99),
        counted(asked="x"),
        counted(decisions=[1]),
        counted(faults=[1, 2, 3, 4]),
        counted(faults=3),
    ],
)
def test_damaged_blocks_under_way_are_named(damage: Damage, tmp_path: Path) -> None:
    tournament, file = put_aside(tmp_path)
    content = damage(file.read_bytes())
    file.write_bytes(content)
    expected = rf"{re.escape(str(file))}: expected the games of this block.* from its beginning"
    with pytest.raises(RoboRallyError, match=expected):
        tournament.play()
    assert file.read_bytes() == content


def test_a_block_without_its_damaged_file_is_played_from_its_beginning(tmp_path: Path) -> None:
    tournament, file = put_aside(tmp_path)
    file.write_bytes(b"nonsense")
    with pytest.raises(RoboRallyError):
        tournament.play()
    file.unlink()
    tournament.play()
    assert tournament.result().complete


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ('{"turn": 1,', "line 1: .*: expected JSON"),
        ('{"turn": NaN}', "NaN is not JSON: expected JSON"),
        ("[" * 5000 + "]" * 5000, "nested too deeply: expected JSON"),
    ],
)
def test_counts_of_a_block_that_are_no_json_are_named(counts: str, message: str, tmp_path: Path) -> None:
    tournament, file = put_aside(tmp_path)
    file.write_bytes(changed(counts=lambda _: as_bytes(counts))(file.read_bytes()))
    with pytest.raises(BlockError, match=rf"^{re.escape(str(file))}: counts: {message}.* from its beginning"):
        TournamentWorker(tournament.plan)(tournament.blocks[0], lambda over: False)


def test_games_of_a_block_are_checked(tmp_path: Path) -> None:
    tournament, file = put_aside(tmp_path)

    def elsewhere(games: Any) -> Any:
        games.view(GAME)["robots"]["square"][2, 1] = 3000
        return games

    file.write_bytes(changed(games=elsewhere)(file.read_bytes()))
    expected = rf"{re.escape(str(file))}: games: game 2: robots\[1\]\.square: 3000: expected a whole number"
    with pytest.raises(BlockError, match=expected):
        TournamentWorker(tournament.plan)(tournament.blocks[0], lambda over: False)


def test_what_a_killed_process_was_writing_is_removed(tmp_path: Path) -> None:
    tournament, file = put_aside(tmp_path)
    file.with_name(f".{file.name}.4711").write_bytes(b"half")
    tournament.play()
    assert {path.name for path in tmp_path.iterdir()} == {store.ARGUMENTS, store.GAMES}


# Figures


def outcome(games: list[tuple[str, list[int], list[int]]], deals: int = 1) -> dict[str, Any]:
    """Return the outcome of a block from the players, places and winners by seat of its games."""
    rows = [
        {
            "deal": deal, "course": "here", "players": names.split(), "places": places, "winners": winners,
            "turns": 7 + len(winners), "over": bool(winners),
        }
        for deal in range(deals) for names, places, winners in games
    ]  # fmt: skip
    everybody = dict.fromkeys(["a", "b", "c", "d"], 10)
    return {"block": 0, "games": rows, "decisions": everybody, "faults": {"b": {"time-out": 2, "crash": 1}}}


def standings(games: list[tuple[str, list[int], list[int]]], names: str = "a b c d", deals: int = 1) -> Standings:
    seats = len(games[0][1])
    arguments = {"players": names.split(), "courses": [{"id": "here"}], "seats": seats, "seed": 0, "games": 8,
                 "max_cycles": 8, "settings": {}}  # fmt: skip
    return make_standings(arguments, [outcome(games, deals)], True, ["c"])


def test_figures_are_those_of_the_games() -> None:
    result = standings([("a b c", [1, 2, 2], [0]), ("b c a", [1, 3, 1], [0, 2]), ("c a b", [1, 2, 3], [])], deals=40)
    assert {player.name: player.games for player in result.total.players} == {"a": 120, "b": 120, "c": 120}
    by_name = {player.name: player for player in result.total.players}
    assert [by_name[name].win.value for name in "abc"] == [0.5, pytest.approx(1 / 6), 0]
    assert [by_name[name].place.value for name in "abc"] == pytest.approx([4 / 3, 2, 2])
    assert by_name["a"].better["b"].value == pytest.approx(2.5 / 3)
    assert by_name["b"].better["a"].value == pytest.approx(0.5 / 3)
    assert by_name["b"].better["c"].value == pytest.approx(1.5 / 3)
    assert by_name["a"].better.keys() == {"b", "c"}
    assert (result.total.turns, result.total.unfinished) == (8, pytest.approx(1 / 3))
    assert result.by_course["here"] == result.total
    assert result.total.players[0].name == "a"
    assert result.faults == {"b": {"time-out": 2, "crash": 1}}
    text = result.text()
    assert "b: 3 of 10 decisions lost: 2 time-out, 1 crash" in text
    assert "c is not reproducible: the same seed may give other results" in text


def test_deals_are_the_unit_of_intervals() -> None:
    games = [("a b", [1, 2], [0]), ("b a", [2, 1], [1])]
    sure = standings(games, "a b", deals=50)
    assert sure.total.players[0].win.low == pytest.approx(wilson(1, 50)[0])
    assert "a is before all others in every game" in sure.text()
    assert "b is behind all others in every game" in sure.text()


def test_a_duel_without_a_winner_is_half_a_win() -> None:
    result = standings([("a b", [1, 2], []), ("b a", [1, 1], [])], "a b", deals=10)
    assert [player.win.value for player in result.total.players] == [0.5, 0.5]


def test_players_with_several_seats_are_not_compared_with_themselves() -> None:
    result = standings([("a b a", [1, 2, 3], [0])], "a b", deals=10)
    (first, second) = sorted(result.total.players, key=lambda player: player.name)
    assert (first.games, first.place.value, first.better["b"].value) == (10, 2, 0.5)
    assert set(first.better) == {"b"}
    assert second.better["a"].value == 0.5


def test_a_better_player_is_rated_higher() -> None:
    result = played("random greedy a", seats=3, games=36, max_cycles=100, courses=["risky_exchange", "checkmate"])
    assert result.total.players[0].name == "greedy"
    best, *others = result.total.players
    assert all(best.rating.low > other.rating.high for other in others)
    assert result.openskill["greedy"].mu > max(result.openskill[name].mu for name in ("random", "a"))
    assert {name: table.games for name, table in result.by_course.items()} == {"risky_exchange": 18, "checkmate": 18}
    assert result.decisions["greedy"] > 0


def test_the_page_needs_nothing_else_and_escapes_names() -> None:
    names = ["<b>{{made}}", "&\"'", "/home/me/runs/mine/policy"]
    result = played(" ".join(names), seats=2, games=8, max_cycles=2, courses=["risky_exchange", "checkmate"])
    page = to_html(result)
    assert "<b>{{made}}" not in page
    assert "&lt;b&gt;{{made}}" in page
    assert "&amp;&quot;&#x27;" in page
    assert ">mine<" in page
    assert "/home" not in page
    assert page.count("<section ") == 4  # standings, cross table, two courses
    assert page.count("<link") == page.count('<link rel="icon" href="data:') == 1
    for outside in ("http:", "https:", "src=", "@import", "url(", "<script"):
        assert outside not in page
    for tag in ("table", "tr", "td", "section", "div"):
        assert page.count(f"<{tag}>") + page.count(f"<{tag} ") == page.count(f"</{tag}>")


# The command


def test_the_command_reports_and_writes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = "tournament --players random,greedy --seats 2 --games 19 --max-cycles 4 --workers 1 --watch 0 --set lives=1"
    assert main([*line.split(), "--out", str(tmp_path / "t")]) == 0
    out, err = capsys.readouterr()
    assert err == "rr-gym: 19 games are rounded up to 20: whole rounds\n"
    assert out.startswith("20 games (10 deals, each in all rotations) of 2 players on risky_exchange, seed 0; ")
    results = json.loads((tmp_path / "t" / "results.json").read_text())
    tournament = Tournament(
        ["random", "greedy"], seats=2, games=20, max_cycles=4, settings={"lives": 1}, workers=1
    )  # fmt: skip
    tournament.play()
    assert results == data(tournament.result())
    assert (tmp_path / "t" / "tournament.html").read_text() == to_html(tournament.result())

    assert main([*line.split(), "--out", str(tmp_path / "t"), "--resume"]) == 0
    again, err = capsys.readouterr()
    assert again == out
    assert "20 games are there already" in err


def test_the_page_links_games_that_can_be_watched(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "t"
    line = f"tournament --players random,greedy --seats 2 --games 4 --max-cycles 4 --workers 1 --out {folder} --watch 2"
    assert main(line.split()) == 0
    links = re.findall(r'<a href="([^"]*)">([^<]*)</a>', (folder / "tournament.html").read_text())
    assert [href for href, _ in links] == ["games/risky_exchange-1.html", "games/risky_exchange-2.html"]
    assert all("random" in title and "greedy" in title and title.endswith(" after 4 turns") for _, title in links)
    replays = [Replay.load((folder / href).with_suffix(".json")) for href, _ in links]
    assert replays[0].players == replays[1].players[::-1]
    for (href, _), replay in zip(links, replays, strict=True):
        replay.verify()
        assert "<!doctype html>" in (folder / href).read_text()
    before = (folder / "games" / "risky_exchange-1.json").stat().st_mtime_ns
    assert main([*line.split(), "--resume"]) == 0
    assert (folder / "games" / "risky_exchange-1.json").stat().st_mtime_ns == before
    assert main(line.replace("--watch 2", "--watch 999").split()) == 2
    assert "--watch: 999: expected " in capsys.readouterr().err


def test_watched_games_fit_whatever_a_tournament_allows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last seed, more turns than a race has, and two courses of one name."""
    courses = []
    for folder, course in (("a", "risky_exchange"), ("b", "checkmate")):
        courses.append(tmp_path / folder / "track.yaml")
        courses[-1].parent.mkdir()
        courses[-1].write_text(load_course(course).to_yaml().replace(f"id: {course}", "id: track"))
    line = f"tournament --players random,greedy --seats 2 --games 2 --workers 1 --out {tmp_path / 't'} --watch 3"
    odd = f"--seed {2**64 - 1} --max-cycles 20000 --course {courses[0]},{courses[1]} --set lives=1"
    assert main([*line.split(), *odd.split()]) == 0
    shown = re.findall(r'<a href="([^"]*)">([^<]*)</a>', (tmp_path / "t" / "tournament.html").read_text())
    assert [href for href, _ in shown] == ["games/track-1-1.html", "games/track-2-1.html", "games/track-1-2.html"]
    assert [title.partition(":")[0] for _, title in shown] == ["Risky Exchange", "Checkmate", "Risky Exchange"]


def test_the_page_links_three_games_on_the_courses_in_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "t"
    line = f"tournament --players random,greedy --seats 2 --games 4 --max-cycles 4 --workers 1 --out {folder}"
    assert main([*line.split(), "--course", "risky_exchange,checkmate"]) == 0
    links = re.findall(r'<a href="([^"]*)">', (folder / "tournament.html").read_text())
    assert links == [f"games/{name}.html" for name in ("risky_exchange-1", "checkmate-1", "risky_exchange-2")]
    assert [Replay.load((folder / link).with_suffix(".json")).course.id for link in links] == [
        "risky_exchange", "checkmate", "risky_exchange",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("random", "players: 1 of them: expected 2 to 64"),
        ("random,random", "players: 'random' occurs twice"),
        ("random,gredy", "there is no player 'gredy': did you mean 'greedy'?"),
        ("random,greedy --seats 1", "seats: 1: expected a whole number from 2 to 8"),
        ("random,greedy --seats 9", "seats: 9: expected a whole number from 2 to 8"),
        ("random,greedy --games 0", "games: 0: expected a whole number, 1 or more"),
        ("random,greedy --seed -1", "seed: -1: expected a whole number from 0"),
        ("random,greedy --max-cycles 0", "--max-cycles: 0: expected a whole number, 1 or more"),
        ("random,greedy --workers 0", "workers: 0: expected a whole number from 1 to 64"),
        ("random,greedy --course risky_exchang", "did you mean 'risky_exchange'?"),
        ("random,greedy --set livs=1", "there is no setting 'livs'; did you mean 'lives'?"),
    ],
)
def test_mistakes_are_one_line(
    line: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tournament", "--players", *line.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_python_refuses_what_is_neither_a_list_nor_a_folder() -> None:
    with pytest.raises(TournamentError, match="players: 'random': expected a list of names"):
        Tournament("random")
    with pytest.raises(TournamentError, match="players: 2: expected a list of names"):
        Tournament(2)  # type: ignore[arg-type]
    with pytest.raises(RoboRallyError, match="course: None: expected a Course, the id"):
        Tournament(["random", "greedy"], courses=None)  # type: ignore[arg-type]
    with pytest.raises(RoboRallyError, match="settings: 'lives': expected"):
        Tournament(["random", "greedy"], settings="lives")  # type: ignore[arg-type]
    with pytest.raises(TournamentError, match="resume: True: expected a folder"):
        Tournament(["random", "greedy"], resume=True)
    with pytest.raises(TournamentError, match="nothing to report"):
        toys("a b").result()


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill", None)
    with pytest.raises(MissingExtraError, match=r"rr-gym\[tournament\]"):
        toys("a b")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
def test_interrupted_and_killed_runs_resume(tmp_path: Path) -> None:
    """After Ctrl-C, kill -9 and two resumptions the figures are the same, and no process is left."""
    folder = tmp_path / "t"
    arguments = ["random", "greedy"], {"seats": 4, "games": 400}
    command = [sys.executable, "-m", "rr_gym", "tournament", "--players", "random,greedy", "--games", "400"]
    command += ["--workers", "2", "--out", str(folder)]
    before = 0
    for stop, more in ((signal.SIGINT, []), (signal.SIGKILL, ["--resume"])):
        run = subprocess.Popen(
            [*command, *more],
            cwd=ROOT, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=heed_interrupts,
        )  # fmt: skip
        wait_for(lambda seen=before: lines_of(folder) > seen)
        if stop == signal.SIGINT:
            os.killpg(run.pid, stop)
            out, err = run.communicate(timeout=60)
            assert run.returncode == 130, err
            assert f"--out {folder} --resume\n" in err
            assert "Traceback" not in err
            assert "of 400 games" in out
            assert not json.loads((folder / "results.json").read_text())["complete"]
            assert list(folder.glob("block-*.npz"))
        else:
            run.kill()
            run.communicate(timeout=60)
        wait_for(lambda group=run.pid: not alive(group))
        before = lines_of(folder)
    assert 0 < before < 10
    resumed = Tournament(arguments[0], **arguments[1], workers=1, folder=folder, resume=True)
    assert 0 < resumed.num_played < 400
    resumed.play()
    assert not list(folder.glob("block-*"))
    whole = Tournament(arguments[0], **arguments[1], workers=1)
    whole.play()
    assert data(resumed.result()) == data(whole.result())


def heed_interrupts() -> None:
    """Make Ctrl-C work even if the tests run in the background, where processes ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def lines_of(folder: Path) -> int:
    file = folder / store.GAMES
    return file.read_bytes().count(b"\n") if file.exists() else 0


def alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(what: Callable[[], bool], seconds: float = 120) -> None:
    limit = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < limit
        time.sleep(0.01)
