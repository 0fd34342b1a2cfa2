"""Best responses: trained against a frozen player, chosen on some deals, measured on others; short ones in leagues."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from trainings import curve, last_model, lines_of, train  # noqa: E402

from rr_gym.cli.main import main  # noqa: E402
from rr_gym.errors import RoboRallyError  # noqa: E402
from rr_gym.evaluation import Match, Stat  # noqa: E402
from rr_gym.exploit import BestResponse, best_response  # noqa: E402
from rr_gym.exploit.report import conclusion  # noqa: E402
from rr_gym.player_names import POLICIES  # noqa: E402
from rr_gym.policies import load_policy  # noqa: E402
from rr_gym.registry import SHIPPED  # noqa: E402
from rr_gym.sb3 import RoboRallyVecEnv  # noqa: E402
from rr_gym.training import agents_module  # noqa: E402

config = agents_module("config")

TINY = """
environment: {num_games: 6, num_robots: 2, opponents: [greedy], observation: flat, max_cycles: 6, decisions: []}
algorithm: {turns_per_update: 3, batch_size: 30, epochs: 1}
network: {hidden: [8], features: 8, embed: 2}
training: {total_steps: 450, checkpoint_every: 1 updates}
evaluation: {every: 2, games: 4, keep_best: true}
"""
ROWS = 90  # the rows of an update: 6 games * 3 turns * 5 decisions
LEAGUE = TINY.replace("[greedy]", "{self: 0.3, past: 0.4, random: 0.3}").replace(", keep_best: true", "")


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("exploit") / "tiny.yaml"
    path.write_text(TINY, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def found(tiny: Path) -> BestResponse:
    return best_response("random", tiny.parent / "out", starts=["nothing"], config=tiny, games=6)


def test_the_checkpoint_that_won_most_is_the_response(found: BestResponse, tiny: Path) -> None:
    run = tiny.parent / "out" / "nothing"
    lines = curve(run)
    evaluated = {int(line["time/total_timesteps"]): float(line["eval/win"]) for line in lines if line["eval/win"]}
    assert list(evaluated) == [2 * ROWS, 4 * ROWS, 5 * ROWS]  # the last update as well
    (response,) = found.responses
    assert (response.start, response.trained, response.won) == ("nothing", 5 * ROWS, max(evaluated.values()))
    assert response.rows == next(rows for rows, win in evaluated.items() if win == response.won)
    best = load_policy(response.policy).spec.training
    assert (best["rows"], best["evaluation"]["win"]) == (response.rows, response.won)
    assert best["config"]["environment"]["opponents"] == ["random"]
    assert best["config"]["evaluation"]["seed"] != response.held_out.seed
    assert response.held_out.total.games == 6
    assert found.bound.value == response.held_out.players[0].win.value - 0.5
    assert json.loads(json.dumps(found.to_json()))["responses"][0]["held_out"]["total"]["games"] == 6


@pytest.mark.parametrize("where", ["training", "duels"])
def test_interrupted_and_resumed_it_finds_the_same(
    where: str, found: BestResponse, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = Match.play

    def interrupted(match: Match, *args: Any) -> None:
        if match.names[0] == "response from nothing":  # the final match, not the evaluations during training
            raise KeyboardInterrupt
        play(match, *args)

    line = ["exploit", "random", "--start", "nothing", "--config", str(tiny), "--games", "6", "--out", str(tmp_path)]
    with monkeypatch.context() as patched:
        if where == "duels":
            patched.setattr(Match, "play", interrupted)
        else:  # with the checkpoint of the first update
            patched.setattr(agents_module("trainer").Trainer, "_after_update", _stopping_at(2 * ROWS))
        assert main(line) == 130
    assert main(line) == 2  # not without --resume
    assert main([*line, "--resume", "--json", str(tmp_path / "found.json")]) == 0
    again = json.loads((tmp_path / "found.json").read_text())
    first = found.to_json()
    for one in (again, first):
        for response in one["responses"]:
            del response["seconds"], response["policy"]
    assert again == json.loads(json.dumps(first))


def _stopping_at(rows: int) -> Any:
    """Return a method that interrupts a training run, as Ctrl-C does, after this many rows."""
    after_update = agents_module("trainer").Trainer._after_update

    def stopping(trainer: Any) -> None:
        trainer._interrupted = trainer.model.num_timesteps >= rows
        after_update(trainer)

    return stopping


def test_only_the_same_is_resumed(found: BestResponse, tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tiny.parent / "out"
    line = ["exploit", "random", "--start", "nothing", "--config", str(tiny), "--out", str(out), "--resume"]
    for more, expected in (
        (["--games", "8"], "games: 8: the search for best responses in"),
        (["--games", "6", "--steps", "900"], "rows: 900: the search"),
        (["--games", "6", "--seed", "4"], "seed: 4: the search"),
        (["--games", "6", "--course", "checkmate"], "courses: "),
    ):
        assert main([*line, *more]) == 2
        said = capsys.readouterr().err
        assert expected in said, said
        assert "only the same can be resumed" in said
    with pytest.raises(RoboRallyError, match=r"exists: expected a new or empty folder, or one with exploit\.json"):
        best_response("random", out / "nothing", starts=["nothing"], config=tiny)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["program:./bot"], "player 'program:./bot': expected a player that ships or was registered, or the folder"),
        (["vetran"], "there is no player 'vetran': did you mean 'veteran'?"),
        (["random", "--start", "itself"], "--start: itself: random is not a policy: expected nothing, or a policy"),
        (["random", "--start", "vetran"], "--start: 'vetran': there is no such policy: did you mean 'veteran'?"),
        (["random", "--start", "runs/none"], "--start: 'runs/none': there is no such policy: expected itself | noth"),
        (["random", "--start", "nothing,nothing"], "--start: nothing: expected each start once"),
        (["random", "--start", "{folder}"], "--start: {folder}: num_robots: 3: expected 2"),
        (["random", "--config", "solo", "--start", "nothing"], "environment.opponents: 1 players: expected fewer than"),
        (["random", "--method", "local", "--steps", "9"], "--steps: expected none with the method local"),
        (["random", "--method", "regret", "--course", "a,b"], "--course: a,b: expected one with the method regret"),
        (["random", "--method", "regret", "--games", "9"], "--games: expected none with the method regret"),
        (["random", "--turns", "9"], "--turns: expected none with the method response"),
        (["random", "--start", "nothing", "--seed", "2000000"], "training.seed: 2000000: expected another"),
        (["bot:mybot"], "player 'bot:mybot': expected a player that ships or was registered, or the folder"),
        (["random", "--config", "duel", "--start", "nothing"], "evaluation.keep_best: false: expected true"),
    ],
)
def test_what_cannot_be_exploited_is_refused_before_anything_is_written(
    words: list[str], expected: str, others: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words, expected = [word.format(folder=others) for word in words], expected.format(folder=others)
    out = [] if "--method" in words else ["--out", str(tmp_path / "out")]
    assert main(["exploit", *words, *out]) == 2
    assert expected in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_device_that_is_not_there_is_named_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "gpu.yaml"
    path.write_text(TINY.replace("total_steps: 450", "total_steps: 450, device: cuda"), encoding="utf-8")
    with pytest.raises(RoboRallyError, match=r"gpu\.yaml: training\.device: 'cuda': expected cpu or auto"):
        best_response("random", tmp_path / "out", starts=["nothing"], config=path)
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def others(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a policy for races of three, whose observation does not fit duels."""
    folder = tmp_path_factory.mktemp("others") / "run"
    train(TINY.replace("num_robots: 2", "num_robots: 3").replace("total_steps: 450", "total_steps: 1"), folder)
    return folder / "policy"


