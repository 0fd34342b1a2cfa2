"""People and language models at a game: at the terminal (docs/play.md), and in words (docs/language-models.md)."""

from rr_gym.play.dialogue import GAME, Dialogue
from rr_gym.play.human_game import HumanGame
from rr_gym.play.prompt import count_tokens, prompt
from rr_gym.play.session import Session
from rr_gym.play.text_task import TextGame, TextTask, first_legal_answer, text_task
from rr_gym.player_names import PERSON

__all__ = [
    "GAME", "PERSON", "Dialogue", "HumanGame", "Session", "TextGame", "TextTask", "count_tokens", "first_legal_answer",
    "prompt", "text_task",
]  # fmt: skip
