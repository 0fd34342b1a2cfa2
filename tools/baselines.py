"""Train configurations with several seeds, evaluate them, and write the files that docs/baselines.md shows.

    python tools/baselines.py duel four --seeds 0,1,2     train missing runs, then write docs/baselines/
    python tools/baselines.py --tables                    print only the tables, from docs/baselines/*.json

Runs are kept in runs/baselines/CONFIG-SEED; one that was interrupted resumes. For each configuration there is a picture
of the curves, a thinned CSV per seed, and the last evaluation of each seed.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.config import TrainConfig
from agents.curves import ROWS, SHARES, picture, read_curve
from agents.environment import courses_of
from rr_gym.evaluation import evaluate
from rr_gym.progress import Progress

ROOT = Path(__file__).parents[1]
RUNS = ROOT / "runs" / "baselines"
DOCS = ROOT / "docs" / "baselines"
MAX_LINES = 60  # lines of a thinned learning curve, about
UNSEEN = 2_000_000  # the seed of deals that no training uses
GAMES = 400  # games against each rival, on all courses together
RIVALS = ("greedy", "racer", "planner")
OFFICIAL = ["risky_exchange", "island_hop", "chop_shop_challenge", "pilgrimage", "dizzy_dash", "vault_assault"]
COLUMNS = (ROWS, "time/time_elapsed", *SHARES, "rollout/flags", "train/entropy_loss", "train/explained_variance")


def train(config: str, seed: int) -> Path:
    """Train a run unless it is finished, and return its folder."""
    folder = RUNS / f"{config}-{seed}"
    if not (folder / "model.zip").exists():
        resume = ["--resume"] if (folder / "config.yaml").exists() else []
        command = [sys.executable, "-m", "rr_gym", "train", config, "--seed", str(seed), "--out", str(folder), *resume]
        subprocess.run(command, cwd=ROOT, check=True)
    return folder


def keep_curve(folder: Path) -> None:
    """Write the thinned learning curve of a run."""
    lines = read_curve(folder / "progress.csv")
    every = max(1, len(lines) // MAX_LINES)
    kept = [line for k, line in enumerate(lines) if k % every == 0 or k == len(lines) - 1 or line.get("eval/win")]
    columns = [name for name in COLUMNS if name in lines[0]]
    with (DOCS / f"{folder.name}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _short(line[name]) for name in columns} for line in kept)


def _short(cell: str) -> str:
    return f"{float(cell):.6g}" if cell else ""


def measure(folder: Path) -> dict[str, Any]:
    """Evaluate the policy of a run on unseen deals of its courses; return figures with intervals."""
    config = TrainConfig.load(folder / "config.yaml")
    environment = config.environment
    # Policies trained on generated courses are tested on official ones.
    courses = OFFICIAL if isinstance(environment.course, Mapping) else courses_of(config)
    robots = environment.num_robots if isinstance(environment.num_robots, int) else max(environment.num_robots)
    start = time.process_time()
    found: dict[str, Any] = {}
    for rival in RIVALS if robots > 1 else ("",):
        against = [rival] * (robots - 1)
        with Progress() as progress:
            evaluation = evaluate(
                folder / "policy", against, course=courses, games=GAMES, seed=UNSEEN,
                max_cycles=100, settings=dict(environment.settings), report=progress,
            )  # fmt: skip
        own = evaluation.players[0]
        figures = {"win": own.win, "finish": own.finish, "place": own.place, "turns": own.turns, "flags": own.flags}
        found[rival or "alone"] = {k: [round(x, 3) for x in (v.value, v.low, v.high)] for k, v in figures.items() if v}
    last = read_curve(folder / "progress.csv")[-1]
    return {
        "config": folder.name.rpartition("-")[0], "seed": int(folder.name.rpartition("-")[2]), "robots": robots,
        "rows": int(last[ROWS]), "seconds": round(float(last["time/time_elapsed"])), "games": evaluation.total.games,
        "evaluation_seconds": round(time.process_time() - start), "against": found,
    }  # fmt: skip


def tables() -> str:
    """Return the tables of all measured runs in Markdown."""
    measured = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(DOCS.glob("*.json"))]
    lines = _head("configuration", "seed", "robots", "rows", "minutes", "won against greedy", "racer", "planner")
    for run in measured:
        if "alone" in run["against"]:
            continue
        won = [_interval(run["against"][rival]["win"]) for rival in RIVALS]
        head = f"{run['rows']:,} | {run['seconds'] / 60:.1f}"
        lines.append(f"| `{run['config']}` | {run['seed']} | {run['robots']} | {head} | {' | '.join(won)} |")
    lines += ["", *_head("configuration", "seed", "rows", "minutes", "all flags touched", "in turns")]
    for run in measured:
        if "alone" in run["against"]:
            alone = run["against"]["alone"]
            head = f"{run['rows']:,} | {run['seconds'] / 60:.1f} | {_interval(alone['finish'])}"
            lines.append(f"| `{run['config']}` | {run['seed']} | {head} | {alone['turns'][0]:.2f} |")
    return "\n".join(lines)


def _head(*columns: str) -> list[str]:
    return [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]


def _interval(figures: list[float]) -> str:
    value, low, high = figures
    return f"{value:.2f} ({low:.2f} to {high:.2f})"


def main() -> int:
    """Train, evaluate and write the documents."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("configs", nargs="*")
    parser.add_argument("--seeds", default="0,1,2")
    parser.add_argument("--tables", action="store_true")
    given = parser.parse_args()
    DOCS.mkdir(exist_ok=True)
    for seed in map(int, given.seeds.split(",")):
        for config in given.configs:
            folder = train(config, seed)
            keep_curve(folder)
            path = DOCS / f"{folder.name}.json"
            if not path.exists():
                path.write_text(json.dumps(measure(folder), indent=1) + "\n", encoding="utf-8")
            runs = sorted(DOCS.glob(f"{config}-*.csv"))
            title = f"{config}: {len(runs)} seed{'s' * (len(runs) > 1)}"
            (DOCS / f"{config}.svg").write_text(picture([read_curve(run) for run in runs], title), encoding="utf-8")
    print(tables())
    return 0


if __name__ == "__main__":
    sys.exit(main())
