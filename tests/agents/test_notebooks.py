"""The notebooks run from top to bottom and are stored without outputs."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


def test_there_is_a_notebook() -> None:
    assert ROOT / "notebooks" / "first_race.ipynb" in NOTEBOOKS


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_stripped(path: Path) -> None:
    cells = [cell for cell in read(path).cells if cell.cell_type == "code"]
    assert cells
    assert all(cell.outputs == [] and cell.execution_count is None for cell in cells)


# The client's own threads and sockets are closed when the interpreter collects them.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=[pytest.mark.long] * (path.stem != "first_race")) for path in NOTEBOOKS],
    ids=lambda path: path.stem,
)
def test_notebook_runs(path: Path) -> None:
    notebook = read(path)
    NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": ROOT}}).execute()
    last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
    (output,) = [o for o in last.outputs if o.output_type == "execute_result"]
    assert "id=&quot;replay&quot;" in output.data["text/html"]
