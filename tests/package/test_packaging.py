"""The wheel works without the checkout, and importing the package is cheap."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml
from conftest import ROOT, Python
from environments import clean_environment

import rr_gym

sys.path.insert(0, str(ROOT / "tools"))
import badges

SOURCES = ("rr_gym", "agents", "configs", "docs", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE", "NOTICE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from the source distribution, in an ordinary build without network."""
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, source)
    (source / "tests").mkdir()
    (source / "tests" / "test_nothing.py").touch()
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(source / "dist"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = (source / "dist").glob("*.whl")
    assert list((source / "dist").glob("*.tar.gz"))
    return built


@pytest.mark.long
def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    top = {name.split("/")[0] for name in names}
    assert top == {"rr_gym", f"rr_gym-{rr_gym.__version__}.dist-info"}
    data = ("courses/data/courses.yaml", "courses/data/boards/exchange.rrb", "replay/page.html", "render/web/board.js")
    for needed in ("py.typed", *data):
        assert f"rr_gym/{needed}" in names
    in_checkout = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "rr_gym").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert in_checkout <= set(names)
    assert {"rr_gym/agents/train.py", "rr_gym/configs/quickstart.yaml"} <= set(names)


def hatch_build() -> Any:
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_description_links_to_the_documents_of_the_version() -> None:
    build = hatch_build()
    readme = (ROOT / "README.md").read_text("utf-8")
    there = build.description(readme, "https://example.org/us/it", "v9.8.7")
    targets = re.findall(r"\]\(([^)\s]+)\)", there)
    assert len(targets) > 20
    for target in targets:
        kind, path = re.fullmatch(r"https://example\.org/us/it/(blob|raw)/v9\.8\.7/([^#]+)(?:#.*)?", target).groups()
        assert (ROOT / path).exists()
        assert (kind == "raw") == (Path(path).suffix in (".png", ".gif"))
    assert "badges/" not in there
    alone = build.description(readme, "", "v9.8.7")
    assert "](" not in alone
    assert "tutorial goes from installing to a trained bot" in alone.replace("\n", " ")
    assert build.home_of({}) == ""
    assert build.home_of({"RR_GYM_HOME": "https://example.org/a/"}) == "https://example.org/a"
    there = {"GITHUB_SERVER_URL": "https://example.org", "GITHUB_REPOSITORY": "us/it"}
    assert build.home_of(there) == "https://example.org/us/it"


def test_badges_say_what_is_true() -> None:
    assert badges.outdated() == []
    assert rr_gym.__version__ in badges.badge("version", badges.facts()["version"])


@pytest.mark.long
def test_the_wheel_describes_itself(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith("/METADATA")]
        said = archive.read(name).decode()
    assert "\nDescription-Content-Type: text/markdown\n" in said
    assert "## Train a bot" in said
    assert "](docs/" not in said
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"\nClassifier: Programming Language :: Python :: {version}\n" in said  # tests run with it


RUN_NOTEBOOK = """
import sys, nbclient, nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
print(notebook.cells[-1].outputs[-1].data["text/html"].count("id=&quot;replay&quot;"))
"""


@pytest.mark.long
def test_a_notebook_installs_the_package_and_runs(wheel: Path, tmp_path: Path) -> None:
    """The environment has what Colab has, and no checkout: the first cell installs the wheel with its requirements."""
    there = ["pip", "torch", "matplotlib", "ipykernel", "nbclient"]  # and what an index would deliver:
    required = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*required["dependencies"], *required["optional-dependencies"]["train"]]
    there += [re.split(r"[^\w.-]", line)[0] for line in lines]
    interpreter = clean_environment(tmp_path / "env", there)
    notebook = shutil.copy(ROOT / "notebooks" / "train_a_bot.ipynb", tmp_path)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    given = {"RR_GYM_SOURCE": f"rr_gym[train] @ {wheel.as_uri()}", "PIP_NO_INDEX": "1", "TMPDIR": str(tmp_path)}
    given |= {"ROWS": "256", "GAMES": "2"}
    command = [str(interpreter), "-c", RUN_NOTEBOOK, notebook]
    done = subprocess.run(command, cwd=tmp_path, env={**kept, **given}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "1\n"


@pytest.mark.long
def test_the_installed_wheel_plays(wheel: Path, tmp_path: Path, python: Python) -> None:
    target = tmp_path / "site"
    python("-m", "pip", "install", "--no-deps", "--no-index", "--quiet", "--target", str(target), str(wheel))
    away = {"cwd": tmp_path, "PYTHONPATH": str(target)}
    listed = python("-m", "rr_gym", "course", "list", **away).stdout  # type: ignore[arg-type]
    assert "risky_exchange" in listed
    output = python("-m", "rr_gym", "course", "elements", "flamer", NUMBA_DISABLE_JIT="1", **away).stdout  # type: ignore[arg-type]
    for fact in ("**R-E25.1**", "rr_gym/rules/hazards/fire.py:", "tests/scenarios of the repository"):
        assert fact in output
    code = (
        "import rr_gym; game = rr_gym.Game('risky_exchange', num_robots=2, seed=1); game.play({}); "
        "print(game.turn, rr_gym.__file__)"
    )
    # Uncompiled, since in another folder everything would have to be compiled again.
    turn, file = python("-c", code, NUMBA_DISABLE_JIT="1", **away).stdout.split()  # type: ignore[arg-type]
    assert turn == "1"
    assert Path(file).is_relative_to(target)


def test_importing_the_package_imports_nothing_heavy(python: Python) -> None:
    code = "import sys, rr_gym; print({m.split('.')[0] for m in sys.modules} & {'numba', 'numpy', 'pettingzoo'})"
    assert python("-c", code).stdout == "set()\n"


def test_listing_courses_compiles_nothing(python: Python, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    python("-m", "rr_gym", "course", "list", RR_GYM_CACHE_DIR=str(cache))
    assert not list(cache.rglob("*.lib"))


def test_ci_is_executable_and_refers_to_what_exists() -> None:
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    makefile = (ROOT / "Makefile").read_text("utf-8")
    phony = makefile.split(".PHONY:")[1].splitlines()[0].split()
    for target in phony:
        assert f"\n{target}:" in makefile


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda file: file.stem)
def test_workflows_refer_to_what_exists(workflow: Path) -> None:
    targets = (ROOT / "Makefile").read_text("utf-8").split(".PHONY:")[1].splitlines()[0].split()
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
    steps = [step for job in jobs for step in (job, *job.get("steps", []))]
    for step in steps:
        said, used = step.get("run", ""), step.get("uses", "")
        assert set(re.findall(r"^make (\S+)", said, re.MULTILINE)) <= set(targets)
        for name in re.findall(r"[\w/-]+\.(?:py|txt|toml|yml)\b", said):
            assert (ROOT / name).is_file(), name
        assert not used.startswith("./") or (ROOT / used).is_file()
        assert used.startswith("./") or not used or re.fullmatch(r"[\w/-]+@[\w/]+", used)
    assert any("run" in step or "uses" in step for step in steps)


def test_versions_are_pinned_for_every_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (ROOT / "constraints.txt").read_text("utf-8").lower().splitlines()
    pinned = {line.split("==")[0].replace("-", "_") for line in lines}
    wanted = sum(project["optional-dependencies"].values(), project["dependencies"])
    names = {re.split(r"[<>=\[]", name)[0].lower().replace("-", "_") for name in wanted} - {"rr_gym"}
    assert names <= pinned
