"""Mutations of the rules: find what can be changed in a kernel, and change a loaded kernel."""

from __future__ import annotations

import ast
import copy
import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

DECORATORS = {"kernel", "with_expansions", "with_elements"}
# Functions that only write events, so that removing their calls changes no rule
EVENT_CALLS = {"note", "note_at", "note_use", "show_option", "write", "note_conditions", "begin_conditions"}
FLIPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


@dataclass(frozen=True)
class Mutant:
    """One change of the rules: node number `index` of a module's syntax tree is changed in the way `kind`.

    `part` is the source of the changed part: a condition, a comparison or a call. It is in the lines `line` to `last`,
    and `text` is the first of these. `column` is the column of the change.
    """

    file: str
    function: str
    line: int
    last: int
    column: int
    index: int
    kind: str
    part: str
    text: str

    @property
    def key(self) -> str:
        """Return a string that identifies the mutant among all others."""
        return f"{self.file}:{self.index}:{self.kind}"

    @property
    def general(self) -> str:
        """Return its kind without a number."""
        return self.kind.partition(" ")[0]


def _called(node: ast.AST) -> str:
    """Return the name of the called function; "" if the node is not a call."""
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _only_events(body: Sequence[ast.stmt]) -> bool:
    """Tell whether statements do nothing but write events."""
    return all(
        (isinstance(statement, ast.Expr) and _called(statement.value) in EVENT_CALLS)
        or (isinstance(statement, ast.For) and _only_events(statement.body))
        or (isinstance(statement, ast.If) and _only_events([*statement.body, *statement.orelse]))
        for statement in body
    )


def kinds_of(node: ast.AST) -> list[str]:
    """Return the ways in which a node of a rule can be changed."""
    kinds = []
    match node:
        case ast.While(test=ast.Constant()):
            kinds.append("never")
        case ast.If() | ast.While() | ast.IfExp():
            events = isinstance(node, ast.If) and _only_events([*node.body, *node.orelse])
            kinds += [] if events else ["negate", "never"]
        case ast.Expr(value=ast.Call() as call) if _called(call) not in EVENT_CALLS:
            kinds.append("remove")
        case ast.Compare():
            kinds += [f"boundary {i}" for i, operator in enumerate(node.ops) if type(operator) in FLIPPED]
        case ast.BinOp(op=ast.BitAnd(), right=ast.Constant(value=3)):
            kinds += ["direction +1", "direction -1"]
    if _called(node) == "turn":
        kinds += ["turn +1", "turn -1"]
    return kinds


def _part(node: ast.AST) -> str:
    """Return the source of the changed part."""
    return ast.unparse(node.test if isinstance(node, ast.If | ast.While | ast.IfExp) else node)


def _plus(node: ast.expr, kind: str) -> ast.expr:
    """Return an expression plus the number at the end of a kind."""
    return ast.BinOp(node, ast.Add(), ast.Constant(int(kind.split()[1])))


def change(node: Any, kind: str) -> ast.AST:
    """Change a node and return the changed node."""
    if kind == "negate":
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif kind == "never":
        node.test = ast.Constant(False)
    elif kind == "remove":
        return ast.Pass()
    elif kind.startswith("boundary"):
        place = int(kind.split()[1])
        node.ops[place] = FLIPPED[type(node.ops[place])]()
    elif kind.startswith("direction"):
        node.left = _plus(node.left, kind)
    elif kind.startswith("turn"):
        node.args[-1] = _plus(node.args[-1], kind)
    return cast(ast.AST, node)


def is_kernel(node: ast.AST) -> bool:
    """Tell whether a function is compiled: it has `@kernel`, `@with_expansions(...)` or `@with_elements(...)`."""
    names = [ast.unparse(d).partition("(")[0] for d in getattr(node, "decorator_list", ())]
    return not DECORATORS.isdisjoint(names)


def _lines(node: Any) -> tuple[int, int]:
    """Return the first and last line of the changed part; for a statement with a body, those of its condition."""
    head: Any = node.test if isinstance(node, ast.If | ast.While) else node
    return node.lineno, head.end_lineno


def _column(node: Any, kind: str) -> int:
    """Return the column of the changed part; for a comparison, that of the operand after the operator."""
    changed: Any = node.comparators[int(kind.split()[1])] if isinstance(node, ast.Compare) else node
    return int(changed.col_offset)


def mutants_of(path: Path, rules: Path) -> Iterator[Mutant]:
    """Return all mutants of the kernels in a module below the folder `rules`, in the order of its source."""
    source = path.read_text("utf-8")
    lines = source.splitlines()
    tree = ast.parse(source)
    numbers = {id(node): index for index, node in enumerate(ast.walk(tree))}
    for function in tree.body:
        if isinstance(function, ast.FunctionDef) and is_kernel(function):
            for node in ast.walk(function):
                for kind in kinds_of(node):
                    line, last = _lines(node)
                    text = lines[line - 1].strip()
                    number = numbers[id(node)]
                    file = path.relative_to(rules).as_posix()
                    yield Mutant(file, function.name, line, last, _column(node, kind), number, kind, _part(node), text)


def mutated(source: str, index: int, kind: str) -> ast.Module:
    """Return the syntax tree of a module with one node changed."""
    tree = ast.parse(source)
    target = next(node for number, node in enumerate(ast.walk(tree)) if number == index)

    class Change(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            if node is target:
                return change(copy.deepcopy(node), kind)
            return self.generic_visit(node)

    return cast(ast.Module, ast.fix_missing_locations(Change().visit(tree)))


def loaded(module: ModuleType, name: str) -> FunctionType:
    """Return the function behind a loaded, uncompiled kernel; for a kernel with several forms, the full form."""
    return cast(FunctionType, inspect.unwrap(vars(module)[name]))


def apply(mutant: Mutant, source: str, module: ModuleType) -> None:
    """Change a kernel of a loaded, uncompiled module for all its callers."""
    code = compile(mutated(source, mutant.index, mutant.kind), str(module.__file__), "exec")
    bodies = {body.co_name: body for body in code.co_consts if isinstance(body, CodeType)}
    loaded(module, mutant.function).__code__ = bodies[mutant.function]
