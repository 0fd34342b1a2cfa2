"""Generate random courses."""

from rr_gym.generate.courses import DIFFICULTIES, GenerateError, generate_course, is_solvable
from rr_gym.generate.route import find_route

__all__ = ["DIFFICULTIES", "GenerateError", "find_route", "generate_course", "is_solvable"]
