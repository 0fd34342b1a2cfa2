"""The pages of an arena."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from arenas import few_courses, play, small_arena, write_bot

from rr_gym.arena import add_entry, make_ladder, new_season, play_matches, read_log
from rr_gym.arena.ladder import Ladder
from rr_gym.arena.lines import MatchLine
from rr_gym.arena.log import ArenaLog
from rr_gym.arena.pages import write_pages
from rr_gym.arena.pages.history import History, chart, history_of, ladders_at, points_of
from rr_gym.arena.pages.lost_games import latest_lost
from rr_gym.arena.pages.site import entry_page
from rr_gym.cli.main import main
from rr_gym.evaluation.statistics.intervals import Stat

LINK = re.compile(r'<a href="([^"#]+)(?:#turn=(\d+))?"')


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("arena") / "ladder"
    new_season(folder, ["duels"], ["random", "greedy", "racer"], max_cycles=12, salt=5)
    play_matches(folder, 4, workers=1, salt=5)
    return folder


@pytest.fixture(scope="module")
def pages(arena: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    to = tmp_path_factory.mktemp("pages")
    assert write_pages(arena, to, games=1) == to / "index.html"
    return to


def test_the_first_page_has_the_ladder_and_how_to_check_it(arena: Path, pages: Path) -> None:
    page, log = (pages / "index.html").read_text(), read_log(arena)
    ladder = make_ladder(log)
    for row in ladder.total:
        assert f">{row.name}</a>" in page
        assert f"<td>{row.rating.value:.0f} <small>" in page
    assert f"rr-gym arena verify DIR --head {log.head}" in page
    assert log.seasons[0].salt_sha256 in page
    assert "published when it is over" in page


def test_links_lead_to_pages_and_to_turns_of_games(pages: Path) -> None:
    turns = []
    for page in pages.glob("*.html"):
        for target, turn in LINK.findall(page.read_text()):
            assert (pages / unquote(target)).is_file()
            if turn:
                turns.append(int(turn))
    assert turns
    assert min(turns) >= 1


def test_each_entry_has_a_page_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few_courses(monkeypatch)
    folder = small_arena(tmp_path / "arena", "planner:100")
    # Names that differ only in where name and version meet
    for name, version in (("my_bot", "1.0"), ("my", "bot+1.0")):
        add_entry(folder, write_bot(tmp_path / name, name, version))
    play(folder, 2)
    to = write_pages(folder, tmp_path / "pages", 0).parent
    pages = {"my_bot 1.0": "my_bot@1.0", "my bot+1.0": "my@bot+1.0", "planner:100": "planner=100"}
    assert {path.name for path in to.glob("entry-*")} == {f"entry-{name}.html" for name in pages.values()}
    links = re.findall(r'<td class="name"><a href="([^"]+)">([^<]+)</a>', (to / "index.html").read_text())
    assert {name for _, name in links} == {*pages}
    for target, name in links:
        assert target == f"entry-{pages[name].replace('+', '%2B')}.html"
        assert f"<h1>{name}</h1>" in (to / unquote(target)).read_text()


def test_pages_of_policies_have_names_that_every_system_allows() -> None:
    names = ["a@b", "a b", "a:b", "a/b", "a=b", "a~2f~b", "a_b", "a\u00e9b"]
    files = [entry_page(name) for name in names]
    assert len({*files}) == len(names)
    assert all(re.fullmatch("[A-Za-z0-9._+@=~-]+", file) for file in files)


def test_nothing_is_loaded_from_elsewhere(pages: Path) -> None:
    for page in pages.rglob("*.html"):
        assert not re.search(r'(?:src|href)="(?:https?:)?//', page.read_text())


def test_lost_games_are_the_latest_ones_that_an_entry_did_not_win(arena: Path) -> None:
    log = read_log(arena)
    for entry, match, number in latest_lost(log, 2):
        game = match.games[number - 1]
        assert game.players.index(entry) not in game.winners
    lost = [match.match for entry, match, _ in latest_lost(log, 99) if entry == "random"]
    assert lost == sorted(lost, reverse=True)
    assert lost[0] == max(match.match for match in log.matches.values() if "random" in match.lineup)
    assert latest_lost(log, 0) == []


def test_history_ends_with_the_ladder(arena: Path) -> None:
    log = read_log(arena)
    ladders = ladders_at(log, points_of(log))
    assert ladders[-1] == make_ladder(log)
    history = history_of(log, ladders)
    assert history.matches == (1, 2, 3, 4)
    for row in ladders[-1].total:
        assert history.ratings[row.name][-1] == row.rating


def test_the_last_point_is_the_end_of_the_log_even_without_matches(arena: Path) -> None:
    log = read_log(arena)
    before = log.until(next(number for number, line in enumerate(log.lines) if isinstance(line, MatchLine)))
    assert points_of(before) == [len(before.lines)]
    assert points_of(log)[-1] == len(log.lines)


def test_each_ladder_is_computed_once(arena: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []

    def count(log: ArenaLog) -> Ladder:
        computed.append(len(log.lines))
        return make_ladder(log)

    monkeypatch.setattr("rr_gym.arena.pages.history.make_ladder", count)
    write_pages(arena, tmp_path, games=0)
    assert computed == points_of(read_log(arena))


def test_a_chart_has_a_line_and_a_label_for_each_entry() -> None:
    ratings = {"<bot> 1": (None, Stat(900.0, 800.0, 1000.0)), "greedy": (Stat(1000.0, 990.0, 1010.0),) * 2}
    history = History((10, 20), ratings, frozenset({"greedy"}))
    drawing = chart(history, ["<bot> 1", "greedy"])
    assert drawing.count("<polyline") == 2
    assert "&lt;bot&gt; 1</text>" in drawing
    assert "<bot>" not in drawing
    assert "<polygon" in chart(history, ["<bot> 1"], with_intervals=True)
    assert chart(History((10,), {"greedy": ratings["greedy"][:1]}, frozenset()), ["greedy"]) == ""


def test_the_command_says_where_the_pages_are(
    arena: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["arena", "page", str(arena), "--out", str(tmp_path / "p"), "--watch", "1"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'p' / 'index.html'}: open it in a browser\n"
    assert main(["arena", "page", str(tmp_path), "--out", str(tmp_path / "q")]) == 2
    assert "not an arena" in capsys.readouterr().err
    assert not (tmp_path / "q").exists()
