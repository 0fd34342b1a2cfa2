"""``rr-gym options``: the table of option cards, or one of them."""

from __future__ import annotations

import argparse
from typing import Any

from rr_gym.cli.grammar.arguments import add, completed
from rr_gym.cli.grammar.output import Output


def add_parser(subparsers: Any) -> None:
    """Register ``options``."""
    parser = subparsers.add_parser("options", help="the table of all option cards, or all about one")
    completed(
        parser.add_argument("name", metavar="NAME", nargs="?", help="a card: its id, number or name"), "option"
    )
    forms = parser.add_mutually_exclusive_group()
    add(forms, "--json")
    add(forms, "--markdown", note="the whole table, as docs/options.md")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """The table, or one card."""
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
    from rr_gym.render.board.sketch import can_show_unicode

    cards = [find_card(args.name)] if args.name else list(OPTION_CARDS)
    output = Output(args.json)
    if args.markdown:
        print(options_markdown(), end="")
        return 0
    text = card_text(cards[0]) if args.name else options_text()
    output.show((text if can_show_unicode() else in_ascii(text)).rstrip("\n"))
    output.write(card_and_places_json(cards[0]) if args.name else [card_json(card) for card in cards])
    return 0
