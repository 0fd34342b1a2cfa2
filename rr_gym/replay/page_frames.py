"""Frames of a replay as data for the script of a page, and the marks on its time line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render.event_sentences import sentences
from rr_gym.render.words import STEP_WORDS, Event
from rr_gym.replay.effects import effects
from rr_gym.replay.scene import Frame

USING = frozenset({"used", "absorbed", "counter", "option", "taken"})  # events that concern an option card
SECRET = frozenset({"programmed", "second", "gadget", "movement_option"})  # until the phase in which they are revealed
MARKED = {"flag": "flag", "destroyed": "loss", "won": "win"}


def frame_json(frame: Frame, changed: dict[int, Any], names: Sequence[str], width: int) -> dict[str, Any]:
    """Return a frame for a page: its time, the changes of robots, the effects, and the sentences about it.

    `secret` contains sentences that only one seat knows, each with its seat, since orders lie face down.

    Args:
        frame: The frame.
        changed: The changed fields of robots by seat, from `rr_gym.render.web.PlacedRobots.update`.
        names: A name for each robot.
        width: The width of the course in squares.
    """
    begins = ("card", "moved", "used")
    acting = next((e.robot for e in frame.events if e.kind in begins), None) if frame.step == "B1" else None
    if acting is not None:
        # A pushed robot moves before the robot whose card it is.
        acting = next((e.other for e in frame.events if e.kind == "moved" and e.other >= 0), acting)
    data = {
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
    if secret := list(_secret(frame, names, width)):
        open_events = [event for event in frame.events if not _is_secret(event)]
        data |= {"log": sentences(open_events, names, width), "secret": secret}
    return data


def _is_secret(event: Event) -> bool:
    return event.step == "T4" and event.kind in SECRET


def _secret(frame: Frame, names: Sequence[str], width: int) -> Iterator[tuple[int, str]]:
    hidden = [event for event in frame.events if _is_secret(event)]
    for seat in range(len(names)):
        own = [event for event in hidden if event.robot == seat]
        yield from ((seat, line) for line in sentences(own, names, width))


def marks_json(frames: Iterable[Frame], names: Sequence[str], width: int) -> list[tuple[int, str, int, str]]:
    """Return flags, destructions and wins: the number of the frame from 1, what it is, the seat, and a sentence."""
    return [
        (number, MARKED[event.kind], event.robot, words)
        for number, frame in enumerate(frames, start=1)
        for event in frame.events
        if event.kind in MARKED
        for words in sentences([event], names, width)
    ]
