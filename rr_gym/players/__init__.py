"""Players: what they are, those that are built in, and finding them by name."""

from rr_gym.players.greedy import GreedyPlayer
from rr_gym.players.protocol import Player, SeatView
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
    "Player",
    "PlayerEntry",
    "PlayerError",
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
