"""One form of a compiled rule for all widths of integers.

Numba compiles a function anew for every combination of its argument types, and the fields of records come in many
widths: hundreds of forms of the same few lines. Here every integer argument is taken as 64 bits before that choice.
Callers convert their values, which costs nothing once a call is inlined. Unsigned words of 64 bits stay what they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types
from numba.core.dispatcher import Dispatcher
from numba.core.typing.templates import infer, infer_global, make_overload_template


def widened(kinds: Any) -> tuple[Any, ...]:
    """The argument types with every integer type but uint64 replaced by int64."""
    plain = (types.unliteral(kind) for kind in kinds)
    return tuple(types.int64 if isinstance(k, types.Integer) and k != types.uint64 else k for k in plain)


def widen_arguments(compiled: Any) -> None:
    """Calls of a compiled function by other compiled functions take all integers as 64 bits."""
    choose = compiled.get_call_template
    compiled.get_call_template = lambda args, kws: choose(widened(args), kws)


def overload(stub: Callable[..., Any], choose: Callable[..., Any]) -> None:
    """Register what stands for `stub` in compiled code: the function that `choose` returns for the argument types.

    A function that is compiled already is called itself, without a form in between.
    """
    template: Any = make_overload_template(stub, choose, {}, False, "never")

    def generic(self: Any, args: Any, kws: Any) -> Any:
        args = widened(args)
        chosen = None if kws else choose(*args)
        if not isinstance(chosen, Dispatcher):
            return super(wide, self).generic(args, kws)
        called = types.Dispatcher(chosen)
        signature = called.get_call_type(self.context, args, kws)
        self._compiled_overloads[signature.args] = called.get_overload(signature)
        return signature

    wide = type(template)(template.__name__, (template,), {"generic": generic})
    infer(wide)
    infer_global(stub, types.Function(wide))
