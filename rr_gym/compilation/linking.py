"""Turn LLVM into machine code: link units into one module, optimize it as a whole, and write one object.

Rules with two forms are resolved to the form that is linked. The optimizer runs twice over the module, with Numba's
pruning of reference counts in between: after only one run the code has two thirds of the speed. Everything but the
entries is internal to the module, so that inlining leaves a few dozen of some hundred functions. Libraries are made for
a generic processor, so that they run on all machines of a platform.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import llvmlite.binding as llvm

from rr_gym.compilation.arguments import DATA_AT, ERROR, FIRST, HEADER, RESULT, SHAPE_AT, STRIDES_AT
from rr_gym.compilation.runtime import COUNTED, COUNTING, OUTSIDE_TEXT, RUNTIME
from rr_gym.compilation.targets import CodeTarget, machine, this_computer


class Entered(Protocol):
    """A function that is visible in linked code and enters a unit."""

    symbol: str

    def text(self) -> str:
        """Return its definition in LLVM's assembly."""

    def declarations(self) -> list[str]:
        """Return the declarations of the unit and of everything else that it calls, in LLVM's assembly."""


class EntryPoint:
    """A function that enters one unit from a block of words.

    Args:
        symbol: The name of the entry in the library.
        unit: The symbol of the unit.
        arguments: For each argument its layout in words: `array N` (dimensions and bytes of an item), `record`, `i64`,
            `i8`, `double`; the parts of tuples follow one another.
    """

    def __init__(self, symbol: str, unit: str, arguments: Sequence[tuple[Any, ...]]) -> None:
        self.symbol, self.unit, self.arguments = symbol, unit, arguments

    def text(self) -> str:
        """Return the definition of the entry in LLVM's assembly."""
        lines, given = [], [f"ptr %word{RESULT}", f"ptr %word{ERROR}"]
        for k in (RESULT, ERROR, HEADER):
            lines.append(f"%word{k} = getelementptr i64, ptr %words, i64 {k}")
        lines.append(f"%header = load i64, ptr %word{HEADER}")
        for n, (kind, *more) in enumerate(self.arguments):
            lines.append(f"%at{n} = getelementptr i64, ptr %words, i64 {FIRST + n}")
            if kind in ("array", "record"):
                lines.append(f"%object{n} = load ptr, ptr %at{n}")
                lines.append(f"%fields{n} = getelementptr i8, ptr %object{n}, i64 %header")
                lines.append(f"%data_at{n} = getelementptr i8, ptr %fields{n}, i64 {DATA_AT[kind]}")
                lines.append(f"%data{n} = load ptr, ptr %data_at{n}")
            if kind == "array":
                given += self._array(lines, n, *more)
            elif kind == "record":
                given.append(f"ptr %data{n}")
            elif kind == "i8":
                lines.append(f"%wide{n} = load i64, ptr %at{n}")
                lines.append(f"%value{n} = trunc i64 %wide{n} to i8")
                given.append(f"i8 %value{n}")
            else:
                lines.append(f"%value{n} = load {kind}, ptr %at{n}")
                given.append(f"{kind} %value{n}")
        body = "\n  ".join(lines)
        return (
            f'define i32 @"{self.symbol}"(ptr %words) {{\n  {body}\n'
            f'  %code = call i32 @"{self.unit}"({", ".join(given)})\n  ret i32 %code\n}}\n'
        )

    def declarations(self) -> list[str]:
        """Return the declaration of the unit in LLVM's assembly."""
        kinds = ["ptr", "ptr"]
        for kind, *more in self.arguments:
            kinds += (
                ["ptr", "ptr", "i64", "i64", "ptr", *["i64"] * 2 * more[0]]
                if kind == "array"
                else ["ptr" if kind == "record" else kind]
            )
        return [f'declare i32 @"{self.unit}"({", ".join(kinds)})\n']

    @staticmethod
    def _array(lines: list[str], n: int, dimensions: int, item: int) -> list[str]:
        for name, offset in (("shape", SHAPE_AT), ("strides", STRIDES_AT)):
            lines.append(f"%{name}_at{n} = getelementptr i8, ptr %fields{n}, i64 {offset}")
            lines.append(f"%{name}{n} = load ptr, ptr %{name}_at{n}")
            for d in range(dimensions):
                lines.append(f"%{name}_at{n}_{d} = getelementptr i64, ptr %{name}{n}, i64 {d}")
                lines.append(f"%{name}{n}_{d} = load i64, ptr %{name}_at{n}_{d}")
        count = "1"
        for d in range(dimensions):
            lines.append(f"%count{n}_{d} = mul i64 {count}, %shape{n}_{d}")
            count = f"%count{n}_{d}"
        sizes = [f"i64 %{name}{n}_{d}" for name in ("shape", "strides") for d in range(dimensions)]
        return ["ptr null", "ptr null", f"i64 {count}", f"i64 {item}", f"ptr %data{n}", *sizes]


