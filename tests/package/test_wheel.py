"""The wheel that `make wheel` builds brings its machine code: nothing is compiled, and Numba is not imported."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from conftest import ROOT, Python
from environments import clean_environment
from test_docs import python_of
from test_packaging import SOURCES

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("cc") is None, reason="there is no linker"),
]

# Documents that people read first, and those that show games
SHOWN = ("README.md", *(f"docs/{page}.md" for page in (
    "environment", "evaluation", "game", "generator", "language-models", "observations", "play", "policies", "protocol",
    "tutorial",
)))  # fmt: skip

# Digests of games, observations, masks and orders; with no compiler, whatever is missing is an error.
PLAY = """
import hashlib, json, sys
from dataclasses import replace
if {alone}:
    sys.modules["numba"] = sys.modules["llvmlite"] = None
import numpy as np
from rr_gym import arena_of, list_players, load_course, make_player, no_orders, roborally_v0

found = {{}}
for form, name in (("base", "risky_exchange"), ("options", "risky_exchange"), ("full", "everything")):
    course = load_course(name)
    if form == "options":
        course = replace(course, params={{"option_cards": "on"}})
    arena = arena_of(course)
    games, orders = arena.new_games(8, 5), no_orders(8, 8, full=True)
    for turn in range(20):
        arena.random_orders(games, orders, np.arange(8, dtype=np.uint64) + np.uint64(turn))
        arena.play(games, orders, restart=True)
    sums = [hashlib.sha256(np.ascontiguousarray(games[n]).tobytes()).hexdigest() for n in ("turn", "seed", "robots")]
    for player in list_players():
        name = "planner:100" if player.name == "planner" else player.name
        chosen = make_player(name).act(arena, games, 0)
        sums.append(hashlib.sha256(np.ascontiguousarray(chosen["program"]).tobytes()).hexdigest())
    for observation in ("flat", "planes"):
        env = roborally_v0.parallel_env(course, observation=observation)
        for agent, seen in env.reset(seed=3)[0].items():
            sums += [hashlib.sha256(np.ascontiguousarray(seen[k]).tobytes()).hexdigest() for k in sorted(seen)]
    found[form] = sums