def test_a_bound_is_claimed_only_where_the_interval_is_above_one_half() -> None:
    above = conclusion(Stat(0.05, 0.02, 0.08), "one")
    assert above == "Lower bound of exploitability: +0.050 (+0.020 to +0.080) of the duels above one half, by one."
    assert conclusion(Stat(0.05, -0.01, 0.08), "one").startswith("No exploit was found: one wins +0.050 (-0.010 to")


def test_names_of_policies_are_those_that_ship() -> None:
    assert sorted(POLICIES) == sorted(folder.name for folder in SHIPPED.iterdir() if folder.is_dir())


@pytest.mark.parametrize("games", [0, "many"])
def test_a_wrong_number_of_games_is_named_before_the_training(games: Any, tiny: Path, tmp_path: Path) -> None:
    with pytest.raises(RoboRallyError, match=f"games: '?{games}'?: expected a whole number"):
        best_response("random", tmp_path / "out", starts=["nothing"], config=tiny, games=games)
    assert not (tmp_path / "out").exists()


# Short responses in leagues


def test_short_responses_are_in_the_curve_and_change_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[Any] = []
    monkeypatch.setattr(RoboRallyVecEnv, "close", lambda env: closed.append(env))
    own = train(LEAGUE, tmp_path / "without").env
    assert closed == [own]
    with_them = LEAGUE.replace("games: 4", f"games: 4, exploit_every: {4 * ROWS}, exploit_rows: {ROWS}")
    own = train(with_them, tmp_path / "with").env
    assert len(closed) == 3  # the response's environment before the trainer's own
    assert closed[2] is own is not closed[1]
    lines = lines_of(tmp_path / "with" / "progress.csv")
    figures = [name for name in lines[0] if name.startswith("exploit/")]
    assert figures == ["exploit/finish", "exploit/flags", "exploit/place", "exploit/win"]
    measured = [int(line["time/total_timesteps"]) for line in lines if line["exploit/win"]]
    assert measured == [4 * ROWS]  # in self-play both seats learn, so an update has twice as many rows
    assert all(0 <= float(line["exploit/win"]) <= 1 for line in lines if line["exploit/win"])
    others = [{name: value for name, value in line.items() if name not in figures} for line in lines]
    assert others == curve(tmp_path / "without")
    for name, weight in last_model(tmp_path / "without")["policy"].items():
        assert torch.equal(weight, last_model(tmp_path / "with")["policy"][name]), name
    shutil.rmtree(tmp_path / "with")


