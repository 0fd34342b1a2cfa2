"""The library that a wheel contains: all entries of all forms as one shared object, for a generic processor.

`python -m rr_gym.compilation.shipped FOLDER` makes the shared object and `library.json`, which describes it. It needs a
linker (`cc`, or the command in `CC`). The wheel has both files in the folder that the project names
(`CompilerSettings.library`), and nothing is loaded from anywhere else. Such a library needs neither Numba nor llvmlite,
nor any particular version of Python or NumPy.
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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any, BinaryIO

from rr_gym.compilation.accelerators import uses_all
from rr_gym.compilation.digests import settings, text_digest
from rr_gym.compilation.groups import TESTS, entries
from rr_gym.compilation.kernels import KERNELS, Kernel
from rr_gym.compilation.libraries import Contents, Fit, Library, load_shared
from rr_gym.compilation.reads import functions_reached
from rr_gym.compilation.settings import CHECKS_BOUNDS, current
from rr_gym.compilation.sources import digest_of_text, edited_compiler_file, imported_text, is_written, read_text

_DESCRIPTION = "library.json"
_ENDINGS = {"darwin": ".dylib", "win32": ".dll"}
# Features that code for x86-64-v2 uses beyond those of the first x86-64 processors, as Linux names them
_NEEDED = {"cx16", "lahf_lm", "popcnt", "pni", "sse4_1", "sse4_2", "ssse3"}
_LINKED = ["-Wl,-Bsymbolic", "-Wl,--gc-sections", "-Wl,--build-id=none", "-s"]


def _code() -> str:
    return f"{current().name}{_ENDINGS.get(sys.platform, '.so')}"


@cache
def libraries() -> tuple[list[Library], str]:
    """Return the libraries of this installation, one per form, and why they cannot be used, if so.

    The reason is "" if they can be used, or if the installation was built without a library.
    """
    folder = current().library
    if folder is None or not (description_path := folder / _DESCRIPTION).is_file():
        return [], ""
    if not uses_all():
        names = ", ".join(map(current().variable, ("REFERENCE", "ACCELERATORS")))
        return [], f"other accelerators were asked for ({names})"
    if CHECKS_BOUNDS:
        return [], "indices are to be checked (NUMBA_BOUNDSCHECK)"
    if lacking := _NEEDED - _features():
        return [], f"the processor lacks {', '.join(sorted(lacking))}"
    try:
        with open(folder / _code(), "rb") as code, open(description_path, "rb") as description:
            for path, status in (
                (folder, folder.stat()),
                *((Path(f.name), os.fstat(f.fileno())) for f in (code, description)),
            ):
                if status.st_mode & stat.S_IWOTH and os.name == "posix":
                    return [], f"everybody may write to {path}"
            found = json.load(description)
            fits = [Fit(Contents(**parts), _Texts(dict(found["sources"])).has_text) for parts in found["forms"]]
            if any(fit.contents.settings != settings() for fit in fits):
                return [], "it was built for another platform, or with other settings"
            if found["code"] != hashlib.sha256(code.read()).hexdigest():
                return [], f"{code.name} is damaged"
            return [load_shared(fit, _place(code)) for fit in fits], ""
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [], f"{type(error).__name__}: {error}"


def _place(opened: BinaryIO) -> str:
    """Return a path from which the system loads a file that is open, even if another file has taken its place."""
    itself = f"/proc/self/fd/{opened.fileno()}"
    return itself if sys.platform == "linux" and os.path.exists(itself) else opened.name


class _Texts:
    """Recognizes kernels of the library; functions in files that are unchanged since it was built are not compared.

    Args:
        sources: The digests of files by the names of their modules.
    """

    def __init__(self, sources: dict[str, str]) -> None:
        self._sources = sources

    def has_text(self, kernel: Kernel, text: str) -> bool:
        """Tell whether a kernel has the text with this digest."""
        return all(map(self._is_unchanged, functions_reached(kernel.function))) or text_digest(kernel) == text

    def _is_unchanged(self, function: FunctionType) -> bool:
        made = self._sources.get(function.__module__)
        return made is not None and imported_text(function.__code__.co_filename) == made


def _features() -> set[str]:
    """Return the features of the processor as Linux names them; if they are unknown, return those that are needed."""
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
        folder: The folder for the library.
        wanted: The entries by form and group; those of the project by default.

    Returns:
        The path of the shared object.

    Raises:
        OSError: There is no linker.
        subprocess.CalledProcessError: The linker failed.
        RuntimeError: This package was edited meanwhile.
    """
    from rr_gym.compilation.building import Build
    from rr_gym.compilation.units import Units

    folder.mkdir(parents=True, exist_ok=True)
    forms, units = [], Units()
    with tempfile.TemporaryDirectory() as objects:
        files = []
        for form, groups in (entries() if wanted is None else wanted).items():
            names = [name for group, listed in groups.items() if group != TESTS for name in listed]
            print(f"{form}: {len(names)} entries ...", flush=True)
            contents, code = Build(form, names, units, lambda *_: None).link("all", settings())
            missing = sorted(set(names) - set(contents.entries))
            assert not missing, f"entries that no longer exist: {missing}"
            file = Path(objects, f"{form}.o")
            file.write_bytes(code)
            files.append(file.name)
            forms.append(asdict(contents))
        target = (folder / _code()).resolve()
        linker = shlex.split(os.environ.get("CC", "cc"))
        options = [] if sys.platform in _ENDINGS else _LINKED
        subprocess.run([*linker, "-shared", "-o", str(target), *files, *options], check=True, cwd=objects)
    if edited := edited_compiler_file():
        raise RuntimeError(f"{edited} was edited while the library was made: make it again")
    linked = hashlib.sha256(target.read_bytes()).hexdigest()
    description = {"sources": _sources(forms), "code": linked, "forms": forms}
    (folder / _DESCRIPTION).write_text(json.dumps(description, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return target


def _sources(forms: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Return the digests of the source files of a library's functions, by module."""
    functions = {f for form in forms for name in form["kernels"] for f in functions_reached(KERNELS[name].function)}
    others = {function.__module__ for function in functions if not is_written(function)}
    texts = {function.__module__: read_text(function.__code__.co_filename) for function in functions}
    return {
        module: digest_of_text(text)
        for module, text in sorted(texts.items())
        if text is not None and module not in others
    }


if __name__ == "__main__":
    made = make(Path(sys.argv[1]))
    print(f"{made}: {made.stat().st_size:,} bytes")
