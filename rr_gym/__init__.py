"""RoboRally as a reinforcement-learning environment.

The public names are listed here and imported when they are first used, so that ``import rr_gym`` costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rr_gym import forms as _forms  # noqa: F401  # registers this package with the compiler
from rr_gym.public_names import on_first_use
from rr_gym.version import __version__ as __version__

if TYPE_CHECKING:
    from rr_gym import roborally_v0 as roborally_v0
    from rr_gym.courses.course import Course as Course
    from rr_gym.courses.library import list_courses as list_courses
    from rr_gym.courses.library import load_course as load_course
    from rr_gym.courses.text.boards import list_boards as list_boards
    from rr_gym.encoding.act.sampling import random_actions as random_actions
    from rr_gym.envs.registration import register_environments as register_environments
    from rr_gym.errors import RoboRallyError as RoboRallyError
    from rr_gym.game import Game as Game
    from rr_gym.game import OrderError as OrderError
    from rr_gym.game import Orders as Orders
    from rr_gym.game import SavedGameError as SavedGameError
    from rr_gym.game import determinize as determinize
    from rr_gym.generate import generate_course as generate_course
    from rr_gym.registry import list_players as list_players
    from rr_gym.registry import make_player as make_player
    from rr_gym.registry import register_player as register_player
    from rr_gym.replay import Recorder as Recorder
    from rr_gym.replay import Replay as Replay
    from rr_gym.replay.showing import show as show
    from rr_gym.rules.arena.arena import Arena as Arena
    from rr_gym.rules.arena.arena import arena_of as arena_of
    from rr_gym.rules.arena.arena import new_games as new_games
    from rr_gym.rules.state.records import FULL_ORDERS as FULL_ORDERS
    from rr_gym.rules.state.records import GAME as GAME
    from rr_gym.rules.state.records import LOG as LOG
    from rr_gym.rules.state.records import ORDERS as ORDERS
    from rr_gym.rules.state.records import clone as clone
    from rr_gym.rules.state.records import new_log as new_log
    from rr_gym.rules.state.records import no_orders as no_orders
    from rr_gym.rules.state.settings import Settings as Settings
    from rr_gym.salt import draw_salt as draw_salt
    from rr_gym.salt import salt_of as salt_of
    from rr_gym.solo.distances import path_distances as path_distances
    from rr_gym.solo.distances import phase_distances as phase_distances
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)

import_module("rr_gym.envs.registration").register_when_imported()
