"""Rules that decide power-downs and facings early in a training run, until the policy has learned to drive."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.solo.distances import path_distances

Array = np.ndarray[Any, Any]

POWER_DOWN_AT = 5  # points of damage from which a robot powers down; the same as for the player `greedy`
BY_RULE = ("facing", "power_down", "stay_down")


class DecisionRules:
    """Narrows the action masks of the decisions in `BY_RULE` to the choice of a fixed rule.

    A robot announces a power-down, or stays down, if it has at least `POWER_DOWN_AT` points of damage. If it may choose
    its facing, it takes the one with the shortest path to its next flag.

    Args:
        core: The games, with ``action="cards"``, so that all of them are at the same decision of a turn.
    """

    def __init__(self, core: Any) -> None:
        self._names = [core.layout.components[place] for place in core.steps.order]

    def narrow(self, core: Any, masks: Array) -> None:
        """Leave only the rule's choice in the masks, int8, (rows, choices), if the current decision is in `BY_RULE`."""
        name = self._names[core.stage]
        if name not in BY_RULE:
            return
        rows = np.arange(len(masks))
        games, seats = core.steps.games, core.steps.seats[:, 0]
        robots = games["robots"][rows, seats]
        choices = self._facings(core, games, robots) if name == "facing" else robots["damage"] >= POWER_DOWN_AT
        choices = np.where(masks[rows, choices.astype(np.int64)] > 0, choices, 0)
        masks[:] = 0
        masks[rows, choices] = 1

    def _facings(self, core: Any, games: Array, robots: Array) -> Array:
        """Return the clockwise quarter turns to the facing with the shortest path to the next flag: int64, (rows,).

        The choice is 0 for robots that may not choose their facing.
        """
        choices = np.zeros(len(games), np.int64)
        for row in np.flatnonzero((robots["may_face"] > 0) & (robots["square"] >= 0)):
            to_flags = path_distances(core.arena.tables[games["course"][row]])
            robot = robots[row]
            if robot["flag"] < len(to_flags):
                facings = (int(robot["facing"]) + np.arange(4)) & 3
                choices[row] = int(to_flags[robot["flag"], robot["square"], facings].argmin())
        return choices
