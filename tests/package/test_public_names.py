"""Public names are exported by `rr_gym` and its packages, and documents use no others."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest
from combinations import for_each
from conftest import ROOT
from test_docs import DOCUMENTS, FENCE, name, python_of, text

import rr_gym
from rr_gym.errors import MissingExtraError

# Modules that are public themselves, each for one library or one command
PUBLIC_MODULES = {
    "rr_gym.datasets", "rr_gym.networks", "rr_gym.race", "rr_gym.roborally_v0", "rr_gym.sb3", "rr_gym.training",
}  # fmt: skip
LATE = [path for path in sorted((ROOT / "rr_gym").rglob("__init__.py")) if "on_first_use(" in text(path)]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# Documents about the code itself, or about the compiler for other projects
INTERNAL = {"CONTRIBUTING.md", "CHANGELOG.md", "compilation.md"}
NAME = re.compile(r"`(rr_gym(?:\.\w+)+)")


def package(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).parent.parts)


def code_of(document: Path) -> str:
    if document.suffix != ".ipynb":
        return python_of(document)
    cells = json.loads(text(document))["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def imports(code: str) -> Iterator[tuple[str, str]]:
    """Yield what code imports from the package: the module, and the imported name or an empty text."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def is_public(module: str, name: str) -> bool:
    """Tell whether a name is public: in a public module, or among the public names of a package."""
    if module in PUBLIC_MODULES:
        return not name or (not name.startswith("_") and hasattr(import_module(module), name))
    if (ROOT / Path(*module.split(".")) / "__init__.py").exists():
        return not name or name in exported(module) or f"{module}.{name}" in PUBLIC_MODULES
    return False


def exported(module: str) -> Sequence[str]:
    """Return the public names of a package; read them from its file if its extra is not installed."""
    try:
        return tuple(getattr(import_module(module), "__all__", ()))
    except MissingExtraError:
        tree = ast.parse(text(ROOT / Path(*module.split(".")) / "__init__.py"))
        lists = [node.value for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__"]
        return tuple(ast.literal_eval(lists[0]))


def names_public(dotted: str) -> bool:
    """Tell whether a dotted name is a public module, a public name, or an attribute of one."""
    parts = dotted.split(".")
    heads = ((".".join(parts[:length]), parts[length]) for length in range(1, len(parts)))
    return is_public(dotted, "") or any(is_public(*head) for head in heads)


@pytest.mark.parametrize(
    ("code", "public"),
    [
        ("import rr_gym", True),
        ("from rr_gym import Game, no_orders", True),
        ("from rr_gym.encoding import make_observer", True),
        ("from rr_gym.sb3 import make_vec_env", True),
        ("from rr_gym import nonsense", False),
        ("from rr_gym.encoding import act", False),
        ("from rr_gym.encoding.observe.flat import flat_feature_names", False),
        ("import rr_gym.rules.state.records", False),
    ],
)
def test_what_is_public(code: str, public: bool) -> None:
    assert all(is_public(*found) for found in imports(code)) == public


def test_what_names_are_public() -> None:
    assert names_public("rr_gym.Replay.load")
    assert not names_public("rr_gym.encoding.observe.planes.PLANE_NAMES")


@pytest.mark.parametrize(
    "document", [*(d for d in DOCUMENTS if python_of(d) and d.name not in INTERNAL), *NOTEBOOKS], ids=name
)
def test_documents_import_public_names_only(document: Path) -> None:
    found = [entry for entry in imports(code_of(document)) if entry[0].split(".")[0] == "rr_gym"]
    assert [entry for entry in found if not is_public(*entry)] == []


@for_each(DOCUMENTS, name)
def test_documents_name_public_names_only(document: Path) -> None:
    if document.name in INTERNAL:
        return
    assert [found for found in NAME.findall(FENCE.sub("", text(document))) if not names_public(found)] == []


@pytest.mark.parametrize("path", LATE, ids=package)
def test_names_that_are_imported_late(path: Path) -> None:
    """Names that type checkers see, exported names, and lazily imported names are the same, from the same modules."""
    found = import_module(package(path))
    block = next(node for node in ast.parse(text(path)).body if isinstance(node, ast.If))
    typed = {alias.name: node.module for node in block.body for alias in node.names}
    assert all(alias.asname == alias.name for node in block.body for alias in node.names)  # else private for checkers
    assert sorted(typed) == sorted(found.__all__)
    assert set(found.__all__) <= set(dir(found))
    for public, home in typed.items():
        assert getattr(found, public) is not None
        if home != f"{found.__name__}.{public}":  # a module may have the name of its only content
            assert getattr(found, public) is getattr(import_module(home), public)


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="module 'rr_gym' has no attribute 'nonsense'"):
        rr_gym.nonsense  # noqa: B018 (the access is what is tested)
    with pytest.raises(ImportError, match="cannot import name 'nonsense' from"):
        from rr_gym.encoding import nonsense  # noqa: F401
