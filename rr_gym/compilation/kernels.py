"""Kernels: functions that are compiled together into one module for each form of the tables.

A kernel is plain Python over records and arrays. Called from Python, it enters machine code, from a library that fits
or from one that is compiled now (`rr_gym.compilation.entering`). Called by another kernel, it is part of the same
module. This file needs no compiler: if a library fits, Numba is never imported.

A kernel may have two forms, for tables of different forms (`with_form`). Kernels may be replaced by faster ones
(`rr_gym.compilation.accelerators`).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from rr_gym.compilation.settings import COMPILED as COMPILED
from rr_gym.compilation.settings import current
from rr_gym.compilation.sources import note

Function = TypeVar("Function", bound=Callable[..., Any])


# The results that annotations may name
RESULTS = ("None", "int", "bool", "float", "np.int64", "np.uint64", "tuple[int, int]")


class Untested(ImportError):
    """A version of Numba or llvmlite whose internals are not known to this package."""


# Calls machine code, with the arguments and the words that represent them
Entry = Callable[[tuple[Any, ...], list[int]], Any]


class Kernel:
    """A function that compiled code can call, and through which Python enters compiled code.

    Attributes:
        function: The Python function.
        name: Module and name, as libraries and the cache know it.
        module: The module that defines it.
        parameters: Names of its arguments.
        returns: Its annotated return type, as written.
        cold: Whether its callers rarely call it; see `rr_gym.compilation.kernels.cold`.
    """

    enter: ClassVar[Callable[[Kernel, tuple[Any, ...]], Any]]  # set by `rr_gym.compilation.entering`

    def __init__(self, function: FunctionType, name: str = "") -> None:
        self.function = function
        self.name = name or f"{function.__module__}.{function.__qualname__}"
        self.module = function.__module__
        self.parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
        returns = function.__annotations__.get("return", "")
        self.returns = returns if isinstance(returns, str) else getattr(returns, "__name__", str(returns))
        self.cold = False
        self.entries: dict[Any, Entry] = {}  # by the types of arguments
        self.__doc__, self.__name__ = function.__doc__, function.__name__
        self.__module__, self.__qualname__ = function.__module__, function.__qualname__
        self.__wrapped__ = function
        note(function.__code__.co_filename)
        KERNELS[self.name] = self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the kernel by its name, by which other processes find it."""
        return find_kernel, (self.name,)

    @property
    def has_known_result(self) -> bool:
        """Tell whether its annotation determines the type of its result; otherwise Numba has to infer it."""
        return self.returns in RESULTS

    def __call__(self, *arguments: Any) -> Any:
        """Enter machine code, which is found or made at the first call with arguments of these types."""
        return Kernel.enter(self, arguments)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


