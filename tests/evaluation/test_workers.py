"""Matches that several processes share, and games that are kept to be watched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import Match, deals, evaluate
from rr_gym.players import RandomPlayer
from rr_gym.replay import Replay, showing


def played(folder: Path, workers: int, players: tuple[str, ...], **more: Any) -> tuple[bytes, str]:
    """Play a match and return what its folder has and what it reports."""
    match = Match(players[0], players[1:], folder=folder, workers=workers, **more)
    match.play()
    return (folder / "deals.jsonl").read_bytes(), json.dumps(match.result().to_json())


def test_two_processes_play_what_one_plays(tmp_path: Path) -> None:
    more = {"games": 24, "batch": 2, "max_cycles": 8, "course": ["risky_exchange", "checkmate"]}
    one, two = (played(tmp_path / str(n), n, ("greedy", "random", "random"), **more) for n in (1, 2))
    assert one == two


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "more"),
    [
        (("champion", "greedy"), {}),
        (("planner:200", "racer"), {"adjusted": True, "games": 16, "batch": 2}),
        (("racer", "random"), {"until": {"win": 0.6}}),
        (("random", "random"), {"games": 9000, "max_cycles": 1, "batch": 700}),
    ],
)
def test_many_processes_play_what_one_plays(
    players: tuple[str, ...], more: dict[str, Any], tmp_path: Path
) -> None:
    given = {"games": 200, "batch": 8, "max_cycles": 20, **more}
    results = [played(tmp_path / str(n), n, players, **given) for n in (1, 3)]
    assert results[0] == results[1]


def test_batches_grow_to_their_size_and_go_on_from_where_they_stopped() -> None:
    plan = Match("random", ["random"], games=240, batch=50).plan
    counts = [(batch.first, batch.count) for batch in plan.batches()]
    assert counts == [(0, 8), (8, 8), (16, 16), (32, 32), (64, 50), (114, 6)]
    for played, _ in counts:
        assert [(batch.first, batch.count) for batch in plan.batches(played)] == [c for c in counts if c[0] >= played]
    four = Match("random", ["random"] * 3, games=480, course=["risky_exchange", "checkmate"], batch=50).plan
    assert all(batch.count % four.even == 0 for batch in four.batches())


def test_batches_are_played_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deals, "GAMES_AT_ONCE", 4)
    match = Match("greedy", ["random"], games=20, batch=3, max_cycles=2, seed=5)
    batches = list(match.plan.batches())
    assert [(batch.first, batch.count) for batch in batches] == [(0, 3), (3, 1), (4, 3), (7, 1), (8, 2)]
    there, back = (deals.Deals(match.plan, match.arena, match.players) for _ in range(2))
    facts = {batch: there.play(batch, lambda over: None)[0] for batch in batches}
    for batch in reversed(batches):
        again = back.play(batch, lambda over: None)[0]
        assert all((facts[batch][name] == again[name]).all() for name in again)


def test_processes_need_names() -> None:
    player = RandomPlayer()
    with pytest.raises(RoboRallyError, match=r"^workers: 2: random: expected names, which each process can open$"):
        evaluate(player, ["random"], workers=2)


def test_lost_games_are_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(showing.webbrowser, "open", opened.append)
    monkeypatch.setattr("rr_gym.evaluation.game_pages.has_browser", lambda: True)
    line = ["evaluate", "--players", "random,greedy", "--games", "8", "--watch", "3", "--out", str(tmp_path / "x")]
    assert main(line) == 0
    said = capsys.readouterr().out.splitlines()
    watched = [line.removeprefix("watch: ") for line in said if line.startswith("watch:")]
    assert opened == watched
    files = sorted((tmp_path / "x" / "games").glob("*.json"))
    assert len(files) == len(watched) == 3
    for file in files:
        replay = Replay.load(file)
        replay.verify()
        seat = int(file.stem.rpartition("-")[2]) - 1
        assert replay.players[seat] == "random"
        assert replay.winners
        assert seat not in replay.winners
        address = next(address for address in watched if file.with_suffix(".html").as_uri() in address)
        assert 1 <= int(address.rpartition("#turn=")[2]) <= len(replay.turns)


def test_kept_games_are_those_that_counted() -> None:
    match = Match("random", ["greedy", "greedy"], games=12, batch=2, watch=100)
    match.play()
    lost = list(match.lost_games())
    assert len(lost) == round((1 - match.result().players[0].win.value) * match.num_games)
    assert [game.deal for game, _ in lost] == sorted(game.deal for game, _ in lost)
    for game, replay in lost:
        assert replay.players[game.seats[0]] == "random"
        assert len(replay.turns) == len(game.orders)


def test_kept_games_need_a_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "--players", "random,greedy", "--watch", "2"]) == 2
    assert "--watch: expected --out with it, the folder in which games are kept" in capsys.readouterr().err
