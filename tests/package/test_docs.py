"""The documents: their Python runs without a warning, and their links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from combinations import for_each
from conftest import ROOT, Python

from rr_gym import registry

DOCUMENTS = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
BLOCK = re.compile(r"^( *)```python\n(.*?)^\1```", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(<?([^)\s>]+)>?\)")
LONG = {
    f"docs/{page}.md"
    for page in (
        "datasets", "generator", "gpu", "interfaces", "observations", "player-benchmark", "players", "policies",
        "protocol", "training",
    )
}
# Code that takes minutes as printed or needs a GPU, and its replacement in this test
SHORTER = {
    "README.md": {"n_steps=40": "n_steps=8", "model.learn(600_000)": "model.learn(2_048)", "games=2000": "games=20"},
    "docs/gpu.md": {
        "from rr_gym import Arena\n": "from rr_gym.cuda import DeviceArena, stand_in_gpu\n",
        'Arena("risky_exchange", device="cuda")': 'DeviceArena("risky_exchange", on=stand_in_gpu())',
    },
}
ELSEWHERE = ("docs/compilation.md",)  # a project of several files, which tests/compilation/test_project.py runs
NEEDED = {"docs/jax.md": "jax"}  # modules of extras that are not a part of `dev`
WEB = ("http://", "https://", "mailto:")


def python_of(document: Path) -> str:
    """Return all Python blocks of a document as one program, since blocks build on earlier ones."""
    blocks = (re.sub(rf"^{indent}", "", code, flags=re.MULTILINE) for indent, code in BLOCK.findall(text(document)))
    program = "\n".join(blocks)
    for long, short in SHORTER.get(name(document), {}).items():
        assert program.count(long) == 1
        program = program.replace(long, short)
    return program


def text(document: Path) -> str:
    return document.read_text("utf-8")


def anchor(heading: str) -> str:
    """Return the anchor that a heading gets, as on GitHub."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def anchors(document: Path) -> set[str]:
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", FENCE.sub("", text(document)), re.MULTILINE)}


def name(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(d, marks=[pytest.mark.long] * (name(d) in LONG))
        for d in DOCUMENTS
        if python_of(d) and name(d) not in ELSEWHERE
    ],
    ids=name,
)
def test_python_in_documents_runs(
    document: Path, tmp_path: Path, python: Python, monkeypatch: pytest.MonkeyPatch
) -> None:
    """README and long documents run in a process of their own, all others in this process."""
    if name(document) in NEEDED:
        pytest.importorskip(NEEDED[name(document)])
    if name(document) in LONG or name(document) == "README.md":
        script = tmp_path / "blocks.py"
        script.write_text(python_of(document), encoding="utf-8")
        python("-W", "error", str(script), cwd=tmp_path, PYTHONPATH=str(ROOT))
    else:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(registry, "PLAYERS", {**registry.PLAYERS})
        exec(compile(python_of(document), name(document), "exec"), {"__name__": "blocks"})


def test_the_first_game_of_the_environment_prints_what_stands_below_it(capsys: pytest.CaptureFixture[str]) -> None:
    """It prints the place of every robot, including eliminated ones."""
    page = text(ROOT / "docs" / "environment.md")
    first = BLOCK.search(page)
    assert first
    shown = re.match(r"\s*```text\n(.*?)```", page[first.end() :], re.DOTALL)
    assert shown
    exec(compile(first[2], "environment.md", "exec"), {"__name__": "blocks"})
    assert capsys.readouterr().out == shown[1]
    assert [line[:8] for line in shown[1].splitlines()] == [f"place {k}:" for k in range(1, 5)]


@for_each(DOCUMENTS, name)
def test_links_lead_somewhere(document: Path) -> None:
    broken = []
    for target in LINK.findall(FENCE.sub("", text(document))):
        if target.startswith(WEB):
            continue
        path, _, fragment = target.partition("#")
        linked = (document.parent / path).resolve() if path else document
        if not linked.exists() or (fragment and linked.suffix == ".md" and fragment not in anchors(linked)):
            broken.append(target)
    assert broken == []
