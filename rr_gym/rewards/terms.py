"""Rewards: a weighted sum of named terms, computed from what a turn has changed (docs/environment.md)."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.compilation.records import Record, f8, i1, shape, u1
from rr_gym.encoding.observe.game_states import goal_of
from rr_gym.encoding.teams import flags_done, flags_to_do, side_is_out
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr, truth_value
from rr_gym.rewards.lead import leads
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.floor.ground import standing_place
from rr_gym.rules.state.constants import MAX_ROBOTS, UNLIMITED
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.teams import mates
from rr_gym.solo.distances import UNREACHABLE, path_distances

Array = np.ndarray[Any, Any]

TERMS = (
    "place",  # 1 for the first place to -1 for the last, once, when the robot's place is decided
    "win",  # 1 for winning
    "flag",  # flags touched in the turn, by the robot or its team
    "progress",  # gamma * potential after the turn - potential before it
    "damage",  # points of damage more than before the turn
    "destroyed",  # lives lost in the turn
    "turn",  # 1 in every turn
    "lead",  # gamma * lead after the turn - lead before it
)
PLACE, WIN, FLAG, PROGRESS, DAMAGE, DESTROYED, TURN, LEAD = range(len(TERMS))
PRESETS: dict[str, dict[str, float]] = {"sparse": {"place": 1.0}, "shaped": {"place": 1.0, "progress": 1.0}}


class Memory(Record):
    """What rewards remember of each robot from one turn to the next."""

    potential: RecordArray[f8] = shape(MAX_ROBOTS)
    flag: RecordArray[i1] = shape(MAX_ROBOTS)
    damage: RecordArray[i1] = shape(MAX_ROBOTS)
    lives: RecordArray[i1] = shape(MAX_ROBOTS)
    lead: RecordArray[f8] = shape(MAX_ROBOTS)
    settled: u1  # bit i: robot i has had its last reward


MEMORY = Memory.dtype


class RewardError(RoboRallyError):
    """An unknown preset, term or weight."""


@dataclass(frozen=True, slots=True)
class RewardSpec:
    """A reward as weights of terms.

    Attributes:
        weights: float64, (len(TERMS),): one weight per name of `TERMS`.
        gamma: Discount of the terms `progress` and `lead`; use the learner's.
        zero_sum: Whether to subtract the mean over all robots still in the game from every reward, so that rewards add
            up to 0.
    """

    weights: Array
    gamma: float
    zero_sum: bool


def reward_spec(reward: str | Mapping[str, Any], gamma: float = 0.99) -> RewardSpec:
    """Make a specification from the name of a preset, or from weights by term with an optional ``zero_sum``.

    Raises:
        RewardError: The preset, a term, a weight or `gamma` is not valid.
    """
    if isinstance(gamma, bool) or not isinstance(gamma, Real) or not 0 <= gamma <= 1:
        raise RewardError(f"gamma: {short_repr(gamma)}: expected a number from 0 to 1")
    if isinstance(reward, str):
        if reward not in PRESETS:
            raise RewardError(f"reward: {short_repr(reward)}: expected {' | '.join(PRESETS)}, or weights by term")
        reward = PRESETS[reward]
    if not isinstance(reward, Mapping):
        raise RewardError(f"reward: {short_repr(reward)}: expected the name of a preset, or weights by term")
    weights = np.zeros(len(TERMS))
    for name, weight in reward.items():
        if name == "zero_sum":
            continue
        if name not in TERMS:
            hint = did_you_mean(name, (*TERMS, "zero_sum")) or f"expected {', '.join(TERMS)} or zero_sum"
            raise RewardError(f"reward: unknown term {short_repr(name)}: {hint}")
        if isinstance(weight, bool) or not isinstance(weight, Real) or not abs(weight) <= sys.float_info.max:
            raise RewardError(f"reward: term '{name}': {short_repr(weight)}: expected a finite number")
        weights[TERMS.index(name)] = weight
    zero_sum = truth_value("reward: zero_sum", reward.get("zero_sum", False), RewardError)
    return RewardSpec(weights, float(gamma), zero_sum)


class Rewards:
    """Computes the rewards of batches of games on one arena.

    Args:
        arena: Where the games are played.
        spec: The terms and their weights.
        own: Whether only the rules write to the games, so that the games need no validation.

    Attributes:
        terms: The names of the terms with a nonzero weight, in the order of `TERMS`.
        used: Their indices in `TERMS`.
        near: `closeness` of the tables, for kernels; empty if the term `progress` has no weight.

    Raises:
        RewardError: The term `destroyed` has a weight but lives are unlimited: then games do not count lost lives.
    """

    def __init__(self, arena: Arena, spec: RewardSpec, own: bool = False) -> None:
        self.arena = arena
        self.own = own
        self.spec = spec
        if spec.weights[DESTROYED] and any(s.lives == "unlimited" for s in arena.settings):
            raise RewardError("reward: term 'destroyed' counts lives: expected a limited number of lives")
        self.near = closeness(arena.tables) if spec.weights[PROGRESS] else np.zeros((0, 0, 0, 0))
        self.used = np.flatnonzero(spec.weights)
        self.terms = tuple(TERMS[k] for k in self.used)

    def start(self, games: Array) -> Array:
        """Return the memory of games that begin: shape (n,), dtype `MEMORY`."""
        memory = np.zeros(len(games), MEMORY)
        self.restart(games, memory, np.ones(len(games), np.bool_))
        return memory

    def restart(self, games: Array, memory: Array, mask: Array) -> None:
        """Reset the memory of the games that begin, which `mask` selects (bool, (n,))."""
        if not self.own:
            self.arena.check(games)
        remember(games, self.arena.tables, self.near, self._leads(games, mask), mask, memory)

    def _leads(self, games: Array, mask: Array) -> Array:
        """Return the leads in the selected games, float64, (n, 8); zeros if the reward does not use them."""
        return leads(self.arena, games, mask) if self.spec.weights[LEAD] else np.zeros((len(games), MAX_ROBOTS))

    def after_turn(
        self,
        games: Array,
        memory: Array,
        truncated: Array,
        out: Array,
        played: Array | None = None,
        terms: Array | None = None,
    ) -> Array:
        """Write the rewards of the turn that was just played into `out`, and update `memory`.

        Args:
            games: (n,), dtype `GAME`, after the turn.
            memory: (n,), dtype `MEMORY`, as it was after the previous turn; updated in place.
            truncated: (n,), bool: whether the game is truncated here. Its robots are then placed by their current
                standing.
            out: (n, seats), float64: overwritten. Seats that have already received their last reward get 0.
            played: (n,), bool: the games in which the turn was played; the others get 0. None for all.
            terms: (n, seats, len(self.terms)), float64: overwritten with what each term contributes to the reward. None
                to skip this.

        Returns:
            The current places; see `Arena.placements`.
        """
        spec = self.spec
        places = self.arena.placements_unchecked(games) if self.own else self.arena.placements(games)
        played = np.ones(len(games), np.bool_) if played is None else played
        terms = np.empty((*out.shape, 0)) if terms is None else terms
        write_rewards(
            games, self.arena.tables, self.near, self._leads(games, played), places, played, truncated,
            spec.weights, spec.gamma, spec.zero_sum, memory, out, self.used, terms,
        )  # fmt: skip
        return places


def closeness(tables: Array) -> Array:
    """Return how close every square is to every flag along the shortest way of a robot that is alone on the course.

    Returns:
        float64, (courses, flags, places, 4), indexed by course, flag - 1, place (`rules.floor.ground.standing_place`)
        and facing: 1 on the flag, decreasing linearly with the number of registers needed, 0 where no way leads to the
        flag.
    """
    distances = [path_distances(table) for table in tables]
    shape = (len(tables), max(d.shape[0] for d in distances), max(d.shape[1] for d in distances), 4)
    near = np.zeros(shape)
    for k, flags in enumerate(distances):
        for f, distance in enumerate(flags):
            reachable = distance < UNREACHABLE
            longest = int(distance[reachable].max())
            near[k, f, : len(distance)] = np.where(reachable, 1 - distance / (longest + 1), 0)
    return near


@kernel
def potential(game: GameRecord, table: Table, near: Array, robot: int) -> float:
    """Return the fraction of flags touched, counting the closeness of the next one, from 0 to 1.

    It is 0 when the game is over for the robot or no flag is left to touch (R-A12, U31). A robot that may still choose
    its facing is valued at the best one.
    """
    body = game.robots[robot]
    flags = flags_to_do(game, table, robot)
    goal = goal_of(game, table, robot)
    if game.over or body.out or flags == 0 or near.size == 0 or goal >= table.course.num_flags:
        return 0.0
    place = standing_place(game, table, robot) if body.square >= 0 else body.archive
    best = near[game.course, goal, place, body.facing]
    if body.may_face:
        for facing in range(4):
            best = max(best, near[game.course, goal, place, facing])
    return float((flags_done(game, table, robot) + best) / flags)


@kernel
def remember_seats(game: GameRecord, table: Table, near: Array, lead: Array, memory: Any) -> None:
    """Record in `memory` what the rewards of the next turn compare each robot with."""
    for i in range(game.num_robots):
        robot = game.robots[i]
        memory.potential[i] = potential(game, table, near, i)
        memory.flag[i] = flags_done(game, table, i)
        memory.damage[i] = robot.damage
        memory.lives[i] = robot.lives
        memory.lead[i] = lead[i]


@kernel
def remember(games: Array, tables: Array, near: Array, lead: Array, mask: Array, memory: Array) -> None:
    """Reset the memory of the selected games, all of which begin."""
    for g in range(games.shape[0]):
        if mask[g]:
            memory[g].settled = 0
            remember_seats(games[g], tables[games[g].course], near, lead[g], memory[g])


@kernel
def place_value(game: GameRecord, places: Array, settled: int, robot: int) -> float:
    """Return the value of a robot's place among the robots not settled before: from 1 for the first to -1 for the last.

    Values are evenly spaced. Robots that share a place get the mean of the places they take up, so that values add up
    to 0. A robot that is alone in its game gets 1 when it has won, -1 when it is eliminated, and else 0.
    """
    if game.num_robots == 1:
        return 1.0 if game.winners else (-1.0 if game.robots[0].out else 0.0)
    ahead = 0
    level = 0
    for j in range(game.num_robots):
        if not settled >> j & 1:
            if places[j] < places[robot]:
                ahead += 1
            elif places[j] == places[robot]:
                level += 1
    return 1.0 - (2.0 * ahead + level - 1.0) / (game.num_robots - 1.0)


@kernel
def value_of_side(game: GameRecord, places: Array, settled: int, robot: int) -> float:
    """Return the mean place value of a robot and its teammates (R-G2.1), or its own without teams."""
    side = mates(game, robot)
    total = 0.0
    count = 0
    for i in range(game.num_robots):
        if side >> i & 1:
            total += place_value(game, places, settled, i)
            count += 1
    return total / count


@kernel
def write_seat(
    game: GameRecord, robot: int, flags: int, weights: Array, gamma: float, before: Any, now: float, lead: float,
    place: float, out: Array,
) -> float:  # fmt: skip
    """Write the weighted terms of one robot into `out`, (len(TERMS),), and return their sum.

    `before` is the game's memory. After the turn, `flags` is the number of flags touched, `now` the potential and
    `lead` the lead of the robot. `place` is the value of its place if that has just been decided, else 0.
    """
    body = game.robots[robot]
    more_damage = max(0, int(body.damage) - int(before.damage[robot]))
    whole = body.lives == before.lives[robot] or body.lives == UNLIMITED
    out[PLACE] = weights[PLACE] * place
    out[WIN] = weights[WIN] * (game.winners >> robot & 1)
    out[FLAG] = weights[FLAG] * (flags - int(before.flag[robot]))
    out[PROGRESS] = weights[PROGRESS] * (gamma * now - before.potential[robot])
    out[DAMAGE] = weights[DAMAGE] * more_damage if whole else 0.0
    out[DESTROYED] = 0.0 if whole else weights[DESTROYED]
    out[TURN] = weights[TURN]
    out[LEAD] = weights[LEAD] * (gamma * lead - before.lead[robot])
    sum_of_all = out[PLACE] + out[WIN]
    sum_of_all += out[FLAG] + out[TURN]
    return float(sum_of_all + out[PROGRESS] + (out[DAMAGE] + out[DESTROYED]) + out[LEAD])


@kernel
def subtract_mean(values: Array, settled: int, num_robots: int) -> None:
    """Subtract from the values of all robots that are not settled their mean."""
    total = 0.0
    count = 0
    for i in range(num_robots):
        if not settled >> i & 1:
            total += values[i]
            count += 1
    for i in range(num_robots):
        if not settled >> i & 1:
            values[i] -= total / count


@kernel
def write_rewards(
    games: Array,
    tables: Array,
    near: Array,
    lead: Array,
    places: Array,
    played: Array,
    truncated: Array,
    weights: Array,
    gamma: float,
    zero_sum: bool,
    memory: Array,
    out: Array,
    used: Array,
    terms: Array,
) -> None:
    """Compute `Rewards.after_turn` for a batch of games.

    `used` holds the index in `TERMS` of each entry of the last axis of `terms`.
    """
    parts = np.zeros(weights.size)
    for g in range(games.shape[0]):
        game = games[g]
        table = tables[game.course]
        before = memory[g]
        out[g] = 0.0
        terms[g] = 0.0
        if not played[g]:
            continue
        settled = int(before.settled)
        total = 0.0
        paid = 0
        for i in range(game.num_robots):
            if settled >> i & 1:
                continue
            last = game.over > 0 or truncated[g] or side_is_out(game, i)
            place = value_of_side(game, places[g], settled, i) if last else 0.0
            now = potential(game, table, near, i)
            flags = flags_done(game, table, i)
            out[g, i] = write_seat(game, i, flags, weights, gamma, before, now, lead[g, i], place, parts)
            for k in range(terms.shape[2]):
                terms[g, i, k] = parts[used[k]]
            total += out[g, i]
            paid += 1
            if last:
                before.settled |= 1 << i
        if zero_sum and paid:
            for i in range(game.num_robots):
                if not settled >> i & 1:
                    out[g, i] -= total / paid
            for k in range(terms.shape[2]):
                subtract_mean(terms[g, :, k], settled, int(game.num_robots))
        remember_seats(game, table, near, lead[g], before)
