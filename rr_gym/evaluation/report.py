"""The outcome of games: the facts of each game, the figures of all games with their intervals, and their output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from rr_gym.evaluation.statistics.control_variates import adjusted_stat
from rr_gym.evaluation.statistics.intervals import Stat, bounded_stat, ratio_stat
from rr_gym.evaluation.statistics.sequences import Verdict
from rr_gym.players.forfeits import places_after, won_after
from rr_gym.players.notes import MAX_FAULTS, Losses, above, loss_lines
from rr_gym.render.pieces import brief_labels
from rr_gym.rules.arena.arena import Arena
from rr_gym.text_layout import columns
from rr_gym.version import __version__

Array = np.ndarray[Any, Any]

FORMAT = 1
STOPPED = "Intervals in the table do not allow for stopping at a decision: quote the confidence sequence."
_COLUMNS = 4  # players side by side in a table


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """The figures of one player, per game and over all of its seats.

    Attributes:
        name: The player's name in the line-up, with a number if several share it.
        win: Share of games won. Robots that win together share the game; in a duel a game without a winner is half a
            win for both.
        finish: Share of games in which it touched all flags.
        place: Mean place at the end, 1 is best, ties share the better place (U32).
        flags: Mean number of flags touched.
        turns: Mean number of turns of the games in which it touched all flags; None if there are none.
        destroyed: Mean number of times that it was destroyed; None if lives are unlimited.
        out: Share of games in which it lost its last life.
        adjusted_win: The share of games won as `win` estimates it too, but without the luck of the draw; None if that
            was not measured.
    """

    name: str
    win: Stat
    finish: Stat
    place: Stat
    flags: Stat
    turns: Stat | None
    destroyed: Stat | None
    out: Stat
    adjusted_win: Stat | None = None


@dataclass(frozen=True, slots=True)
class TableResult:
    """The figures of one table, on one course or on all.

    Attributes:
        games: The number of games played.
        deals: The number of different deals; each was played in every rotation of the line-up.
        length: Mean number of turns of a game until it was over or truncated.
        unfinished: Share of games that were truncated.
        players: The figures of the players, in the order of the line-up.
    """

    games: int
    deals: int
    length: Stat
    unfinished: Stat
    players: tuple[PlayerResult, ...]


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The result of a match.

    Attributes:
        lineup: The names of the players, the player under test first.
        seed: The seed of the deals and of the players.
        max_cycles: Turns after which games were truncated.
        settings: The settings that were given, by name.
        complete: Whether all deals were played; False after an interruption.
        total: The figures over all courses.
        by_course: The figures on each course, by its id.
        notes: Lines about players that are not reproducible, and about orders that could not be used.
        salt: The salt besides the seed, 32 hexadecimal digits; None without one.
        losses: The losses of the players that lost decisions.
        sandboxes: The kind of sandbox of each player that is a program (docs/arena.md), by its name.
        test: What the sequential test about the player under test has found; None without one.
    """

    lineup: tuple[str, ...]
    seed: int
    max_cycles: int
    settings: Mapping[str, Any]
    complete: bool
    total: TableResult
    by_course: Mapping[str, TableResult]
    notes: tuple[str, ...] = ()
    salt: str | None = None
    losses: tuple[Losses, ...] = ()
    sandboxes: Mapping[str, str] = field(default_factory=dict)
    test: Verdict | None = None

    def faulty(self, max_faults: float = MAX_FAULTS) -> tuple[str, ...]:
        """Return the players that lost more than this share of their decisions; with any, no winner is claimed."""
        return above(self.losses, max_faults)

    @property
    def players(self) -> tuple[PlayerResult, ...]:
        """The figures of the players over all courses, in the order of the line-up."""
        return self.total.players

    def to_json(self) -> dict[str, Any]:
        """Return plain data for `json.dump`, with the attributes' names as keys; intervals are value, low and high."""
        return {"format": FORMAT, "rr_gym": __version__, "confidence": 0.95, **asdict(self)}

    def text(self, max_faults: float = MAX_FAULTS) -> str:
        """Return a table of a few lines for people to read.

        Args:
            max_faults: If a player lost more than this share of its decisions, no shares of games won are shown.
        """
        first, others = self.lineup[0], ", ".join(self.lineup[1:])
        salt = f", salt {self.salt}" if self.salt else ""
        lines = [f"{first} {'against ' + others if others else 'alone'}, seed {self.seed}{salt}"]
        lost, claimed = loss_lines(self.losses, max_faults), not self.faulty(max_faults)
        lines += lost
        tables = {"all courses": self.total} if len(self.by_course) > 1 else {}
        for title, table in {**tables, **self.by_course}.items():
            lines += ["", f"{title}: {_summary(table, self.max_cycles)}", *_table_lines(table, claimed)]
        if len(self.lineup) == 2 and claimed:
            lines += ["", "A game without a winner is half a win for both."]
        if self.test and claimed:
            lines += ["", f"{first}: {self.test.text}", *([STOPPED] if self.test.early else [])]
        notes = [note for note in self.notes if note not in lost]
        lines += ["", *notes] if notes else []
        return "\n".join(lines)


