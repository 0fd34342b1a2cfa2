"""Games with option cards, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import MAX_OWNED, NUM_OPTIONS
from rr_gym.rules.state.option_cards import ABLATIVE_COAT, ABLATIVE_POINTS, BIO_OPTION, INITIAL_PAYLOAD, OPTION_NAMES
from rr_gym.rules.state.order_table import ORDERS as WORDS
from rr_gym.rules.state.records import no_orders

FLOOR = "grid:\n" + "\n".join(
    " ".join(f"@{y * 2 + x // 4 + 1}" if x in (0, 4) and y < 4 else "#1" if (x, y) == (6, 6) else "." for x in range(8))
    for y in range(8)
)


def floor(**settings: Any) -> Arena:
    """Return an arena of an empty floor with eight start squares, played with option cards."""
    return Arena(Course.from_board(FLOOR, "floor"), {"option_cards": "on", **settings})


def give(games: np.ndarray, seat: int, *names: str, game: int | slice = slice(None)) -> None:
    """Give option cards to a seat, new and full, taken from the pile if they lie there."""
    for name in names:
        option = OPTION_NAMES.index(name)
        for record in games[game] if isinstance(game, slice) else [games[game]]:
            pile = [int(card) for card in record["option_deck"][: record["option_deck_left"]]]
            if option in pile:
                pile.remove(option)
                record["option_deck"] = 0
                record["option_deck"][: len(pile)] = pile
                record["option_deck_left"] = len(pile)
            record["robots"][seat]["options"] |= np.uint64(1 << option)
            record["payload"][option] = ABLATIVE_POINTS if option == ABLATIVE_COAT else INITIAL_PAYLOAD[option]


def deal_options(games: np.ndarray, generator: np.random.Generator, each: int = 5) -> None:
    """Deal `each` random option cards to every robot that has none, without giving any card twice in a game."""
    for g, game in enumerate(games):
        seats = int(game["num_robots"])
        pile = [option for option in range(NUM_OPTIONS) if option != BIO_OPTION]
        owned = int(np.bitwise_or.reduce(game["robots"]["options"]))
        cards = generator.permutation([option for option in pile if not owned >> option & 1]).tolist()
        for seat in range(seats):
            if not game["robots"][seat]["options"]:
                chosen = [cards.pop() for _ in range(min(each, MAX_OWNED, len(cards)))]
                give(games, seat, *(OPTION_NAMES[option] for option in chosen), game=g)


def play_random(arena: Arena, games: np.ndarray, turns: int, seed: int = 0) -> None:
    """Play random programs, and refill options before each turn."""
    generator = np.random.default_rng(seed)
    words = generator.integers(2**63, size=len(games), dtype=np.uint64)
    for _ in range(turns):
        deal_options(games, generator)
        orders = no_orders(len(games), 8, full=True)
        arena.random_orders(games, orders, words)
        arena.play(games, orders)


def as_json(record: Any) -> dict[str, Any]:
    """Return a record of orders in the words of `Orders`."""
    words: dict[str, Any] = {"program": [card_name(int(card)) if card else None for card in record["program"]]}
    for name, order in WORDS.items():
        numbers = record[name]
        match order.kind:
            case "card":
                cards = [card_name(int(card)) if card > 0 else None for card in np.ravel(numbers)]
                words[name] = cards if order.per_register else cards[0]
            case "cards":
                words[name] = [card_name(int(card)) for card in numbers if card]
            case "conditional":
                card = int(record["conditional"])
                words[name] = (card_name(card), int(record["conditional_register"])) if card > 0 else None
            case "options":
                given = [OPTION_NAMES[option] for option in numbers if option >= 0]
                words[name] = given or None
            case _ if order.per_register:
                words[name] = [order.value(int(number)) for number in numbers]
            case _:
                words[name] = order.value(int(numbers))
    return words
