"""Replays: recorded games with their events, and the ways to show them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.errors import ReplayError as ReplayError
    from rr_gym.replay.film import scenario_gif as scenario_gif
    from rr_gym.replay.gif import to_gif as to_gif
    from rr_gym.replay.page import to_html as to_html
    from rr_gym.replay.recorder import Recorder as Recorder
    from rr_gym.replay.recording import RecordedTurn as RecordedTurn
    from rr_gym.replay.replay import Replay as Replay
    from rr_gym.replay.text import to_lines as to_lines
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
