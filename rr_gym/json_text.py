"""JSON from untrusted programs and files: it is either parsed or refused with a `RoboRallyError`."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from rr_gym.errors import RoboRallyError

MAX_DEPTH = 64  # levels of nested lists and mappings
TOO_DEEP = "nested too deeply"
DEPTH_LIMIT = f"with at most {MAX_DEPTH} nested lists and mappings"

# Translate opening brackets to 1 and closing ones to -1, as int8 to add up; delete everything else.
_STEPS = bytes.maketrans(b"[{]}", b"\x01\x01\xff\xff")
_REST = bytes(set(range(256)) - set(b"[{]}"))


def loads(text: str | bytes, where: str, error: type[RoboRallyError] = RoboRallyError) -> Any:
    """Parse one JSON value, with bounds on its depth.

    Args:
        text: The whole text, or its bytes in UTF-8.
        where: Where the text is from, for the message.
        error: The class of error to raise.

    Returns:
        Dicts, lists, strings, numbers, booleans and None, no deeper than `MAX_DEPTH`.

    Raises:
        RoboRallyError: The text is not JSON, not UTF-8, or nested too deeply; of the class `error`.
    """
    try:
        text = text.decode() if isinstance(text, bytes) else text
        if _depth(text) > MAX_DEPTH:
            raise error(f"{where}: {TOO_DEEP}: expected JSON {DEPTH_LIMIT}")
        return json.loads(text, parse_constant=_no_number)
    except error:
        raise
    except json.JSONDecodeError as failure:
        raise error(f"{where}: line {failure.lineno}: {failure.msg}: expected JSON") from None
    except UnicodeDecodeError:
        raise error(f"{where}: is not UTF-8 text: expected JSON") from None
    except ValueError as failure:  # NaN or infinity, or a number with too many digits
        raise error(f"{where}: {failure}: expected JSON") from None


def _depth(text: str) -> int:
    """Return how deep a JSON text nests; 0 if it has too few brackets to be too deep.

    For text that is not JSON, the result is at least the depth of the part before the first error.
    """
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return 0
    if "\\" in text:
        text = text.replace("\\\\", "").replace('\\"', "")
    brackets = "".join(text.split('"')[::2]).encode(errors="replace").translate(_STEPS, _REST)
    return int(np.frombuffer(brackets, np.int8).cumsum(dtype=np.int64).max(initial=0))


def _no_number(word: str) -> Any:
    """Refuse NaN and infinities, which JSON does not have, with a ValueError."""
    raise ValueError(f"{word} is not JSON")
