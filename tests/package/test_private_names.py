"""Tests use public names of the package; the private ones that they need are listed here with reasons."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from conftest import ROOT

# Private names, and why tests need them
PRIVATE: dict[str, str] = {
    # The compiler
    "_address": "how objects are addressed differs between versions of NumPy, of which one is here",
    "_address_of_copy": "see `_address`",
    "_address_of_object": "see `_address`",
    "_entry": "every search for an entry is looked at",
    "_global_paths": "compared with Python's own account, code by code",
    "_is_compiled_before": "needs times of files that tests cannot create",
    "_is_own_group": "needs groups of users that tests cannot create",
    "_libraries": "emptied, as in a process that has loaded no library; filled with one that is in no group",
    "_lower": "called while a constant changes",
    "_normalized_text": "compares bitcode without the order of reference counts",
    "_progress": "its line would appear only after seconds of compiling",
    "_text": "its cache is emptied when a test edits a file",
    "_texts_in": "see `_text`",
    # The package
    "_shape": "set as in a space of another version of the package",
    "_inbox": "waits for what a player notices when it is asked the next time",
    "_end": "see `_inbox`",
    "_facts": "figures of single deals; results contain only their means",
    "_lock": "replaced, as on file systems without locks",
    "_more_layers": "the network's intermediate result for each card",
    "_outcomes": "all games of a tournament without a folder",
    "_add": "replaced to be interrupted after some games",
    "_play": "replaced to fail once",
    "_seconds_left": "replaced, so that the time is over at once",
    "_process": "waits for what a player notices when it is asked the next time",
    "_read": "replaced to type lines, and then Ctrl-C",
    "_to_flag": "see `_more_layers`",
    "_views": "see `_more_layers`",
    "_scores": "given blocks in another order, as workers may send them",
    # Players and policies
    "_candidates": "a step of a decision, compared with the player that it asks",
    "_order_others": "see `_candidates`",
    "_own": "the policy that a part of a player's name chooses",
    "_play_on": "see `_candidates`",
    "_results": "trials, compared with games by the rules; set to scores as after many games",
    "_scratch": "shows how many programs end in the same state",
    "_table": "decides a turn at once, compared with its decisions one by one",
    "_valuer": "see `_own`",
    # Training
    "_after_update": "wrapped to record the opponents after each update",
    "_checkpoint": "interrupted, stopped or poisoned between two updates",
    "_current_progress_remaining": "the progress by which Stable-Baselines3 computes schedules",
    "_curve": "closed in tests that do not run the training that opened it",
    "_draw": "replaced to meet a full disk",
    "_helper": "the second process, which a test kills",
    "_interrupted": "see `_checkpoint`",
    "_league": "the opponents of a training run",
    "_log": "replaced to meet a full disk",
    "_mix": "shares of opponents, compared with their scores",
    "_order": "see `_after_update`",
    "_second": "see `_after_update`",
    "_set_up": "replaced to fail before the first update",
    "_take": "takes snapshots without the updates between them",
    "_update": "replaced to be interrupted within an update",
    "_watch": "the callback of one rollout without a training run",
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
