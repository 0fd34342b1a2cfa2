"""External players: errors that they raise, and wrong values that they return, wherever players are called."""

from __future__ import annotations

import io
import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from play_talk import small

import rr_gym
from rr_gym import registry
from rr_gym.cli.main import main
from rr_gym.datasets import record_dataset
from rr_gym.envs.core import Core
from rr_gym.evaluation import Match, evaluate
from rr_gym.evaluation.benchmark.benchmark import Benchmark
from rr_gym.evaluation.benchmark.suites import Suite, SuiteRow
from rr_gym.evaluation.processes import sendable
from rr_gym.evaluation.tournament.tournament import Tournament
from rr_gym.game import Game
from rr_gym.play import Session
from rr_gym.player_calls import FailedPlayerError, close_players, failures_of, traceback_of
from rr_gym.players import Player, RandomPlayer
from rr_gym.policies.function_player import FunctionPlayer
from rr_gym.race import RaceConfig, race
from rr_gym.replay import Replay
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import FULL_ORDERS, no_orders, take_games

FIRST = 2  # the turn, from 0, in which they first fail
SUITE = Suite(
    "foreign", (SuiteRow("duel", "pairs", "a duel", ("risky_exchange",), ("random",), max_cycles=4, games=8),)
)


class Unusual(BaseException):
    """A BaseException that `except Exception` does not catch."""


class Foreign(RandomPlayer):
    """Plays at random until the turn `FIRST`, and then does what `mode` names in `DOES`."""

    name = "foreign"
    outside = True

    def __init__(self, mode: str = "ValueError") -> None:
        super().__init__()
        self.mode = mode

    def act(self, arena: Arena, games: Any, seat: int) -> Any:
        orders = super().act(arena, games, seat)
        if (games["turn"] < FIRST).any():
            return orders
        games["robots"]["flag"] = 7  # has no effect, since it gets copies
        return DOES[self.mode](orders)


def boom(orders: Any, error: type[BaseException] = ValueError) -> Any:
    raise error("boom")


DOES: dict[str, Callable[[Any], Any]] = {
    "ValueError": boom,
    "OSError": partial(boom, error=OSError),
    "SystemExit": partial(boom, error=SystemExit),
    "Unusual": partial(boom, error=Unusual),
    "None": lambda orders: None,
    "a list": lambda orders: list(orders),
    "too many": lambda orders: np.concatenate([orders, orders]),
    "numbers": lambda orders: np.zeros(len(orders)),
    "other records": lambda orders: orders.view(np.uint8),
}
NONSENSE = {"None", "a list", "too many", "numbers", "other records"}
MODES = pytest.mark.parametrize("mode", DOES)


def assert_told(error: BaseException, mode: str, where: str = r"seat \d, turn 3") -> None:
    """Check that the error names player, seat and turn, and contains what the player raised."""
    assert isinstance(error, FailedPlayerError)
    said = "orders: .*expected an array" if mode in NONSENSE else f"{mode}: boom"
    with pytest.raises(FailedPlayerError, match=rf"^player 'foreign': .*{where}: {said}"):
        raise error
    if mode not in NONSENSE:
        assert type(error.__cause__).__name__ == mode
        assert f"{mode}: boom" in traceback_of(error)
        assert "in boom" in traceback_of(error)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    known = dict(registry.PLAYERS)
    monkeypatch.setattr(registry, "PLAYERS", known)
    for mode in DOES:
        registry.register_player(f"foreign-{mode.replace(' ', '-')}", partial(Foreign, mode), "fails")


def foreign(mode: str) -> str:
    return f"foreign-{mode.replace(' ', '-')}"


# Experiments end with the error, and keep what was played before


@MODES
def test_a_turn_of_a_game_is_not_played(mode: str) -> None:
    game, player = Game("risky_exchange", 2), Foreign(mode)
    for _ in range(FIRST):
        game.play({1: player})
    before = game.save()
    with pytest.raises(FailedPlayerError) as caught:
        game.play({1: player})
    assert_told(caught.value, mode, "game 0, seat 1, turn 3")
    assert game.save() == before


