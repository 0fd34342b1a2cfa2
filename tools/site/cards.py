"""Pages for every board element and option card: a picture, what it does, its rules, and their code and scenarios."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from rr_gym.courses.elements import ELEMENTS, Element
from rr_gym.courses.samples import sample_course
from rr_gym.option_facts import CATEGORY_SENTENCES, OPTION_CARDS, OptionCard
from rr_gym.render import svg
from rr_gym.render.board.picture import svg as course_svg
from rr_gym.rule_lookup import SourcePlace, code_of, rule_text, scenarios_of
from rr_gym.scenarios.load import load_scenarios
from rr_gym.scenarios.position import Position
from rr_gym.scenarios.script import read_script

ROOT = Path(__file__).resolve().parents[2]
MOST_PLACES = 12  # functions and scenarios that a page lists


def element_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of all files on elements: a picture and a page for each, and the gallery."""
    for element in ELEMENTS:
        yield f"{element.id}.svg", course_svg(sample_course(element), 64)
        yield f"{element.id}.md", _element(element)
    names = [(e.id, e.name, e.sentence, e.set) for e in ELEMENTS]
    yield "index.md", _gallery("Elements in pictures", names)


def option_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of all files on option cards: a picture and a page for each, and the gallery.

    The pictures show the positions of scenarios.
    """
    for card in OPTION_CARDS:
        place = _first_scenario(card)
        yield f"{card.id}.svg", _position(place)
        yield f"{card.id}.md", _option(card, place)
    names = [(c.id, c.name, c.sentence, c.set) for c in OPTION_CARDS]
    yield "index.md", _gallery("Option cards in pictures", names)


def _element(e: Element) -> str:
    facts = {
        "number": str(e.number),
        "published in": e.set,
        "acts in": " ".join(e.steps),
        "written as": "; ".join(f"`{word}` {says}".strip() for word, says in e.words.items()),
        "settings": ", ".join(f"`{name}`" for name in e.settings),
    }
    return _page(e.name, f"![{e.name}]({e.id}.svg)", [e.sentence], facts, e.rule, e.rule_file)


def _option(c: OptionCard, place: SourcePlace) -> str:
    facts = {
        "number": str(c.number),
        "German": c.german,
        "published in": c.set,
        "category": c.category,
        "new": f"holds {c.holds}" if c.holds else "",
        "orders": ", ".join(f"`{order}`" for order in c.orders),
        "settings": ", ".join(f"`{name}`" for name in c.settings),
    }
    sentences = [c.sentence, *(CATEGORY_SENTENCES[code] for code in c.categories)]
    picture = f"![A position with it]({c.id}.svg)\n\n*{place.name}*: the position of this scenario before it is played."
    return _page(c.name, picture, [" ".join(sentences)], facts, c.rule, c.rule_file)


def _page(title: str, picture: str, sentences: list[str], facts: dict[str, str], rule: str, document: str) -> str:
    table = [f"| {name} | {_cell(value)} |" for name, value in facts.items() if value]
    text = rule_text(rule, document)
    # Links in the rules are relative to docs/rules.
    text = re.sub(r"\]\((?!https?:)([^)\s]+)\)", lambda link: f"]({_moved(link[1], document)})", text)
    text = re.sub(r"^#+ ", "### ", text, flags=re.MULTILINE)
    lines = [f"# {title}", "", *sentences, "", picture, "", "| | |", "|---|---|", *table, "", "## Rules", ""]
    lines += [text, f"They stand in [docs/rules/{document}](../../docs/rules/{document}).", ""]
    for heading, places in (("Code", code_of(rule)), ("Scenarios", scenarios_of(rule))):
        if places:
            shown = [f"* `{place.file}:{place.line}` {_text(place.name)}" for place in places[:MOST_PLACES]]
            more = len(places) - len(shown)
            lines += [f"## {heading}", "", *shown, *([f"* and {more} more"] if more else []), ""]
    return "\n".join(lines)


def _moved(link: str, document: str) -> str:
    return f"../../docs/rules/{document if link.startswith('#') else ''}{link}"


def _gallery(title: str, rows: list[tuple[str, str, str, str]]) -> str:
    lines = [f"# {title}", ""]
    for published in dict.fromkeys(row[3] for row in rows):
        lines += [f"## {published[0].upper()}{published[1:]}", "", "| | | |", "|---|---|---|"]
        lines += [
            f"| ![{name}]({id}.svg) | [{name}]({id}.md) | {_cell(told)} |"
            for id, name, told, within in rows
            if within == published
        ]
        lines.append("")
    names = "\n".join(row[0] for row in rows)
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", names, "```", ""])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _text(name: str) -> str:
    return re.sub(r"([*_<>\[\]`])", r"\\\1", name)


def _first_scenario(card: OptionCard) -> SourcePlace:
    """Return the scenario that shows a card: the first one of its own file, else the first one that cites its rules."""
    places = scenarios_of(card.rule)
    own = [place for place in places if Path(place.file).stem == card.id]
    return next(place for place in (*own, *places) if not _is_error(place))


def _is_error(place: SourcePlace) -> bool:
    return next(s for s in load_scenarios(ROOT / place.file) if s.name == place.name).error is not None


def _position(place: SourcePlace) -> str:
    scenario = next(s for s in load_scenarios(ROOT / place.file) if s.name == place.name)
    position = Position(read_script(scenario.node))
    return str(svg(position.game, position.arena.courses[0], 64))
