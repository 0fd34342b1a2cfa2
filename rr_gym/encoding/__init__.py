"""Observations, actions and masks for learning agents, and plain views and orders for people and programs.

Kernels write whole batches straight into arrays that the caller provides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.encoding.act.actions import action_layout as action_layout
    from rr_gym.encoding.act.actions import course_features as course_features
    from rr_gym.encoding.act.checked import decode_actions as decode_actions
    from rr_gym.encoding.act.checked import write_masks as write_masks
    from rr_gym.encoding.observe.entities import board_window as board_window
    from rr_gym.encoding.observe.entities import entity_columns as entity_columns
    from rr_gym.encoding.observe.flat import flat_feature_names as flat_feature_names
    from rr_gym.encoding.observe.observations import Observer as Observer
    from rr_gym.encoding.observe.observations import make_observer as make_observer
    from rr_gym.encoding.observe.planes import plane_names as plane_names
    from rr_gym.encoding.observe.seats import all_seats as all_seats
    from rr_gym.encoding.observe.view import RobotView as RobotView
    from rr_gym.encoding.observe.view import View as View
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
