"""The player benchmark, with suites of a few games."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chained import chained

from rr_gym import registry
from rr_gym.cli.main import main
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation.benchmark import row_play, suites
from rr_gym.evaluation.benchmark.benchmark import Benchmark, measure_reference
from rr_gym.evaluation.benchmark.benchmark_log import BlockLog
from rr_gym.evaluation.benchmark.benchmark_report import markdown, scaled
from rr_gym.evaluation.benchmark.fingerprints import fingerprint_of
from rr_gym.evaluation.benchmark.references import Reference, read_reference
from rr_gym.evaluation.benchmark.row_play import BenchmarkWorker, blocks_of
from rr_gym.evaluation.benchmark.suites import Suite, SuiteRow, load_suite
from rr_gym.evaluation.statistics.intervals import Stat
from rr_gym.generate import is_solvable
from rr_gym.line_chain import unsealed
from rr_gym.players import RandomPlayer
from rr_gym.registry import PlayerEntry
from rr_gym.rules.state.records import no_orders

DUEL = SuiteRow("duel", "pairs", "a duel", ("risky_exchange",), ("random",), max_cycles=4, games=40)
SOLO = SuiteRow("alone", "solo", "alone", ("risky_exchange", "checkmate"), max_cycles=4, games=20)
CROWD = SuiteRow("crowd", "four", "three of four", ("checkmate",), ("random",), copies=3, max_cycles=3, games=16)
TINY = Suite("tiny", (SOLO, DUEL, CROWD))


class Cheat(RandomPlayer):
    """Plays at random until the turn `at`, in which it cheats: it has touched all flags, and so wins."""

    outside = False  # treated like a built-in player, so that no salt is drawn
    name = "cheat"
    at = 0

    def act(self, arena: Any, games: Any, seat: int) -> Any:
        over = games["turn"] == self.at
        games["robots"]["flag"][over, seat] = arena.tables["course"]["num_flags"][games["course"][over]]
        return super().act(arena, games, seat)


class Interrupting(RandomPlayer):
    """Presses Ctrl-C after a number of batches."""

    outside = False  # treated like a built-in player, so that no salt is drawn
    left = 0

    def reset(self, seed: int = 0) -> None:
        super().reset(seed)
        type(self).left -= 1
        if type(self).left < 0:
            raise KeyboardInterrupt


class Faulty(RandomPlayer):
    """Loses every decision by a crash."""

    outside = False  # treated like a built-in player, so that no salt is drawn
    reproducible = False

    def __init__(self) -> None:
        self.faults = {}

    def act(self, arena: Any, games: Any, seat: int) -> Any:
        self.decisions += len(games)
        self.faults["crash"] = self.decisions
        return no_orders(len(games), full=True)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add the suite `tiny`, and make blocks small."""
    monkeypatch.setitem(suites.SUITES, "tiny", TINY.rows)
    monkeypatch.setattr(row_play, "DEALS_AT_ONCE", 4)
    monkeypatch.setitem(registry.PLAYERS, "hasty", PlayerEntry("hasty", Interrupting, "is interrupted"))
    Cheat.at = 0
    return iter([None])


def played(player: Any, suite: Suite = TINY, **options: Any) -> Benchmark:
    benchmark = Benchmark(player, suite)
    benchmark.play(**options)
    return benchmark


# Playing


def test_scores_of_a_player_that_always_wins() -> None:
    result = played(Cheat()).result()
    alone, duel, crowd = result.rows
    assert [row.games for row in result.rows] == [20, 40, 16]
    assert [row.raw.value for row in result.rows] == [1, 1, 1]
    assert (alone.win, alone.finish, duel.win, duel.finish) == (1, 1, 1, 1)
    assert crowd.win == pytest.approx(1 / 3)  # the three share every game
    assert set(alone.courses) == {"risky_exchange", "checkmate"}
    assert result.score is None
    Cheat.at = 2
    slower = played(Cheat(), replace(TINY, rows=(SOLO,))).result()
    assert slower.rows[0].raw.value == pytest.approx(1 / 3)


