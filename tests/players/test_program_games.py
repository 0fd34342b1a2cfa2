"""Programs in races and matches: who may name them, what is said of them, and the examples."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT
from programs import COURSE, InMemoryPlayer, legal

from rr_gym.cli.main import main
from rr_gym.compilation.kernels import COMPILED
from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import Match
from rr_gym.players.notes import PlayerNotes
from rr_gym.players.program import ProgramPlayer
from rr_gym.race import RaceConfig, RaceError, race
from rr_gym.registry import PlayerError, check_player, make_player, register_player, typed_player

# Names, races and matches


def test_only_a_command_line_may_name_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = f"program:{shutil.which('python3')} bot.py"
    player = typed_player(name)
    assert isinstance(player, ProgramPlayer)
    assert (player.name, player.command[1:]) == (name, ["bot.py"])
    assert not player.reproducible
    assert typed_player("greedy") == "greedy"
    for refuse in (make_player, check_player):
        with pytest.raises(PlayerError, match="programs play where a command line names them"):
            refuse(name)
    (tmp_path / "race.yaml").write_text(f"players: [greedy, '{name}']\n")
    with pytest.raises(RaceError, match=r"race.yaml:1: players\[1\]: .*programs play where"):
        RaceConfig.load(tmp_path / "race.yaml")
    with pytest.raises(PlayerError, match="already registered"):
        register_player("program", ProgramPlayer, "no")
    with pytest.raises(RoboRallyError, match="there is no executable program 'nonsense'"):
        typed_player("program:nonsense --fast")


def test_a_race_with_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "bot.py"
    script.write_text("import sys\nfor line in sys.stdin:\n    print('what?', flush=True)\n")
    name = f"program:{sys.executable} {script}"
    assert main(["race", "--players", f"random,{name}", "--out", str(tmp_path), "--seed", "3"]) == 1
    out = capsys.readouterr().out
    assert f"{name} is not reproducible" in out
    lost = re.search(re.escape(name) + r": (\d+) of (\d+) decisions lost: (\d+) not JSON", out)
    assert lost
    assert lost[1] == lost[2] == lost[3]
    assert re.search(r"; the last: game 1.0.0, seat 1, turn \d+: not JSON: .*: 'what\?'\n", out)
    assert main(["race", "--players", "random,program:nonsense"]) == 2
    assert "there is no executable program 'nonsense'" in capsys.readouterr().err
    assert main(["race", "--players", ",".join(["random"] * 9)]) == 2
    assert "9 players: expected at most 8" in capsys.readouterr().err


class Counted(InMemoryPlayer):
    """Counts how often it is closed; loses every third decision."""

    def __init__(self) -> None:
        super().__init__(lambda turn: b"?" if turn["id"] % 3 == 0 else legal(turn))
        self.closed = 0

    def close(self) -> None:
        super().close()
        self.closed += 1


def test_matches_close_players_and_note_their_faults() -> None:
    player = Counted()
    match = Match(player, ["random"], games=4, max_cycles=3)
    match.play()
    evaluation = match.result()
    assert player.closed == 1
    note = f"{player.name}: {player.faults.total()} of {player.decisions} decisions lost: "
    assert evaluation.notes[-1].startswith(note + f"{player.faults.total()} not JSON")
    assert "is not reproducible" in evaluation.notes[0]
    assert evaluation.text().splitlines()[1] == evaluation.notes[-1]
    assert evaluation.text().endswith(evaluation.notes[0])
    assert evaluation.to_json()["notes"] == evaluation.notes
    before = player.decisions
    match.play()
    assert f" of {player.decisions - before} decisions lost" in match.result().notes[-1]

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    closed = player.closed
    with pytest.raises(KeyboardInterrupt):
        match.play(interrupt)
    config = RaceConfig(players=("one", "two"), max_cycles=2)
    with pytest.raises(KeyboardInterrupt):
        race(config, interrupt, [player, make_player("random")])
    assert player.closed == closed + 2


def test_there_are_no_notes_on_good_players() -> None:
    assert PlayerNotes([make_player("random"), make_player("greedy")]).lines() == []


def test_notes_tell_players_of_one_name_apart() -> None:
    one, other = make_player("planner:1ms"), make_player("planner:1ms")
    several = [one, other, one]
    words = "is not reproducible: the same seed may give other results"
    assert PlayerNotes(several, names=["p 1", "p 2", "p 3"]).lines() == [f"p 1 {words}", f"p 2 {words}"]
    assert PlayerNotes([one, one], names=["p 1", "p 2"]).lines() == [f"planner:1ms {words}"]


# The examples


@pytest.mark.skipif(not COMPILED, reason="whole games")
@pytest.mark.parametrize(
    ("course", "settings"),
    [
        (COURSE, {}),
        pytest.param("everything", {"option_cards": "on"}, marks=pytest.mark.long),
        (COURSE, {"preset": "amigo"}),
        pytest.param(COURSE, {"preset": "ah2005"}, marks=pytest.mark.long),
    ],
)
def test_the_examples_play_whole_games_without_a_fault(course: str, settings: dict[str, Any]) -> None:
    bots = [ProgramPlayer([sys.executable, str(ROOT / "examples" / "python_bot.py")], seconds=10)]
    if shutil.which("sh") and shutil.which("awk"):
        bots.append(ProgramPlayer(["sh", str(ROOT / "examples" / "shell_bot.sh")], seconds=10))
    match = Match(bots[0], [*bots[1:], "random"], course=course, settings=settings, games=6, max_cycles=30)
    match.play()
    for bot in bots:
        assert list(bot.reports) == []
        assert not bot.faults
        assert bot.decisions > 20
    robots = match.result().players
    if not settings:
        assert robots[0].flags.value > robots[-1].flags.value
