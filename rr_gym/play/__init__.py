"""A person plays in a terminal: what is typed, what is shown, and the game between them (docs/play.md)."""

from rr_gym.play.dialogue import GAME, Dialogue
from rr_gym.play.session import PERSON, Session

__all__ = ["GAME", "PERSON", "Dialogue", "Session"]
