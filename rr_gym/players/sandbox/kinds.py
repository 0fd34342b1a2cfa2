"""The kinds of sandboxes, which of them works here, and what the weaker ones do not guarantee."""

from __future__ import annotations

import sys

from rr_gym.errors import RoboRallyError, did_you_mean, short_repr
from rr_gym.players.sandbox import bubblewrap

NONE, PROCESS, BUBBLEWRAP = "none", "process", "bubblewrap"
KINDS = (NONE, PROCESS, BUBBLEWRAP)  # from the weakest to the strongest

_NOT_GUARANTEED = {
    NONE: "it runs as you: it can read and change your files, use the network, and leave processes behind",
    PROCESS: "it runs as your user: it can read your files, change them and its own, use the network, and end "
    "your processes, including the one that watches it",
    BUBBLEWRAP: "it shares the kernel and the processor with the game; the limits of its memory and its processes are "
    "checked ten times a second",
}


def why_not(kind: str) -> str:
    """Return why a kind of sandbox does not work here; an empty string if it works."""
    if kind == BUBBLEWRAP:
        return bubblewrap.why_not()
    if kind == PROCESS and sys.platform != "linux":
        return f"it needs Linux, and this is {sys.platform}"
    return ""


def choose_kind(kind: str | None = None) -> str:
    """Return the kind of sandbox that was asked for, or the strongest that works here.

    Raises:
        RoboRallyError: There is no such kind, or it does not work here; the message says why.
    """
    if kind is None:
        return next(one for one in reversed(KINDS) if not why_not(one))
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS) if isinstance(kind, str) else ""
        raise RoboRallyError(f"sandbox: {short_repr(kind)}: {hint or 'expected ' + ' | '.join(KINDS)}")
    if reason := why_not(kind):
        raise RoboRallyError(f"sandbox: {kind}: {reason}: expected {choose_kind()}")
    return kind


def not_guaranteed(kind: str) -> str:
    """Return one line that says what a kind of sandbox does not guarantee."""
    return f"sandbox {kind}: {_NOT_GUARANTEED[kind]}"
