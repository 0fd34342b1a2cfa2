"""``rr-gym demo``: train a bot on an official course, see how it does in duels, and watch its best race."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.resuming import check_resume, resumable
from rr_gym.cli.grammar.words import Whole
from rr_gym.progress import Progress

if TYPE_CHECKING:
    from rr_gym.evaluation import Evaluation
    from rr_gym.replay import Replay

CONFIG = "demo"
RUN = "run/config.yaml"  # the configuration of the training, in the folder `--out`; if it exists, training has begun
GAMES = 200
RIVALS = ("greedy", "racer", "planner")
RACES = 24
UNSEEN = 1_000_000  # seeds from here on are not used in training


@command(examples=("rr-gym demo", "rr-gym demo --steps 100000 --out quick"))
@shared("--config", default=CONFIG, note="of rr-gym train")
@shared("--steps")
@shared("--games", default=GAMES, note="against each rival")
@option("--races", type=Whole(1), default=RACES, metavar="N", section="Games", help="races; the best one is kept")
@shared("--out", default=Path("demo"))
@shared("--resume")
def run(args: SimpleNamespace) -> int:
    """Train a bot, evaluate it, and write a replay of its best race.

    Trains on an official course, plays duels on seeds that the bot has not seen, and writes the replay of its best race
    against scripted players, to watch in a browser. Ctrl-C keeps what has been trained so far.
    """
    from rr_gym.cli.race import PAGE, REPLAY
    from rr_gym.config_files import find_config
    from rr_gym.errors import RoboRallyError, check_memory
    from rr_gym.evaluation.matches import BYTES_OF_A_GAME
    from rr_gym.files import writing
    from rr_gym.locks import hold
    from rr_gym.training import agents_module

    for name in ("games", "races"):
        check_memory(f"--{name}", getattr(args, name), BYTES_OF_A_GAME)
    check_resume(args.resume, args.out, RUN, REPLAY, PAGE)
    path = find_config(args.config)  # so that a wrong name fails before any folder is made
    if not isinstance(agents_module("config").TrainConfig.load(path).environment.course, str):
        raise RoboRallyError(f"{path}: environment.course: expected one course, on which the bot is evaluated")
    with writing(f"--out {args.out}"):
        args.out.mkdir(parents=True, exist_ok=True)
    with hold(args.out), resumable(args, RUN):
        return _run(args)


def _run(args: SimpleNamespace) -> int:
    from rr_gym.cli.race import result_text, write_replay

    start = time.monotonic()
    policy, course = train(args.config, args.out, args.steps)
    print(f"\n[2/3] duels on {course}, {args.games} with each rival on deals that it has not seen", flush=True)
    for rival in RIVALS:
        print(f"      {rival}: {duels(evaluate(policy, (rival,), course, args.games))}", flush=True)
    print(f"[3/3] {args.races} races against {', '.join(RIVALS)}: the best one", flush=True)
    replay = best_race(policy, course, args.races)
    print(result_text(replay))
    print(write_replay(replay, args.out))
    print(f"policy: {policy}\n\n{time.monotonic() - start:.0f} s in all")
    return 0


def train(config: str, out: Path, steps: int | None) -> tuple[Path, str]:
    """Train, or resume an interrupted run; return the policy's folder and the name of the course."""
    from rr_gym.config_files import find_config
    from rr_gym.training import agents_module

    program = agents_module("train")
    settings = agents_module("config").TrainConfig.load(find_config(config))
    course: str = settings.environment.course
    print(f"[1/3] training on {course}", flush=True)
    facts = program.train(config, (out / RUN).parent, resume=(out / RUN).exists(), steps=steps)
    print(f"      {facts['rows']:,} rows in {facts['seconds']:,.0f} s; curve: {facts['picture']}", flush=True)
    return Path(facts["policy"]), course


def evaluate(policy: Path, against: tuple[str, ...], course: str, games: int) -> Evaluation:
    """Evaluate a policy in games on seeds that training does not use, with a progress bar if that takes long."""
    from rr_gym.evaluation import evaluate as play

    with Progress() as progress:
        return play(policy, against, course=course, games=games, seed=UNSEEN, report=progress)


def duels(evaluation: Evaluation) -> str:
    """Describe the result of duels in words."""
    own = evaluation.players[0]
    return f"won {own.win.percent}, {own.flags.value:.2f} flags a game"


def best_race(policy: Path, course: str, races: int) -> Replay:
    """Play races and return the best: the one that the bot won in the fewest turns, else with the most flags."""
    from msgspec.structs import replace

    from rr_gym.race import RaceConfig, race, standings

    best: tuple[tuple[bool, int, int], Replay] | None = None
    config = RaceConfig(course=course, players=(str(policy), *RIVALS))
    with Progress("races") as progress:
        for number in range(races):
            replay = race(replace(config, seed=UNSEEN + number))
            own = next(line for line in standings(replay) if line.player == str(policy))
            rank = own.state == "winner", own.flags, -own.turns
            if best is None or rank > best[0]:
                best = rank, replay
            progress(number + 1, races)
    assert best is not None  # there is at least one race
    return best[1]
