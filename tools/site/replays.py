"""Generate replays to watch on the site: races of the best players on ten courses."""

from __future__ import annotations

import hashlib
from pathlib import Path

from rr_gym import yaml12
from rr_gym.courses import load_course
from rr_gym.files import write_file
from rr_gym.race import RaceConfig, race, standings
from rr_gym.replay import Replay, to_html
from rr_gym.rules.state.records import STATE_VERSION
from rr_gym.version import __version__

LIST = Path(__file__).with_name("replays.yaml")
HEIGHT = 760  # height in pixels of a replay that is embedded in a page


def make(folder: Path, kept: Path, quick: bool) -> str:
    """Play the races, write a page for each, and return the text of the page that lists them.

    Args:
        folder: The folder for the pages of races.
        kept: The folder where replays are cached, so that an unchanged race is not played again.
        quick: Whether to play only the first race.
    """
    races = [RaceConfig.from_mapping(entry, f"{LIST.name}[{i}]") for i, entry in enumerate(_listed())]
    lines = [
        "# Races to watch", "",
        "Races of the strongest players that come with the package, as [replays](../docs/replay.md): Space plays, the",
        "arrow keys step, and everything can be pointed at.", "",
    ]  # fmt: skip
    for config in races[: 1 if quick else None]:
        replay = _raced(config, kept)
        name = f"{replay.course.id}.html"
        write_file(folder / name, to_html(replay))
        first = standings(replay)[0]
        turns = f"{len(replay.turns)} turns"
        told = f"{first.player} wins after {turns}" if replay.winners else f"nobody has won after {turns}"
        lines += [
            f"## {replay.course.name}", "", f"{', '.join(replay.players)}: {told}.", "",
            f'<iframe class="replay" src="../replays/{name}" loading="lazy" height="{HEIGHT}" '
            f'title="A race on {replay.course.name}"></iframe>', "",
            f'<p><a href="../replays/{name}">On a page of its own</a></p>', "",
        ]  # fmt: skip
    return "\n".join(lines)


def _listed() -> list[object]:
    entries: list[object] = yaml12.load(LIST.read_text("utf-8"), str(LIST))
    return entries


def _raced(config: RaceConfig, kept: Path) -> Replay:
    """Return the replay of a race, from the cache if it was played before."""
    what = f"{config}, {load_course(config.course).to_yaml()}, {__version__}, {STATE_VERSION}"
    path = kept / f"{hashlib.sha256(what.encode()).hexdigest()[:16]}.json"
    if not path.exists():
        race(config).save(path)
    return Replay.load(path)
