"""The pull towards the policy that a training run started from: a loss of its own beside those of the algorithm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
torch = pytest.importorskip("torch")

from trainings import curve, train, trainer_of  # noqa: E402

TINY = """
environment: {num_games: 8, num_robots: 2, opponents: [random], observation: flat, max_cycles: 9}
algorithm: {turns_per_update: 6, batch_size: 4096, epochs: 1, learning_rate: 1e-2}
network: {hidden: [16], features: 8, embed: 2}
training: {total_steps: 2000, seed: 1}
"""


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a policy to start from."""
    folder = tmp_path_factory.mktemp("start") / "run"
    train(TINY, folder, total_steps=1)
    return folder / "policy"


def pulled(start: Path, folder: Path, algorithm: str, **changes: Any) -> Any:
    """Create a trainer that starts from a policy; `algorithm` adds settings to its section."""
    content = TINY.replace("epochs: 1", f"epochs: 1, {algorithm}")
    return trainer_of(content, folder, start=str(start), **changes)


def move(policy: Any) -> None:
    """Move a policy away from where it started."""
    with torch.no_grad():
        for parameter in policy.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(3))


@pytest.mark.parametrize("entropy_coef", [0, 0.5])
@pytest.mark.parametrize("name", ["maskable_ppo", "ppo"])
def test_the_gradients_of_the_pull_are_added_to_those_of_the_algorithm(
    name: str, entropy_coef: float, start: Path, tmp_path: Path
) -> None:
    trainer = pulled(start, tmp_path / "run", f"name: {name}, pull: 3, entropy_coef: {entropy_coef}")
    trainer._curve.close()
    policy, env = trainer.model.policy, trainer.env
    move(policy)
    seen = torch.as_tensor(env.reset())
    masks = np.random.default_rng(2).random(env.action_masks().shape) < 0.7
    given = (seen, torch.as_tensor(masks.argmax(axis=1)), *([masks] if name == "maskable_ppo" else []))

    def gradients(loss: Any) -> list[Any]:
        return list(torch.autograd.grad(loss, list(policy.action_net.parameters())))

    _, log_prob, entropy = policy.evaluate_actions(*given)
    with_pull = gradients(log_prob.mean() + entropy_coef * entropy.mean())
    logits = policy.action_net(policy.mlp_extractor(policy.extract_features(seen))[0])
    pull = policy.added_loss.divergence(seen, logits, masks if name == "maskable_ppo" else None).mean()
    of_pull = gradients(3 * pull)
    policy.added_loss = None
    _, log_prob, entropy = policy.evaluate_actions(*given)
    without = gradients(log_prob.mean() + entropy_coef * entropy.mean())
    assert any(float(gradient.abs().max()) > 1e-3 for gradient in of_pull)
    for both, one, other in zip(with_pull, without, of_pull, strict=True):
        assert torch.allclose(both, one + other, atol=1e-6)


def test_without_an_entropy_bonus_a_pull_still_keeps_a_policy_near_its_start(start: Path, tmp_path: Path) -> None:
    moved = []
    for weight in (0, 50):
        trainer = pulled(start, tmp_path / str(weight), f"pull: {weight}, entropy_coef: 0")
        begun = trainer.model.policy.parameters_to_vector()
        assert trainer.run()
        moved.append(float(np.abs(trainer.model.policy.parameters_to_vector() - begun).sum()))
        assert ("train/pull_loss" in curve(tmp_path / str(weight))[0]) == bool(weight)
    assert 0 < moved[1] < moved[0]


def test_the_curve_has_the_pull_beside_the_entropy_and_not_in_it(start: Path, tmp_path: Path) -> None:
    lines = {}
    for weight in (0, 50):
        trainer = pulled(start, tmp_path / str(weight), f"pull: {weight}", total_steps=1)
        assert trainer.run()
        (lines[weight],) = curve(tmp_path / str(weight))
    # In the first mini-batch of a run the policy is still where it started.
    assert lines[50]["train/entropy_loss"] == lines[0]["train/entropy_loss"]
    assert float(lines[50]["train/pull_loss"]) == pytest.approx(0, abs=1e-6)


def test_the_pull_in_the_curve_is_the_mean_divergence(start: Path, tmp_path: Path) -> None:
    trainer = pulled(start, tmp_path / "run", "pull: 0.5", total_steps=1)
    move(trainer.model.policy)
    pull, found = trainer.model.policy.added_loss, []
    divergence = pull.divergence

    def recorded(*given: Any) -> Any:
        found.append(divergence(*given))
        return found[-1]

    pull.divergence = recorded
    assert trainer.run()
    assert len(found) == 1
    (line,) = curve(tmp_path / "run")
    assert float(line["train/pull_loss"]) == pytest.approx(found[0].mean().item())
    assert found[0].mean().item() > 0
