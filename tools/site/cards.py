"""Pages for all board elements and option cards: pictures, description, rules, and where these are implemented."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from rr_gym.courses.elements import ELEMENTS, Element
from rr_gym.courses.samples import sample_course
from rr_gym.option_facts import CATEGORY_SENTENCES, OPTION_CARDS, OptionCard
from rr_gym.render import svg
from rr_gym.render.board.picture import svg as course_svg
from rr_gym.replay.film import film_of, scenario_gif
from rr_gym.replay.gif import VISIBLE
from rr_gym.rule_lookup import SourcePlace, code_of, rule_text, scenarios_of
from rr_gym.scenarios.load import Scenario, load_scenarios
from rr_gym.scenarios.position import Position
from rr_gym.scenarios.script import read_script

ROOT = Path(__file__).resolve().parents[2]
MAX_PLACES = 12  # a page lists at most this many functions, and as many scenarios


def element_pages() -> Iterator[tuple[str, str | bytes]]:
    """Yield the names and contents of all files about elements: two pictures and a page for each, and the gallery."""
    for element in ELEMENTS:
        place = _first_scenario(element)
        yield f"{element.id}.svg", course_svg(sample_course(element), 64)
        yield f"{element.id}.gif", scenario_gif(_scenario(place))
        yield f"{element.id}.md", _element(element, place)
    names = [(e.id, e.name, e.sentence, e.set) for e in ELEMENTS]
    yield "index.md", _gallery("Elements in pictures", names)


def option_pages() -> Iterator[tuple[str, str | bytes]]:
    """Yield the names and contents of all files about option cards: two pictures and a page for each, and the gallery.

    One picture shows the position of a scenario, the other one plays it.
    """
    for card in OPTION_CARDS:
        place = _first_scenario(card)
        yield f"{card.id}.svg", _position(place)
        yield f"{card.id}.gif", scenario_gif(_scenario(place))
        yield f"{card.id}.md", _option(card, place)
    names = [(c.id, c.name, c.sentence, c.set) for c in OPTION_CARDS]
    yield "index.md", _gallery("Option cards in pictures", names)


def _element(e: Element, place: SourcePlace) -> str:
    facts = {
        "number": str(e.number),
        "published in": e.set,
        "acts in": " ".join(e.steps),
        "written as": "; ".join(f"`{word}` {says}".strip() for word, says in e.words.items()),
        "settings": ", ".join(f"`{name}`" for name in e.settings),
    }
    picture = f"![{e.name}]({e.id}.svg)\n\n{_film(e, place)}"
    return _page(e.name, picture, [e.sentence], facts, e.rule, e.rule_file)


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
    return _page(c.name, _film(c, place), [" ".join(sentences)], facts, c.rule, c.rule_file)


def _film(of: Element | OptionCard, place: SourcePlace) -> str:
    """Return the moving picture of a scenario, with its name and the name of its file."""
    return f"![{of.name} in a scenario]({of.id}.gif)\n\n*{_text(place.name)}* (`{place.file}`, `rr-gym scenario --out`)"


def _page(title: str, picture: str, sentences: list[str], facts: dict[str, str], rule: str, document: str) -> str:
    table = [f"| {name} | {_cell(value)} |" for name, value in facts.items() if value]
    text = rule_text(rule, document)
    # Links in the rules are relative to docs/rules.
    text = re.sub(r"\]\((?!https?:)([^)\s]+)\)", lambda link: f"]({_moved(link[1], document)})", text)
    text = re.sub(r"^#+ ", "### ", text, flags=re.MULTILINE)
    lines = [f"# {title}", "", *sentences, "", picture, "", "| | |", "|---|---|", *table, "", "## Rules", ""]
    lines += [text, f"From [docs/rules/{document}](../../docs/rules/{document}).", ""]
    for heading, places in (("Code", code_of(rule)), ("Scenarios", scenarios_of(rule))):
        if places:
            shown = [f"* `{place.file}:{place.line}` {_text(place.name)}" for place in places[:MAX_PLACES]]
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


def _first_scenario(of: Element | OptionCard) -> SourcePlace:
    """Return the scenario that shows an element or a card.

    It is the first one in which something visible happens: first among those in a folder or file of its name, then
    among all that cite its rules. If there is none, it is the first one that expects no error.
    """
    places = [place for place in scenarios_of(of.rule) if _scenario(place).error is None]
    names = (of.id, f"{of.id}s")
    folder = [place for place in places if Path(place.file).parent.name in names]
    file = [place for place in places if Path(place.file).stem in names]
    both = [place for place in folder if place in file]
    return next((place for place in (*both, *folder, *file, *places) if _is_seen(place)), places[0])


def _is_seen(place: SourcePlace) -> bool:
    """Tell whether anything happens in a scenario that a picture shows."""
    _, frames, _ = film_of(_scenario(place))
    return any(event.kind in VISIBLE for frame in frames for event in frame.events)


@cache
def _scenario(place: SourcePlace) -> Scenario:
    return next(s for s in load_scenarios(ROOT / place.file) if s.name == place.name)


def _position(place: SourcePlace) -> str:
    position = Position(read_script(_scenario(place).node))
    return str(svg(position.game, position.arena.courses[0], 64))
