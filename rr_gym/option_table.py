"""The table of option cards as text for terminals, as JSON, and as docs/options.md."""

from __future__ import annotations

from typing import Any

from rr_gym.option_facts import (
    ARMED,
    BASE,
    CARD_ORDERS,
    CATEGORIES,
    CATEGORY_SENTENCES,
    OPTION_CARDS,
    CardOrder,
    OptionCard,
    OrderPart,
)
from rr_gym.option_facts.order import KINDS
from rr_gym.rule_lookup import as_json, full_text, links, plain, unknown
from rr_gym.rules.state.order_table import OF_CARDS, OrderFormat, values_of
from rr_gym.text_layout import columns

_ASCII = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


def find_card(name: str) -> OptionCard:
    """Find an option card by its id, its number, or its English or German name; case and punctuation are ignored.

    Raises:
        RoboRallyError: There is no such card.
    """
    wanted = plain(name)
    for card in OPTION_CARDS:
        if wanted and wanted in (str(card.number), plain(card.id), plain(card.name), plain(card.german)):
            return card
    raise unknown("option", name, "an option card", [card.id for card in OPTION_CARDS])


def options_text() -> str:
    """Return the table of option cards as aligned lines for terminals."""
    head = ("", "option", "name", "German", "category", "")
    rows = (
        (str(card.number), card.id, card.name, card.german, " ".join(card.categories), card.sentence)
        for card in OPTION_CARDS
    )
    return "\n".join(columns([head, *rows])) + "\n"


def in_ascii(text: str) -> str:
    """Return a string, such as a German name, without umlauts and ligatures, for terminals that show only ASCII."""
    return text.translate(_ASCII)


def card_text(card: OptionCard) -> str:
    """Return everything about one card, for terminals."""
    facts = {
        "id": card.id,
        "German": card.german,
        "set": card.set,
        "category": f"{card.category} ({' '.join(card.categories)})",
        "new": f"holds {card.holds}" if card.holds else "",
        "orders": ", ".join(card.orders) or "none",
        "settings": ", ".join(card.settings),
        "value": f"{card.value} of {len(OPTION_CARDS)} by worth, 1 the least",
        "rules": f"{card.rule} in docs/rules/{card.rule_file}",
    }
    head = [f"{card.number}  {card.name}", card.sentence, *(CATEGORY_SENTENCES[code] for code in card.categories)]
    return full_text(head, facts, card.rule, card.rule_file, card.id)


def card_json(card: OptionCard) -> dict[str, Any]:
    """Return one card as plain values that JSON can hold."""
    return {
        "number": card.number, "id": card.id, "name": card.name, "german": card.german, "set": card.set,
        "categories": list(card.categories), "holds": card.holds, "orders": list(card.orders),
        "settings": list(card.settings), "value": card.value, "rule": card.rule, "sentence": card.sentence,
    }  # fmt: skip


def card_and_places_json(card: OptionCard) -> dict[str, Any]:
    """Return one card as plain values, with the text of its rules and the places of its code and its scenarios."""
    return card_json(card) | as_json(card.rule, card.rule_file, card.id)


