"""The three forms in which rules are compiled: base game, option cards on base boards, and expansion elements.

This module also configures the compiler (`rr_gym.compilation`) for the package. It runs when `rr_gym` is imported, so
its functions import NumPy and other modules only when they are called, to keep that import fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from rr_gym.compilation.settings import ANY as ANY
from rr_gym.compilation.settings import CompilerSettings, Form, configure

Function = TypeVar("Function", bound=Callable[..., Any])

# For base courses; for courses with option cards or variants; for courses with elements of expansions
BASE, OPTIONS, FULL = FORMS = "base", "options", "full"
EXPANSIONS = (OPTIONS, FULL)


def _show(text: Callable[[float], str]) -> AbstractContextManager[None]:
    from rr_gym.progress import status_line

    return status_line(text)


def _no_compiler(text: str) -> Exception:
    from rr_gym.errors import MissingExtraError

    return MissingExtraError(text)


_FOLDER = Path(__file__).parent
SETTINGS = CompilerSettings(
    "rr_gym",
    kernels="rules",
    forms=(Form(BASE, title="base game"), Form(OPTIONS, "ground", "option cards"), Form(FULL, "elements", "elements")),
    tables_have="squares",
    no_alias=("table", "log"),
    entries=_FOLDER / "entries.json",
    library=_FOLDER / "_library",
    accelerators="rr_gym.rules.fast",
    show=_show,
    no_compiler=_no_compiler,
)
configure(SETTINGS)


def form_of(fields: Iterable[str]) -> str:
    """Return the form that a table is for, given the names of its fields; `BASE` for records that are not tables."""
    return SETTINGS.form_of(fields)


def with_expansions(base: Any) -> Callable[[Function], Function]:
    """Decorate a rule so that it runs on courses with option cards, variants or elements, and `base` on all others.

    `base` is a kernel with the same parameters, or a constant. The choice is made at compile time, from the type of the
    argument `table`, so base courses pay nothing for expansions.
    """
    from rr_gym.compilation.kernels import with_form

    return with_form(OPTIONS, base)


def with_elements(base: Any) -> Callable[[Function], Function]:
    """Decorate a rule so that it runs on courses with elements of expansions, and `base` on all others."""
    from rr_gym.compilation.kernels import with_form

    return with_form(FULL, base)