print(json.dumps([found, "numba" in sys.modules and sys.modules["numba"] is not None]))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in SOURCES:
        path = ROOT / name
        copy = shutil.copytree if path.is_dir() else shutil.copy
        copy(path, source / name)
    build = ("--no-deps", "--no-build-isolation", "--wheel-dir", "dist", "./source")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *build], cwd=folder, capture_output=True, text=True,
        env={**os.environ, "RR_GYM_BUILD_LIBRARY": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a folder for PYTHONPATH with the contents of the wheel."""
    folder = str(tmp_path_factory.mktemp("site"))
    options = ("--no-deps", "--no-index", "--quiet", "--target", folder)
    subprocess.run([sys.executable, "-m", "pip", "install", *options, str(wheel)], check=True)
    return folder


# Runs a notebook, preceded by a cell that checks where the package is imported from.
NOTEBOOK = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
first = "import importlib.util, rr_gym\\nprint(rr_gym.__file__, importlib.util.find_spec('agents'), end='')"
notebook.cells.insert(0, nbformat.v4.new_code_cell(first))
NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
last = [cell for cell in notebook.cells if cell.cell_type == "code"][-1]
print(notebook.cells[0].outputs[0].text)
print(sum('id=&quot;replay&quot;' in output.get("data", {}).get("text/html", "") for output in last.outputs))
"""


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the interpreter of an environment with the wheel and its requirements, but without the checkout."""
    folder = tmp_path_factory.mktemp("installed")
    interpreter = clean_environment(folder / "env", [], wheel)
    (site,) = folder.glob("env/lib/python*/site-packages")
    shared = {str(distribution(name).locate_file("")) for name in ("numpy", "torch", "nbclient")}
    (site / "shared.pth").write_text("\n".join(shared), encoding="utf-8")
    return interpreter


def test_the_wheel_is_for_one_platform_and_any_python(wheel: Path) -> None:
    assert "-py3-none-" in wheel.name
    assert not wheel.name.endswith("-any.whl")
    with zipfile.ZipFile(wheel) as archive:
        sizes = {info.filename: info.compress_size for info in archive.infolist()}
    assert {"rr_gym/_library/library.json", "rr_gym/_library/rr_gym.so"} <= set(sizes)
    assert sum(size for name, size in sizes.items() if "_library" in name) < 3_000_000


def test_the_wheel_plays_as_a_checkout_does_without_a_compiler(site: str, tmp_path: Path, python: Python) -> None:
    home = tmp_path / "home"
    away = {"cwd": tmp_path, "PYTHONPATH": site, "HOME": str(home), "RR_GYM_CACHE_DIR": None}
    done = python("-c", PLAY.format(alone=True), **away)  # type: ignore[arg-type]
    installed, imported = json.loads(done.stdout)
    assert not imported
    assert not home.exists()
    checkout, _ = json.loads(python("-c", PLAY.format(alone=False)).stdout)
    assert installed == checkout
    checked = python("-c", "import rr_gym; rr_gym.Game('risky_exchange', num_robots=2).play({})", NUMBA_BOUNDSCHECK="1",
                     **away)  # type: ignore[arg-type]  # fmt: skip
    assert "indices are to be checked (NUMBA_BOUNDSCHECK); rules are compiled" in checked.stderr


@pytest.mark.parametrize("document", SHOWN)
def test_documents_run_from_the_wheel_without_a_compiler(
    site: str, document: str, tmp_path: Path, python: Python
) -> None:
    """The code in these documents needs no compilation."""
    script = tmp_path / "blocks.py"
    none = 'import sys\nsys.modules["numba"] = sys.modules["llvmlite"] = None\n'
    script.write_text(none + python_of(ROOT / document), encoding="utf-8")
    away = {"cwd": tmp_path, "PYTHONPATH": site, "HOME": str(tmp_path / "home"), "RR_GYM_CACHE_DIR": None}
    python(str(script), **away)  # type: ignore[arg-type]


# Shortened as in `tests/agents/test_notebooks.py`: this tests where the package is imported from.
@pytest.mark.parametrize("notebook", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_notebooks_run_where_the_wheel_is_installed(installed: Path, notebook: Path, tmp_path: Path) -> None:
    home = installed.parents[2] / "home"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("RR_GYM", "PYTHON", "JUPYTER"))}
    given = {"HOME": str(home), "TMPDIR": str(tmp_path), "ROWS": "256", "GAMES": "2"}
    done = subprocess.run(
        [str(installed), "-c", NOTEBOOK, str(notebook)],
        cwd=tmp_path, env={**kept, **given}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    place, shown = done.stdout.splitlines()
    file, agents = place.rsplit(" ", 1)
    assert (agents, shown) == ("None", "1")
    assert Path(file).is_relative_to(installed.parents[1])


def test_commands_work_in_another_folder_without_extras(wheel: Path, tmp_path: Path) -> None:
    """Only the core dependencies are installed, so a command that imports anything else fails."""
    core = ["numpy", "numba", "gymnasium", "pettingzoo", "pyyaml", "msgspec", "click", "rich"]
    interpreter = clean_environment(tmp_path / "env", core, wheel)
    away = tmp_path / "away"
    away.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("RR_GYM", "PYTHON"))}
    environment["HOME"] = str(tmp_path / "home")

    def rr_gym(words: str) -> subprocess.CompletedProcess[str]:
        command = [str(interpreter), "-m", "rr_gym", *words.split()]
        return subprocess.run(command, cwd=away, env=environment, capture_output=True, text=True)

    for words, expected in {
        "course list": "risky_exchange",
        "course show risky_exchange": "Risky Exchange",
        "course show checkmate --out checkmate.svg": "",
        "race --players racer,greedy --max-cycles 20 --out races": "replay.json",
        "replay races/replay.json --text": "racer",
        "replay races/replay.json --out race.html": "race.html",
        "players": "planner",
        "options mine_layer": "mine",
        "generate --seed 7 --out my.yaml": "my.yaml",
        "course show my.yaml": "",
        "evaluate --players greedy --games 20 --max-cycles 20": "risky_exchange: 20 games",
        "dataset --players greedy,random --games 4 --max-cycles 4 --out data": "rows of 8 episodes",
        "prompt --seed 1": "register",
    }.items():
        done = rr_gym(words)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        assert expected.lower() in done.stdout.lower(), (words, done.stdout)
        assert "compil" not in done.stderr, (words, done.stderr)
        written = [word for word in words.split() if word.endswith((".svg", ".html", ".yaml"))]
        assert all((away / name).is_file() for name in written), words
    for words, extra in {
        "tournament --players greedy,random --games 8": "tournament",
        "replay races/replay.json --out race.gif": "viz",
        "train quickstart": "train",
        "dataset --players greedy --games 1 --ray local --out more": "ray",
    }.items():
        done = rr_gym(words)
        assert done.returncode == 2, (words, done.stdout, done.stderr)
        assert f"pip install 'rr-gym[{extra}]'" in done.stderr, (words, done.stderr)
