"""``rr-gym imitate TEACHER CONFIG``: a policy that learns to decide as a player does.

The teacher plays all seats, and the network learns to give the decisions of its orders the highest logits (behaviour
cloning), and the value of what the rewards then come to. With ``--temperature`` the candidates that a searching teacher
did not choose count too, by their values. Where the teacher is a data set, its rows are learned from and nothing is
played.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import check_folder
from rr_gym.errors import RoboRallyError, shown
from rr_gym.json_text import loads

from .checks import ConfigError
from .config import STOCK, TrainConfig, find_config, first_difference
from .environment import check_names, environment_arguments, network_of
from .folder import RunError, RunFolder
from .lessons import Class, Lessons, joined, rows_of
from .recorded import read_data

Array = np.ndarray[Any, Any]

MODULES = ("torch", "safetensors")
TURNS = 16  # between updates
EPOCHS = 2
EPOCHS_OF_VALUES = 6  # which cost more than learning from them
BATCH = 1024
_SAVE_SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the arguments of the command."""
    parser.add_argument(
        "teacher", metavar="TEACHER", help="a player (rr-gym players), or the folder of a policy or data set"
    )
    add(parser, "config", note="its environment, without opponents, and its network")
    add(parser, "--course", note="instead of environment.course")
    add(parser, "--set", note="beside environment.settings")
    add(parser, "--seed", note="instead of training.seed")
    add(parser, "--steps")
    parser.add_argument(
        "--temperature", metavar="T", type=float,
        help="learn from all candidates of a teacher that values them (planner): one whose probability of winning is T "
        "less than the best's counts for 1/e of it (e.g. 0.03)",
    )  # fmt: skip
    add(parser, "--out", required=True, note="the folder of the policy")
    add(parser, "--resume")
    add(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """The command. Returns the exit status."""
    output = Output(args.json)
    given = {"course": args.course, "set": args.set or None, "seed": args.seed, "steps": args.steps}
    facts = imitate(args.teacher, args.config, args.out, args.temperature, args.resume, **given)
    output.show(f"{facts['rows']:,} rows in {facts['seconds']:,.0f} s; as the teacher: {facts['agreement']:.3f}")
    output.show(f"policy: {facts['policy']}")
    output.write(facts)
    return 0


def imitate(
    teacher: str, name: str, out: Path, temperature: float | None = None, resume: bool = False, **given: Any
) -> dict[str, Any]:
    """Teach a policy.

    Args:
        teacher: A player's name, or the folder of a data set.
        name: The file of a configuration, or its bare name.
        out: The folder of the policy; it is written every minute, and at the end.
        temperature: See `Class`.
        resume: Resume what is in the folder.
        given: What replaces values of the configuration, as `TrainConfig.with_arguments` takes it.

    Returns:
        `rows` learned from, `seconds`, `agreement` (the share of decisions of the last games, before they were learned
        from, in which the policy chose what the teacher thinks best) and the path of the `policy`.

    Raises:
        RoboRallyError: The configuration is not as it should be, the teacher gives no programs or no values, or there
            is nothing to resume.
        MissingExtraError: PyTorch is not installed.
    """
    from rr_gym.errors import require

    path = find_config(name)
    config = TrainConfig.load(path).with_arguments(players=[], **given)
    if config.network == STOCK or config.environment.action != "cards":
        raise ConfigError(f"{path}: expected sizes of a network, and environment.action cards")
    folder = RunFolder(out)
    if resume:
        folder.tidy()
        if not folder.checkpoints():
            raise RunError(f"{out}: there is no imitation to resume (no checkpoint in it)")
    else:
        check_folder(out)
    check_names(config, str(path))
    for module in MODULES:
        require(module, extra="train")

    start = time.monotonic()
    pupil = Pupil(config, teacher, temperature)
    if resume:
        pupil.load(folder.checkpoints()[-1])
    else:
        pupil.learn()  # what a teacher cannot do is said before anything is written
    with folder.hold():
        print(f"{teacher} -> {out}, from row {pupil.rows:,}", file=sys.stderr, flush=True)
        try:
            _learn(pupil, folder)
        except KeyboardInterrupt:
            pupil.save(folder)
            raise
        folder.forget_checkpoints()
    seconds = time.monotonic() - start
    return {"rows": pupil.rows, "seconds": seconds, "agreement": pupil.agreement, "policy": str(out)}


def _learn(pupil: Pupil, folder: RunFolder) -> None:
    """Learn to the end, and write down what was learned every minute."""
    from rr_gym.policies import save_policy

    saved = time.monotonic()
    while True:
        if pupil.done or time.monotonic() - saved > _SAVE_SECONDS:
            save_policy(pupil.policy(), folder.path)
            pupil.save(folder)
            saved = time.monotonic()
            print(f"{pupil.rows:,} rows, as the teacher: {pupil.agreement:.3f}", file=sys.stderr, flush=True)
        if pupil.done:
            return
        pupil.learn()


class Pupil:
    """A network that learns from a teacher's games.

    Args:
        config: Its environment and network, how many rows it learns from, its learning rate and seed.
        teacher: A player's name.
        temperature: See `Class`.

    Attributes:
        rows: Learned from so far.
        agreement: The share of decisions of the last games in which the network chose what the teacher thinks best.
    """

    def __init__(self, config: TrainConfig, teacher: str, temperature: float | None = None) -> None:
        import torch

        from rr_gym.envs.core import Core
        from rr_gym.policies.networks import make_network
        from rr_gym.policies.spec import PolicySpec, policy_facts
        from rr_gym.registry import make_player

        self.config, self.teacher, self.temperature = config, teacher, temperature
        self.rows, self.agreement = 0, 0.0
        seed = config.training.seed
        torch.manual_seed(seed)
        torch.set_num_threads(config.training.threads)
        self.rng = np.random.default_rng(seed)
        self.core = Core(**environment_arguments(config))
        self.core.reset(seed)
        self.data = read_data(teacher, self.core, seed)
        self.player = make_player("random" if self.data else teacher)
        self.player.reset(seed)
        self.facts = {**policy_facts(self.core), "network": network_of(config)}
        self.network = make_network(PolicySpec.from_json(self.facts))
        self.network.set_boards(self.core.observer.boards)
        self.games = Class(self.core, self.player, temperature)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.algorithm.learning_rate)

    def policy(self) -> Any:
        """A policy of the network as it is now."""
        from rr_gym.policies import Policy, PolicySpec

        training = {**self._facts(), "rows": self.rows}
        return Policy(PolicySpec.from_json({**self.facts, "training": training}), self.network)

    def _facts(self) -> dict[str, Any]:
        """How this came to be."""
        how = {"teacher": self.teacher, "config": self.config.as_mapping()}
        return how if self.temperature is None else {**how, "temperature": self.temperature}

    @property
    def done(self) -> bool:
        """Whether there were enough rows."""
        return self.rows >= self.config.training.total_steps

    def learn(self) -> None:
        """One update: some turns of the teacher's, and learning from them."""
        lessons = self.data.lessons(self.rows) if self.data else self._lessons()
        if not self.data and not self.games.cards:
            raise RoboRallyError(f"teacher: {shown(self.teacher)}: expected a player that names the cards it plays")
        self.agreement = self._agreement(lessons)
        left = 1 - self.rows / self.config.training.total_steps
        for group in self.optimizer.param_groups:
            group["lr"] = self.config.algorithm.learning_rate * max(0.03, left)
        self._update(lessons)
        self.rows += len(lessons.targets)

    # Checkpoints

    def save(self, folder: RunFolder) -> None:
        """Write a checkpoint."""
        import torch

        def write(path: Path) -> None:
            weights = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
            torch.save(weights, path / "model.pt")
            arrays: dict[str, Any] = self.core.get_state()
            np.savez(path / "arrays.npz", **arrays)
            numbers = {
                "how": self._facts(), "rows": self.rows, "cards": self.games.cards, "agreement": self.agreement,
                "chance": self.rng.bit_generator.state,
            }  # fmt: skip
            (path / "state.json").write_text(json.dumps(numbers, indent=1), encoding="utf-8")

        folder.save_checkpoint(self.rows, write, keep=1)

    def load(self, checkpoint: Path) -> None:
        """Resume from a checkpoint.

        Raises:
            RunError: It is of another imitation, or cannot be read.
        """
        import torch

        try:
            numbers: dict[str, Any] = loads((checkpoint / "state.json").read_bytes(), "state.json")
            difference = first_difference(numbers["how"], self._facts())
            if difference:
                key, was, wanted = difference
                raise RunError(f"{checkpoint}: cannot be resumed: {key} was {shown(was)} and is now {shown(wanted)}")
            weights = torch.load(checkpoint / "model.pt", weights_only=True)
            with np.load(checkpoint / "arrays.npz", allow_pickle=False) as arrays:
                self.core.set_state(dict(arrays.items()))
            self.network.load_state_dict(weights["network"])
            self.optimizer.load_state_dict(weights["optimizer"])
            self.rows, self.agreement, self.games.cards = numbers["rows"], numbers["agreement"], numbers["cards"]
            self.rng.bit_generator.state = numbers["chance"]
        except RunError:
            raise
        except Exception as error:  # whatever a damaged file makes its reader say
            raise RunError(f"{checkpoint}: cannot be resumed from ({error})") from error

    # Lessons

    def _lessons(self) -> Lessons:
        """What the teacher decided in some turns."""
        core, found = self.core, []
        rewards = np.zeros((TURNS, core.num_rows), np.float32)
        goes_on = np.zeros((TURNS, core.num_rows), np.float32)
        for turn in range(TURNS):
            decisions, ended = self.games.turn(self.rng)
            found += [(turn, *decision) for decision in decisions]
            rewards[turn], goes_on[turn] = ended.rewards, ~(ended.terminated | ended.truncated)
        returns = self._returns(rewards, goes_on)
        if not found:
            none = np.zeros((0, *core.mask_shape), np.float32)
            return Lessons(rows_of(core.observe(), slice(0, 0)), none.astype(np.int8), none, returns[0, :0])
        return Lessons(
            joined([seen for _, _, seen, _, _ in found]),
            np.concatenate([masks for *_, masks, _ in found]),
            np.concatenate([targets for *_, targets in found]),
            np.concatenate([returns[turn, rows] for turn, rows, *_ in found]),
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

    # Learning

    def _agreement(self, lessons: Lessons) -> float:
        """The share of the decisions in which the network would choose what the teacher thinks best."""
        import torch

        with torch.no_grad():
            logits, _ = self.network(_tensors(lessons.observations))
        picks = np.where(lessons.masks > 0, logits.numpy(), -np.inf).argmax(axis=-1)
        return float((picks == lessons.targets.argmax(axis=1)).mean()) if len(picks) else 0.0

    def _update(self, lessons: Lessons) -> None:
        """Learn from decisions."""
        import torch

        from .start import ILLEGAL

        coefficient, clip = self.config.algorithm.value_coef, self.config.algorithm.max_grad_norm
        legal, targets = torch.from_numpy(lessons.masks > 0), torch.from_numpy(lessons.targets)
        returns = torch.from_numpy(lessons.returns)
        for _ in range(EPOCHS if self.temperature is None else EPOCHS_OF_VALUES):
            for chosen in np.array_split(self.rng.permutation(len(targets)), max(1, len(targets) // BATCH)):
                logits, values = self.network(_tensors(rows_of(lessons.observations, chosen)))
                logits = logits.masked_fill(~legal[chosen], ILLEGAL)
                loss = -(targets[chosen] * torch.log_softmax(logits, dim=1)).sum(1).mean()
                loss = loss + coefficient * torch.nn.functional.mse_loss(values, returns[chosen])
                self.optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), clip)
                self.optimizer.step()


def _tensors(observations: Any) -> Any:
    import torch

    if isinstance(observations, dict):
        return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in observations.items()}
    return torch.from_numpy(observations)
