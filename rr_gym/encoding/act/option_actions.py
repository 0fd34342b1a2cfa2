"""Masks and decoding of the components of actions that are about option cards (docs/actions.md).

`choose` carries out a choice both in an order and in a draft: a copy of the game with the choices made so far. From the
draft, `option_choices` computes what is legal next. Since masks, decoding and decisions step by step all use these two,
they cannot disagree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.sources import define
from rr_gym.encoding.act import components as kinds
from rr_gym.encoding.act.components import COMPONENTS, KIND, NUM_CHOICES, OPTIONAL_COMPONENTS, REGISTER
from rr_gym.encoding.act.option_choices import (
    BOMB_CARD,
    NO_CARD_STORED,
    choices_of,
    may_decide,
    partner,
)
from rr_gym.forms import with_expansions
from rr_gym.rules.options.buzz_bombs import orders_bomb
from rr_gym.rules.options.option_programs import GADGET_OPTION, MOVEMENT_COUNTERS, MOVEMENT_OPTION
from rr_gym.rules.options.options import owns
from rr_gym.rules.options.pairing import pair_cards
from rr_gym.rules.state.cards import take_from_hand
from rr_gym.rules.state.constants import (
    BEST_CARD,
    CRAB,
    HAND_SLOTS,
    NUM_OPTIONS,
    NUM_REGISTERS,
    ON,
    OVERLOAD_EMPTY,
    OVERLOAD_SECOND_FIRST,
)
from rr_gym.rules.state.option_cards import NO_OPTION
from rr_gym.rules.state.records import GAME, GameRecord, OrdersRecord, Robot
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

OF_CARDS = [COMPONENTS[kind].of_cards for kind in KIND]
FIRST_OPTION = OF_CARDS.index(True)  # in OPTIONAL_COMPONENTS
NUM_OPTIONAL = len(OPTIONAL_COMPONENTS)
# VALUES[component, choice] is the value that a choice writes into orders. Components without values are handled in
# `choose`.
HAS_VALUES = np.array([component.values != () for component in COMPONENTS])
VALUES = np.zeros((len(COMPONENTS), max(len(component.values) for component in COMPONENTS)), np.int8)
for _kind, _component in enumerate(COMPONENTS):
    VALUES[_kind, : len(_component.values)] = _component.values


@kernel
def owned_option(robot: Robot, number: int) -> int:
    """Return the robot's option card of a rank, from 1 in the order of card numbers; `NO_OPTION` for rank 0."""
    for option in range(NUM_OPTIONS):
        if owns(robot, option):
            number -= 1
            if number == 0:
                return option
    return NO_OPTION


@kernel
def card_of(hand: Array, choice: int, otherwise: int) -> int:
    """Return the card in slot `choice - 1` of the hand; `otherwise` if there is no such slot."""
    return int(hand[choice - 1]) if 0 < choice <= HAND_SLOTS else otherwise


@kernel
def choose_second(
    game: GameRecord, table: Table, seat: int, r: int, choice: int, order: OrdersRecord, hand: Array
) -> None:
    """Choose the second card of a register, by default the highest one that fits.

    If none fits, the register gets no movement option.
    """
    robot = game.robots[seat]
    movement = int(order.movement_option[r])
    if not CRAB <= movement <= OVERLOAD_SECOND_FIRST:
        return
    card = card_of(hand, choice, partner(table, robot, movement, int(robot.registers[r])))
    pair_cards(game, table, seat, r, card)
    if robot.second[r]:
        order.second[r] = card
    else:
        order.movement_option[r] = 0


@kernel
def choose_bomb_card(game: GameRecord, seat: int, k: int, choice: int, order: OrdersRecord) -> None:
    """Set the k-th card of the buzz bomb: `choice` counts its unused cards in the order in which they were dealt."""
    if not orders_bomb(game, seat, order.buzz > 0):
        return
    for j in range(NUM_REGISTERS):
        card = game.buzz_program[j]
        used = card == 0
        for done in range(k):
            used = used or order.buzz_program[done] == card
        if not used:
            if choice == 0:
                order.buzz_program[k] = card
                return
            choice -= 1


@kernel
def choose_card(robot: Robot, kind: int, choice: int, order: OrdersRecord, hand: Array) -> None:
    """Move the chosen card from the hand to Robo-Copter, Conditional Program or Flywheel.

    By default the latter two get the best card.
    """
    if kind == kinds.COPTER:
        order.copter = card_of(hand, choice, 0)
        if take_from_hand(robot, order.copter):
            robot.copter = order.copter
    elif kind == kinds.CONDITIONAL:
        order.conditional = card_of(hand, choice, BEST_CARD)
        if take_from_hand(robot, order.conditional):
            robot.conditional = order.conditional
    else:
        order.flywheel = 0 if choice == NO_CARD_STORED else card_of(hand, choice, BEST_CARD)
        if take_from_hand(robot, order.flywheel):
            robot.flywheel = order.flywheel


def _write_value_source() -> Iterator[str]:
    """Yield the lines of the source of `write_value`, one for each component that has values.

    An example is ``if kind == 30: order.reflector = value``.
    """
    yield "def write_value(order, kind, r, value) -> None:"
    for kind, component in enumerate(COMPONENTS):
        if component.values:
            yield f"    if kind == {kind}: order.{component.orders}{'[r]' * component.per_register} = value"


