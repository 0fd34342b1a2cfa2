"""Search for hyperparameters with Optuna: each trial is a training run whose configuration has other values.

    python examples/sweep.py                                   # 20 trials of configs/duel.yaml, 400,000 rows each
    python examples/sweep.py --config quickstart --trials 8 --steps 100_000 --out runs/sweep
    python examples/sweep.py --trials 40                       # continues with 20 more trials

All trials are in a SQLite database in the folder. A sweep that was interrupted or killed resumes when it is started
again, and the unfinished trial resumes from its last checkpoint. Trials that fall behind are pruned. The configuration
must be for duels. Only one process at a time can work on a sweep. Needs the extra `examples`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna
import tyro
from optuna.trial import FrozenTrial, TrialState
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from rr_gym.evaluation import evaluate
from rr_gym.training import train

FOLDER = "folder"  # the attribute of a trial that resumes the training of an earlier one in its folder
FIGURES = ("win", "finish", "flags")  # figures of the final evaluation, of which the first is maximised


@dataclass
class Args:
    """The arguments of the command line."""

    out: Path = Path("runs/sweep")
    """the folder of the sweep: the database, and a run folder for each trial"""
    config: str = "duel"
    """the configuration whose values are replaced, by name or path"""
    trials: int = 20
    """number of trials in total, those of earlier runs included"""
    steps: int = 400_000
    """number of rows that a trial learns from"""
    seed: int = 0
    """seed of the search; all training runs have the seed of the configuration"""
    against: str = "greedy"
    """the opponent in the evaluations"""
    games: int = 400
    """games of the evaluation at the end of a trial"""
    evaluate_every: int = 10
    """updates between the evaluations by which trials are pruned"""
    evaluation_games: int = 64
    """games of each of these evaluations"""


def folder_of(trial: optuna.Trial | FrozenTrial) -> str:
    """Return the name of the run folder of a trial."""
    return str(trial.user_attrs.get(FOLDER, f"trial-{trial.number:03}"))


def values_of(trial: optuna.Trial) -> dict[str, Any]:
    """Draw the values that a trial replaces in the configuration; this defines the search space."""
    return {
        "algorithm.learning_rate": trial.suggest_float("algorithm.learning_rate", 1e-4, 5e-3, log=True),
        "algorithm.entropy_coef": trial.suggest_float("algorithm.entropy_coef", 1e-3, 0.1, log=True),
        "algorithm.gae_lambda": trial.suggest_float("algorithm.gae_lambda", 0.8, 1.0),
        "algorithm.epochs": trial.suggest_int("algorithm.epochs", 1, 6),
    }


class Pruning(BaseCallback, KVWriter):
    """Reports every evaluation to a trial, as an output of the training's logger, and ends runs that are pruned.

    Attributes:
        pruned: Whether the trial was pruned.
    """

    def __init__(self, trial: optuna.Trial) -> None:
        super().__init__()
        self.trial = trial
        self.pruned = False

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Report the share of games won if there was an evaluation."""
        won = key_values.get("eval/win")
        if won is not None:
            self.trial.report(float(won), step)
            self.pruned = self.trial.should_prune()

    def close(self) -> None:
        """Do nothing, since no file is open."""

    def _on_step(self) -> bool:
        return not self.pruned


def run_trial(trial: optuna.Trial, args: Args) -> float:
    """Train and evaluate. Returns the share of games won; finished games and flags become attributes of the trial."""
    folder = args.out / folder_of(trial)
    pruning = Pruning(trial)
    facts = train(
        args.config, folder, resume=(folder / "config.yaml").is_file(), steps=args.steps,
        overrides={
            **values_of(trial), "evaluation.every": args.evaluate_every, "evaluation.opponents": [args.against],
            "evaluation.games": args.evaluation_games, "training.second_core": False,
        },
        callbacks=[pruning], logger=Logger(None, [pruning]),
    )  # fmt: skip
    if pruning.pruned:
        raise optuna.TrialPruned
    player = evaluate(facts["policy"], [args.against], games=args.games).players[0]
    for name in FIGURES:
        trial.set_user_attr(name, float(getattr(player, name).value))
    return float(trial.user_attrs[FIGURES[0]])


def put_back(study: optuna.Study) -> None:
    """Put the trials that were interrupted or killed back into the queue; each resumes in its folder."""
    latest = {folder_of(trial): trial for trial in study.trials}  # in the order of their numbers
    for folder, trial in latest.items():
        if trial.state == TrialState.RUNNING:
            study.tell(trial.number, state=TrialState.FAIL)
        if trial.state in (TrialState.RUNNING, TrialState.FAIL):
            study.enqueue_trial(trial.params, user_attrs={FOLDER: folder})


def line_of(trial: FrozenTrial) -> str:
    """Return a line with the result of a trial."""
    figures = "  ".join(f"{name} {trial.user_attrs[name]:.3f}" for name in FIGURES if name in trial.user_attrs)
    values = "  ".join(f"{name.partition('.')[2]} {value:.3g}" for name, value in trial.params.items())
    return f"trial {trial.number}: {figures or trial.state.name.lower()}  ({values})"


def main(args: Args) -> None:
    """Run the remaining trials of a sweep, and print the best one."""
    args.out.mkdir(parents=True, exist_ok=True)
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    study = optuna.create_study(
        storage=f"sqlite:///{args.out / 'sweep.db'}", study_name=f"{args.config} against {args.against}",
        load_if_exists=True, direction="maximize", pruner=optuna.pruners.MedianPruner(n_startup_trials=4),
    )  # fmt: skip
    put_back(study)
    study.sampler = optuna.samplers.TPESampler(seed=args.seed + len(study.trials))
    ended = study.get_trials(states=(TrialState.COMPLETE, TrialState.PRUNED))
    left = max(0, args.trials - len(ended))
    study.optimize(
        lambda trial: run_trial(trial, args), n_trials=left,
        callbacks=[lambda _, trial: print(line_of(trial), flush=True)],
    )  # fmt: skip
    print(f"best of {max(len(ended), args.trials)}: {line_of(study.best_trial)}")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main(tyro.cli(Args, description="Search for hyperparameters."))
