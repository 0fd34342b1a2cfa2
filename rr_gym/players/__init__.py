"""Players: what they are, those that are built in, and finding them by name."""

from rr_gym.players.greedy import GreedyPlayer
from rr_gym.players.planner import PlannerPlayer, read_budget
from rr_gym.players.protocol import Player, SeatView
from rr_gym.players.racer import RacerPlayer
from rr_gym.players.random_player import RandomPlayer
from rr_gym.players.registry import (
    PlayerEntry,
    PlayerError,
    check_player,
    is_policy,
    list_players,
    make_player,
    register_player,
)
from rr_gym.players.search import OUTCOME, play_all_programs

__all__ = [
    "OUTCOME",
    "GreedyPlayer",
    "PlannerPlayer",
    "Player",
    "PlayerEntry",
    "PlayerError",
    "RacerPlayer",
    "RandomPlayer",
    "SeatView",
    "check_player",
    "is_policy",
    "list_players",
    "make_player",
    "play_all_programs",
    "register_player",
]

register_player("random", RandomPlayer, "any legal program and use of options with the same chance; never powers down")
register_player("greedy", GreedyPlayer, "runs for the next flag as if it were alone on the floor")
register_player("racer", RacerPlayer, "soonest at its last flag as if it were alone: expected turns over random hands")
register_player(
    "planner",
    PlannerPlayer,
    "tries programs against likely ones of the others; planner:20k for so many simulated turns, planner:100ms for time",
    read=read_budget,
)
