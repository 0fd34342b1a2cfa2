"""Everything that uses the internals of Numba: translate one function to LLVM, with calls of kernels left open.

Numba infers the types of one function and lowers it. A kernel that it calls is not compiled with it: the call becomes a
call of a symbol (`Called`). Where an array is indexed, a function is asked whether the index is out of bounds
(`rr_gym.compilation.runtime.OUTSIDE`); linking turns it into a check, or into a constant "no".

This module uses Numba's interfaces for extensions, and these internals: `compile_extra` with a library of our own and a
compilation that ends before machine code is made, the calling convention, the descriptors of functions, and the
indexing of arrays. `TESTED` lists the versions with which this works; with any other version kernels are compiled by
`numba.njit` alone (`rr_gym.compilation.plain`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, compiler, config, imputils
from numba.core.codegen import CodeLibrary
from numba.core.compiler_lock import global_compiler_lock
from numba.core.registry import cpu_target
from numba.core.typing import signature
from numba.extending import models, register_model
from numba.np import arrayobj
from numba.np.numpy_support import as_dtype as as_dtype

from rr_gym.compilation import plain
from rr_gym.compilation.kernels import FormDispatch, Kernel, Untested
from rr_gym.compilation.runtime import OUTSIDE
from rr_gym.compilation.settings import current

TESTED = {"numba": ("0.68.",), "llvmlite": ("0.50.",)}


def check_versions() -> None:
    """Raise `Untested` for versions whose internals are not known."""
    for module in (numba, llvmlite):
        known = TESTED[module.__name__]
        if not module.__version__.startswith(known):
            raise Untested(f"{module.__name__} {module.__version__}: tested with {', '.join(known)}x")


def versions() -> tuple[str, ...]:
    """Return the versions that a translation depends on: Python, Numba, llvmlite and NumPy."""
    return (sys.version, numba.__version__, llvmlite.__version__, np.__version__)


@dataclass(frozen=True)
class Called:
    """What a call of a kernel is translated to.

    Attributes:
        given: The types of Numba that its arguments are converted to.
        result: The type of its result.
        symbol: The function that is called; empty if the call is a constant.
        kinds: The types of the function's parameters, which may stand for those of the arguments.
        constant: The value of the call if it is a constant.
    """

    given: tuple[Any, ...]
    result: Any
    symbol: str = ""
    kinds: tuple[Any, ...] = ()
    constant: Any = None


Describe = Callable[[Kernel | FormDispatch, tuple[Any, ...]], Called]
_describe: list[Describe] = []  # for each function being translated: describes a call with given arguments
_implemented: set[Any] = set()


class KernelType(types.Callable, types.Opaque):  # type: ignore[misc]
    """The type that Numba gives a kernel while a function that calls it is translated."""

    def __init__(self, kernel: Kernel | FormDispatch) -> None:
        self.kernel = kernel
        super().__init__(f"kernel {kernel.name}")

    @property
    def key(self) -> Any:
        """Return the kernel, which identifies the type: a reloaded module has other kernels of the same names."""
        return self.kernel

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call with arguments of these types."""
        named = (kws[name] for name in self.kernel.parameters[len(args) :])
        called = _describe[-1](self.kernel, (*args, *named))
        return signature(called.result, *called.given)

    def get_call_signatures(self) -> Any:
        """Return that no signatures are known beforehand."""
        return (), False

    def get_impl_key(self, sig: Any) -> Any:
        """Return the key under which the lowering of a call is found, after registering it at the first such call."""
        key = (self, tuple(sig.args))
        if key not in _implemented:
            _implemented.add(key)
            called = _describe[-1](self.kernel, key[1])
            lower = _call(called) if called.symbol else _constant(called.constant)
            cpu_target.target_context.insert_func_defn([(lower, key, sig.args)])
        return key


register_model(KernelType)(models.OpaqueModel)


