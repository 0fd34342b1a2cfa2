"""The error of arenas."""

from __future__ import annotations

from rr_gym.errors import RoboRallyError


class LadderError(RoboRallyError):
    """An arena cannot be played, read or verified."""
