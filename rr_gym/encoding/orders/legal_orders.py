"""Check orders against hands and settings, and convert them to the records that the rules read (docs/game.md)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from rr_gym.compilation.records import Array
from rr_gym.encoding.orders.option_orders import check_cards, check_ownership, check_supplies, field_name
from rr_gym.encoding.orders.order_words import Card, Conditional
from rr_gym.encoding.orders.orders import OrderError, Orders, is_number, parse, wrong
from rr_gym.errors import short_repr
from rr_gym.rules.state.cards import CARD_TYPE, FIRST_MOVEMENT, card_name
from rr_gym.rules.state.constants import BACK_UP, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord, OrdersRecord, Robot, no_orders
from rr_gym.rules.state.settings import Settings
from rr_gym.rules.state.table import Table


def resolve_orders(
    orders: Mapping[int, Any], game: GameRecord, settings: Settings, table: Table
) -> Array[OrdersRecord]:
    """Check the orders of one turn against the rules and the hands, and return them as records.

    Args:
        orders: For each seat `Orders`, a mapping of its fields, or a list of cards. A seat that is left out gets the
            default of every field.
        game: The game between two turns.
        settings: The settings of the game.
        table: The compiled course.

    Returns:
        The records of all seats, shape (8,), dtype `FULL_ORDERS`.

    Raises:
        OrderError: The rules do not allow an order; the message names the first such order.
    """
    if not isinstance(orders, Mapping):
        raise OrderError(f"orders: {type(orders).__name__}: expected a mapping from seats to orders")
    records = no_orders(8, full=True)
    for seat, value in orders.items():
        if not is_number(seat) or not 0 <= seat < game["num_robots"]:
            raise OrderError(f"seat {short_repr(seat)}: expected 0 to {game['num_robots'] - 1}")
        where = f"seat {seat}"
        robot = game["robots"][seat]
        if robot["out"]:
            raise OrderError(f"{where}: its robot is out of the game: expected no orders")
        order = Orders.from_json(value, where)
        _check_choices(order, robot, settings, where)
        refuse = partial(wrong, where)
        check_ownership(order, game, seat, int(table.course.features), refuse)
        check_supplies(order, game, refuse)
        if order.target is not None and (order.target == seat or order.target >= game["num_robots"]):
            raise wrong(where, "target", order.target, f"another seat, below {game['num_robots']}, or null")
        order = with_cards(order, game, robot, hand_of_team(game, seat, settings), where)
        check_cards(order, game, seat, table, refuse)
        _check_first_card(order, game, robot, settings, where)
        order.write(records[seat])
    return records


def hand_of_team(game: GameRecord, seat: int, settings: Settings) -> list[int]:
    """Return the cards that a robot may program: its hand, then its mates' hands if teams share cards (R-G2.3)."""
    robots = game["robots"][: game["num_robots"]]
    team = robots[seat]["team"]
    shared = settings.team_cards == "shared" and team > 0
    hands = [robots[seat], *(r for i, r in enumerate(robots) if shared and i != seat and r["team"] == team)]
    return [int(card) for robot in hands for card in robot["hand"] if card]


def with_cards(order: Orders, game: GameRecord, robot: Robot, hand: Sequence[int], where: str) -> Orders:
    """Return the orders with every card converted to its number.

    Cards given by number or priority are assigned first. A card given by type alone then becomes the highest unused
    card of that type in the hand: first for the registers in turn, then for `second`, `conditional`, `flywheel` and
    `copter`. Registers to be filled at random hold None.
    """
    used: dict[int, str] = {}
    chosen: dict[str, int | None] = {}
    by_type: list[tuple[str, int, Card]] = []
    for field, r, entry in _card_orders(order):
        if entry is None:
            continue
        kind, card = parse(entry, where, field)
        if r is not None and robot["locked"] >> r & 1:
            held = int(robot["registers"][r])
            if held and held == card:
                continue  # R-O.2: naming the card that is locked in the register is allowed
            lies_there = card_name(held) if held else "it holds no card"
            raise wrong(where, field, entry, f"null: the register is locked ({lies_there})")
        if field == "copter" and kind < BACK_UP:
            raise wrong(where, field, entry, "a movement card")
        if not card:
            by_type.append((field, kind, entry))
        elif card not in hand:
            raise wrong(where, field, entry, f"a card in the hand: {_names(hand)}")
        elif card in used:
            holder = used[card].removeprefix("program, ")
            raise wrong(where, field, entry, f"each card once; {holder} uses it too")
        else:
            used[card], chosen[field] = field, card
    for field, kind, entry in by_type:
        left = [card for card in hand if card not in used]
        same = [card for card in left if CARD_TYPE[card] == kind]
        if not same:
            raise wrong(where, field, entry, f"a card in the hand: {_names(left)}")
        used[same[0]], chosen[field] = field, same[0]
    conditional = order.conditional
    return replace(
        order,
        program=tuple(chosen.get(field_name("program", r)) for r in range(NUM_REGISTERS)),
        second=tuple(chosen.get(field_name("second", r)) for r in range(NUM_REGISTERS)),
        conditional=conditional and Conditional(chosen["conditional"], conditional.register),
        flywheel=chosen.get("flywheel"),
        copter=chosen.get("copter"),
        buzz_program=_bomb_program(order, game, where),
        reset_card=_wanted_card(order.reset_card, game, where),
    )