def test_scores_are_between_0_and_1_and_intervals_hold_them() -> None:
    result = played("random").result()
    for row in result.rows:
        for stat in (row.raw, *(course.raw for course in row.courses.values())):
            assert 0 <= stat.low <= stat.value <= stat.high <= 1
    assert result.rows[1].raw.low < 0.5 < result.rows[1].raw.high  # a duel of equals


def test_no_score_is_less_than_nothing_by_its_sign() -> None:
    assert scaled(Stat(-0.01, -0.26, 0.0)) == "0.0 (-0.3 to 0.0)"


def test_the_scale_of_the_references() -> None:
    scores = {"alone": {"risky_exchange": (0.5, 0.75), "checkmate": (0.0, 2.0)}, "duel": {"risky_exchange": (0.0, 1.0)}}
    suite = Suite("tiny", (SOLO, DUEL), Reference("tiny", {}, {}, scores))
    result = played(Cheat(), suite).result()
    alone, duel = result.rows
    assert [course.score.value for course in alone.courses.values() if course.score] == [200, 50]
    assert alone.score is not None
    assert duel.score is not None
    assert result.score is not None
    assert (alone.score.value, duel.score.value) == (125, 100)
    assert result.score.value == pytest.approx(350 / 3)  # of three strata none is cut off


@pytest.mark.long
def test_workers_blocks_and_order_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = played("random").result()
    assert played("random", workers=2).result() == result
    monkeypatch.setattr(row_play, "DEALS_AT_ONCE", 16)
    assert played("random").result() == result
    blocks = list(blocks_of(TINY))
    worker = BenchmarkWorker(TINY, "random")
    backwards = {block: worker(block) for block in reversed(blocks)}
    benchmark = Benchmark("random", TINY)
    benchmark._scores = backwards
    assert benchmark.result() == result


def test_a_player_without_a_name_cannot_be_sent_to_workers() -> None:
    with pytest.raises(RoboRallyError, match="workers: 2: expected 1 for a player that is not created from its name"):
        played(Cheat(), workers=2)


def test_rows_may_come_from_an_iterator() -> None:
    suite = load_suite("v2")
    names = [suite.rows[0].name, suite.rows[1].name]
    assert suite.chosen(iter(names)) == suite.chosen(names)


def test_a_report_is_a_function() -> None:
    with pytest.raises(RoboRallyError, match=r"^report: 5: expected a function of the games played and of all games$"):
        played("random", report=5)


def test_faults_are_reported() -> None:
    result = played(Faulty(), Suite("tiny", (SOLO,))).result()
    assert result.faults == {"crash": result.decisions}
    assert 70 < result.decisions <= 20 * 4  # only robots that are alive are asked
    assert f"{result.decisions:,} of {result.decisions:,} decisions lost: {result.decisions:,} crash" in result.text()
    assert "is not reproducible: the same games may give other results" in result.text()


# The log


def test_a_log_is_continued(tmp_path: Path) -> None:
    log = tmp_path / "new" / "log.jsonl"
    Interrupting.left = 1000
    expected = played("hasty").result()
    Interrupting.left = 5
    benchmark = Benchmark("hasty", TINY)
    with pytest.raises(KeyboardInterrupt):
        benchmark.play(log=log)
    Interrupting.left = 1000
    assert 0 < benchmark.num_played < benchmark.num_games
    assert any("not finished" in note for note in benchmark.result().notes)

    with log.open("a") as file:
        file.write('{"player": "hasty", "key"')  # cut off in the middle of a line
    reports: list[tuple[int, int]] = []
    again = played("hasty", log=log, report=lambda *report: reports.append(report))
    assert again.result() == expected
    assert reports[0][0] >= benchmark.num_played
    assert [done for done, _ in reports] == sorted(done for done, _ in reports)
    assert reports[-1] == (76, 76)
    lines = log.read_text().splitlines()
    assert len(lines) == len(list(blocks_of(TINY)))
    assert all(json.loads(line)["player"] == "hasty" for line in lines)

    Interrupting.left = 0
    played("hasty", log=log)  # nothing is left to play, and nothing is added
    assert log.read_text().splitlines() == lines


def test_blocks_of_others_and_of_other_versions_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log, suite = tmp_path / "log.jsonl", Suite("tiny", (DUEL,))
    played("random", suite, log=log)
    assert played("greedy", suite, log=log).outdated == 0
    assert played("greedy", suite, log=log).result() == played("greedy", suite).result()
    monkeypatch.setattr("rr_gym.evaluation.benchmark.benchmark_log.__version__", "0.0.0")
    assert played("random", suite, log=log).outdated == 5