def shares_won(games: Array, seats: Sequence[int], forfeits: Array | None = None) -> Array:
    """Return the share of each game, over or truncated, that the player in each seat has won: float64, (n, seats).

    Robots that win together have equal shares. In a duel, a game without a winner is half a win for both.

    Args:
        games: (n,), dtype `GAME`.
        seats: The seat of each player of the line-up.
        forfeits: Which players have forfeited a game, bool, (n, players); None for nobody.
    """
    won = games["winners"][:, None] >> np.array(seats) & 1
    if forfeits is not None:
        won = won_after(won == 1, forfeits)
    winners = won.sum(1, keepdims=True)
    undecided = 0.5 if len(seats) == 2 else 0.0
    return np.where(winners > 0, won / np.maximum(winners, 1), undecided)


def facts_of(
    arena: Arena, games: Array, seats: Sequence[int], forfeits: Array | None = None
) -> dict[str, Array]:
    """Collect the facts of games that are over or truncated.

    Args:
        arena: The arena in which they were played.
        games: (n,), dtype `GAME`.
        seats: The seat of each player of the line-up.
        forfeits: Which players have forfeited a game, bool, (n, players); None for nobody.

    Returns:
        float64 by name: (n, players), `turns` and `unfinished` (n,).
    """
    robots = games["robots"]
    flags = robots["flag"][:, seats]
    left = np.zeros(flags.shape, np.bool_) if forfeits is None else forfeits
    num_flags = arena.tables["course"]["num_flags"][games["course"]]
    facts = {
        "win": shares_won(games, seats, left),
        "finish": (flags == num_flags[:, None]) & (num_flags[:, None] > 0) & ~left,
        "place": places_after(arena.placements(games)[:, seats], left),
        "flags": flags,
        "destroyed": games["start_lives"][:, None] - robots["lives"][:, seats],
        "out": robots["out"][:, seats],
        # A game's record does not count the turn in which it ends.
        "turns": games["turn"] + games["over"],
        "unfinished": games["over"] == 0,
    }
    return {name: values.astype(np.float64) for name, values in facts.items()}


def table_result(
    facts: Mapping[str, Array], names: Sequence[str], num_flags: int, lives: int | None, max_cycles: int
) -> TableResult:
    """Compute the figures of a table from the facts of its games.

    Args:
        facts: As returned by `facts_of`, but with two axes for the games: (deals, rotations, ...). With `luck`, as in
            `rr_gym.evaluation.luck.LuckBatch`, shares of games won are adjusted.
        names: The names of the players.
        num_flags: The most flags that can be touched.
        lives: The most lives that can be lost, None if unlimited.
        max_cycles: Turns after which games were truncated.
    """
    deals, rotations = facts["turns"].shape
    mean = {name: values.mean(1) for name, values in facts.items()}
    games = np.full(deals, rotations)
    finished = facts["finish"].sum(1)
    finish_turns = (facts["finish"] * facts["turns"][:, :, None]).sum(1)
    players = tuple(
        PlayerResult(
            name=name,
            win=bounded_stat(mean["win"][:, i]),
            finish=bounded_stat(mean["finish"][:, i]),
            place=bounded_stat(mean["place"][:, i], 1, len(names)),
            flags=bounded_stat(mean["flags"][:, i], 0, num_flags),
            turns=ratio_stat(finish_turns[:, i], finished[:, i], 1, max_cycles) if finished[:, i].any() else None,
            destroyed=None if lives is None else bounded_stat(mean["destroyed"][:, i], 0, lives),
            out=bounded_stat(mean["out"][:, i]),
            adjusted_win=adjusted_stat(mean["win"][:, i], mean["luck"][:, i]) if "luck" in mean else None,
        )
        for i, name in enumerate(names)
    )
    length = ratio_stat(facts["turns"].sum(1), games, 1, max_cycles)
    return TableResult(deals * rotations, deals, length, bounded_stat(mean["unfinished"]), players)


def _number(stat: Stat | None) -> str:
    return "-" if stat is None else stat.words()


_ROWS: dict[str, Callable[[PlayerResult], str]] = {
    "won": lambda p: p.win.percent,
    "won, luck adjusted": lambda p: p.adjusted_win.percent if p.adjusted_win else "-",
    "all flags": lambda p: p.finish.percent,
    "mean place": lambda p: _number(p.place),
    "flags": lambda p: _number(p.flags),
    "turns to all flags": lambda p: _number(p.turns),
    "times destroyed": lambda p: _number(p.destroyed),
    "eliminated": lambda p: p.out.percent,
}
_AMONG_SEVERAL = ("won", "won, luck adjusted", "mean place")  # rows without information on a lone robot
_WON = ("won", "won, luck adjusted")


def _summary(table: TableResult, max_cycles: int) -> str:
    games = f"{table.games:,} game{'s' * (table.games != 1)}"
    if len(table.players) > 1:
        games += f" ({table.deals:,} deal{'s' * (table.deals != 1)}, each with everybody in every seat)"
    broken = f"{table.unfinished.percent} truncated after {max_cycles}"
    return f"{games}, {_number(table.length)} turns, {broken}"


def _table_lines(table: TableResult, claimed: bool) -> list[str]:
    """Return the lines of a table of figures: a few players side by side, and the next ones below them."""
    lines = []
    names = brief_labels([player.name for player in table.players])
    rows = {t: show for t, show in _ROWS.items() if len(table.players) > 1 or t not in _AMONG_SEVERAL}
    rows = {t: show for t, show in rows.items() if claimed or t not in _WON}
    if table.players[0].adjusted_win is None:
        rows.pop("won, luck adjusted", None)
    for first in range(0, len(table.players), _COLUMNS):
        some = table.players[first : first + _COLUMNS]
        cells = [["", *names[first : first + _COLUMNS]], *([title, *map(show, some)] for title, show in rows.items())]
        lines += columns(cells)
    return lines
