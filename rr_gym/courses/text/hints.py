"""Error messages for invalid tokens of boards: what was expected, and which token was probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product

from rr_gym.courses.text.words import ARROWS, ITEMS, SIDE_KINDS, SIDE_LETTERS, Word, exclude_each_other, find_word

_LONGEST = 24  # corrections are sought for tokens of at most this many characters
_MAX_LETTERS = 6  # mixtures of upper and lower case are tried for tokens of at most this many letters
_SEPARATORS = ":/+,"
_NO_SEPARATORS = ".;|\\-_"  # characters often written instead of them
_HEADERS = ("name:", "size:", "grid:", "levels:", "groups:", "params:")
_NUMBER = re.compile(r"\(\?P<number>\[(\d)-?(?:\d)?(\d)\]\)")


def expected_part(text: str, on_side: bool, token: str) -> str:
    """Return what was expected instead of an invalid item or, with `on_side`, instead of an invalid kind of side."""
    words = SIDE_KINDS if on_side else ITEMS
    comment = "; a comment begins with ';'" if token.startswith("#") and not re.match(r"#\d", token) else ""
    if expected := next((found for word in words if (found := _numbers(word, text))), None):
        return expected + comment
    meant = _did_you_mean(token)
    if any(word.matches_but_for_phases(text) for word in words):
        return f"ascending phases from 1-5 in '{text}'{meant}"
    if on_side:
        return f"a kind of side, not '{text}'{meant}"
    if text.lower() in _HEADERS:
        return f"an item, not '{text}'; headers stand first, in small letters"
    if not text:
        return f"an item before each '+' and '/'{meant}"
    if ";" in text and not meant:
        comment = "; a comment begins with ';' after a blank"
    return f"an item, not '{text}'{meant or comment}"


def expected_letters(text: str, token: str) -> str:
    """Return what was expected instead of a side that does not begin with different side letters."""
    return f"different side letters n e s w at the start of '{text}'{_did_you_mean(token)}"


def expected_together(first: str, second: str) -> str:
    """Return what was expected instead of two items that exclude each other on a square."""
    if first == second:
        return f"each item once, not '{first}' twice"
    # A pit takes its whole square, and floor is implied under every other item.
    alone = "X" if "X" in (first, second) else first if second == "." else second if first == "." else ""
    hint = f"; did you mean '{alone}' alone?" if alone else ""
    return f"items that can share a square, not '{first}' with '{second}'{hint}"


def _numbers(word: Word, text: str) -> str:
    """Return what is expected if a string is this word but for a number out of range; "" if anything else is wrong."""
    if not (bounds := _NUMBER.search(word.pattern)):
        return ""
    match = re.fullmatch(_NUMBER.sub(r"(?P<number>\\d*)", word.pattern), text)
    if not match:
        return ""
    low, high = (text[: match.start("number")] + digit + text[match.end("number") :] for digit in bounds.groups())
    name = "start square" if word.kind == "start" else word.element.replace("_", " ")
    return f"a {name}, {low} {'or' if int(bounds[2]) - int(bounds[1]) == 1 else 'to'} {high}, not '{text}'"


def _did_you_mean(token: str) -> str:
    """Return a question that names up to two valid tokens that were probably meant; "" if none is found."""
    if len(token) > _LONGEST:
        return ""
    for correct in _CORRECTIONS:
        if meant := list(dict.fromkeys(other for other in correct(token) if other != token and _is_token(other))):
            either = "' or '".join(meant[:2])
            return f"; did you mean '{either}'?"
    return ""


def _is_token(text: str) -> bool:
    """Tell whether a string is a valid token: items that can share a square, then perhaps sides with their letters."""
    items, slash, sides = text.partition("/")
    found = [find_word(False, item) for item in items.split("+")]
    words = [one[0] for one in found if one]
    if len(words) < len(found) or len(set(items.split("+"))) < len(found):
        return False
    if any(exclude_each_other(a, b) for i, a in enumerate(words) for b in words[:i]):
        return False
    return not slash or all(map(_is_side, sides.split(",")))


def _is_side(text: str) -> bool:
    """Tell whether a string is one or more different side letters followed by a kind of side."""
    kind = text.lstrip(SIDE_LETTERS)
    letters = text[: len(text) - len(kind)]
    return len(set(letters)) == len(letters) > 0 and find_word(True, kind) is not None


# Corrections. Each of these functions assumes one sort of mistake and yields the tokens that may have been meant;
# `_CORRECTIONS` has them with the likeliest mistake first.


def _bare_letters(token: str) -> Iterator[str]:
    """Yield the token as walls on open floor if it consists of side letters alone."""
    if set(token) <= set(SIDE_LETTERS):
        yield f"./{token}"


def _phases_in_order(token: str) -> Iterator[str]:
    """Yield the token with its phases sorted, each once."""
    yield re.sub("[1-5]{2,}", lambda match: "".join(sorted(set(match[0]))), token)


def _one_case(token: str) -> Iterator[str]:
    """Return the tokens in which one letter changes between upper and lower case."""
    return (token[:i] + letter.swapcase() + token[i + 1 :] for i, letter in enumerate(token))


def _other_cases(token: str) -> Iterator[str]:
    """Yield all mixtures of upper and lower case, unless the token has too many letters."""
    if sum(letter.isalpha() for letter in token) <= _MAX_LETTERS:
        yield from map("".join, product(*((letter, letter.swapcase()) for letter in token)))


def _separated(token: str) -> Iterator[str]:
    """Yield the tokens with a separator inserted between two characters."""
    for separator in _SEPARATORS:
        yield from (token[:i] + separator + token[i:] for i in range(1, len(token)))


def _other_separator(token: str) -> Iterator[str]:
    """Yield the tokens with a separator in place of another one, or of a character that may have been meant as one."""
    for i, letter in enumerate(token):
        if letter in _SEPARATORS + _NO_SEPARATORS:
            yield from (token[:i] + separator + token[i + 1 :] for separator in _SEPARATORS)


def _on_floor(token: str) -> Iterator[str]:
    """Yield the token with open floor, or the letter of a side, added where they may be missing."""
    yield from (f".{token}", f"./{token}", f"./n{token}", token.replace("/", "/n", 1))


def _one_moved(token: str) -> Iterator[str]:
    """Yield the tokens with one character moved elsewhere."""
    for i, letter in enumerate(token):
        rest = token[:i] + token[i + 1 :]
        yield from (rest[:j] + letter + rest[j:] for j in range(len(token)))


def _arrow_added(token: str) -> Iterator[str]:
    """Yield the tokens with an arrow inserted."""
    for arrow in ARROWS:
        yield from (token[:i] + arrow + token[i:] for i in range(1, len(token) + 1))


def _one_less(token: str) -> Iterator[str]:
    """Return the tokens with one character left out."""
    return (token[:i] + token[i + 1 :] for i in range(len(token)))


def _marked(token: str) -> Iterator[str]:
    """Yield the tokens with the first letter of a kind of side inserted, such as that of a laser."""
    for mark in "*vk":
        yield from (token[:i] + mark + token[i:] for i in range(token.find("/") + 1, len(token)) if "/" in token)


_CORRECTIONS: tuple[Callable[[str], Iterator[str]], ...] = (
    _bare_letters, _phases_in_order, _one_case, _other_cases, _separated, _other_separator, _on_floor, _one_moved,
    _arrow_added, _one_less, _marked,
)  # fmt: skip
