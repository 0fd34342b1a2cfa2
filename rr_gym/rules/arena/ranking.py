"""Placement: how the robots of a game rank, now or at its end (U32)."""

# mutants: no rules: tests/rules/test_placement.py
from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.placing import distance_to_flag
from rr_gym.rules.variants.goals import flags_before_goal


@kernel
def compare(game: GameRecord, table: Table, a: int, b: int) -> int:
    """Return a positive number if robot a ranks before b, 0 if they tie, otherwise a negative number (U32)."""
    one = game.robots[a]
    two = game.robots[b]
    winners = int(game.winners)
    if (winners >> a | winners >> b) & 1:  # robots that win together share the first place
        return (winners >> a & 1) - (winners >> b & 1)
    if one.out != two.out:
        return 1 if two.out else -1
    if one.flag != two.flag:
        return one.flag - two.flag
    if one.out:
        return one.out_turn - two.out_turn if one.out_turn != two.out_turn else one.out_phase - two.out_phase
    # A destroyed robot with lives left ranks by its archive, where it would re-enter.
    here = one.square if one.alive else one.archive
    there = two.square if two.alive else two.archive
    distance = distance_to_flag(game, table, there, flags_before_goal(game, table, b))
    return distance - distance_to_flag(game, table, here, flags_before_goal(game, table, a))


@kernel
def place_of(game: GameRecord, table: Table, robot: int) -> int:
    """Return a robot's place, 1 for the best; tied robots share the better place."""
    place = 1
    for i in range(game.num_robots):
        if compare(game, table, i, robot) > 0:
            place += 1
    return place
