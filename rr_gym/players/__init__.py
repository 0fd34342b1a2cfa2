"""Players: what they are, and those that are built in. `rr_gym.registry` finds them by name."""

from rr_gym.players.greedy import GreedyPlayer
from rr_gym.players.planner import PlannerPlayer
from rr_gym.players.protocol import Player, SeatView
from rr_gym.players.racer import RacerPlayer
from rr_gym.players.random_player import RandomPlayer
from rr_gym.players.search import OUTCOME, play_all_programs

__all__ = [
    "OUTCOME",
    "GreedyPlayer",
    "PlannerPlayer",
    "Player",
    "RacerPlayer",
    "RandomPlayer",
    "SeatView",
    "play_all_programs",
]
