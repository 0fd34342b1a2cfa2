"""Accelerators: kernels that stand in for others, which they equal in everything but time.

A rule is written once, plainly: that is the reference. An accelerator of it is another kernel with the same parameters
and result, in a module of its own. Linking lets calls of the rule mean the accelerator. A call of the rule within the
module of its accelerator means what that replaces: the reference, or the accelerator that was registered before it. So
an accelerator may test something cheap and then call the rule.

All kernels of one module are one accelerator: they are used together or not at all, under the module's last name.
Interpreted kernels, and kernels that are compiled as parts of a user's own functions, are always the references.

Environment, for a project called `toys`: `TOYS_REFERENCE=1` uses none. `TOYS_ACCELERATORS=lasers,contacts` uses these
alone, and `TOYS_ACCELERATORS=-lasers` all but these.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar, cast

from rr_gym.compilation.kernels import KERNELS, Choice, Kernel, kernel
from rr_gym.compilation.settings import COMPILED, current, is_set

Function = TypeVar("Function", bound=Callable[..., Any])

REFERENCE = "none"  # the choice of no accelerator at all

_accelerating: dict[str, list[tuple[Kernel, tuple[str, ...]]]] = {}  # by rule, with forms, as registered


def accelerates(rule: Any, forms: Iterable[str] = ()) -> Callable[[Function], Function]:
    """Let the decorated kernel stand in for a rule. It stands in place of `@kernel`.

    Args:
        rule: The rule: a kernel, or one with two forms, of which the one that is no constant is meant.
        forms: The forms of the tables for which it does; by default all.

    Raises:
        TypeError: Its parameters or its result are not those of the rule.
    """

    def decorate(function: Function) -> Function:
        made = kernel(function)
        if not COMPILED:
            return made
        reference = rule.full if isinstance(rule, Choice) else rule
        fast = cast(Kernel, made)
        if (fast.parameters, fast.returns) != (reference.parameters, reference.returns):
            expected = f"({', '.join(reference.parameters)}) -> {reference.returns}"
            raise TypeError(f"{fast.name}: it stands in for {reference.name}, so expected {expected}")
        chain = _accelerating.setdefault(reference.name, [])
        chain[:] = [entry for entry in chain if entry[0].name != fast.name]  # of a module that was loaded anew
        chain.append((fast, tuple(forms) or current().form_names))
        return made

    return decorate


def _load() -> None:
    """Import the package that registers accelerators."""
    if current().accelerators:
        import_module(current().accelerators)


def name_of(accelerator: Kernel) -> str:
    """Return the name under which an accelerator is chosen."""
    return accelerator.module.rpartition(".")[2]


def known() -> list[str]:
    """Return the names of all accelerators."""
    _load()
    return sorted({name_of(fast) for chain in _accelerating.values() for fast, _ in chain})


class _Chosen:
    """Which accelerators are used: all, those with a name, or all but those."""

    def __init__(self, text: str) -> None:
        self.text = text
        names = [name.strip() for name in text.split(",") if name.strip()]
        self._without = text != REFERENCE and all(name.startswith("-") for name in names)
        self._names = {name.removeprefix("-") for name in names} - {REFERENCE}

    def __contains__(self, name: str) -> bool:
        return (name in self._names) != self._without

    def check(self) -> None:
        """Raise a `ValueError` where a name is that of no accelerator."""
        unknown = sorted(self._names - set(known())) if self._names else []
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: expected some of {', '.join(known()) or 'none: there are none'}")


_chosen: list[_Chosen] = []  # one; none before it is asked for


def _now() -> _Chosen:
    if not _chosen:
        reference, names = map(current().variable, ("REFERENCE", "ACCELERATORS"))
        _chosen.append(_Chosen(REFERENCE if is_set(reference) else os.environ.get(names, "")))
    return _chosen[0]


def check_choice(text: str) -> None:
    """Check that the accelerators that a text asks for exist.

    Raises:
        ValueError: One of them does not.
    """
    _Chosen(text).check()


def check_chosen() -> None:
    """Check that the accelerators that the environment asks for exist.

    Raises:
        ValueError: One of them does not.
    """
    try:
        _now().check()
    except ValueError as error:
        raise ValueError(f"{current().variable('ACCELERATORS')}: {error}") from None


def uses_all() -> bool:
    """Return whether nothing else was asked for than all accelerators."""
    return not _now().text


@contextmanager
def using(text: str) -> Iterator[None]:
    """Use other accelerators for a while: the text is that of the variable `ACCELERATORS`, or `none`.

    No other thread may play meanwhile.
    """
    chosen = _Chosen(text)
    chosen.check()
    before = _enter(chosen)
    try:
        yield
    finally:
        _enter(before)


_entered: dict[str, dict[str, dict[Any, Any]]] = {}  # the entries of kernels by what was chosen


def _enter(chosen: _Chosen) -> _Chosen:
    before = _now()
    _entered[before.text] = {name: one.entries for name, one in KERNELS.items()}
    kept = _entered.get(chosen.text, {})
    for name, one in KERNELS.items():
        one.entries = kept.get(name, {})
    _chosen[0] = chosen
    return before


def chain_of(rule: Kernel, form: str) -> list[Kernel]:
    """Return the accelerators of a rule that are used in a form of the tables: what callers get is the last one."""
    if current().owns(rule.name):
        _load()
    found = _accelerating.get(rule.name)
    if not found:
        return []
    return [fast for fast, forms in found if form in forms and name_of(fast) in _now()]


def target_of(rule: Kernel, form: str, module: str) -> Kernel:
    """Return what a call of a rule means in a module: its accelerator, or in that one's own what it replaces."""
    chain = [rule, *chain_of(rule, form)]
    place = next((k for k, one in enumerate(chain) if k and one.module == module), len(chain))
    return chain[place - 1]
