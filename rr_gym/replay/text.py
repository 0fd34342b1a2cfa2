"""A replay in words, one line per event."""

from __future__ import annotations

from collections.abc import Iterator

from rr_gym.render.pieces import brief_labels
from rr_gym.render.words import STEP_WORDS, Narrator
from rr_gym.replay.replay import Replay

_WIDTH = max(map(len, STEP_WORDS.values()))


def to_lines(replay: Replay, from_turn: int = 1, to_turn: int | None = None) -> Iterator[str]:
    """Yield the events as lines: turn and phase, the sub-step in words and by its code, then what happened.

    Args:
        replay: The replay.
        from_turn: The first turn included, counted from 1.
        to_turn: The last turn included; None for all.
    """
    narrator = Narrator(brief_labels(replay.players), replay.course.size[0])
    for event in replay.events():
        if from_turn <= event.turn + 1 <= (to_turn or event.turn + 1):
            moment = f"{event.turn + 1}.{event.phase}" if event.phase else f"{event.turn + 1}"
            yield f"{moment:>6} {STEP_WORDS[event.step]:<{_WIDTH}} {event.step:<5} {narrator.clause(event)}"