def test_a_short_response_takes_any_seat() -> None:
    """The learner's seat in the training may be one that a duel does not have."""
    environment = "environment: {num_robots: [2, 4], seat: 3, observation: choices}"
    trained = config.TrainConfig.read(f"{environment}\nevaluation: {{exploit_every: 1000}}")
    assert agents_module("short_response").response_config(trained, 1).environment.seat == "rotate"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("evaluation: {keep_best: true}", "evaluation.keep_best: true: expected evaluations, evaluation.every"),
        (
            "environment: {num_robots: 4}\nevaluation: {exploit_every: 9}",
            "evaluation.exploit_every: 9: expected duels (environment.num_robots 2), found 4 robots",
        ),
        (
            "environment: {num_robots: [2, 3]}\nevaluation: {exploit_every: 9}",
            "evaluation.exploit_every: 9: expected environment.num_robots 2 alone with the observation entities+planes",
        ),
        (
            "environment: {num_robots: 2}\nnetwork: stock\nevaluation: {exploit_every: 9}",
            "evaluation.exploit_every: 9: expected a network that is not stock",
        ),
        ("evaluation: {exploit_every: 0}", "evaluation.exploit_every: 0: expected a whole number of at least 1"),
    ],
)
def test_wrong_keys_of_evaluations_are_named(content: str, expected: str) -> None:
    with pytest.raises(RoboRallyError) as caught:
        config.TrainConfig.read(content, "a.yaml")
    assert expected in str(caught.value)
