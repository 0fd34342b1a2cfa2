"""Pages for the browser tests: `python tests/browser/pages.py FOLDER` writes them.

`long.html` has 300 turns of eight robots on every element with option cards, `short.html` a race of four players,
`part.html` its first turns, `analysis.html` its analysis by a hasty judge, `eight.html` a race of eight, `start.html` a
position without a turn, `frame.html` a replay as notebooks show it, and `tournament/` a tournament.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import rr_gym
from rr_gym.analysis import analyse, analysis_html
from rr_gym.cli.main import main as command
from rr_gym.players import PlannerPlayer
from rr_gym.race import RaceConfig, race
from rr_gym.replay import Replay, to_html
from rr_gym.rules.state.constants import GADGET_NAMES

NAMES = (
    "greedy", "random", "racer", "runs/champion/best/policy.zip", "planner:20k", "search", "human",
    "a player with a long name",
)  # fmt: skip


def played(course: str, num_robots: int, turns: int, seed: int, **settings: Any) -> Replay:
    """Return the replay of a game of random programs."""
    arena = rr_gym.Arena(course, settings)
    games = arena.new_games(1, num_robots, seed=seed)
    orders, logs = rr_gym.no_orders(1, 8, full=True), rr_gym.new_log()
    recorder = rr_gym.Recorder(arena, games, players=NAMES[:num_robots])
    random = np.random.default_rng(seed)
    for _ in range(turns):
        if games["over"][0]:
            break
        arena.random_orders(games, orders, random.integers(2**63, size=1, dtype=np.uint64))
        orders["gadget"] = random.integers(0, len(GADGET_NAMES), orders["gadget"].shape)  # ignored unless owned
        arena.play(games, orders, logs=logs)
        recorder.add(orders, logs)
    return recorder.replay(games, reveal=True)


def main(folder: Path) -> None:
    """Write the pages."""
    folder.mkdir(parents=True, exist_ok=True)
    short = race(RaceConfig("risky_exchange", ("champion", "planner", "racer", "greedy"), seed=7))
    long = played("everything", 8, 300, 7, lives="unlimited", option_cards="on", max_options=6)
    eight = race(RaceConfig("risky_exchange", ("racer", "greedy", "random", "racer") * 2, seed=7))
    pages = {
        "long": to_html(long, hands=True),
        "short": to_html(short, hands=True),
        "eight": to_html(eight),
        "analysis": analysis_html(analyse(short, PlannerPlayer(100), deals=8), short),
        "part": to_html(short, 1, 3),
        "start": to_html(played("risky_exchange", 2, 0, 1)),
        "frame": f"<!doctype html><html lang='en'><title>notebook</title><body>{short._repr_html_()}</body></html>",
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    if not (folder / "tournament").exists():
        line = "tournament --players greedy,racer,random --seats 3 --games 36 --course risky_exchange,checkmate"
        command([*line.split(), "--workers", "1", "--out", str(folder / "tournament")])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
