"""Rollouts: rows without a choice, decisions by rule, and the warning about a policy that does not race."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from gymnasium import spaces  # noqa: E402
from trainings import trainer_of  # noqa: E402

from rr_gym.errors import RoboRallyError  # noqa: E402
from rr_gym.progress import StatusLine  # noqa: E402
from rr_gym.sb3 import make_vec_env  # noqa: E402
from rr_gym.solo.distances import path_distances  # noqa: E402
from rr_gym.training import agents_module  # noqa: E402

buffers, callbacks, config, decision_rules = (
    agents_module(name) for name in ("rollouts", "callbacks", "config", "decision_rules")
)

TINY = """
environment: {num_games: 8, num_robots: 2, opponents: [random], observation: flat, max_cycles: 9}
algorithm: {name: maskable_ppo, turns_per_update: 6, batch_size: 40, epochs: 1}
network: {hidden: [8], features: 8, embed: 2}
training: {total_steps: 300, seed: 1}
"""


def idle_trainer_of(content: str, folder: Path) -> Any:
    trainer = trainer_of(content, folder)
    trainer._curve.close()
    return trainer


@pytest.mark.parametrize("algorithm", ["maskable_ppo", "ppo"])
def test_rows_without_a_choice_cost_no_forward_pass(
    algorithm: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = idle_trainer_of(TINY.replace("maskable_ppo", algorithm), tmp_path / "run")
    model, core = trainer.model, trainer.env.core
    asked: list[int] = []
    chosen: list[np.ndarray[Any, Any]] = []
    legal: list[np.ndarray[Any, Any]] = []
    forward, step = model.policy.forward, trainer.env.step

    def counted(seen: Any, *args: Any, **kwargs: Any) -> Any:
        asked.append(len(seen))
        return forward(seen, *args, **kwargs)

    def recorded(actions: Any) -> Any:
        chosen.append(actions.copy())
        legal.append(core.masks().copy())
        return step(actions)

    monkeypatch.setattr(model.policy, "forward", counted)
    monkeypatch.setattr(trainer.env, "step", recorded)
    trainer._watch.begin(StatusLine())
    assert model.collect_rollouts(trainer.env, trainer._watch, model.rollout_buffer, model.n_steps)
    counts = np.array(legal).sum(-1)
    several = counts > 1
    assert 0 < several.sum() < several.size
    assert sum(asked) == several.sum()
    assert np.array_equal(model.rollout_buffer.choosing, several)
    actions = np.array(chosen)
    assert (np.take_along_axis(np.array(legal), actions[..., None], -1)[..., 0][~several] == 1).all()
    if algorithm == "maskable_ppo":
        assert (np.take_along_axis(np.array(legal), actions[..., None], -1) == 1).all()
    assert not model.rollout_buffer.values[~several].any()
    kept = (several & model.rollout_buffer.active[:-1]).sum()
    assert sum(len(batch.actions) for batch in model.rollout_buffer.get(40)) == kept


def test_rewards_in_rows_without_a_choice_count_for_the_decision_before() -> None:
    steps, rows, stages = 12, 6, 3
    generator = np.random.default_rng(2)
    space, actions = spaces.Box(-9, 9, (3,), np.int16), spaces.Discrete(4)
    buffer = buffers.buffer_class(space, True)(
        steps, space, actions, "cpu", gamma=0.9, gae_lambda=0.8, n_envs=rows, stages=stages
    )
    buffer.reset()
    buffer.active[6:9, 0] = False
    buffer.choosing[:] = generator.random((steps, rows)) < 0.6
    starts = np.zeros((steps + 1, rows), bool)
    starts[::stages] = generator.random(starts[::stages].shape) < 0.2
    for step in range(steps):
        value = torch.from_numpy(generator.normal(size=(rows, 1))) * torch.from_numpy(buffer.choosing[step][:, None])
        buffer.add(
            np.zeros((rows, 3)), np.zeros((rows, 1)), generator.normal(size=rows), starts[step], value,
            torch.zeros(rows), action_masks=np.ones((rows, 4)),
        )  # fmt: skip
    last = generator.normal(size=rows).astype(np.float32)
    buffer.compute_returns_and_advantage(torch.from_numpy(last), starts[-1])
    for row in range(rows):
        kept = [step for step in range(steps) if buffer.choosing[step, row]]
        for step in kept:
            # Compute the advantage over rows with a choice alone, from the rewards in between and the next value.
            advantage, weight, at, more = 0.0, 1.0, step, True
            while more:
                earned, discount, ahead, k = 0.0, 1.0, 1.0, at
                while True:
                    earned += discount * buffer.rewards[k, row]
                    turn_ends = k % stages == stages - 1
                    continues = buffer.active[k + 1, row] and not starts[k + 1, row]
                    discount *= (0.9 if turn_ends else 1.0) * continues
                    ahead *= 0.8 if turn_ends else 1.0
                    k += 1
                    if k == steps or not continues or buffer.choosing[k, row]:
                        break
                value = last[row] if k == steps else buffer.values[k, row]
                advantage += weight * (earned + discount * value - buffer.values[at, row])
                weight *= discount * ahead
                at, more = k, bool(k < steps and discount)
            assert buffer.advantages[step, row] == pytest.approx(advantage, rel=1e-4, abs=1e-5)
    assert not buffer.advantages[~buffer.choosing].any()


def test_rules_decide_power_downs_and_facings() -> None:
    env = make_vec_env(num_games=12, num_robots=2, action="cards", observation="flat", seed=4, max_cycles=30)
    env.reset()
    core = env.core
    rules = decision_rules.DecisionRules(core)
    assert core.steps
    names = [core.layout.components[place] for place in core.steps.order]
    seen = {"facing": 0, "power_down": 0, "cards": 0}
    generator = np.random.default_rng(0)
    for _ in range(30 * core.stages):
        name = names[core.stage]
        if name == "facing":
            core.games["robots"]["damage"] = generator.integers(0, 10, core.games["robots"]["damage"].shape)
        before, masks = core.masks(), core.masks()
        rules.narrow(core, masks)
        assert (masks <= before).all()
        robots = core.steps.games["robots"][np.arange(24), core.steps.seats[:, 0]]
        if name == "facing":
            assert (masks.sum(-1) == 1).all()
            for row in np.flatnonzero((before.sum(-1) > 1) & (robots["square"] >= 0) & (robots["may_face"] > 0)):
                robot = robots[row]
                to_flag = path_distances(core.arena.tables[0])[robot["flag"], robot["square"]]
                facing = (robot["facing"] + int(masks[row].argmax())) & 3
                assert to_flag[facing] == to_flag.min()
                seen[name] += 1
        elif name == "power_down":
            free = before.sum(-1) > 1
            assert np.array_equal(masks[free].argmax(-1), robots["damage"][free] >= 5)
            seen[name] += int(free.sum())
        else:
            assert np.array_equal(masks, before)
            seen["cards"] += 1
        env.step((masks * generator.random(masks.shape)).argmax(-1))
    assert all(seen.values())


def test_rules_end_where_the_configuration_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = TINY.replace("epochs: 1", "epochs: 1, rules_until: 0.5").replace("total_steps: 300", "total_steps: 1400")
    trainer = trainer_of(content, tmp_path / "run")
    given: list[tuple[float, bool]] = []
    collect = type(trainer.model).collect_rollouts

    def recorded(model: Any, *args: Any) -> bool:
        given.append((trainer.share, model.rules is not None))
        return bool(collect(model, *args))

    monkeypatch.setattr(type(trainer.model), "collect_rollouts", recorded)
    assert trainer.run()
    assert [by_rule for _, by_rule in given] == [share < 0.5 for share, _ in given]
    assert {by_rule for _, by_rule in given} == {True, False}


def test_rules_are_for_single_decisions() -> None:
    with pytest.raises(RoboRallyError, match=r"algorithm.rules_until: 0.5: expected 0 with the action draw"):
        config.TrainConfig.read("environment: {action: draw}\nalgorithm: {rules_until: 0.5}")


def warnings_after(*phases: tuple[float, float, float]) -> list[str | None]:
    """Return the warning after each phase of `EPISODES` episodes; a phase is given as means of (won, return, flags)."""
    watch = callbacks.Watch(None, lambda: 0.0, lambda against: None)
    generator = np.random.default_rng(1)
    said = []
    for won, reward, flags in phases:
        for _ in range(callbacks.EPISODES):
            noise = generator.normal()
            watch.episodes.append({"won": won, "reward": reward + noise, "flags": flags})
        said.append(watch.warning())
    return said


def test_a_policy_that_wins_without_flags_is_warned_of_once() -> None:
    first, second, third = warnings_after((0.3, 0, 0.02), (0.8, 0, 0.03), (0.9, 0, 0.03))
    assert first is None
    assert second
    assert "won rose from 30% to 80%, but only 0.03 flags are touched in an episode" in second
    assert third is None
    _, second = warnings_after((0.3, 0, 0.0), (0.3, 5, 0.0))
    assert second
    assert "the return rose from " in second


def test_no_warning_where_flags_are_touched_or_nothing_rises() -> None:
    assert warnings_after((0.3, 0, 0.02), (0.8, 5, 1.5)) == [None, None]
    assert warnings_after((0.5, 0, 0.0), (0.55, 0.3, 0.0)) == [None, None]
