"""Placement: how the robots of a game rank, now or at its end (U32)."""

from __future__ import annotations

from rr_gym.jit import kernel
from rr_gym.rules.placing import distance_to_flag
from rr_gym.rules.records import GameRecord, TableRecord


@kernel
def compare(game: GameRecord, table: TableRecord, a: int, b: int) -> int:
    """Positive when robot a ranks before robot b, 0 when they share a place (U32)."""
    one = game.robots[a]
    two = game.robots[b]
    order = (game.winners >> a & 1) - (game.winners >> b & 1)
    if order == 0:
        order = int(two.out) - int(one.out)
    if order == 0:
        order = int(one.flag) - int(two.flag)
    if order == 0 and one.out:
        order = int(one.out_turn) - int(two.out_turn)
        if order == 0:
            order = int(one.out_phase) - int(two.out_phase)
    elif order == 0:
        # A destroyed robot that has lives left ranks from its archive, where it would come back.
        here = one.square if one.alive else one.archive
        there = two.square if two.alive else two.archive
        order = distance_to_flag(game, table, there, two.flag) - distance_to_flag(game, table, here, one.flag)
    return order


@kernel
def place_of(game: GameRecord, table: TableRecord, robot: int) -> int:
    """1 for the best; robots that rank the same share the better place."""
    place = 1
    for i in range(game.num_robots):
        if compare(game, table, i, robot) > 0:
            place += 1
    return place
