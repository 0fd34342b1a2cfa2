"""A network that learns to decide as a player does: from games that the player plays, or from a data set."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rr_gym.compilation.interrupts import interrupts_wait
from rr_gym.envs.core import Core
from rr_gym.errors import short_repr, whole_number
from rr_gym.evaluation.executor import in_order, share
from rr_gym.evaluation.processes import MAX_WORKERS
from rr_gym.policies import Policy, PolicySpec, save_policy
from rr_gym.policies.networks import make_network
from rr_gym.policies.spec import policy_facts
from rr_gym.training import call_agents

from .config import TrainConfig, first_difference
from .devices import find_device, on_device
from .environment import environment_arguments, network_of
from .folder import RunError, RunFolder
from .lessons import AT_ONCE, Lessons, LessonWorker, all_of, rows_of
from .recorded import read_data
from .resume import read_checkpoint, reading, room_for, write_checkpoint
from .start import ILLEGAL, load_start

EPOCHS = 2
EPOCHS_OF_VALUES = 6  # with a temperature: valued decisions cost more to play than to learn from
BATCH = 1024
SAVE_SECONDS = 60.0
_MOST_BLOCKS = 2**31  # more blocks than any imitation plays
_PATIENCE = 5.0  # seconds that workers get to stop; their unfinished games are lost anyway


class ImitationLearner:
    """A network that learns from a teacher's games.

    Args:
        config: The environment, the network, the number of rows, the learning rate and the seed. An update learns
            from `environment.num_games` games, rounded up to whole blocks.
        teacher: A player's name.
        temperature: See `lessons.TeacherGames`.
        workers: See `imitate`.
        ray: The address of a Ray cluster (docs/scaling.md).

    Attributes:
        rows: The number of rows learned from so far.
        agreement: The share of decisions of the last games in which the network chose what the teacher thinks best.
        is_consistent: False during an update, when weights and counters do not belong together.
        watch: Called from time to time with the number of games of the next update that are over.
    """

    def __init__(
        self, config: TrainConfig, teacher: str, temperature: float | None = None, workers: int | None = 1,
        ray: str | None = None,
    ) -> None:  # fmt: skip
        if workers is not None:
            whole_number("--workers", workers, 1, MAX_WORKERS)
        self.config, self.teacher, self.temperature = config, teacher, temperature
        self.rows, self.agreement, self.is_consistent = 0, 0.0, True
        seed = config.training.seed
        torch.manual_seed(seed)
        torch.set_num_threads(config.training.threads)
        self.rng = np.random.default_rng(seed)
        environment = environment_arguments(config)
        num_games = min(config.environment.num_games, AT_ONCE)
        core = Core(**{**environment, "num_games": num_games})
        core.reset(seed)
        self.data = read_data(teacher, core, seed)
        self.facts = {**policy_facts(core), "network": network_of(config)}
        self.core = core
        self.device = find_device(config.training.device)
        self.network = make_network(PolicySpec.from_json(self.facts)).to(self.device)
        self.network.set_boards(core.observer.boards)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.algorithm.learning_rate)
        self._plan = {**environment, "num_games": num_games}, teacher, temperature, seed
        if not self.data:
            LessonWorker(*self._plan).close()  # reports an invalid teacher once, in this process
        self._workers, self._ray = workers, ray
        self._at_once = -(-config.environment.num_games // num_games)  # blocks of an update
        self._block = 0  # the next block to learn from
        self._over = 0  # games in the blocks that the next update has received so far
        self.watch: Callable[[int], None] = lambda games: None
        self._blocks: Generator[Lessons, None, None] | None = None

    def begin(self) -> None:
        """Load the weights of `training.start`, if it is set; raises the errors of `load_start`."""
        if self.config.training.start is not None:
            policy = load_start(self.config, self.core, self.config.training.start)
            self.network.load_state_dict(policy.network.state_dict())

    def close(self) -> None:
        """End the processes that play."""
        if self._blocks is not None:
            self._blocks.close()

    def policy(self) -> Policy:
        """Return the current network as a policy with facts about its training; the policy shares the weights."""
        training = {**self._facts(), "rows": self.rows}
        return Policy(PolicySpec.from_json({**self.facts, "training": training}), self.network)

    def _facts(self) -> dict[str, Any]:
        """Return how the network is trained: the teacher, the configuration and the temperature."""
        how = {"teacher": self.teacher, "config": self.config.as_mapping()}
        return how if self.temperature is None else {**how, "temperature": self.temperature}

    @property
    def done(self) -> bool:
        """Tell whether `training.total_steps` rows have been learned from."""
        return self.rows >= self.config.training.total_steps

    def run(self, folder: RunFolder, say: Callable[[str], None]) -> None:
        """Learn to the end, and write a checkpoint and the policy every minute.

        Args:
            folder: The run folder to write to.
            say: Called with a line about the progress after each checkpoint.

        Raises:
            RunError: A file cannot be written, or there is no room for the next checkpoint.
        """
        needed, saved = room_for(self.network.parameters()), time.monotonic()
        while True:
            try:
                folder.check_room(needed)
            except RunError:  # the disk is nearly full: write what was learned while there is some room left
                full = True
            else:
                full = False
            if self.done or full or time.monotonic() - saved > SAVE_SECONDS:
                self.save(folder)  # before the policy: a folder with a policy and no checkpoint counts as finished
                save_policy(self.policy(), folder.path)
                saved = time.monotonic()
                say(f"{self.rows:,} rows, as the teacher: {self.agreement:.3f}")
            if self.done:
                return
            if full:
                folder.check_room(needed)
            self.learn()

    def learn(self) -> None:
        """Do one update: let the teacher play some games, or read recorded ones, and learn from the decisions."""
        self.watch(0)
        lessons = self.data.lessons(self.rows) if self.data else self._lessons()
        with interrupts_wait("update"):
            self.is_consistent = False
            self.agreement = self._agreement(lessons)
            left = 1 - self.rows / self.config.training.total_steps
            for group in self.optimizer.param_groups:
                group["lr"] = self.config.algorithm.learning_rate * max(0.03, left)
            self._update(lessons)
            self.rows += len(lessons.targets)
            self._block += self._at_once
            self.is_consistent = True

    def _lessons(self) -> Lessons:
        """Return the teacher's decisions in the blocks of games of the next update."""
        if self._blocks is None:
            self._blocks = self._played()
        found: list[Lessons] = []
        while len(found) < self._at_once:
            self._over = len(found) * self.core.num_games
            found.append(next(self._blocks))
        self._over = 0
        return all_of(found)

    def _played(self) -> Generator[Lessons, None, None]:
        """Yield the teacher's decisions, block by block."""
        make = partial(call_agents, "lessons", "LessonWorker", *self._plan)
        rest = range(self._block, _MOST_BLOCKS)
        with closing(share(make, rest, self._workers, self._report, _PATIENCE, self._ray)) as results:
            yield from in_order(results, self._block)

    def _report(self, over: int) -> None:
        """Report to `watch`, given the number of games that are over in unfinished blocks."""
        self.watch(self._over + over)

    # Checkpoints

    def save(self, folder: RunFolder) -> None:
        """Write a checkpoint. Raises RunError."""
        weights = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
        numbers = {
            "how": self._facts(), "rows": self.rows, "block": self._block, "agreement": self.agreement,
            "chance": self.rng.bit_generator.state,
        }  # fmt: skip
        folder.save_checkpoint(self.rows, lambda path: write_checkpoint(path, weights, numbers), keep=1)

    def load(self, checkpoint: Path) -> None:
        """Resume from a checkpoint.

        Raises:
            RunError: It belongs to another imitation, or cannot be read.
        """
        with reading(checkpoint):
            weights, numbers, _ = read_checkpoint(checkpoint)
            difference = first_difference(numbers["how"], self._facts())
            if difference:
                key, was, wanted = difference
                raise RunError(
                    f"{checkpoint}: cannot be resumed: {key} was {short_repr(was)} and is now {short_repr(wanted)}"
                )
            self.network.load_state_dict(weights["network"])
            self.optimizer.load_state_dict(weights["optimizer"])
            self.rows, self.agreement, self._block = numbers["rows"], numbers["agreement"], numbers["block"]
            self.rng.bit_generator.state = numbers["chance"]

    # Learning

    def _agreement(self, lessons: Lessons) -> float:
        """Return the share of decisions in which the network's best legal action is also the teacher's."""
        with torch.no_grad():
            logits, _ = self.network(self._tensors(lessons.observations))
        picks = np.where(lessons.masks > 0, logits.cpu().numpy(), -np.inf).argmax(axis=-1)
        return float((picks == lessons.targets.argmax(axis=1)).mean()) if len(picks) else 0.0

    def _update(self, lessons: Lessons) -> None:
        """Take gradient steps on the losses of policy and value for these decisions."""
        coefficient, clip = self.config.algorithm.value_coef, self.config.algorithm.max_grad_norm
        legal, targets, returns = (
            on_device(array, self.device) for array in (lessons.masks > 0, lessons.targets, lessons.returns)
        )
        if not len(targets):
            return
        for _ in range(EPOCHS if self.temperature is None else EPOCHS_OF_VALUES):
            for chosen in np.array_split(self.rng.permutation(len(targets)), max(1, len(targets) // BATCH)):
                logits, values = self.network(self._tensors(rows_of(lessons.observations, chosen)))
                logits = logits.masked_fill(~legal[chosen], ILLEGAL)
                loss = -(targets[chosen] * torch.log_softmax(logits, dim=1)).sum(1).mean()
                loss = loss + coefficient * torch.nn.functional.mse_loss(values, returns[chosen])
                self.optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.network.parameters(), clip)
                self.optimizer.step()

    def _tensors(self, observations: Any) -> Any:
        if isinstance(observations, dict):
            observations = {name: np.ascontiguousarray(array) for name, array in observations.items()}
        return on_device(observations, self.device)
