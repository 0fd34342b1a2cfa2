"""Imitation, and training runs that start from a policy."""

from __future__ import annotations

import json
import shutil
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from trainings import trainer_of  # noqa: E402

from rr_gym.cli.main import main  # noqa: E402
from rr_gym.errors import RoboRallyError  # noqa: E402
from rr_gym.players import Player  # noqa: E402
from rr_gym.policies import PolicyPlayer, load_policy  # noqa: E402
from rr_gym.policies.transfer import transfer  # noqa: E402
from rr_gym.registry import SHIPPED, register_player  # noqa: E402
from rr_gym.rules.arena.arena import Arena  # noqa: E402
from rr_gym.rules.state.records import no_orders  # noqa: E402
from rr_gym.training import agents_module  # noqa: E402

config, folders, imitation, lessons, models, trainers, starts, programs = (
    agents_module(name) for name in ("config", "folder", "imitate", "lessons", "model", "trainer", "start", "train")
)
learners = agents_module("imitation_learner")
TrainConfig, RunFolder = config.TrainConfig, folders.RunFolder

DUEL = """
environment: {num_games: 8, num_robots: 2, opponents: [random], observation: choices, max_cycles: 20}
algorithm: {turns_per_update: 4, batch_size: 64, epochs: 2}
network: {hidden: [24, 24], features: 16, embed: 6}
training: {total_steps: 1200, checkpoint_every: 1 updates, seed: 3}
"""


def written(folder: Path, content: str = DUEL) -> Path:
    path = folder / "duel.yaml"
    path.write_text(content, encoding="utf-8")
    return path


def taught_by(teacher: str, temperature: float | None = None) -> Any:
    arguments = agents_module("environment").environment_arguments(TrainConfig.read(DUEL).with_arguments(players=[]))
    games = lessons.LessonWorker(arguments, teacher, temperature, 3).games
    games.core.reset(3)
    return games


