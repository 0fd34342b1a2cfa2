"""``rr-gym imitate TEACHER CONFIG``: a policy that learns to decide as a player does.

The teacher plays all seats, and the network learns to give the decisions of its orders the highest logits (behaviour
cloning), and the value of what the rewards then come to. With ``--temperature`` the candidates that a searching teacher
did not choose count too, by their values. Its games are played in blocks, by other processes and machines if asked for,
and learned from in the blocks' order. Where the teacher is a data set, its rows are learned from and nothing is played.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.resuming import Interrupted, check_folder, resume_command
from rr_gym.cli.train import call_agents
from rr_gym.errors import RoboRallyError, shown, whole_number
from rr_gym.evaluation.executor import in_order, share
from rr_gym.evaluation.processes import MAX_WORKERS
from rr_gym.interrupts import interrupts_wait
from rr_gym.json_text import loads
from rr_gym.policies.store import SPEC_FILE
from rr_gym.progress import Progress

from .checks import ConfigError
from .config import TrainConfig, find_config, first_difference
from .environment import check_names, environment_arguments, network_of
from .folder import RunError, RunFolder
from .lessons import AT_ONCE, Host, Lessons, all_of, rows_of
from .recorded import read_data
from .sections import STOCK

Array = np.ndarray[Any, Any]

MODULES = ("torch", "safetensors")
EPOCHS = 2
EPOCHS_OF_VALUES = 6  # which cost more than learning from them
BATCH = 1024
_MOST_BLOCKS = 2**31  # more than anybody plays
_SAVE_SECONDS = 60.0
_PATIENCE = 5.0  # seconds for unfinished games when everything is to stop; they are lost anyway


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
    add(parser, "--from", note="instead of training.start")
    parser.add_argument(
        "--temperature", metavar="T", type=float,
        help="learn from all candidates of a teacher that values them (planner, strategist): one whose probability of "
        "winning is T less than the best's counts for 1/e of it (e.g. 0.03)",
    )  # fmt: skip
    add(parser, "--workers", note="1 by default")
    add(parser, "--ray")
    add(parser, "--out", required=True, note="the folder of the policy")
    add(parser, "--resume")
    add(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """The command. Returns the exit status."""
    output = Output(args.json)
    given = {name: getattr(args, name) for name in ("course", "seed", "steps", "from")} | {"set": args.set or None}
    try:
        facts = imitate(
            args.teacher, args.config, args.out, args.temperature, args.resume,
            workers=1 if args.workers is None and args.ray is None else args.workers, ray=args.ray, **given,
        )  # fmt: skip
    except KeyboardInterrupt as error:
        if error.args:  # there is something to resume
            raise Interrupted(resume_command(args)) from None
        raise
    output.show(f"{facts['rows']:,} rows in {facts['seconds']:,.0f} s; as the teacher: {facts['agreement']:.3f}")
    output.show(f"policy: {facts['policy']}")
    output.write(facts)
    return 0


def imitate(
    teacher: str, name: str, out: Path, temperature: float | None = None, resume: bool = False, *,
    workers: int | None = 1, ray: str | None = None, **given: Any,
) -> dict[str, Any]:  # fmt: skip
    """Teach a policy.

    Args:
        teacher: A player's name, or the folder of a data set.
        name: The file of a configuration, or its bare name.
        out: The folder of the policy; it is written every minute, and at the end.
        temperature: See `lessons.Class`.
        resume: Resume what is in the folder.
        workers: Processes that play side by side, None for as many as there are processors; the policy does not depend
            on it.
        ray: The address of a Ray cluster, whose machines play instead (docs/scaling.md).
        given: What replaces values of the configuration, as `TrainConfig.with_arguments` takes it.

    Returns:
        `rows` learned from, `seconds`, `agreement` (the share of decisions of the last games, before they were learned
        from, in which the policy chose what the teacher thinks best) and the path of the `policy`.

    Raises:
        RoboRallyError: The configuration is not as it should be, the teacher gives no programs or no values, or there
            is nothing to resume.
        MissingExtraError: PyTorch is not installed.
        KeyboardInterrupt: It was interrupted; with the folder, if that has something to resume.
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
            done = "it is finished" if (folder.path / SPEC_FILE).is_file() else "no checkpoint in it"
            raise RunError(f"{out}: there is no imitation to resume ({done})")
    else:
        check_folder(out)
        folder.check_new()
    check_names(config, str(path))
    for module in MODULES:
        require(module, extra="train")

    start = time.monotonic()
    with closing(Pupil(config, teacher, temperature, workers, ray)) as pupil, Progress("rows") as progress:

        def watch(games: int) -> None:
            played = f", {games:,} games of the next update" if games else ""
            progress.facts = f"as the teacher {pupil.agreement:.3f}{played}"
            progress(pupil.rows, config.training.total_steps)

        pupil.watch = watch
        if pupil.data:
            of_games = {"ray": ray, "workers": workers if workers != 1 else None, "temperature": temperature}
            _check_nothing_played(of_games | {name: given.get(name) for name in ("course", "set")})
        if resume:
            pupil.load(folder.checkpoints()[-1])
        else:
            pupil.begin()
            pupil.learn()  # what a teacher cannot do is said before anything is written
        with folder.hold():
            print(f"{teacher} -> {out}, from row {pupil.rows:,}", file=sys.stderr, flush=True)
            try:
                _learn(pupil, folder, progress)
            except KeyboardInterrupt:
                if pupil.whole:
                    pupil.save(folder)
                raise KeyboardInterrupt(*([out] if folder.checkpoints() else [])) from None
            folder.forget_checkpoints()
    seconds = time.monotonic() - start
    return {"rows": pupil.rows, "seconds": seconds, "agreement": pupil.agreement, "policy": str(out)}


