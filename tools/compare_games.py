"""Check that this checkout plays exactly like another, by comparing every field of every game.

    python tools/compare_games.py OTHER_CHECKOUT [--turns N] [--seed N] [--renamed OLD=NEW ...]

Both play the stored cases (`rr_gym.bench.golden`) and fuzzed courses from the same seeds, in separate processes.
After every batch, a digest of the values of each field is compared. Padding, caches, fields that matter only during one
displacement, and fields that are zero everywhere are left out. Fields with another name in the other checkout are
listed in `RENAMED` or given by `--renamed`. The exit status is 0 if all digests are equal.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Names of fields in earlier versions, and their names in this one
RENAMED = {
    "movement": "movement_option", "freak": "freak_order", "carried": "features_under_devices",
    "fall_back": "fallback_to_laser", "wcond": "fallback_to_laser", "sac_thr": "sacrifice_threshold",
}  # fmt: skip
# Caches, by their names in this version; they are not part of the state of a game.
CACHES = (
    "dirty_squares", "stirred", "danger", "shifted", "teleporters", "features_under_devices", "big_one", "kinds",
    "unsettled", "aloft", "of_kind", "sparing", "taken_along", "trigger_squares", "features_under_bodies",
    "devices_known", "over_pit",
    "thrown", "thrown_to",  # used within a sub-step and zero between turns; earlier versions lack them
)  # fmt: skip
# Fields of robots that are used only during one displacement, such as a push
NOTES = (".robots.origin", ".robots.target", ".robots.leaving", ".robots.drop", ".robots.on_ice", ".push.")
WORKER = """
import hashlib, json, sys
import numpy as np
from rr_gym.bench import golden
from rr_gym.fuzz import play_batch

def digests(value, path=""):
    if value.dtype.names:
        found = {}
        for name in value.dtype.names:
            if not name.startswith("padding"):
                found.update(digests(value[name], path + "." + name))
        return found
    if not value.any():
        return {}
    return {path: hashlib.blake2b(np.ascontiguousarray(value).astype(np.int64).tobytes(), digest_size=8).hexdigest()}

for case in golden.CASES:
    for turn, games in golden.play(case, 7, 25).items():
        print(json.dumps([f"{case}, turn {turn}", 7 * turn, digests(games)]), flush=True)
turns, seed = int(sys.argv[1]), int(sys.argv[2])
played = 0
while played < turns:
    for count, found, games in play_batch(seed, 128):
        played += count
    print(json.dumps([f"seed {seed}, {len(found)} findings", count, digests(games)]), flush=True)
    seed += 1
"""


def games_of(checkout: Path, turns: int, seed: int) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Play in a checkout; yield for each batch a description, the number of turns, and the digests by field."""
    command = [sys.executable, "-c", WORKER, str(turns), str(seed)]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    process = subprocess.Popen(command, cwd="/", env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    for line in process.stdout:
        yield tuple(json.loads(line))
    if process.wait():
        sys.exit(f"{checkout}: exit status {process.returncode}")


def differing(ours: dict[str, str], theirs: dict[str, str], renamed: dict[str, str]) -> list[str]:
    """Return the fields whose digests differ, or that only one checkout has."""

    def kept(path: str) -> bool:
        return path.rpartition(".")[2] not in CACHES and not path.startswith(NOTES)

    named = {".".join(renamed.get(part, part) for part in path.split(".")): d for path, d in theirs.items()}
    return sorted(path for path in {*ours, *named} if kept(path) and ours.get(path) != named.get(path))


def main() -> int:
    """Run the command. Returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="a checkout of another version")
    parser.add_argument("--turns", type=int, default=1_000_000, help="fuzzed game turns")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--renamed", action="append", default=[], metavar="OLD=NEW", help="a field's names there and here"
    )
    args = parser.parse_args()
    renamed = RENAMED | dict(entry.split("=", 1) for entry in args.renamed)
    batches = turns = faults = 0
    runs = (games_of(path.resolve(), args.turns, args.seed) for path in (ROOT, args.other))
    for (what, played, ours), (where, _, theirs) in zip(*runs, strict=True):
        batches, turns = batches + 1, turns + played
        if what != where or (fields := differing(ours, theirs, renamed)):
            faults += 1
            print(f"{what}: {', '.join(fields) if what == where else f'the other played {where}'}", flush=True)
        if batches % 50 == 0:
            print(f"{batches} batches, {faults} differ", file=sys.stderr, flush=True)
    print(f"{batches} batches compared in every field: {faults} differ")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
