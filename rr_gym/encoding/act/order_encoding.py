"""Encode orders as actions of the mode `draw`: the inverse of `decode_actions`, used for data sets of games."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.act.actions import ActionLayout
from rr_gym.rules.state.constants import NUM_REGISTERS
from rr_gym.rules.state.order_table import FIRST_RING

Array = np.ndarray[Any, Any]

# Fields of orders whose values are the choices of their components
_SAME_NUMBERS = ("unlock", "site", "chop", "freak_order", "stay_down")


def encode_actions(
    games: Array, seats: Array, orders: Array, layout: ActionLayout, masks: Array, rng: np.random.Generator
) -> Array:
    """Return the actions of the mode `draw` that come closest to given orders.

    Cards, power-down, facing and most other decisions of the base game are encoded exactly. Decisions that an action
    cannot express, and all decisions about option cards, get their default.

    Args:
        games: The games, (n,), dtype `GAME`.
        seats: The seats in each game whose orders are encoded, (n, k), int8.
        orders: The orders of all seats, (n, 8), dtype `FULL_ORDERS`.
        layout: The layout of the actions, with the mode `draw`.
        masks: The action masks of these seats, (n * k, components, choices), int8.
        rng: Draws cards for open registers to which the orders assign none.

    Returns:
        The actions, all of them legal, (n, k, components), int64.
    """
    rows = np.arange(len(games))[:, None]
    robots, given = games["robots"][rows, seats], orders[rows, seats]
    legal = masks.reshape(*seats.shape, *masks.shape[1:]) > 0
    actions = np.zeros(legal.shape[:3], np.int64)
    left = robots["hand"] > 0
    # Cards that the orders do not put in any register
    free = left & ~(robots["hand"][..., None] == given["program"][..., None, :]).any(axis=-1)
    for r in range(NUM_REGISTERS):
        takes = left.any(axis=-1) & (robots["locked"] >> r & 1 == 0) & (robots["down"] == 0)
        number = np.cumsum(left, axis=-1) - 1  # the index of a card among those left
        fits = left & np.take_along_axis(legal[:, :, r], number.clip(0, layout.width - 1), axis=-1)
        card = given["program"][..., r, None]
        wanted = fits & (card > 0) & (robots["hand"] == card)
        slot = (fits * (1 - rng.random(left.shape) + free + 3 * wanted)).argmax(axis=-1)[..., None]
        actions[:, :, r] = np.where(takes, np.take_along_axis(number, slot, axis=-1)[..., 0], 0)
        np.put_along_axis(left, slot, np.take_along_axis(left, slot, axis=-1) & ~takes[..., None], axis=-1)
    for place, name in enumerate(layout.components[NUM_REGISTERS:], NUM_REGISTERS):
        actions[:, :, place] = _choice(name, robots, given)
    possible = np.take_along_axis(legal, actions.clip(0, layout.width - 1)[..., None], axis=-1)[..., 0]
    return np.where(possible, actions, 0)


def _choice(name: str, robots: Array, given: Array) -> Any:
    """Return the choices of a component that is not a register, for all seats, (n, k)."""
    if name in _SAME_NUMBERS:
        return given[name]
    if name == "power_down":
        return np.where(robots["down"] > 0, given["stay_down"], given["power_down"])
    if name == "facing":
        return np.where(given["facing"] >= 0, (given["facing"] - robots["facing"]) & 3, 0)
    if name == "square":
        return np.where(given["square"] >= 0, given["square"] % FIRST_RING + 1, 0)
    if name == "square_ring":
        return given["square"] >= FIRST_RING
    return given["waste"] == 0 if name == "waste" else 0
