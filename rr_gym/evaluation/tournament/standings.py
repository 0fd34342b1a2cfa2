"""The result of a tournament: ratings, shares of games, and the cross table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rr_gym.evaluation.statistics.intervals import Stat, bounded_stat
from rr_gym.evaluation.statistics.ratings import OpenSkill, Rankings, online_ratings
from rr_gym.evaluation.tournament.blocks import Outcome
from rr_gym.players.notes import MAX_FAULTS, Losses, above, loss_lines, sandbox_lines
from rr_gym.render.pieces import brief_labels
from rr_gym.text_layout import columns
from rr_gym.version import __version__

Array = np.ndarray[Any, Any]

FORMAT = 1


@dataclass(frozen=True, slots=True)
class PlayerStanding:
    """The figures of one player.

    Attributes:
        name: The name of the player.
        games: The number of games that it played.
        rating: The rating of the Plackett-Luce fit, on a scale like Elo's; 0 is the mean of the players.
        win: Share of games won. Robots that win together share the game; in a duel a game without a winner is half a
            win for both.
        place: Mean place at the end, 1 is best, ties share the better place (U32).
        better: By the name of another player, the share of their games in which this one had the better place; ties
            count half.
    """

    name: str
    games: int
    rating: Stat
    win: Stat
    place: Stat
    better: Mapping[str, Stat]


@dataclass(frozen=True, slots=True)
class StandingsTable:
    """The figures on one course or on all.

    Attributes:
        games: The number of games played.
        deals: The number of different deals; each was played in every rotation of a line-up.
        turns: Mean number of turns of a game.
        unfinished: Share of games that were truncated.
        players: The players, best rating first.
    """

    games: int
    deals: int
    turns: float
    unfinished: float
    players: tuple[PlayerStanding, ...]


@dataclass(frozen=True, slots=True)
class Standings:
    """The result of a tournament.

    Attributes:
        arguments: The arguments of the tournament: players, courses, seats, games, seed, salt, max_cycles, settings.
        complete: Whether all games were played.
        total: The figures over all courses.
        by_course: The figures on each course, by its id.
        openskill: Ratings that were updated game by game, by player.
        decisions: The number of decisions of each player.
        faults: How many of them were lost, by player and fault; players without any are left out.
        not_reproducible: Players that may decide differently the next time.
    """

    arguments: Mapping[str, Any]
    complete: bool
    total: StandingsTable
    by_course: Mapping[str, StandingsTable]
    openskill: Mapping[str, OpenSkill]
    decisions: Mapping[str, int]
    faults: Mapping[str, Mapping[str, int]]
    not_reproducible: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json.dump`, with the attributes' names as keys; intervals are value, low and high."""
        return {"format": FORMAT, "rr_gym": __version__, "confidence": 0.95, **asdict(self)}

    @property
    def losses(self) -> tuple[Losses, ...]:
        """The losses of the players that lost decisions."""
        return tuple(Losses(name, self.decisions[name], faults) for name, faults in self.faults.items())

    def faulty(self, max_faults: float = MAX_FAULTS) -> tuple[str, ...]:
        """Return the players that lost more than this share of their decisions; with any, no winner is claimed."""
        return above(self.losses, max_faults)

    def text(self, max_faults: float = MAX_FAULTS) -> str:
        """Return the standings and the cross table as text.

        Args:
            max_faults: See `rows`.
        """
        names = [player.name for player in self.total.players]
        brief_names = dict(zip(names, brief_labels(names), strict=True))
        lines = [summary(self), *loss_lines(self.losses, max_faults), ""]
        lines += columns(self.rows(self.total, brief_names, max_faults))
        faulty = self.faulty(max_faults)
        lines += ["", "How often the player of the row is placed before the one of the column, in %:", ""]
        header = ["", "", *(str(n) for n in range(1, len(names) + 1))]
        cells = [
            [
                str(n), brief_names[player.name],
                *(_share(None if {player.name, other} & {*faulty} else player.better.get(other)) for other in names),
            ]
            for n, player in enumerate(self.total.players, start=1)
        ]
        caveats = remarks(self)
        return "\n".join([*lines, *columns([header, *cells]), *([""] if caveats else []), *caveats])

    def rows(self, table: StandingsTable, names: Mapping[str, str], max_faults: float = MAX_FAULTS) -> list[list[str]]:
        """Return a table of the standings as cells of text, below `STANDING_COLUMNS`.

        Args:
            table: The figures on one course, or on all: those have OpenSkill's ratings too.
            names: The names that the table shows, by the names of the players.
            max_faults: If a player lost more than this share of its decisions, it is not rated, and no shares of games
                won are shown.
        """
        faulty = self.faulty(max_faults)
        heads = [head for head in STANDING_COLUMNS if table is self.total or head != "OpenSkill"]
        rows = [heads]
        for n, player in enumerate(table.players, start=1):
            figures = {
                "rating": player.rating.words(RATING),
                "OpenSkill": openskill_words(self.openskill[player.name]),
                "won": "-" if faulty else player.win.percent,
                "mean place": player.place.words(),
            }
            cells = ("-" if player.name in faulty else figures[head] for head in heads[2:-1])
            rows.append([str(n), names[player.name], *cells, f"{player.games:,}"])
        return rows