@pytest.mark.parametrize("content", ["nonsense\n", "no line", "[]\n", '{"block": {}}\n', '{"player": "random"}\n'])
def test_other_files_are_refused_and_left_alone(content: str, tmp_path: Path) -> None:
    log = tmp_path / "notes.txt"
    log.write_text(content)
    with pytest.raises(RoboRallyError, match=r"notes\.txt:.*expected a block of rr-gym benchmark"):
        played("random", log=log)
    assert log.read_text() == content
    with pytest.raises(RoboRallyError, match="cannot be read"):
        played("random", log=tmp_path)


def test_what_is_neither_a_player_nor_a_list_of_rows_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(RoboRallyError, match="player 5: expected a name, or a Player"):
        Benchmark(5)  # type: ignore[arg-type]
    with pytest.raises(RoboRallyError, match="rows: 'solo': expected a list of names"):
        Benchmark("random", rows="solo")
    assert main(["benchmark", "--players", "random,greedy,random"]) == 2
    assert "--players: 'random' occurs twice: expected different ones" in capsys.readouterr().err


def test_a_duplicate_block_is_read_once(tmp_path: Path) -> None:
    log, suite = tmp_path / "log.jsonl", Suite("tiny", (SOLO,))
    expected = played("random", suite, log=log).result()
    lines = log.read_text().splitlines(keepends=True)
    twice = chained([*lines, *lines[::-1]]).decode()
    log.write_text(twice)
    assert played("random", suite, log=log).result() == expected
    assert log.read_text() == twice

    other = json.loads(unsealed(lines[1].rstrip().encode()))
    other["win"][0] = 0.5
    log.write_bytes(chained([*lines, json.dumps(other)]))
    message = rf"log\.jsonl:{len(lines) + 1}: alone, risky_exchange, deal 4: .* in line 2: .* without line 2 and those"
    with pytest.raises(RoboRallyError, match=message):
        played("random", suite, log=log)
    log.write_bytes(chained([lines[0], *lines[2:]]))
    assert played("random", suite, log=log).result() == expected
    # Different results of another player or version are no contradiction.
    others = [json.dumps({**other, **change}) + "\n" for change in ({"player": "greedy"}, {"key": "0"})]
    log.write_bytes(chained([*lines, *others]))
    assert played("random", suite, log=log).result() == expected


