"""Collect descriptions as data for the script of a page: squares in each look of the board, cards, and options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rr_gym.courses import Course
from rr_gym.courses.changes import Changes, current_course, raised_squares
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render.about import CARD_SENTENCES, DEVICE_SENTENCES, square_sentences
from rr_gym.render.phrases import CARD_WORDS, DEVICE_WORDS, MOVEMENT_OPTION_WORDS
from rr_gym.rules.state.cards import CARD_TYPE, priority
from rr_gym.rules.state.constants import DECK_SIZE, GADGET_NAMES, SHIELD_NAMES

IN_ORDER = frozenset({"race", "tag_teams", "head_to_head"})  # games in which robots touch the flags in their order
GLYPHS = ("", "⤺", "↶", "↷", "↓", "↑", "⇈", "⤊")  # by card type


def squares_json(course: Course, looks: Sequence[Changes]) -> dict[str, Any]:
    """Return the sentences that describe all squares, in each look of the board.

    Returns:
        `texts`: every sentence once; `squares`: for each square, row by row, the indices of its sentences in the first
        look; `looks`: for each look, the squares that differ from the first look, as square number and indices.
    """
    width, height = course.size
    texts: dict[str, int] = {}

    def indices(changes: Changes) -> list[list[int]]:
        current = current_course(course, changes)
        sentences = square_sentences(current, raised_squares(current, changes))
        squares = ((n % width, n // width) for n in range(width * height))
        return [[texts.setdefault(text, len(texts)) for text in sentences.get(square, ())] for square in squares]

    first, *others = (indices(changes) for changes in looks)
    differing = [{n: now for n, now in enumerate(other) if now != first[n]} for other in others]
    return {"squares": first, "looks": [{}, *differing], "texts": list(texts)}


def words_json() -> dict[str, Any]:
    """Return the names and sentences of cards (by number), option cards (by id), devices, gadgets and sides."""
    return {
        "cards": [None, *map(_card, range(1, DECK_SIZE + 1))],
        "options": {card.id: {"name": card.name, "holds": card.holds} for card in OPTION_CARDS},
        "option_sentences": {card.id: card.sentence for card in OPTION_CARDS},
        "devices": DEVICE_SENTENCES,
        "gadgets": [DEVICE_WORDS[name] for name in GADGET_NAMES],
        "movement_options": MOVEMENT_OPTION_WORDS,
        "card_sentences": dict(zip(CARD_WORDS, CARD_SENTENCES, strict=True)),
        "sides": SHIELD_NAMES,
    }


def _card(card: int) -> dict[str, Any]:
    kind = int(CARD_TYPE[card])
    return {"glyph": GLYPHS[kind], "name": CARD_WORDS[kind], "priority": priority(card)}