@MODES
def test_a_race_keeps_the_turns_before(mode: str) -> None:
    config, kept = RaceConfig(players=("random", "foreign")), []
    closed: list[Player] = []
    players = [RandomPlayer(), Foreign(mode)]
    for player in players:
        player.close = partial(closed.append, player)  # type: ignore[method-assign]
    with pytest.raises(FailedPlayerError) as caught:
        race(config, players=players, keep=kept.append)
    assert_told(caught.value, mode)
    assert len(kept[0].turns) == FIRST
    assert closed == players
    other = Foreign(mode)
    other.act = RandomPlayer().act  # type: ignore[method-assign]  # repaired
    whole = race(config, players=[RandomPlayer(), other], resumed=kept[0])
    assert whole.to_json()["turns"][:FIRST] == kept[0].to_json()["turns"]


def test_a_race_that_is_typed_can_be_resumed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["race", "--players", "random,foreign-ValueError", "--max-cycles", "5", "--salt", "0"]
    words += ["--out", str(tmp_path / "out")]
    assert main(words) == 2
    kept, *trace, error = capsys.readouterr().err.splitlines()
    assert trace[0] == "Traceback (most recent call last):"
    assert trace[-1] == "ValueError: boom"
    assert kept.startswith("rr-gym: what was played is kept; resume with: rr-gym race --players")
    assert error == "rr-gym: player 'foreign': game 0, seat 1, turn 3: ValueError: boom"
    assert len(Replay.load(tmp_path / "out" / "replay.json").turns) == FIRST
    monkeypatch.setitem(DOES, "ValueError", lambda orders: orders)
    assert main([*words, "--resume"]) == 0
    assert len(Replay.load(tmp_path / "out" / "replay.json").turns) == 5


@MODES
def test_a_match_keeps_its_deals(mode: str, tmp_path: Path) -> None:
    def match(player: Player, resume: bool = False) -> Match:
        return Match(player, ["random"], games=8, batch=2, max_cycles=4, seed=1, folder=tmp_path / "x", resume=resume)

    player, rotations = Foreign(mode), iter(range(99))
    whole, act = RandomPlayer(), Foreign.act

    def fails_late(arena: Arena, games: Any, seat: int) -> Any:
        if (games["turn"] == FIRST).all() and next(rotations) >= 2:  # in the second batch
            return act(player, arena, games, seat)
        return whole.act(arena, games, seat)

    player.act = fails_late  # type: ignore[method-assign]
    one = match(player)
    with pytest.raises(FailedPlayerError) as caught:
        one.play()
    assert_told(caught.value, mode, "games 2 to 3, seat 0, turn 3")
    assert one.num_played == 2
    player.act = whole.act  # type: ignore[method-assign]
    two = match(player, resume=True)
    two.play()
    assert two.num_played == two.num_deals
    assert two.result().complete


@MODES
def test_matches_tournaments_benchmarks_and_data_sets_report_faults(mode: str, tmp_path: Path) -> None:
    name = foreign(mode)
    runs: dict[str, Callable[[], Any]] = {
        "evaluate": lambda: evaluate(Foreign(mode), ["random"], games=2, max_cycles=4),
        "tournament": Tournament(["random", name], seats=2, games=2, max_cycles=4, workers=1).play,
        "benchmark": Benchmark(name, SUITE).play,
        "dataset": lambda: record_dataset(tmp_path / "data", ["random", name], games=2, max_cycles=4),
    }
    for what, run in runs.items():
        with pytest.raises(rr_gym.RoboRallyError, match=r"player 'foreign': .*turn 3: ") as caught:
            run()
        error: Any = caught.value
        if what == "benchmark":  # its error names the row too
            assert str(error).startswith("row duel: ")
            error = error.__cause__
        assert isinstance(error, FailedPlayerError)
        assert mode in NONSENSE or "in boom" in traceback_of(caught.value)
    assert not (tmp_path / "data").exists()


