"""A parser that takes whole words only and helps with wrong ones."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from rr_gym.cli.grammar.words import finite
from rr_gym.errors import RoboRallyError, did_you_mean, shown

STDOUT = "-"  # what `--json` holds where no file is named
SUFFIX = ".json"  # of the file of `--json`, which tells it from the word after it

# What values are expected to be, by the function that reads them
_KINDS: dict[Any, str] = {int: "a whole number", float: "a number", finite: "a finite number"}
_REQUIRED = "the following arguments are required: "
# How argparse says something, and how we do
_OWN_WORDS = (
    ("^argument (.*): expected one argument$", r"\1: expected a value behind it"),
    ("^argument (.*): not allowed with argument (.*)$", r"\1: expected no \2 with it"),
    ("^argument (.*): ignored explicit argument (.*)$", r"\1: \2: expected no value"),
)


class Parser(argparse.ArgumentParser):
    """As `argparse.ArgumentParser`, but options are not abbreviated, and may stand anywhere among other words.

    Wrong commands and options are answered with the name that was probably meant.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **options})
        self._within = False  # `parse_known_intermixed_args` calls `parse_known_args` in turn
        self._missing: list[argparse.Action] = []  # options that a command needs and that were not given

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As in argparse; the words that are left over are an error of the command that they follow."""
        if self._within:
            return super().parse_known_args(args, namespace)
        if self._subparsers is not None:
            return self._parse_command(list(args or ()), namespace)
        words = _json_words(list(args or ()))
        self._check_options(words)
        self._missing = [a for a in self._actions if a.required and a.option_strings and not _is_given(a, words)]
        self._within = True
        try:
            # Parsing in two steps would end with the options that are missing, and say nothing of operands.
            for action in self._missing:
                action.required = False
            # Operands behind `--` may look like options, which the parsing in two steps would take them for.
            parse = super().parse_known_args if "--" in words else self.parse_known_intermixed_args
            found, rest = parse(words, namespace)
        finally:
            self._within = False
            for action in self._missing:
                action.required = True
        if self._missing:
            self.error(_REQUIRED + ", ".join(action.option_strings[0] for action in self._missing))
        if rest:
            self.error(f"unexpected: {' '.join(rest)}{self._hint(words)}")
        return found, rest

    def _parse_command(self, words: list[str], namespace: Any) -> Any:
        """Read a command and what follows it; without one all of them are shown."""
        if not words:
            self.print_help(sys.stderr)
            self.exit(2, f"\n{self.prog}: expected a command\n")
        command = next((i for i, word in enumerate(words) if not word.startswith("-")), len(words))
        self._check_options(words[:command])
        return super().parse_known_args(words, namespace)

    def error(self, message: str) -> NoReturn:
        """End with a message of argparse, in the words of our own ones."""
        if message.startswith(_REQUIRED) and self._within:
            message = ", ".join([message, *(action.option_strings[0] for action in self._missing)])
        for pattern, words in _OWN_WORDS:
            message = re.sub(pattern, words, message)
        super().error(message)

    def _check_options(self, words: Sequence[str]) -> None:
        """End with an error at the first option that there is not."""
        known = [option for action in self._actions for option in action.option_strings]
        for word in words:
            if word == "--":
                return
            option = word.partition("=")[0]
            if re.match("--|-[A-Za-z]", word) and option not in known:
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
        if action.choices is None or value in action.choices:
            return
        known = list(action.choices)
        hint = did_you_mean(value, known)
        if isinstance(action, argparse._SubParsersAction):
            self.error(f"there is no command '{value}': {hint or 'expected ' + ', '.join(known)}")
        raise RoboRallyError(f"{_name(action)}: {shown(value)}: {hint or 'expected ' + ' | '.join(known)}")

    def _get_value(self, action: argparse.Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except argparse.ArgumentError:
            kind = _KINDS.get(action.type)
            if kind is None:
                raise
            raise RoboRallyError(f"{_name(action)}: {shown(arg_string)}: expected {kind}") from None


def _name(action: argparse.Action) -> str:
    """What an argument is called: its option, or the operand as help shows it."""
    return action.option_strings[0] if action.option_strings else str(action.metavar)


def _is_given(action: argparse.Action, words: Sequence[str]) -> bool:
    """Whether an option stands among the words, before ``--``."""
    before = words[: words.index("--")] if "--" in words else words
    return any(word.partition("=")[0] in action.option_strings for word in before)


def _json_words(words: list[str]) -> list[str]:
    """The words with every ``--json`` that no file follows marked as such, so that it takes no other word."""
    marked: list[str] = []
    for i, word in enumerate(words):
        if word == "--":
            return marked + words[i:]
        follows = words[i + 1] if i + 1 < len(words) else ""
        marked.append(f"--json={STDOUT}" if word == "--json" and not follows.endswith(SUFFIX) else word)
    return marked
