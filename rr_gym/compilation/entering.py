"""Enter kernels from Python: the first call with arguments of some types finds machine code for them, or has it made.

Loaded libraries are searched first, then the cache; if neither has the code, it is compiled.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from rr_gym.compilation import cache
from rr_gym.compilation.accelerators import check_chosen
from rr_gym.compilation.arguments import read, type_name
from rr_gym.compilation.files import notice
from rr_gym.compilation.groups import entries, group_of
from rr_gym.compilation.interrupts import interrupts_wait
from rr_gym.compilation.kernels import Entry, Kernel, Untested
from rr_gym.compilation.libraries import Library
from rr_gym.compilation.settings import ANY, current
from rr_gym.compilation.shipped import libraries as shipped_libraries

_lock = threading.RLock()
_libraries: list[Library] = []
entered: dict[tuple[str, str], None] = {}  # form and name of every entry that this process has used, in order


def enter(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    """Call a kernel from Python and return its result."""
    key, words, _kept = read(arguments)  # _kept must live until the call has ended
    entry = kernel.entries.get(key)
    if entry is None:
        entry = _find(kernel, key, arguments)
    return entry(arguments, words)


def code_address(kernel: Kernel, arguments: tuple[Any, ...]) -> int | None:
    """Return the address of the machine code that calls with arguments of these types enter; see `libraries`.

    It takes the address of a block of words and returns 0, or else the code of an error. None if the kernel is compiled
    by Numba's public interface, which has no such code.
    """
    key = read(arguments)[0]
    return getattr(kernel.entries.get(key) or _find(kernel, key, arguments), "address", None)


def _find(kernel: Kernel, key: tuple[Any, ...], arguments: tuple[Any, ...]) -> Entry:
    with _lock, interrupts_wait():
        entry = kernel.entries[key] = _entry(kernel, arguments)
    return entry


def entry_name(kernel: Kernel, arguments: tuple[Any, ...]) -> str:
    """Return the name of an entry as libraries list it: the kernel with the types of its arguments."""
    return f"{kernel.name}({', '.join(map(type_name, arguments))})"


def form_of_arguments(arguments: tuple[Any, ...]) -> str:
    """Return the form of the tables among the arguments, `ANY` if there is none."""
    items = [a.dtype.names for a in arguments if isinstance(a, np.ndarray | np.void) and a.dtype.names]
    return next((current().form_of(names) for names in items if current().tables_have in names), ANY)


def _entry(kernel: Kernel, arguments: tuple[Any, ...]) -> Entry:
    check_chosen()
    name, form = entry_name(kernel, arguments), form_of_arguments(arguments)
    entered[form, name] = None
    shipped, misfit = shipped_libraries()
    for library in (*shipped, *_libraries):
        if (found := library.entry(name)) is not None:
            why = library.fit.misfit([kernel])
            if not why:
                return found
            if library in shipped:
                misfit = f"{why} has changed since"
    if misfit:
        _report_misfit(misfit)
    elif shipped:
        _report_lacking(kernel)
    group = group_of(form, name)
    wanted = [name] if group is None else entries()[form][group]
    try:
        library = cache.library(group or "", form, wanted, [kernel])
    except Untested as error:
        return _compile_by_public_numba(kernel, str(error))
    except ImportError as error:
        if (error.name or "").partition(".")[0] not in ("numba", "llvmlite"):
            raise
        raise current().no_compiler(
            f"{kernel.__name__} has to be compiled, which needs Numba, and that cannot be imported ({error}): "
            f"install it, or set NUMBA_DISABLE_JIT=1 to have {current().kernels} interpreted"
        ) from error
    _libraries.append(library)
    found = library.entry(name)
    assert found is not None, name
    return found


_misfits: list[str] = []


def _report_misfit(why: str) -> None:
    """Report once why the library of this installation, or a part of it, is not used."""
    if not _misfits:
        _misfits.append(why)
        notice(f"the library of this installation is not used: {why}; {current().kernels} are compiled")


def _report_lacking(kernel: Kernel) -> None:
    """Report that the library of this installation does not have a kernel for such arguments."""
    if current().owns(kernel.name):  # it cannot have a user's own kernels
        notice(f"the library of this installation has no {kernel.name} for these arguments: it is compiled")


def _compile_by_public_numba(kernel: Kernel, why: str) -> Entry:
    """Return an entry that is compiled by the public interface of Numba, which all its versions have."""
    from rr_gym.compilation.plain import dispatcher

    notice(f"{why}: {current().kernels} are compiled the slow way, again in every process")
    compiled = dispatcher(kernel)
    return lambda arguments, words: compiled(*arguments)
