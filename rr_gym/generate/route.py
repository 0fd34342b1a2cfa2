"""Find a route through a course: cards that lead a lone robot over all flags."""

from __future__ import annotations

import numpy as np

from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.robot.health import UNDAMAGED_REGISTERS
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, NO_CARD, NUM_REGISTERS
from rr_gym.rules.state.records import GAME, GameRecord, new_log, no_orders
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.end_of_turn import end_turn
from rr_gym.rules.turn.planning import program
from rr_gym.rules.turn.turn import next_turn, play_phase
from rr_gym.solo.distances import SAMPLE_CARDS, UNREACHABLE, alone, phase_distances


def find_route(table: Table, game: GameRecord, seat: int) -> list[str] | None:
    """Return cards with which the seat's robot, alone on the board, touches all flags in order.

    The search is greedy: in each phase it takes the card that leaves the shortest path distance and, among equals,
    costs the least damage. The rules play the route turn by turn, so damage and repairs count. No register may ever be
    locked.

    Args:
        table: The course, compiled with its settings.
        game: One `GAME` record between turns; not changed.
        seat: The seat of the robot, from 0.

    Returns:
        Names of card types, five per turn (the last turn may be shorter); None if no route was found.
    """
    distances = phase_distances(table)
    log = new_log(on=False)[0]
    orders = no_orders(8, full=True)
    games = np.zeros(len(CARD_TYPE_NAMES), GAME)  # one trial for each type of card; game 0 holds the route so far
    games[NO_CARD] = alone(game, seat)
    names: list[str] = []
    program(games[NO_CARD], table, orders, log)
    while not games[NO_CARD].over:
        phase = len(names) % NUM_REGISTERS
        options = []
        for kind in range(1, len(CARD_TYPE_NAMES)):
            games[kind] = games[NO_CARD]
            trial, robot = games[kind], games[kind].robots[0]
            trial.phase = phase + 1
            robot.registers[phase] = SAMPLE_CARDS[kind]
            play_phase(trial, table, log)
            if robot.alive and robot.damage <= UNDAMAGED_REGISTERS:
                flag, place = int(robot.flag), (int(standing_place(trial, table, 0)), int(robot.facing))
                left = 0 if trial.over else int(distances[(flag, *place, (phase + 1) % NUM_REGISTERS)])
                options.append((-flag, left, int(robot.damage), kind))
        if not options or min(options)[1] == UNREACHABLE or len(names) > _longest(distances):
            return None
        kind = min(options)[-1]
        names.append(CARD_TYPE_NAMES[kind])
        games[NO_CARD] = games[kind]
        if phase + 1 == NUM_REGISTERS and not games[NO_CARD].over:
            end_turn(games[NO_CARD], table, orders, log)
            if games[NO_CARD].over:
                return None
            next_turn(games[NO_CARD], table, orders, log)
            program(games[NO_CARD], table, orders, log)
    return names


def _longest(distances: np.ndarray) -> int:
    """Return the maximum length of a route that follows the path distances; the search gives up on longer ones."""
    reachable = np.where(distances < UNREACHABLE, distances, 0)
    return int(reachable.reshape(len(distances), -1).max(axis=1).sum()) + len(distances)