def test_errors_of_other_processes_bring_their_traceback() -> None:
    with pytest.raises(FailedPlayerError) as caught:
        evaluate(Foreign(), games=2, max_cycles=4)
    copy = sendable(caught.value)
    assert isinstance(copy, FailedPlayerError)
    assert str(copy) == str(caught.value)
    assert copy.__cause__ is None
    assert "in boom" in traceback_of(copy)


@MODES
def test_faulty_opponents_of_environments_are_reported_and_change_nothing(mode: str) -> None:
    core = Core("risky_exchange", 3, 2, opponents=[foreign(mode)], max_cycles=9)
    core.reset(1)
    for _ in range(FIRST):
        core.step(np.zeros((core.num_rows, *core.layout.shape[:-1]), np.int8))
    before = core.games.tobytes()
    with pytest.raises(FailedPlayerError, match=r"player 'foreign': games? .*, seats? .*, turn 3: "):
        core.step(np.zeros((core.num_rows, *core.layout.shape[:-1]), np.int8))
    assert core.games.tobytes() == before


@pytest.mark.parametrize(
    ("choose", "message"),
    [
        (lambda seen, masks: boom(seen), "turn 1: ValueError: boom"),
        (lambda seen, masks: boom(seen, SystemExit), "turn 1: SystemExit: boom"),
        (lambda seen, masks: "left", "expected whole numbers of shape"),
        (lambda seen, masks: [[1], [1, 2]], "turn 1: ValueError"),
    ],
)
def test_functions_that_choose(choose: Callable[..., Any], message: str) -> None:
    with pytest.raises(rr_gym.RoboRallyError, match=f"^player 'function': .*{message}"):
        evaluate(FunctionPlayer(choose), games=2, max_cycles=4)


def test_players_that_decide_game_by_game() -> None:
    class Slow(Player):
        name = "slow"

        def orders(self, view: Any) -> Any:
            return boom(view) if view.record.index == 5 else no_orders(1, full=True)[0]

    arena = Arena("risky_exchange")
    with pytest.raises(FailedPlayerError, match=r"^player 'slow': game 5, seat 1, turn 1: ValueError: boom"):
        Slow().act(arena, arena.new_games(8, 2), 1)
    given = Slow().act(arena, take_games(arena.new_games(8, 2), slice(0, 5)), 1)
    assert given.dtype == FULL_ORDERS


# Games of people continue: a player that fails loses its turn


@MODES
def test_people_play_on(mode: str) -> None:
    session = Session(Game(num_robots=3, seed=4), [0], [Foreign(mode), RandomPlayer()], seed=1)
    for turn in range(FIRST + 2):
        session.play({})
        assert set(session.failures) == ({1} if turn >= FIRST else set())
    assert_told(session.failures[1], mode, "game 0, seat 1, turn 4")
    assert session.recorder.num_turns == session.game.turn == FIRST + 2
    (line,) = session.notes.lines()
    assert line.startswith("foreign: 2 decisions lost: 2 failed; the last: player 'foreign': game 0, seat 1, turn 4: ")
    session.replay()


def test_the_terminal_shows_what_has_failed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(". . . . .; go\n" * 4))
    words = ["play", "--players", "foreign-SystemExit", "--seed", "4", "--salt", "0", "--max-cycles", "4"]
    assert main([*words, "--out", str(tmp_path / "x")]) == 0
    out = capsys.readouterr().out
    warning = "! foreign gave no orders: player 'foreign': game 0, seat 1, turn 3: SystemExit: boom"
    assert warning in out.replace("\n", " ")
    assert "in boom" in out
    assert "2 decisions lost: 2 failed" in out
    assert len(Replay.load(tmp_path / "x" / "replay.json").turns) == 4


