"""From Python to LLVM: what is done with the inside of Numba stands here and nowhere else.

Numba works out the types of one kernel and lowers it. The kernels that it calls are not compiled with it: a call is a
call of a symbol, whose name follows from the kernel and the types, and whose result from the kernel's annotation. So
each kernel is a unit by itself, which is kept as long as its own text and constants stay. Tables of all forms are
lowered as one type (`rr_gym.records.stand_for`): which rule of two a call gets is decided when units are linked. Where
an array is indexed a function is asked whether the index lies outside; linking makes that a check, or never.

Used are Numba's interfaces for extensions, and from its inside: `compile_extra` with a library and a compilation that
ends before machine code is made, the calling convention, the descriptors of functions, and how arrays are indexed.
`TESTED` says of which versions that is known to work; with others kernels are compiled by `numba.njit` alone
(`rr_gym.compilation.plain`).
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
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
from numba.core.funcdesc import FunctionDescriptor
from numba.core.registry import cpu_target
from numba.core.typing import signature
from numba.extending import models, register_model
from numba.np import arrayobj

from rr_gym.compilation import plain
from rr_gym.compilation.kernels import RESULTS, Choice, Kernel, Untested
from rr_gym.compilation.kinds import read_as, stands_for_others, widened
from rr_gym.compilation.linking import OUTSIDE, simplify
from rr_gym.interrupts import interrupts_wait

TESTED = {"numba": ("0.68.",), "llvmlite": ("0.50.",)}


def check_versions() -> None:
    """Raise `Untested` for versions of which the inside is not known."""
    for module in (numba, llvmlite):
        known = TESTED[module.__name__]
        if not module.__version__.startswith(known):
            raise Untested(f"{module.__name__} {module.__version__}: tested with {', '.join(known)}x")


def versions() -> tuple[str, ...]:
    """What a lowered unit depends on besides the settings of the build."""
    return (sys.version, numba.__version__, llvmlite.__version__, np.__version__)


_PAIR = types.UniTuple(types.int64, 2)
_RETURNS = dict(
    zip(
        RESULTS,
        (types.none, types.int64, types.boolean, types.float64, types.int64, types.uint64, _PAIR),
        strict=True,
    )
)


@dataclass(frozen=True)
class Unit:
    """A kernel with the types of its arguments: what is lowered at once, or a call that linking decides on."""

    kernel: Kernel | Choice
    kinds: tuple[Any, ...]

    @staticmethod
    def of(kernel: Kernel | Choice, kinds: Any) -> Unit:
        """The unit for a call with arguments of some types."""
        return Unit(kernel, tuple(map(read_as, kinds)))

    @property
    def symbol(self) -> str:
        """The name of its function."""
        digest = hashlib.sha256("; ".join(map(str, self.kinds)).encode()).hexdigest()[:16]
        return f"{self.kernel.name}.{digest}"


@dataclass
class Lowered:
    """A unit as LLVM has it.

    Attributes:
        bitcode: Its module.
        calls: The units that it calls.
        result: What it returns: the type of Numba.
    """

    bitcode: bytes
    calls: list[Unit] = field(default_factory=list)
    result: Any = types.none


_inferred: dict[Unit, Lowered] = {}  # where annotations do not say what is returned


def forget() -> None:
    """Forget what was worked out of kernels that do not say what they return."""
    _inferred.clear()


_called: list[dict[Unit, None]] = []  # of the units that are being lowered


class KernelType(types.Callable, types.Opaque):  # type: ignore[misc]
    """What Numba takes a kernel for while a unit is lowered."""

    def __init__(self, kernel: Kernel | Choice) -> None:
        self.kernel = kernel
        super().__init__(f"kernel {kernel.name}")

    @property
    def key(self) -> Any:
        """What types are told apart by: a module that is loaded anew has other kernels of the same names."""
        return self.kernel

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """What a call returns; the unit that is called is noted."""
        kinds = list(args)
        for name in self.kernel.parameters[len(args) :]:
            kinds.append(kws[name])
        wide = widened(kinds)
        target = chosen(self.kernel, wide)
        if not isinstance(target, Kernel | Choice):
            return signature(types.none if target is None else types.unliteral(numba.typeof(target)), *wide)
        unit = Unit.of(target, wide)
        _called[-1][unit] = None
        return signature(result_of(unit), *wide)

    def get_call_signatures(self) -> Any:
        """None are known beforehand."""
        return (), False

    def get_impl_key(self, sig: Any) -> Any:
        """Under which key the lowering of a call is found; it is laid there if it is the first."""
        target = chosen(self.kernel, sig.args)
        key = (self, tuple(sig.args))
        context = cpu_target.target_context
        if key not in _implemented:
            _implemented.add(key)
            is_called = isinstance(target, Kernel | Choice)
            call = _call(Unit.of(target, sig.args)) if is_called else _constant(target)
            context.insert_func_defn([(call, key, sig.args)])
        return key


_implemented: set[Any] = set()
register_model(KernelType)(models.OpaqueModel)


@imputils.lower_constant(KernelType)  # type: ignore[untyped-decorator]
def _no_value(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.get_dummy_value()


def chosen(kernel: Kernel | Choice | Any, kinds: Any) -> Any:
    """The kernel, or the constant, that a call with arguments of these types gets.

    It stays a rule with two forms where the type of the table stands for others: then linking decides.
    """
    while isinstance(kernel, Choice):
        table = kinds[kernel.place]
        if stands_for_others(read_as(table)):
            break
        kernel = kernel.full if kernel.mark in table.fields else kernel.base
    return kernel


def result_of(unit: Unit) -> Any:
    """What a unit returns: by its annotation, else what Numba finds out."""
    kernel = unit.kernel
    while isinstance(kernel, Choice):
        kernel = kernel.full
    known = _RETURNS.get(kernel.returns)
    return lower(Unit(kernel, unit.kinds)).result if known is None else known


def _call(unit: Unit) -> Any:
    """How a call of another unit is lowered: of a symbol, by Numba's calling convention."""

    def call(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        conv = context.call_conv
        kind = conv.get_function_type(sig.return_type, unit.kinds)
        function = cgutils.get_or_insert_function(builder.module, kind, unit.symbol)
        given = [
            arg if one == other else builder.bitcast(arg, context.get_value_type(other))
            for arg, one, other in zip(args, sig.args, unit.kinds, strict=True)
        ]
        status, result = conv.call_function(builder, function, sig.return_type, unit.kinds, given)
        with cgutils.if_unlikely(builder, status.is_error):
            conv.return_status_propagate(builder, status)
        return imputils.impl_ret_new_ref(context, builder, sig.return_type, result)

    return call


def _constant(value: Any) -> Any:
    def constant(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if value is None:
            return context.get_dummy_value()
        return context.get_constant(sig.return_type, value)

    return constant


# Records that nothing else leads to: no store to the game changes what has been read of them
_APART = ("arg.table", "arg.log")


def _is_ours(function: Any) -> bool:
    """A function of LLVM is made from a kernel of this package."""
    return bool(function.name.startswith("_ZN6rr_gym"))


def _index(context: Any, builder: Any, kind: Any, index: Any, size: Any) -> Any:
    """An index as machine code uses it.

    Python counts negative ones from the end. Kernels of this package do so by literals that stand alone (among several
    indices they are no constants here), so that others need no look at their sign: that takes a twentieth of a turn,
    and a fifth of a decision of greedy. With `NUMBA_BOUNDSCHECK` a negative one is an error. A kernel that has an index
    out of bounds returns an error before it uses it, which its caller passes on: nothing is noted anywhere else.
    """
    if not isinstance(builder.module, _Module):  # a function of Numba's own, of which it makes machine code itself
        return _index_of_numba(context, builder, kind, index, size)
    if isinstance(index, ir.Constant) or not _is_ours(builder.function):
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
    """A module of a unit. `kernel` is the name of its kernel."""

    kernel: str


class _Collected(CodeLibrary):  # type: ignore[misc]
    """Keeps the modules of a unit as they are; nothing is optimised and no machine code is made."""

    def __init__(self, unit: Unit) -> None:
        super().__init__(cpu_target.target_context.codegen(), unit.symbol)
        self.kernel = unit.kernel.name
        self.modules: list[str] = []
        self.helpers: list[Any] = []

    def create_ir_module(self, name: str) -> Any:
        """An empty module that is known for one of a unit."""
        module = super().create_ir_module(name)
        module.__class__ = _Module
        module.kernel = self.kernel
        return module

    def add_ir_module(self, module: Any) -> None:
        """Take a module as text."""
        for function in filter(_is_ours, module.functions):
            for argument in function.args:
                if argument.name in _APART:
                    argument.add_attribute("noalias")
        text = cgutils.normalize_ir_text(str(module))
        self.modules.append(_ASKED.sub(r"\g<0> nounwind willreturn memory(none)", text))

    def add_linking_library(self, library: Any) -> None:
        """Take what Numba itself adds."""
        if library not in self.helpers:
            self.helpers.append(library)

    def _nothing(self, *_: Any) -> Any:
        raise NotImplementedError  # asked of libraries with machine code alone, which this never is

    finalize = get_function = get_defined_functions = get_llvm_str = get_asm_str = _nothing


_Collected.__abstractmethods__ = frozenset()


class _Kinds(tuple[Any, ...]):
    """The types of arguments. Numba writes them out before each of its passes, which takes long for records."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"({', '.join(map(str, self))})"


def _flags(function: Any) -> Any:
    options = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, boundscheck=False)
    dispatcher = options(function)
    flags = compiler.Flags()
    dispatcher.targetdescr.options.parse_as_flags(flags, dispatcher.targetoptions)
    flags.no_compile = True
    return flags


def _without_path(function: Any) -> Any:
    """The same function, as if it stood in a file with the name of its module: errors name the file."""
    code = function.__code__.replace(co_filename=f"{function.__module__}.py")
    twin = FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
    twin.__module__, twin.__qualname__, twin.__doc__ = function.__module__, function.__qualname__, function.__doc__
    twin.__kwdefaults__ = function.__kwdefaults__
    return twin


# What Numba does some hundreds of times for each kernel: it compares its settings by writing all of them into a list,
# and writes out all fields of records.
def _hash_of_flags(flags: Any) -> int:
    return len(flags._values)


def _name_of(kind: Any) -> str:
    return str(kind.name)


def _same_flags(flags: Any, other: Any) -> bool:
    return isinstance(other, compiler.Flags) and bool(flags._values == other._values)


@contextmanager
def _lowering() -> Iterator[dict[Unit, None]]:
    _called.append({})
    plain.typing.append(KernelType)
    before, arrayobj.fix_integer_index = arrayobj.fix_integer_index, _index
    # Linking decides about checks: Numba's own, which that variable adds, would stay in units that others share.
    checks, config.BOUNDSCHECK = config.BOUNDSCHECK, 0
    slow = compiler.Flags.__hash__, compiler.Flags.__eq__, types.Record.__repr__
    compiler.Flags.__hash__, compiler.Flags.__eq__, types.Record.__repr__ = _hash_of_flags, _same_flags, _name_of
    try:
        yield _called[-1]
    finally:
        compiler.Flags.__hash__, compiler.Flags.__eq__, types.Record.__repr__ = slow
        arrayobj.fix_integer_index = before
        config.BOUNDSCHECK = checks
        plain.typing.pop()
        _called.pop()


@global_compiler_lock  # type: ignore[untyped-decorator]
def lower(unit: Unit) -> Lowered:
    """Lower one unit, of a kernel."""
    assert isinstance(unit.kernel, Kernel)
    if unit in _inferred:
        return _inferred[unit]
    plain.register()
    context = cpu_target.target_context
    context.refresh()
    library = _Collected(unit)
    function = _without_path(unit.kernel.function)
    declared = _RETURNS.get(unit.kernel.returns)
    with interrupts_wait(), _lowering() as calls:
        made = compiler.compile_extra(
            cpu_target.typing_context,
            context,
            function,
            _Kinds(unit.kinds),
            declared,
            _flags(function),
            {},
            library=library,
        )
    lowered = Lowered(_module(unit, library, made.fndesc), list(calls), made.signature.return_type)
    if declared is None:  # its callers have asked for it, or will
        _inferred[unit] = lowered
    return lowered


def _module(unit: Unit, library: _Collected, descriptor: FunctionDescriptor) -> bytes:
    """One module with everything of a unit: the kernel by its symbol, what Numba adds to it inside."""
    module = llvm.parse_assembly(library.modules[0])
    for text in library.modules[1:]:
        module.link_in(llvm.parse_assembly(text))
    defined = {function.name for function in module.functions if not function.is_declaration}
    for helper in library.helpers:
        module.link_in(helper._get_module_for_linking().clone())
    for function in module.functions:
        if not function.is_declaration and function.name not in defined:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    entered = module.get_function(descriptor.llvm_func_name)
    entered.name = unit.symbol
    if isinstance(unit.kernel, Kernel) and unit.kernel.seldom:
        entered.add_function_attribute("cold")
    simplify(module)
    return bytes(module.as_bitcode())
