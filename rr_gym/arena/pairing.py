"""Draw the next matches: the table that has had the fewest, who is known least there, and against whom it tells most.

Everything follows from the log and the salt of the season, so whoever has both can draw the same matches again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from math import erf, sqrt

from rr_gym.arena.beliefs import Beliefs, beliefs_by_table
from rr_gym.arena.courses import SeasonCourse, draw_courses
from rr_gym.arena.errors import LadderError
from rr_gym.arena.lines import EntryLine, MatchLine, Pairing, SeasonLine
from rr_gym.arena.log import ArenaLog
from rr_gym.arena.season_salt import seed_for
from rr_gym.arena.tables import LadderTable
from rr_gym.generate.chance import Chance

ROUND = 8  # matches that are drawn at a time
_PARTS = 10**6  # weights are whole numbers of these parts, so that all platforms draw alike


class Draw:
    """Draws the matches of a season.

    Args:
        log: The log; lines that are added to it later are taken into account.
        season: The season.
        salt: Its salt.
    """

    def __init__(self, log: ArenaLog, season: SeasonLine, salt: int) -> None:
        self.season, self.salt = season, salt
        self.tables = log.tables
        self.courses: dict[str, list[SeasonCourse]] = {
            name: draw_courses(table, season.season, salt) for name, table in self.tables.items()
        }
        self.beliefs: dict[str, Beliefs] = beliefs_by_table(self.tables, [])
        self._counted = 0  # lines of the log

    def course(self, pairing: Pairing) -> SeasonCourse:
        """Return the course of a match."""
        return next(course for course in self.courses[pairing.table] if course.id == pairing.course)

    def playable(self, active: Sequence[EntryLine]) -> list[LadderTable]:
        """Return the tables at which there are enough entries, with the courses that they need."""
        return [t for t in self.tables.values() if self.courses[t.name] and len(_at(t, active)) >= t.seats]

    def next_round(self, log: ArenaLog) -> list[Pairing]:
        """Draw the matches of a round, by the log so far. Raises LadderError if no table has enough entries."""
        self._learn(log)
        active = log.active
        tables = self.playable(active)
        if not tables:
            least = min(table.seats for table in self.tables.values())
            raise LadderError(f"{len(active)} entries: expected at least {least}, with which a table can be played")
        drawn = [p for line in log.rounds if line.season == self.season.season for p in line.matches]
        played = Counter(pairing.table for pairing in drawn)
        on = Counter((pairing.table, pairing.course) for pairing in drawn)
        waiting = Counter((pairing.table, name) for pairing in log.unplayed for name in pairing.lineup)
        number = max(log.pairings, default=0)
        chance = Chance(seed_for(self.salt, f"matches after {number}"))
        found: list[Pairing] = []
        for _ in range(ROUND):
            number += 1
            table = min(tables, key=lambda table: played[table.name])
            course = min(self.courses[table.name], key=lambda course: on[table.name, course.id])
            lineup = self._lineup(table, [entry.entry for entry in _at(table, active)], waiting, chance)
            played[table.name] += 1
            on[table.name, course.id] += 1
            waiting.update((table.name, name) for name in lineup)
            found.append(Pairing(number, table.name, course.id, tuple(lineup)))
        return found

    def _lineup(
        self, table: LadderTable, names: Sequence[str], waiting: Counter[tuple[str, str]], chance: Chance
    ) -> list[str]:
        """Draw who plays: first who is known least, then others, mostly those against whom its games tell most.

        Args:
            table: The table.
            names: Who can play there.
            waiting: In how many matches that are still to be played they are, by table and name.
            chance: Of the draw.
        """
        beliefs = self.beliefs[table.name]

        def variance(name: str) -> float:
            # As if the matches to come had been played, so that not all of them are of the same entries
            return beliefs[name].sigma ** 2 / (1 + waiting[table.name, name])

        first = max(chance.shuffled(names), key=variance)
        chosen = [first]
        while len(chosen) < table.seats:
            left = [name for name in names if name not in chosen]
            worth = [_tells(beliefs, first, name) * (variance(first) + variance(name)) for name in left]
            weights = [1 + round(_PARTS * share) for share in worth]
            chosen.append(_drawn_by(weights, left, chance))
        return chance.shuffled(chosen)

    def _learn(self, log: ArenaLog) -> None:
        """Take the lines into account that were added since the last time."""
        for line in log.lines[self._counted :]:
            if isinstance(line, MatchLine):
                self.beliefs[line.table].add(line)
        self._counted = len(log.lines)


def _at(table: LadderTable, entries: Iterable[EntryLine]) -> list[EntryLine]:
    """Return the entries that can play at a table."""
    return [entry for entry in entries if entry.seats[0] <= table.seats <= entry.seats[1]]


def _drawn_by(weights: Sequence[int], names: Sequence[str], chance: Chance) -> str:
    """Draw one of some names in proportion to their weights."""
    return names[bisect_right([*accumulate(weights)], chance.below(sum(weights)))]


def _tells(beliefs: Beliefs, one: str, other: str) -> float:
    """Return how open a game of two is: 1 if either may win, near 0 if the winner is known."""
    a, b = beliefs[one], beliefs[other]
    spread = sqrt(2 * beliefs.beta**2 + a.sigma**2 + b.sigma**2)
    better = (1 + erf((a.mu - b.mu) / (spread * sqrt(2)))) / 2
    return 4 * better * (1 - better)
