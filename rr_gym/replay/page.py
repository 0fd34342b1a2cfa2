"""A replay as one self-contained HTML page."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Sequence
from importlib.resources import files
from itertools import zip_longest
from typing import Any

from rr_gym.courses.changes import Changes
from rr_gym.files import fill
from rr_gym.render.board.icon import ICON
from rr_gym.render.colours import team_colour
from rr_gym.render.pieces import brief_labels
from rr_gym.render.vector import pieces_body
from rr_gym.render.web import PlacedRobots, board_html, drawing, scripts, squares_json, styles, tokens_json, words_json
from rr_gym.render.web.sentences import IN_ORDER
from rr_gym.render.words import STEP_WORDS
from rr_gym.replay.hands import hands as hands_of
from rr_gym.replay.page_frames import frame_json, marks_json
from rr_gym.replay.page_standings import standings_html
from rr_gym.replay.recording import Recording
from rr_gym.replay.scene import Frame, Scene
from rr_gym.rule_lookup import step_texts

SCRIPTS = (  # in this order
    "page_data.js", "page_result.js", "page_log.js", "page_timeline.js", "page_about.js", "page_share.js",
    "page_better.js", "page.js",
)  # fmt: skip
ANALYSIS_TAB = (
    '<button type="button" role="tab" id="tab-analysis" aria-controls="analysis" aria-selected="false" tabindex="-1">'
    "Analysis</button>"
)
ANALYSIS_PANE = (
    '<div class="pane" id="analysis" role="tabpanel" aria-labelledby="tab-analysis" tabindex="0">{}</div>'
)
# How a path of a file or folder looks in the name of a player, and parts of paths that do not tell policies apart
_PATH = re.compile(r"(?<!\S)[\w.~+-]*(?::?[/\\][\w.~+-]+)+[/\\]?(?!\S)")
_GENERIC = frozenset({"policy", "policies", "best", "last", "final", "model", "run", "runs", "tmp", "home"})


def to_html(
    replay: Recording,
    from_turn: int = 1,
    to_turn: int | None = None,
    *,
    hands: bool = False,
    analysis: str = "",
    address_is_secret: bool = False,
) -> str:
    """Return a page with the board, the robots, their programs, and controls to play and step through the replay.

    The page hides the result until the replay has been watched to its end or somebody asks for it, unless the page has
    an analysis.

    Args:
        replay: The replay to show.
        from_turn: The first turn shown, counted from 1.
        to_turn: The last turn shown; None for all.
        hands: Whether to show the hands, too. They are dealt again by the rules, which needs the seed: a replay without
            a seed shows no hands.
        analysis: HTML for a tab of its own; see `rr_gym.analysis.analysis_html`; "" for no such tab.
        address_is_secret: Whether the address of the page must not be shared, because it gives access to more.
    """
    page = _Page(replay, from_turn, to_turn, hands and replay.seed is not None)
    last = page.frames[-1] if page.frames else page.before
    robots = pieces_body(last.pieces, replay.course, last.changes, last.tokens)
    teams = [piece.team for piece in replay.start]
    # A "</script>" in a name would end the script, and the data in it, too early.
    data = page.payload() | {"address_is_secret": address_is_secret}
    payload = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "title": html.escape(replay.course.name),
        "icon": ICON,
        "players": html.escape(", ".join(page.names)),
        "turn": str(page.frames[-1].turn + 1 if page.frames else from_turn),
        "css": "\n".join((styles(), _template("page.css"))),
        "js": "\n".join((scripts(), *map(_template, SCRIPTS))),
        "board": board_html(
            replay.course, list(page.looks), teams, page.devices,
            shown=page.looks[last.changes], without_script=robots,
        ),
        "columns": str(replay.course.size[0]),
        "rows": str(replay.course.size[1]),
        "standings": standings_html(replay, page.names),
        "analysis_tab": ANALYSIS_TAB if analysis else "",
        "analysis": ANALYSIS_PANE.format(analysis) if analysis else "",
        "payload": payload,
    }  # fmt: skip
    return fill(_template("page.html"), parts)


def short_names(players: Sequence[str]) -> list[str]:
    """Return a short and distinct name for each player, in which paths of policies and programs are shortened.

    A policy whose folder has the name of another player, such as ``runs/racer``, becomes *racer (policy)*. If several
    folders have the same name, such as ``one/racer`` and ``two/racer``, the nearest parent folder in which they differ
    is added.
    """
    plain = [_shortened(name) for name in players]
    alike = {name: [player for known, player in zip(plain, players, strict=True) if known == name] for name in plain}
    short = [_shortened(player, _folder(player, alike[name])) for name, player in zip(plain, players, strict=True)]
    pairs = zip(short, players, strict=True)
    return brief_labels([f"{name} (policy)" if name != player and name in players else name for name, player in pairs])


def _short(path: str) -> str:
    parts = _parts(path)
    stems = [re.sub(r"\.(zip|json|py|sh|pt|yaml|exe)$", "", part) for part in parts]
    return next((stem for stem in reversed(stems) if stem not in _GENERIC), stems[-1] if stems else path)


def _parts(path: str) -> list[str]:
    """Return the names in a path, without those that are not names, such as ``..`` and ``~``."""
    return [part for part in re.split(r"[/\\]", path) if part.strip(".~")]


def _shortened(player: str, folder: str = "") -> str:
    """Return a player's name with each path in it shortened, and with `folder` before the short form if it is given."""
    return _PATH.sub(lambda path: f"{folder}/{_short(path[0])}" if folder else _short(path[0]), player)