def _check_nothing_played(of_games: Mapping[str, Any]) -> None:
    """Raise RoboRallyError if options of games that are played were given."""
    for option, value in of_games.items():
        if value is not None:
            said = ", ".join(map(str, value)) if isinstance(value, list | dict) else value
            raise RoboRallyError(f"--{option}: {said}: expected none with a data set, of which nothing is played")


def _learn(pupil: Pupil, folder: RunFolder, progress: Progress) -> None:
    """Learn to the end, and write down what was learned every minute."""
    from rr_gym.policies import save_policy

    saved = time.monotonic()
    while True:
        if pupil.done or time.monotonic() - saved > _SAVE_SECONDS:
            pupil.save(folder)  # first: a policy without a checkpoint is one that is done
            save_policy(pupil.policy(), folder.path)
            saved = time.monotonic()
            progress.line.clear()
            print(f"{pupil.rows:,} rows, as the teacher: {pupil.agreement:.3f}", file=sys.stderr, flush=True)
        if pupil.done:
            return
        pupil.learn()


class Pupil:
    """A network that learns from a teacher's games.

    Args:
        config: Its environment and network, how many rows it learns from, its learning rate and seed. An update learns
            from `environment.num_games` games, rounded up to whole blocks.
        teacher: A player's name.
        temperature: See `lessons.Class`.
        workers: See `imitate`.
        ray: Likewise.

    Attributes:
        rows: Learned from so far.
        agreement: The share of decisions of the last games in which the network chose what the teacher thinks best.
        whole: No update is half done.
        watch: Told now and then how many games of the next update are over.
    """

    def __init__(
        self, config: TrainConfig, teacher: str, temperature: float | None = None, workers: int | None = 1,
        ray: str | None = None,
    ) -> None:  # fmt: skip
        import torch

        from rr_gym.envs.core import Core
        from rr_gym.policies.networks import make_network
        from rr_gym.policies.spec import PolicySpec, policy_facts

        if workers is not None:
            whole_number("--workers", workers, 1, MAX_WORKERS)
        self.config, self.teacher, self.temperature = config, teacher, temperature
        self.rows, self.agreement, self.whole = 0, 0.0, True
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
        self.network = make_network(PolicySpec.from_json(self.facts))
        self.network.set_boards(core.observer.boards)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=config.algorithm.learning_rate)
        self._plan = {**environment, "num_games": num_games}, teacher, temperature, seed
        if not self.data:
            Host(*self._plan).close()  # shows what is wrong with a teacher once, and here
        self._workers, self._ray = workers, ray
        self._at_once = -(-config.environment.num_games // num_games)  # blocks of an update
        self._block = 0  # the next one to learn from
        self._over = 0  # games of the blocks that the next update has got
        self.watch: Callable[[int], None] = lambda games: None
        self._blocks: Generator[Lessons, None, None] | None = None

    def begin(self) -> None:
        """Take the weights of `training.start`, if there is one; raises what `load_start` raises."""
        from .start import load_start

        if self.config.training.start is not None:
            policy = load_start(self.config, self.core, self.config.training.start)
            self.network.load_state_dict(policy.network.state_dict())

    def close(self) -> None:
        """End the processes that play."""
        if self._blocks is not None:
            self._blocks.close()

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
        """One update: some games of the teacher's, and learning from them."""
        self.watch(0)
        lessons = self.data.lessons(self.rows) if self.data else self._lessons()
        with interrupts_wait("update"):
            self.whole = False
            self.agreement = self._agreement(lessons)
            left = 1 - self.rows / self.config.training.total_steps
            for group in self.optimizer.param_groups:
                group["lr"] = self.config.algorithm.learning_rate * max(0.03, left)
            self._update(lessons)
            self.rows += len(lessons.targets)
            self._block += self._at_once
            self.whole = True

    def _lessons(self) -> Lessons:
        """What the teacher decided in the next games."""
        if self._blocks is None:
            self._blocks = self._played()
        found: list[Lessons] = []
        while len(found) < self._at_once:
            self._over = len(found) * self.core.num_games
            found.append(next(self._blocks))
        self._over = 0
        return all_of(found)

    def _played(self) -> Generator[Lessons, None, None]:
        """The lessons of one block after the other."""
        make = partial(call_agents, "lessons", "Host", *self._plan)
        rest = range(self._block, _MOST_BLOCKS)
        with closing(share(make, rest, self._workers, self._report, _PATIENCE, self._ray)) as results:
            yield from in_order(results, self._block)

    def _report(self, far: int) -> None:
        """Tell `watch` of games that are over in blocks that are being played."""
        self.watch(self._over + far)

    # Checkpoints

    def save(self, folder: RunFolder) -> None:
        """Write a checkpoint."""
        import torch

        def write(path: Path) -> None:
            weights = {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}
            torch.save(weights, path / "model.pt")
            numbers = {
                "how": self._facts(), "rows": self.rows, "block": self._block, "agreement": self.agreement,
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
            self.network.load_state_dict(weights["network"])
            self.optimizer.load_state_dict(weights["optimizer"])
            self.rows, self.agreement, self._block = numbers["rows"], numbers["agreement"], numbers["block"]
            self.rng.bit_generator.state = numbers["chance"]
        except RunError:
            raise
        except Exception as error:  # whatever a damaged file makes its reader say
            raise RunError(f"{checkpoint}: cannot be resumed from ({error})") from error

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
        if not len(targets):
            return
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
