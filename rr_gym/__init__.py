"""RoboRally as a reinforcement-learning environment.

The public names stand here and are imported when they are first used, so that ``import rr_gym`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rr_gym import forms as _forms  # noqa: F401  # it tells the compiler of this package
from rr_gym.public_names import on_first_use
from rr_gym.version import __version__ as __version__

if TYPE_CHECKING:
    import rr_gym.roborally_v0 as roborally_v0
    from rr_gym.courses.course import Course
    from rr_gym.courses.library import list_courses, load_course
    from rr_gym.courses.text.boards import list_boards
    from rr_gym.encoding.act.sampling import random_actions
    from rr_gym.envs.registration import register_environments
    from rr_gym.errors import RoboRallyError
    from rr_gym.game import Game, OrderError, Orders, SavedGameError, determinize
    from rr_gym.generate import generate_course
    from rr_gym.registry import list_players, make_player, register_player
    from rr_gym.replay import Recorder, Replay
    from rr_gym.replay.showing import show
    from rr_gym.rules.arena.arena import Arena, arena_of, new_games
    from rr_gym.rules.arena.distances import path_distances, phase_distances
    from rr_gym.rules.state.records import FULL_ORDERS, GAME, LOG, ORDERS, clone, new_log, no_orders
    from rr_gym.rules.state.settings import Settings
    from rr_gym.salt import draw_salt, salt_of

_HOMES = {
    "rr_gym": ("roborally_v0",),
    "rr_gym.courses.course": ("Course",),
    "rr_gym.courses.library": ("list_courses", "load_course"),
    "rr_gym.courses.text.boards": ("list_boards",),
    "rr_gym.encoding.act.sampling": ("random_actions",),
    "rr_gym.envs.registration": ("register_environments",),
    "rr_gym.errors": ("RoboRallyError",),
    "rr_gym.game": ("Game", "OrderError", "Orders", "SavedGameError", "determinize"),
    "rr_gym.generate": ("generate_course",),
    "rr_gym.registry": ("list_players", "make_player", "register_player"),
    "rr_gym.replay": ("Recorder", "Replay"),
    "rr_gym.replay.showing": ("show",),
    "rr_gym.rules.arena.arena": ("Arena", "arena_of", "new_games"),
    "rr_gym.rules.arena.distances": ("path_distances", "phase_distances"),
    "rr_gym.rules.state.records": ("FULL_ORDERS", "GAME", "LOG", "ORDERS", "clone", "new_log", "no_orders"),
    "rr_gym.rules.state.settings": ("Settings",),
    "rr_gym.salt": ("draw_salt", "salt_of"),
}

__all__ = [
    "FULL_ORDERS",
    "GAME",
    "LOG",
    "ORDERS",
    "Arena",
    "Course",
    "Game",
    "OrderError",
    "Orders",
    "Recorder",
    "Replay",
    "RoboRallyError",
    "SavedGameError",
    "Settings",
    "arena_of",
    "clone",
    "determinize",
    "draw_salt",
    "generate_course",
    "list_boards",
    "list_courses",
    "list_players",
    "load_course",
    "make_player",
    "new_games",
    "new_log",
    "no_orders",
    "path_distances",
    "phase_distances",
    "random_actions",
    "register_environments",
    "register_player",
    "roborally_v0",
    "salt_of",
    "show",
]

if not TYPE_CHECKING:  # with `__getattr__`, type checkers would accept any name
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)

import_module("rr_gym.envs.registration").register_when_imported()
