"""Digests of what a suite depends on: its courses, the rules, and how the background players play.

Scores can only be compared while these stay as they were when the suite's reference was measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Any

import numpy as np

from rr_gym.evaluation.benchmark.references import Reference
from rr_gym.evaluation.benchmark.suites import Suite, SuiteRow, course_of
from rr_gym.evaluation.matches import Match

_SIZE = 8  # bytes of a digest
_ROW_TURNS = 10
_PLAYER_TURNS = 12


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Digests of a suite as it is now.

    Attributes:
        rows: Digests by name of row: of courses, settings, line-up, number of turns, and some games of random players.
        players: Digests of a few games played by each background player, by its name.
    """

    rows: Mapping[str, str]
    players: Mapping[str, str]


def fingerprint_of(suite: Suite) -> Fingerprint:
    """Compute digests of the rows of a suite and of their background players; this plays games for a few seconds."""
    players = sorted({name for row in suite.rows for name in row.others})
    return Fingerprint(
        {row.name: _row_digest(row) for row in suite.rows}, {name: _player_digest(name) for name in players}
    )


def changes_since(reference: Reference | None, now: Fingerprint) -> list[str]:
    """Describe what has changed since the reference was measured, one sentence for each; empty if nothing has."""
    if reference is None:
        return ["no reference scores have been measured for this suite"]
    rows = [name for name, digest in now.rows.items() if reference.rows.get(name) != digest]
    players = [name for name, digest in now.players.items() if reference.players.get(name) != digest]
    notes = [f"courses or rules have changed: {', '.join(rows)}"] if rows else []
    return notes + ([f"background players have changed: {', '.join(players)}"] if players else [])


def _row_digest(row: SuiteRow) -> str:
    words = {
        "courses": [course_of(course).to_yaml() for course in row.courses],
        "lineup": [row.copies, *row.others],
        "settings": dict(row.settings),
        "max_cycles": row.max_cycles,
    }
    digest = blake2b(json.dumps(words, sort_keys=True).encode(), digest_size=_SIZE)
    for course in row.courses:
        digest.update(_outcome("random", ["random"] * (row.seats - 1), course_of(course), row.settings, _ROW_TURNS))
    return digest.hexdigest()


@cache
def _player_digest(name: str) -> str:
    digest = blake2b(digest_size=_SIZE)
    for settings in ({}, {"start_options": 3}):
        digest.update(_outcome(name, ["random"], "risky_exchange", settings, _PLAYER_TURNS))
    return digest.hexdigest()


def _outcome(player: str, others: list[str], course: Any, settings: Mapping[str, Any], turns: int) -> bytes:
    """Play deals in all rotations; return the outcome as bytes that are the same on every platform."""
    match = Match(player, others, course=course, games=1, seed=1, max_cycles=turns, settings=settings, salt=0)
    match.play()
    result = match.result().total
    figures = [(p.place.value, p.flags.value, p.destroyed.value if p.destroyed else -1.0) for p in result.players]
    # Means of a few small whole numbers: rounding errors are far below this.
    return np.round(np.array([*figures, (result.length.value, 0, 0)]) * 1e6).astype("<i8").tobytes()