def test_an_edited_block_is_found(tmp_path: Path) -> None:
    log, suite = tmp_path / "log.jsonl", Suite("tiny", (SOLO,))
    played("random", suite, log=log)
    text = log.read_text()
    log.write_text(text.replace('"decisions": ', '"decisions": 1', 1))
    with pytest.raises(RoboRallyError, match=r"log\.jsonl:1: expected a block .* \(it was changed"):
        played("random", suite, log=log)
    log.write_text("".join(text.splitlines(keepends=True)[1:]))
    with pytest.raises(RoboRallyError, match=r"log\.jsonl:1: .*does not follow the line before it"):
        played("random", suite, log=log)


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: entry["block"].update(row=[]),
        lambda entry: entry["block"].update(first="0"),
        lambda entry: entry["block"].update(count=3),
        lambda entry: entry["block"].update(more=3),
        lambda entry: entry.update(score=[0, 0, 0]),
        lambda entry: entry.update(win=[0, 0, 0, 2]),
        lambda entry: entry.update(finish=[0, 0, 0, float("nan")]),
        lambda entry: entry.update(finish=[0, 0, 0, "1"]),
        lambda entry: entry.update(decisions=None),
        lambda entry: entry.update(faults={"crash": "1"}),
        lambda entry: entry.update(key=1),
        lambda entry: entry.clear(),
    ],
)
def test_lines_are_read_to_the_last_field(change: Callable[[Any], Any], tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    block = {"row": "alone", "course": "risky_exchange", "first": 0, "count": 4, "games": 4}
    four = [0.0, 0.5, 1.0, 0.25]
    entry = {"player": "random", "key": "k", "block": block, "score": four, "win": four, "finish": four, "faults": {}}
    entry["decisions"] = 0
    whole = json.dumps(entry)
    with BlockLog(log, "random", {"alone": "k"}) as kept:
        assert not kept.blocks
    log.write_text(whole + "\n")
    with BlockLog(log, "random", {"alone": "k"}) as kept:
        assert len(kept.blocks) == 1
    change(entry)
    content = f"{whole}\n{json.dumps(entry)}\n{whole}\n"
    log.write_text(content)
    with pytest.raises(RoboRallyError, match=r"log\.jsonl:2: .*expected a block of rr-gym benchmark: .* played again"):
        BlockLog(log, "random", {"alone": "k"}).__enter__()
    assert log.read_text() == content


# Suites


def test_references_are_measured_and_kept(tmp_path: Path) -> None:
    low, high = played("random", Suite("tiny", (DUEL,))), played(Cheat(), Suite("tiny", (DUEL,)))
    high.name = "racer"
    reference = measure_reference(low, high)
    assert reference.scores == {"duel": {"risky_exchange": (low.result().rows[0].raw.value, 1.0)}}
    assert Reference.from_json(json.loads(json.dumps(reference.to_json()))) == reference
    again = played("random", Suite("tiny", (DUEL,), reference)).result()
    assert again.notes == ()
    assert again.score is not None
    assert again.score.value == 0

    with pytest.raises(RoboRallyError, match="expected the whole suite, played by random"):
        measure_reference(high, high)
    low.name, high.name = "racer", "random"
    with pytest.raises(RoboRallyError, match=r"row duel, risky_exchange: .*expected racer to be better"):
        measure_reference(high, low)


def test_changes_are_noticed() -> None:
    suite = Suite("tiny", (DUEL, SOLO))
    now = fingerprint_of(suite)
    assert set(now.rows) == {"duel", "alone"}
    assert set(now.players) == {"random"}
    assert fingerprint_of(suite) == now
    for changed in (
        replace(DUEL, courses=("checkmate",)), replace(DUEL, settings={"lives": 1}), replace(DUEL, others=("greedy",)),
        replace(DUEL, max_cycles=5), replace(DUEL, copies=2),
    ):  # fmt: skip
        assert fingerprint_of(Suite("tiny", (changed,))).rows["duel"] != now.rows["duel"]
    assert fingerprint_of(Suite("tiny", (replace(DUEL, games=8),))).rows["duel"] == now.rows["duel"]

    scores = {row: {"risky_exchange": (0.0, 1.0), "checkmate": (0.0, 1.0)} for row in ("duel", "alone")}
    fixed = Reference("tiny", dict(now.rows), dict(now.players), scores)
    assert played("random", replace(suite, reference=fixed)).result().notes == ()
    other = replace(fixed, rows={**now.rows, "alone": "0"}, players={"random": "0"})
    assert played("random", replace(suite, reference=other)).result().notes == (
        "courses or rules have changed: alone", "background players have changed: random",
    )  # fmt: skip


def test_our_suite_is_whole() -> None:
    suite = load_suite("v2")
    names = [row.name for row in suite.rows]
    assert len(set(names)) == len(names)
    assert {row.group for row in suite.rows} == {
        "solo", "duels", "four", "eight", "expansions", "options", "generated"
    }  # fmt: skip
    for row in suite.rows:
        assert 400 <= row.num_games <= 450
        assert row.seats <= 8
        assert len(set(row.course_ids)) == len(row.courses)
    assert {course.seed in suites.RESERVED_SEEDS for course in generated_of(suite)} == {True}


def generated_of(suite: Suite) -> set[Any]:
    return {course for row in suite.rows for course in row.courses if not isinstance(course, str)}


@pytest.mark.long  # other tests show that these courses are unchanged, and that generated courses are solvable
def test_generated_courses_of_our_suite_are_solvable() -> None:
    assert all(is_solvable(suites.course_of(course)) for course in generated_of(load_suite("v2")))


def test_nothing_has_changed_since_our_suite_was_fixed() -> None:
    suite = load_suite("v2")
    reference = read_reference("v2")
    now = fingerprint_of(suite)
    assert reference is not None
    assert (reference.rows, reference.players) == (now.rows, now.players)
    assert {row: set(scores) for row, scores in reference.scores.items()} == {
        row.name: set(row.course_ids) for row in suite.rows
    }


# The command


def command(line: str) -> list[str]:
    return ["benchmark", *line.split()]


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    files = f"--json {tmp_path}/figures.json --out {tmp_path}/kept"
    assert main(command(f"--players random --suite tiny --workers 1 {files}")) == 0
    out, err = capsys.readouterr()
    expected = played("random", load_suite("tiny")).result()
    assert out == f"{expected.text()}\nkept: {tmp_path}/kept\n"
    assert err == ""
    assert json.loads((tmp_path / "figures.json").read_text()) == [json.loads(json.dumps(expected.to_json()))]
    assert "not comparable: no reference scores have been measured for this suite" in out

    line = f"--players random,greedy --suite tiny --workers 1 --rows pairs,alone --games 8 --markdown {files} --resume"
    assert main(command(line)) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert err.endswith(f"kept: {tmp_path}/kept\n")  # the document stands alone
    assert lines[:2] == ["| row | `random` | `greedy` |", "| --- | ---: | ---: |"]
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| alone", "| duel", "| **all**"]
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert [len(result["rows"]) for result in figures] == [2, 2]
    assert figures[0]["notes"][1:] == ["2 of 3 rows only", "fewer games than the suite has"]
    assert [row["games"] for row in figures[0]["rows"]] == [8, 8]


def test_the_command_measures_references(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.PLAYERS, "racer", PlayerEntry("racer", Cheat, "wins"))
    files = f"--out {tmp_path}/kept --reference {tmp_path}/tiny.json"
    assert main(command(f"--players random,racer --suite tiny --workers 1 {files}")) == 0
    assert capsys.readouterr().out.count("no reference scores have been measured") == 2
    reference = Reference.from_json(json.loads((tmp_path / "tiny.json").read_text()))
    assert {row: list(scores) for row, scores in reference.scores.items()} == {
        row.name: list(row.course_ids) for row in TINY.rows
    }
    result = played("random", replace(TINY, reference=reference)).result()
    assert (result.notes, result.score and result.score.value) == ((), 0)


def test_rows_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command("--suite tiny --list")) == 0
    heads, first = capsys.readouterr().out.splitlines()[:2]
    assert heads.split() == ["row", "group", "games", "what", "robots", "courses"]
    assert first.split() == ["alone", "solo", "20", "alone", "1", "of", "1", "risky_exchange,", "checkmate"]


