"""Improve a policy by its trials of turns: lower each logit by how far the choice's chance is behind the best.

    python tools/improve_by_trials.py champion --weight 10 --out runs/grandmaster_start

The result is proportional to the old probability times exp(-weight * chance_behind), with `chance_behind` in units of
400 / 4096, about a tenth of a won game, and at most four of them. That is one step of policy improvement with a penalty
for the divergence from the old policy, where chances are the values of actions. The new policy observes `trials+value`.

The network computes the additional term itself, in one unit of each hidden layer that is never active in games of the
policy against itself, so it keeps its size and all of its other weights. Its value head does not read these units.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from msgspec.structs import replace

from rr_gym.choices.columns import LOOKAHEADS, VALUED_TRIALS
from rr_gym.envs.core import Core
from rr_gym.policies import Policy, load_policy, save_policy
from rr_gym.policies.choice_inputs import inputs
from rr_gym.policies.transfer import transfer
from rr_gym.registry import policy_folder

Array = np.ndarray[Any, Any]

COURSES = ("risky_exchange", "island_hop", "chop_shop_challenge", "pilgrimage")
TURNS = 8
SEED = 3


def largest_activations(policy: Policy, num_robots: int, num_games: int, courses: tuple[str, ...]) -> list[Array]:
    """Return the largest activation of every unit, by hidden layer, in games of the policy against itself."""
    network: Any = policy.network
    core = Core(
        course=list(courses), num_games=num_games, num_robots=num_robots, observation="choices", action="cards",
        lookahead=policy.spec.lookahead, preview=policy.spec.preview, decisions=list(policy.spec.decisions),
    )  # fmt: skip
    core.reset(SEED)
    largest = [np.zeros(units, np.float32) for units in policy.spec.network.hidden]

    def watch(layer: int) -> Any:
        def hook(module: Any, arguments: tuple[torch.Tensor, ...], output: torch.Tensor) -> None:
            rows = arguments[0].detach().numpy().reshape(-1, len(largest[layer]))
            largest[layer] = np.maximum(largest[layer], rows.max(axis=0))

        return hook

    readers = network.features.last[0], network.action_net.score  # they read the first and the second hidden layer
    hooks = [reader.register_forward_hook(watch(layer)) for layer, reader in enumerate(readers)]
    for _ in range(TURNS * core.stages):
        logits, _ = policy.evaluate(core.observe())
        core.step(np.where(core.masks() > 0, logits, -np.inf).argmax(axis=-1))
    for hook in hooks:
        hook.remove()
    return largest


def idle_units(policy: Policy, num_games: int = 64, courses: tuple[str, ...] = COURSES) -> tuple[int, int]:
    """Return a unit of each hidden layer that is never active, in duels and races of four.

    Raises:
        SystemExit: A layer has no such unit.
    """
    duels, fours = (largest_activations(policy, robots, num_games, courses) for robots in (2, 4))
    idle = [np.flatnonzero(np.maximum(*both) == 0) for both in zip(duels, fours, strict=True)]
    for layer, units in enumerate(idle):
        if not len(units):
            raise SystemExit(f"hidden layer {layer + 1}: expected a unit that is never active")
    return int(idle[0][0]), int(idle[1][0])


def improved(policy: Policy, weight: float, units: tuple[int, int]) -> Policy:
    """Return a copy of a policy whose logits are lower by `weight` times the scaled `chance_behind` of their choice.

    Args:
        policy: A policy that observes trials.
        weight: The weight.
        units: A unit of each hidden layer, which loses its former weights.
    """
    first, second = units
    changed = {name: array.copy() for name, array in policy.weights().items()}
    column = inputs(policy.spec)["choices"].index(("chance_behind", None))
    for name in ("features.choice.weight", "features.choice.bias", "features.context.weight"):
        changed[name][first] = 0
    changed["features.choice.weight"][first, column] = 1
    changed["features.last.0.weight"][:, first] = 0
    changed["features.last.0.weight"][second] = 0
    changed["features.last.0.bias"][second] = 0
    changed["features.last.0.weight"][second, first] = 1
    changed["action_net.score.weight"][0, second] = -weight
    size = policy.spec.network.hidden[1]
    # The value head reads the position, then the mean and the maximum of the second layer over all choices.
    value = changed["features.value.0.weight"]
    value[:, [value.shape[1] - 2 * size + second, value.shape[1] - size + second]] = 0
    facts = {**policy.spec.training, "improved_by_trials": {"weight": weight}}
    return Policy(replace(policy.spec, training=facts), weights=changed)


def main() -> None:
    """Read a policy, improve it, and write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy", help="a policy of the package, or the folder of one, with lookahead: trials")
    parser.add_argument("--weight", type=float, default=10.0)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    policy = load_policy(policy_folder(args.policy))
    if policy.spec.lookahead not in ("trials", "trials+value"):
        raise SystemExit(f"{args.policy}: lookahead: {policy.spec.lookahead}: expected trials or trials+value")
    policy = transfer(policy, replace(policy.spec, lookahead=LOOKAHEADS[VALUED_TRIALS]))
    units = idle_units(policy)
    save_policy(improved(policy, args.weight, units), args.out)
    print(f"{args.out}: units {units[0]} and {units[1]} of the hidden layers")


if __name__ == "__main__":
    main()
