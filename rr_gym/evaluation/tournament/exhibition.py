"""Games to watch beside a tournament: its best players race on its courses. They are recorded and do not count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from rr_gym.errors import MAX_SEED
from rr_gym.evaluation.tournament.standings import Standings
from rr_gym.evaluation.tournament.store import TournamentError
from rr_gym.files import write_file
from rr_gym.player_calls import make_named_player
from rr_gym.players import Player
from rr_gym.race import MAX_CYCLES, RaceConfig, race
from rr_gym.replay import Replay, to_html
from rr_gym.replay.page import short_names

FOLDER = "games"  # inside the folder of the tournament


@dataclass(frozen=True)
class Watched:
    """A game that can be watched: the address of its page, relative to the page of the tournament, and its title."""

    href: str
    title: str


def exhibit(
    standings: Standings,
    courses: Sequence[str],
    games: int,
    folder: Path,
    make: Callable[[str], Player],
    report: Callable[[int, int], None] | None = None,
) -> Iterator[Watched]:
    """Play and record games of the best players of a tournament. Games that are in the folder already are kept.

    Args:
        standings: The standings of the tournament, whose settings, `max_cycles` and number of seats the games have.
        courses: Ids or paths of the courses, which games take in turn.
        games: The number of games; their line-ups are rotations of each other.
        folder: The folder of the tournament; replays and pages are written into `FOLDER` there.
        make: Creates a player from its name.
        report: Called with the number of games played and of all games.

    Yields:
        Each game as soon as its page is written.

    Raises:
        ReplayError: A file there is not a replay.
        TournamentError: A page cannot be written.
    """
    arguments = standings.arguments
    ids = [course["id"].replace(" ", "-") for course in arguments["courses"]]
    max_cycles = min(arguments["max_cycles"], MAX_CYCLES)
    best = [player.name for player in standings.total.players[: arguments["seats"]]]
    for game in range(games):
        if report:
            report(game, games)
        course, number = game % len(courses), game // len(courses) + 1
        first = game % len(best)
        line_up = (*best[first:], *best[:first])
        path = folder / FOLDER / f"{ids[course]}-{number}.json"
        seed = (arguments["seed"] + game) % (MAX_SEED + 1)
        config = RaceConfig(courses[course], line_up, seed, max_cycles, arguments["settings"])
        if path.exists() and Replay.load(path).players == line_up:
            replay = Replay.load(path)
        else:
            replay = race(config, players=[make_named_player(make, name) for name in line_up])
            replay.save(path)
        page = write_file(path.with_suffix(".html"), to_html(replay, hands=True), TournamentError)
        yield Watched(f"{FOLDER}/{page.name}", _title(replay))


def _title(replay: Replay) -> str:
    names = short_names(replay.players)
    winners = " and ".join(names[seat] for seat in replay.winners)
    outcome = f"{winners} wins" if len(replay.winners) == 1 else f"{winners} win" if winners else "nobody wins"
    turns = len(replay.turns)
    return f"{replay.course.name}: {', '.join(names)}; {outcome} after {turns} turn{'s' * (turns != 1)}"