@pytest.fixture(scope="module")
def taught(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taught")
    imitation.imitate("greedy", str(written(folder)), folder / "greedy", steps=6000)
    return folder / "greedy"


def test_a_learner_comes_to_decide_as_its_teacher_does() -> None:
    learner = learners.ImitationLearner(TrainConfig.read(DUEL).with_arguments(players=[], steps=8000), "greedy")
    agreements = []
    while not learner.done:
        learner.learn()
        agreements.append(learner.agreement)
    assert agreements[0] < 0.4
    assert agreements[-1] > agreements[0] + 0.2


def test_labels_are_the_teachers_orders() -> None:
    """Choosing the labels, decision by decision, leads to the teacher's orders."""
    from rr_gym.encoding.act.actions import decode_actions

    lesson = taught_by("racer")
    core = lesson.core
    assert core.steps
    faced = 0
    for _ in range(6):
        advice, games = lesson.advice(), core.games.copy()
        orders = advice.orders[:, 0]
        core.steps.begin(core.games, core.seats)
        for stage in range(core.stages):
            labels = lesson.choices(stage, advice.orders)[:, 0]
            masks = core.steps.masks()
            chosen = np.where(labels == lessons.NO_LABEL, 0, labels)
            assert np.take_along_axis(masks, chosen[:, None], axis=1).all()
            core.steps.choose(chosen)
        found = no_orders(len(games), 8, full=True)
        repaired = np.empty(core.seats.shape, np.int32)
        decode_actions(games, core.arena.tables, core.layout.code, core.seats, core.steps.actions, found, repaired)
        assert not repaired.any()
        own = found[np.arange(len(games))[:, None], core.seats].ravel()
        robots = games["robots"][np.arange(len(games))[:, None], core.seats].ravel()
        playing = (robots["alive"] > 0) & (robots["down"] == 0) & (games["over"].repeat(2) == 0)
        assert np.array_equal(own["program"][playing], orders["program"][playing])
        assert np.array_equal(own["power_down"][playing], orders["power_down"][playing])
        free = playing & (robots["may_face"] > 0)
        named = np.where(own["facing"] < 0, robots["facing"], own["facing"])
        assert np.array_equal(named[free], orders["facing"][free])
        faced += int(free.sum())
        core.arena.play(core.games, no_orders(len(games), 8, full=True))  # random cards: robots are destroyed
    assert faced


def test_the_command_writes_a_player(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = written(tmp_path), tmp_path / "racer"
    assert main(["imitate", "racer", str(path), "--steps", "500", "--out", str(out), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["rows"] >= 500
    policy = load_policy(out)
    assert policy.spec.training["teacher"] == "racer"
    assert policy.spec.network.hidden == (24, 24)


@pytest.mark.long
def test_an_imitation_starts_from_a_policy(taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """This allows expert iteration, in which a policy learns from a search that it guides."""
    settings = TrainConfig.read(DUEL).with_arguments(players=[], **{"from": str(taught)})
    begun = learners.ImitationLearner(settings, "greedy")
    assert begun.agreement == 0
    begun.begin()
    begun.learn()
    assert begun.agreement > 0.5  # before it has learned anything; without a start it is below 0.4
    path, out = written(tmp_path), tmp_path / "next"
    line = ["--from", str(taught), "--temperature", "0.03", "--steps", "1", "--out", str(out)]
    assert main(["imitate", f"strategist:100@{taught}+rookie", str(path), *line]) == 0
    assert load_policy(out).spec.training["teacher"] == f"strategist:100@{taught}+rookie"
    capsys.readouterr()
    assert main(["imitate", "greedy", str(path), "--from", "rookie", "--out", str(tmp_path / "other")]) == 2
    assert "training.start: rookie: network: " in capsys.readouterr().err


def test_values_of_all_candidates_are_soft_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = taught_by("planner:200", temperature=0.05)
    advice = lesson.advice()
    assert (advice.weights[:, 0] == 1).all()
    assert (advice.weights <= 1).all()
    assert (advice.weights > 0).sum() > len(advice.weights)
    asked, choices = [], lesson.choices

    def recorded(stage: int, orders: Any) -> Any:
        found = choices(stage, orders)
        asked.append((lesson.core.masks(), found[:, 0]))
        return found

    monkeypatch.setattr(lesson, "choices", recorded)
    lesson.rng = np.random.default_rng(1)
    lesson.play(lesson.advice())
    spread, stages = 0, iter(asked)
    for _, rows, _, masks, targets in lesson.decisions:
        best = next(own[rows] for legal, own in stages if np.array_equal(legal[rows], masks))
        # This holds however many candidates begin with another choice.
        assert (np.take_along_axis(targets, best[:, None], axis=1)[:, 0] == targets.max(axis=1)).all()
        assert len(rows) == len(masks) == len(targets)
        assert targets.sum(axis=1) == pytest.approx(1)
        assert not targets[masks == 0].any()
        spread += int(((targets > 0).sum(axis=1) > 1).sum())
    assert spread


def test_candidates_that_seem_better_than_the_chosen_one_weigh_as_much(monkeypatch: pytest.MonkeyPatch) -> None:
    lesson = taught_by("planner:200", temperature=1e-4)
    found = no_orders(3, full=True), np.array([0.5, 0.9, 0.4])
    monkeypatch.setattr(lesson.teacher, "values", lambda view: found)
    with np.errstate(over="raise"):
        weights = lesson.advice().weights
    assert (weights == [1, 1]).all()


def test_only_teachers_with_values_have_a_temperature() -> None:
    settings = TrainConfig.read(DUEL).with_arguments(players=[])
    with pytest.raises(RoboRallyError, match=r"--temperature: 0\.1: teacher 'racer' does not value its candidates"):
        learners.ImitationLearner(settings, "racer", temperature=0.1)
    with pytest.raises(RoboRallyError, match=r"--temperature: 0\.0: expected a finite number above 0"):
        learners.ImitationLearner(settings, "planner", temperature=0.0)


def test_an_interrupted_imitation_resumes_to_the_same_policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(written(tmp_path))
    imitation.imitate("greedy", path, tmp_path / "whole", steps=4000)
    learn, updates = learners.ImitationLearner.learn, []

    def interrupted(learner: Any) -> None:
        if len(updates) == 1:
            raise KeyboardInterrupt
        updates.append(1)
        learn(learner)

    monkeypatch.setattr(learners.ImitationLearner, "learn", interrupted)
    with pytest.raises(KeyboardInterrupt):
        imitation.imitate("greedy", path, tmp_path / "parts", steps=4000)
    monkeypatch.setattr(learners.ImitationLearner, "learn", learn)
    with pytest.raises(RoboRallyError, match="teacher was 'greedy' and is now 'racer'"):
        imitation.imitate("racer", path, tmp_path / "parts", steps=4000, resume=True)
    facts = imitation.imitate("greedy", path, tmp_path / "parts", steps=4000, resume=True)
    assert facts["rows"] >= 4000
    one, other = (load_policy(tmp_path / name) for name in ("whole", "parts"))
    for name, weight in one.weights().items():
        assert np.array_equal(weight, other.weights()[name])
    with pytest.raises(RoboRallyError, match="there is no imitation to resume"):
        imitation.imitate("greedy", path, tmp_path / "parts", steps=4000, resume=True)


@pytest.mark.parametrize("updates", [1, 2])  # the first one comes before anything is written
def test_ctrl_c_says_how_to_resume_an_imitation(
    updates: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    learn, left = learners.ImitationLearner.learn, [True] * (updates - 1)

    def interrupted(learner: Any) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop()
        learn(learner)

    command = ["imitate", "greedy", str(written(tmp_path)), "--steps", "1200", "--out", str(tmp_path / "out")]
    monkeypatch.setattr(learners.ImitationLearner, "learn", interrupted)
    assert main(command) == 130
    *_, last = capsys.readouterr().err.splitlines()
    if updates == 1:
        assert last.startswith("rr-gym: interrupted; once more from the beginning: rr-gym imitate greedy")
        assert not (tmp_path / "out").exists()
        return
    assert last.startswith("rr-gym: interrupted; resume with: rr-gym imitate greedy")
    assert last.endswith(" --resume")
    assert main([*command, "--resume"]) == 130  # interrupted again before the next update
    assert "; resume with: " in capsys.readouterr().err
    monkeypatch.setattr(learners.ImitationLearner, "learn", learn)
    assert main([*command, "--resume"]) == 0
    assert main([*command, "--resume"]) == 2
    assert "there is no imitation to resume (it is finished)" in capsys.readouterr().err


def test_an_update_reports_how_many_of_its_games_are_over() -> None:
    settings = TrainConfig.read(DUEL.replace("num_games: 8", "num_games: 32")).with_arguments(players=[])
    learner = learners.ImitationLearner(settings, "greedy")
    reported: list[int] = []
    learner.watch = reported.append
    learner.learn()
    learner.close()
    assert reported[0] == 0
    assert reported == sorted(reported)  # games of both blocks of 16
    assert reported[-1] == 32


def test_lessons_are_whole_games() -> None:
    """Every game is played to its end, so that returns include all later rewards."""
    worker = lessons.LessonWorker(
        {"num_robots": 2, "num_games": 4, "course": ["risky_exchange", "checkmate", "dizzy_dash"], "max_cycles": 30,
         "action": "cards", "observation": "choices", "reward": {"flag": 1}, "gamma": 1.0, "decisions": ()},
        "racer", None, 5,
    )  # fmt: skip
    found = worker(0, lambda _: False)
    assert worker.core.ended.all()
    flags = worker.core.games["robots"]["flag"][:, :2].max()
    assert found.returns.max() == flags > 0
    assert found.returns.min() >= 0
    first = worker.core.games["course"].copy()
    again, other = worker(0, lambda _: False), worker(1, lambda _: False)
    assert first.tolist() == [0, 1, 2, 0]
    assert worker.core.games["course"].tolist() == [1, 2, 0, 1]
    assert (worker.core.games["episode"] == 1).all()
    for one, same in zip(found, again, strict=True):
        assert one.keys() == same.keys() if isinstance(one, dict) else np.array_equal(one, same)
    assert len(other.targets) != len(found.targets)
    assert worker(0, lambda over: over > 0) is None


def test_discounted_rewards_stop_where_games_end() -> None:
    rewards = [np.array([1, 2], np.float32), np.array([4, 8], np.float32), np.array([16, 99], np.float32)]
    continues = [np.array([True, True]), np.array([True, False]), np.array([False, True])]
    assert lessons.discounted(rewards, continues, 0.5).tolist() == [[1 + 2 + 4, 2 + 4], [4 + 8, 8], [16, 99]]


@pytest.mark.long
def test_workers_learn_the_same_policy_to_the_byte(tmp_path: Path) -> None:
    path = written(tmp_path)
    for workers in ("1", "2"):
        command = ["imitate", "greedy", str(path), "--steps", "6000", "--workers", workers]
        assert main([*command, "--out", str(tmp_path / workers)]) == 0
    for name in ("policy.json", "policy.safetensors"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_an_interruption_waits_for_the_end_of_an_update(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = learners.ImitationLearner(TrainConfig.read(DUEL).with_arguments(players=[]), "greedy")
    learn = learners.ImitationLearner._update

    def interrupted(learner: Any, found: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        learn(learner, found)

    monkeypatch.setattr(learners.ImitationLearner, "_update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        learner.learn()
    assert learner.is_consistent
    assert learner.rows > 0

    def twice(learner: Any, found: Any) -> None:
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(learners.ImitationLearner, "_update", twice)
    with pytest.raises(KeyboardInterrupt):
        learner.learn()
    assert not learner.is_consistent  # so no checkpoint is written
    learner.close()


def started(taught: Path, folder: Path, content: str = DUEL, **changes: Any) -> Any:
    return trainer_of(content, folder, start=str(taught), **changes)


def test_training_starts_from_a_policy(taught: Path, tmp_path: Path) -> None:
    trainer = started(taught, tmp_path / "run")
    policy = load_policy(taught)
    trainer._curve.close()
    seen = trainer.env.reset()
    begun = models.current_policy(trainer.model)
    for found, expected in zip(begun.evaluate(seen), policy.evaluate(seen), strict=True):
        legal = (seen["choices"][..., 0] > 0) if found.ndim == 2 else ...
        np.testing.assert_allclose(found[legal], expected[legal], atol=1e-5)


@pytest.mark.long
def test_training_from_a_policy_resumes_without_the_policy(taught: Path, tmp_path: Path) -> None:
    """Resumed from its first checkpoint, it ends with the same weights."""
    start = Path(shutil.copytree(taught, tmp_path / "start"))
    whole = started(start, tmp_path / "whole", DUEL.replace("epochs: 2", "epochs: 2, pull: 0.5"), keep=99)
    assert whole.run()
    shutil.rmtree(start)
    half = RunFolder(shutil.copytree(tmp_path / "whole", tmp_path / "half"))
    first, *later = half.checkpoints()
    assert later
    for folder in later:
        shutil.rmtree(folder)
    again = trainers.Trainer(whole.config, half)
    assert again.update == int(first.name) < whole.update
    assert again.run()
    for one, other in zip(whole.model.policy.parameters(), again.model.policy.parameters(), strict=True):
        assert torch.equal(one, other)


@pytest.mark.long
def test_a_pull_keeps_a_policy_near_its_start(taught: Path, tmp_path: Path) -> None:
    """With the pull, the divergence from the start is much smaller than without it."""
    far = {}
    for weight in (0.0, 20.0):
        settings = f"epochs: 2, pull: {weight}"
        trainer = started(taught, tmp_path / str(weight), DUEL.replace("epochs: 2", settings), total_steps=600)
        pull = starts.Pull(load_policy(taught), 1.0, None)
        assert trainer.run()
        now, before = models.current_policy(trainer.model), load_policy(taught)
        seen, far[weight] = trainer.env.reset(), 0.0
        for _ in range(trainer.env.core.stages):  # some decisions of a turn have a single choice
            masks = trainer.env.action_masks()
            tensors = {name: torch.from_numpy(array) for name, array in seen.items()}
            logits = torch.from_numpy(now.evaluate(seen)[0])
            far[weight] += float(pull.divergence(tensors, logits, masks).mean())
            same = pull.divergence(tensors, torch.from_numpy(before.evaluate(seen)[0]), masks)
            assert float(same.abs().max()) < 1e-5
            seen = trainer.env.step(masks.argmax(axis=-1))[0]
    assert 0 < far[20.0] < far[0.0] / 2, far


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("observation: choices", "observation: choices, lookahead: paths"), "lookahead: 'turns': expected 'paths'"),
        (("hidden: [24, 24]", "hidden: [24, 32]"), r"network: .*expected"),
        (("observation: choices", "observation: flat"), "training.start: .*observation: 'choices': expected 'flat'"),
    ],
)
def test_policies_that_do_not_fit_are_refused(
    change: tuple[str, str], message: str, taught: Path, tmp_path: Path
) -> None:
    content = DUEL.replace(*change)
    if "flat" in change[1]:
        content = content.replace("hidden: [24, 24]", "hidden: [24]")
    with pytest.raises(RoboRallyError, match=message):
        programs.train(str(written(tmp_path, content)), tmp_path / "run", **{"from": str(taught)})
    assert not (tmp_path / "run").exists()


def test_training_starts_from_a_policy_for_other_decisions(tmp_path: Path) -> None:
    """A run with option cards and elements can start from a shipped policy; at first it decides as that policy."""
    content = """
environment:
  {course: COURSE, num_games: 8, num_robots: 2, opponents: [random], observation: choices, settings: {start_options: 2}}
training: {total_steps: 1000}
"""
    course = tmp_path / "wet.rrb"
    course.write_text("@1 W . #1\n@2 . > #2\n", encoding="ascii")
    content = content.replace("COURSE", str(course))
    trainer = started(Path("veteran"), tmp_path / "run", content)
    trainer._curve.close()
    begun = models.current_policy(trainer.model)
    veteran = load_policy(SHIPPED / "veteran")
    assert set(begun.spec.decisions) > set(veteran.spec.decisions)
    assert set(begun.spec.elements) > set(veteran.spec.elements)
    back = transfer(begun, veteran.spec)
    assert back.spec.decisions == veteran.spec.decisions
    for name, weight in veteran.weights().items():
        assert np.array_equal(back.weights()[name], weight)
    # The networks observe different columns, so they are compared as players, each with its own observation.
    arena = Arena("risky_exchange")
    games = arena.new_games(64, num_robots=2, seed=5)
    first, second = (PolicyPlayer(policy).act(arena, games, 0) for policy in (veteran, begun))
    assert np.array_equal(first, second)


class Silent(Player):
    """Leaves all registers to random cards."""

    name = "silent"

    def orders(self, view: Any) -> Any:
        return no_orders(1, full=True)[0]


def test_wrong_starts_and_teachers_are_refused(
    taught: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(written(tmp_path))
    with pytest.raises(RoboRallyError, match="nowhere: not a policy"):
        programs.train(path, tmp_path / "run", **{"from": str(tmp_path / "nowhere")})
    with pytest.raises(RoboRallyError, match=r"training\.start: x: expected a network that is not stock"):
        TrainConfig.read("training: {start: x}\nnetwork: stock\nenvironment: {observation: flat}")
    register_player("silent", Silent, "names no cards")
    with pytest.raises(RoboRallyError, match=r"teacher: 'silent': expected a player that names the cards"):
        imitation.imitate("silent", path, tmp_path / "silent", steps=500)
    for command in (["imitate", "greedy", path], ["dataset", "--players", "greedy"]):
        assert main([*command, "--workers", "0", "--out", str(tmp_path / "none")]) == 2
        assert "workers: 0: expected a whole number from 1 to 64" in capsys.readouterr().err
    draw = written(tmp_path, "environment: {action: draw, observation: flat}\n")
    with pytest.raises(RoboRallyError, match=r"expected sizes of a network, and environment.action cards"):
        imitation.imitate("greedy", str(draw), tmp_path / "draw")
    assert not (tmp_path / "silent").exists()


def test_seats_that_smaller_games_lack_are_not_asked() -> None:
    """Games of two and of four robots share a batch, and a search refuses a seat that is not there."""
    for teacher, temperature in (("planner:100", None), ("planner:100", 0.01)):
        worker = lessons.LessonWorker(
            {"num_robots": [2, 4], "num_games": 6, "course": "risky_exchange", "max_cycles": 2, "action": "cards",
             "observation": "choices", "reward": {"flag": 1}, "gamma": 1.0, "decisions": ()}, teacher, temperature, 5,
        )  # fmt: skip
        found = worker(0, lambda _: False)
        assert {*worker.core.games["num_robots"].tolist()} == {2, 4}
        assert len(found.targets)


def test_a_run_that_cannot_begin_leaves_hidden_folders_alone(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").touch()
    folder.check_new()

    def begin() -> None:
        with folder.beginning():
            folder.league.mkdir()
            folder.config.touch()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        begin()
    assert [path.name for path in tmp_path.iterdir()] == [".git"]
    assert (tmp_path / ".git" / "HEAD").exists()


def test_whoever_holds_the_folder_keeps_unfinished_checkpoints(tmp_path: Path) -> None:
    """A resumption tidies up only once the folder is its own."""
    (tmp_path / "checkpoints" / "000000001").mkdir(parents=True)
    unfinished = tmp_path / "checkpoints" / ".new-2"
    unfinished.mkdir()
    with RunFolder(tmp_path).hold(), ThreadPoolExecutor(1) as other:
        resumed = other.submit(imitation.imitate, "greedy", str(written(tmp_path)), tmp_path, resume=True)
        assert "in use by another thread" in str(resumed.exception())
    assert unfinished.exists()
