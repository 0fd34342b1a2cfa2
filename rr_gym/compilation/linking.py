"""Turn LLVM into machine code: link units into one module, optimize it as a whole, and write one object.

Rules with two forms are resolved to the form that is linked. The optimizer runs twice over the module, with Numba's
pruning of reference counts in between: after only one run the code has two thirds of the speed. Everything but the
entries is internal to the module, so that inlining leaves a few dozen of some hundred functions. The target is a
generic processor, so that a library runs on all machines of a platform.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any

import llvmlite.binding as llvm

from rr_gym.compilation.arguments import DATA_AT, ERROR, FIRST, HEADER, RESULT, SHAPE_AT, STRIDES_AT
from rr_gym.compilation.runtime import COUNTED, COUNTING, FROM_C, OUTSIDE_TEXT, RUNTIME
from rr_gym.compilation.settings import CHECKS_BOUNDS

# The target processors: what every processor of a platform from the last 15 years or so can do
PROCESSORS = {"x86_64": "x86-64-v2", "amd64": "x86-64-v2"}
# The runs of the optimizer: level and threshold for inlining. The first run need not do what the second does anyway;
# code with checks is hardly optimized.
_RUNS = ((1, 0),) if CHECKS_BOUNDS else ((1, 300), (3, 1000))


def new_machine() -> Any:
    """Return a target machine that makes machine code; with checks of indices it optimizes little, to save time.

    Loading code takes ownership of the target machine, so each load needs a new one.
    """
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    return target.create_target_machine(
        cpu=processor(), features="", opt=0 if CHECKS_BOUNDS else 3, reloc="pic", codemodel="default"
    )


machine = cache(new_machine)  # shared by everything but loading


def processor() -> str:
    """Return the processor that code is made for; "" for the least capable one of the platform."""
    return PROCESSORS.get(platform.machine().lower(), "")


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

    def declaration(self) -> str:
        """Return the declaration of the unit in LLVM's assembly."""
        kinds = ["ptr", "ptr"]
        for kind, *more in self.arguments:
            kinds += (
                ["ptr", "ptr", "i64", "i64", "ptr", *["i64"] * 2 * more[0]]
                if kind == "array"
                else ["ptr" if kind == "record" else kind]
            )
        return f'declare i32 @"{self.unit}"({", ".join(kinds)})\n'

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


def make_object(
    units: Iterable[tuple[bytes, Mapping[str, str]]],
    entries: Sequence[EntryPoint],
    choices: Mapping[str, str | int | None] = MappingProxyType({}),
) -> bytes:
    """Return the machine code of units as an object file in which only the entries are visible from outside.

    Args:
        units: Their bitcode, and the symbols in it that are to be renamed.
        entries: The entries of the library.
        choices: For each symbol that linking decides on, the symbol of a unit, or the constant that it returns.

    Raises:
        RuntimeError: The code calls a function that does not exist.
    """
    modules = [_renamed(llvm.parse_bitcode(unit), symbols) for unit, symbols in units]
    units_called = sorted({entry.declaration() for entry in entries})
    modules.append(llvm.parse_assembly("".join([OUTSIDE_TEXT, *units_called, *(entry.text() for entry in entries)])))
    decided = dict(found for module in modules for found in _decided(module, choices))
    modules += [llvm.parse_assembly(text) for _, text in sorted(decided.items())]
    modules.append(llvm.parse_assembly(RUNTIME))
    target = machine()
    for module in modules:
        module.triple, module.data_layout = target.triple, str(target.target_data)
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
    for n, (level, size) in enumerate(_RUNS):
        if n:
            _prune(module)
        if n == len(_RUNS) - 1:
            _add_counting(module)
        _optimise(module, level, size)
    open_names = {x.name for x in (*module.functions, *module.global_variables) if x.is_declaration}
    missing = {name for name in open_names if not name.startswith("llvm.")} - FROM_C
    if missing:
        raise RuntimeError(f"compiled code needs {', '.join(sorted(missing))}, which no library provides")
    return bytes(target.emit_object(module))


def _builder(level: int) -> tuple[Any, Any]:
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization, options.slp_vectorization = level == 3, False
    return options, llvm.create_pass_builder(machine(), options)


def simplify(module: Any) -> None:
    """Simplify each function of a module by itself, so that less has to be kept and linked."""
    module.data_layout = str(machine().target_data)
    _, builder = _builder(1)
    passes = builder.getFunctionPassManager()
    passes.add_aggressive_instcombine_pass()  # recognizes `lowest_bit` before other code is merged into it
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _optimise(module: Any, level: int, inlined: int) -> None:
    options, _ = _builder(level)
    options.inlining_threshold, options.loop_unrolling = inlined, level == 3
    builder = llvm.create_pass_builder(machine(), options)
    builder.getModulePassManager().run(module, builder)


def _prune(module: Any) -> None:
    _, builder = _builder(2)
    passes = llvm.create_new_module_pass_manager()
    passes.add_refprune_pass()
    passes.run(module, builder)


def _add_counting(module: Any) -> None:
    """Add the functions that count references."""
    module.link_in(llvm.parse_assembly(COUNTING))
    for name in COUNTED:
        module.get_function(name).linkage = "internal"
