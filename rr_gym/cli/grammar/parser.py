"""A parser that takes whole words only and helps with wrong ones."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from rr_gym.errors import did_you_mean

STDOUT = "-"  # what `--json` holds where no file is named
SUFFIX = ".json"  # of the file of `--json`, which tells it from the word after it


class Parser(argparse.ArgumentParser):
    """As `argparse.ArgumentParser`, but options are not abbreviated, and may stand anywhere among other words.

    Wrong commands and options are answered with the name that was probably meant.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})
        self._within = False  # `parse_known_intermixed_args` calls `parse_known_args` in turn

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As in argparse; the words that are left over are an error of the command that they follow."""
        if self._subparsers is not None or self._within:
            return super().parse_known_args(args, namespace)
        words = _json_words(list(args or ()))
        self._check_options(words)
        self._within = True
        try:
            # Operands behind `--` may look like options, which the parsing in two steps would take them for.
            parse = super().parse_known_args if "--" in words else self.parse_known_intermixed_args
            found, rest = parse(words, namespace)
        finally:
            self._within = False
        if rest:
            self.error(f"unexpected: {' '.join(rest)}{self._hint(words)}")
        return found, rest

    def _check_options(self, words: Sequence[str]) -> None:
        """End with an error at the first option that there is not."""
        known = [option for action in self._actions for option in action.option_strings]
        for word in words:
            if word == "--":
                return
            option = word.partition("=")[0]
            if word.startswith("--") and option not in known:
                hint = did_you_mean(option, known)
                self.error(f"there is no option {option}" + (f": {hint}" if hint else f" ({self.prog} --help)"))

    def _hint(self, words: Sequence[str]) -> str:
        """What explains a word too many: parts of a list, or the file of ``--json``."""
        hints = []
        if any("," in (action.metavar or "") for action in self._actions):
            hints.append("a list is one word with commas: a,b,c")
        if any(word.startswith("--json") for word in words):
            hints.append(f"the file of --json ends in {SUFFIX}")
        return f" ({'; '.join(hints)})" if hints else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            known = list(action.choices)
            self.error(f"there is no command '{value}': {did_you_mean(value, known) or 'expected ' + ', '.join(known)}")
        super()._check_value(action, value)


def _json_words(words: list[str]) -> list[str]:
    """The words with every ``--json`` that no file follows marked as such, so that it takes no other word."""
    marked: list[str] = []
    for i, word in enumerate(words):
        if word == "--":
            return marked + words[i:]
        follows = words[i + 1] if i + 1 < len(words) else ""
        marked.append(f"--json={STDOUT}" if word == "--json" and not follows.endswith(SUFFIX) else word)
    return marked
