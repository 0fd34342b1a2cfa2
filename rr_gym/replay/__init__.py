"""Replays: games written down with their events, and what can be made of them."""

from rr_gym.errors import ReplayError
from rr_gym.replay.recorder import Recorder
from rr_gym.replay.replay import Replay, Turn

__all__ = ["Recorder", "Replay", "ReplayError", "Turn"]
