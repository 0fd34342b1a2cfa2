"""``rr-gym options``: the table of option cards, or one of them."""

from __future__ import annotations

import argparse
import json
from typing import Any


def add_parser(subparsers: Any) -> None:
    """Register ``options``."""
    parser = subparsers.add_parser("options", help="the table of all option cards, or all about one")
    parser.add_argument("name", metavar="NAME", nargs="?", help="a card: its id, number or name")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="as JSON")
    forms.add_argument("--markdown", action="store_true", help="the whole table as docs/options.md")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.option_facts import OPTION_CARDS
    from rr_gym.option_table import (
        card_and_places_json,
        card_json,
        card_text,
        find_card,
        in_ascii,
        options_markdown,
        options_text,
    )
    from rr_gym.render.board.draw import can_show_unicode

    cards = [find_card(args.name)] if args.name else list(OPTION_CARDS)
    if args.json:
        rows = card_and_places_json(cards[0]) if args.name else [card_json(card) for card in cards]
        print(json.dumps(rows, indent=1, ensure_ascii=False))
    elif args.markdown:
        print(options_markdown(), end="")
    else:
        text = card_text(cards[0]) if args.name else options_text()
        print(text if can_show_unicode() else in_ascii(text), end="")
    return 0
