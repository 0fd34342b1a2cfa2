"""The lines of an arena's log: everything that happens in it, in order."""

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
    """What all lines have.

    Attributes:
        time: When it was written, in UTC.
        prev: The hash of the line before it.
        hash: Its own.
    """

    time: str
    prev: str | msgspec.UnsetType = msgspec.UNSET
    hash: str | msgspec.UnsetType = msgspec.UNSET


class Scale(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What ratings mean: the mean rating of these anchors is this number, in every table."""

    anchors: tuple[str, ...]
    mean: float


class ArenaLine(LogLine, frozen=True, tag="arena"):
    """The first line: what does not change.

    Attributes:
        format: `FORMAT`.
        tables: The tables.
        scale: What ratings mean.
        seconds: Time of submissions for a decision.
        max_cycles: Turns after which a game is truncated.
    """

    format: int
    tables: tuple[LadderTable, ...]
    scale: Scale
    seconds: float
    max_cycles: Number


class SeasonLine(LogLine, frozen=True, tag="season"):
    """A season begins; its courses and deals follow from a salt of which this is the digest."""

    season: Number
    salt_sha256: Hash
    rules: RulesVersion


class EntryLine(LogLine, frozen=True, tag="entry"):
    """Somebody enters.

    Attributes:
        season: The season.
        entry: The name in tables and replays: that of a player, or name and version of a submission.
        anchor: Whether it is a player of this package, which does not change.
        digest: The SHA-256 of the archive of a submission; empty for an anchor.
        author: Of its manifest.
        licence: Of its manifest.
        seats: The least and the most robots of games that it plays.
    """

    season: Number
    entry: str
    anchor: bool
    digest: str
    author: str
    licence: str
    seats: tuple[int, int]


class RetireLine(LogLine, frozen=True, tag="retire"):
    """An entry plays no more; it keeps its rating."""

    season: Number
    entry: str
    why: str


class Pairing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A match that is to be played.

    Attributes:
        match: Its number, from 1.
        table: The name of its table.
        course: The id of its course.
        lineup: The entries in their order around the table.
    """

    match: Number
    table: str
    course: str
    lineup: tuple[str, ...]


class RoundLine(LogLine, frozen=True, tag="round"):
    """The next matches were drawn."""

    season: Number
    round: Number
    matches: tuple[Pairing, ...]


class CourseDigest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A course: its id, and the SHA-256 of its text."""

    id: str
    sha256: Hash


class MatchGame(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The outcome of a game.

    Attributes:
        players: The entries by seat.
        places: Their places after forfeits, 1 is best, ties share the better one.
        winners: The seats that won, after forfeits.
        turns: How many turns were played.
        over: Whether it ended; otherwise it was truncated.
        forfeits: The seats that forfeited the game: they are last whatever the rules say (docs/protocol.md).
    """

    players: tuple[str, ...]
    places: tuple[Number, ...]
    winners: tuple[Count, ...]
    turns: Count
    over: bool
    forfeits: tuple[Count, ...] = ()


class MatchLine(LogLine, frozen=True, tag="match"):
    """A match was played: one deal in all rotations of its line-up.

    Attributes:
        match: Its number.
        season: Its season.
        table: The name of its table.
        course: Its course.
        seed: The seed of the deal.
        salt: The salt of the deal, derived from that of the season.
        games: The games, in the order of the rotations.
        decisions: How many decisions were asked for, by entry.
        faults: How many of them were lost, by entry and kind.
        seconds: How long the entries thought altogether.
        sandboxes: The kinds of sandbox of submissions.
        files: The SHA-256 of each file of the match.
        begun: When it began, in UTC.
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
        """Return who played, in their order around the table."""
        return self.games[0].players if self.games else ()


class VoidLine(LogLine, frozen=True, tag="void"):
    """A match that was drawn could not be played."""

    match: Number
    season: Number
    why: str


class CloseLine(LogLine, frozen=True, tag="close"):
    """The season is over, and its salt is public."""

    season: Number
    salt: Salt


AnyLine = ArenaLine | SeasonLine | EntryLine | RetireLine | RoundLine | MatchLine | VoidLine | CloseLine


def impossible(line: MatchLine, seats: int, entries: Collection[str]) -> str:
    """Return why the outcome of a match is impossible, in words; an empty string if it is possible.

    Args:
        line: The match.
        seats: How many play at its table; 0 if there is no such table.
        entries: Who has entered.
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
        return f"faults: {', '.join(others)}: expected those of who played"
    return ""
