"""The legend of board elements: each with its picture, letters in text, word in the format RRB1 and a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from rr_gym.courses.elements import BY_ID, ELEMENTS, Element
from rr_gym.courses.samples import sample_course
from rr_gym.courses.text.grammar import SquarePart
from rr_gym.render.board.icon import ICON
from rr_gym.render.board.picture import to_svg
from rr_gym.render.board.scene import primitives
from rr_gym.render.board.shapes import INK, WHITE, Polygon, Primitive, Text, placed
from rr_gym.render.board.signs import group_sign, item_sign, side_sign
from rr_gym.rule_lookup import as_json, full_text, links, plain, unknown
from rr_gym.text_layout import columns

COLUMNS, ROW, MARGIN = 2, 1.36, 0.4  # of the legend: its columns, and the height of a row and the margin in squares
PICTURE, WORDS = 2.1, 12.0  # widths of an element's picture and text, in squares
GREY = "#667085"
_DRAWN = {"wall": "---", "ledge": "...", "board_edge": ""}
_DRAWN_UNICODE = {"wall": "━━━", "ledge": "┈┈┈", "board_edge": ""}


def sign(element: Element, unicode: bool = True) -> str:
    """Return what stands for an element in a board drawn as text: letters in a square, or the line of a wall."""
    drawn = _DRAWN_UNICODE if unicode else _DRAWN
    if element.id in drawn:
        return drawn[element.id]
    course = sample_course(element)
    for group in course.placements[0].turned.groups:
        return group_sign(group, group.squares[0], unicode)
    part = next(part for part in _parts(element) if part.element == element.id or element.id == "waterfall")
    if part.side >= 0:
        line = drawn["wall"]
        return line[:1] + side_sign(part) + line[2:]
    return item_sign(part, unicode, falls=element.id == "waterfall")


def _parts(element: Element) -> Iterator[SquarePart]:
    for square in sample_course(element).squares.values():
        yield from (*square.cell.items, *square.cell.sides)


def shapes(unicode: bool = False) -> tuple[list[Primitive], float, float]:
    """Return the legend as primitives, with its width and height in squares."""
    rows = -(-len(ELEMENTS) // COLUMNS)
    width, height = COLUMNS * (PICTURE + WORDS) + MARGIN, rows * ROW + MARGIN
    found: list[Primitive] = [Polygon(((0, 0), (width, 0), (width, height), (0, height)), WHITE)]
    for i, element in enumerate(ELEMENTS):
        x, y = i // rows * (PICTURE + WORDS) + MARGIN, i % rows * ROW + MARGIN
        course = sample_course(element)
        scale = min((PICTURE - 0.3) / course.size[0], (ROW - 0.16) / course.size[1], 1.0)
        left = x + (PICTURE - 0.3 - scale * course.size[0]) / 2
        found += [placed(shape, scale, left, y) for shape in primitives(course)]
        facts = (("RRB1", element.token), ("text", sign(element, unicode)), ("acts in", " ".join(element.steps)))
        details = "     ".join(f"{name}  {fact}" for name, fact in facts if fact)
        found += [
            Text((x + PICTURE, y + 0.2), f"{element.number}  {element.name}", 0.34, INK, to_right=True),
            Text((x + PICTURE, y + 0.55), details, 0.26, GREY, to_right=True),
            Text((x + PICTURE, y + 0.86), element.sentence, 0.25, INK, to_right=True),
        ]
    return found, width, height


def to_html() -> str:
    """Return the legend as a self-contained HTML page."""
    rows = []
    for element in ELEMENTS:
        course = sample_course(element)
        picture = to_svg(primitives(course), *course.size, cell=48 if course.size[1] == 1 else 32)
        words = "<br>".join(f"<code>{escape(word)}</code> {escape(says)}" for word, says in element.words.items())
        cells = (
            str(element.number), picture, f"<b>{escape(element.name)}</b><br>{escape(element.set)}",
            f"<code>{escape(sign(element))}</code>", words, escape(" ".join(element.steps)), escape(element.sentence),
        )  # fmt: skip
        rows.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
    head = "".join(f"<th>{name}</th>" for name in ("", "", "element", "text", "RRB1", "acts in", ""))
    style = (
        "body{font:15px/1.4 system-ui,sans-serif;margin:24px;color:#1d2430}table{border-collapse:collapse}"
        "td,th{padding:6px 12px;border-bottom:1px solid #d9dde3;text-align:left;vertical-align:middle}"
        "code{white-space:pre}svg{display:block}"
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Board elements</title>'
        f"{ICON}<style>{style}</style></head>\n<body><h1>Board elements</h1>\n<table><tr>{head}</tr>\n"
        + "\n".join(rows)
        + "\n</table></body></html>\n"
    )


def to_text(unicode: bool = True) -> str:
    """Return the legend as a table in text, for terminals."""
    rows = [(str(e.number), sign(e, unicode), e.token, e.name, e.sentence) for e in ELEMENTS]
    return "\n".join(columns([("", "text", "RRB1", "element", ""), *rows])) + "\n"


def elements_text() -> str:
    """Return the table of elements (sets, steps of a turn, words of the format, settings) as text, for terminals."""
    head = ("", "element", "set", "acts in", "RRB1", "settings")
    rows = (
        (str(e.number), e.id, e.set, " ".join(e.steps), "  ".join(e.words), ", ".join(e.settings)) for e in ELEMENTS
    )
    return "\n".join(columns([head, *rows])) + "\n"


def elements_json() -> list[dict[str, Any]]:
    """Return the table of elements as a list of plain dictionaries."""
    return [_facts(element) for element in ELEMENTS]


def _facts(e: Element) -> dict[str, Any]:
    return {
        "number": e.number, "id": e.id, "name": e.name, "set": e.set, "rule": e.rule, "steps": list(e.steps),
        "words": e.words, "settings": list(e.settings), "text": sign(e), "sentence": e.sentence,
    }  # fmt: skip


def find_element(name: str) -> Element:
    """Find an element by its id, number or name; case, spaces and punctuation do not matter.

    Raises:
        RoboRallyError: There is no such element.
    """
    wanted = plain(name)
    for element in ELEMENTS:
        if wanted and wanted in (str(element.number), plain(element.id)):
            return element
    raise unknown("element", name, "a board element", BY_ID)


def element_text(element: Element, unicode: bool = True) -> str:
    """Return everything about one element as text for terminals: what it is, its rules, its code and its scenarios."""
    facts = {
        "id": element.id,
        "set": element.set,
        "acts in": " ".join(element.steps),
        "text": sign(element, unicode),
        "RRB1": "  ".join(element.words),
        "settings": ", ".join(element.settings),
        "rules": f"{element.rule} in docs/rules/{element.rule_file}",
    }
    head = [f"{element.number}  {element.name}", element.sentence]
    return full_text(head, facts, element.rule, element.rule_file, element.id)


def element_json(element: Element) -> dict[str, Any]:
    """Return everything about one element as a plain dictionary."""
    return _facts(element) | as_json(element.rule, element.rule_file, element.id)


def elements_markdown() -> str:
    """Return the table of elements as the text of docs/elements.md."""
    lines = [
        "# Board elements",
        "",
        "All board elements of the game. `rr-gym course legend --out FILE` draws them as in",
        "[the picture](images/elements.svg), `rr-gym course elements` prints this table, and",
        "`rr-gym course elements --markdown` writes this document. Sub-steps are those of the [turn](rules/turn.md);",
        "*enter* is when a robot enters the square, *step* when it tries to cross the side, *settle* when it would",
        "come to rest. Text is what `rr-gym course show` draws. RRB1 is the [board format](board-format.md): a word,",
        "and what is written with it. The last columns give the settings that change the element",
        "([settings](rules/settings.md)), the files with the functions of its rule, and the file with most of its",
        "scenarios. `rr-gym course elements NAME` prints the rule, and every place with its line.",
    ]
    for published in dict.fromkeys(e.set for e in ELEMENTS):
        lines += ["", f"## {published[0].upper()}{published[1:]}", ""]
        lines += ["| element | rules | acts in | text | RRB1 | what it does | settings | code | scenarios |"]
        lines += ["|---" * 9 + "|"]
        for e in ELEMENTS:
            if e.set == published:
                words = "; ".join(f"`{_cell(word)}`" + f" {says}" * bool(says) for word, says in e.words.items())
                text = f"`{_cell(sign(e))}`" if sign(e) else ""
                link = f"[{e.rule}](rules/{e.rule_file})"
                code, scenarios = links(e.rule)
                settings = ", ".join(f"`{name}`" for name in e.settings)
                cells = (e.name, link, " ".join(e.steps), text, words, e.sentence, settings, code, scenarios)
                lines.append("| " + " | ".join(cells).replace("  ", " ") + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