def test_an_interrupted_command_reports_what_it_has(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for left, reported in ((4, True), (0, False)):
        Interrupting.left = left
        assert main(command("--players hasty --suite tiny --workers 1")) == 130
        out, err = capsys.readouterr()
        assert ("not comparable: not finished: 14 of 76 games" in out) is reported
        assert ("--out benchmark --resume\n" in err) is reported
        assert err.startswith("rr-gym: interrupted")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "no player: expected at least one"),
        ("--players gredy", "there is no player 'gredy': did you mean 'greedy'?"),
        ("--players random --suite v0", "there is no suite 'v0': expected v2"),
        ("--players random --suite tiny --rows dul", "suite tiny: there is no row 'dul': did you mean 'duel'?"),
        ("--players random --suite tiny --games 0", "games: 0: expected a whole number, 1 or more"),
        ("--players random --suite tiny --workers 0", "workers: 0: expected a whole number from 1 to 64"),
        ("--players random --suite tiny --json=.", "--json .: expected a file"),
        ("--players random --suite tiny --reference new.json", "expected random and racer among the players"),
        ("--players random,racer --suite tiny --reference new.json --games 9", "--reference: expected the whole suite"),
    ],
)
def test_mistakes_are_one_line(line: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command(line)) == 2
    out, err = capsys.readouterr()
    assert message in err
    assert err.count("\n") == 1
    assert out == ""


def test_scores_side_by_side_where_rows_are_missing() -> None:
    some = played("random", Suite("tiny", (SOLO,))).result()
    assert markdown([some, replace(some, rows=())]).splitlines()[2].endswith(" | - |")


def test_empty_results_are_refused() -> None:
    with pytest.raises(RoboRallyError, match="nothing to report"):
        Benchmark("random", TINY).result()
