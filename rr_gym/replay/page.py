"""A replay as one self-contained HTML page."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from rr_gym.courses.changes import Changes, flag_squares
from rr_gym.files import fill
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render.colours import INK_ON_ROBOT, ROBOT_COLOURS, team_colour
from rr_gym.render.phrases import DEVICE_WORDS, MOVEMENT_OPTION_WORDS
from rr_gym.render.pieces import Piece, labels
from rr_gym.render.robots import spots
from rr_gym.render.telling import sentences
from rr_gym.render.tokens import Tokens
from rr_gym.render.vector import movable_svg, stamps_svg
from rr_gym.render.words import CARD_WORDS, STEP_WORDS
from rr_gym.replay.boards import board_svg
from rr_gym.replay.effects import effects
from rr_gym.replay.replay import Replay
from rr_gym.replay.scene import Frame
from rr_gym.rules.state.cards import CARD_TYPE, priority
from rr_gym.rules.state.constants import DECK_SIZE, GADGET_NAMES, SHIELD_NAMES

CELL, MARGIN = 100, 32  # the side of a square and the board's margin, in the units of the page
SCRIPTS = ("page_data.js", "page_board.js", "page.js")  # in this order
USING = frozenset({"used", "absorbed", "counter", "option", "taken"})  # events that concern an option card
GLYPHS = ("", "⤺", "↶", "↷", "↓", "↑", "⇈", "⤊")  # by card type


def to_html(replay: Replay, from_turn: int = 1, to_turn: int | None = None) -> str:
    """A page with the board, the robots, their programs and controls to play and step through.

    Args:
        replay: What is shown.
        from_turn: The first turn shown, counted from 1.
        to_turn: The last turn shown; None for all.
    """
    width, height = replay.course.size
    # No "</script>" may end the data early.
    payload = json.dumps(_payload(replay, from_turn, to_turn), separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "title": html.escape(replay.course.name),
        "players": html.escape(", ".join(labels(replay.players))),
        "css": _template("page.css"),
        "js": "\n".join(map(_template, SCRIPTS)),
        # A margin, for the coordinates and for walls at the edge.
        "viewbox": f"{-MARGIN} {-MARGIN} {width * CELL + 2 * MARGIN} {height * CELL + 2 * MARGIN}",
        "width": f"{width * CELL}",
        "height": f"{height * CELL}",
        "board": board_svg(replay.course, list(_looks(replay, from_turn, to_turn)), CELL),
        "rulers": _rulers(width, height),
        "stamps": _stamps(replay, from_turn, to_turn),
        "robots": "".join(
            movable_svg(seat, CELL, is_copy, replay.start[seat].team)
            for is_copy in (False, True)
            for seat in range(replay.num_robots)
        ),
        "payload": payload,
    }
    return fill(_template("page.html"), parts)


def _rulers(width: int, height: int) -> str:
    """The coordinates that the words use, along the northern and the western edge."""
    columns = (((x + 0.5) * CELL, -MARGIN / 2, x) for x in range(width))
    rows = ((-MARGIN / 2, (y + 0.5) * CELL, y) for y in range(height))
    return "".join(f'<text class="ruler" x="{x:g}" y="{y:g}">{n}</text>' for x, y, n in (*columns, *rows))


def _template(name: str) -> str:
    return files("rr_gym.replay").joinpath(name).read_text(encoding="utf-8")


def _stamps(replay: Replay, from_turn: int, to_turn: int | None) -> str:
    """Every device and every owner of a flag in these turns."""
    seen = [replay.before_turn(from_turn).tokens, *(f.tokens for f in replay.frames_of(from_turn, to_turn))]
    devices = {(device.kind, device.owner) for tokens in seen for device in tokens.devices}
    teams = {team for tokens in seen for team in tokens.flag_teams if team}
    return stamps_svg(sorted(devices), sorted(teams), CELL)


def _looks(replay: Replay, from_turn: int, to_turn: int | None) -> dict[Changes, int]:
    """Every look of the board in these turns with its number."""
    seen = [replay.before_turn(from_turn).changes, *(f.changes for f in replay.frames_of(from_turn, to_turn))]
    return {changes: number for number, changes in enumerate(dict.fromkeys(seen))}


def _payload(replay: Replay, from_turn: int, to_turn: int | None) -> dict[str, Any]:
    """The data for the page's script; frames have only the changes of robots."""
    names = labels(replay.players)
    width = replay.course.size[0]
    before = replay.before_turn(from_turn)
    shown = _Shown(before.pieces, width)
    start = shown.states
    lying = _tokens(before.tokens, before.changes, replay)
    looks = _looks(replay, from_turn, to_turn)
    frames = []
    last = lying
    for frame in replay.frames_of(from_turn, to_turn):
        frames.append(_frame(frame, shown.update(frame), names, width) | {"look": looks[frame.changes]})
        now = _tokens(frame.tokens, frame.changes, replay)
        if now != last:
            frames[-1]["tokens"] = last = now
    return {
        "cell": CELL,
        "names": names,
        "colours": ROBOT_COLOURS[: len(names)],
        "inks": INK_ON_ROBOT[: len(names)],
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


def _tokens(tokens: Tokens, changes: Changes, replay: Replay) -> dict[str, Any]:
    """The symbols that the page puts on the board."""
    width = replay.course.size[0]
    flags = zip(flag_squares(replay.course, changes), tokens.flag_teams, strict=False)
    return {
        "devices": [
            {
                "key": f"{device.number}-{device.kind}-{device.owner}",
                "stamp": f"{device.kind}-{device.owner}",
                "owner": device.owner,
                "at": _xy(device.square, width),
                "facing": device.facing,
                "virtual": device.virtual,
                "target": _xy(device.target, width) if device.target >= 0 else None,
            }
            for device in tokens.devices
            if device.square >= 0
        ],
        "flags": [[*_xy(square, width), team] for square, team in flags if team],
        "homing": tokens.homing,
        "interceptor": tokens.interceptor,
        "damping": tokens.damping,
        "superbot": tokens.superbot,
    }


def _card(card: int) -> dict[str, Any]:
    kind = int(CARD_TYPE[card])
    return {"glyph": GLYPHS[kind], "name": CARD_WORDS[kind], "priority": priority(card)}


class _Shown:
    """The robots as the page draws them: a robot that left the board is last seen where it fell."""

    def __init__(self, pieces: Sequence[Piece], width: int) -> None:
        self.width = width
        self.squares = [piece.square for piece in pieces]
        self.states = self.drawn(pieces)

    def drawn(self, pieces: Sequence[Piece]) -> list[dict[str, Any]]:
        # Robots off the board are placed separately from those on it: they are in nobody's way.
        here = spots([piece.square for piece in pieces], self.width)
        fallen = spots(self.squares, self.width)
        states = []
        for seat, piece in enumerate(pieces):
            x, y = here[seat] if piece.alive else fallen[seat]
            copy_place = _xy(piece.copy_square, self.width) if piece.copy_square >= 0 else None
            places = {"x": x, "y": y, "archive": _xy(piece.archive, self.width), "copy": copy_place}
            states.append(asdict(piece) | places)
            del states[-1]["square"], states[-1]["copy_square"]
        return states

    def update(self, frame: Frame) -> dict[int, dict[str, Any]]:
        """Advance to a frame. Returns the fields that changed, by seat."""
        for event in frame.events:
            if event.kind in ("moved", "reentered") and event.square >= 0:
                self.squares[event.robot] = event.square
        before, self.states = self.states, self.drawn(frame.pieces)
        changes = {
            seat: {key: value for key, value in now.items() if value != then[key]}
            for seat, (then, now) in enumerate(zip(before, self.states, strict=True))
        }
        return {seat: change for seat, change in changes.items() if change}


def _xy(square: int, width: int) -> tuple[int, int]:
    return square % width, square // width


def _frame(frame: Frame, changed: dict[int, Any], names: list[str], width: int) -> dict[str, Any]:
    begins = ("card", "moved", "used")
    acting = next((e.robot for e in frame.events if e.kind in begins), None) if frame.step == "B1" else None
    if acting is not None:
        # A pushed robot moves before the robot whose card it is.
        acting = next((e.other for e in frame.events if e.kind == "moved" and e.other >= 0), acting)
    return {
        "turn": frame.turn,
        "phase": frame.phase,
        "part": str(frame.phase) if frame.phase else frame.step[0],
        "title": STEP_WORDS.get(frame.step, frame.step),
        "acting": acting,
        "robots": changed,
        "used": [[e.robot, OPTION_CARDS[e.value].id] for e in frame.events if e.kind in USING],
        "effects": [[effect.kind, *effect.at, *effect.values] for effect in effects(frame, width)],
        "log": sentences(frame.events, names, width),
    }
