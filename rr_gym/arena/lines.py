"""The types of lines in the log of an arena."""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated

import msgspec
from msgspec import Meta

from rr_gym.arena.rules_digest import RulesVersion
from rr_gym.arena.tables import LadderTable

FORMAT = 1

Count = Annotated[int, Meta(ge=0)]
Number = Annotated[int, Meta(ge=1)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Salt = Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]


class LogLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """The fields that all lines share.

    Attributes:
        time: When the line was written, in UTC.
        prev: The hash of the previous line.
        hash: The hash of this line.
    """

    time: str
    prev: str | msgspec.UnsetType = msgspec.UNSET
    hash: str | msgspec.UnsetType = msgspec.UNSET


class Scale(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The scale of ratings: at every table, the mean rating of `anchors` is `mean`."""

    anchors: tuple[str, ...]
    mean: float


class ArenaLine(LogLine, frozen=True, tag="arena"):
    """The first line of a log, with what never changes.

    Attributes:
        format: `FORMAT`.
        tables: The tables.
        scale: The scale of ratings.
        seconds: How long a submission may take per decision.
        max_cycles: The number of turns after which a game is truncated.
    """

    format: int
    tables: tuple[LadderTable, ...]
    scale: Scale
    seconds: float
    max_cycles: Number


class SeasonLine(LogLine, frozen=True, tag="season"):
    """A season opens. Its courses and deals are derived from a salt, which this line commits to by its digest."""

    season: Number
    salt_sha256: Hash
    rules: RulesVersion


class EntryLine(LogLine, frozen=True, tag="entry"):
    """A player or a submission enters the arena.

    Attributes:
        season: The season.
        entry: The name in tables and replays: that of a player, or name and version of a submission.
        anchor: Whether the entry is a player of this package, which never changes.
        digest: The SHA-256 of the archive of a submission; empty for an anchor.
        author: The author in the manifest of a submission.
        licence: The licence in the manifest of a submission.
        seats: The smallest and the largest number of robots in games that the entry can play.
    """

    season: Number
    entry: str
    anchor: bool
    digest: str
    author: str
    licence: str
    seats: tuple[int, int]


class RetireLine(LogLine, frozen=True, tag="retire"):
    """An entry retires. It keeps its rating."""

    season: Number
    entry: str
    why: str


class Pairing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match that was drawn.

    Attributes:
        match: The number of the match, from 1.
        table: The name of the table.
        course: The id of the course.
        lineup: The entries in the order of their seats in the first game.
    """

    match: Number
    table: str
    course: str
    lineup: tuple[str, ...]


class RoundLine(LogLine, frozen=True, tag="round"):
    """A round of matches was drawn."""

    season: Number
    round: Number
    matches: tuple[Pairing, ...]


class CourseDigest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The id of a course and the SHA-256 of its text."""

    id: str
    sha256: Hash


class MatchGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of a game.

    Attributes:
        players: The entries by seat.
        places: Their places, from 1; ties share the better place. Seats that forfeited come last.
        winners: The seats that won and did not forfeit.
        turns: How many turns were played.
        over: Whether the game ended by the rules; otherwise it was truncated.
        forfeits: The seats that forfeited the game (docs/protocol.md).
    """

    players: tuple[str, ...]
    places: tuple[Number, ...]
    winners: tuple[Count, ...]
    turns: Count
    over: bool
    forfeits: tuple[Count, ...] = ()


class MatchLine(LogLine, frozen=True, tag="match"):
    """A match was played: the same deal once for each rotation of the line-up.

    Attributes:
        match: The number of the match.
        season: The season.
        table: The name of the table.
        course: The course.
        seed: The seed of the deal.
        salt: The salt of the deal, derived from that of the season.
        games: The games, in the order of the rotations.
        decisions: The number of decisions requested, by entry.
        faults: The number of decisions lost, by entry and kind of fault.
        seconds: The total thinking time, by entry.
        sandboxes: The kind of sandbox, by submission.
        files: The SHA-256 of each file of the match.
        begun: When the match began, in UTC.
    """

    match: Number
    season: Number
    table: str
    course: CourseDigest
    seed: Count
    salt: Salt
    games: tuple[MatchGame, ...]
    decisions: dict[str, Count]
    faults: dict[str, dict[str, Number]]
    seconds: dict[str, float]
    sandboxes: dict[str, str]
    files: dict[str, Hash]
    begun: str

    @property
    def lineup(self) -> tuple[str, ...]:
        """Return the entries in the order of their seats in the first game."""
        return self.games[0].players if self.games else ()


class VoidLine(LogLine, frozen=True, tag="void"):
    """A match that was drawn could not be played, for the reason `why`."""

    match: Number
    season: Number
    why: str


class CloseLine(LogLine, frozen=True, tag="close"):
    """The season closes, and its salt becomes public."""

    season: Number
    salt: Salt


AnyLine = ArenaLine | SeasonLine | EntryLine | RetireLine | RoundLine | MatchLine | VoidLine | CloseLine


def outcome_problem(line: MatchLine, seats: int, entries: Collection[str]) -> str:
    """Describe why the recorded outcome of a match is impossible.

    Args:
        line: The match.
        seats: The number of seats at its table; 0 if there is no such table.
        entries: The names of all entries so far.

    Returns:
        The problem in words, or an empty string if there is none.
    """
    lineup = line.lineup
    if not seats:
        return f"table: there is no '{line.table}'"
    if len(line.games) != seats:
        return f"{len(line.games)} games: expected {seats}"
    if strangers := {*lineup} - {*entries}:
        return f"{', '.join(sorted(strangers))}: expected entries"
    for number, game in enumerate(line.games):
        if game.players != lineup[number:] + lineup[:number] or len({*lineup}) != seats:
            return f"game {number + 1}: players {', '.join(game.players)}: expected the next rotation of {seats}"
        if max(game.forfeits, default=0) >= seats:
            return f"game {number + 1}: forfeits {game.forfeits}: expected some of {seats} seats"
        if len(game.places) != seats or max(game.places) > seats or max(game.winners, default=0) >= seats:
            return f"game {number + 1}: places {game.places}, winners {game.winners}: expected those of {seats} seats"
    for name, counts in (("decisions", line.decisions), ("seconds", line.seconds)):
        if counts.keys() != {*lineup}:
            return f"{name}: {', '.join(counts)}: expected {', '.join(lineup)}"
    if others := line.faults.keys() - {*lineup}:
        return f"faults: {', '.join(others)}: expected only entries of this match"
    return ""
