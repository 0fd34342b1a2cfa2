"""A position as a prompt for a language model: short rules, what the seat sees, and what each card alone would do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rr_gym.game import Game, OrderError
from rr_gym.play.preview import where_alone
from rr_gym.players import SeatView

RULES = (
    "You play RoboRally. Every turn all players secretly put cards into five registers. Then the programs run at once, "
    "phase by phase: the cards of the phase by priority (the number behind @), then belts, pushers, gears and lasers. "
    "Robots push each other. Touch the flags in the order of their numbers before the others do; a flag counts if you "
    "stand on it at the end of a phase. Pits and the edge of the map destroy your robot. Every point of damage costs a "
    "card of the next hand; from 5 points on registers are locked."
)
ANSWER = (
    'Answer with one JSON object and nothing else: {"program": [...]} with a card of your hand for each open register, '
    "each card at most once, and null for a locked register."
)
NOTHING = "You have no cards to choose from. Answer with {} and nothing else."


def prompt(game: Game, seat: int) -> str:
    """Return a prompt with everything that a language model needs to decide for a seat, and nothing hidden.

    Args:
        game: A game between two turns.
        seat: The seat whose orders are wanted.

    Raises:
        SeatError: There is no such seat.
    """
    view = game.view(seat)
    parts = [RULES, view.as_text(game.course)]
    if view.over or not view.hand:
        return "\n\n".join([*parts, NOTHING])
    parts.append("\n".join(["If nobody else were on the board, at the end of that phase:", *_cards_alone(game, seat)]))
    return "\n\n".join([*parts, ANSWER])


def _cards_alone(game: Game, seat: int) -> Iterator[str]:
    """Yield a sentence for each card: where it would bring the robot if played from its first open register."""
    view = game.view(seat)
    first = next((r for r, card in enumerate(view.own.registers) if card is None), None)
    if first is None or view.own.down:
        return
    sight = SeatView.of(game.arena, game.record, seat)
    for card in view.hand:
        program = [card if r == first else None for r in range(5)]
        try:
            orders = game.resolve({seat: {"program": program}})[seat]
        except OrderError:
            yield f"{card} may not be in register {first + 1} now"
        else:
            yield f"{card} in register {first + 1}: {where_alone(sight, orders, 'your robot')}"


def count_tokens(text: str) -> int:
    """Estimate the number of tokens of a text: up to four letters, up to three digits, or one sign each."""
    return len(re.findall(r"[^\W\d_]{1,4}|\d{1,3}|[^\w\s]|_", text))
