"""Frames of a replay as data for the script of a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render.telling import sentences
from rr_gym.render.words import STEP_WORDS
from rr_gym.replay.effects import effects
from rr_gym.replay.scene import Frame

USING = frozenset({"used", "absorbed", "counter", "option", "taken"})  # events that concern an option card


def frame_json(frame: Frame, changed: dict[int, Any], names: Sequence[str], width: int) -> dict[str, Any]:
    """A frame for a page: when it is, what is new of the robots, what flashes, and the words for it.

    Args:
        frame: The frame.
        changed: The changed fields of robots by seat, from `rr_gym.render.web.PlacedRobots.update`.
        names: A name for each robot.
        width: Of the course, in squares.
    """
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
