"""Evaluation: games with known results, how games are played, and the command."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rr_gym import registry
from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import Evaluation, Match, Stat, TableResult, deals, evaluate
from rr_gym.evaluation.statistics.intervals import wilson
from rr_gym.evaluation.tournament.tournament import Tournament
from rr_gym.players import Player, RandomPlayer
from rr_gym.race import RaceConfig, race
from rr_gym.registry import PlayerEntry
from rr_gym.rules.state.records import no_orders

Array = np.ndarray[Any, Any]


class Cheat(Player):
    """Cheats in the games that `rule` selects: it has touched all flags, and so wins in the first turn."""

    outside = False  # treated like a built-in player, so that no salt is drawn
    name = "cheat"

    def __init__(self, rule: Callable[[Array, int], Any] = lambda games, seat: True) -> None:
        self.rule = rule

    def orders(self, view: Any) -> Any:
        raise NotImplementedError

    def act(self, arena: Any, games: Array, seat: int) -> Array:
        wins = np.broadcast_to(self.rule(games, seat), games.shape)
        games["robots"]["flag"][wins, seat] = arena.tables["course"]["num_flags"][games["course"][wins]]
        return no_orders(len(games), full=True)


class Witness(RandomPlayer):
    """Plays at random and records the games that it is shown in first turns, and how many at a time."""

    outside = False  # treated like a built-in player, so that no salt is drawn

    def __init__(self) -> None:
        self.hands: dict[tuple[int, int, int], bytes] = {}
        self.sizes: list[int] = []
        self.seeds: list[int] = []

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        self.seeds.append(seed)

    def act(self, arena: Any, games: Array, seat: int) -> Array:
        assert not games["over"].any()
        self.sizes.append(len(games))
        for game in games[games["turn"] == 0]:
            deal = int(game["index"]), int(game["episode"]), seat
            assert deal not in self.hands
            self.hands[deal] = game["robots"]["hand"][: game["num_robots"]].tobytes()
        return super().act(arena, games, seat)


class Seated(RandomPlayer):
    """Records its seat and the number of games in each call."""

    outside = False  # treated like a built-in player, so that no salt is drawn

    def __init__(self, notes: list[tuple[int, int]]) -> None:
        self.notes = notes

    def act(self, arena: Any, games: Array, seat: int) -> Array:
        self.notes.append((seat, len(games)))
        return super().act(arena, games, seat)


class Interrupting(RandomPlayer):
    """Presses Ctrl-C in the batch with the number `at`."""

    outside = False  # treated like a built-in player, so that no salt is drawn

    def __init__(self, at: int) -> None:
        self.left = at

    def reset(self, seed: int = 0) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def every_fourth(games: Array, seat: int) -> Array:
    return games["index"] % 4 == 0


# Results that are known


def test_a_player_that_always_wins() -> None:
    result = evaluate(Cheat(), ["random"] * 3, games=40)
    assert (result.total.games, result.total.deals, result.complete) == (40, 10, True)
    assert result.lineup == ("cheat", "random 2", "random 3", "random 4")
    cheat = result.players[0]
    low = wilson(1, 10)[0]
    assert cheat.win == cheat.finish == Stat(1, pytest.approx(low), 1)
    assert cheat.place == Stat(1, 1, pytest.approx(1 + 3 * (1 - low)))
    assert cheat.flags == Stat(3, pytest.approx(3 * low), 3)
    assert cheat.turns == result.total.length == Stat(1, 1, 1)
    assert cheat.out == result.total.unfinished == Stat(0, 0, pytest.approx(1 - low))
    for other in result.players[1:]:
        assert (other.win.value, other.finish.value, other.turns) == (0, 0, None)
        assert other.place.value > 1


def test_a_duel_without_a_winner_is_half_a_win() -> None:
    result = evaluate(Cheat(every_fourth), ["random"], games=80, max_cycles=1)
    cheat, other = result.players
    assert (cheat.win.value, other.win.value) == (0.25 + 0.75 / 2, 0.75 / 2)
    assert (cheat.finish.value, other.finish.value) == (0.25, 0)
    assert result.total.unfinished.value == 0.75
    assert cheat.turns == Stat(1, 1, 1)


def test_games_broken_off_are_won_by_nobody_at_larger_tables_and_alone() -> None:
    for against in ([], ["random"] * 2):
        result = evaluate(Cheat(every_fourth), against, games=60, max_cycles=2)
        assert result.players[0].win == result.players[0].finish
        assert result.players[0].win.value == 0.25
        assert sum(player.win.value for player in result.players) == 0.25
        assert result.total.length.value == 0.25 * 1 + 0.75 * 2


def test_robots_that_win_together_share_the_game() -> None:
    result = evaluate(Cheat(), [Cheat(), "random", "random"], games=8)
    assert [player.win.value for player in result.players] == [0.5, 0.5, 0, 0]
    assert [player.place.value for player in result.players[:2]] == [1, 1]
    alone = evaluate(Cheat(), [Cheat()], games=8, settings={"tie": "priority"})
    assert sum(player.win.value for player in alone.players) == 1
    assert [player.finish.value for player in alone.players] == [1, 1]


def test_seats_are_rotated_and_deals_are_the_same_in_each() -> None:
    seat_wins = evaluate(Cheat(lambda games, seat: seat == 0), ["random"], games=400, max_cycles=1)
    win = seat_wins.players[0].win
    assert win.value == 0.75  # the first seat wins, the other is truncated
    assert win.low > wilson(0.75, 400)[0]  # all deals agree, so it is known better than by independent games

    witness = Witness()
    evaluate(witness, ["random"] * 2, games=30, batch=4, max_cycles=3)
    assert sorted(witness.hands) == [(deal, 0, seat) for deal in range(10) for seat in range(3)]
    for deal in range(10):
        assert len({witness.hands[deal, 0, seat] for seat in range(3)}) == 1
    assert len(set(witness.hands.values())) == 10


def test_nobody_sits_behind_another_more_often_than_in_front() -> None:
    notes: list[tuple[int, int]] = []
    evaluate(Seated(notes), [Seated(notes), Seated(notes)], games=60, max_cycles=1, batch=6)
    seatings: Counter[tuple[int, ...]] = Counter()
    for k in range(0, len(notes), 3):
        seatings[tuple(seat for seat, _ in notes[k : k + 3])] += notes[k][1]
    assert seatings == dict.fromkeys(permutations(range(3)), 10)


def test_equal_players_are_equal() -> None:
    player = RandomPlayer()  # one object with one seed: the games of a deal are the same game
    result = evaluate(player, [player, player], games=60)
    assert [p.win.value for p in result.players] == pytest.approx([1 / 3] * 3)
    result = evaluate("random", ["random"] * 2, games=600, settings={"lives": 1})
    assert sum(p.win.value for p in result.players) <= 1 + 1e-9
    assert all(p.win.low < 1 / 3 < p.win.high for p in result.players)
    assert len({p.win.value for p in result.players}) > 1
    duel = evaluate("random", ["random"], games=300, settings={"lives": 1})
    assert sum(p.win.value for p in duel.players) == pytest.approx(1)


def test_destroyed_counts_lives() -> None:
    result = evaluate("random", games=50, max_cycles=200, settings={"lives": 2})
    (player,) = result.players
    assert player.out.value == 1
    assert player.destroyed is not None
    assert player.destroyed.value == 2
    assert player.destroyed.high == 2
    (endless,) = evaluate("random", games=5, max_cycles=5, settings={"lives": "unlimited"}).players
    assert endless.destroyed is None
    assert endless.out.value == 0


# How it is played


def test_same_arguments_same_result_whatever_the_batch() -> None:
    def play(**changes: Any) -> Evaluation:
        arguments: dict[str, Any] = {"course": ["risky_exchange", "checkmate"], "games": 24, "seed": 3, **changes}
        return evaluate("random", ["random"] * 2, **arguments)

    assert play() == play(batch=1) == play(batch=7) == play(batch=1000)
    assert play().total != play(seed=4).total


def test_many_deals_are_episodes_of_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deals, "GAMES_AT_ONCE", 4)
    witness = Witness()
    result = evaluate(witness, games=10, batch=3, max_cycles=1)
    assert result.total.deals == 10
    assert sorted(witness.hands) == [(d % 4, d // 4, 0) for d in sorted(range(10), key=lambda d: (d % 4, d // 4))]
    assert len(set(witness.hands.values())) == 10


def test_games_that_are_over_are_shown_to_nobody() -> None:
    witness = Witness()
    evaluate(witness, [Cheat(lambda games, seat: games["index"] % 4 == games["turn"])], games=16, max_cycles=9)
    assert witness.sizes == [8, 6, 4, 2, 8, 6, 4, 2]


def test_seeds_are_words_of_64_bits() -> None:
    most = 2**64 - 1
    match = Match("random", ["random"], games=2, max_cycles=1, seed=most)
    match.play()
    assert match.result().seed == most
    Tournament(["random", "greedy"], seats=2, games=2, max_cycles=1, seed=most, workers=1).play()
    assert race(RaceConfig(seed=most, max_cycles=1)).seed == most
    with pytest.raises(RoboRallyError, match=rf"^seed: {most + 1}: expected a whole number from 0 to {most}$"):
        Match("random", seed=most + 1)


def test_players_get_seeds_of_their_own() -> None:
    some, others = [Witness(), Witness(), Witness()], [Witness(), Witness()]
    evaluate(some[0], some[1:], games=3, max_cycles=1, seed=5)
    evaluate(others[0], others[1:], games=2, max_cycles=1, seed=6)
    seeds = [set(witness.seeds) for witness in some + others]
    assert all(len(seed) == 1 for seed in seeds)
    assert len(set.union(*seeds)) == 5


def test_several_courses_have_as_many_deals() -> None:
    result = evaluate(Cheat(lambda games, seat: games["course"] == 1), ["random"] * 2,
                      course=["risky_exchange", "checkmate"], games=20, max_cycles=1)  # fmt: skip
    assert result.total.games == 24
    assert {name: table.games for name, table in result.by_course.items()} == {"risky_exchange": 12, "checkmate": 12}
    wins = [table.players[0].win.value for table in (result.total, *result.by_course.values())]
    assert wins == [0.5, 0, 1]
    assert result.by_course["checkmate"].players[0].flags.value == 2
    assert "all courses: 24 games" in result.text()


@pytest.mark.parametrize(
    ("games", "seats", "played"),
    [(1, 1, 1), (3, 2, 4), (1, 4, 8), (10, 4, 16), (16, 4, 16), (1000, 3, 1002)],
)
def test_games_are_rounded_up_to_whole_deals(games: int, seats: int, played: int) -> None:
    assert Match("random", ["random"] * (seats - 1), games=games).num_games == played


def test_reports_count_to_the_end() -> None:
    reports: list[tuple[int, int]] = []
    evaluate("random", ["random"], games=20, batch=4, max_cycles=3, report=lambda *r: reports.append(r))
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert {total for _, total in reports} == {20}
    assert reports[-1] == (20, 20)


def test_an_interrupted_match_reports_whole_deals() -> None:
    match = Match(Interrupting(at=6), ["random"], games=40, batch=4, max_cycles=2)
    with pytest.raises(KeyboardInterrupt):
        match.play()
    result = match.result()
    assert (result.complete, result.total.deals, result.total.games) == (False, 8, 16)

    match = Match(Interrupting(at=2), ["random"], games=40, batch=4, max_cycles=2)
    with pytest.raises(KeyboardInterrupt):
        match.play()
    with pytest.raises(RoboRallyError, match="nothing to report"):
        match.result()


# The command


@pytest.fixture
def cheat(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = PlayerEntry("cheat", lambda: Cheat(every_fourth), "wins every fourth game in the first turn")
    monkeypatch.setitem(registry.PLAYERS, "cheat", entry)


def arguments(line: str) -> list[str]:
    return ["evaluate", "--players", *line.split()]


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path, cheat: None) -> None:
    file = tmp_path / "new" / "figures.json"
    line = "cheat,random,random --games 58 --max-cycles 3 --seed 2 --set lives=1 --set tie=joint --json"
    assert main([*arguments(line), str(file)]) == 0
    out, err = capsys.readouterr()
    assert err == "rr-gym: 58 games are rounded up to 60: whole deals\n"
    settings = {"lives": 1, "tie": "joint"}
    evaluation = evaluate("cheat", ["random"] * 2, games=58, max_cycles=3, seed=2, settings=settings)
    assert out == evaluation.text() + "\n"
    assert out.startswith("cheat against random 2, random 3, seed 2\n\nrisky_exchange: 60 games (20 deals, ")
    rows = {line.split("  ")[0]: line for line in out.splitlines()}
    win = evaluation.players[0].win
    assert rows["won"].split()[1:7] == [f"{100 * win.value:.1f}", "%", f"({100 * win.low:.1f}", "to", *(
        f"{100 * win.high:.1f})", f"{100 * evaluation.players[1].win.value:.1f}"
    )]  # fmt: skip

    data = json.loads(file.read_text())
    assert data == json.loads(json.dumps(evaluation.to_json(), allow_nan=False))
    assert (data["lineup"], data["settings"]) == (["cheat", "random 2", "random 3"], settings)
    assert (data["complete"], data["total"]["games"], data["confidence"]) == (True, 60, 0.95)
    assert data["total"]["players"][0]["win"] == {"value": win.value, "low": win.low, "high": win.high}
    assert set(data["by_course"]) == {"risky_exchange"}


def test_wide_tables_continue_below() -> None:
    lines = evaluate(Cheat(), ["random"] * 5, games=6).text().splitlines()
    assert max(map(len, lines[3:])) < 120
    assert [line.split() for line in lines if "random 5" in line][-1] == ["random", "5", "random", "6"]
    alone = evaluate(Cheat(), games=5).text()
    assert alone.startswith("cheat alone, seed 0\n")
    assert "won" not in alone


@pytest.mark.parametrize(
    ("claim", "status"), [("finish=0.1", 0), ("finish=0.25", 1), ("win=0 --at-least flags=2.9", 1)]
)
def test_claims_are_checked_by_the_lower_end(
    claim: str, status: int, capsys: pytest.CaptureFixture[str], cheat: None
) -> None:
    assert main(arguments(f"cheat --games 40 --max-cycles 1 --at-least {claim}")) == status
    shown = capsys.readouterr().out.splitlines()[-1]
    low = wilson(0.25, 40)[0]
    if claim.startswith("finish"):
        verdict = "yes" if status == 0 else "no"
        assert shown == f"finish of cheat at least {claim[7:]}: {verdict}, its interval begins at {low:.4f}"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("gredy", "there is no player 'gredy': did you mean 'greedy'?"),
        ("random,rndom", "there is no player 'rndom': did you mean 'random'?"),
        ("random" + ",random" * 8, "--players: 9 players: expected at most 8"),
        ("random --course risky_exchang", "did you mean 'risky_exchange'?"),
        ("random --games 0", "games: 0: expected a whole number, 1 or more"),
        ("random --batch -1", "batch: -1: expected a whole number, 1 or more"),
        ("random --max-cycles 0", "--max-cycles: 0: expected a whole number, 1 or more"),
        ("random --seed -1", "seed: -1: expected a whole number from 0"),
        ("random --set livs=1", "there is no setting 'livs'; did you mean 'lives'?"),
        ("random --set lives=0", "setting 'lives': 0: expected"),
        ("random --set lives", "--set lives: expected a name and a value, such as lives=1"),
        ("random --set lives=1 --set lives=2", "--set: 'lives' is there twice"),
        ("random --at-least finsh=1", "there is no claim about 'finsh': did you mean 'finish'?"),
        ("random --at-least win=much", "--at-least win=much: expected a number"),
        ("random --at-least win=60", "--at-least win=60: expected 0 to 1"),
        ("random --at-least win=nan", "--at-least win=nan: expected 0 to 1"),
        ("random --json=.", "--json .: expected a file"),
    ],
)
def test_mistakes_are_one_line(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments(line)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("player", [7, None, ["random"]])
def test_what_is_not_a_player_is_refused(player: Any) -> None:
    with pytest.raises(RoboRallyError, match="expected a registered name, the path of a policy, or a Player"):
        evaluate("random", [player])
    with pytest.raises(RoboRallyError, match="against: 'random': expected a list"):
        evaluate("random", "random")


def test_an_interrupted_command_reports_what_it_has(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for at, reported in ((4, True), (1, False)):
        entry = PlayerEntry("hasty", lambda at=at: Interrupting(at), "is interrupted")
        monkeypatch.setitem(registry.PLAYERS, "hasty", entry)
        assert main(arguments("hasty --games 40 --batch 5 --max-cycles 2 --at-least win=0")) == 130
        out, err = capsys.readouterr()
        assert ("risky_exchange: 15 games" in out) is reported
        assert ("--out evaluation --resume\n" in err) is reported
        assert err.startswith("rr-gym: interrupted")


def test_tables_are_values() -> None:
    table = evaluate(Cheat(), games=2).total
    assert isinstance(table, TableResult)
    with pytest.raises(AttributeError):
        table.games = 3  # type: ignore[misc]
