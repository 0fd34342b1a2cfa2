"""Read the cards of a scenario, and assign one of the 84 cards of the deck to each of them (U41, U42)."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.rules.state.cards import CARD_TYPE, card_name, parse_card
from rr_gym.rules.state.constants import CARD_TYPE_NAMES, DECK_SIZE, HAND_SLOTS, NUM_REGISTERS
from rr_gym.rules.state.records import GameRecord
from rr_gym.scenarios.node import Node


@dataclass(frozen=True, slots=True)
class Card:
    """A card as written: its type, its number (0 if no priority is given), and its place in the scenario."""

    kind: int
    card: int
    node: Node

    def matches(self, card: int) -> bool:
        """Tell whether a card of the deck fits: this very card if a priority is given, else any of its type (U44)."""
        return self.card == card if self.card else bool(CARD_TYPE[card] == self.kind)

    def __str__(self) -> str:
        return card_name(self.card) if self.card else CARD_TYPE_NAMES[self.kind]


Slots = dict[int, Card | None]  # by register, from 0


def read_card(node: Node) -> Card:
    """Read a card, with or without a priority."""
    text = node.text("a card")
    try:
        return Card(*parse_card(text), node)
    except RoboRallyError as error:
        raise node.error(str(error)) from None


def read_slots(node: Node) -> Slots:
    """Read a list of cards for registers 1, 2, ...; `none` is an empty register (U42)."""
    slots = node.items("a list of cards")
    if len(slots) > NUM_REGISTERS:
        raise node.error(f"{len(slots)} cards: a robot has {NUM_REGISTERS} registers")
    return {r: None if slot.value in ("none", None) else read_card(slot) for r, slot in enumerate(slots)}


class Pile:
    """The 84 cards of the deck; each can be taken once."""

    def __init__(self) -> None:
        self._taken: dict[int, Node | None] = {}

    def keep(self, card: int) -> None:
        """Mark a card as taken because it is already in a register or on an option."""
        self._taken[card] = None

    def take(self, cards: Iterable[Card]) -> list[int]:
        """Take cards and return their numbers: those with a priority first, for others the highest left (U41)."""
        wanted = list(cards)
        for card in wanted:
            if card.card:
                self._claim(card.card, card.node)
        return [card.card or self._highest(card) for card in wanted]

    def _claim(self, card: int, node: Node) -> None:
        """Take one particular card; raise a ScenarioError if it has been taken."""
        if card in self._taken:
            holder = self._taken[card]
            place = ".".join(map(str, holder.path)) if holder else "a locked register, or on an option"
            raise node.error(f"{card_name(card)} is already in {place}")
        self._taken[card] = node

    def _highest(self, card: Card) -> int:
        """Take the highest card of a type that is left and return its number (U41)."""
        for number in range(DECK_SIZE, 0, -1):
            if card.matches(number) and number not in self._taken:
                self._taken[number] = card.node
                return number
        raise card.node.error(f"all cards of the type {card} are in use")

    def rest(self, seed: int) -> list[int]:
        """Return the cards that nobody has taken, shuffled."""
        cards = [card for card in range(1, DECK_SIZE + 1) if card not in self._taken]
        random.Random(seed).shuffle(cards)
        return cards


def lay_cards(
    game: GameRecord,
    programs: dict[int, Slots],
    orders: dict[int, dict[str, Any]],
    guns: Slots | None,
    deck: list[Card],
    seed: int,
) -> dict[int, dict[str, Any]]:
    """Give every robot exactly the cards that it plays as its hand, and arrange the rest as the draw pile (U41).

    Args:
        game: Its registers hold the cards that are locked, and the programs of robots that sleep.
        programs: The programs by robot; those of robots that do not program in this turn are ignored (U34).
        orders: The orders by robot, from `rr_gym.scenarios.orders.read_orders`. Cards of `buzz_program` go to the bomb.
        guns: The cards of the turret guns; None for five from the end of the pile (U53).
        deck: The cards on top of the pile, top first.
        seed: Shuffles the cards below them.

    Returns:
        For each robot its `program` and the orders that hold cards, with all cards as numbers.

    Raises:
        ScenarioError: A card is in use twice, all cards of a type are in use, or a locked register gets another card.
    """
    if any(given.get("buzz_program") for given in orders.values()):
        game.buzz_program[:] = 0
    pile = _kept(game)
    wanted: dict[tuple[int, str, int], Card] = {}
    numbers: dict[tuple[int, str, int], int] = {}
    for i in range(game.num_robots):
        if not is_programming(game, i):
            continue
        robot = game.robots[i]
        for register, card in programs.get(i, {}).items():
            if card and robot.locked >> register & 1:
                _check_locked(card, int(robot.registers[register]), register)
            elif card and card.card and card.card == robot.flywheel:
                numbers[i, "program", register] = card.card
            elif card:
                wanted[i, "program", register] = card
        wanted |= {(i, name, r): card for name, r, card in _cards_in_orders(orders.get(i, {}))}
    for i, given in orders.items():
        wanted |= {(i, "buzz_program", k): card for k, card in enumerate(given.get("buzz_program", ()))}
    loaded = {phase: card for phase, card in (guns or {}).items() if card}
    taken = iter(pile.take([*wanted.values(), *loaded.values(), *deck]))
    numbers |= {place: next(taken) for place in wanted}
    game.turret_cards[:] = 0
    for phase in loaded:
        game.turret_cards[phase] = next(taken)
    top = list(taken)
    bomb = [number for (_, name, _), number in numbers.items() if name == "buzz_program"]
    if bomb:
        game.buzz_program[: len(bomb)] = bomb
    for i in range(game.num_robots):
        hand = [number for (k, name, _), number in numbers.items() if k == i and name != "buzz_program"]
        if len(hand) > HAND_SLOTS:
            raise next(card for place, card in wanted.items() if place[0] == i).node.error(
                f"{len(hand)} cards: expected at most {HAND_SLOTS} in one hand"
            )
        game.robots[i].hand[:] = 0
        game.robots[i].hand[: len(hand)] = sorted(hand, reverse=True)
    undealt = pile.rest(seed) + top[::-1]  # the top of the pile is the last
    if guns is None:
        dealt, undealt = undealt[:NUM_REGISTERS], undealt[NUM_REGISTERS:]
        game.turret_cards[: len(dealt)] = dealt
    game.deck[:] = 0
    game.deck[: len(undealt)] = undealt
    game.deck_left = len(undealt)
    game.deck_known = len(top)
    game.discards[:] = 0
    game.discards_left = 0
    return {i: _by_name(numbers, i, orders.get(i, {})) for i in range(game.num_robots)}


def is_programming(game: GameRecord, i: int) -> bool:
    """Tell whether a robot programs in this turn: not destroyed, powered down, asleep or hit by a scrambler bomb."""
    robot = game.robots[i]
    return bool(robot.alive and not robot.down and not robot.asleep and not game.bombed >> i & 1)


def _kept(game: GameRecord) -> Pile:
    """Return a pile in which cards in registers, on Flywheels and on the buzz bomb are marked as taken."""
    pile = Pile()
    for robot in game.robots[: game.num_robots]:
        for card in (*robot.registers[robot.registers > 0], robot.flywheel):
            pile.keep(int(card))
    for card in game.buzz_program:
        pile.keep(int(card))
    return pile


def _cards_in_orders(orders: dict[str, Any]) -> Iterator[tuple[str, int, Card]]:
    """Yield the cards of the hand that orders name, in the sequence in which cards are assigned to them (U41).

    Each comes with the name of its order and a register; orders that are not per register have register 0.
    """
    for r, card in enumerate(orders.get("second", ())):
        if card:
            yield "second", r, card
    if conditional := orders.get("conditional"):
        yield "conditional", 0, conditional.card
    for name in ("flywheel", "copter"):
        if card := orders.get(name):
            yield name, 0, card


def _by_name(numbers: dict[tuple[int, str, int], int], i: int, orders: dict[str, Any]) -> dict[str, Any]:
    """Return the cards of one robot as fields of `Orders`."""
    registers = range(NUM_REGISTERS)
    found: dict[str, Any] = {
        name: tuple(numbers.get((i, name, r)) for r in registers) for name in ("program", "second")
    }
    found |= {name: numbers.get((i, name, 0)) for name in ("flywheel", "copter")}
    card, given = numbers.get((i, "conditional", 0)), orders.get("conditional")
    found["conditional"] = given._replace(card=card) if given and card else None
    bomb = [number for (k, name, _), number in numbers.items() if k == i and name == "buzz_program"]
    return found | {"buzz_program": tuple(bomb)}


def lay_stored(game: GameRecord, locked: dict[int, Slots], kept: dict[int, Slots], bomb: list[Card]) -> None:
    """Put cards into registers and on a buzz bomb; these are assigned before all others (U41).

    Args:
        game: The game, with empty registers.
        locked: The locked cards by robot.
        kept: The programs of robots that sleep.
        bomb: The program of a buzz bomb that is in play.

    Raises:
        ScenarioError: A card is in use twice, or a locked register gets another card.
    """
    places = [(i, register, card) for i in sorted(locked) for register, card in locked[i].items() if card]
    places += [
        (i, register, card)
        for i in sorted(kept)
        for register, card in kept[i].items()
        if card and not game.robots[i].locked >> register & 1
    ]
    numbers = Pile().take([*(card for *_, card in places), *bomb])
    for (i, register, _), number in zip(places, numbers, strict=False):
        game.robots[i].registers[register] = number
    game.buzz_program[: len(bomb)] = numbers[len(places) :]
    for i, program in kept.items():
        for register, card in program.items():
            if card and game.robots[i].locked >> register & 1:
                _check_locked(card, int(game.robots[i].registers[register]), register)


def undealt(game: GameRecord, card: Card) -> int:
    """Return a card's number; without a priority, the highest of its type in the draw pile, 0 if there is none."""
    return card.card or max((int(k) for k in game.deck[: game.deck_left] if card.matches(int(k))), default=0)


def _check_locked(card: Card, held: int, register: int) -> None:
    """Raise a ScenarioError if a scenario puts another card into a locked register than it holds (U42)."""
    if not held or not card.matches(held):
        raise card.node.error(
            f"{card}: register {register + 1} is locked with {card_name(held)}: expected none or that card (U42)"
        )


def names(cards: Iterable[Any] | np.ndarray[Any, Any]) -> list[str]:
    """Return card numbers as scenarios write cards."""
    return [card_name(int(card)) for card in cards]


def agrees(expected: Card | None, actual: int) -> bool:
    """Tell whether a register with the card `actual` (0 for none) is as expected (U44)."""
    return actual == 0 if expected is None else bool(actual) and expected.matches(actual)


def card_texts(slots: Slots) -> list[str]:
    """Return expected cards as scenarios write them."""
    return [str(card) if card else "none" for card in slots.values()]
