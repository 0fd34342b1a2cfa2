"""Tiny arenas: a duel of random and a program that plays its cards as they come, and tools to damage them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from programs import PRELUDE

from rr_gym.arena import add_entry, new_season, play_matches
from rr_gym.arena.tables import TABLES, LadderTable
from rr_gym.line_chain import START, hash_of, seal, unsealed

SALT = "0123456789abcdef0123456789abcdef"
MANIFEST = 'name = "{name}"\nversion = "{version}"\nprotocol = {protocol}\ncommand = ["python3", "bot.py"]\n'
CODE = "for turn in turns():\n    answer(turn, program=turn['legal']['cards'][:len(turn['legal']['registers'])])\n"
SANDBOX = "process"  # the weakest that keeps anything, which works wherever tests run


def few_courses(patch: pytest.MonkeyPatch) -> None:
    """Let new arenas play duels on one course of the library, so that none has to be made."""
    patch.setitem(TABLES, "duels", LadderTable("duels", 2, {}, ("risky_exchange", "dizzy_dash"), 1, 0, 0, 0))


def write_bot(
    folder: Path, name: str = "zoom", version: str = "1.0", code: str = CODE, more: str = "", protocol: int = 1
) -> Path:
    """Write a submission."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bot.toml").write_text(MANIFEST.format(name=name, version=version, protocol=protocol) + more)
    (folder / "bot.py").write_text(PRELUDE + code)
    return folder


def small_arena(folder: Path, *players: str, **more: Any) -> Path:
    """Make an arena for duels of a few turns."""
    arguments = {"tables": ["duels"], "max_cycles": 3, "seconds": 20.0, "salt": SALT} | more
    new_season(folder, anchors=list(players or ("random", "greedy")), **arguments)
    return folder


def played_arena(folder: Path, matches: int = 2, bot: bool = True) -> Path:
    """Make an arena in which some matches were played, one of them by a program."""
    small_arena(folder, "random")
    if bot:
        add_entry(folder, write_bot(folder.parent / "zoom"))
    play(folder, matches)
    return folder


def play(folder: Path, matches: int, **more: Any) -> Any:
    """Play matches in this process."""
    return play_matches(folder, matches, **({"workers": 1, "sandbox": SANDBOX, "salt": SALT} | more))


def chain_anew(folder: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Change the lines of a log, and chain all of them anew, as a host could do."""
    path = folder / "log.jsonl"
    lines = [json.loads(unsealed(line)) for line in path.read_bytes().splitlines()]
    change(lines)
    prev, texts = START, []
    for line in lines:
        text = seal(msgspec.json.encode(line).decode(), prev)
        prev = hash_of(text.encode())
        texts.append(text + "\n")
    path.write_text("".join(texts))
