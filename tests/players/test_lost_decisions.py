"""Lost decisions: reports begin with them, and above a certain share no share of games won is claimed."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from combinations import quick

from rr_gym.cli.main import main
from rr_gym.evaluation.benchmark import suites
from rr_gym.evaluation.benchmark.suites import SuiteRow
from rr_gym.evaluation.tournament.tournament_page import to_html
from rr_gym.players import ProgramPlayer, RandomPlayer
from rr_gym.players.notes import MAX_FAULTS, Losses, PlayerNotes, above, loss_lines
from rr_gym.rules.arena.arena import Arena

DUEL = SuiteRow("duel", "pairs", "a duel", ("risky_exchange",), ("random",), max_cycles=3, games=4)
NO_CLAIM = "no share of games won is claimed: {} lost more than {} % of its decisions (--max-faults)"
COMMANDS = {
    "race": "race --max-cycles 3 --out OUT/x",
    "evaluate": "evaluate --games 4 --max-cycles 3",
    "tournament": "tournament --games 4 --seats 2 --max-cycles 3 --watch 0 --workers 1 --out OUT/x",
    "benchmark": "benchmark --suite tiny --workers 1",
    "dataset": "dataset --games 4 --max-cycles 3 --out OUT/x",
}


def program(tmp_path: Path, code: str, **options: Any) -> ProgramPlayer:
    path = tmp_path / "bot.py"
    path.write_text(code)
    return ProgramPlayer([sys.executable, str(path)], **options)


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena("risky_exchange")


@pytest.mark.parametrize("command", quick(COMMANDS, "evaluate", "tournament"))
def test_a_wrong_path_is_no_player(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(suites.SUITES, "tiny", (DUEL,))
    name = f"program:{sys.executable} {tmp_path / 'nosuch.py'}"
    players = name if command == "benchmark" else f"{name},random"
    words = [*COMMANDS[command].replace("OUT", str(tmp_path)).split(), "--players", players]
    if command == "evaluate":
        words += ["--at-least", "win=0"]  # a claim that would otherwise be confirmed
    assert main([*words, "--json", str(tmp_path / "report.json")]) == 1
    lines = capsys.readouterr().out.splitlines()
    (first,) = (k for k, line in enumerate(lines) if f"{name}: " in line and " decisions lost: " in line)
    assert lines[first + 1] == NO_CLAIM.format(name, 5)
    table = [k for k, line in enumerate(lines) if line.split()[:1] in (["all"], ["place"], ["row"]) or "rating" in line]
    assert not table or first < table[0]
    assert not [line for line in lines if line.startswith("won ")]
    report = json.loads((tmp_path / "report.json").read_text())
    report = report[0] if isinstance(report, list) else report
    if command in ("tournament", "benchmark"):
        found = report["faults"].get(name, report["faults"])
    else:
        (loss,) = report["losses"]
        assert loss["player"] == name
        assert loss["decisions"] == sum(loss["faults"].values()) > 0
        found = loss["faults"]
    assert found["crash"] in range(1, 11)


def test_the_share_is_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = """
import json, sys
for line in sys.stdin:
    turn = json.loads(line)
    if turn["type"] == "turn":
        print("?" if turn["id"] % 5 == 0 else json.dumps({"id": turn["id"], "orders": {}}), flush=True)