RATING = "+.0f"  # the format of ratings in tables
STANDING_COLUMNS = ["", "player", "rating", "OpenSkill", "won", "mean place", "games"]


def openskill_words(rating: OpenSkill) -> str:
    """Format an OpenSkill rating as its mean and standard deviation."""
    return f"{rating.mu:.1f} ± {rating.sigma:.1f}"


def summary(standings: Standings) -> str:
    """Summarise in one line what was played."""
    total, arguments = standings.total, standings.arguments
    courses = ", ".join(standings.by_course)
    salt = f", salt {arguments['salt']}" if arguments.get("salt") else ""
    rest = "" if standings.complete else f" of {arguments['games']:,}"
    deals = f"{total.deals:,} deal{'s' * (total.deals != 1)}"
    return (
        f"{total.games:,}{rest} games ({deals}, each in all rotations) of {arguments['seats']} players on {courses}, "
        f"seed {arguments['seed']}{salt}; {total.turns:.1f} turns a game, {100 * total.unfinished:.1f} % "
        f"truncated after {arguments['max_cycles']}"
    )


def remarks(standings: Standings) -> list[str]:
    """List caveats for reading the figures, one line each."""
    lines = []
    for player in standings.total.players:
        shares = [stat.value for stat in player.better.values()]
        if shares and (min(shares) == 1 or max(shares) == 0):
            side = "before" if shares[0] else "behind"
            lines.append(f"{player.name} is {side} all others in every game: its rating may lie anywhere beyond")
    for name in standings.not_reproducible:
        lines.append(f"{name} is not reproducible: the same seed may give other results")
    return lines + sandbox_lines(standings.arguments.get("sandboxes", {}))


def _share(stat: Stat | None) -> str:
    return "-" if stat is None else f"{100 * stat.value:.1f}"


def make_standings(
    arguments: Mapping[str, Any], outcomes: Sequence[Outcome], complete: bool, not_reproducible: Sequence[str]
) -> Standings:
    """Compute standings from the outcomes of blocks, given in the order of the schedule.

    Raises:
        MissingExtraError: The extra ``tournament`` is not installed.
    """
    names = arguments["players"]
    games = PlayedGames(names, [game for outcome in outcomes for game in outcome["games"]])
    courses = [course["id"] for course in arguments["courses"]]
    seed = arguments["seed"]
    faults: dict[str, dict[str, int]] = {}
    for outcome in outcomes:
        for name, kinds in outcome["faults"].items():
            for kind, count in kinds.items():
                mine = faults.setdefault(name, {})
                mine[kind] = mine.get(kind, 0) + count
    total = games.table(seed)
    some = {course: games.only(games.course == course) for course in courses} if len(courses) > 1 else {}
    tables = {course: found.table(seed) for course, found in some.items() if len(found.deal)}
    return Standings(
        arguments=arguments,
        complete=complete,
        total=total,
        by_course=tables or {courses[0]: total},
        openskill=dict(zip(names, online_ratings(len(names), games.rankings()), strict=True)),
        decisions={name: sum(outcome["decisions"][name] for outcome in outcomes) for name in names},
        faults=faults,
        not_reproducible=tuple(not_reproducible),
    )