def test_what_interrupts_a_turn_leaves_the_game_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    session = Session(small(), [0], [RandomPlayer()] * 2, seed=1)
    before = session.game.save()
    monkeypatch.setattr(session.recorder, "add", lambda *_: boom(None, KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        session.play({})
    assert session.game.save() == before


# Making, resetting and closing


@pytest.mark.parametrize("error", [ValueError, SystemExit, OSError])
def test_what_makes_a_player_may_fail(error: type[BaseException]) -> None:
    def fail(text: str = "") -> Any:
        raise error("boom")

    registry.register_player("broken", fail, "cannot be made")
    registry.register_player("nothing", lambda: None, "makes nothing")  # type: ignore[arg-type, return-value]
    registry.register_player("unreadable", RandomPlayer, "cannot be read", fail)
    for name, message in (
        ("broken", f"player 'broken': cannot be made: {error.__name__}: boom"),
        ("nothing", "player 'nothing': cannot be made: None: expected a Player"),
        ("unreadable:7", f"player 'unreadable:7': its name cannot be read: {error.__name__}: boom"),
    ):
        with pytest.raises(FailedPlayerError, match=message):
            registry.make_player(name)
    with pytest.raises(FailedPlayerError, match=f"player 'b': cannot be made: {error.__name__}: boom"):
        Tournament(["a", "b"], make=lambda name: fail() if name == "b" else RandomPlayer(), workers=1)


def test_a_player_that_cannot_be_reset() -> None:
    class Stuck(RandomPlayer):
        name = "stuck"

        def reset(self, seed: int = 0) -> None:
            raise ValueError("boom")

    config = RaceConfig(players=("random", "stuck"))
    for run in (
        partial(evaluate, Stuck(), games=2),
        partial(race, config, players=[RandomPlayer(), Stuck()]),
        partial(Core("risky_exchange", 1, 2, opponents=[Stuck()]).reset, 1),
    ):
        with pytest.raises(FailedPlayerError, match=r"player 'stuck': reset: ValueError: boom"):
            run()


def test_a_player_that_cannot_be_closed_keeps_no_other_from_it(caplog: pytest.LogCaptureFixture) -> None:
    closed = []

    class Stuck(RandomPlayer):
        name = "stuck"

        def close(self) -> None:
            closed.append(self)
            raise SystemExit(3)

    with caplog.at_level(logging.ERROR):
        close_players([Stuck(), Stuck()])
    assert len(closed) == 2
    assert "player 'stuck': close: SystemExit" in caplog.text
    assert "raise SystemExit(3)" in caplog.text
    assert evaluate(Stuck(), games=2, max_cycles=2).complete


# Interrupts


def test_interrupts_and_our_own_errors_pass() -> None:
    for error in (KeyboardInterrupt, MemoryError, rr_gym.OrderError):
        with pytest.raises(error), failures_of("x", "y"):
            raise error("boom")


def test_a_player_cannot_interrupt_a_server() -> None:
    found: list[BaseException] = []

    def run() -> None:
        try:
            with failures_of("x", "y"):
                raise KeyboardInterrupt
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert isinstance(found[0], FailedPlayerError)


@pytest.fixture
def garbage() -> Player:
    """Return a player whose orders are random bytes."""

    class Garbage(RandomPlayer):
        name = "garbage"
        chance = np.random.default_rng(1)

        def act(self, arena: Arena, games: Any, seat: int) -> Any:
            orders = no_orders(len(games), full=True)
            orders.view(np.uint8)[:] = self.chance.integers(0, 256, orders.view(np.uint8).shape, np.uint8)
            return orders

    return Garbage()


def test_orders_of_random_bytes_are_orders(garbage: Player) -> None:
    assert evaluate(garbage, ["random"], games=64, max_cycles=10, settings={"option_cards": "on"}).complete
