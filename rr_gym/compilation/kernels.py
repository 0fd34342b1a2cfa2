"""Kernels: functions that are compiled together into one module for each form of the tables.

A kernel is plain Python over records and arrays. Called from Python, it enters machine code: that of a library which
fits, or of one that is compiled now (`rr_gym.compilation.entering`). Called by another kernel, it is part of the same
module. This file needs no compiler: where a library fits, Numba is never imported.

A kernel may have two forms, for tables of different forms (`with_form`). Which kernels stand in for others is said in
`rr_gym.compilation.accelerators`.
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
    """A version of Numba or llvmlite whose inside is not known."""


# How machine code is called: with the arguments, and the words that they are read as
Entry = Callable[[tuple[Any, ...], list[int]], Any]


class Kernel:
    """A function that compiled code may call, and that Python enters compiled code by.

    Attributes:
        function: What it is written as.
        name: Module and name, as libraries and the cache know it.
        module: The module that it stands in.
        parameters: Names of its arguments.
        returns: Its annotated return type, as written.
        cold: See `cold`.
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
        """Other processes find it by its name."""
        return find_kernel, (self.name,)

    @property
    def says_result(self) -> bool:
        """Whether its annotation says what it returns; for others Numba has to find out."""
        return self.returns in RESULTS

    def __call__(self, *arguments: Any) -> Any:
        """Enter machine code, which is found or made at the first call with arguments of these types."""
        return Kernel.enter(self, arguments)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


class Choice:
    """A rule with two forms; which of them a caller gets is decided by the type of its argument `table`.

    Attributes:
        full: The kernel for tables of `form` and of those after it.
        base: The kernel, or the constant, for the others.
        form: The first form that gets `full`.
        place: Which argument is the table.
    """

    def __init__(self, full: Kernel, base: Any, form: str) -> None:
        self.full, self.base, self.form, self.mark = full, base, form, current().mark_of(form)
        self.parameters = full.parameters
        self.place = self.parameters.index("table")
        self.name = f"{full.name}?"
        self.__doc__, self.__name__, self.__module__ = full.__doc__, full.__name__, full.__module__
        self.__wrapped__ = full.__wrapped__
        CHOICES[self.name] = self
        for told in TOLD:
            told(self)

    def __reduce__(self) -> tuple[Any, ...]:
        """Other processes find it by its name."""
        return find_callee, (self.name,)

    def __call__(self, *arguments: Any) -> Any:
        """Enter the form for this table."""
        chosen = self.full if self.mark in arguments[self.place].dtype.names else self.base
        return chosen(*arguments) if callable(chosen) else chosen

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


def _enter_first(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    enter = import_module("rr_gym.compilation.entering").enter
    if Kernel.enter is _enter_first:  # nobody listens to what is entered
        Kernel.enter = enter
    return enter(kernel, arguments)


Kernel.enter = _enter_first
KERNELS: dict[str, Kernel] = {}
CHOICES: dict[str, Choice] = {}
TOLD: list[Callable[[Choice], None]] = []  # what is told of each rule with two forms from now on


def find_kernel(name: str) -> Kernel | None:
    """A kernel by module and name, its module imported if need be; None if there is none."""
    if name not in KERNELS:
        try:
            import_module(name.rpartition(".")[0])
        except ImportError:
            return None
    return KERNELS.get(name)


def find_callee(name: str) -> Kernel | Choice | None:
    """A kernel, or a rule with two forms, by module and name; None if there is none."""
    found = find_kernel(name.removesuffix("?"))
    return CHOICES.get(name) if name.endswith("?") else found


def resolve(rule: Any, form: str) -> Any:
    """The kernel, or the constant, that a call of a kernel or of a rule with two forms gets in a form of the rules."""
    while isinstance(rule, Choice):
        names = current().form_names
        rule = rule.full if names.index(rule.form) <= names.index(form) else rule.base
    return rule


def kernel(function: Function) -> Function:
    """Let a function be compiled when compiled code or Python first calls it with arguments of some types.

    Where compilation is switched off the function runs as it stands. Rules rely on unsigned integers that wrap;
    NumPy warns of that for scalars, so interpreted functions run with that warning off.
    """
    if COMPILED:
        return Kernel(cast(FunctionType, function))  # type: ignore[return-value]
    return np.errstate(over="ignore")(function) if "uint64" in function.__code__.co_names else function


def named_kernel(name: str, base: Any = None, form: str = "") -> Callable[[Function], Function]:
    """As `kernel`, for a function that is made anew at each call of the function around it, and needs its own name.

    Args:
        name: The module in which it can be found, and its name there.
        base: What tables of the forms before `form` get, as in `with_form`.
        form: Empty if all tables get the function.
    """

    def decorate(function: Function) -> Function:
        if not COMPILED:
            chosen = kernel(function)
            return _interpreted(chosen, base, current().mark_of(form)) if form else chosen  # type: ignore[return-value]
        made = Kernel(cast(FunctionType, function), name)
        return Choice(made, base, form) if form else made  # type: ignore[return-value]

    return decorate


def cold(rule: Function) -> Function:
    """Mark a kernel that its callers need seldom: a test of theirs comes before it. Stands above `@kernel`.

    Unless it is small it stays apart from them, so that they stay small; the test becomes a part of what calls them.
    """
    if isinstance(rule, Kernel):
        rule.cold = True
    return rule


def with_form(form: str, base: Any) -> Callable[[Function], Function]:
    """Let the decorated kernel be the one for tables of a form and of those after it, and `base` that for all others.

    `base` is a kernel with the same parameters, or a constant. Which of them a caller gets is known from the type of
    its argument `table` when it is compiled, so that tables of earlier forms pay nothing for it, in time or in
    compilation.
    """

    def decorate(function: Function) -> Function:
        if COMPILED:
            return Choice(Kernel(cast(FunctionType, function)), base, form)  # type: ignore[return-value]
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
