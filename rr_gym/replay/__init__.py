"""Replays: recorded games with their events, and the ways to show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.errors import ReplayError
    from rr_gym.replay.gif import to_gif
    from rr_gym.replay.page import to_html
    from rr_gym.replay.recorder import Recorder
    from rr_gym.replay.recording import Turn
    from rr_gym.replay.replay import Replay
    from rr_gym.replay.text import to_lines

_HOMES = {
    "rr_gym.errors": ("ReplayError",),
    "rr_gym.replay.gif": ("to_gif",),
    "rr_gym.replay.page": ("to_html",),
    "rr_gym.replay.recorder": ("Recorder",),
    "rr_gym.replay.recording": ("Turn",),
    "rr_gym.replay.replay": ("Replay",),
    "rr_gym.replay.text": ("to_lines",),
}

__all__ = ["Recorder", "Replay", "ReplayError", "Turn", "to_gif", "to_html", "to_lines"]

if not TYPE_CHECKING:  # with `__getattr__`, type checkers would accept any name
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
