"""The library that a wheel brings: all entries of all forms as one shared object, for a generic processor.

`python -m rr_gym.compilation.shipped FOLDER` makes it: `library.json`, which says what is in it, and the shared object.
It needs a linker (`cc`, or what `CC` names). The wheel has both in `rr_gym/_library`, and nothing is loaded from
anywhere else. Such a library needs neither Numba nor llvmlite, nor a certain Python or NumPy.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path

from rr_gym.compilation.digests import settings, sources_digest
from rr_gym.compilation.groups import TESTS, entries
from rr_gym.compilation.kernels import CHECKS_BOUNDS
from rr_gym.compilation.libraries import Contents, Library, load_shared

FOLDER = Path(__file__).parents[1] / "_library"
_SAID = "library.json"
_ENDINGS = {"darwin": ".dylib", "win32": ".dll"}
# What code for x86-64-v2 uses beyond the first processors of that kind, as Linux names it
_NEEDED = {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}
_LINKED = ["-Wl,-Bsymbolic", "-Wl,--gc-sections", "-Wl,--build-id=none", "-s"]


def _code() -> str:
    return f"rr_gym{_ENDINGS.get(sys.platform, '.so')}"


@cache
def libraries() -> tuple[list[Library], str]:
    """The libraries of this installation, one for each form, and why there are none: empty where it brings none."""
    said = FOLDER / _SAID
    if not said.is_file():
        return [], ""
    if CHECKS_BOUNDS:
        return [], "indices are to be checked (NUMBA_BOUNDSCHECK)"
    if lacking := _NEEDED - _features():
        return [], f"the processor lacks {', '.join(sorted(lacking))}"
    try:
        for path in (FOLDER, FOLDER / _code()):
            if path.stat().st_mode & stat.S_IWOTH and os.name == "posix":
                return [], f"everybody may write to {path}"
        found = json.loads(said.read_text(encoding="utf-8"))
        contents = [Contents(**parts) for parts in found["forms"]]
        if any(parts.settings != settings() for parts in contents):
            return [], "it was built for another platform, or in another way"
        if found["sources"] != sources_digest() and (changed := next(_changed(contents), "")):
            return [], f"{changed} has changed since"
        if found["code"] != _checksum(FOLDER / _code()):
            return [], f"{FOLDER / _code()} is damaged"
        return [load_shared(parts, str(FOLDER / _code())) for parts in contents], ""
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [], f"{type(error).__name__}: {error}"


def _checksum(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _changed(contents: list[Contents]) -> Iterator[str]:
    return (name for parts in contents for name in parts.misfits())


def _features() -> set[str]:
    """What the processor says that it can; where nobody tells, what is needed."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return _NEEDED
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return _NEEDED
    return set(next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), _NEEDED))


def make(folder: Path, wanted: Mapping[str, Mapping[str, Sequence[str]]] | None = None) -> Path:
    """Compile everything and link it.

    Args:
        folder: Where the library is written.
        wanted: The entries by form and group; those of the package by default.

    Returns:
        The shared object.

    Raises:
        OSError: There is no linker.
        subprocess.CalledProcessError: The linker failed.
    """
    from rr_gym.compilation.building import Build, Units

    folder.mkdir(parents=True, exist_ok=True)
    forms, units = [], Units()
    with tempfile.TemporaryDirectory() as objects:
        files = []
        for form, groups in (entries() if wanted is None else wanted).items():
            names = [name for group, listed in groups.items() if group != TESTS for name in listed]
            print(f"{form}: {len(names)} entries ...", flush=True)
            contents, code = Build(form, names, units, lambda *_: None).link("all", settings())
            missing = sorted(set(names) - set(contents.entries))
            assert not missing, f"no such entries any more; `python tools/record_entries.py` notes them anew: {missing}"
            file = Path(objects, f"{form}.o")
            file.write_bytes(code)
            files.append(file.name)
            forms.append(asdict(contents))
        target = (folder / _code()).resolve()
        linker = shlex.split(os.environ.get("CC", "cc"))
        options = [] if sys.platform in _ENDINGS else _LINKED
        subprocess.run([*linker, "-shared", "-o", str(target), *files, *options], check=True, cwd=objects)
    said = {"sources": sources_digest(), "code": _checksum(target), "forms": forms}
    (folder / _SAID).write_text(json.dumps(said, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return target


if __name__ == "__main__":
    made = make(Path(sys.argv[1]))
    print(f"{made}: {made.stat().st_size:,} bytes")
