"""Compilation of the rules: one decorator, one cache directory, one progress line.

Numba keeps compiled functions on disk, but it looks only at the file that defines a function: an edit in a callee,
a changed constant or another code-generation switch would leave old machine code in use. So the cache lives in a
directory whose name is a digest of everything that compiled code depends on; a change makes a new directory.

Environment: `RR_GYM_CACHE_DIR` sets the parent of these directories; `NUMBA_DISABLE_JIT=1` runs the rules uncompiled.
"""

from __future__ import annotations

import gc
import hashlib
import inspect
import os
import stat
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config as numba_config
from numba.core.dispatcher import Dispatcher
from numba.core.sigutils import normalize_signature

from rr_gym.compilation.code_files import keep_forms_apart
from rr_gym.compilation.separate import (
    BASE,
    FULL,
    MARKS,
    OPTIONS,
    form_of,
    form_of_types,
    keep_in,
    resolve_before_loading,
    separate,
)
from rr_gym.compilation.widths import overload, widen_arguments
from rr_gym.interrupts import interrupts_wait

COMPILED = not numba_config.DISABLE_JIT

# Every module whose code or constants end up in machine code lies in one of these places. Kernels of one layer use
# only it and those before it, so that a changed player leaves the compiled rules as they are.
LAYERS = {
    "rules": (
        "compilation", "courses/text/grammar.py", "courses/tables/ground.py", "courses/tables/records.py",
        "courses/tables/tables.py", "option_facts", "rules",
    ),
    "encoding": ("courses/elements", "encoding"),  # the rows of elements give features their places
    "players": ("players",),
}  # fmt: skip
CODE_SWITCHES = (
    "BOUNDSCHECK",
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "FULL_TRACEBACKS",
    "CPU_NAME",
    "CPU_FEATURES",
)

# Bytes of bytecode up to which a kernel becomes part of its callers, by the form of the tables. Rules are made of many
# small functions; left to itself the compiler calls most of them, which costs more than what they do. With all elements
# on the course there is so much of it that compilation would take minutes more.
SMALL = {BASE: 480, OPTIONS: 700, FULL: 480}
SMALL_ELEMENT = {FULL: 360}

Function = TypeVar("Function", bound=Callable[..., Any])


def layer_of(module: str) -> str:
    """The layer of a module of kernels, by its name: the last one for what is in none."""
    part = module.removeprefix("rr_gym.").partition(".")[0]
    return part if part in LAYERS else list(LAYERS)[-1]


