"""A person plays in a terminal: input, output, and the game in between (docs/play.md)."""

from rr_gym.play.dialogue import GAME, Dialogue
from rr_gym.play.human_game import HumanGame
from rr_gym.play.prompt import count_tokens, prompt
from rr_gym.play.session import Session
from rr_gym.player_names import PERSON

__all__ = ["GAME", "PERSON", "Dialogue", "HumanGame", "Session", "count_tokens", "prompt"]
