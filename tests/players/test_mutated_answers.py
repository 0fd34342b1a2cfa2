"""Mutated answers of programs: each is used or lost and reported.

For more of them: PYTHONPATH=tests/helpers python tests/players/test_mutated_answers.py 10000
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from programs import COURSE, LOST, InMemoryPlayer, mutated_answer, play, written

from rr_gym.compilation.kernels import COMPILED
from rr_gym.encoding.orders.legal_orders import resolve_orders
from rr_gym.players.program import ProgramPlayer
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import no_orders


@pytest.fixture(scope="module")
def arena() -> Arena:
    return Arena(COURSE)


def check_mutated_answers(count: int, arena: Arena) -> ProgramPlayer:
    """So many mutated answers: each is either used or lost and reported, and games go on all the time."""
    rng = random.Random(1)
    lines: list[bytes] = []

    def answer(turn: dict[str, Any]) -> bytes:
        lines.append(mutated_answer(turn, rng))
        return lines[-1]

    player = InMemoryPlayer(answer, starts=10**9, seconds=60.0)
    games = arena.new_games(8, 2, seed=1)
    while player.decisions < count:
        orders = no_orders(len(games), full=True)
        for i in np.flatnonzero(games["robots"]["out"][:, 0] == 0):
            lost, reports = player.faults.total(), list(player.reports)
            order = orders[i] = player.act(arena, games[i : i + 1], 0)[0]
            if player.faults.total() == lost:
                said = json.loads(lines[-1])
                assert said["id"] == player.decisions
                wanted = {0: said["orders"]}
                assert order == resolve_orders(wanted, games[i], arena.settings[0], arena.tables[0])[0]
            else:
                assert player.faults.total() == lost + 1
                assert order == LOST
                assert list(player.reports)[-3:] != reports[-3:]
        turns = games["turn"].copy()
        play(arena, games, orders)
        assert ((games["turn"] == turns + 1) | games["over"].astype(bool)).all()
        arena.restart(games, games["over"].astype(bool))
    return player


def arenas() -> list[Arena]:
    return [Arena(COURSE), Arena("everything", {"option_cards": "on", "start_options": 3})]


@pytest.mark.parametrize("count", [440 if COMPILED else 20, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("which", [0, 1] if COMPILED else [0])
def test_mutated_answers_are_used_or_reported(which: int, count: int) -> None:
    player = check_mutated_answers(count, arenas()[which])
    if COMPILED:
        assert {"not JSON", "not an answer", "illegal order"} <= player.faults.keys()
        assert 0.75 * count < player.faults.total() < count


def test_a_process_of_mutated_answers(arena: Arena, tmp_path: Path) -> None:
    code = """
import random
rng = random.Random(4)
for turn in turns():
    line = bytearray(json.dumps({"id": turn["id"], "orders": {"program": turn["legal"]["cards"][:5]}}).encode())
    for _ in range(rng.randint(0, 4)):
        line[rng.randrange(len(line))] = rng.randrange(256)
    sys.stdout.buffer.write(line + b"\\n")
    sys.stdout.flush()
"""
    player = written(tmp_path, code, seconds=0.5)
    games = arena.new_games(30, 2, seed=1)
    for _ in range(10):
        orders = player.act(arena, games, 0)
        assert (orders == LOST).any()
        play(arena, games, orders)
        arena.restart(games, games["over"].astype(bool))
    player.close()
    assert player.decisions == 300
    assert 100 < player.faults.total() < 300
    assert "crash" not in player.faults


if __name__ == "__main__":  # PYTHONPATH=tests/helpers python tests/players/test_mutated_answers.py 10000
    for place in arenas():
        result = check_mutated_answers(int(sys.argv[1]), place)
        print(f"{place.courses[0].id}: {result.decisions:,} mutated answers: {dict(result.faults)}")
