"""Measure what protocol 2 costs: previews, messages, and games with a bot that `rr-gym bot new` writes.

    python tools/protocol_costs.py

prints the time of a preview as a program waits for it, the sizes of messages, and duels a minute against `greedy`,
whose decisions take next to no time. Everything runs on one core (`OMP_NUM_THREADS=1 taskset -c 0 python tools/...`).
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

from rr_gym.bots import new_bot, open_bot
from rr_gym.evaluation import Match
from rr_gym.players.program import ProgramPlayer
from rr_gym.players.transcript import TO, Transcript
from rr_gym.rules.arena.arena import Arena

GAMES, ROUNDS, MANY = 200, 200, 200
COURSE = "risky_exchange"
PROGRAM = f"""
import json, sys, time

def ask(turn, orders):
    sys.stdout.write(json.dumps({{"id": turn["id"], "preview": orders}}) + "\\n")
    sys.stdout.flush()
    return json.loads(sys.stdin.readline())["results"]

for line in sys.stdin:
    turn = json.loads(line)
    if turn["type"] == "turn":
        orders = {{"program": turn["legal"]["program"]["cards"][:5]}}
        ask(turn, [orders])
        begin = time.perf_counter()
        for _ in range({ROUNDS}):
            ask(turn, [orders])
        single = (time.perf_counter() - begin) / {ROUNDS}
        begin = time.perf_counter()
        ask(turn, [orders] * {MANY})
        print(json.dumps([single, (time.perf_counter() - begin) / {MANY}]), file=sys.stderr, flush=True)
        print(json.dumps({{"id": turn["id"], "orders": orders}}), flush=True)
"""


def previews(folder: Path) -> None:
    """Print the time of previews, over some turns."""
    (folder / "asks.py").write_text(PROGRAM)
    player = ProgramPlayer([sys.executable, str(folder / "asks.py")], 60.0, protocol=2, sandbox="none")
    player.transcript = Transcript()
    arena = Arena(COURSE)
    for seed in range(10):
        player.act(arena, arena.new_games(1, 4, seed=seed), 0)
    player.close()
    times = np.array([json.loads(line.line) for line in player.transcript.lines if line.way == "!"]) * 1000
    low, middle, high = np.quantile(times, (0.1, 0.5, 0.9), axis=0)
    for name, k in (("one by one", 0), (f"in a list of {MANY}", 1)):
        print(f"a preview, {name}: {middle[k]:.2f} ms (80 % of {len(times)} turns: {low[k]:.2f} to {high[k]:.2f})")


def games(folder: Path) -> None:
    """Print the speed of games with a new bot, and the sizes of what it is told."""
    new_bot(folder / "mybot", "python")
    bot = open_bot(str(folder / "mybot"), 10.0)
    bot.transcript = Transcript()
    begin = time.perf_counter()
    match = Match(bot, ["greedy"], course=COURSE, games=GAMES)
    match.play()
    took = time.perf_counter() - begin
    speed = f"{60 * GAMES / took:.0f} a minute, {bot.decisions} decisions, {1000 * took / bot.decisions:.1f} ms each"
    print(f"{GAMES} duels of a new Python bot ({bot.sandbox}): {speed}, {sum(bot.faults.values())} lost")
    sizes: defaultdict[str, list[int]] = defaultdict(list)
    for line in bot.transcript.lines:
        if line.way == TO:
            sizes[json.loads(line.line)["type"]].append(len(line.line))
    for kind, found in sizes.items():
        print(f"{kind}: {len(found)} messages, {np.mean(found):,.0f} bytes on average")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        previews(Path(name))
        games(Path(name))