def _folder(player: str, alike: Sequence[str]) -> str:
    """Return the folder that tells a player from others with the same short name, or "" if there is none.

    It is the folder nearest to the file in which the players' paths differ.
    """
    paths = {name: [_parts(path) for path in _PATH.findall(name)] for name in alike if _PATH.search(name)}
    if player in paths and len(paths) > 1 and all(len(found) == 1 for found in paths.values()):
        upwards = zip_longest(*(reversed(parts) for (parts,) in paths.values()), fillvalue="")
        for folders in upwards:
            if len({*folders}) > 1:
                return folders[list(paths).index(player)]
    return ""


def _template(name: str) -> str:
    return files("rr_gym.replay").joinpath(name).read_text(encoding="utf-8")


class _Page:
    """Collects what a page shows of a replay.

    Args:
        replay: The replay.
        from_turn: The first turn shown, counted from 1.
        to_turn: The last turn shown; None for all.
        with_hands: Whether hands are shown.
    """

    def __init__(self, replay: Recording, from_turn: int, to_turn: int | None, with_hands: bool) -> None:
        self.replay = replay
        self.names = short_names(replay.players)
        self.before: Scene = replay.before_turn(from_turn)
        self.frames: list[Frame] = replay.frames_of(from_turn, to_turn)
        self.hands = hands_of(replay) if with_hands else []
        self.first = from_turn - 1
        self.ends = to_turn is None or to_turn >= len(replay.turns)  # it shows the last turn of the replay
        seen = [self.before.changes, *(frame.changes for frame in self.frames)]
        self.looks: dict[Changes, int] = {changes: number for number, changes in enumerate(dict.fromkeys(seen))}
        seen_tokens = dict.fromkeys([self.before.tokens, *(frame.tokens for frame in self.frames)])
        self.devices = {(device.kind, device.owner) for tokens in seen_tokens for device in tokens.devices}

    def payload(self) -> dict[str, Any]:
        """Return the data for the page's script, in which frames contain only the fields of robots that changed."""
        replay, course, names = self.replay, self.replay.course, self.names
        width = course.size[0]
        placed = PlacedRobots(self.before.pieces, width)
        start = list(placed.states)
        seen_tokens = last = tokens_json(self.before.tokens, self.before.changes, course)
        frames = []
        known = self.before.tokens, self.before.changes
        for frame in self.frames:
            changed = placed.update(frame.pieces, frame.events)
            frames.append(frame_json(frame, changed, names, width) | {"look": self.looks[frame.changes]})
            if (frame.tokens, frame.changes) != known:
                known = frame.tokens, frame.changes
                now = tokens_json(frame.tokens, frame.changes, course)
                if now != last:
                    frames[-1]["tokens"] = last = now
        return {
            **drawing(course, len(names)),
            **words_json(),
            "about": squares_json(course, list(self.looks)),
            "names": names,
            "num_flags": len(course.flags),
            "in_order": replay.settings["game"] in IN_ORDER,
            "team_colours": {piece.team: team_colour(piece.team) for piece in replay.start if piece.team},
            "ends": self.ends,
            "winners": replay.winners if self.ends else [],
            "first_turn": self.first,
            "hands": self.hands[self.first :],
            "hands_shared": replay.settings["team_cards"] == "shared",
            "steps": self.steps(),
            "marks": marks_json(self.frames, names, width),
            "start": start,
            "tokens": seen_tokens,
            "frames": frames,
        }

    def steps(self) -> dict[str, str]:
        """Return what happens in the sub-steps that the log shows, by the words for them."""
        seen = {frame.step for frame in self.frames}
        told = {code: f"{code}: {text}" for code, text in step_texts().items() if code in seen}
        return {STEP_WORDS[code]: told[code] for code in reversed(told)}  # E3 goes before F4