class PlayedGames:
    """Played games as arrays.

    Args:
        names: The players.
        games: Each with deal, course, players by seat, places, winners, turns and over, as in ``games.jsonl``.
    """

    def __init__(self, names: Sequence[str], games: Sequence[Mapping[str, Any]]) -> None:
        self.names = names
        number = {name: n for n, name in enumerate(names)}
        self.deal = np.array([game["deal"] for game in games])
        self.course = np.array([game["course"] for game in games])
        self.seating = np.array([[number[name] for name in game["players"]] for game in games])  # (games, seats)
        self.places = np.array([game["places"] for game in games])
        self.turns = np.array([game["turns"] for game in games])
        self.over = np.array([game["over"] for game in games])
        seats = self.seating.shape[1]
        self.wins = np.array([_wins(game["winners"], seats) for game in games])

    def only(self, chosen: Array) -> PlayedGames:
        """Select games by a mask, bool, (games,)."""
        some = object.__new__(PlayedGames)
        for name, value in vars(self).items():
            setattr(some, name, value[chosen] if isinstance(value, np.ndarray) else value)
        return some

    def rankings(self) -> list[tuple[int, list[int], list[int]]]:
        """Return each game's deal, its players by seat and their places, as `Rankings` and OpenSkill take them."""
        return list(zip(self.deal.tolist(), self.seating.tolist(), self.places.tolist(), strict=True))

    def table(self, seed: int, ratings: Sequence[Stat] | None = None) -> StandingsTable:
        """Compute the standings over these games.

        Args:
            seed: The seed of the ratings' bootstrap.
            ratings: The ratings in the players' order; None to fit them.
        """
        played = np.bincount(self.seating.ravel(), minlength=len(self.names))
        if ratings is None:
            ratings = Rankings(len(self.names), self.rankings()).ratings(seed)
        seats = self.seating.shape[1]
        players = [
            PlayerStanding(
                name=name,
                games=self._games_of(n),
                rating=ratings[n],
                win=bounded_stat(self._by_deal(self.wins, self.seating == n)),
                place=bounded_stat(self._by_deal(self.places, self.seating == n), 1, seats),
                better=self._better(n),
            )
            for n, name in enumerate(self.names)
            if played[n]
        ]
        players.sort(key=lambda player: -player.rating.value)
        deals = len(np.unique(self.deal))
        turns, unfinished = round(float(self.turns.mean()), 4), float(1 - self.over.mean())
        return StandingsTable(len(self.deal), deals, turns, unfinished, tuple(players))

    def _games_of(self, player: int) -> int:
        return int((self.seating == player).any(1).sum())

    def _by_deal(self, values: Array, chosen: Array) -> Array:
        """Return the means of chosen values, (games, ...), over each deal that has any: float64, (deals,)."""
        deal = np.broadcast_to(self.deal.reshape(-1, *[1] * (values.ndim - 1)), values.shape)[chosen]
        _, number, counts = np.unique(deal, return_inverse=True, return_counts=True)
        return np.bincount(number, values[chosen].astype(np.float64)) / counts

    def _better(self, player: int) -> dict[str, Stat]:
        """Return how often a player has the better place, by the other player's name; ties count half."""
        difference = self.places[:, None, :] - self.places[:, :, None]  # the other's place minus the player's own
        score = (np.sign(difference) + 1) / 2
        own, other = self.seating[:, :, None] == player, self.seating[:, None, :]
        games = {name: own & (other == n) for n, name in enumerate(self.names) if n != player}
        return {name: bounded_stat(self._by_deal(score, some)) for name, some in games.items() if some.any()}


def _wins(winners: Sequence[int], seats: int) -> list[float]:
    if not winners:
        return [0.5 if seats == 2 else 0.0] * seats
    return [1 / len(winners) if seat in winners else 0.0 for seat in range(seats)]