@imputils.lower_constant(KernelType)  # type: ignore[untyped-decorator]
def _no_value(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


def _call(called: Called) -> Any:
    """Return a function that lowers a call of a symbol by Numba's calling convention."""

    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        conv = context.call_conv
        kind = conv.get_function_type(sig.return_type, called.kinds)
        function = cgutils.get_or_insert_function(builder.module, kind, called.symbol)
        given = [
            arg if one == other else builder.bitcast(arg, context.get_value_type(other))
            for arg, one, other in zip(args, sig.args, called.kinds, strict=True)
        ]
        status, result = conv.call_function(builder, function, sig.return_type, called.kinds, given)
        with cgutils.if_unlikely(builder, status.is_error):
            conv.return_status_propagate(builder, status)
        return imputils.impl_ret_new_ref(context, builder, sig.return_type, result)

    return call


def _constant(value: Any) -> Any:
    def constant(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return context.get_dummy_value() if value is None else context.get_constant(sig.return_type, value)

    return constant


def _is_own(function: Any) -> bool:
    """Tell whether an LLVM function is made from a kernel of the project."""
    name = current().name
    return bool(function.name.startswith(f"_ZN{len(name)}{name}"))


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """Return an index as machine code uses it, after asking whether it is out of bounds.

    Python counts negative indices from the end. Kernels of the project do so only by literals that stand alone (among
    several indices they are not constants here), so the sign of other indices is not tested, which would take a
    twentieth of a turn of RoboRally and a fifth of a decision of its greedy player. With `NUMBA_BOUNDSCHECK` a negative
    variable is an error. A kernel with an index out of bounds returns an error before it uses the index, and its caller
    passes the error on; it is recorded nowhere else.
    """
    if not isinstance(builder.module, _Module):  # a function of Numba's own, which Numba compiles itself
        return _index_of_numba(context, builder, kind, index, size)
    if isinstance(index, ir.Constant) or not _is_own(builder.function):
        place = _index_of_numba(context, builder, kind, index, size)
    else:
        place = context.cast(builder, index, kind, types.intp if kind.signed else types.uintp)
    word = ir.IntType(64)
    asked = cgutils.get_or_insert_function(builder.module, ir.FunctionType(ir.IntType(1), (word, word)), OUTSIDE)
    with cgutils.if_unlikely(builder, builder.call(asked, (place, size))):
        what = f"index is out of bounds in {builder.module.kernel}"
        context.call_conv.return_user_exc(builder, IndexError, (what,))
    return place


_index_of_numba = arrayobj.fix_integer_index
_ASKED = re.compile(rf'^declare .*@"?{re.escape(OUTSIDE)}"?\(.*\)', re.MULTILINE)


class _Module(ir.Module):  # type: ignore[misc]
    """A module of LLVM that belongs to the kernel with this name."""

    kernel: str


class _Collected(CodeLibrary):  # type: ignore[misc]
    """A library of Numba that keeps the modules of a kernel as they are: not optimized, and without machine code."""

    def __init__(self, kernel: str, symbol: str) -> None:
        super().__init__(cpu_target.target_context.codegen(), symbol)
        self.kernel = kernel
        self.modules: list[str] = []
        self.helpers: list[Any] = []

    def create_ir_module(self, name: str) -> Any:
        """Return an empty module that is marked as belonging to the kernel."""
        module = super().create_ir_module(name)
        module.__class__ = _Module
        module.kernel = self.kernel
        return module

    def add_ir_module(self, module: Any) -> None:
        """Add a module as text, with aliasing of arguments and the bounds question annotated."""
        no_alias = [f"arg.{name}" for name in current().no_alias]
        for function in filter(_is_own, module.functions):
            for argument in function.args:
                if argument.name in no_alias:
                    argument.add_attribute("noalias")
        text = cgutils.normalize_ir_text(str(module))
        self.modules.append(_ASKED.sub(r"\g<0> nounwind willreturn memory(none)", text))

    def add_linking_library(self, library: Any) -> None:
        """Add a library that Numba itself needs."""
        if library not in self.helpers:
            self.helpers.append(library)

    def linked(self, entered: str) -> Any:
        """Return one module with everything, in which the function `entered` has the kernel's symbol.

        Numba's additions are internal.
        """
        # A kernel that calls itself declares what it defines under another name: only the definition stays.
        itself = re.compile(f'^declare .*@"{re.escape(self.name)}"\\(.*\n', re.MULTILINE)
        texts = [itself.sub("", text).replace(f'@"{self.name}"', f'@"{entered}"') for text in self.modules]
        module = llvm.parse_assembly(texts[0])
        for text in texts[1:]:
            module.link_in(llvm.parse_assembly(text))
        defined = {function.name for function in module.functions if not function.is_declaration}
        for helper in self.helpers:
            module.link_in(helper._get_module_for_linking().clone())
        for function in module.functions:
            if not function.is_declaration and function.name not in defined:
                function.linkage = "internal"
        for variable in module.global_variables:
            if not variable.is_declaration:
                variable.linkage = "internal"
        module.get_function(entered).name = self.name
        return module

    def _nothing(self, *_: Any) -> Any:
        raise NotImplementedError  # only called for libraries with machine code, which this never has

    finalize = get_function = get_defined_functions = get_llvm_str = get_asm_str = _nothing


_Collected.__abstractmethods__ = frozenset()


class _Kinds(tuple[Any, ...]):
    """The types of arguments, with a short text.

    Numba writes types out before each of its passes, for records with all their fields: lowering everything that the
    base game of RoboRally needs would take a third more processor time (81 instead of 61 s).
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self))})"


class _Flags(compiler.Flags):  # type: ignore[misc]
    """Compiler settings that are quick to compare, which Numba does some hundreds of times for each kernel.

    Lowering everything that the base game of RoboRally needs takes 7 % less processor time.
    """

    def __hash__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, compiler.Flags) and bool(self._values == other._values)


def _flags(function: Any) -> Any:
    options = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, boundscheck=False)
    dispatcher = options(function)
    flags = _Flags()
    dispatcher.targetdescr.options.parse_as_flags(flags, dispatcher.targetoptions)
    flags.no_compile = True
    return flags


@contextmanager
def _translating(describe: Describe) -> Iterator[None]:
    _describe.append(describe)
    plain.type_hooks.append(KernelType)
    before, arrayobj.fix_integer_index = arrayobj.fix_integer_index, _index
    # Linking decides about checks; those of Numba itself, which this setting adds, would stay in shared units.
    checks, config.BOUNDSCHECK = config.BOUNDSCHECK, 0
    try:
        yield
    finally:
        arrayobj.fix_integer_index = before
        config.BOUNDSCHECK = checks
        plain.type_hooks.pop()
        _describe.pop()


@global_compiler_lock  # type: ignore[untyped-decorator]
def translate(
    name: str, symbol: str, function: FunctionType, kinds: tuple[Any, ...], result: Any, describe: Describe
) -> tuple[Any, Any]:
    """Translate a kernel with arguments of some types.

    Args:
        name: The name of the kernel.
        symbol: The name of the function that it becomes.
        function: Its Python function.
        kinds: The types of its arguments.
        result: The type of its result; None to let Numba infer it.
        describe: Returns what a call of a kernel is translated to.

    Returns:
        The module of LLVM, and the type of the result.
    """
    plain.register()
    context = cpu_target.target_context
    context.refresh()
    library = _Collected(name, symbol)
    with _translating(describe):
        made = compiler.compile_extra(
            cpu_target.typing_context, context, function, _Kinds(kinds), result, _flags(function), {}, library=library,
        )  # fmt: skip
    return library.linked(made.fndesc.llvm_func_name), made.signature.return_type