def options_markdown() -> str:
    """Return the whole document docs/options.md, made from the table."""
    lines = [
        "# Option cards",
        "",
        f"All {len(OPTION_CARDS)} option cards of the game, and the [orders](#orders) about them. `rr-gym options`",
        "prints the table, `rr-gym options NAME` one card, and `rr-gym options --markdown` writes this document.",
        "See the [general rules](rules/options.md) for all of them,",
        "[devices](rules/devices.md) for things that they lay and launch, [orders](rules/orders.md) for decisions on",
        "them, and [variants](rules/variants.md) for games with more of them.",
        "*New* is the number of shots, tokens, counters or points on a new card. `start_options` and other",
        "[settings](rules/settings.md) deal cards at the start; `Arena.give` gives a robot those of your choice:",
        "",
        "```python",
        "from rr_gym import Arena",
        "",
        'arena = Arena("risky_exchange", {"option_cards": "on"})',
        "games = arena.new_games(100, num_robots=2, seed=1)",
        'arena.give(games, 0, "brakes")  # to seat 0 in all games; arrays of seats and lists of names work too',
        "```",
        "",
        "A replay of such a game can be watched, but its seed alone does not play it again.",
        "[A notebook](../notebooks/option_worth.ipynb) measures what each card is worth.",
        "",
        "| category | stands for | how it works |",
        "|---|---|---|",
        *(f"| {code} | {words} | {CATEGORY_SENTENCES[code]} |" for code, words in CATEGORIES.items()),
    ]
    for published in (BASE, ARMED):
        lines += ["", f"## {published[0].upper()}{published[1:]}", ""]
        lines += [
            "| option | name | German | category | new | orders | what it does | settings | rules | code | scenarios |"
        ]
        lines += ["|---" * 11 + "|"]
        for card in OPTION_CARDS:
            if card.set == published:
                cells = (
                    f"`{card.id}`", card.name, card.german, " ".join(card.categories), str(card.holds or ""),
                    ", ".join(f"`{order}`" for order in card.orders), card.sentence,
                    ", ".join(f"`{name}`" for name in card.settings), f"[{card.rule}](rules/{card.rule_file})",
                    links(card.rule)[0], f"[{card.id}](../tests/scenarios/{card.scenarios})",
                )  # fmt: skip
                lines.append("| " + " | ".join(cells).replace("  ", " ") + " |")
    return "\n".join([*lines, *_orders_markdown()]) + "\n"


def _orders_markdown() -> list[str]:
    """Return the section on orders about option cards, ordered as the components of actions are."""
    lines = [
        "",
        "## Orders",
        "",
        "The orders about option cards ([rules](rules/orders.md)), and the components of",
        "[actions](actions.md#option-cards) that choose them, in their order. (5) and _r: one for each register.",
        "(T): announced during programming, so the robot must own the option at that time (R-O.6).",
        "Components with * are rare. Choice 0 is the default.",
        "",
        "| order | what it says | values | default | component | choices |",
        "|---" * 6 + "|",
    ]
    for row in CARD_ORDERS:
        order = OF_CARDS[row.name]
        five, each = (" (5)", "_r") if row.per_register else ("", "")
        word = f", in files `{row.word}`" if row.word else ""
        parts = row.parts or (
            OrderPart(name=row.name, choices=row.choices, chooses=row.chooses or _choices(row, order)),
        )
        cells = (
            f"`{row.name}`{five}{word}" + " (T)" * row.on_table,
            row.says,
            _values(row, order),
            _shown(order.default),
        )
        for part in parts:
            component = f"`{part.name}{each}`" + " *" * row.rare
            lines.append("| " + " | ".join((*cells, component, part.chooses)).replace("  ", " ") + " |")
            cells = ("", "", "", "")
    return lines


def _values(row: CardOrder, order: OrderFormat) -> str:
    """Describe the legal values of an order as users write them."""
    if order.names:
        return " ".join(f"`{word}`" for word in order.names)
    if row.kind in ("number", "threshold"):
        return f"{order.low} to {order.high}" + ", or true for always" * (row.kind == "threshold")
    return KINDS[row.kind]


def _choices(row: CardOrder, order: OrderFormat) -> str:
    """Describe what each choice of an order's component means; choice 0, the default, comes last."""
    if row.kind == "register":
        return "1 to 5: the register; 0: none"
    if row.kind == "threshold":
        return f"1 to {order.high}: that many; {order.high + 1}: always; 0: never"
    words = [_shown(order.value(number)) for number in values_of(row)]
    return ", ".join(f"{k} {word}" for k, word in enumerate(words) if k) + f"; 0: {words[0]}"


def _shown(value: Any) -> str:
    """Format a value as a cell of a table."""
    words = {None: "none", (): "none", True: "true", False: "false"}
    return words[value] if isinstance(value, bool | tuple | None) else f"`{value}`"
