"""How well players play: matches over many games, and what can be said of them with 95 % confidence."""

from rr_gym.evaluation.intervals import Stat
from rr_gym.evaluation.matches import EvaluationError, Match, evaluate
from rr_gym.evaluation.report import Evaluation, PlayerResult, TableResult

__all__ = ["Evaluation", "EvaluationError", "Match", "PlayerResult", "Stat", "TableResult", "evaluate"]
