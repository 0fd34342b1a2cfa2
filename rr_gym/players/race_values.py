"""What positions between two turns are worth, by the turns that every robot still needs.

All arithmetic is on integers.
"""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.encoding.teams import flags_done, flags_to_do
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.placing import distance_to_flag
from rr_gym.rules.variants.teams import mates
from rr_gym.solo.turn_tables import DAMAGED, FARTHEST, LIFE, STEP, ExpectedTurns
from rr_gym.solo.value_iteration import TURN

FLAG_COST = 4 * TURN  # the cost of each flag still to touch, where expected turns count only the next flag
WIN = 1 << 20  # the value of a won game; all values are integers from 0 to this


@kernel
def turns_to_go(
    game: GameRecord, table: Table, known: ExpectedTurns, flag: int, seat: int, lost: bool
) -> np.int64:
    """Return the expected turns that a robot needs from the start of a turn, plus the cost of damage and lost lives.

    Both are in units of 1/256 of a turn.
    """
    robot = game.robots[seat]
    cost = DAMAGED[robot.damage]
    if lost:
        cost += LIFE * (4 if robot.lives == 1 else 2 if robot.lives == 2 else 1)
    goal = goal_of(game, table, seat)
    if flag:
        cost += flag * max(0, flags_to_do(game, table, seat) - flags_done(game, table, seat))
    damage = min(robot.damage, known.turns.shape[0] - 1)
    if robot.square < 0:
        return np.int64(cost + known.turns[damage, goal][-1])
    state = standing_place(game, table, seat) * 4
    best = np.int64(2**30)
    for facing in range(4):
        if facing == robot.facing or robot.may_face:
            at = state + facing
            value = known.down[goal, at] if robot.down else known.turns[damage, goal, at]
            best = min(best, np.int64(value))
    if best >= FARTHEST:
        cost += STEP * distance_to_flag(game, table, robot.square, goal)
    return np.int64(cost + best)


@kernel
def chance_to_be_first(lead: np.int64) -> np.int64:
    """Return the probability of beating a rival that needs `lead` more turns, in units of 1 / `WIN`.

    `lead` is in units of 1/256 of a turn. A lead of one turn gives odds of 4 to 1.
    """
    power = min(abs(lead) * 2, np.int64(4095))
    odds = (256 + (power & 255)) << (power >> 8)  # 2 ** (power / 256), in 1/256
    behind = np.int64(WIN) * 256 // (256 + odds)
    return np.int64(WIN) - behind if lead > 0 else behind


@kernel
def value_of(game: GameRecord, table: Table, known: ExpectedTurns, flag: int, seat: int, lost: int) -> np.int64:
    """Return the value of a game after a turn for the seat, from 0 to `WIN`."""
    side = mates(game, seat)
    if game.over:
        return np.int64(WIN) if game.winners >> seat & 1 else np.int64(0)
    own = np.int64(-1)
    for i in range(game.num_robots):
        if side >> i & 1 and not game.robots[i].out:
            need = turns_to_go(game, table, known, flag, i, lost >> i & 1 != 0)
            # The nearest robot of a side counts most, but the distances of its mates count a little, too.
            own = need if own < 0 else min(own, need) + (max(own, need) - min(own, need)) // 4
    value = np.int64(WIN)
    for i in range(game.num_robots):
        if not side >> i & 1 and not game.robots[i].out:
            need = turns_to_go(game, table, known, flag, i, lost >> i & 1 != 0)
            value = value * chance_to_be_first(need - own) >> 20
    return value if own >= 0 else np.int64(0)
