"""A replay as one self-contained HTML page."""

from __future__ import annotations

import html
import json
from importlib.resources import files
from typing import Any

from rr_gym.courses.changes import Changes
from rr_gym.files import fill
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render.colours import team_colour
from rr_gym.render.phrases import DEVICE_WORDS, MOVEMENT_OPTION_WORDS
from rr_gym.render.pieces import labels
from rr_gym.render.web import PlacedRobots, board_html, drawing, scripts, styles, tokens_json
from rr_gym.render.words import CARD_WORDS
from rr_gym.replay.page_frames import frame_json
from rr_gym.replay.replay import Replay
from rr_gym.rules.state.cards import CARD_TYPE, priority
from rr_gym.rules.state.constants import DECK_SIZE, GADGET_NAMES, SHIELD_NAMES

SCRIPTS = ("page_data.js", "page.js")  # in this order
GLYPHS = ("", "⤺", "↶", "↷", "↓", "↑", "⇈", "⤊")  # by card type


def to_html(replay: Replay, from_turn: int = 1, to_turn: int | None = None) -> str:
    """A page with the board, the robots, their programs and controls to play and step through.

    Args:
        replay: What is shown.
        from_turn: The first turn shown, counted from 1.
        to_turn: The last turn shown; None for all.
    """
    # No "</script>" may end the data early.
    payload = json.dumps(_payload(replay, from_turn, to_turn), separators=(",", ":")).replace("<", "\\u003c")
    looks = _looks(replay, from_turn, to_turn)
    parts = {
        "title": html.escape(replay.course.name),
        "players": html.escape(", ".join(labels(replay.players))),
        "css": "\n".join((styles(), _template("page.css"))),
        "js": "\n".join((scripts(), *map(_template, SCRIPTS))),
        "board": board_html(
            replay.course, list(looks), [piece.team for piece in replay.start], _devices(replay, from_turn, to_turn),
        ),
        "payload": payload,
    }
    return fill(_template("page.html"), parts)


def _template(name: str) -> str:
    return files("rr_gym.replay").joinpath(name).read_text(encoding="utf-8")


def _devices(replay: Replay, from_turn: int, to_turn: int | None) -> set[tuple[str, int]]:
    """Every device in these turns: its kind and its owner."""
    seen = [replay.before_turn(from_turn).tokens, *(f.tokens for f in replay.frames_of(from_turn, to_turn))]
    return {(device.kind, device.owner) for tokens in dict.fromkeys(seen) for device in tokens.devices}


def _looks(replay: Replay, from_turn: int, to_turn: int | None) -> dict[Changes, int]:
    """Every look of the board in these turns with its number."""
    seen = [replay.before_turn(from_turn).changes, *(f.changes for f in replay.frames_of(from_turn, to_turn))]
    return {changes: number for number, changes in enumerate(dict.fromkeys(seen))}


def _payload(replay: Replay, from_turn: int, to_turn: int | None) -> dict[str, Any]:
    """The data for the page's script; frames have only the changes of robots."""
    names = labels(replay.players)
    width = replay.course.size[0]
    before = replay.before_turn(from_turn)
    placed = PlacedRobots(before.pieces, width)
    start = placed.states
    lying = tokens_json(before.tokens, before.changes, replay.course)
    looks = _looks(replay, from_turn, to_turn)
    frames = []
    last = lying
    for frame in replay.frames_of(from_turn, to_turn):
        changed = placed.update(frame.pieces, frame.events)
        frames.append(frame_json(frame, changed, names, width) | {"look": looks[frame.changes]})
        now = tokens_json(frame.tokens, frame.changes, replay.course)
        if now != last:
            frames[-1]["tokens"] = last = now
    return {
        **drawing(replay.course, len(names)),
        "names": names,
        "cards": [None, *map(_card, range(1, DECK_SIZE + 1))],
        "num_flags": len(replay.course.flags),
        "options": {card.id: {"name": card.name, "holds": card.holds} for card in OPTION_CARDS},
        "gadgets": [DEVICE_WORDS[name] for name in GADGET_NAMES],
        "movement_options": MOVEMENT_OPTION_WORDS,
        "sides": SHIELD_NAMES,
        "team_colours": {piece.team: team_colour(piece.team) for piece in replay.start if piece.team},
        "winners": replay.winners,
        "start": start,
        "tokens": lying,
        "frames": frames,
    }


def _card(card: int) -> dict[str, Any]:
    kind = int(CARD_TYPE[card])
    return {"glyph": GLYPHS[kind], "name": CARD_WORDS[kind], "priority": priority(card)}
