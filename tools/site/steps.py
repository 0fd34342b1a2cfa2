"""Explain the codes of sub-steps, such as C10, in documents of the site, by links to the timing table."""

from __future__ import annotations

import re
from pathlib import Path

from rr_gym.render.words import STEP_WORDS

TABLE = "turn.md"  # of the documents of the rules
# The headings of the timing table, by the first letter of a code
ANCHORS = {
    "T": "start-of-turn",
    "A": "a-reveal-program-cards",
    "B": "b-robots-move",
    "C": "c-board-elements-move",
    "D": "d-resolve-laser-fire",
    "E": "e-touch-checkpoints",
    "F": "end-of-turn",
}
# What is left alone: blocks and pieces of code, headings, links and pictures, and ids of rules such as R-T.C10
_LEFT = r"^```.*?^```|^#.*?$|`[^`\n]*`|!?\[[^\]]*\]\([^)]*\)|\b[RUK]-?[\w.]+"
_CODES = "|".join(sorted(STEP_WORDS, key=len, reverse=True))
# D2 in brackets, or before a colon, is a decision of rulings.md and no step.
_STEP = re.compile(rf"(?P<left>{_LEFT})|(?<![\w.-])(?<!\((?=D))(?P<step>{_CODES})(?![\w-]|\.\d|(?<=D\d):)", re.M | re.S)


def linked(text: str, table: str = TABLE) -> str:
    """Return the text of a document with a link for each code of a sub-step; the step's name is shown on hover.

    Args:
        text: The document, in Markdown.
        table: The path of the document with the timing table, as seen from this document.
    """

    def link(found: re.Match[str]) -> str:
        code = found["step"]
        if not code or code == "setup":
            return found[0]
        return f'[<abbr title="{STEP_WORDS[code]}">{code}</abbr>]({table}#{ANCHORS[code[0]]})'

    return _STEP.sub(link, text)


def link_all(documents: Path) -> None:
    """Link the codes in the staged documents of the rules, in place.

    The timing table explains its codes itself, and the overview of the rules names topics, such as A1, that look like
    them.

    Args:
        documents: The folder `docs` of the staged repository.
    """
    for path in sorted((documents / "rules").glob("*.md")):
        if path.name not in (TABLE, "README.md"):
            path.write_text(linked(path.read_text("utf-8")), "utf-8")
    elements = documents / "elements.md"
    elements.write_text(linked(elements.read_text("utf-8"), f"rules/{TABLE}"), "utf-8")
