"""The settings of a project for the compiler, made once before its first kernel.

    configure(CompilerSettings("toys", forms=(Form("short"), Form("long", mark="extra")), tables_have="food"))

Nothing else in this package depends on a project. One process compiles for one project.

Environment, for every project: `NUMBA_DISABLE_JIT=1` leaves kernels as plain functions; `NUMBA_BOUNDSCHECK=1` compiles
them with checks of all indices. The other variables begin with the name of the project: `TOYS_CACHE_DIR`,
`TOYS_REFERENCE`, `TOYS_ACCELERATORS`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path


def is_set(variable: str) -> bool:
    """Tell whether a variable of the environment switches something on."""
    return os.environ.get(variable, "0").strip() not in ("", "0")


COMPILED = not is_set("NUMBA_DISABLE_JIT")
CHECKS_BOUNDS = is_set("NUMBA_BOUNDSCHECK")
ANY = "any"  # the form of entries without a table


@dataclass(frozen=True)
class Form:
    """A form of the tables that kernels read. Kernels are compiled for each form separately.

    Attributes:
        name: The name of the form, as libraries and commands use it.
        mark: The field that its tables have and those of earlier forms lack; empty for the first form.
        title: What the progress line calls it.
    """

    name: str
    mark: str = ""
    title: str = ""


def _show_nothing(text: Callable[[float], str]) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True)
class CompilerSettings:
    """What a project tells the compiler about itself.

    Attributes:
        name: The package of the project. Its messages, its cache folder and its variables have this name, and kernels
            of this package are its own.
        kernels: What messages call its kernels.
        forms: The forms of its tables; each has all fields of those before it.
        tables_have: A field that all tables have, and no other record. Empty if there is only one form.
        no_alias: Parameters of its kernels that are never aliased: writes to others do not change their records.
        entries: The file that lists what Python enters, by form and group (`rr_gym.compilation.groups`).
        library: The folder of the library that an installation contains (`rr_gym.compilation.shipped`).
        accelerators: The package whose import registers accelerators (`rr_gym.compilation.accelerators`).
        show: Returns a context that keeps a message on display; the message is a function of the seconds passed.
        no_compiler: Makes the error that is raised if something has to be compiled and Numba cannot be imported.
    """

    name: str
    kernels: str = "kernels"
    forms: tuple[Form, ...] = (Form("base"),)
    tables_have: str = ""
    no_alias: tuple[str, ...] = ()
    entries: Path | None = None
    library: Path | None = None
    accelerators: str = ""
    show: Callable[[Callable[[float], str]], AbstractContextManager[None]] = _show_nothing
    no_compiler: Callable[[str], Exception] = ImportError

    @property
    def form_names(self) -> tuple[str, ...]:
        """Return the names of the forms, the one with the fewest fields first."""
        return tuple(form.name for form in self.forms)

    def mark_of(self, form: str) -> str:
        """Return the field that tables of a form have and those of earlier forms lack."""
        return self.forms[self.form_names.index(form)].mark

    def form_of(self, fields: Iterable[str]) -> str:
        """Return the form of a table by the names of its fields; return the first form for other records."""
        return next((form.name for form in reversed(self.forms) if form.mark in fields), self.forms[0].name)

    def title_of(self, form: str) -> str:
        """Return what messages call a form."""
        titles = {known.name: known.title or known.name for known in self.forms}
        return titles.get(form, "shared by all forms")

    def owns(self, kernel: str) -> bool:
        """Tell whether a kernel, given by module and name, belongs to the project."""
        return kernel.partition(".")[0] == self.name

    def variable(self, what: str) -> str:
        """Return the name of a variable of the environment, such as `TOYS_CACHE_DIR` for `CACHE_DIR`."""
        return f"{self.name.upper()}_{what}"


_settings = [CompilerSettings("kernels")]
_used: list[bool] = []


def configure(settings: CompilerSettings) -> None:
    """Set what the compiler knows of the project.

    Raises:
        RuntimeError: Kernels have been declared under other settings already.
    """
    if _used and settings != _settings[0]:
        raise RuntimeError(f"settings of {settings.name}: expected before the first kernel of {_settings[0].name}")
    _settings[0] = settings


def current() -> CompilerSettings:
    """Return the project's settings, which cannot be changed after this call."""
    if not _used:
        _used.append(True)
    return _settings[0]