def source_digest(package: Path, layer: str) -> str:
    """A digest of all sources below `package` that kernels of a layer use, of NumPy, Numba and their switches."""
    digest = hashlib.sha256(f"{np.__version__} {numba.__version__} {sys.version_info[:2]}".encode())
    for switch in CODE_SWITCHES:
        digest.update(f"{switch}={getattr(numba_config, switch, None)}".encode())
    layers = list(LAYERS)
    for name in chain.from_iterable(LAYERS[used] for used in layers[: layers.index(layer) + 1]):
        path = package / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path] * path.exists():
            digest.update(file.relative_to(package).as_posix().encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return True
    except OSError:
        return False


def _private_directory() -> Path:
    """A temporary directory of this user's own: what is loaded from a cache runs, so nobody else may write there."""
    if not hasattr(os, "getuid"):  # on Windows the temporary directory is the user's own
        directory = Path(tempfile.gettempdir()) / "rr_gym"
        directory.mkdir(exist_ok=True)
        return directory
    directory = Path(tempfile.gettempdir()) / f"rr_gym-{os.getuid()}"
    with suppress(FileExistsError):
        directory.mkdir(mode=0o700)
    state = directory.lstat()
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o022:
        return Path(tempfile.mkdtemp(prefix="rr_gym-"))
    return directory


@cache
def cache_home() -> Path:
    """Where all versions keep their compiled kernels."""
    chosen = os.environ.get("RR_GYM_CACHE_DIR")
    home = Path(chosen) if chosen else _user_cache() / "rr_gym"
    if _writable(home):
        return home
    fallback = _private_directory()
    print(f"rr_gym: {home} is not writable; compiled rules are kept in {fallback}", file=sys.stderr)
    return fallback


@cache
def cache_directory(layer: str) -> Path:
    """The directory of this version's compiled kernels of a layer, made if need be."""
    directory = cache_home() / source_digest(Path(__file__).parents[1], layer)
    directory.mkdir(exist_ok=True)
    return directory


def kernel(function: Function, small: Mapping[str, int] = SMALL) -> Function:
    """Compile `function` in nopython mode on its first call, without the GIL, cached on disk.

    Where compilation is switched off the function runs as it stands. Rules rely on unsigned integers that wrap;
    NumPy warns of that for scalars, so interpreted functions run with that warning off.
    """
    if not COMPILED:
        return np.errstate(over="ignore")(function) if _wraps(function) else function
    # Numba reads the directory when caching is switched on, so it is set only for our own functions.
    before = numba_config.CACHE_DIR
    numba_config.CACHE_DIR = str(cache_directory(layer_of(function.__module__)))
    try:
        compiled = numba.njit(nogil=True, cache=True, no_cfunc_wrapper=True)(function)
    finally:
        numba_config.CACHE_DIR = before
    _inline(compiled, small)
    keep_forms_apart(compiled)
    resolve_before_loading(compiled)
    widen_arguments(compiled)
    return cast(Function, compiled)


def _inline(compiled: Any, small: Mapping[str, int]) -> None:
    """Make each form of a kernel part of its callers if it is small."""
    compile_form = compiled.compile
    size = len(compiled.py_func.__code__.co_code)

    def compile_inlined(signature: Any) -> Any:
        kinds, _ = normalize_signature(signature)
        with interrupts_wait():
            compiled.targetoptions["forceinline"] = size <= small.get(form_of_types(kinds), 0)
            return compile_form(signature)

    compiled.compile = compile_inlined


def compiled_once(function: Function) -> Function:
    """A kernel of which machine code is made once, apart from its callers (`rr_gym.compilation.separate`)."""
    return separate(function) if COMPILED else function  # type: ignore[return-value]


def _wraps(function: Callable[..., Any]) -> bool:
    return "uint64" in function.__code__.co_names


def with_expansions(
    base: Any, compiled: Callable[[Any], Any] = kernel, form: str = OPTIONS
) -> Callable[[Function], Function]:
    """A rule that has two forms: the decorated one for tables of `form` and of those after it, `base` for the others.

    `base` is a kernel with the same parameters, or a constant. Which form a caller gets is known from the type of its
    argument `table` when it is compiled, so that base courses pay nothing for expansions, in time or in compilation.
    `compiled` is how the full form is: `kernel`, or `compiled_once` for what is large and called from many places.
    """

    def decorate(function: Function) -> Function:
        parameters = list(inspect.signature(function).parameters)
        arguments = ", ".join(parameters)
        full = compiled(function)
        names = {"base": base, "full": full}
        without = f"base({arguments})" if callable(base) else "base"
        source = f"""
def {function.__name__}({arguments}):
    return full({arguments}) if "{MARKS[form]}" in table.dtype.names else {without}

def full_form({arguments}):
    return full({arguments})

def base_form({arguments}):
    return {without}
"""
        exec(source, names)
        chosen: Any = names[function.__name__]
        chosen.__doc__, chosen.__module__ = function.__doc__, function.__module__
        if COMPILED:
            place = parameters.index("table")

            def choose(*kinds: Any) -> Any:
                with_it = MARKS[form] in kinds[place].fields
                name, target = ("full_form", full) if with_it else ("base_form", base)
                return target if isinstance(target, Dispatcher) else names[name]

            overload(chosen, choose)
        return cast(Function, chosen)

    return decorate


def element_kernel(function: Function) -> Function:
    """A kernel that only courses with elements of expansions use."""
    return kernel(function, SMALL_ELEMENT)


def with_elements(base: Any, compiled: Callable[[Any], Any] = element_kernel) -> Callable[[Function], Function]:
    """As `with_expansions`, but by what lies on boards: option cards on base boards pay nothing for it either."""
    return with_expansions(base, compiled, FULL)


@contextmanager
def progress(what: str, patience: float = 1.5, every: float = 5.0) -> Iterator[None]:
    """Say on stderr what is being done when it takes longer than `patience` seconds, then every `every` seconds."""
    done = threading.Event()
    start = time.monotonic()

    def report() -> None:
        if done.wait(patience):
            return
        print(f"rr_gym: {what} ...", file=sys.stderr, flush=True)
        while not done.wait(every):
            print(f"rr_gym: {what} ... {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
        print(f"rr_gym: {what}: done after {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)

    watcher = threading.Thread(target=report, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


@contextmanager
def no_collection() -> Iterator[None]:
    """Leave garbage alone: compilation makes millions of objects that last until it ends."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


keep_in(lambda module: str(cache_directory(layer_of(module))))

_seen: set[tuple[Any, ...]] = set()


def run(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a kernel; its first call, which may compile it or load it from disk, reports its progress."""
    if not COMPILED:
        return function(*arguments)
    # Each form of the tables has machine code of its own.
    form = function, *(form_of(a.dtype.names or ()) for a in arguments if isinstance(a, np.ndarray | np.record))
    if form in _seen:
        return function(*arguments)
    with progress("compiling the rules (once for this version)"), no_collection(), interrupts_wait():
        result = function(*arguments)
    _seen.add(form)
    return result
