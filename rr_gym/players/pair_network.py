"""A small network that predicts which of two robots finishes ahead; trials of turns value positions by it.

Expected turns say how long each robot would need alone. The network also takes into account how close the end is, what
damage and lost lives cost, and where two robots stand to each other. `tools/learn_pair_network.py` trains it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.frame import frame_of, offset
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.players.race_values import WIN, chance_to_be_first, turns_to_go, value_of
from rr_gym.rules.state.records import GameRecord, Robot
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.teams import mates
from rr_gym.solo.turn_tables import ExpectedTurns
from rr_gym.solo.value_iteration import TURN

Array = np.ndarray[Any, Any]

WEIGHTS_FILE = Path(__file__).with_name("pair_network.npz")

_CONDITION = (
    "damage", "locked_registers", "last_life", "second_last_life", "powered_down", "virtual", "may_face", "off_board"
)  # fmt: skip
_SIGHT = ("forward", "aside", "straight_ahead")  # where one robot sees the other
FACTS = (
    "turns", "rival_turns", "lead",
    *_CONDITION, *(f"rival_{name}" for name in _CONDITION),
    "near", "adjacent", *_SIGHT, *(f"rival_{name}" for name in _SIGHT),
    "same_flag", "turns_up_to_1.5", "rival_turns_up_to_1.5", "turns_around_1", "rival_turns_around_1", "further_rivals",
)  # fmt: skip
NUM_FACTS = len(FACTS)
LEAD = FACTS.index("lead")
_OWN, _RIVAL = FACTS.index("damage"), FACTS.index("rival_damage")
_NEAR, _SEES, _SEEN = FACTS.index("near"), FACTS.index("forward"), FACTS.index("rival_forward")
_SAME_FLAG = FACTS.index("same_flag")
_MAX_TURNS, _MAX_LEAD, _MAX_DISTANCE, _MAX_SIGHT = 16, 4, 8, 6


class PairNetwork(NamedTuple):
    """The weights of a network with one hidden layer, and scratch arrays; all are float32.

    Attributes:
        facts: (facts,): scratch.
        hidden: (units,): scratch.
        first: (facts, units): the weights of the hidden layer, whose activation is ReLU.
        bias: (units,): its bias.
        last: (units,): the weights from the hidden layer to the lead.
        direct: (facts,): the weights from the facts to the lead.
        rest: (1,): the bias of the lead.
    """

    facts: Array
    hidden: Array
    first: Array
    bias: Array
    last: Array
    direct: Array
    rest: Array


@cache
def _shipped_weights() -> dict[str, Array]:
    with np.load(WEIGHTS_FILE) as file:
        return {name: file[name] for name in file.files}


def shipped_network() -> PairNetwork:
    """Return the network that ships with the package, with scratch arrays of its own."""
    return network_of(_shipped_weights())


@cache
def no_network() -> PairNetwork:
    """Return an empty network, with which `network_value` counts expected turns alone."""
    units, facts = np.zeros(0, np.float32), np.zeros(NUM_FACTS, np.float32)
    return PairNetwork(facts, units, np.zeros((NUM_FACTS, 0), np.float32), units, units, facts, np.zeros(1, np.float32))


def network_of(weights: dict[str, Array]) -> PairNetwork:
    """Return a network with the given weights, the fields of `PairNetwork` from `first` to `rest` by name.

    Raises:
        ValueError: An array has the wrong shape, as with the weights of a network that reads other facts.
    """
    units = len(weights["bias"])
    shapes = {"first": (NUM_FACTS, units), "last": (units,), "direct": (NUM_FACTS,), "rest": (1,)}
    for name, shape in shapes.items():
        if weights[name].shape != shape:
            raise ValueError(f"weights of the pair network: {name}: shape {weights[name].shape}: expected {shape}")
    return PairNetwork(np.zeros(NUM_FACTS, np.float32), np.zeros(units, np.float32), **weights)


@kernel
def write_condition(robot: Robot, out: Array) -> None:
    """Write the condition of one robot, the facts named in `_CONDITION`."""
    out[0] = robot.damage / 4
    out[1] = max(robot.damage - 4, 0) / 2
    out[2] = robot.lives == 1
    out[3] = robot.lives == 2
    out[4] = robot.down > 0
    out[5] = robot.virtual > 0
    out[6] = robot.may_face > 0 and robot.alive > 0
    out[7] = not robot.alive


@kernel
def write_sight(game: GameRecord, table: Table, robot: Robot, other: Robot, near: float, out: Array) -> None:
    """Write how far forward and aside a robot sees another, and whether it is straight ahead.

    Both distances are multiplied by `near`, so that they fade out with distance.
    """
    forward, right = offset(game, table, frame_of(game, table, robot), int(other.square))
    out[0] = max(-_MAX_SIGHT, min(_MAX_SIGHT, forward)) * near / _MAX_SIGHT
    out[1] = min(_MAX_SIGHT, abs(right)) * near / _MAX_SIGHT
    out[2] = right == 0 and 0 < forward <= _MAX_SIGHT


@kernel
def write_pair_facts(
    game: GameRecord, table: Table, seat: int, rival: int, need: int, rival_need: int, out: Array
) -> None:
    """Write `FACTS` of two robots between two turns.

    Args:
        game: The game.
        table: Its course.
        seat: One robot.
        rival: The other robot.
        need: The expected turns that the first one needs, in 1/256.
        rival_need: The expected turns that the other needs, in 1/256.
        out: float32, (facts,): overwritten.
    """
    out[:] = 0
    robot, other = game.robots[seat], game.robots[rival]
    turns, rival_turns = need / TURN, rival_need / TURN
    out[0] = min(_MAX_TURNS, turns) / 4
    out[1] = min(_MAX_TURNS, rival_turns) / 4
    out[LEAD] = max(-_MAX_LEAD, min(_MAX_LEAD, rival_turns - turns))
    write_condition(robot, out[_OWN:])
    write_condition(other, out[_RIVAL:])
    if robot.alive and other.alive and not robot.virtual and not other.virtual:
        forward, right = offset(game, table, frame_of(game, table, robot), int(other.square))
        distance = abs(forward) + abs(right)
        near = max(0, _MAX_DISTANCE - distance) / _MAX_DISTANCE
        out[_NEAR] = near
        out[_NEAR + 1] = distance <= 2
        write_sight(game, table, robot, other, near, out[_SEES:])
        write_sight(game, table, other, robot, near, out[_SEEN:])
    out[_SAME_FLAG] = goal_of(game, table, seat) == goal_of(game, table, rival)
    out[_SAME_FLAG + 1] = min(1.5, turns) / 1.5
    out[_SAME_FLAG + 2] = min(1.5, rival_turns) / 1.5
    out[_SAME_FLAG + 3] = max(-1.0, min(1.0, 2 * (turns - 1)))
    out[_SAME_FLAG + 4] = max(-1.0, min(1.0, 2 * (rival_turns - 1)))
    left = 0
    for i in range(game.num_robots):
        left += not game.robots[i].out
    out[_SAME_FLAG + 5] = (left - 2) / 2


@kernel
def predicted_lead(
    network: PairNetwork, game: GameRecord, table: Table, seat: int, rival: int, need: int, rival_need: int
) -> np.int64:
    """Return the lead of a robot over a rival, in 1/256 of a turn, that `chance_to_be_first` turns into a probability.

    The arguments after the network are those of `write_pair_facts`.
    """
    facts, hidden = network.facts, network.hidden
    write_pair_facts(game, table, seat, rival, need, rival_need, facts)
    lead = network.rest[0]
    for unit in range(hidden.size):
        hidden[unit] = network.bias[unit]
    for k in range(facts.size):
        fact = facts[k]
        if fact != 0:
            lead += fact * network.direct[k]
            weights = network.first[k]
            for unit in range(hidden.size):
                hidden[unit] += fact * weights[unit]
    for unit in range(hidden.size):
        lead += max(hidden[unit], np.float32(0)) * network.last[unit]
    return np.int64(lead * np.float32(TURN))


@kernel
def network_value(
    network: PairNetwork, game: GameRecord, table: Table, known: ExpectedTurns, flag: int, seat: int, lost: int
) -> np.int64:
    """Return the value of a game after a turn for the seat, from 0 to `WIN`, as the network predicts it.

    The probabilities of finishing ahead of each rival are multiplied. Games of teams are valued by `value_of`, and so
    are all games if the network is empty; the arguments after the network are those of `value_of`.
    """
    if game.over or not network.bias.size or mates(game, seat) != 1 << seat:
        return np.int64(value_of(game, table, known, flag, seat, lost))
    if game.robots[seat].out:
        return np.int64(0)
    need = int(turns_to_go(game, table, known, flag, seat, False))
    value = np.int64(WIN)
    for i in range(game.num_robots):
        if i != seat and not game.robots[i].out:
            rival_need = int(turns_to_go(game, table, known, flag, i, False))
            value = value * chance_to_be_first(predicted_lead(network, game, table, seat, i, need, rival_need)) >> 20
    return value


@kernel
def write_pairs(games: Array, tables: Array, known: ExpectedTurns, course: int, out: Array) -> None:
    """Write `FACTS` of all pairs of robots in the games on a course.

    Args:
        games: (games,), dtype `GAME`, between two turns.
        tables: The courses of the arena.
        known: The expected turns of the course.
        course: Its index; games on other courses are skipped.
        out: float32, (games, robots, robots, facts): written at [game, robot, rival], but for robots that are out.
    """
    table = tables[course]
    for g in range(games.shape[0]):
        game = games[g]
        if game.course != course:
            continue
        for i in range(game.num_robots):
            for j in range(game.num_robots):
                if i != j and not game.robots[i].out and not game.robots[j].out:
                    need = int(turns_to_go(game, table, known, 0, i, False))
                    rival_need = int(turns_to_go(game, table, known, 0, j, False))
                    write_pair_facts(game, table, i, j, need, rival_need, out[g, i, j])
