"""The training itself: `learn` of Stable-Baselines3, and after each update league, evaluation, curve and checkpoint."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from stable_baselines3.common.callbacks import CallbackList
from stable_baselines3.common.logger import Logger

from rr_gym.errors import RoboRallyError
from rr_gym.evaluation import evaluate
from rr_gym.evaluation.processes import SharingError
from rr_gym.files import write_file
from rr_gym.policies import PolicyPlayer
from rr_gym.progress import StatusLine

from .callbacks import Watch
from .config import TrainConfig
from .curves import picture, read_curve
from .decision_rules import DecisionRules
from .environment import courses_of, evaluation_opponents
from .folder import RunError, RunFolder
from .hooks import Hooks
from .league import League
from .logs import Curve
from .model import current_policy, export_policy, make_model, save_model, start_from
from .resume import play_state, read_checkpoint, reading, room_for, save_state, set_state
from .second_core import PlayState, RolloutTask, SecondCore, correct_off_policy
from .sections import Interval
from .short_response import short_response

FIGURES = ("win", "finish", "place", "flags")  # the figures of evaluations


class TrainingError(RoboRallyError):
    """A training run that cannot continue."""


class Trainer:
    """One training in its run folder.

    Args:
        config: The configuration of the training.
        folder: The run folder, which holds the configuration already. The training resumes from its newest checkpoint,
            if there is one. It must be locked; see `RunFolder.hold`.
        hooks: The caller's callbacks and logger.

    Raises:
        RunError: The checkpoint cannot be read, or the disk has no room for the next one.
    """

    def __init__(self, config: TrainConfig, folder: RunFolder, hooks: Hooks | None = None) -> None:
        self.config = config
        self.folder = folder
        self._hooks = hooks or Hooks()
        torch.set_num_threads(config.training.threads)
        self.model = make_model(config)
        self.env = self.model.env
        if config.training.start is not None:
            start_from(self.model, folder.start)
        self._best_win = folder.win_of_best() if config.evaluation.keep_best else 0.0
        self._rules = DecisionRules(self.env.core) if config.algorithm.rules_until else None
        self._league = League(self.model, folder)
        self._second: SecondCore | None = None
        self._seconds_before = 0.0
        self._start = self._checkpoint_time = time.monotonic()
        self._interrupted = False
        self._watch = Watch(self.env.core, lambda: self.share, self._league.note)
        self._callbacks = CallbackList([self._watch, self._hooks])
        self.model.share = lambda: self.share
        self.model.after_update = self._after_update
        self._curve = self._set_up()
        self._play_bytes = sum(array.nbytes for array in play_state(self.model).values())
        if self.share < 1:
            self._check_room()

    def _set_up(self) -> Curve:
        """Prepare the algorithm, and resume from the newest checkpoint if there is one."""
        model = self.model
        model.set_logger(Logger(None, []))  # leaves the files alone until the checkpoint has been read
        self.folder.tidy()
        checkpoints = self.folder.checkpoints()
        if not checkpoints:
            self._league.begin()
        model._setup_learn(0, self._watch)  # restarts the games
        if self.config.training.second_core:
            self._second = SecondCore(self.folder, PlayState(self._league.entries, play_state(model)))
            model.take_rollout = self._take_rollout
        lines = self._restore(checkpoints[-1]) if checkpoints else 0
        curve = Curve(self.folder, lines, model.num_timesteps, self._hooks.formats)
        model.set_logger(curve)
        if not checkpoints:
            curve.write_hyperparameters(self.config)
        return curve

    def _restore(self, checkpoint: Path) -> int:
        """Resume from a checkpoint. Returns the number of lines that the curve had."""
        with reading(checkpoint):
            weights, numbers, arrays = read_checkpoint(checkpoint)
            self._league.set_state(numbers["league"])
            if self._second:  # its games are one update behind
                self._league.meet(numbers["second_core"]["entries"])
            play = set_state(self.model, weights, numbers, arrays)
            if self._second:
                self._second.set_state(numbers["second_core"], play)
            own = numbers["trainer"]
            self._seconds_before = own["seconds"]
            self._watch.episodes.extend(own["episodes"])
            self._watch.first = own["first"]
            lines = int(own["lines"])
        return lines

    def _checkpoint(self) -> None:
        """Write a checkpoint and the current policy."""
        own = {
            "seconds": self.seconds,
            "lines": self._curve.table.lines,
            "episodes": list(self._watch.episodes),
            "first": self._watch.first,
        }
        more = {"trainer": own, "league": self._league.get_state()}
        if self._second:
            more["second_core"], play = self._second.get_state()
        else:
            play = play_state(self.model)
        self.folder.save_checkpoint(
            self.update,
            lambda folder: save_state(folder, self.model, play, more),
            self.config.training.keep,
        )
        export_policy(self.model, self.folder.policy)
        self._checkpoint_time = time.monotonic()

    def _check_room(self) -> None:
        """Raise RunError if the disk has no room for the next checkpoint."""
        self.folder.check_room(room_for(self.model.policy.parameters(), self._play_bytes))

    # Progress

    @property
    def seconds(self) -> float:
        """Return the seconds spent on the training, those in earlier processes included."""
        return self._seconds_before + time.monotonic() - self._start

    @property
    def update(self) -> int:
        """Return the number of updates; all updates learn from the same number of rows."""
        return int(self.model.num_timesteps // (self.model.n_steps * self.model.n_envs))

    @property
    def share(self) -> float:
        """Return the share of the training that is done, from 0 to 1: of its rows or, if that is more, of its time."""
        training = self.config.training
        by_time = self.seconds / (60 * training.minutes) if training.minutes else 0.0
        return min(1.0, max(float(self.model.num_timesteps / training.total_steps), by_time))

    # Learning

    def run(self) -> bool:
        """Train to the end, and close the opponents; whoever uses the environment afterwards starts programs again.

        Returns:
            True if the training came to its end, or a callback ended it; False if Ctrl-C ended it, after a checkpoint.

        Raises:
            TrainingError: The loss or weights are no longer finite.
            RunError: A file cannot be written, or there is no room for the next checkpoint.
        """
        self._line = StatusLine(first=5.0)
        self._watch.begin(self._line)
        rows = self.config.training.total_steps - self.model.num_timesteps
        try:
            with self._interrupts():
                self._prepare_rollout()
                self.model.learn(rows, self._callbacks, log_interval=None, reset_num_timesteps=False)
            self._watch.show()
            self._checkpoint()
            self._draw()
            finished = self._is_over
            if finished:
                save_model(self.model, self.folder.model)
        finally:
            if self._second:
                self._second.close()
            self.env.close()
            self._line.close()
            self._curve.close()
        return finished

    def _prepare_rollout(self) -> None:
        """Set whether the model plays another rollout, and whether rules decide some decisions in it."""
        self.model.stopped = self._is_over or self._interrupted
        self.model.rules = self._rules if self._by_rule else None

    @property
    def _is_over(self) -> bool:
        """Tell whether the training is over, or a callback has ended it."""
        return self.share >= 1 or self._hooks.stopped

    @property
    def _by_rule(self) -> bool:
        """Tell whether rules decide power-downs and facings in a rollout that begins now."""
        return self.share < self.config.algorithm.rules_until

    def _take_rollout(self) -> None:
        """Take the rollout that the second core has played, and order the next one with the current policy."""
        model, second = self.model, self._second
        assert second
        if not second.busy:
            second.submit(self._order())
        try:
            rollout = second.take(lambda _: self._watch.tick())
        except SharingError as error:
            raise TrainingError(f"{error}; {self.folder.what_is_left()}") from error
        correct_off_policy(model.policy, rollout.rows)
        model.rollout_buffer.take(rollout.rows)
        model.num_timesteps += model.n_steps * model.n_envs
        self._watch.count(rollout.episodes)
        if self.share < 1:
            second.submit(self._order())

    def _order(self) -> RolloutTask:
        """Return the order for the next rollout of the second core: weights, opponents, and whether rules decide."""
        return RolloutTask(self.model.policy.parameters_to_vector(), self._league.entries, self._by_rule)

    def _draw(self) -> None:
        """Draw the learning curve."""
        lines = read_curve(self.folder.progress)
        title = f"{self.folder.path.name}: {self.model.num_timesteps:,} rows"
        if lines and lines[-1]["rollout/flags"]:
            last = {name: float(lines[-1][f"rollout/{name}"]) for name in ("flags", "finished")}
            title += f"; at last {last['flags']:.2f} flags an episode, {last['finished']:.0%} finished"
        write_file(self.folder.picture, picture([lines], title), TrainingError)

    def _after_update(self) -> None:
        """Evaluate, log and save if due. Raises TrainingError if the update led to numbers that are not finite."""
        if not self.model.is_finite():
            raise TrainingError(
                f"loss or weights are no longer finite after {self.model.num_timesteps:,} rows; "
                f"{self.folder.what_is_left()}; a lower algorithm.learning_rate or algorithm.max_grad_norm may help"
            )
        self._league.after_update(self.update)
        evaluated = {**self._evaluate(), **self._exploit()}
        if evaluated and any(value is not None for value in evaluated.values()):
            self._line.say(", ".join(f"{name} {value:.3g}" for name, value in evaluated.items() if value is not None))
        warning = self._watch.warning()
        if warning:
            self._line.say(warning)
        if self.update % self.config.training.log_every == 0 or self._is_over:
            self._log(evaluated)
        self._curve.forget()
        if not self._is_over and not self._interrupted:
            self._keep()
        self._prepare_rollout()

    def _evaluate(self) -> dict[str, float | None]:
        """Evaluate the policy in matches with its most probable choices, without any effect on the training.

        `EvalCallback` of Stable-Baselines3 would measure returns in another environment, not games won against players.

        Returns:
            The columns of the curve, the same after every update; their values are None if no evaluation is due.
        """
        options, environment = self.config.evaluation, self.config.environment
        if options.every is None:
            return {}
        if self.update % options.every and not (options.keep_best and self._is_over):
            return {f"eval/{name}": None for name in FIGURES}
        with torch.random.fork_rng(devices=[]):
            played = evaluate(
                PolicyPlayer(current_policy(self.model)),
                evaluation_opponents(self.config),
                course=courses_of(self.config),
                games=options.games,
                seed=options.seed,
                max_cycles=environment.max_cycles,
                settings=environment.settings,
            )
            figures = {name: float(getattr(played.players[0], name).value) for name in FIGURES}
            if options.keep_best and figures["win"] > self._best_win:
                self._best_win = figures["win"]
                export_policy(self.model, self.folder.best, evaluation=figures)
        return {f"eval/{name}": value for name, value in figures.items()}

    def _exploit(self) -> dict[str, float | None]:
        """Train a short best response to the policy if one is due, without any effect on the training.

        Returns:
            The columns of the curve, the same after every update; their values are None if no response is due.
        """
        every, model = self.config.evaluation.exploit_every, self.model
        if every is None:
            return {}
        rows = model.num_timesteps
        if rows // every == (rows - model.n_steps * model.n_envs) // every:
            return {f"exploit/{name}": None for name in FIGURES}

        def tell(learned: int) -> None:
            if self._line.due():
                self._line.show(f"{rows:,} rows, a best response learns from its row {learned:,}", self.share)

        response = short_response(model, self.update, tell)
        return {f"exploit/{name}": float(getattr(response, name).value) for name in FIGURES}

    def _keep(self) -> None:
        """Write a checkpoint if one is due, or if the disk is nearly full, which ends the training.

        `CheckpointCallback` of Stable-Baselines3 counts steps, and its files do not allow to resume exactly (`resume`).

        Raises:
            RunError: There is no room for the next checkpoint.
        """
        due = self._is_due(self.config.training.checkpoint_every)
        try:
            self._check_room()
        except RunError:
            due = True
        if due:
            self._checkpoint()
            self._check_room()

    def _is_due(self, every: Interval) -> bool:
        """Tell whether a number of updates, or of minutes since the last checkpoint, has passed."""
        if every.unit == "updates":
            return self.update % int(every.count) == 0
        return time.monotonic() - self._checkpoint_time >= 60 * every.count

    def _log(self, evaluated: dict[str, float | None]) -> None:
        """Write a line of the curve."""
        rows, turns = self._watch.speed()
        facts: dict[str, Any] = {
            "time/iterations": self.update,
            "time/total_timesteps": self.model.num_timesteps,
            "time/turns": self._watch.turns,
            "time/time_elapsed": self.seconds,
            "time/fps": rows,
            "time/turns_per_second": turns,
            **self._watch.recent(),
            **self._league.facts(),
            **evaluated,
        }
        for name, value in facts.items():
            self._curve.record(name, value)
        self._curve.dump(self.model.num_timesteps)

    @contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Let the first Ctrl-C end the training after the current update, and the second one immediately."""

        def ask(number: int, frame: Any) -> None:
            if self._interrupted:
                raise KeyboardInterrupt
            self._interrupted = True
            self._line.say("stopping after this update; Ctrl-C again stops at once")

        if threading.current_thread() is not threading.main_thread():  # signals arrive only there
            yield
            return
        before = signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
