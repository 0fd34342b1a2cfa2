"""How forfeits change results, and matches in which nothing was played."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from programs import COURSE, InMemoryPlayer, some_legal

from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import Match
from rr_gym.evaluation.report import facts_of
from rr_gym.evaluation.tournament.put_aside import put_aside, resume_block
from rr_gym.player_calls import FailedPlayerError, TableFacts
from rr_gym.players.forfeits import places_after, won_after
from rr_gym.players.kept_games import FILE, KeptGame, KeptSeats
from rr_gym.players.notes import Losses, above, loss_lines
from rr_gym.players.random_player import RandomPlayer
from rr_gym.race import RaceConfig, race, standings
from rr_gym.replay import Replay
from rr_gym.rules.arena.arena import Arena
from rr_gym.runner import Batch, Seats

YES, NO = True, False


@pytest.mark.parametrize(
    ("won", "forfeits", "after"),
    [
        ([YES, NO], [NO, NO], [YES, NO]),
        ([YES, NO], [YES, NO], [NO, YES]),
        ([NO, NO], [YES, NO], [NO, YES]),
        ([NO, NO], [YES, YES], [NO, NO]),
        ([YES, YES], [YES, NO], [NO, YES]),
        ([YES, NO, NO], [YES, NO, NO], [NO, NO, NO]),
        ([NO, YES, NO], [YES, NO, NO], [NO, YES, NO]),
        ([NO, NO, NO], [YES, NO, YES], [NO, YES, NO]),
        ([YES], [YES], [NO]),
    ],
)
def test_forfeits_change_who_has_won(won: list[bool], forfeits: list[bool], after: list[bool]) -> None:
    assert won_after(np.array([won]), np.array([forfeits])).tolist() == [after]


@pytest.mark.parametrize(
    ("places", "forfeits", "after"),
    [
        ([1, 2, 3, 4], [NO, NO, NO, NO], [1, 2, 3, 4]),
        ([1, 2, 3, 4], [YES, NO, NO, NO], [4, 1, 2, 3]),
        ([1, 2, 2, 4], [NO, YES, NO, NO], [1, 4, 2, 3]),
        ([1, 1, 3, 4], [YES, NO, NO, YES], [3, 1, 2, 3]),
        ([1, 2], [YES, YES], [1, 1]),
    ],
)
def test_forfeits_move_players_to_the_last_places(places: list[int], forfeits: list[bool], after: list[int]) -> None:
    assert places_after(np.array([places]), np.array([forfeits])).tolist() == [after]


def test_facts_of_games_without_forfeits_are_unchanged() -> None:
    arena = Arena(COURSE)
    games = arena.new_games(3, 2, seed=1)
    games["winners"], games["over"] = [1, 3, 0], [1, 1, 0]
    plain = facts_of(arena, games, [0, 1])
    none = facts_of(arena, games, [0, 1], np.zeros((3, 2), np.bool_))
    assert {name: values.tolist() for name, values in plain.items()} == {n: v.tolist() for n, v in none.items()}
    assert plain["win"].tolist() == [[1, 0], [0.5, 0.5], [0.5, 0.5]]
    lost = facts_of(arena, games, [0, 1], np.array([[True, False]] * 3))
    assert lost["win"].tolist() == [[0, 1]] * 3
    assert lost["place"].tolist() == [[2, 1]] * 3


def legal(message: dict[str, Any]) -> bytes:
    return json.dumps({"id": message["id"], "orders": some_legal(message, random.Random(message["chance"]))}).encode()


def test_a_match_counts_forfeited_games_as_lost() -> None:
    """The first program forfeits every second game, so it wins no more than half of them."""
    bad = InMemoryPlayer(lambda m: b"?" if int(m["game"]) % 2 else legal(m), protocol=2)
    good = InMemoryPlayer(legal, protocol=2)
    match = Match(bad, [good], games=4, max_cycles=5, salt=0)
    match.play()
    first, second = match.result().players
    assert first.win.value < 0.5 < second.win.value
    assert first.place.value + second.place.value >= 2.5
    assert "forfeit" in match.result().losses[0].line()


def test_a_race_that_is_forfeited_is_lost() -> None:
    bad = InMemoryPlayer(lambda m: b"?", protocol=2)
    forfeited: list[int] = []
    config = RaceConfig(course=COURSE, players=("bad", "random"), max_cycles=4)
    replay = race(config, players=[bad, RandomPlayer()], salt=0, forfeited=forfeited.append)
    assert forfeited == [0]
    last = standings(replay, forfeited)[-1]
    assert (last.player, last.place, last.state) == ("bad", 2, "forfeited")
    assert {line.state for line in standings(replay)} != {"forfeited"}


def test_a_race_that_is_resumed_remembers_forfeits_and_time_banks(tmp_path: Path) -> None:
    def answer(message: dict[str, Any]) -> bytes:
        if message["turn"] == 4:
            raise KeyboardInterrupt
        return legal(message)

    config = RaceConfig(course=COURSE, players=("bad", "good", "random"), max_cycles=7, settings={"lives": "unlimited"})
    kept: list[Replay] = []
    seats: list[KeptSeats] = []
    bad = InMemoryPlayer(lambda message: b"?", protocol=2)
    players = [bad, InMemoryPlayer(answer, protocol=2, bank=30.0), RandomPlayer()]
    with pytest.raises(KeyboardInterrupt):
        race(config, players=players, salt=0, keep=kept.append, keep_seats=seats.append)
    assert [one and (one.decisions, one.lost, bool(one.forfeited)) for one in seats[0].seats] == [
        (4, 3, True), (4, 0, False), None,
    ]  # fmt: skip
    seats[0].save(tmp_path)
    loaded = KeptSeats.load(tmp_path, 4, 3)
    assert loaded == seats[0].seats

    for memory, left, lost in (((), 30.0, []), ([loaded[0], replace(loaded[1], bank=12.5), None], 12.5, [0])):
        forfeited: list[int] = []
        players = [InMemoryPlayer(legal, protocol=2), InMemoryPlayer(legal, protocol=2, bank=30.0), RandomPlayer()]
        race(config, players=players, salt=0, resumed=kept[0], resumed_seats=memory, forfeited=forfeited.append)
        assert forfeited == lost
        assert players[1].heard("turn")[0]["bank_seconds"] == left
        assert bool(players[0].heard("turn")) == (not lost)


def test_a_race_with_more_turns_remembers_who_has_forfeited(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its program is not asked again, and the result remains if no turns are left."""
    bot = tmp_path / "bot.py"
    bot.write_text("for line in iter(input, ''): print('?', flush=True)\n")
    players = f"program:protocol=2 sandbox=none python3 {bot},random"
    for turns, resume, status, losses in (
        (4, [], 1, "4 of 4 decisions lost: 3 not JSON, 1 forfeit"),
        (6, ["--resume"], 1, "2 of 2 decisions lost: 2 forfeit"),
        (6, ["--resume"], 0, ""),
    ):
        words = ["race", "--players", players, "--max-cycles", str(turns), "--out", str(tmp_path / "race"), *resume]
        assert main([*words, "--max-faults", "1", "--set", "lives=unlimited"]) == status
        shown = capsys.readouterr().out
        assert losses in shown
        assert re.search(r"^ *2  .* forfeited$", shown, re.MULTILINE), shown


