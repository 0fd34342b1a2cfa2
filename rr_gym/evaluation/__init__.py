"""How well players play: matches over many games, and figures with 95 % confidence intervals."""

from rr_gym.evaluation.match_log import EvaluationError
from rr_gym.evaluation.matches import Match, evaluate
from rr_gym.evaluation.report import Evaluation, PlayerResult, TableResult
from rr_gym.evaluation.statistics.intervals import Stat

__all__ = ["Evaluation", "EvaluationError", "Match", "PlayerResult", "Stat", "TableResult", "evaluate"]
