"""Accelerators: kernels that replace others and do exactly the same in less time.

A rule is written once, plainly; this is its reference. An accelerator of the rule is another kernel with the same
parameters and result, in a module of its own. Linking redirects calls of the rule to the accelerator, except calls
within the accelerator's own module: these get what it replaces, which is the reference or the accelerator that was
registered before it. So an accelerator may test something cheap and then call the rule.

All kernels of one module are one accelerator: they are used together or not at all, under the last part of the module's
name. Interpreted kernels, and kernels that are compiled as parts of a user's own functions, are always the references.

Environment, for a project called `toys`: `TOYS_REFERENCE=1` uses no accelerators. `TOYS_ACCELERATORS=lasers,contacts`
uses only these, and `TOYS_ACCELERATORS=-lasers` uses all but this one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar, cast

from rr_gym.compilation.kernels import KERNELS, FormDispatch, Kernel, kernel
from rr_gym.compilation.settings import COMPILED, current, is_set

Function = TypeVar("Function", bound=Callable[..., Any])

REFERENCE = "none"  # the choice of no accelerator at all

_accelerating: dict[str, list[tuple[Kernel, tuple[str, ...]]]] = {}  # by rule, as registered, with their forms


def accelerates(rule: Any, forms: Iterable[str] = ()) -> Callable[[Function], Function]:
    """Register the decorated kernel as an accelerator of a rule; the decorator replaces `@kernel`.

    Args:
        rule: A kernel, or a rule with two forms, whose form `full` is then accelerated.
        forms: The forms of the tables for which the accelerator is used; all by default.

    Raises:
        TypeError: The kernel's parameters or its result differ from those of the rule.
    """

    def decorate(function: Function) -> Function:
        made = kernel(function)
        if not COMPILED:
            return made
        reference = rule.full if isinstance(rule, FormDispatch) else rule
        fast = cast(Kernel, made)
        if (fast.parameters, fast.returns) != (reference.parameters, reference.returns):
            expected = f"({', '.join(reference.parameters)}) -> {reference.returns}"
            raise TypeError(f"{fast.name}: it stands in for {reference.name}, so expected {expected}")
        chain = _accelerating.setdefault(reference.name, [])
        chain[:] = [entry for entry in chain if entry[0].name != fast.name]  # its module was reloaded
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
    """Return the names of all accelerators in alphabetical order."""
    _load()
    return sorted({name_of(fast) for chain in _accelerating.values() for fast, _ in chain})


class _Chosen:
    """The accelerators in use: all, only those named, or all but those named."""

    def __init__(self, text: str) -> None:
        self.text = text
        names = [name.strip() for name in text.split(",") if name.strip()]
        self._without = text != REFERENCE and all(name.startswith("-") for name in names)
        self._names = {name.removeprefix("-") for name in names} - {REFERENCE}

    def __contains__(self, name: str) -> bool:
        return (name in self._names) != self._without

    def check(self) -> None:
        """Raise a `ValueError` if a name is not that of an accelerator."""
        unknown = sorted(self._names - set(known())) if self._names else []
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: expected some of {', '.join(known()) or 'none: there are none'}")


_chosen: list[_Chosen] = []  # holds one choice, from the first time that it is asked for


def _current_choice() -> _Chosen:
    if not _chosen:
        reference, names = map(current().variable, ("REFERENCE", "ACCELERATORS"))
        _chosen.append(_Chosen(REFERENCE if is_set(reference) else os.environ.get(names, "")))
    return _chosen[0]


def check_choice(text: str) -> None:
    """Check that the accelerators named in a string exist.

    Raises:
        ValueError: A name is not that of an accelerator.
    """
    _Chosen(text).check()


def check_chosen() -> None:
    """Check that the accelerators that the environment asks for exist.

    Raises:
        ValueError: A name is not that of an accelerator.
    """
    try:
        _current_choice().check()
    except ValueError as error:
        raise ValueError(f"{current().variable('ACCELERATORS')}: {error}") from None


def uses_all() -> bool:
    """Tell whether all accelerators are in use, because nothing else was asked for."""
    return not _current_choice().text


@contextmanager
def using(text: str) -> Iterator[None]:
    """Use other accelerators within a context; the text is a value of the variable `ACCELERATORS`, or `none`.

    No other thread may call kernels meanwhile.
    """
    chosen = _Chosen(text)
    chosen.check()
    before = _switch_to(chosen)
    try:
        yield
    finally:
        _switch_to(before)


_entered: dict[str, dict[str, dict[Any, Any]]] = {}  # entries of kernels by choice of accelerators and by kernel


def _switch_to(chosen: _Chosen) -> _Chosen:
    before = _current_choice()
    _entered[before.text] = {name: one.entries for name, one in KERNELS.items()}
    kept = _entered.get(chosen.text, {})
    for name, one in KERNELS.items():
        one.entries = kept.get(name, {})
    _chosen[0] = chosen
    return before


def chain_of(rule: Kernel, form: str) -> list[Kernel]:
    """Return the accelerators of a rule that are used in a form of the tables, in order; callers get the last one."""
    if current().owns(rule.name):
        _load()
    found = _accelerating.get(rule.name)
    if not found:
        return []
    return [fast for fast, forms in found if form in forms and name_of(fast) in _current_choice()]


def target_of(rule: Kernel, form: str, module: str) -> Kernel:
    """Return the kernel that a call of a rule in a module gets.

    This is the rule's last accelerator, or, in the module of an accelerator, the kernel that this accelerator replaces.
    """
    chain = [rule, *chain_of(rule, form)]
    place = next((k for k, one in enumerate(chain) if k and one.module == module), len(chain))
    return chain[place - 1]