def test_what_is_kept_belongs_to_a_replay(tmp_path: Path) -> None:
    assert KeptSeats.load(tmp_path, 4, 2) == (None, None)
    KeptSeats(4, (KeptGame(1.0, 2, 0), None)).save(tmp_path)
    with pytest.raises(RoboRallyError, match=r"seats.json: 4 turns of 2 seats: expected 5 turns of 2"):
        KeptSeats.load(tmp_path, 5, 2)
    (tmp_path / FILE).write_text('{"turns": 4, "seats": [{"bank": -1, "decisions": 0, "lost": 0}]}')
    with pytest.raises(RoboRallyError, match=r"seats.json: .*\$.seats\[0\].bank.*without this file"):
        KeptSeats.load(tmp_path, 4, 1)
    KeptSeats(4, (None, None)).save(tmp_path)
    assert not (tmp_path / FILE).exists()


def test_whoever_lost_all_decisions_has_no_results_whatever_is_allowed() -> None:
    losses = [Losses("silent", 40, {"time-out": 3, "out": 37}), Losses("late", 40, {"time-out": 39})]
    assert above(losses, 1.0) == ("silent",)
    assert above(losses, 0.5) == ("silent", "late")
    assert loss_lines(losses, 1.0)[-1] == "no share of games won is claimed: silent lost all its decisions"
    assert loss_lines(losses, 0.98)[-1].endswith("silent lost more than 98 % of its decisions (--max-faults)")
    assert "more than 50 % of their decisions (--max-faults)" in loss_lines(losses, 0.5)[-1]


def test_a_match_of_a_program_that_never_answers_has_exit_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bot.py").write_text("raise SystemExit(3)\n")
    bot = f"program:protocol=2 sandbox=none python3 {tmp_path / 'bot.py'}"
    options = ["--games", "2", "--max-cycles", "3", "--max-faults", "1"]
    assert main(["evaluate", "--players", f"{bot},random", *options]) == 1
    shown = capsys.readouterr().out
    assert "lost all its decisions" in shown
    assert [line.split()[1:] for line in shown.splitlines() if line.startswith("won")] in ([], [["-", "-"]])


def test_a_player_in_python_may_watch_and_forfeit() -> None:
    class Watcher(RandomPlayer):
        watches = True

        def __init__(self) -> None:
            super().__init__()
            self.tables: list[TableFacts] = []
            self.turns = 0

        def meet(self, games: np.ndarray, seat: int, facts: TableFacts) -> None:
            self.tables.append(facts)

        def watch(self, arena: Arena, games: np.ndarray, seat: int, logs: np.ndarray, over: np.ndarray) -> np.ndarray:
            self.turns += 1
            assert (logs["count"] > 0).all()
            return np.ones(len(games), np.bool_)

    watcher = Watcher()
    match = Match(watcher, [RandomPlayer()], games=2, max_cycles=3, salt=0)
    match.play()
    assert [player.win.value for player in match.result().players] == [0, 1]
    assert watcher.tables == [TableFacts(("random", "random"), "wins", 3)] * 2
    assert watcher.turns >= 4


def test_forfeits_of_games_that_are_put_aside_are_kept(tmp_path: Path) -> None:
    arena, path = Arena(COURSE), tmp_path / "block-0.npz"
    for begun in (YES, NO):
        batch = Batch(arena, arena.new_games(2, 2, seed=1), 8)
        seats = Seats(batch, [RandomPlayer()], np.zeros((2, 2), np.int64))
        if begun:
            seats.forfeits[1, 0] = True
            put_aside(path, batch, seats, 5)
        else:
            resume_block(path, batch, seats, 5)
    assert seats.forfeits.tolist() == [[NO, NO], [YES, NO]]


def test_what_watch_returns_is_checked() -> None:
    class Wrong(RandomPlayer):
        watches = True

        def watch(self, *arguments: object) -> np.ndarray:
            return np.zeros(7)

    with pytest.raises(FailedPlayerError, match=r"watch: .*expected an array of shape"):
        Match(Wrong(), [RandomPlayer()], games=2, max_cycles=3, salt=0).play()
