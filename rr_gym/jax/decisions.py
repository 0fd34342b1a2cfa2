"""Turns that are decided card by card, as calls of JAX."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from rr_gym.compilation.xla_arguments import CHANGED, READ, WRITTEN, Rows, Scratch
from rr_gym.encoding.act.actions import write_masks
from rr_gym.encoding.act.turn_decisions import DecisionRows, begin_turns, make_choices, write_step_masks
from rr_gym.envs.core import Core
from rr_gym.jax.calls import Call, as_words
from rr_gym.rules.state.constants import HAND_SLOTS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, ROBOT, new_log

Array = np.ndarray[Any, Any]
_BOOL, _I1, _I4, _I8 = (np.dtype(kind) for kind in ("?", "i1", "i4", "i8"))


def decision_rows(core: Core, learners: int, changed: tuple[str, ...] = ()) -> DecisionRows:
    """Return `DecisionRows` as arguments of a kernel, of which the named ones change."""
    parts: dict[str, tuple[Any, tuple[int, ...], bool]] = {
        "seen": (GAME, (learners,), True),
        "at": (_I1, (learners, 1), True),
        "whole": (_I1, (learners, *core.layout.shape), False),
        "hands": (_I1, (learners, HAND_SLOTS), False),
        "stages": (_I8, (), False),
        "orders": (FULL_ORDERS, (learners,), True),
        "illegal": (_I4, (learners,), False),
        "actions": (_I8, (learners, len(core.layout.components)), False),
        "bodies": (ROBOT, (learners,), True),
        "begun": (_I8, (learners,), True),
    }
    return DecisionRows(**{  # type: ignore[arg-type]
        name: Rows(f"decisions.{name}", kind, shape, CHANGED if name in changed else READ, merged)
        for name, (kind, shape, merged) in parts.items()
    })


class DecisionCalls:
    """What learners decide in a step: a card of their program, or all of it.

    Args:
        core: An environment of one game with the same settings.
        learners: The number of seats that learn.

    Attributes:
        count: Steps of a turn.
        mask_shape: The shape of the mask of a learner.
    """

    def __init__(self, core: Core, learners: int) -> None:
        self.count, self.mask_shape = core.stages, core.mask_shape
        self._learners = learners
        tables, steps, code = core.arena.tables, core.steps, core.layout.code
        games, seats = Rows("games", GAME), Rows("seats", _I1, (learners,))
        self._by_cards = steps is not None
        if steps is None:
            out = Rows("masks", _I1, (learners, *core.mask_shape), WRITTEN)
            self._masks = Call(write_masks, games, tables, code, seats, out)
            return
        every = DecisionRows._fields
        self._empty: Any = decision_rows(core, learners)
        self._begin = Call(
            begin_turns, games, tables, code, seats, Rows("begins", _BOOL), steps.plan,
            decision_rows(core, learners, every),
        )  # fmt: skip
        self._changed = tuple(name for name in every if name not in ("at", "whole", "hands", "bodies", "begun"))
        self._choose = Call(
            make_choices, tables, steps.plan, decision_rows(core, learners, self._changed),
            Rows("choices", _I8, (learners,)), Rows("playing", _BOOL), steps.preview, Scratch(np.zeros(1, GAME)),
            new_log(on=False)[0],
        )  # fmt: skip
        out = Rows("masks", _I1, (learners, core.layout.width), WRITTEN, merged=True)
        self._masks = Call(write_step_masks, tables, steps.plan, decision_rows(core, learners), out)

    def new(self) -> DecisionRows | None:
        """Return the decisions of a game that has not begun; None if a step is a turn."""
        if not self._by_cards:
            return None
        return DecisionRows(*(jnp.zeros(one.xla_shape, one.xla_dtype) for one in self._empty))

    def begin(self, games: Any, seats: Any, begins: Any, decisions: DecisionRows | None) -> DecisionRows | None:
        """Return the decisions of the next turn if it begins, else those of this turn."""
        if decisions is None:
            return None
        return DecisionRows(*self._begin(games, seats[: self._learners], begins, *decisions))

    def choose(self, action: Any, playing: Any, decisions: DecisionRows | None) -> tuple[Any, Any, Any]:
        """Make the decisions of a step if the game is played.

        Returns:
            The decisions of the turn, the actions that they make up, int64 as bytes, and whether the turn is decided.
        """
        words = as_words(action.astype(jnp.int32))
        if decisions is None:
            return None, words, playing
        changed = self._choose(*decisions, words, playing)
        decisions = decisions._replace(**dict(zip(self._changed, changed, strict=True)))
        return decisions, decisions.actions, playing & (decisions.stages[0] >= self.count)

    def masks(self, games: Any, seats: Any, decisions: DecisionRows | None) -> Any:
        """Return which choices are legal in the next step: bool, (learners, *mask_shape)."""
        if decisions is None:
            (masks,) = self._masks(games, seats[: self._learners])
        else:
            (masks,) = self._masks(*decisions)
        return masks > 0
