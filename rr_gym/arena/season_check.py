"""Check that a log is consistent, and that its draws follow from the salts of the seasons."""

from __future__ import annotations

from collections.abc import Iterator

from rr_gym.arena.lines import ArenaLine, CloseLine, EntryLine, MatchLine, RetireLine, RoundLine, SeasonLine, VoidLine
from rr_gym.arena.log import LOG, ArenaLog
from rr_gym.arena.pairing import Draw
from rr_gym.arena.season_salt import match_salt
from rr_gym.salt import digest_of_salt, salt_text


def sequence_problems(log: ArenaLog) -> Iterator[str]:
    """Yield a problem for each line that is invalid at its position, such as a match that was already played."""
    season, is_open = 0, False
    entered: set[str] = set()
    playing: set[str] = set()
    drawn: set[int] = set()
    settled: set[int] = set()
    for number, line in enumerate(log.lines[1:], 2):
        assert not isinstance(line, ArenaLine)  # `read_log` has checked it
        problem = ""
        match line:
            case SeasonLine():
                problem = "" if not is_open and line.season == season + 1 else "season out of order"
                season, is_open = line.season, True
            case EntryLine():
                problem = f"'{line.entry}' entered before" if line.entry in entered else ""
                entered.add(line.entry)
                playing.add(line.entry)
            case RetireLine():
                problem = "" if line.entry in playing else f"'{line.entry}' is not an active entry"
                playing.discard(line.entry)
            case RoundLine():
                numbers = {pairing.match for pairing in line.matches}
                strangers = {name for pairing in line.matches for name in pairing.lineup} - playing
                problem = f"matches {sorted(numbers & drawn)} were drawn before" if numbers & drawn else ""
                problem = problem or (f"{', '.join(sorted(strangers))}: not an active entry" if strangers else "")
                drawn |= numbers
            case MatchLine() | VoidLine():
                fresh = line.match in drawn and line.match not in settled
                problem = "" if fresh else f"match {line.match} was not drawn, or already has a result"
                settled.add(line.match)
            case CloseLine():
                problem = "" if is_open else "the season is not open"
        if isinstance(line, ArenaLine):
            problem = "a second arena"
        elif line.season != season or not is_open:
            problem = problem or f"season {line.season}: expected the open season"
        is_open = is_open and not isinstance(line, CloseLine)
        if problem:
            yield f"{LOG}:{number}: {problem}"


def draw_problems(log: ArenaLog, season: SeasonLine, salt: int) -> Iterator[str]:
    """Yield draws that do not follow from the salt of a season: courses, salts of matches, and line-ups.

    Args:
        log: The log.
        season: The season.
        salt: Its salt.
    """
    if digest_of_salt(salt) != season.salt_sha256:
        yield f"{LOG}: season {season.season}: the SHA-256 of its salt is not the published one"
        return
    draw = Draw(log, season, salt)
    courses = {course.id: course for table in draw.courses.values() for course in table}
    for count, line in enumerate(log.lines):
        where, problem = f"{LOG}:{count + 1}", ""
        match line:
            case RoundLine(season=season.season):
                if tuple(draw.next_round(log.until(count))) != line.matches:
                    problem = f"round {line.round}: its matches do not follow from the salt"
            case MatchLine(season=season.season):
                if (line.seed, line.salt) != (line.match, salt_text(match_salt(salt, line.match))):
                    problem = f"match {line.match}: its deal does not follow from the salt"
                elif line.course.id not in courses or courses[line.course.id].digest != line.course:
                    problem = f"match {line.match}: its course does not follow from the salt"
        if problem:
            yield f"{where}: {problem}"
