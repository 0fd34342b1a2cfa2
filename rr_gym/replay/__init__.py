"""Replays: games written down with their events, and what can be made of them."""

from rr_gym.errors import ReplayError
from rr_gym.replay.recorder import Recorder
from rr_gym.replay.recording import Turn
from rr_gym.replay.replay import Replay

__all__ = ["Recorder", "Replay", "ReplayError", "Turn"]
