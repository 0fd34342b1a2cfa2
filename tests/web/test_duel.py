"""Tests of the duel without a server: the rules and a player as WebAssembly do what they do here."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tool_modules import SITE, load_tool

from rr_gym.registry import make_player
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import ORDERS, new_log, no_orders

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("node") is None, reason="WebAssembly needs Node.js here: no command node"),
]
EVERY = 100  # turns between two digests, as in digests.js
MOST_TURNS = 100  # of a game
SALT = 7 << 64


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    engine = load_tool("duel_engine", SITE)
    path = tmp_path_factory.mktemp("duel") / "built.json"
    path.write_text(json.dumps(engine.build()), "utf-8")
    return engine, path


def in_node(path: Path, how: str, turns: int) -> list[str]:
    duel = SITE / "duel"
    command = ["node", str(duel / "digests.js"), str(duel / "engine.js"), str(path), how, str(turns)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout.split()


def here(engine: Any, how: str, turns: int) -> list[str]:
    """Return what `digests.js` prints, from games that are played by the native rules and the native player."""
    arenas = [Arena(course) for course in engine.COURSES]
    players = [make_player(engine.PLAYER) for _ in arenas]
    total, found, left, number = hashlib.sha256(), [], turns, 0
    while left:
        course = number % len(arenas)
        arena = arenas[course]
        games = arena.new_games(1, engine.NUM_ROBOTS, seed=number, salt=number**3 | SALT)
        total.update(games.tobytes())
        words, log = np.array([number], np.uint64), new_log()
        for _ in range(MOST_TURNS):
            if not left or games["over"][0]:
                break
            orders = no_orders(1, 8)
            arena.random_orders(games, orders, words)
            if how == "player":
                decided = players[course].act(arena, games, 1).tobytes()[: ORDERS.itemsize]
                total.update(decided)
                orders[0, 1] = np.frombuffer(decided, ORDERS)[0]
            arena.play(games, orders, logs=log)
            total.update(games.tobytes())
            total.update(log["events"][0, : log["count"][0]].tobytes())
            left -= 1
            if left % EVERY == 0:
                found.append(total.copy().hexdigest())
        number += 1
    return found


@pytest.mark.parametrize(("how", "turns"), [("random", 10_000), ("player", 1000)])
def test_games_are_the_same_in_every_byte(built: tuple[Any, Path], how: str, turns: int) -> None:
    engine, path = built
    found = in_node(path, how, turns)
    assert len(found) == turns // EVERY
    assert found == here(engine, how, turns)
