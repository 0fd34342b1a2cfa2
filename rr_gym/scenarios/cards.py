"""The cards of a scenario: how they are written, and which of the 84 each of them is (U41, U42)."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError
from rr_gym.rules.cards import CARD_TYPE, card_name, parse_card
from rr_gym.rules.constants import CARD_TYPE_NAMES, DECK_SIZE, NUM_REGISTERS
from rr_gym.rules.records import GameRecord
from rr_gym.scenarios.node import Node


@dataclass(frozen=True, slots=True)
class Card:
    """A card as written: its type, and its number where a priority is given (else 0)."""

    kind: int
    card: int
    node: Node

    def matches(self, card: int) -> bool:
        """By type, unless a priority is given (U44)."""
        return self.card == card if self.card else bool(CARD_TYPE[card] == self.kind)

    def __str__(self) -> str:
        return card_name(self.card) if self.card else CARD_TYPE_NAMES[self.kind]


Slots = dict[int, Card | None]  # by register, from 0


def read_card(node: Node) -> Card:
    """A card, with or without a priority."""
    text = node.text("a card")
    try:
        return Card(*parse_card(text), node)
    except RoboRallyError as error:
        raise node.error(str(error)) from None


def read_slots(node: Node) -> Slots:
    """A list of cards of registers 1, 2, ...; `none` is an empty register (U42)."""
    slots = node.items("a list of cards")
    if len(slots) > NUM_REGISTERS:
        raise node.error(f"{len(slots)} cards: a robot has {NUM_REGISTERS} registers")
    return {r: None if slot.value in ("none", None) else read_card(slot) for r, slot in enumerate(slots)}


class Pile:
    """The 84 cards of one turn: every card that the scenario names is taken from it once."""

    def __init__(self) -> None:
        self._taken: dict[int, Node | None] = {}

    def keep(self, card: int) -> None:
        """A card that lies in a register already."""
        self._taken[card] = None

    def take(self, cards: Iterable[Card]) -> list[int]:
        """Cards by number: the written priorities first, then each highest of its type that is left (U41)."""
        wanted = list(cards)
        for card in wanted:
            if card.card:
                self._claim(card.card, card.node)
        return [card.card or self._highest(card) for card in wanted]

    def _claim(self, card: int, node: Node) -> None:
        if card in self._taken:
            holder = self._taken[card]
            place = ".".join(map(str, holder.path)) if holder else "a locked register"
            raise node.error(f"{card_name(card)} is already in {place}")
        self._taken[card] = node

    def _highest(self, card: Card) -> int:
        for number in range(DECK_SIZE, 0, -1):
            if card.matches(number) and number not in self._taken:
                self._taken[number] = card.node
                return number
        raise card.node.error(f"all cards of the type {card} are in use")

    def rest(self, seed: int) -> list[int]:
        """The cards that nothing has taken, shuffled."""
        cards = [card for card in range(1, DECK_SIZE + 1) if card not in self._taken]
        random.Random(seed).shuffle(cards)
        return cards


def lay_cards(
    game: GameRecord, programs: dict[int, Slots], guns: Slots, deck: list[Card], seed: int
) -> dict[int, dict[int, int]]:
    """Give every robot exactly the cards of its program as its hand, and lay the undealt pile (U41).

    Args:
        game: Its registers hold the cards that are locked, and the programs of robots that sleep.
        programs: By robot; those of robots that do not program in this turn are ignored (U34).
        guns: The cards of the turret guns.
        deck: The cards on top of the pile, top first.
        seed: Shuffles what lies below.

    Returns:
        The card of each register by robot, from the hand.

    Raises:
        ScenarioError: A card that is in use twice, a type that has run out, a card at a locked register.
    """
    pile = Pile()
    for robot in game.robots[: game.num_robots]:
        for card in robot.registers[robot.registers > 0]:
            pile.keep(int(card))
    places: list[tuple[int, int]] = []
    wanted: list[Card] = []
    for i in sorted(programs):
        robot = game.robots[i]
        if not robot.alive or robot.down or robot.asleep:
            continue
        for register, card in programs[i].items():
            if card and robot.locked >> register & 1:
                _check_locked(card, int(robot.registers[register]), register)
            elif card:
                places.append((i, register))
                wanted.append(card)
    loaded = {phase: card for phase, card in guns.items() if card}
    numbers = pile.take([*wanted, *loaded.values(), *deck])
    chosen: dict[int, dict[int, int]] = {}
    for (i, register), number in zip(places, numbers, strict=False):
        chosen.setdefault(i, {})[register] = number
    game.turret_cards[:] = 0
    for phase, number in zip(loaded, numbers[len(places) :], strict=False):
        game.turret_cards[phase] = number
    for i in range(game.num_robots):
        hand = sorted(chosen.get(i, {}).values(), reverse=True)
        game.robots[i].hand[:] = 0
        game.robots[i].hand[: len(hand)] = hand
    top = numbers[len(places) + len(loaded) :]
    undealt = pile.rest(seed) + top[::-1]
    game.deck[:] = 0
    game.deck[: len(undealt)] = undealt
    game.deck_left = len(undealt)
    game.deck_known = len(top)
    game.discards[:] = 0
    game.discards_left = 0
    return chosen


def lay_stored(game: GameRecord, locked: dict[int, Slots], kept: dict[int, Slots]) -> None:
    """Put cards into registers that are the first to take their priorities (U41).

    Args:
        game: Its registers are empty.
        locked: Locked cards by robot.
        kept: The programs of robots that sleep.

    Raises:
        ScenarioError: A card that is in use twice, or another one at a locked register.
    """
    places = [(i, register, card) for i in sorted(locked) for register, card in locked[i].items() if card]
    places += [
        (i, register, card)
        for i in sorted(kept)
        for register, card in kept[i].items()
        if card and not game.robots[i].locked >> register & 1
    ]
    for (i, register, _), number in zip(places, Pile().take(card for *_, card in places), strict=True):
        game.robots[i].registers[register] = number
    for i, program in kept.items():
        for register, card in program.items():
            if card and game.robots[i].locked >> register & 1:
                _check_locked(card, int(game.robots[i].registers[register]), register)


def undealt(game: GameRecord, card: Card) -> int:
    """The number of a card: of a type the highest one in the undealt pile, 0 for none."""
    return card.card or max((int(k) for k in game.deck[: game.deck_left] if card.matches(int(k))), default=0)


def _check_locked(card: Card, held: int, register: int) -> None:
    if not held or not card.matches(held):
        raise card.node.error(
            f"{card}: register {register + 1} is locked with {card_name(held)}: expected none or that card (U42)"
        )


def names(cards: Iterable[Any] | np.ndarray[Any, Any]) -> list[str]:
    """Cards as scenarios write them."""
    return [card_name(int(card)) for card in cards]


def agrees(expected: Card | None, actual: int) -> bool:
    """Whether a register that holds the card `actual`, 0 for none, is as expected (U44)."""
    return actual == 0 if expected is None else bool(actual) and expected.matches(actual)


def shown(slots: Slots) -> list[str]:
    """Expected cards as scenarios write them."""
    return [str(card) if card else "none" for card in slots.values()]
