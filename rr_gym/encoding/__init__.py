"""Observations, actions and masks of learning agents, and the plain views and orders of people and programs.

Kernels write whole batches straight into arrays that the caller provides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.encoding.act.actions import action_layout, course_features
    from rr_gym.encoding.act.checked import decode_actions, write_masks
    from rr_gym.encoding.observe.entities import board_window, entity_columns
    from rr_gym.encoding.observe.flat import flat_feature_names
    from rr_gym.encoding.observe.observations import Observer, make_observer
    from rr_gym.encoding.observe.planes import plane_names
    from rr_gym.encoding.observe.seats import all_seats
    from rr_gym.encoding.observe.view import RobotView, View

_HOMES = {
    "rr_gym.encoding.act.actions": ("action_layout", "course_features"),
    "rr_gym.encoding.act.checked": ("decode_actions", "write_masks"),
    "rr_gym.encoding.observe.entities": ("board_window", "entity_columns"),
    "rr_gym.encoding.observe.flat": ("flat_feature_names",),
    "rr_gym.encoding.observe.observations": ("Observer", "make_observer"),
    "rr_gym.encoding.observe.planes": ("plane_names",),
    "rr_gym.encoding.observe.seats": ("all_seats",),
    "rr_gym.encoding.observe.view": ("RobotView", "View"),
}

__all__ = [
    "Observer",
    "RobotView",
    "View",
    "action_layout",
    "all_seats",
    "board_window",
    "course_features",
    "decode_actions",
    "entity_columns",
    "flat_feature_names",
    "make_observer",
    "plane_names",
    "write_masks",
]

if not TYPE_CHECKING:  # or every name would pass for one
    __getattr__, __dir__ = on_first_use(__name__, _HOMES)
