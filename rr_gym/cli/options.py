"""``rr-gym options``: the table of option cards, or one of them."""

from __future__ import annotations

from types import SimpleNamespace

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.words import Name


@command(exclusive=("json", "markdown"), examples=("rr-gym options", "rr-gym options shield"))
@click.argument("name", type=Name("options"), required=False, help="a card: its id, number or name")
@shared("--json")
@shared("--markdown", note="the whole table, as docs/options.md")
def run(args: SimpleNamespace) -> int:
    """Show the table of all option cards, or all about one."""
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
