"""Hostile input: endless nesting and aliases, names that are templates, markup or escape sequences."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agents.config import TrainConfig
from rr_gym import progress, yaml12
from rr_gym.cli.main import main
from rr_gym.courses import Course, load_course
from rr_gym.errors import RoboRallyError, did_you_mean, printable, short_repr
from rr_gym.evaluation.benchmark.benchmark_log import BlockLog
from rr_gym.evaluation.benchmark.benchmark_report import as_code
from rr_gym.evaluation.tournament.store import Store
from rr_gym.files import fill
from rr_gym.json_text import MAX_DEPTH, loads
from rr_gym.players.messages import read_answer
from rr_gym.policies.store import load_policy
from rr_gym.race import RaceConfig
from rr_gym.registry import check_player
from rr_gym.render.pieces import labels
from rr_gym.replay import Replay
from rr_gym.replay.page import to_html
from rr_gym.scenarios import load_scenarios, run_scenario

BOARD = "size: 3x1\ngrid:\n@1 #1 @2\n"
BOMB = "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 60))
CHAIN = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 100_000))
ESCAPE = "\x1b]0;owned\x07"


def course(name: str = "small") -> Course:
    return Course.from_yaml(
        {"id": "x", "name": name, "boards": [{"board": "b", "rotation": 0, "at": [0, 0]}], "board_texts": {"b": BOARD}}
    )


def _scenario(path: Path) -> None:
    (scenario,) = load_scenarios(path)
    (difference,) = run_scenario(scenario).differences
    raise RoboRallyError(str(difference))


def _policy(path: Path) -> None:
    (path.parent / "policy.json").write_bytes(path.read_bytes())
    load_policy(path.parent)


def _log(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\n")
    with BlockLog(path, "greedy", {}):
        pass


def _tournament(path: Path) -> None:
    (path.parent / "tournament.json").write_bytes(path.read_bytes())
    Store(path.parent, {}, resume=True)


def _games(path: Path) -> None:
    Store(path.parent / "t", {}, resume=False)
    (path.parent / "t" / "games.jsonl").write_bytes(path.read_bytes() + b"\n")
    Store(path.parent / "t", {}, resume=True).load([])


YAML_READERS: list[Callable[[Path], Any]] = [load_course, TrainConfig.load, RaceConfig.load, _scenario]
JSON_READERS: list[Callable[[Path], Any]] = [
    Replay.load, _policy, _log, _tournament, _games, lambda path: read_answer(path.read_bytes()),
]  # fmt: skip


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 100_000, "- " * 100_000, CHAIN], ids=["[", "{", "-", "*"])
@pytest.mark.parametrize("read", YAML_READERS)
def test_yaml_that_nests_too_deeply_is_refused(read: Callable[[Path], Any], text: str, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(RoboRallyError, match=r"x\.yaml:\d+: nested too deeply"):
        read(tmp_path / "x.yaml")


@pytest.mark.parametrize("read", YAML_READERS)
def test_aliases_of_aliases_are_refused(read: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(BOMB)
    with pytest.raises(RoboRallyError, match=r"x\.yaml:\d+: too large: expected at most 200,000 values"):
        read(tmp_path / "x.yaml")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '["\\"",' + "[" * 900 + "]" * 901])
@pytest.mark.parametrize("read", JSON_READERS)
def test_json_that_nests_too_deeply_is_refused(read: Callable[[Path], Any], text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(RoboRallyError) as error:
        read(tmp_path / "x.json")
    assert len(str(error.value)) < 500


def test_the_course_in_a_replay_is_bounded_too(tmp_path: Path) -> None:
    data = contents()
    for text in ("[" * 100_000, CHAIN, BOMB):
        with pytest.raises(RoboRallyError, match=r"nested too deeply|too large"):
            Replay.from_json({**data, "course": text})


def test_how_deep_json_and_yaml_may_nest() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert loads(deepest, "x") == yaml12.load(deepest)
    for read in (lambda text: loads(text, "x"), yaml12.load):
        with pytest.raises(RoboRallyError, match="nested too deeply"):
            read(f"[{deepest}]")
    # Aliases count at every place where they occur; brackets within strings do not count.
    half = MAX_DEPTH // 2
    nest = "[" * half + "1" + "]" * half
    assert yaml12.load(f"a: &a {nest}\nb: {'[' * (half - 1)}*a{']' * (half - 1)}")
    with pytest.raises(RoboRallyError, match=r"<text>:2: nested too deeply"):
        yaml12.load(f"a: &a {nest}\nb: {'[' * half}*a{']' * half}")
    brackets = "[" * 1000
    assert loads(json.dumps([brackets, '"' + brackets, "\\", brackets]), "x")[3] == brackets


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff", "x: is not UTF-8 text"), ("[1,\nx]", "x: line 2: Expecting value: expected JSON"),
        ("[NaN]", "x: NaN is not JSON: expected JSON"),
        ("9" * 5000, "x: Exceeds the limit"),
    ],
)  # fmt: skip
def test_what_is_not_json_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(RoboRallyError, match=message):
        loads(text, "x")


def test_infinite_numbers_are_refused() -> None:
    for text in ("0x" + "f" * 5000, "9" * 5000):
        with pytest.raises(RoboRallyError, match=r"<text>:1: '.{76}\.\.\.: expected a number of at most"):
            yaml12.load(text)


@pytest.mark.parametrize("key", ["minutes", "checkpoint_every"])
def test_numbers_that_no_float_holds_are_refused(key: str) -> None:
    with pytest.raises(RoboRallyError, match=rf"x.yaml:1: training\.{key}: a whole number of 1,329 bits: expected"):
        TrainConfig.read(f"training: {{{key}: 1{'0' * 400}}}", "x.yaml")


@pytest.mark.parametrize("every", ["20 updates", "0.1 minutes", "1234567 minutes", "9223372036854775807 minutes"])
def test_a_configuration_reads_back_as_itself(every: str) -> None:
    config = TrainConfig.read(f"training: {{checkpoint_every: {every}}}")
    assert TrainConfig.read(yaml12.dump(config.as_mapping())) == config


@pytest.mark.parametrize(
    "value",
    [None, 1, -1.5, "a'b", b"x", [], {}, (), (1,), (1, 2), [1, "a", [None]], {"a": [1], 2: {}}, float("nan"), {1, 2}],
)
def test_short_values_are_shown_as_python_writes_them(value: Any) -> None:
    assert short_repr(value) == repr(value)


def test_long_values_are_shortened_and_not_expanded() -> None:
    bomb: Any = ["x"]
    for _ in range(100):
        bomb = [bomb, bomb]
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    own: list[Any] = []
    own.append(own)
    for value in (bomb, deep, own, "x" * 10**6, list(range(10**6)), {"a": "b" * 10**6}):
        assert len(short_repr(value)) == 80
        assert short_repr(value).endswith("...")
    assert short_repr("abcdefghij", 8) == "'abcd..."
    assert short_repr(-(2**20_000)) == "a whole number of 20,001 bits"
    assert did_you_mean(bomb, ["x"]) == ""


def test_messages_can_be_shown_by_terminals() -> None:
    message = str(RoboRallyError(f"{ESCAPE}: é 龍\nnext \u202e line\ud800"))
    assert message == "\\x1b]0;owned\\x07: é 龍\nnext \\u202e line\\ud800"
    assert len(str(RoboRallyError("x" * 10**6))) < 5000
    assert printable("a\nb") == "a\\nb"


def contents(name: str = "one") -> dict[str, Any]:
    """Return the contents of a replay file whose first player has this name."""
    from rr_gym.replay import Recorder
    from rr_gym.rules.arena.arena import Arena

    arena = Arena(course())
    games = arena.new_games(1, 2, seed=1)
    data: dict[str, Any] = json.loads(json.dumps(Recorder(arena, games, players=[name, "two"]).replay(games).to_json()))
    return data


def test_parts_of_a_page_are_not_templates(tmp_path: Path) -> None:
    assert fill("{{a}} {{b}} {{a}}", {"a": "{{b}}", "b": "{{a}}{x}"}) == "{{b}} {{a}}{x} {{b}}"
    names = ["{{payload}} {{js}}", "</script><b>"]
    data = {**contents(), "players": names, "course": course("{{payload}} <i>").to_yaml()}
    page = to_html(Replay.from_json(data))
    assert "<title>{{payload}} &lt;i&gt; - RoboRally replay</title>" in page
    assert "<small>{{payload}} {{js}}, &lt;/script&gt;&lt;b&gt;</small>" in page
    payload = page.split('id="replay">')[1].split("</script>")[0]
    assert json.loads(payload)["names"] == names
    assert page.count("</script>") == 3  # one in the head, the payload, and the program
    assert "<b>" not in page.split("<footer>")[0].replace('<b id="turn">', "")


def test_names_fit_in_one_printable_line() -> None:
    for name in (ESCAPE, "two\nlines", "\u202eabc", "\ud800"):
        with pytest.raises(RoboRallyError, match=r"name: .*expected text on one line"):
            course(name)
        with pytest.raises(RoboRallyError, match=r"players\[0\]: .*expected text on one line"):
            Replay.from_json({**contents(), "players": [name, "two"]})
        with pytest.raises(RoboRallyError, match="expected a name on one line"):
            check_player(name)
        assert Replay.from_json(contents(name)).players[0] == printable(name)
        assert Course.from_board(BOARD, name).name == printable(name)
    for other in (3, None, b"greedy"):
        with pytest.raises(RoboRallyError, match="expected a name on one line"):
            check_player(other)  # type: ignore[arg-type]
    with pytest.raises(RoboRallyError, match=r"b.rrb:1:7: 'name: .x1b\[2J': expected ASCII text"):
        Course.from_board(f"name: \x1b[2J\n{BOARD}", "b")


def test_long_names_are_neither_players_nor_courses(tmp_path: Path) -> None:
    for name in ("x" * 5000, "a" * 300):
        with pytest.raises(RoboRallyError, match="there is no player"):
            check_player(name)
    for name in ("\0.yaml", "x" * 5000 + ".rrb"):
        with pytest.raises(RoboRallyError, match="cannot be read"):
            load_course(name)
    with pytest.raises(RoboRallyError, match="cannot be read"):
        RaceConfig.load("\0")


def test_robots_can_be_told_apart_whatever_they_are_called() -> None:
    assert labels(["a", "b", "a"]) == ["a 1", "b", "a 3"]
    assert len(set(labels(["a", "a", "a 1", "a 2"]))) == 4
    assert labels([ESCAPE, "\n"]) == ["\\x1b]0;owned\\x07", "\\n"]


def test_names_are_escaped_in_tables_of_markdown() -> None:
    assert as_code("greedy") == "`greedy`"
    assert as_code("a|b") == "`a\\|b`"
    assert as_code("`a``b") == "``` `a``b ```"
    assert as_code("a\nb") == "`a\\nb`"


def test_names_of_scenarios_cannot_control_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "x.yaml").write_text('- {name: "\\e]0;owned\\a", robots: "\\e[2J"}\n')
    assert main(["scenario", str(tmp_path / "x.yaml")]) == 1
    said = capsys.readouterr().out
    assert said.replace("\n", "").isprintable()
    assert "\\x1b]0;owned\\x07" in said


def test_lines_are_overwritten_only_on_terminals(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = iter(range(0, 1000, 10))
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(now)))
    monkeypatch.setenv("TERM", "xterm")
    for terminal in (True, False):
        monkeypatch.setattr(sys.stderr, "isatty", lambda terminal=terminal: terminal)
        line = progress.StatusLine()
        for text in ("longer", "short", "\x1b"):
            if line.due():
                line.show(text)
            next(now)
        line.close()
        line.close()
        line.show("x")
        line.clear()
        line.clear()
        shown = capsys.readouterr().err
        if terminal:
            assert [shown.count(part) for part in ("longer\r", "short", "\\x1b\n", "x\n", "\n")] == [1, 1, 1, 1, 2]
        else:
            assert shown == "longer\n\\x1b\nx\n"


def test_fuzzing_writes_no_carriage_returns_into_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["fuzz", "--turns", "8", "--batch", "4", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr().err
    assert "\r" not in said
    assert said.splitlines()[-1].endswith("0 found")
