"""Damage valid input at random: its bytes, lines and words, and the values in YAML and JSON."""

from __future__ import annotations

import copy
import json
import random
import re
from collections.abc import Iterator
from typing import Any

Example = dict[str, bytes]  # files by name, or messages

_NUMBERS = [
    "0", "-1", "1", "2", "7", "8", "9", "127", "128", "255", "256", "9999", "32768", "65536", "2147483648",
    "9223372036854775808", "18446744073709551616", "1" * 400, "0.5", "-0.0", "1e400", "1e-400", ".nan", "-.inf",
    "0x" + "f" * 2000, "9" * 5000,
]  # fmt: skip
_WORDS = [
    "", "~", "null", "true", "yes", "on", "a", "north", "n", "{{payload}}", "{{css}}", "{robot}", "{}", "%s", "a|b",
    "`|`", "<script>alert(1)</script>", "</title>", "../../x", "/", "\\", "CON", "nul.txt", ".", "..", "a/b", "x.zip",
    "x.yaml", "program:true", "\x1b[2J\x1b]0;x\x07", "\r", "\x00", "\u202e", "\u00e9", "\U0001f916", "\ud800",
    "a" * 300, "b" * 100_000,
]  # fmt: skip
_JUNK = [
    *_NUMBERS, *_WORDS, "[" * 100_000, "{" * 1000, "{a: " * 100_000, "- " * 5000, "]", "}", '"', "'", ",", ": ", "&a ",
    "*a", "!!python/object:os.system ", "!x ", "<<: *a", "? ", "---\n", "...\n", "%YAML 9.9\n", "\t", "\n\n", "#", ";",
    "|\n", "a0: &a0 [x, x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, 40)),
]  # fmt: skip


def _deep() -> Any:
    """Return lists nested nearly as deep as is allowed."""
    value: Any = 1
    for _ in range(40):
        value = [value]
    return value


_VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2, 3, 5, 7, 8, 9, 12, 40, 84, 127, 128, 255, 256, 1000, 9999, 2**15, 2**31, 2**63,
    2**64, 10**40, 10**400, 0.5, 1e308, float("inf"), float("nan"), *_WORDS, [], {}, [[]], [None], [0, 0], [1, 2],
    [-1, 0], [9999, 9999], [1, 2, 3], ["a"] * 20, {"a": 1}, {"": {}}, {"name": "x"}, [{}] * 9, list(range(300)),
    _deep(),
]  # fmt: skip


def mutate(example: Example, chance: random.Random) -> Example:
    """Return an example with one to three changes in one of its files; its first file is changed most often."""
    names = list(example)
    name = names[0] if chance.random() < 0.7 else chance.choice(names)
    content = example[name]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        changed = None
        if name.endswith((".yaml", ".json")) and chance.random() < 0.7:
            changed = _changed_data(name, content, chance)
        content = _changed_text(content, chance) if changed is None else changed
    return {**example, name: content}


def _changed_text(content: bytes, chance: random.Random) -> bytes:
    """Change bytes, lines, numbers or words of a file, whatever they mean."""
    at = chance.randrange(len(content) + 1)
    to = min(len(content), at + chance.choice((1, 2, 4, 12, 80)))
    lines = content.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(9):
        case 0:
            return content[:at] + bytes([chance.randrange(256)]) + content[at + 1 :]
        case 1:
            return content[:at] + content[to:]
        case 2:
            return content[:to] + content[at:to] * chance.choice((1, 1, 2, 200)) + content[to:]
        case 3:
            return content[:at] + chance.choice(_JUNK).encode("utf-8", "surrogatepass") + content[to:]
        case 4:
            return content[:at]
        case 5:
            lines[one], lines[other] = lines[other], lines[one]
            return b"\n".join(lines)
        case 6:
            return b"\n".join([*lines[:one], *lines[other : other + 3], *lines[one:]])
        case 7:  # another number
            return _replaced(rb"-?\d+", content, chance.choice(_NUMBERS).encode(), chance)
        case _:  # another word of the same text
            words = re.findall(rb"[^\s,:{}\[\]\"]+", content) or [b""]
            return _replaced(rb"[^\s,:{}\[\]\"]+", content, chance.choice(words), chance)


def _replaced(pattern: bytes, content: bytes, by: bytes, chance: random.Random) -> bytes:
    """Replace one random match of a pattern; if there is none, append the replacement."""
    found = [match.span() for match in re.finditer(pattern, content)]
    if not found:
        return content + by
    start, end = chance.choice(found)
    return content[:start] + by + content[end:]


def _changed_data(name: str, content: bytes, chance: random.Random) -> bytes | None:
    """Change one value of a YAML or JSON file; return None if the file can no longer be parsed."""
    from rr_gym import yaml12

    try:
        text = content.decode()
        data = json.loads(text) if name.endswith(".json") else yaml12.load(text)
    except (ValueError, RecursionError):
        return None
    holder = {"": copy.deepcopy(data)}
    places = list(_places(holder))
    inside, key = chance.choice(places)
    match chance.randrange(6):
        case 0 | 1:
            inside[key] = copy.deepcopy(chance.choice(_VALUES))
        case 2 if inside is not holder:
            del inside[key]
        case 3:
            other, where = chance.choice(places)
            inside[key] = copy.deepcopy(other[where])
        case 4 if isinstance(inside, dict) and inside is not holder:
            inside[chance.choice([k for _, k in places if isinstance(k, str)] + _WORDS)] = inside.pop(key)
        case 5 if isinstance(inside, list):
            inside[key:key] = [copy.deepcopy(inside[key])] * chance.choice((1, 2, 9, 500))
        case _:
            inside[key] = [inside[key]]
    text = json.dumps(holder[""]) if name.endswith(".json") or chance.random() < 0.3 else yaml12.dump(holder[""])
    return text.encode("utf-8", "surrogatepass")


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in nested lists and mappings: its container, and its key or index there."""
    for key, item in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(item, (dict, list)):
            yield from _places(item)
