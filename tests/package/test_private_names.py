"""Tests use the package as everybody does; what they need that has no public name is listed here."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from conftest import ROOT

# Why tests need them
PRIVATE: dict[str, str] = {
    # The compiler
    "_address": "how objects are addressed differs between versions of NumPy, of which one is here",
    "_address_of_copy": "see `_address`",
    "_address_of_object": "see `_address`",
    "_entry": "every search for an entry is looked at",
    "_global_paths": "compared with Python's own account, code by code",
    "_is_compiled_before": "times of files as no test can make them",
    "_is_own_group": "groups of users as no test can make them",
    "_libraries": "forgotten, as in a process that has loaded none",
    "_lower": "a constant that changes meanwhile",
    "_normalized_text": "bitcode, without the order of references",
    "_progress": "its line is shown after seconds of compiling",
    "_text": "what it keeps is forgotten when a test edits a file",
    "_texts_in": "see `_text`",
    # The package
    "_shape": "spaces of another version of the package",
    "_inbox": "waits for what a player notices when it is asked the next time",
    "_end": "see `_inbox`",
    "_facts": "figures of single deals, of which results have the means",
    "_lock": "file systems without locks",
    "_more_layers": "what a network makes of each card, before it is mixed with the rest",
    "_outcomes": "every game of two tournaments, of which one is in no folder",
    "_play": "fails once",
    "_process": "waits for what a player notices when it is asked the next time",
    "_read": "lines are typed, and then Ctrl-C",
    "_to_flag": "see `_more_layers`",
    "_views": "see `_more_layers`",
    "_scores": "blocks that come in another order, as workers may send them",
    # Players and what they look at
    "_candidates": "a step of a decision, compared with the player that it asks",
    "_order_others": "see `_candidates`",
    "_own": "which policies the parts of a name choose",
    "_play_on": "see `_candidates`",
    "_results": "trials, compared with games by the rules; scores of opponents as after many games",
    "_scratch": "how many of the programs end alike",
    "_table": "a turn at once, compared with its decisions one by one",
    "_valuer": "see `_own`",
    # Training
    "_after_update": "what is met is looked at after each update",
    "_checkpoint": "interrupted, stopped or poisoned between two updates",
    "_current_progress_remaining": "how far Stable-Baselines3 says that training is",
    "_curve": "closed where a test does not run the training that opened it",
    "_draw": "the disk is full then",
    "_helper": "the second process is killed",
    "_interrupted": "see `_checkpoint`",
    "_league": "what a training meets",
    "_log": "the disk is full then",
    "_mix": "shares of opponents, compared with their scores",
    "_order": "see `_after_update`",
    "_second": "see `_after_update`",
    "_set_up": "fails before the first update",
    "_take": "snapshots, without the updates between them",
    "_update": "interrupted within an update",
    "_watch": "one rollout, without a training around it",
}
NAME = re.compile(r"\b_[A-Za-z]\w*(?<!_)\b")
QUOTED = re.compile(rf"(?:\w+\.)*({NAME.pattern})")
DEFINED = re.compile(rf"(?:\bdef |\bclass |\bself\.(?=\w+ *[:=,])|^ *(?=\w+ *[:=,]))({NAME.pattern})", re.MULTILINE)


def sources(folder: str) -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in sorted((ROOT / folder).rglob("*.py"))}


def used(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the private names that a module uses with their lines, also as texts, as for `monkeypatch`."""
    pieces = {id(piece) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for piece in node.values}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) if NAME.fullmatch(name):
                yield node.lineno, name
            case ast.ImportFrom(names=names):
                yield from ((node.lineno, alias.name) for alias in names if NAME.fullmatch(alias.name))
            case ast.Constant(value=str(text)) if id(node) not in pieces and (found := QUOTED.fullmatch(text)):
                yield node.lineno, found[1]


def test_private_names_of_the_package_are_used_only_where_there_is_no_public_one() -> None:
    package = set(DEFINED.findall("\n".join([*sources("rr_gym").values(), *sources("agents").values()])))
    places: defaultdict[str, list[str]] = defaultdict(list)
    for path, text in sources("tests").items():
        others = (package & set(NAME.findall(text))) - set(DEFINED.findall(text))
        for line, name in used(ast.parse(text)) if others and path != Path(__file__) else ():
            if name in others:
                places[name].append(f"{path.relative_to(ROOT)}:{line}")
    assert {name: where for name, where in places.items() if name not in PRIVATE} == {}
    assert PRIVATE.keys() - places.keys() == set(), "no test uses them"
