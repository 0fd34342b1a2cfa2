"""A player that reaches its last flag soonest if nobody gets in its way."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.players.iteration import TURN
from rr_gym.players.protocol import Player, SeatView, decision_pick
from rr_gym.players.search import lone_outcomes
from rr_gym.players.turn_tables import DAMAGED, FARTHEST, LIFE, STEP, ExpectedTurns, expected_turns
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import BEST_CARD, FATAL_DAMAGE, NUM_REGISTERS, ON, RACE
from rr_gym.rules.state.records import Game, Orders, no_orders
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

OUT = 4 * FARTHEST  # eliminated
FLAG_FIRST = FARTHEST  # the value of a flag if expected turns do not include it


def flags_stay(table: Table, game: Game) -> bool:
    """Whether expected turns are valid across flags: in a race whose flags are where they were at the start."""
    settings, course = table.settings, table.course
    moves = settings.moving_flags == ON or settings.rotate_board_on_flag == ON
    here = np.array_equal(game.flag_squares[: course.num_flags], course.flag_squares[: course.num_flags])
    return bool(settings.game == RACE and here and not moves)


def costs(known: ExpectedTurns, outcomes: Array, lives: int, flag: int) -> tuple[Array, Array]:
    """Turns to go, in 1/256, from where outcomes end: two arrays int64, shape (n,).

    Args:
        known: The expected turns of the course.
        outcomes: Shape (n,), dtype `OUTCOME`.
        lives: Of the robot before the turn; -1 if unlimited.
        flag: The additional value of a flag.

    Returns:
        Without a power-down, and with one announced for the next turn.
    """
    goal = outcomes["goal"].astype(np.int64)
    damage = np.minimum(outcomes["damage"], FATAL_DAMAGE - 1)
    on = outcomes["square"] >= 0
    state = np.where(on, outcomes["place"].astype(np.int64) * 4 + outcomes["facing"], -1)
    play, rest = known.turns[damage, goal, state].astype(np.int64), known.down[goal, state].astype(np.int64)
    dead = outcomes["alive"] == 0
    for facing in range(4 if dead.any() else 0):  # after re-entry it may choose any facing
        turned = np.where(on & dead, state & ~3 | facing, state)
        play = np.minimum(play, known.turns[damage, goal, turned])
        rest = np.minimum(rest, known.down[goal, turned])
    # If no route is known, as to flags that belts carry, nearer is better.
    astray = np.where(play >= FARTHEST, STEP * outcomes["steps"].astype(np.int64), 0)
    play, rest = play + astray, rest + astray
    lost = np.where(dead, OUT if lives == 1 else LIFE, 0) - flag * outcomes["flag"].astype(np.int64)
    won = outcomes["won"] > 0
    early = TURN * (outcomes["phases"].astype(np.int64) - NUM_REGISTERS) // NUM_REGISTERS
    play = np.where(won, early - OUT, play + lost + DAMAGED[outcomes["damage"]])
    return play, np.where(won, early - OUT, rest + lost)


class RacerPlayer(Player):
    """Plays the program after which a lone robot would have touched all flags soonest.

    All programs of its hand are played by the rules of the game, with the other robots removed, and valued by the
    expected turns from where they end (`rr_gym.players.turn_tables`), with the cost of damage and destruction in turns.
    It announces a power-down of one turn when that saves turns. Where the facing may be chosen (U28), all four are
    tried. It uses option cards that work by themselves, and stores its best unused cards.
    """

    name = "racer"

    def orders(self, view: SeatView) -> Orders:
        """The orders for one turn, see `Player.orders`."""
        return self._decide(view.arena, view.record, view.seat)

    def act(self, arena: Arena, games: Array, seat: int) -> Array:
        """The orders of one seat in a batch, see `Player.act`."""
        orders = no_orders(len(games), full=True)
        for i, game in enumerate(games):
            orders[i] = self._decide(arena, game, seat)
        return orders

    def _decide(self, arena: Arena, game: Game, seat: int) -> Orders:
        """The orders of a seat. This reads only what the seat sees: `lone_outcomes` uses nothing else."""
        order = no_orders(1, full=True)[0]
        robot = game.robots[seat]
        if not robot.alive or robot.down or game.over:
            return order  # whatever hurts it while it is down would hurt it again: it never stays down
        table, known = arena.tables[game.course], expected_turns(arena, int(game.course))
        outcomes, facings = lone_outcomes(table, game, seat)
        if not len(outcomes):
            return order
        play, rest = costs(known, outcomes, int(robot.lives), 0 if flags_stay(table, game) else FLAG_FIRST)
        if table.settings.power_down != ON:
            rest = play
        best = np.minimum(play, rest)
        best = np.flatnonzero(best == best.min())
        pick = best[decision_pick(game, seat, self.seed, len(best))]
        order.facing = facings[pick]
        order.program[:] = np.where(robot.locked >> np.arange(NUM_REGISTERS) & 1, 0, outcomes["program"][pick])
        order.power_down = rest[pick] < play[pick]
        if robot.options:
            order.conditional = order.flywheel = BEST_CARD
        return order