def _card_orders(order: Orders) -> Iterator[tuple[str, int | None, Card]]:
    """Yield (field, register, card) for each order that uses a card from the hand.

    Cards given by type are assigned in this sequence (U41). The register is None outside the program.
    """
    for r, card in enumerate(order.program):
        yield field_name("program", r), r, card
    for r, card in enumerate(order.second):
        yield field_name("second", r), None, card
    yield "conditional", None, order.conditional.card if order.conditional else None
    yield "flywheel", None, order.flywheel
    yield "copter", None, order.copter


def _bomb_program(order: Orders, game: GameRecord, where: str) -> tuple[Card, ...]:
    """Return the numbers of the buzz bomb's cards in the order in which they are to be executed."""
    dealt = [int(card) for card in game["buzz_program"] if card]
    parsed = [(entry, *parse(entry, where, "buzz_program")) for entry in order.buzz_program]
    left = [card for card in dealt if card not in {card for _, _, card in parsed}]
    program: list[Card] = []
    for entry, kind, card in parsed:
        fits = [c for c in left if not card and CARD_TYPE[c] == kind]
        if card in dealt and card not in program:
            fits = [card]
        if not fits:
            raise wrong(where, "buzz_program", entry, f"the cards of the bomb, each once: {_names(dealt)}")
        program.append(max(fits))
        left = [c for c in left if c != program[-1]]
    return tuple(program)


def _wanted_card(entry: Card, game: GameRecord, where: str) -> int | None:
    """Return the number of the card that the order `reset_card` names.

    A type stands for the highest card of that type that was not dealt, or None if there is none.
    """
    if entry is None:
        return None
    kind, card = parse(entry, where, "reset_card")
    pile = game["deck"][: game["deck_left"]]
    return card or max((int(c) for c in pile if CARD_TYPE[c] == kind), default=None)


def _check_choices(order: Orders, robot: Robot, settings: Settings, where: str) -> None:
    """Raise an OrderError if the rules do not give this robot one of its choices in this turn."""
    down = bool(robot["down"])
    if settings.power_down == "off" and (order.power_down or order.stay_down):
        name = "power_down" if order.power_down else "stay_down"
        raise wrong(where, name, True, "false: the setting power_down is off")
    if order.power_down and not down and settings.pd_needs_damage == "on" and robot["damage"] == 0:
        raise wrong(where, "power_down", True, "false: only a damaged robot may power down (pd_needs_damage)")
    if order.facing is not None and not robot["may_face"] and settings.reentry_facing != "cleanup":
        raise wrong(where, "facing", order.facing, "null: this robot may not choose its facing now (U28)")
    if order.unlock is not None and settings.unlock == "lowest":
        raise wrong(where, "unlock", order.unlock, "null: the lowest register is unlocked first (setting unlock)")
    if order.chop not in ("auto", "none") and settings.option_cards == "off":
        raise wrong(where, "chop", order.chop, "auto or none: there are no option cards (setting option_cards)")
    if order.site == "option" and settings.option_cards == "off":
        raise wrong(where, "site", order.site, "auto or repair: there are no option cards (setting option_cards)")
    if not order.breaker and settings.cb_choice == "off":
        raise wrong(where, "breaker", False, "true: a Circuit Breaker acts by itself (setting cb_choice)")
    if order.square is not None and settings.reentry != "adjacent8":
        raise wrong(where, "square", order.square, "null: robots return on their archive (setting reentry)")


def _check_first_card(order: Orders, game: GameRecord, robot: Robot, settings: Settings, where: str) -> None:
    """Raise an OrderError if a robot's first card of the game must be a movement card but is not (R-A5.7).

    It must be one if the setting `first_card_moves` is on and the hand has a movement card.
    """
    movement = any(card >= FIRST_MOVEMENT for card in robot["hand"])
    first = order.program[0]
    asked = settings.first_card_moves == "on" and game["turn"] == 0 and movement
    if asked and isinstance(first, int) and first < FIRST_MOVEMENT:
        expected = "a movement card: it is the first card of the game (first_card_moves)"
        raise wrong(where, "program, register 1", card_name(first), expected)


def _names(cards: Sequence[int]) -> str:
    return ", ".join(card_name(card) for card in cards) or "it is empty"
