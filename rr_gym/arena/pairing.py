"""Draw matches: at the table with the fewest, of entries whose duels are most informative.

The draw depends only on the log and the salt of the season, so anyone who has both can repeat it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from math import erf, sqrt

from rr_gym.arena.beliefs import Beliefs, beliefs_by_table
from rr_gym.arena.courses import SeasonCourse, draw_courses
from rr_gym.arena.errors import LadderError
from rr_gym.arena.lines import EntryLine, MatchLine, Pairing, SeasonLine
from rr_gym.arena.log import ArenaLog
from rr_gym.arena.season_salt import derive_seed
from rr_gym.arena.tables import LadderTable
from rr_gym.generate.chance import Chance

ROUND = 8  # matches that are drawn at a time
_PARTS = 10**6  # weights are rounded to integers in this unit, so that all platforms draw alike


class Draw:
    """Draws the matches of a season.

    Args:
        log: The log; `next_round` also reads lines that were added later.
        season: The season.
        salt: The salt of the season.
    """

    def __init__(self, log: ArenaLog, season: SeasonLine, salt: int) -> None:
        self.season, self.salt = season, salt
        self.tables = log.tables
        self.courses: dict[str, list[SeasonCourse]] = {
            name: draw_courses(table, season.season, salt) for name, table in self.tables.items()
        }
        self.beliefs: dict[str, Beliefs] = beliefs_by_table(self.tables, [])
        self._lines_read = 0  # of the log

    def course(self, pairing: Pairing) -> SeasonCourse:
        """Return the course of a match."""
        return next(course for course in self.courses[pairing.table] if course.id == pairing.course)

    def playable(self, active: Sequence[EntryLine]) -> list[LadderTable]:
        """Return the tables that have courses and enough entries to fill their seats."""
        return [t for t in self.tables.values() if self.courses[t.name] and len(_eligible(t, active)) >= t.seats]

    def next_round(self, log: ArenaLog) -> list[Pairing]:
        """Draw the next round, given the log so far. Raises LadderError if no table has enough entries."""
        self._update_beliefs(log)
        active = log.active
        tables = self.playable(active)
        if not tables:
            least = min(table.seats for table in self.tables.values())
            raise LadderError(f"{len(active)} entries: expected at least {least}, to fill a table")
        drawn = [p for line in log.rounds if line.season == self.season.season for p in line.matches]
        played = Counter(pairing.table for pairing in drawn)
        course_uses = Counter((pairing.table, pairing.course) for pairing in drawn)
        # Matches of earlier seasons that were not played are dropped, so nobody waits for them.
        numbers = {pairing.match for pairing in drawn}
        unsettled = [pairing for pairing in log.unplayed if pairing.match in numbers]
        waiting = Counter((pairing.table, name) for pairing in unsettled for name in pairing.lineup)
        number = max(log.pairings, default=0)
        chance = Chance(derive_seed(self.salt, f"matches after {number}"))
        pairings: list[Pairing] = []
        for _ in range(ROUND):
            number += 1
            table = min(tables, key=lambda table: played[table.name])
            course = min(self.courses[table.name], key=lambda course: course_uses[table.name, course.id])
            names = [entry.entry for entry in _eligible(table, active)]
            unplayed = {name: waiting[table.name, name] for name in names}
            lineup = draw_lineup(table.seats, unplayed, self.beliefs[table.name], chance)
            played[table.name] += 1
            course_uses[table.name, course.id] += 1
            waiting.update((table.name, name) for name in lineup)
            pairings.append(Pairing(number, table.name, course.id, tuple(lineup)))
        return pairings

    def _update_beliefs(self, log: ArenaLog) -> None:
        """Update the beliefs with the matches that were added to the log since the last call."""
        for line in log.lines[self._lines_read :]:
            if isinstance(line, MatchLine):
                self.beliefs[line.table].add(line)
        self._lines_read = len(log.lines)


def draw_lineup(seats: int, unplayed: Mapping[str, int], beliefs: Beliefs, chance: Chance) -> list[str]:
    """Draw a line-up: the less certain entry of the most informative pair, and opponents by how informative they are.

    A duel is informative if both may win and their ratings are uncertain. So an entry that always loses, whose rating
    stays uncertain for that reason, does not play all the time.

    Args:
        seats: The number of entries to draw.
        unplayed: The entries that can play, at least two, each with the number of its matches that are drawn but not
            played yet.
        beliefs: Their ratings.
        chance: The source of randomness.
    """

    def variance(name: str) -> float:
        # Counts unplayed matches as played, so that a round does not consist of the same few entries
        return beliefs[name].sigma ** 2 / (1 + unplayed[name])

    def information(one: str, other: str) -> float:
        return _openness(beliefs, one, other) * (variance(one) + variance(other))

    pair = max(combinations(chance.shuffled([*unplayed]), 2), key=lambda pair: information(*pair))
    chosen = [max(pair, key=variance)]
    while len(chosen) < seats:
        others = [name for name in unplayed if name not in chosen]
        weights = [1 + round(_PARTS * information(chosen[0], name)) for name in others]
        chosen.append(_weighted_choice(weights, others, chance))
    return chance.shuffled(chosen)


def _eligible(table: LadderTable, entries: Iterable[EntryLine]) -> list[EntryLine]:
    """Return the entries that can play at a table."""
    return [entry for entry in entries if entry.seats[0] <= table.seats <= entry.seats[1]]


def _weighted_choice(weights: Sequence[int], names: Sequence[str], chance: Chance) -> str:
    """Draw one of the names, with probabilities proportional to the weights."""
    return names[bisect_right([*accumulate(weights)], chance.below(sum(weights)))]


def _openness(beliefs: Beliefs, one: str, other: str) -> float:
    """Return how open a duel is: 1 if both are equally likely to win, near 0 if the winner is certain."""
    a, b = beliefs[one], beliefs[other]
    spread = sqrt(2 * beliefs.beta**2 + a.sigma**2 + b.sigma**2)
    better = (1 + erf((a.mu - b.mu) / (spread * sqrt(2)))) / 2
    return 4 * better * (1 - better)
