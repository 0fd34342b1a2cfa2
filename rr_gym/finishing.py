"""Find out whether a robot alone on the board can finish the race on a course.

A route, or a finished race, shows that it can. It cannot if some flag is out of reach whatever the cards, even without
locked registers. Otherwise the result is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.courses.tables import ground
from rr_gym.courses.tables.tables import BASE_FEATURES
from rr_gym.errors import RoboRallyError
from rr_gym.generate.route import find_route
from rr_gym.players.racer import RacerPlayer
from rr_gym.progress import waiting
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import FATAL_DAMAGE, MAX_ROBOTS, NUM_REGISTERS, ON, RACE, TOUCH_END
from rr_gym.rules.state.records import no_orders
from rr_gym.rules.state.table import Table
from rr_gym.solo.distances import DAMAGE_BITS, DEAD, lone_steps
from rr_gym.solo.turn_tables import expected_turns

Array = np.ndarray[Any, Any]

BATCHES = (8, 24, 32, 64)  # numbers of races from each start square; the first batch is enough for most courses
TURNS = 100  # maximum length of a race
MAX_TURNS = 5000  # once all races together have this many turns, no further batch is begun
_DAMAGE_MASK = (1 << DAMAGE_BITS) - 1  # the low bits of a step hold the damage taken in it

# Elements on which a lone robot is a Markov process without chance: its place and facing after a phase depend only on
# its place, facing and card and on the number of the phase; its history matters only through its damage.
MARKOV_FEATURES = BASE_FEATURES | reduce(or_, (
    ground.HAS_LEVELS, ground.HAS_TIMED_PITS, ground.HAS_GOLD_BELTS, ground.HAS_ROTATING_BELTS, ground.HAS_WATERS,
    ground.HAS_DEEP_WATER, ground.HAS_LAVA, ground.HAS_MAG_LOCKS, ground.HAS_TELEPORTERS,
    ground.HAS_PORTALS, ground.HAS_GATES, ground.HAS_FANS, ground.HAS_HYDRAULICS, ground.HAS_MEGA_CRUSHERS,
    ground.HAS_REPULSORS,
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finishing:
    """The start squares from which a lone robot can finish the race on a course.

    Attributes:
        shown: Numbers of the start squares from which it is shown to reach all flags.
        excluded: By the number of a start square: the first flag that it provably cannot reach.
        unknown: Numbers of the other start squares, from which it finished none of its races.
        races: The number of races run from each start square in `unknown`.
    """

    shown: tuple[int, ...]
    excluded: Mapping[int, int] = field(default_factory=dict)
    unknown: tuple[int, ...] = ()
    races: int = 0

    def problems(self) -> list[str]:
        """Return a sentence for each reason why a robot may not finish; empty if it can from every start square."""
        found = []
        for flag in sorted(set(self.excluded.values())):
            starts = _numbers(start for start, first in self.excluded.items() if first == flag)
            found.append(f"a robot alone cannot reach flag {flag} from {starts}, whatever its cards")
        if self.unknown:
            found.append(
                f"a robot alone finished none of {self.races} races of {TURNS} turns from {_numbers(self.unknown)};"
                " whether any cards lead to all flags is not known"
            )
        return found


def _numbers(starts: Any) -> str:
    """Return the numbers of start squares in words, such as ``start squares 1, 4``."""
    numbers = sorted(starts)
    return f"start square{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"


def lone_finishing(course: Course) -> Finishing:
    """Find out whether a lone robot can touch all flags in order from each start square of a course.

    Three methods are tried in turn: a search for a route on which no register is ever locked (`find_route`), a proof
    that some flag is out of reach, and races of the player `racer` with random hands.

    Raises:
        CourseError: The course cannot be compiled.
        SettingError: A setting of the course does not exist.
        RoboRallyError: The course has no start square or no flag, or is not for a race.
    """
    arena = Arena(course)
    table = arena.tables[0]
    if table.settings.game != RACE or not course.flags or not course.starts:
        raise RoboRallyError(f"course '{course.id}': expected a race with flags and start squares")
    starts = sorted(course.starts)
    with waiting(f"looking for routes over course {course.id}"):
        game = arena.new_games(1, len(starts))[0]
        routes = {start: find_route(table, game, seat) for seat, start in enumerate(starts)}
        shown = {start for start, route in routes.items() if route is not None}
        excluded: dict[int, int] = {}
        for start in set(starts) - shown if _is_markovian(table) else ():
            x, y = course.starts[start]
            if flag := _out_of_reach(table, y * course.size[0] + x):
                excluded[start] = flag
    finished, races = _race(arena, [start for start in starts if start not in shown | excluded.keys()])
    shown |= finished
    unknown = tuple(start for start in starts if start not in shown | excluded.keys())
    return Finishing(tuple(sorted(shown)), dict(sorted(excluded.items())), unknown, races if unknown else 0)


def _is_markovian(table: Table) -> bool:
    """Tell whether `lone_steps` fully describes a lone robot on the course with its settings."""
    settings = table.settings
    moves = (settings.moving_flags, settings.rotate_board_on_flag, settings.option_cards)
    return settings.flag_touch == TOUCH_END and ON not in moves and not int(table.course.features) & ~MARKOV_FEATURES


def _out_of_reach(table: Table, start: int) -> int:
    """Return the first flag that no cards can lead to from a start square, or 0 if there is none."""
    steps = lone_steps(table)
    squares = table.squares[: int(table.course.num_squares)]
    sites = np.union1d(np.flatnonzero((squares["wrenches"] > 0) | (squares["flag"] > 0)), start)  # first archive
    damage = np.full(steps.shape[:2], FATAL_DAMAGE, np.int64)
    damage[start * 4 : start * 4 + 4, 0] = int(table.settings.start_damage)
    for flag, square in enumerate(table.course.flag_squares[: int(table.course.num_flags)].tolist(), 1):
        here = slice(square * 4, square * 4 + 4)
        on_flag = least_damage(steps, sites, damage)[here]
        if (on_flag == FATAL_DAMAGE).all():
            return flag
        damage = np.full_like(damage, FATAL_DAMAGE)
        damage[here] = on_flag
    return 0


def least_damage(steps: Array, sites: Array, damage: Array) -> Array:
    """Compute a lower bound of the damage with which a lone robot can reach each state with any cards.

    The relaxations are: locked registers are ignored, a robot on a site loses all damage at the end of a turn, and a
    robot may re-enter undamaged, any number of times, on every site that it can reach.

    Args:
        steps: See `rr_gym.solo.distances.lone_steps`.
        sites: The squares on which a robot sets its archive.
        damage: Shape (states, 5), int64: the damage with which the robot starts in a state before each phase, and
            `FATAL_DAMAGE` for states where it does not start.

    Returns:
        Shape (states, 5), int64: the bound for each state before each phase; `FATAL_DAMAGE` where no cards lead there.
    """
    least = damage.copy()
    rested, costs = _powered_down(steps)
    fresh = least < FATAL_DAMAGE
    while fresh.any():
        arriving = np.full_like(least, FATAL_DAMAGE)
        states, phases = np.nonzero(fresh)
        step = steps[states, phases]
        following = (phases[:, None] + 1) % NUM_REGISTERS
        _reach(arriving, step >> DAMAGE_BITS, following, least[fresh][:, None] + (step & _DAMAGE_MASK))
        resting = np.flatnonzero(fresh[:, 0])
        _reach(arriving, rested[resting], np.zeros_like(resting), costs[resting])
        reached = np.minimum(least, arriving).reshape(-1, 4, NUM_REGISTERS) < FATAL_DAMAGE
        arriving.reshape(-1, 4, NUM_REGISTERS)[sites[reached[sites].any(axis=(1, 2))], :, 0] = 0
        fresh = arriving < least
        np.minimum(least, arriving, out=least)
    return least


def _powered_down(steps: Array) -> tuple[Array, Array]:
    """Return the state after a turn powered down and the damage taken in it, by the state before the turn.

    Both have shape (states,). The state is `DEAD` where the robot is destroyed.
    """
    state, damage = np.arange(len(steps)), np.zeros(len(steps), np.int64)
    for phase in range(NUM_REGISTERS):
        step = steps[state, phase, 0]
        damage += step & _DAMAGE_MASK
        state = np.where((state == DEAD) | (step == DEAD), DEAD, step >> DAMAGE_BITS)
    return state, damage


def _reach(arriving: Array, states: Array, phases: Array, damage: Array) -> None:
    """Lower entries of `arriving`, in place, to the damage with which states are reached; `DEAD` is skipped."""
    alive = states != DEAD
    phases, damage = np.broadcast_to(phases, states.shape), np.broadcast_to(damage, states.shape)
    np.minimum.at(arriving, (states[alive], phases[alive]), damage[alive])


def _race(arena: Arena, starts: Sequence[int]) -> tuple[set[int], int]:
    """Race from start squares; return those from which a race was finished, and the number of races from each other.

    The player `racer` is alone on the board. Batches are run until a race was finished from every start square, or
    until `MAX_TURNS` turns have been played.
    """
    finished: set[int] = set()
    races = turns = 0
    for number in BATCHES:
        left = [start for start in starts if start not in finished]
        if not left or turns >= MAX_TURNS:
            break
        if not races:
            expected_turns(arena)  # computed on first use, with progress of its own
        with waiting(f"racing on course {arena.courses[0].id}"):
            finishers, played = _race_batch(arena, left, number, races)
        finished |= finishers
        races += number
        turns += played
    return finished, races


def _race_batch(arena: Arena, starts: Sequence[int], number: int, seed: int) -> tuple[set[int], int]:
    """Race `number` times from each start square; return those from which a race was finished, and the turns played."""
    course = arena.courses[0]
    # Games begin on courses with a single start square each, and are played on the course itself.
    single = Arena([replace(course, starts={1: course.starts[start]}) for start in starts])
    which = np.repeat(np.arange(len(starts)), number)
    games = single.new_games(len(which), 1, seed=seed, course_index=which)
    games["course"] = 0
    start_of = np.array(starts)[which]
    finished: set[int] = set()
    turns = 0
    player = RacerPlayer()
    player.reset()
    for _ in range(TURNS):
        orders = no_orders(len(games), MAX_ROBOTS, full=True)
        orders[:, 0] = player.act(arena, games, 0)
        arena.play(games, orders)
        turns += len(games)
        finished |= set(start_of[games["winners"] != 0].tolist())
        goes_on = (games["over"] == 0) & ~np.isin(start_of, list(finished))
        games, start_of = games[goes_on], start_of[goes_on]
        if not len(games):
            break
    return finished, turns
