"""Look up a rule: its text in docs/rules, the functions that cite it, and the scenarios that test it.

Nothing is listed by hand. The code is found by reading the sources, so this works in a checkout and in a wheel. A wheel
contains the texts of the rules but not the scenarios.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rr_gym.errors import RoboRallyError, did_you_mean
from rr_gym.files import read_text

PACKAGE = Path(__file__).parent
ROOT = PACKAGE.parent  # of a checkout; in a wheel, the folder of installed packages
# Functions of the first of these folders are listed first. The other two contain rows of data, not code.
_FIRST, _ELEMENTS, _OPTIONS = PACKAGE / "rules", PACKAGE / "courses" / "elements", PACKAGE / "option_facts"
_CITED = re.compile(r"\bR-([A-Z]+)(\d+)(?:\.\d+)?(?: to R-\1(\d+)(?:\.\d+)?)?")


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A place in a file.

    Attributes:
        file: The path of the file, relative to the folder that holds the package, with slashes.
        line: The number of the line, from 1.
        name: The function or scenario that begins there.
    """

    file: str
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}  {self.name}"


def rules_folder() -> Path:
    """Return the folder with the texts of the rules: a copy inside a wheel, docs/rules in a checkout."""
    inside = PACKAGE / "docs" / "rules"
    return inside if inside.is_dir() else ROOT / "docs" / "rules"


def scenarios_folder() -> Path | None:
    """Return the folder with the scenarios of a checkout; None in an installed package, which has none."""
    folder = ROOT / "tests" / "scenarios"
    return folder if folder.is_dir() else None


def rule_text(rule: str, document: str) -> str:
    """Return the section of a document in docs/rules that states a rule, with its heading.

    Args:
        rule: The id of the rule without its last number, such as R-E<number>.
        document: The file name of the document.
    """
    sections = re.split(r"^(?=##+ )", read_text(rules_folder() / document), flags=re.MULTILINE)
    return "\n".join(text.strip() + "\n" for text in sections if f"**{rule}." in text)


@cache
def step_texts() -> dict[str, str]:
    """Return what happens in each sub-step of a turn, by its code such as ``"C10"``.

    It is the sub-step's rule in the timing table as plain text, without references to other rules.
    """
    rules = re.findall(r"^- \*\*R-T\.(\w+)\*\* (.*)$", read_text(rules_folder() / "turn.md"), re.MULTILINE)
    return {step: _plain_rule(text) for step, text in rules}


def _plain_rule(text: str) -> str:
    clauses = re.split(r"(?<=[.;]) ", re.sub(r"[*`]| \([RU][^)]*\)", "", text))
    told = " ".join(clause for clause in clauses if "R-" not in clause)
    return re.sub(r";(?= [A-Z]|$)", ".", told)


def cited_rules(text: str) -> set[str]:
    """Return the ids of the rules cited in a string, without their last numbers; `to` between two ids cites a range."""
    found = set()
    for kind, first, last in _CITED.findall(text):
        found |= {f"R-{kind}{number}" for number in range(int(first), int(last or first) + 1)}
    return found


@cache
def _code() -> dict[str, list[SourcePlace]]:
    """Return the functions of the package by the rules that their docstrings cite."""
    found: dict[str, list[SourcePlace]] = {}
    paths = [path for path in sorted(PACKAGE.rglob("*.py")) if not {_ELEMENTS, _OPTIONS} & {*path.parents}]
    for path in sorted(paths, key=lambda path: _FIRST not in path.parents):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef):
                for rule in cited_rules(ast.get_docstring(node) or ""):
                    place = SourcePlace(path.relative_to(ROOT).as_posix(), node.lineno, node.name)
                    found.setdefault(rule, []).append(place)
    return found


def code_of(rule: str) -> list[SourcePlace]:
    """Return the functions whose docstrings cite a rule, those in the rules themselves first."""
    return _code().get(rule, [])