def _decided(module: Any, choices: Mapping[str, str | int | None]) -> Iterator[tuple[str, str]]:
    """Yield the declared functions that linking decides on, each as its symbol and a definition in assembly."""
    for function in module.functions:
        if not function.is_declaration or function.name not in choices:
            continue
        chosen, declared = choices[function.name], ""
        kinds = [str(argument.type) for argument in function.arguments]
        given = ", ".join(f"{kind} %a{k}" for k, kind in enumerate(kinds))
        if isinstance(chosen, str):
            declared = f'declare i32 @"{chosen}"({", ".join(kinds)})\n'
            does = f'%code = call i32 @"{chosen}"({given})\n  ret i32 %code'
        elif chosen is None:
            does = "store ptr null, ptr %a0\n  ret i32 0"
        else:
            does = f"store {'i8' if isinstance(chosen, bool) else 'i64'} {int(chosen)}, ptr %a0\n  ret i32 0"
        yield function.name, f'{declared}define i32 @"{function.name}"({given}) alwaysinline {{\n  {does}\n}}\n'


def _renamed(module: Any, symbols: Mapping[str, str]) -> Any:
    for function in module.functions if symbols else ():
        if function.name in symbols:
            function.name = symbols[function.name]
    return module


def make_object(module: Any) -> bytes:
    """Return the machine code of a module that was linked for this computer as an object file."""
    return bytes(machine(this_computer()).emit_object(module))


def link(
    units: Iterable[tuple[bytes, Mapping[str, str]]],
    entries: Sequence[Entered],
    choices: Mapping[str, str | int | None],
    target: CodeTarget,
) -> Any:
    """Return units as one optimized module of LLVM in which only the entries are visible from outside.

    Args:
        units: Their bitcode, and the symbols in it that are to be renamed.
        entries: The entries of the library.
        choices: For each symbol that linking decides on, the symbol of a unit, or the constant that it returns.
        target: What the code is for.

    Raises:
        RuntimeError: The code calls a function that does not exist.
    """
    modules = [_renamed(llvm.parse_bitcode(unit), symbols) for unit, symbols in units]
    called = sorted({declaration for entry in entries for declaration in entry.declarations()})
    modules.append(llvm.parse_assembly("".join([OUTSIDE_TEXT, *called, *(entry.text() for entry in entries)])))
    decided = dict(found for module in modules for found in _decided(module, choices))
    modules += [llvm.parse_assembly(text) for _, text in sorted(decided.items())]
    modules.append(llvm.parse_assembly(RUNTIME))
    for module in modules:
        module.triple, module.data_layout = target.triple, str(machine(target).target_data)
        for function in module.functions:
            if function.name in COUNTED and not function.is_declaration:
                function.linkage = "available_externally"
    while len(modules) > 1:  # in pairs, since linking costs time in proportion to both sides
        pairs = [modules[k : k + 2] for k in range(0, len(modules), 2)]
        for first, *second in pairs:
            for other in second:
                first.link_in(other)
        modules = [first for first, *_ in pairs]
    (module,) = modules
    seen = {*COUNTED, *(entry.symbol for entry in entries)}
    for item in (*module.functions, *module.global_variables):
        if not item.is_declaration and item.name not in seen:
            item.linkage = "internal"
    for n, (level, size) in enumerate(target.runs):
        if n:
            _prune(module, target)
        if n == len(target.runs) - 1:
            _add_counting(module)
        _optimise(module, target, level, size)
    open_names = {x.name for x in (*module.functions, *module.global_variables) if x.is_declaration}
    missing = sorted(name for name in open_names if not target.provides(name))
    if missing:
        raise RuntimeError(f"compiled code needs {', '.join(missing)}, which no library provides")
    return module


def _options(target: CodeTarget, level: int) -> Any:
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization, options.slp_vectorization = target.vectorizes and level == 3, False
    return options


def simplify(module: Any) -> None:
    """Simplify each function of a module by itself, so that less has to be kept and linked."""
    target = this_computer()
    module.data_layout = str(machine(target).target_data)
    builder = llvm.create_pass_builder(machine(target), _options(target, 1))
    passes = builder.getFunctionPassManager()
    passes.add_aggressive_instcombine_pass()  # recognizes `lowest_bit` before other code is merged into it
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _optimise(module: Any, target: CodeTarget, level: int, inlined: int) -> None:
    options = _options(target, level)
    options.inlining_threshold, options.loop_unrolling = inlined, level == 3
    builder = llvm.create_pass_builder(machine(target), options)
    builder.getModulePassManager().run(module, builder)


def _prune(module: Any, target: CodeTarget) -> None:
    passes = llvm.create_new_module_pass_manager()
    passes.add_refprune_pass()
    passes.run(module, llvm.create_pass_builder(machine(target), _options(target, 2)))


def _add_counting(module: Any) -> None:
    """Add the functions that count references."""
    module.link_in(llvm.parse_assembly(COUNTING))
    for name in COUNTED:
        module.get_function(name).linkage = "internal"
