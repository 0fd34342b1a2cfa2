"""Actions: integers per component, decoded into orders; masks of the legal ones (docs/actions.md).

The first five components are the registers. In the mode `draw`, the choice for each open register is an index into the
cards that are left of the sorted hand, so that the masks allow exactly the legal programs. In the mode `slots`, it is a
slot of the hand. Choice 0 of all other components, and of locked registers, is the default. The other components are
in `rr_gym.encoding.act.components`, and decisions about option cards in `rr_gym.encoding.act.option_actions`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.encoding.act import components as kinds
from rr_gym.encoding.act.components import (
    NEEDED,
    NUM_BASE,
    NUM_CHOICES,
    OPTIONAL_COMPONENTS,
    REGISTERS,
    ActionError,
    choose_decisions,
    usable_decisions,
    width_of,
)
from rr_gym.encoding.act.option_actions import HAS_VALUES, VALUES, decode_options, write_option_mask, write_value
from rr_gym.errors import one_of
from rr_gym.rules.state.cards import CARD_TYPE, FIRST_MOVEMENT, cards_in_hand
from rr_gym.rules.state.constants import BY_CLEANUP, NUM_REGISTERS, ON
from rr_gym.rules.state.order_table import FIRST_RING
from rr_gym.rules.state.records import GameRecord, OrdersRecord, Robot, no_orders
from rr_gym.rules.state.settings import Settings
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

ACTION_MODES = ("draw", "slots")
DRAW, SLOTS = range(len(ACTION_MODES))
CARDS = "cards"  # like `draw`, but each step is one decision instead of a whole turn
STEP_MODES = (*ACTION_MODES, CARDS)

NO_ORDERS = no_orders(1, full=True)


@dataclass(frozen=True, slots=True)
class ActionLayout:
    """The components of an action under given settings.

    Attributes:
        mode: ``"draw"`` or ``"slots"``.
        components: Names in order: ``register_1`` to ``register_5``, then the chosen `OPTIONAL_COMPONENTS`.
    """

    mode: str
    components: tuple[str, ...]

    @property
    def width(self) -> int:
        """Return the number of choices of each component: 11, or more if any component needs more."""
        return width_of(self.components)

    @property
    def shape(self) -> tuple[int, int]:
        """Return the shape of a mask: (components, choices)."""
        return len(self.components), self.width

    @property
    def code(self) -> Array:
        """Return the layout for kernels, int8: the mode, then for each optional component its index or -1."""
        places = [self.components.index(c) if c in self.components else -1 for c in OPTIONAL_COMPONENTS]
        return np.array([ACTION_MODES.index(self.mode), *places], np.int8)


def action_layout(
    mode: str, settings: Iterable[Settings], decisions: Iterable[str] | str | None = None, features: int = 0
) -> ActionLayout:
    """Return the action layout for games with any of the given settings.

    Args:
        mode: One of `ACTION_MODES`.
        settings: The settings of all courses that are played.
        decisions: Names of `OPTIONAL_COMPONENTS` to decide besides the cards; ``"weapon"`` stands for ``"weapon_1"`` to
          ``"weapon_5"``, ``"all"`` for all that have an effect under the settings and on the courses. None selects the
          same without the rare ones. Components that are left out always take their default.
        features: The features of the courses: `course_features` of their tables.

    Raises:
        ActionError: A mode or decision is unknown, or a decision has no effect under the settings and on the courses.
    """
    one_of("action", mode, ACTION_MODES, ActionError)
    chosen = choose_decisions(decisions, usable_decisions(settings, features))
    return ActionLayout(mode, (*REGISTERS, *chosen))


def course_features(tables: Array) -> int:
    """Return the union of the feature bits of all courses (bits of `rr_gym.courses.tables`)."""
    return int(np.bitwise_or.reduce(tables["course"]["features"]))


@kernel
def in_play(game: GameRecord, robot: Robot) -> bool:
    """Tell whether orders of this robot have any effect."""
    return not game.over and robot.alive > 0


@kernel
def first_choices(game: GameRecord, table: Table, robot: Robot, size: int) -> int:
    """Return how many cards of the hand are allowed in register 1.

    The sorted hand begins with the movement cards, the only ones that R-A5.7 allows there in turn 1.
    """
    if table.settings.first_card_moves != ON or game.turn > 0 or robot.hand[0] < FIRST_MOVEMENT:
        return size
    count = 0
    while count < size and robot.hand[count] >= FIRST_MOVEMENT:
        count += 1
    return count


@kernel
def may_choose(table: Table, robot: Robot, what: int) -> bool:
    """Tell whether an optional component that is not about option cards has legal choices besides the default."""
    if what == kinds.POWER_DOWN:
        needs = table.settings.pd_needs_damage == ON and not robot.down
        return table.settings.power_down == ON and (robot.damage > 0 or not needs)
    if what == kinds.FACING:
        return robot.may_face > 0 or table.settings.reentry_facing == BY_CLEANUP
    if what == kinds.STAY_DOWN:
        return not robot.down and table.settings.power_down == ON
    # The others take effect later in the turn. The state may have changed by then, so only the course matters.
    return bool(NEEDED[what] == 0 or table.course.features & NEEDED[what] != 0)


@kernel
def wanted_card(game: GameRecord, kind: int) -> int:
    """Return the highest card of a type among the cards that were not dealt (R-E70); 0 if there is none."""
    wanted = 0
    for k in range(game.deck_left):
        if CARD_TYPE[game.deck[k]] == kind:
            wanted = max(wanted, int(game.deck[k]))
    return wanted


@kernel
def write_mask(game: GameRecord, table: Table, seat: int, code: Array, mask: Array) -> None:
    """Write the mask of one seat: int8, (components, width), 1 for legal. Choice 0 is legal everywhere."""
    mask[:] = 0
    mask[:, 0] = 1
    robot = game.robots[seat]
    if not in_play(game, robot):
        return
    size = cards_in_hand(robot)
    left = size
    for r in range(NUM_REGISTERS):
        if robot.locked >> r & 1:
            continue
        choices = left
        if r == 0:
            choices = first_choices(game, table, robot, size)
        for c in range(1, choices):
            mask[r, c] = 1
        if code[0] == DRAW:
            left -= 1
    for what in range(NUM_BASE):
        place = code[1 + what]
        if place >= 0 and may_choose(table, robot, what):
            for c in range(1, NUM_CHOICES[what]):
                mask[place, c] = 1
    write_option_mask(game, table, seat, code, NO_ORDERS[0], mask)


@kernel
def write_masks(games: Array, tables: Array, code: Array, seats: Array, out: Array) -> None:
    """Write the masks of a batch; arguments as in `rr_gym.encoding.write_masks`, but unchecked."""
    for g in range(games.shape[0]):
        for k in range(seats.shape[1]):
            write_mask(games[g], tables[games[g].course], seats[g, k], code, out[g, k])


@kernel
def decode_program(
    game: GameRecord, table: Table, robot: Robot, mode: int, action: Array, program: Array
) -> int:
    """Write the program of an action. An illegal choice is replaced by the card in the lowest unused slot.

    Illegal choices are replaced in the action too; their number is returned.
    """
    size = cards_in_hand(robot)
    used = 0
    left = size
    repaired = 0
    for r in range(NUM_REGISTERS):
        program[r] = 0
        choice = action[r]
        if robot.locked >> r & 1 or left == 0:
            repaired += choice != 0
            action[r] = 0
            continue
        limit = left if mode == DRAW else size
        if r == 0:
            limit = first_choices(game, table, robot, size)
        slot = 0
        while used >> slot & 1:
            slot += 1
        if choice < 0 or choice >= limit or (mode == SLOTS and used >> choice & 1):
            repaired += 1
            action[r] = slot if mode == SLOTS else 0
        elif mode == SLOTS:
            slot = choice
        else:
            for _ in range(choice):
                slot += 1
                while used >> slot & 1:
                    slot += 1
        used |= 1 << slot
        left -= 1
        program[r] = robot.hand[slot]
    return repaired


@kernel
def decode_action(
    game: GameRecord, table: Table, seat: int, code: Array, action: Array, orders: RecordArray[OrdersRecord]
) -> int:
    """Write one robot's orders; return how many illegal choices were replaced by the default."""
    robot = game.robots[seat]
    orders[seat] = NO_ORDERS[0]
    order = orders[seat]
    repaired = 0
    if not in_play(game, robot):
        for c in range(action.size):
            repaired += action[c] != 0
            action[c] = 0
        return repaired
    repaired += decode_program(game, table, robot, code[0], action, order.program)
    for what in range(NUM_BASE):
        place = code[1 + what]
        choice = action[place] if place >= 0 else 0
        if choice == 0:
            continue
        if choice < 0 or choice >= NUM_CHOICES[what] or not may_choose(table, robot, what):
            repaired += 1
            action[place] = 0
        elif what == kinds.POWER_DOWN and robot.down:
            order.stay_down = 1
        elif what == kinds.POWER_DOWN:
            order.power_down = 1
        elif what == kinds.FACING:
            order.facing = (robot.facing + choice) & 3
        elif HAS_VALUES[what]:
            write_value(order, what, 0, int(VALUES[what, choice]))
        elif what == kinds.RESET_CARD:
            order.reset_card = wanted_card(game, choice)
        elif what == kinds.SQUARE_RING and order.square >= 0:
            order.square += FIRST_RING
    return repaired + decode_options(game, table, seat, code, action, order)


@kernel
def decode_actions(
    games: Array, tables: Array, code: Array, seats: Array, actions: Array, orders: Array, repaired: Array
) -> None:
    """Decode the actions of a batch; arguments as in `rr_gym.encoding.decode_actions`, but unchecked."""
    action = np.empty(actions.shape[2], np.int64)
    for g in range(games.shape[0]):
        for k in range(seats.shape[1]):
            action[:] = actions[g, k]
            repaired[g, k] = decode_action(games[g], tables[games[g].course], seats[g, k], code, action, orders[g])


@kernel
def repair_actions(games: Array, tables: Array, code: Array, seats: Array, actions: Array, orders: Array) -> None:
    """Replace illegal choices by the choices that decoding puts in their place, so that whole actions are legal.

    Args:
        games: (n,), dtype `GAME`.
        tables: Tables of the arena.
        code: `ActionLayout.code`.
        seats: (n, k), int8: the seats that act.
        actions: (n, k, components), int64: repaired in place.
        orders: (n, 8), dtype `FULL_ORDERS`: overwritten for these seats.
    """
    for g in range(games.shape[0]):
        for k in range(seats.shape[1]):
            decode_action(games[g], tables[games[g].course], seats[g, k], code, actions[g, k], orders[g])
