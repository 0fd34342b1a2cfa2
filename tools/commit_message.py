"""Check a commit message; pre-commit runs it with the file of the message (`.pre-commit-config.yaml`).

The subject is a sentence in the imperative without a full stop, of at most 72 characters, and begins with a capital
letter. An empty line follows, then a body that says why. Messages that git writes itself, as for merges, are not
checked.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

MAX_LENGTH = 72  # maximum number of characters of a subject
WRITTEN_BY_GIT = ("Merge ", "Revert ", "fixup! ", "squash! ", "amend! ")


def problems_of(message: str) -> list[str]:
    """Return the problems of a message, ignoring comments and other lines that git strips."""
    lines = [line.rstrip() for line in message.split("# ------------------------ >8", 1)[0].splitlines()]
    lines = [line for line in lines if not line.startswith("#")]
    while lines and not lines[0]:
        del lines[0]
    subject = lines[0] if lines else ""
    if subject.startswith(WRITTEN_BY_GIT):
        return []
    problems = []
    if len(subject) > MAX_LENGTH:
        problems.append(f"the subject has {len(subject)} characters: expected at most {MAX_LENGTH}")
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
    """Check the message in a file, and print its problems; return 1 if there are any, 0 otherwise."""
    (path,) = sys.argv[1:] if arguments is None else arguments
    problems = problems_of(Path(path).read_text("utf-8"))
    for problem in problems:
        print(f"{path}: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
