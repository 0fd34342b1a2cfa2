"""YAML by the core schema of version 1.2, in which ``off``, ``yes`` and ``n`` are plain strings."""

from __future__ import annotations

import re
from typing import Any

import yaml

from rr_gym.errors import RoboRallyError, short_repr
from rr_gym.json_text import DEPTH_LIMIT, MAX_DEPTH, TOO_DEEP

MAX_NODES = 200_000  # nodes of a document with all aliases expanded
_MOST_DIGITS = 1000  # of a whole number

Path = tuple[Any, ...]

# Tag, pattern and possible first characters ('' stands for the empty scalar).
_SCHEMA = [
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
     list("-+.0123456789")),
]  # fmt: skip


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads plain data by the core schema."""


class _Dumper(yaml.SafeDumper):
    """Writes plain data by the core schema, without anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _construct_int(loader: Any, node: yaml.ScalarNode) -> int:
    """Construct a whole number from decimal, octal or hexadecimal notation."""
    text = node.value
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"expected a number of at most {_MOST_DIGITS} digits")
    return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))


def _represent_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    """Represent a string of several lines as a block literal."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


for _class in (_Loader, _Dumper):
    _class.yaml_implicit_resolvers = {}
    for _tag, _pattern, _first in _SCHEMA:
        _class.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_pattern})\\Z"), _first)
_Loader.add_constructor("tag:yaml.org,2002:int", _construct_int)
_Dumper.add_representer(str, _represent_text)


def load(text: str, filename: str = "<text>") -> Any:
    """Parse one YAML document.

    Args:
        text: The document.
        filename: Name used in error messages.

    Returns:
        Mappings as dicts, sequences as lists, scalars by the core schema; None for an empty document.

    Raises:
        RoboRallyError: The syntax is wrong, a key is given twice, a key or tag is not plain data, or the document
            exceeds `MAX_DEPTH` or `MAX_NODES`.
    """
    return load_lines(text, filename)[0]


def load_lines(text: str, filename: str = "<text>") -> tuple[Any, dict[Path, int]]:
    """Parse one YAML document and return its value and the lines where its nodes begin.

    Args:
        text: The document.
        filename: Name used in error messages.

    Returns:
        The value as `load` gives it, and the line (from 1) of every node by its path of keys and indices,
        such as ``lines["flags", 0]``; ``lines[()]`` is the document. A value's line is that of its key.

    Raises:
        RoboRallyError: As `load`.
    """
    lines: dict[Path, int] = {(): 1}
    try:
        _check_bounds(text, filename)
        loader = _Loader(text)
        try:
            node = loader.get_single_node()
            value = None if node is None else _value(loader, node, (), lines, {}, filename)
        finally:
            loader.dispose()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{filename}:{mark.line + 1}" if mark else filename
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise RoboRallyError(f"{where}: {problem}") from None
    except UnicodeEncodeError as error:  # the text has surrogates in place of undecodable bytes
        line = text.count("\n", 0, error.start) + 1
        raise RoboRallyError(f"{filename}:{line}: is not UTF-8 text") from None
    return value, lines


def _check_bounds(text: str, filename: str) -> None:
    """Raise an error if a document, with aliases expanded, is too deep or too large, before any of it is built."""
    sizes: dict[str, tuple[int, int]] = {}  # nodes and depth by anchor
    nodes, heights = [0], [0]  # so far in the document and in each collection that is open
    anchors: list[str | None] = []  # anchors of the open collections
    for event in yaml.parse(text, Loader=_Loader):
        where = f"{filename}:{event.start_mark.line + 1}" if event.start_mark else filename
        if isinstance(event, yaml.CollectionStartEvent):
            if len(nodes) > MAX_DEPTH:
                raise RoboRallyError(f"{where}: {TOO_DEEP}: expected YAML {DEPTH_LIMIT}")
            nodes.append(1)
            heights.append(1)
            anchors.append(event.anchor)
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            size, height, anchor = nodes.pop(), heights.pop(), anchors.pop()
        elif isinstance(event, yaml.NodeEvent):
            size, height, anchor = 1, 0, event.anchor
            if isinstance(event, yaml.AliasEvent) and event.anchor is not None:
                size, height = sizes.get(event.anchor, (1, 0))
        else:
            continue
        if anchor is not None:
            sizes[anchor] = size, height
        nodes[-1] += size
        if len(anchors):
            heights[-1] = max(heights[-1], height + 1)
        if len(nodes) - 1 + height > MAX_DEPTH:
            raise RoboRallyError(f"{where}: {TOO_DEEP}: expected YAML {DEPTH_LIMIT}")
        if sum(nodes) > MAX_NODES:
            raise RoboRallyError(f"{where}: too large: expected at most {MAX_NODES:,} values, aliases expanded")


def _value(
    loader: Any, node: yaml.Node, path: Path, lines: dict[Path, int], done: dict[int, Any], filename: str
) -> Any:
    """Build the value of a node; `done` holds the finished values by node, and itself for nodes that are still open."""
    line = lines[path] = node.start_mark.line + 1
    if id(node) in done:
        if done[id(node)] is done:
            raise RoboRallyError(f"{filename}:{line}: an alias inside the node that it names")
        return done[id(node)]
    done[id(node)] = done
    value: Any
    if isinstance(node, yaml.MappingNode) and node.tag.endswith(":map"):
        value = {}
        for key_node, item in node.value:
            line = key_node.start_mark.line + 1
            key = _value(loader, key_node, path, {}, done, filename)
            if isinstance(key, (dict, list)):
                raise RoboRallyError(f"{filename}:{line}: a key must be a word or a number")
            if key in value:
                raise RoboRallyError(f"{filename}:{line}: the key {short_repr(key)} is there twice")
            value[key] = _value(loader, item, (*path, key), lines, done, filename)
            lines[*path, key] = line
    elif isinstance(node, yaml.SequenceNode) and node.tag.endswith(":seq"):
        value = [_value(loader, item, (*path, i), lines, done, filename) for i, item in enumerate(node.value)]
    elif isinstance(node, yaml.ScalarNode):
        try:
            value = loader.construct_object(node)
        except (ValueError, TypeError, LookupError) as error:
            raise RoboRallyError(f"{filename}:{line}: {short_repr(node.value)}: {error}") from None
    else:
        raise RoboRallyError(f"{filename}:{line}: the tag {node.tag} is not plain data")
    done[id(node)] = value
    return value


def dump(value: Any) -> str:
    """Write plain data as a YAML 1.2 document that `load` reads back to the same value.

    Args:
        value: Dicts, lists, strings, numbers, booleans and None.

    Returns:
        The text; keys keep their order, strings of several lines are block literals.
    """
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100)
