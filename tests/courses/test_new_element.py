"""CONTRIBUTING's recipe "Adding a board element": a made-up element touches the files that it names, and is played."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import ROOT, Python
from made_up import check_files, edited, named_files, patched, patches

PATCH = "new_element.yaml"
ELEMENT = "whirligig"
# Files that commands write
WRITTEN = {"docs/elements.md", "docs/images/elements.svg"}
# Documents that the recipe points to, and the patch itself
OTHERS = {"docs/scenario-format.md", "tests/helpers/new_element.yaml"}


def test_the_element_touches_the_files_that_the_recipe_names() -> None:
    touched = {patch["file"] for patch in patches(PATCH)} | WRITTEN
    check_files(touched, named_files("Adding a board element", OTHERS, element=ELEMENT))


def test_the_element_touches_six_files_of_the_package() -> None:
    """They are its row, its tables, its rule, the timing table, its picture, and the course `everything`."""
    assert len({patch["file"] for patch in patches(PATCH) if patch["file"].startswith("rr_gym/")}) == 6


def test_the_patch_fits() -> None:
    for patch in patches(PATCH):
        assert edited(patch) != edited({"file": patch["file"]})


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy")
    patched(folder, PATCH)
    return folder


@pytest.mark.long
def test_the_element_is_played(copy: Path, python: Python) -> None:
    def rr_gym(*arguments: str) -> str:
        return python("-m", "rr_gym", *arguments, cwd=copy, NUMBA_DISABLE_JIT="1", PYTHONPATH=str(copy)).stdout

    file = copy / "tests" / "scenarios" / ELEMENT / f"{ELEMENT}.yaml"
    assert "3 passed, 0 failed" in rr_gym("scenario", str(file))
    output = rr_gym("course", "elements", ELEMENT)
    for fact in ("79  Whirligig", "**R-E79.2**", "rr_gym/rules/elements/gears.py:", f"{ELEMENT}.yaml:1  a"):
        assert fact in output
    table = rr_gym("course", "elements", "--markdown")
    assert "| Whirligig | [R-E79]" in table
    (copy / "docs" / "elements.md").write_text(table, "utf-8")
    rr_gym("course", "legend", "--out", str(copy / "docs" / "images" / "elements.svg"), "--force")
    assert "79  Whirligig" in (copy / "docs" / "images" / "elements.svg").read_text("utf-8")
    code = (
        "from rr_gym.bench.firing import firings; from rr_gym.generate import generate_course;"
        f"course = generate_course(1, 6, 6, 1, 4, density={{'{ELEMENT}': 0.5}}, solvable=False);"
        f"print(firings(course, turns=2, num_games=1)['{ELEMENT}'])"
    )
    acted = python("-c", code, cwd=copy, NUMBA_DISABLE_JIT="1", PYTHONPATH=str(copy)).stdout
    assert int(acted) > 0
    tests = [f"tests/{name}.py" for name in ("courses/test_elements", "courses/test_expansion_tables")]
    tests += [f"tests/{name}.py" for name in ("encoding/test_element_features", "package/test_generator")]
    about = "whirligig or q24 or in_the_table or command_elements or in_these_tables or has_its_element or left_out"
    about += " or document_names or there_is_a_recipe"
    options = ("-q", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(copy))
    options += ("--basetemp", str(copy / "temporary"))
    python("-m", "pytest", *options, "-k", about, *tests, cwd=copy, NUMBA_DISABLE_JIT="1", PYTHONPATH=str(copy))
