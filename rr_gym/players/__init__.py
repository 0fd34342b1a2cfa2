"""Players: their base class, the built-in ones, and external programs. `rr_gym.registry` finds players by name."""

from rr_gym.player_calls import FailedPlayerError
from rr_gym.players.greedy import GreedyPlayer
from rr_gym.players.planner import PlannerPlayer
from rr_gym.players.program import ProgramPlayer
from rr_gym.players.protocol import Player, SeatView, decision_word
from rr_gym.players.racer import RacerPlayer
from rr_gym.players.random_player import RandomPlayer
from rr_gym.players.search import play_all_programs
from rr_gym.players.transcript import Transcript
from rr_gym.solo.outcomes import OUTCOME
from rr_gym.solo.turn_tables import ExpectedTurns, expected_turns

__all__ = [
    "OUTCOME",
    "ExpectedTurns",
    "FailedPlayerError",
    "GreedyPlayer",
    "PlannerPlayer",
    "Player",
    "ProgramPlayer",
    "RacerPlayer",
    "RandomPlayer",
    "SeatView",
    "Transcript",
    "decision_word",
    "expected_turns",
    "play_all_programs",
]
