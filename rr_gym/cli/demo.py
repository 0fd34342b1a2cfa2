"""``rr-gym demo``: train a bot on an official course, see how it does, and watch its best race."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rr_gym.evaluation import Evaluation
    from rr_gym.replay import Replay

CONFIG = "demo"
SOLO_GAMES = 200
DUELS = 200
RIVALS = ("random", "random", "random")
RACES = 12
UNSEEN = 1_000_000  # seeds from here on are not used in training


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "demo",
        help="train a bot, evaluate it, and write a replay of its best race",
        description="Trains a bot on an official course, plays it alone and in duels on seeds that it has not seen, "
        "and writes the replay of its best race against scripted players, to watch in a browser.",
    )
    parser.add_argument("--config", default=CONFIG, help="the training, as of rr-gym train (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for everything (default: %(default)s)")
    parser.add_argument("--games", type=int, default=SOLO_GAMES, help="games of each evaluation (%(default)s)")
    parser.add_argument("--races", type=int, default=RACES, help="races of which the best is kept (%(default)s)")
    parser.add_argument("--steps", type=int, help="rows to learn from instead of those of the configuration")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.cli.train import agents_module
    from rr_gym.errors import RoboRallyError, check_memory
    from rr_gym.evaluation.matches import BYTES_OF_A_GAME
    from rr_gym.locks import hold

    for name in ("games", "races"):
        if getattr(args, name) < 1:
            raise RoboRallyError(f"--{name}: {getattr(args, name)}: expected a whole number, 1 or more")
        check_memory(f"--{name}", getattr(args, name), BYTES_OF_A_GAME)
    if args.out.exists() and not args.out.is_dir():
        raise RoboRallyError(f"--out {args.out}: expected a folder")
    agents = agents_module("config")
    agents.TrainConfig.load(agents.find_config(args.config))  # before anything is made
    try:
        args.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RoboRallyError(f"--out {args.out}: cannot be written: {error.strerror}") from error
    with hold(args.out):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from rr_gym.cli.race import print_replay, print_result

    start = time.monotonic()
    trained = train(args.config, args.out, args.steps)
    if trained is None:
        return 130
    policy, course = trained
    print(f"\n[2/4] alone on {course}, {args.games} games that it has not seen", flush=True)
    print(f"      {alone(evaluate(policy, (), course, args.games))}", flush=True)
    print(f"[3/4] duels against random, {args.games} games", flush=True)
    print(f"      {duels(evaluate(policy, ('random',), course, args.games))}", flush=True)
    print(f"[4/4] {args.races} races against {', '.join(RIVALS)}: the best one", flush=True)
    replay = best_race(policy, course, args.races)
    print_result(replay)
    print_replay(replay, args.out)
    print(f"policy: {policy}\n\n{time.monotonic() - start:.0f} s in all")
    return 0


def train(config: str, out: Path, steps: int | None) -> tuple[Path, str] | None:
    """Train, or go on with a training that was interrupted: the policy's folder and the course; None if interrupted."""
    from rr_gym.cli.train import agents_module

    program = agents_module("train")
    settings = agents_module("config").TrainConfig.load(agents_module("config").find_config(config))
    run_folder = out / "run"
    course = settings.environment.course
    course = course if isinstance(course, str) else course[0]
    print(f"[1/4] training on {course}", flush=True)
    status = program.train(config, run_folder, resume=(run_folder / "config.yaml").exists(), steps=steps)
    return (run_folder / "policy", course) if status == 0 else None


def evaluate(policy: Path, against: tuple[str, ...], course: str, games: int) -> Evaluation:
    """Games on unseen seeds, with a line of progress where that takes long."""
    from rr_gym.evaluation import evaluate as play
    from rr_gym.progress import Progress

    progress = Progress()
    try:
        return play(policy, against, course=course, games=games, seed=UNSEEN, report=progress)
    finally:
        progress.close()


def alone(evaluation: Evaluation) -> str:
    """What games alone came to."""
    own = evaluation.players[0]
    turns = f", in {own.turns.value:.1f} turns" if own.turns else ""
    return f"all flags touched in {own.finish.percent}{turns}; {own.flags.value:.2f} flags a game"


def duels(evaluation: Evaluation) -> str:
    """What duels came to."""
    return f"won {evaluation.players[0].win.percent}; a game without a winner is half a win"


def best_race(policy: Path, course: str, races: int) -> Replay:
    """The race that the bot won in the fewest turns; if it won none, the one with most flags."""
    from rr_gym.race import RaceConfig, race, standings

    best: tuple[tuple[bool, int, int], Replay] | None = None
    config = RaceConfig(course=course, players=(str(policy), *RIVALS))
    for number in range(races):
        replay = race(replace(config, seed=UNSEEN + number))
        own = next(line for line in standings(replay) if line.player == str(policy))
        rank = own.state == "winner", own.flags, -own.turns
        if best is None or rank > best[0]:
            best = rank, replay
    assert best is not None  # there is at least one race
    return best[1]
