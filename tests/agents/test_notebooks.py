"""The notebooks run from top to bottom: some of them shortened in every run, all of them in full in the long tests."""

from __future__ import annotations

import ast
import os
import tempfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from rr_gym.replay import showing

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
QUICK = [path for path in NOTEBOOKS if path.stem in ("first_race", "league", "own_network", "pettingzoo_self_play")]


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def test_there_is_a_notebook() -> None:
    assert ROOT / "notebooks" / "first_race.ipynb" in NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_of_a_run_without_errors(path: Path) -> None:
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs
    assert not [output for output in outputs if output.output_type == "error" or "Warning" in output.get("text", "")]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_names_no_folder_of_a_machine_and_no_time(path: Path) -> None:
    content = path.read_text("utf-8")
    assert not [folder for folder in ("/tmp/", "/home/", "/work/", "/root/") if folder in content]
    assert not [cell.metadata for cell in read(path).cells if cell.metadata]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_listed(path: Path) -> None:
    assert f"site/notebooks/{path.stem}\n" in (ROOT / "docs" / "pages.yaml").read_text("utf-8")
    assert f"(../notebooks/{path.name})" in (ROOT / "docs" / "README.md").read_text("utf-8")


def test_self_play_on_pettingzoo_is_sixty_lines_to_read() -> None:
    cells = read(ROOT / "notebooks" / "pettingzoo_self_play.ipynb").cells
    lines = [line.strip() for cell in cells if cell.cell_type == "code" for line in cell.source.splitlines()]
    assert 40 < len([line for line in lines if line and not line.startswith(("#", '"""'))]) <= 60


def run_here(path: Path) -> Any:
    """Run the cells in this process, which saves imports and compilation, and return the value of the last cell."""
    names: dict[str, Any] = {"__name__": path.stem}
    value = None
    for number, cell in enumerate(cell for cell in read(path).cells if cell.cell_type == "code"):
        tree = ast.parse(cell.source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{path.name}[{number}]", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"{path.name}[{number}]", "eval"), names)
    return value


@pytest.mark.parametrize(
    "path", [pytest.param(path, marks=[pytest.mark.long] * (path.stem == "league")) for path in QUICK],
    ids=lambda path: path.stem,
)
def test_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROWS", "256")
    monkeypatch.setenv("GAMES", "2")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(showing, "in_notebook", lambda: True)
    assert "id=&quot;replay&quot;" in run_here(path)._repr_html_()


# The client's own threads and sockets are closed when the interpreter collects them.
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs_in_full(path: Path, tmp_path: Path) -> None:
    notebook = read(path)
    client = NotebookClient(notebook, timeout=1200, kernel_name="python3", resources={"metadata": {"path": ROOT}})
    client.execute(env={**os.environ, "TMPDIR": str(tmp_path)})
    last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
    (output,) = [o for o in last.outputs if o.output_type == "execute_result"]
    assert "id=&quot;replay&quot;" in output.data["text/html"]