class FormDispatch:
    """A rule with two forms; the type of a caller's argument `table` decides which form the caller gets.

    Attributes:
        full: The kernel for tables of `form` and of later forms.
        base: The kernel, or the constant, for tables of earlier forms.
        form: The first form that gets `full`.
        place: The index of the argument `table`.
    """

    def __init__(self, full: Kernel, base: Any, form: str) -> None:
        self.full, self.base, self.form, self.mark = full, base, form, current().mark_of(form)
        self.parameters = full.parameters
        self.place = self.parameters.index("table")
        self.name = f"{full.name}?"
        self.__doc__, self.__name__, self.__module__ = full.__doc__, full.__name__, full.__module__
        self.__wrapped__ = full.__wrapped__
        FORM_DISPATCHES[self.name] = self
        for listener in FORM_DISPATCH_LISTENERS:
            listener(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rule by its name, by which other processes find it."""
        return find_callee, (self.name,)

    def __call__(self, *arguments: Any) -> Any:
        """Call the form for this table."""
        chosen = self.full if self.mark in arguments[self.place].dtype.names else self.base
        return chosen(*arguments) if callable(chosen) else chosen

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


def _enter_first(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    enter = import_module("rr_gym.compilation.entering").enter
    if Kernel.enter is _enter_first:  # unless somebody has replaced it to record what is entered
        Kernel.enter = enter
    return enter(kernel, arguments)


Kernel.enter = _enter_first
KERNELS: dict[str, Kernel] = {}
FORM_DISPATCHES: dict[str, FormDispatch] = {}
FORM_DISPATCH_LISTENERS: list[Callable[[FormDispatch], None]] = []  # called with each new rule with two forms


def find_kernel(name: str) -> Kernel | None:
    """Return a kernel by module and name, importing the module if need be; return None if there is none."""
    if name not in KERNELS:
        try:
            import_module(name.rpartition(".")[0])
        except ImportError:
            return None
    return KERNELS.get(name)


def find_callee(name: str) -> Kernel | FormDispatch | None:
    """Return a kernel, or a rule with two forms, by module and name; return None if there is none."""
    found = find_kernel(name.removesuffix("?"))
    return FORM_DISPATCHES.get(name) if name.endswith("?") else found


def resolve(rule: Any, form: str) -> Any:
    """Return the kernel, or the constant, that a call gets in a form of the rules; the rule may have two forms."""
    while isinstance(rule, FormDispatch):
        names = current().form_names
        rule = rule.full if names.index(rule.form) <= names.index(form) else rule.base
    return rule


def kernel(function: Function) -> Function:
    """Decorate a function to be compiled when compiled code or Python first calls it with arguments of some types.

    If compilation is switched off, the function runs interpreted. Rules rely on unsigned integers that wrap around;
    NumPy warns of this for scalars, so interpreted functions run with that warning off.
    """
    if COMPILED:
        return Kernel(cast(FunctionType, function))  # type: ignore[return-value]
    return np.errstate(over="ignore")(function) if "uint64" in function.__code__.co_names else function


def named_kernel(name: str, base: Any = None, form: str = "") -> Callable[[Function], Function]:
    """Decorate a function like `kernel`, under a given name.

    This is for functions that are created at each call of an enclosing function.

    Args:
        name: The module in which it can be found, and its name there.
        base: What tables of forms before `form` get, as in `with_form`.
        form: Empty if tables of all forms get the function.
    """

    def decorate(function: Function) -> Function:
        if not COMPILED:
            chosen = kernel(function)
            return _interpreted(chosen, base, current().mark_of(form)) if form else chosen  # type: ignore[return-value]
        made = Kernel(cast(FunctionType, function), name)
        return FormDispatch(made, base, form) if form else made  # type: ignore[return-value]

    return decorate


def cold(rule: Function) -> Function:
    """Mark a kernel that its callers rarely call, because they test something first. It stands above `@kernel`.

    Unless the kernel is small, it is not inlined, so that its callers stay small and can be inlined with their test.
    """
    if isinstance(rule, Kernel):
        rule.cold = True
    return rule


def with_form(form: str, base: Any) -> Callable[[Function], Function]:
    """Use the decorated kernel for tables of a form and of later forms, and `base` for tables of earlier forms.

    `base` is a kernel with the same parameters, or a constant. Which of them a caller gets is known from the type of
    its argument `table` when it is compiled, so tables of earlier forms pay nothing for the feature, neither in time
    nor in compilation.
    """

    def decorate(function: Function) -> Function:
        if COMPILED:
            return FormDispatch(Kernel(cast(FunctionType, function)), base, form)  # type: ignore[return-value]
        return _interpreted(kernel(function), base, current().mark_of(form))  # type: ignore[return-value]

    return decorate


def _interpreted(function: Callable[..., Any], base: Any, mark: str) -> Callable[..., Any]:
    place = list(inspect.signature(function).parameters).index("table")

    def chosen(*arguments: Any) -> Any:
        if mark in arguments[place].dtype.names:
            return function(*arguments)
        return base(*arguments) if callable(base) else base

    chosen.__doc__, chosen.__name__, chosen.__module__ = function.__doc__, function.__name__, function.__module__
    chosen.__wrapped__ = function  # type: ignore[attr-defined]
    return chosen
