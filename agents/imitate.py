"""``rr-gym imitate TEACHER CONFIG``: a policy that learns to decide as a player does.

The teacher plays all seats, and the network learns to give the decisions of its orders the highest logits (behaviour
cloning), and the value of what the rewards then come to. In some turns a robot plays random cards instead, which nobody
learns from, so that the games get to where the teacher alone would not.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import check_folder
from rr_gym.encoding.act.components import REGISTERS
from rr_gym.errors import RoboRallyError, shown

from .checks import ConfigError
from .config import STOCK, TrainConfig, check_names, environment_arguments, find_config, network_of

Array = np.ndarray[Any, Any]

MODULES = ("torch", "safetensors")
ASIDE = 0.2  # of the turns of robots are played with random cards
TURNS = 16  # between updates
EPOCHS = 2
BATCH = 1024
NO_LABEL = -1
_SAVE_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments of the command."""
    parser.add_argument("teacher", metavar="TEACHER", help="a player (rr-gym players), or the folder of a policy")
    add(parser, "config", note="its environment, without opponents, and its network")
    add(parser, "--course", note="instead of environment.course")
    add(parser, "--set", note="beside environment.settings")
    add(parser, "--seed", note="instead of training.seed")
    add(parser, "--steps")
    add(parser, "--out", required=True, note="the folder of the policy")
    add(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """The command. Returns the exit status."""
    output = Output(args.json)
    given = {"course": args.course, "set": args.set or None, "seed": args.seed, "steps": args.steps}
    facts = imitate(args.teacher, args.config, args.out, **given)
    output.show(f"{facts['rows']:,} rows in {facts['seconds']:,.0f} s; as the teacher: {facts['agreement']:.3f}")
    output.show(f"policy: {facts['policy']}")
    output.write(facts)
    return 0


class Lessons(NamedTuple):
    """Decisions with several legal choices, and what the teacher chose.

    Attributes:
        observations: An array (rows, ...), or such arrays by name.
        masks: int8, (rows, choices).
        labels: int64, (rows,).
        returns: float32, (rows,): discounted rewards from the decision on.
    """

    observations: Any
    masks: Array
    labels: Array
    returns: Array


def imitate(teacher: str, name: str, out: Path, **given: Any) -> dict[str, Any]:
    """Teach a policy.

    Args:
        teacher: A player's name.
        name: The file of a configuration, or its bare name.
        out: The folder of the policy; it is written every minute, and at the end.
        given: What replaces values of the configuration, as `TrainConfig.with_arguments` takes it.

    Returns:
        `rows` learned from, `seconds`, `agreement` (the share of decisions of the last games, before they were learned
        from, in which the policy chose as the teacher) and the path of the `policy`.

    Raises:
        RoboRallyError: The configuration is not as it should be, or the teacher gives no programs.
        MissingExtraError: PyTorch is not installed.
    """
    from rr_gym.errors import require

    path = find_config(name)
    config = TrainConfig.load(path).with_arguments(players=[], **given)
    if config.network == STOCK or config.environment.action != "cards":
        raise ConfigError(f"{path}: expected sizes of a network, and environment.action cards")
    check_folder(out)
    check_names(config, str(path))
    for module in MODULES:
        require(module, extra="train")
    from rr_gym.policies import save_policy

    start = saved = time.monotonic()
    pupil = Pupil(config, teacher)
    print(f"{teacher} -> {out}", file=sys.stderr, flush=True)
    for rows, agreement in pupil.learn():
        if time.monotonic() - saved > _SAVE_SECONDS or rows >= config.training.total_steps:
            save_policy(pupil.policy(rows), out)
            saved = time.monotonic()
            print(f"{rows:,} rows, as the teacher: {agreement:.3f}", file=sys.stderr, flush=True)
    return {"rows": rows, "seconds": saved - start, "agreement": agreement, "policy": str(out)}


class Pupil:
    """A network that learns from a teacher's games.

    Args:
        config: Its environment and network, how many rows it learns from, its learning rate and seed.
        teacher: A player's name.
    """

    def __init__(self, config: TrainConfig, teacher: str) -> None:
        import torch

        from rr_gym.envs.core import Core
        from rr_gym.policies.networks import make_network
        from rr_gym.policies.spec import PolicySpec, policy_facts
        from rr_gym.registry import make_player

        self.config, self.teacher = config, teacher
        seed = config.training.seed
        torch.manual_seed(seed)
        torch.set_num_threads(config.training.threads)
        self.rng = np.random.default_rng(seed)
        self.player = make_player(teacher)
        self.player.reset(seed)
        self.core = Core(**environment_arguments(config))
        self.core.reset(seed)
        self.facts = {**policy_facts(self.core), "network": network_of(config)}
        self.network = make_network(PolicySpec.from_json(self.facts))
        self.network.set_boards(self.core.observer.boards)
        self.cards = 0  # decisions about cards that were learned from
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.algorithm.learning_rate)

    def policy(self, rows: int) -> Any:
        """A policy of the network as it is now."""
        from rr_gym.policies import Policy, PolicySpec

        training = {"teacher": self.teacher, "rows": rows, "config": self.config.as_mapping()}
        return Policy(PolicySpec.from_json({**self.facts, "training": training}), self.network)

    def learn(self) -> Iterator[tuple[int, float]]:
        """Learn until there were enough rows: rows so far and agreement after each update."""
        rows, total = 0, self.config.training.total_steps
        while rows < total:
            lessons = self._lessons()
            if not self.cards:
                raise RoboRallyError(f"teacher: {shown(self.teacher)}: expected a player that names the cards it plays")
            agreement = self._agreement(lessons)
            for group in self.optimizer.param_groups:
                group["lr"] = self.config.algorithm.learning_rate * max(0.03, 1 - rows / total)
            self._update(lessons)
            rows += len(lessons.labels)
            yield rows, agreement

    # Lessons

    def _lessons(self) -> Lessons:
        """What the teacher decided in some turns."""
        core, found, where = self.core, [], []
        assert core.steps is not None
        rewards = np.zeros((TURNS, core.num_rows), np.float32)
        goes_on = np.zeros((TURNS, core.num_rows), np.float32)
        for turn in range(TURNS):
            orders = self._orders()
            aside = self.rng.random(core.num_rows) < ASIDE
            for _ in range(core.stages):
                masks, labels = core.masks(), self._labels(orders)
                learned = np.flatnonzero((masks.sum(axis=1) > 1) & (labels != NO_LABEL) & ~aside & core.active())
                learned = learned[masks[learned, labels[learned]] > 0]
                if len(learned):
                    seen = core.observe()
                    found.append((_rows(seen, learned), masks[learned], labels[learned]))
                    where.append((turn, learned))
                    self.cards += len(learned) * (core.layout.components[core.steps.order[core.stage]] in REGISTERS)
                anything = (masks * self.rng.random(masks.shape)).argmax(axis=-1)
                ended = core.step(np.where(aside | (labels == NO_LABEL), anything, labels))
            rewards[turn], goes_on[turn] = ended.rewards, ~(ended.terminated | ended.truncated)
            core.restart(core.ended.copy())
        returns = self._returns(rewards, goes_on)
        if not found:
            return Lessons(None, np.zeros((0, 0), np.int8), np.zeros(0, np.int64), np.zeros(0, np.float32))
        seen = [part for part, _, _ in found]
        observations = (
            {name: np.concatenate([part[name] for part in seen]) for name in seen[0]}
            if isinstance(seen[0], dict)
            else np.concatenate(seen)
        )
        return Lessons(
            observations,
            np.concatenate([masks for _, masks, _ in found]),
            np.concatenate([labels for _, _, labels in found]),
            np.concatenate([returns[turn, rows] for turn, rows in where]),
        )

    def _returns(self, rewards: Array, goes_on: Array) -> Array:
        """Discounted rewards from each turn on; after the last one comes the network's value."""
        import torch

        with torch.no_grad():
            later = self.network(_tensors(self.core.observe()))[1].numpy()
        returns = np.empty_like(rewards)
        for turn in reversed(range(len(rewards))):
            later = rewards[turn] + self.config.algorithm.gamma * goes_on[turn] * later
            returns[turn] = later
        return returns

    def _orders(self) -> Array:
        """The teacher's orders of all rows in the games as they are: (rows,), dtype `FULL_ORDERS`."""
        core = self.core
        by_seat = [self.player.act(core.arena, core.games, seat) for seat in range(core.num_robots)]
        orders = np.stack(by_seat, axis=1)
        return orders[np.arange(core.num_games)[:, None], core.seats].ravel()

    def _labels(self, orders: Array) -> Array:
        """The choices that orders mean in the decision at hand: int64, (rows,); `NO_LABEL` where they leave it open."""
        steps = self.core.steps
        assert steps is not None
        rows = np.arange(len(orders))
        name = steps.layout.components[steps.order[self.core.stage]]
        robots = steps.games["robots"][rows, steps.seats[:, 0]]
        labels = np.zeros(len(orders), np.int64)  # the default
        if name in REGISTERS:
            cards = orders["program"][:, REGISTERS.index(name)]
            fits = (robots["hand"] == cards[:, None]) & (cards[:, None] > 0)
            labels = np.where(fits.any(axis=1), fits.argmax(axis=1), NO_LABEL)
        elif name == "facing":
            turned = (orders["facing"] - robots["facing"]) % 4
            labels = np.where((orders["facing"] >= 0) & (robots["may_face"] > 0), turned, 0)
        elif name == "power_down":
            labels = np.where(robots["down"] > 0, orders["stay_down"], orders["power_down"])
        return labels.astype(np.int64)

    # Learning

    def _agreement(self, lessons: Lessons) -> float:
        """The share of the decisions that the network would make as the teacher did."""
        import torch

        with torch.no_grad():
            logits, _ = self.network(_tensors(lessons.observations))
        picks = np.where(lessons.masks > 0, logits.numpy(), -np.inf).argmax(axis=-1)
        return float((picks == lessons.labels).mean())

    def _update(self, lessons: Lessons) -> None:
        """Learn from decisions."""
        import torch

        coefficient, clip = self.config.algorithm.value_coef, self.config.algorithm.max_grad_norm
        legal, labels = torch.from_numpy(lessons.masks > 0), torch.from_numpy(lessons.labels)
        returns = torch.from_numpy(lessons.returns)
        for _ in range(EPOCHS):
            for chosen in np.array_split(self.rng.permutation(len(labels)), max(1, len(labels) // BATCH)):
                logits, values = self.network(_tensors(_rows(lessons.observations, chosen)))
                logits = logits.masked_fill(~legal[chosen], -torch.inf)
                loss = torch.nn.functional.cross_entropy(logits, labels[chosen])
                loss = loss + coefficient * torch.nn.functional.mse_loss(values, returns[chosen])
                self.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), clip)
                self.optimizer.step()


def _rows(observations: Any, rows: Array) -> Any:
    if isinstance(observations, dict):
        return {name: array[rows] for name, array in observations.items()}
    return observations[rows]


def _tensors(observations: Any) -> Any:
    import torch

    if isinstance(observations, dict):
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in observations.items()}
    return torch.from_numpy(observations)
