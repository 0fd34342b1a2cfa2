"""Check a commit message: pre-commit calls it with the file of the message (`.pre-commit-config.yaml`).

The subject is a sentence in the imperative without a full stop, of at most 72 characters, and begins with a capital
letter. An empty line follows, then a body that says why. Merges and reverts say what git writes.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

LONGEST = 72  # characters of a subject
WRITTEN_BY_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")


def problems_of(message: str) -> list[str]:
    """Return what is wrong with a message, without lines that git leaves out; empty if nothing is."""
    lines = [line.rstrip() for line in message.split("# ------------------------ >8", 1)[0].splitlines()]
    lines = [line for line in lines if not line.startswith("#")]
    while lines and not lines[0]:
        del lines[0]
    subject = lines[0] if lines else ""
    if subject.startswith(WRITTEN_BY_GIT):
        return []
    problems = []
    if len(subject) > LONGEST:
        problems.append(f"the subject has {len(subject)} characters: expected at most {LONGEST}")
    if not subject[:1].isupper():
        problems.append(f"subject {subject!r}: expected a verb in the imperative with a capital letter first")
    if subject.endswith("."):
        problems.append(f"subject {subject!r}: expected no full stop at the end")
    word = subject.split(" ", 1)[0].lower()
    if word.endswith(("ing", "ed")) and word not in ("bring", "embed", "feed", "need", "speed", "seed"):
        problems.append(f"subject {subject!r}: expected the imperative: Add, not Added or Adding")
    if lines[1:2] != [""]:
        problems.append("expected an empty line after the subject")
    if not any(lines[2:]):
        problems.append("expected a body that says why")
    return problems


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the message in a file; the exit status is 1 if something is wrong with it."""
    (path,) = sys.argv[1:] if arguments is None else arguments
    problems = problems_of(Path(path).read_text("utf-8"))
    for problem in problems:
        print(f"{path}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
