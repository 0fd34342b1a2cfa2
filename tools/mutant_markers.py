"""Read the comments in the rules that list mutants that no scenario can detect, with the reason.

    if not body.alive:  # mutants (never): nothing burns off the board

A comment applies to the mutants of its line. On a line of its own, it applies to the whole statement below; above an
`elif`, to that branch; above the imports, to the whole file; above a kernel, if it names no kinds, also to calls of
that kernel.

Kinds are `never`, `negate`, `remove`, `boundary`, `direction` and `turn`; without kinds, all are meant. `boundary 2` is
the second comparison in the line, `direction -1` the change by -1.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mutations import Mutant

_FORM = re.compile(r"# mutants(?: \(([a-z0-9+, -]+)\))?: (\S.*)")
_BEGINNING = re.compile(r"#\s*mutants?\b")


class MarkerError(ValueError):
    """A comment begins like one about mutants but does not follow the form."""


@dataclass(frozen=True)
class Marker:
    """A comment about the mutants in the lines `first` to `last`."""

    file: str
    line: int
    first: int
    last: int
    kinds: tuple[str, ...]
    reason: str
    kernels: frozenset[str]  # it also applies to calls of these kernels

    def __str__(self) -> str:
        """Return its place and its text."""
        kinds = f" ({', '.join(self.kinds)})" if self.kinds else ""
        return f"rr_gym/rules/{self.file}:{self.line}: mutants{kinds}: {self.reason}"

    def covers(self, mutant: Mutant, number: int) -> bool:
        """Tell whether it applies to a mutant, which is number `number` of its general kind in its line."""
        if mutant.kind == "remove" and mutant.part.partition("(")[0] in self.kernels:
            return True
        if mutant.file != self.file or not self.first <= mutant.line <= self.last:
            return False
        general = mutant.general
        exact = f"{general} {number}" if general == "boundary" else mutant.kind
        return not self.kinds or general in self.kinds or exact in self.kinds


def markers_in(path: Path, rules: Path) -> Iterator[Marker]:
    """Yield the markers of a file below the folder `rules`.

    Raises:
        MarkerError: A comment cannot be read.
    """
    source = path.read_text("utf-8")
    if "mutant" not in source:
        return
    tree = ast.parse(source)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type != tokenize.COMMENT or not _BEGINNING.match(token.string):
            continue
        line, column = token.start
        found = _FORM.fullmatch(token.string)
        if found is None:
            raise MarkerError(f"{path}:{line}: expected '# mutants (KINDS): REASON', found {token.string!r}")
        kinds = tuple(kind.strip() for kind in found[1].split(",")) if found[1] else ()
        alone = not token.line[:column].strip()
        first, last, kernels = _lines_below(tree, source, line) if alone else (line, line, frozenset[str]())
        file = path.relative_to(rules).as_posix()
        yield Marker(file, line, first, last, kinds, found[2], frozenset() if kinds else kernels)


def _first_line(node: ast.stmt) -> int:
    """Return the first line of a statement, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _lines_below(tree: ast.Module, source: str, line: int) -> tuple[int, int, frozenset[str]]:
    """Return the lines to which a comment on a separate line applies, and the functions that they define."""
    found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and _first_line(node) > line]
    if not found:
        return line, line, frozenset()
    below = min(found, key=_first_line)  # the outermost statement, since `walk` yields it first
    nodes = tree.body if isinstance(below, ast.Import | ast.ImportFrom) else [below]
    if isinstance(below, ast.If) and source.splitlines()[below.lineno - 1].lstrip().startswith("elif"):
        nodes = below.body
    functions = frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))
    return _first_line(below), nodes[-1].end_lineno or line, functions


def marked(mutants: Iterable[Mutant], markers: Sequence[Marker]) -> dict[Marker, list[Mutant]]:
    """Return the mutants to which each marker applies."""
    lines: defaultdict[tuple[str, int, str], list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        lines[mutant.file, mutant.line, mutant.general].append(mutant)
    found: dict[Marker, list[Mutant]] = {marker: [] for marker in markers}
    for group in lines.values():
        for number, mutant in enumerate(sorted(group, key=lambda mutant: mutant.column), 1):
            for marker in markers:
                if marker.covers(mutant, number):
                    found[marker].append(mutant)
    return found
