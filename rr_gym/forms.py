"""The forms of the rules: base courses, option cards on base boards, and elements of expansions.

What the compiler (`rr_gym.compilation`) is told of this package stands here too. It is told when `rr_gym` is imported,
so this file imports what it needs of NumPy and of the package where it is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, TypeVar

from rr_gym.compilation.settings import ANY as ANY
from rr_gym.compilation.settings import Form, Settings, configure

Function = TypeVar("Function", bound=Callable[..., Any])

# A base course; one with option cards or variants; one with elements of expansions
BASE, OPTIONS, FULL = FORMS = "base", "options", "full"


def _show(text: Callable[[float], str]) -> AbstractContextManager[None]:
    from rr_gym.progress import shown

    return shown(text)


def _no_compiler(text: str) -> Exception:
    from rr_gym.errors import MissingExtraError

    return MissingExtraError(text)


_FOLDER = Path(__file__).parent
SETTINGS = Settings(
    "rr_gym",
    kernels="rules",
    forms=(Form(BASE, title="base game"), Form(OPTIONS, "ground", "option cards"), Form(FULL, "elements", "elements")),
    tables_have="squares",
    apart=("table", "log"),
    entries=_FOLDER / "entries.json",
    library=_FOLDER / "_library",
    accelerators="rr_gym.rules.fast",
    show=_show,
    no_compiler=_no_compiler,
)
configure(SETTINGS)


def form_of(fields: Iterable[str]) -> str:
    """Return the form of a table by the names of its fields; `BASE` for other records."""
    return SETTINGS.form_of(fields)


def with_expansions(base: Any) -> Callable[[Function], Function]:
    """Let the decorated rule play courses with option cards, variants or elements, and `base` all others.

    `base` is a kernel with the same parameters, or a constant. Which of them a caller gets is known from the type of
    its argument `table` when it is compiled, so that base courses pay nothing for expansions.
    """
    from rr_gym.compilation.kernels import with_form

    return with_form(OPTIONS, base)


def with_elements(base: Any) -> Callable[[Function], Function]:
    """Let the decorated rule play courses with elements of expansions, and `base` all others."""
    from rr_gym.compilation.kernels import with_form

    return with_form(FULL, base)