def row_of(rule: str, id: str) -> SourcePlace:
    """Return the place of the row of an element (R-E<number>) or of an option card (R-O<number>) in the sources."""
    for path in sorted((_ELEMENTS if rule.startswith("R-E") else _OPTIONS).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "id" and ast.literal_eval(node.value) == id:
                return SourcePlace(path.relative_to(ROOT).as_posix(), node.value.lineno, id)
    raise KeyError(id)


@cache
def _scenarios() -> dict[str, list[SourcePlace]]:
    """Return the scenarios by the rules that their sources cite."""
    found: dict[str, list[SourcePlace]] = {}
    folder = scenarios_folder()
    for path in sorted(folder.rglob("*.yaml")) if folder else []:
        lines = path.read_text("utf-8").splitlines()
        starts = [number for number, line in enumerate(lines) if line.startswith("- name:")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            text = "\n".join(lines[start:end])
            source = re.search(r"^  source:(.*(?:\n    .*)*)", text, re.MULTILINE)
            name = lines[start].removeprefix("- name:").strip().strip("'\"")
            for rule in cited_rules(source[1] if source else ""):
                place = SourcePlace(path.relative_to(ROOT).as_posix(), start + 1, name)
                found.setdefault(rule, []).append(place)
    return found


def scenarios_of(rule: str) -> list[SourcePlace]:
    """Return the scenarios whose source cites a rule; none in an installed package."""
    return _scenarios().get(rule, [])


def plain(name: str) -> str:
    """Return a name in lower case without spaces and punctuation, so that any spelling of it can be compared."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def unknown(kind: str, name: str, expected: str, ids: Iterable[str]) -> RoboRallyError:
    """Return the error for a name that no element or no card has, with similar ids as a hint."""
    known = list(ids)
    hint = did_you_mean(name.lower().replace(" ", "_").replace("-", "_"), known)
    alike = [other for other in known if plain(name) in plain(other)] if plain(name) else []
    more = f"; {hint}" if hint else f", such as {', '.join(alike)}" if alike else ""
    return RoboRallyError(f"{kind} '{name}': expected the id of {expected}{more}")


def full_text(head: list[str], facts: Mapping[str, str], rule: str, document: str, id: str) -> str:
    """Return everything about an element or a card as text for terminals.

    Args:
        head: The first lines: number, name, sentences.
        facts: Further lines by name; empty ones are left out.
        rule: The id of its rules, without their last number.
        document: The file name of the document that states the rules.
        id: The id of the element or card.

    Returns:
        The head, the facts, the text of the rules, the row, the code and the scenarios.
    """
    row = row_of(rule, id)
    scenarios = scenarios_of(rule)
    absent = f"  in tests/scenarios of the repository, which is not installed: look for {rule}."
    return "\n".join([
        *head, "", *(f"{name:10}{fact}" for name, fact in facts.items() if fact), "",
        rule_text(rule, document), "row", f"  {row}",
        "code", *(f"  {place}" for place in code_of(rule)),
        "scenarios", *([f"  {place}" for place in scenarios] if scenarios_folder() else [absent]),
    ]) + "\n"  # fmt: skip


def as_json(rule: str, document: str, id: str) -> dict[str, object]:
    """Return the places of an element or a card as plain values; scenarios are None in an installed package."""
    row = row_of(rule, id)
    scenarios = [f"{place.file}:{place.line}" for place in scenarios_of(rule)] if scenarios_folder() else None
    return {
        "rule_text": rule_text(rule, document),
        "row": f"{row.file}:{row.line}",
        "code": [f"{place.file}:{place.line}" for place in code_of(rule)],
        "scenarios": scenarios,
    }


def links(rule: str) -> tuple[str, str]:
    """Return Markdown links from a document in docs to the files with a rule's functions, and to its scenarios.

    Of several files with scenarios, the one with most of them is linked.
    """
    code = dict.fromkeys(place.file for place in code_of(rule))
    scenarios = Counter(place.file for place in scenarios_of(rule)).most_common(1)
    return ", ".join(map(_link, code)), ", ".join(_link(file) for file, _ in scenarios)


def _link(file: str) -> str:
    return f"[{Path(file).stem}](../{file})"
