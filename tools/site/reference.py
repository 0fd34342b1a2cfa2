"""Generate the API reference: the public names with their docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from msgspec import NODEFAULT, structs

# The documented packages and modules, in order
PACKAGES = (
    "rr_gym", "rr_gym.roborally_v0", "rr_gym.envs", "rr_gym.sb3", "rr_gym.encoding", "rr_gym.choices", "rr_gym.courses",
    "rr_gym.generate", "rr_gym.players", "rr_gym.policies", "rr_gym.training", "rr_gym.datasets", "rr_gym.evaluation",
    "rr_gym.replay", "rr_gym.render", "rr_gym.rewards", "rr_gym.play", "rr_gym.web", "rr_gym.scenarios",
    "rr_gym.option_facts", "rr_gym.errors",
)  # fmt: skip


def public(module: ModuleType) -> list[str]:
    """Return the public names of a module: those in `__all__`, or those that it defines without an underscore."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        ]
    return sorted(name for name in names if not name.startswith("_"))


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and text of every page. An object is documented in full on the first page that contains it."""
    places: dict[int, str] = {}  # where an object is documented in full
    rows: dict[str, list[str]] = {}
    for package in PACKAGES:
        module = import_module(package)
        lines = [f"# {package}", "", _code(inspect.getdoc(module) or ""), ""]
        rows[package] = []
        for name in public(module):
            value = getattr(module, name)
            if isinstance(value, ModuleType):
                continue
            lines += ["```{eval-rst}", *_directive(package, name, value, id(value) in places), "```", ""]
            rows[package].append(_row(package, name, value, places.setdefault(id(value), f"{package}.{name}")))
        yield package, "\n".join(lines)
    yield "index", _index(rows)


def first_sentence(text: str) -> str:
    """Return the first sentence of a docstring in one line."""
    paragraph = " ".join(_code(text).strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)\s+(?=[A-Z`])", paragraph)[0]


def _row(package: str, name: str, value: Any, place: str) -> str:
    """Return the line of the index for a name; `place` is the full name under which the reference describes it."""
    documented = inspect.isclass(value) or callable(value)
    constant = "A structured dtype of NumPy." if isinstance(value, np.dtype) else f"A constant: {type(value).__name__}."
    told = first_sentence(inspect.getdoc(value) or "") if documented else constant
    return f"| {{py:obj}}`{name} <{place}>` | {told.replace('|', chr(92) + '|')} |"


def _index(rows: dict[str, list[str]]) -> str:
    """Return the index: for each package what it is, and a line for each of its public names."""
    lines = ["# Reference", "", "All public names, each with what it is; its name leads to the whole text.", ""]
    for package, found in rows.items():
        told = first_sentence(inspect.getdoc(import_module(package)) or "")
        lines += [f"## [{package}]({package}.md)", "", told, "", "| | |", "|---|---|", *found, ""]
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *rows, "```", ""])


def _directive(package: str, name: str, value: Any, again: bool) -> list[str]:
    options = ["   :no-index:"] if again else []
    if inspect.isclass(value):
        members = [] if again else ["   :members:", *["   :show-inheritance:"] * (value.__bases__ != (object,))]
        return [f".. autoclass:: {package}.{name}", *options, *members]
    if callable(value):
        return [f".. autofunction:: {package}.{name}", *options]
    return [f".. py:data:: {package}.{name}", f"   :type: {type(value).__name__}", *options]


def _code(text: str) -> str:
    """Convert a docstring to Markdown, where code has single instead of double backticks."""
    return text.replace("``", "`")


def format_examples(app: object, what: str, name: str, found: object, options: object, lines: list[str]) -> None:
    """Convert the examples of a docstring to code blocks, in place. Other sections are left to napoleon."""
    del app, what, name, found, options
    result: list[str] = []
    inside = False
    for line in lines:
        if re.fullmatch(r"Examples?:", line.strip()) and not line.startswith(" "):
            result += ["Example::", ""]
            inside = True
            continue
        inside = inside and (not line.strip() or line.startswith(" "))
        result.append(line)
    lines[:] = result


def separate_lists(app: object, what: str, name: str, found: object, options: object, lines: list[str]) -> None:
    """Insert a blank line before every list of a docstring, and escape stars as in `(rows, *shape)`, in place."""
    del app, what, name, found, options
    result: list[str] = []
    for line in lines:
        line = re.sub(r"(?<=[ (])\*(?=\w+[,)])", r"\\*", line)
        starts = re.match(r"\s*[*-] ", line)
        if starts and result and result[-1].strip() and not re.match(r"\s*[*-] |\s+", result[-1]):
            result.append("")
        result.append(line)
    lines[:] = result


def short_signature(_app: object, _what: str, _name: str, thing: Any, *_: object) -> tuple[str, None] | None:
    """Return a signature without types for a struct of msgspec, whose types with bounds are long.

    None keeps the signature of anything else.
    """
    if not hasattr(thing, "__struct_fields__"):
        return None
    fields = [
        field.name if field.required else f"{field.name}={'...' if field.default is NODEFAULT else repr(field.default)}"
        for field in structs.fields(thing)
    ]
    return f"({', '.join(fields)})", None