"""
    (tmp_path / "bot.py").write_text(code)
    name = f"program:{sys.executable} {tmp_path / 'bot.py'}"
    words = ["evaluate", "--players", f"{name},random", "--games", "4", "--max-cycles", "5", "--salt", "0"]

    def run(*more: str) -> tuple[int, list[str]]:
        status = main([*words, *more])
        return status, capsys.readouterr().out.splitlines()

    lost, decisions = re.findall(r"(\d+) of (\d+) decisions lost: \1 not JSON; the last: ", run()[1][1])[0]
    share = int(lost) / int(decisions)
    assert 0.1 < share < 0.25
    for most, claimed in ((0.05, False), (share - 1e-6, False), (share, True), (1, True)):
        status, lines = run("--max-faults", str(most))
        assert status == (0 if claimed else 1)
        assert lines[1].startswith(f"{name}: {lost} of {decisions} decisions lost: ")
        assert (lines[2] == NO_CLAIM.format(name, f"{100 * most:g}")) != claimed
        assert any(line.startswith("won ") for line in lines) == claimed
    for wrong in ("-0.1", "1.5"):
        assert main([*words, "--max-faults", wrong]) == 2
        assert f"rr-gym: --max-faults: {wrong}: expected a share from 0 to 1" in capsys.readouterr().err


def test_shares() -> None:
    few, many = Losses("few", 100, {"crash": 5}), Losses("many", 100, {"time-out": 4, "crash": 2})
    unknown = Losses("unknown", 0, {"crash": 1}, "it ended")
    assert above([few, many, unknown], MAX_FAULTS) == ("many", "unknown")
    assert loss_lines([few], MAX_FAULTS) == ["few: 5 of 100 decisions lost: 5 crash"]
    assert loss_lines([many, unknown], 0.055) == [
        "many: 6 of 100 decisions lost: 4 time-out, 2 crash",
        "unknown: 1 decisions lost: 1 crash; the last: it ended",
        "no share of games won is claimed: many, unknown lost more than 5.5 % of their decisions (--max-faults)",
    ]
    assert loss_lines([], MAX_FAULTS) == []
    assert PlayerNotes([RandomPlayer()]).losses() == ()


# Reports about programs


def test_a_program_that_never_answers_has_one_fault_a_turn(arena: Arena, tmp_path: Path) -> None:
    code = "import sys\nprint('thinking', file=sys.stderr, flush=True)\nfor line in sys.stdin: pass\n"
    player = program(tmp_path, code, seconds=0.1, start_seconds=1.0, starts=2)
    games = arena.new_games(3, 2, seed=1)
    player.act(arena, games, 0)
    assert dict(player.faults) == {"time-out": 2, "out": 1}
    why = "no answer in 1.1 s: it was stopped; it said: thinking"
    place = "game 0.{}.0, seat 0, turn 0: "
    assert list(player.reports) == [
        place.format(0) + f"time-out: {why}",
        place.format(1) + f"time-out: {why}",
        place.format(2) + f"out: not started again after 2 starts ({why})",
    ]


def test_a_program_that_no_longer_answers(arena: Arena, tmp_path: Path) -> None:
    code = (
        "import sys, json\nfor line in sys.stdin:\n    turn = json.loads(line)\n"
        "    if turn.get('id') == 1: print(json.dumps({'id': 1, 'orders': {}}), flush=True)\n"
    )
    player = program(tmp_path, code, seconds=0.1)
    games = arena.new_games(11, 2, seed=1)
    player.act(arena, games, 0)
    assert dict(player.faults) == {"time-out": 10}
    assert len(player.reports) == 10
    assert player.reports[-1].endswith("time-out: no answer in 0.1 s, 10 times in a row: it was stopped")


def test_a_program_that_ends(arena: Arena, tmp_path: Path) -> None:
    player = program(tmp_path, "raise SystemExit(7)", starts=1)
    games = arena.new_games(2, 2, seed=1)
    player.act(arena, games, 0)
    assert player.reports[0].endswith("crash: it ended with exit status 7")
    assert player.reports[1].endswith("out: not started again after 1 start (it ended with exit status 7)")
    gone = ProgramPlayer([sys.executable])
    gone.command = [str(tmp_path / "gone")]
    gone.act(arena, games, 0)
    assert gone.reports[-1].endswith("(" + f"{tmp_path / 'gone'} cannot be started: No such file or directory)")


# Pages


def test_the_page_of_a_tournament_begins_with_losses(tmp_path: Path) -> None:
    from rr_gym.evaluation.tournament.tournament import Tournament

    class Dumb(RandomPlayer):
        outside = False

        def __init__(self) -> None:
            super().__init__()
            self.faults = {}
            self.name = "dumb"

        def act(self, arena: Any, games: Any, seat: int) -> Any:
            lost = len(games) if self.faults else len(games) - 1  # all but one of its decisions
            self.faults["crash"] = self.faults.get("crash", 0) + lost
            return super().act(arena, games, seat)

    tournament = Tournament(
        ["dumb", "a", "b"], seats=2, games=12, max_cycles=3, workers=1,
        make=lambda name: Dumb() if name == "dumb" else RandomPlayer(),
    )  # fmt: skip
    tournament.play()
    standings = tournament.result()
    page, free = to_html(standings), to_html(standings, (), 1.0)
    assert page.index("no share of games won is claimed: dumb lost") < page.index("<table")
    assert "no share of games won" not in free
    assert page.count("<td>-</td>") == 4 + 2  # all of dumb's figures, and the others' shares of games won
    row = next(line for line in standings.text().splitlines() if line.split()[1:2] == ["dumb"])
    assert row.split()[2:] == ["-", "-", "-", "-", str(standings.total.players[0].games)]
    assert standings.faulty() == ("dumb",)
    assert standings.faulty(1.0) == ()