# Writes a value into the order of a component; `r` is the register of a component that is per register.
write_value: Callable[[OrdersRecord, int, int, int], None] = kernel(define("\n".join(_write_value_source()), globals()))


@kernel
def choose(
    game: GameRecord, table: Table, seat: int, kind: int, r: int, choice: int, order: OrdersRecord, hand: Array
) -> None:
    """Carry out one legal choice, both in the order and in the draft `game`. Arguments are those of `choices_of`."""
    robot = game.robots[seat]
    if HAS_VALUES[kind]:
        write_value(order, kind, r, int(VALUES[kind, choice]))
        if kind == kinds.MOVEMENT_OPTION:
            robot.orders.movement_option[r] = choice
            if choice > OVERLOAD_EMPTY:
                game.payload[MOVEMENT_OPTION[choice]] -= MOVEMENT_COUNTERS[choice]
        elif kind == kinds.GADGET and choice:
            game.payload[GADGET_OPTION[choice]] -= 1
    elif kind == kinds.SECOND:
        choose_second(game, table, seat, r, choice, order, hand)
    elif kind in (kinds.COPTER, kinds.CONDITIONAL, kinds.FLYWHEEL):
        choose_card(robot, kind, choice, order, hand)
    elif kind == kinds.CONDITIONAL_REGISTER:
        order.conditional_register = choice
    elif kind == kinds.TARGET:
        order.target = (seat + choice) % game.num_robots if choice else -1
    elif BOMB_CARD[kind] >= 0:
        choose_bomb_card(game, seat, int(BOMB_CARD[kind]), choice, order)
    elif kind == kinds.GIVE_UP and choice:
        order.give_up[0] = owned_option(robot, choice)
    elif kind == kinds.LOSE:
        order.lose = owned_option(robot, choice)
    elif kind == kinds.CHOP_OPTION:
        order.chop_option = owned_option(robot, choice)


@with_expansions(None)
def write_option_mask(
    game: GameRecord, table: Table, seat: int, code: Array, order: OrdersRecord, mask: Array
) -> None:
    """Write the rows of a mask that are about option cards, for a robot in play. `order` has all defaults."""
    if table.settings.option_cards != ON:
        return
    for what in range(FIRST_OPTION, NUM_OPTIONAL):
        place = code[1 + what]
        kind, r = KIND[what], REGISTER[what]
        if place >= 0 and may_decide(game, table, seat, kind, r):
            legal = choices_of(game, table, seat, kind, r, order, game.robots[seat].hand, False)
            for c in range(1, NUM_CHOICES[what]):
                mask[place, c] = legal >> c & 1


@kernel
def make_draft(seat: int, order: OrdersRecord, draft: GameRecord) -> None:
    """Move the cards of a program from the hand into the registers of a draft."""
    robot = draft.robots[seat]
    for r in range(NUM_REGISTERS):
        if not robot.locked >> r & 1:
            robot.registers[r] = order.program[r] if take_from_hand(robot, order.program[r]) else 0


@with_expansions(0)
def decode_options(
    game: GameRecord, table: Table, seat: int, code: Array, action: Array, order: OrdersRecord
) -> int:
    """Write a robot's decisions about option cards into its order; return how many choices were illegal.

    They are decoded in the order of `OPTIONAL_COMPONENTS`, except that the components `movement_option`, `second` and
    `gadget` of one register come together. A choice that the earlier choices make illegal is replaced by the default.
    """
    repaired = 0
    if table.settings.option_cards != ON:
        for what in range(FIRST_OPTION, NUM_OPTIONAL):
            place = code[1 + what]
            if place >= 0 and action[place] != 0:
                repaired += 1
                action[place] = 0
        return repaired
    drafts = np.empty(1, GAME)
    drafts[0] = game
    draft = drafts[0]
    hand = game.robots[seat].hand
    make_draft(seat, order, draft)
    for k in range(DECODED.size):
        what = DECODED[k]
        kind, r = KIND[what], REGISTER[what]
        place = code[1 + what]
        choice = int(action[place]) if place >= 0 else 0
        if choice:
            legal = 1
            if 0 < choice < NUM_CHOICES[what] and may_decide(draft, table, seat, kind, r):
                legal = choices_of(draft, table, seat, kind, r, order, hand, True)
            if choice < 0 or choice >= NUM_CHOICES[what] or not legal >> choice & 1:
                repaired += 1
                choice = 0
                action[place] = 0
        choose(draft, table, seat, kind, r, choice, order, hand)
    return repaired


def _decoded() -> Array:
    """Return the optional components about option cards in the order in which they are decoded: int16."""
    together = (kinds.MOVEMENT_OPTION, kinds.SECOND, kinds.GADGET)

    def key(what: int) -> tuple[int, int, int]:
        kind, r = int(KIND[what]), int(REGISTER[what])
        return (together[0], r, kind) if kind in together else (kind, r, 0)

    return np.array(sorted(range(FIRST_OPTION, NUM_OPTIONAL), key=key), np.int16)


DECODED = _decoded()
