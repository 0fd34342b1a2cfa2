"""Build the site: the documents in the order of docs/pages.yaml, and pages generated from the code.

python tools/site/build.py              into build/site/html; any warning and any broken link is an error
python tools/site/build.py --quick      with one live replay instead of ten, and a small ladder
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import cards
import duel_pages
import ladder
import links
import pages
import primer
import reference
import replays
import steps

from rr_gym.errors import RoboRallyError
from rr_gym.files import write_file

ROOT = pages.ROOT
HERE = Path(__file__).parent
BUILD = ROOT / "build" / "site"
# Files and folders that documents show or link to
KEPT = (
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "CITATION.cff", "NOTICE", "LICENSE", "docs", "examples",
    "notebooks", "rr_gym", "tests", "tools", "agents", "configs", "pyproject.toml", "constraints.txt", "Makefile",
    ".github",
)  # fmt: skip
NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.ipynb"))


def stage(source: Path, quick: bool) -> None:
    """Prepare the input of the site generator: a copy of the repository, and the generated pages."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__", "node_modules", "*.so", ".*")
    for name in KEPT:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, source / name)
    steps.link_all(source / "docs")
    made = source / "site"
    for name, text in reference.pages():
        write_file(made / "api" / f"{name}.md", text)
    for folder, found in (("elements", cards.element_pages()), ("options", cards.option_pages())):
        for name, content in found:
            write_file(made / folder / name, explained(content) if name.endswith(".md") else content)
    for name, content in primer.files():
        write_file(made / name, content)
    for name in NOTEBOOKS:
        write_file(made / "notebooks" / f"{name}.md", notebook(ROOT / "notebooks" / f"{name}.ipynb"))
    write_file(made / "duel.md", duel_pages.make(source / "extra" / "duel"))
    write_file(made / "replays.md", replays.make(source / "extra" / "replays", BUILD / "replays", quick))
    write_file(made / "ladder.md", ladder.make(source / "extra" / "ladder", BUILD / "ladder", quick))
    write_file(source / "static" / "site.css", (HERE / "site.css").read_text("utf-8"))
    write_file(source / "index.md", home())


def explained(content: str | bytes) -> str:
    """Return the text of a page in a folder of `site`, in which codes of sub-steps are links to the timing table."""
    return steps.linked(str(content), f"../../docs/rules/{steps.TABLE}")


def home() -> str:
    """Return the text of the home page, with a table of contents of all others."""
    trees = []
    for caption, listed in pages.order().items():
        names = ["Overview <README>" if name == "README" else name for name in listed]
        trees += ["```{toctree}", ":hidden:", f":caption: {caption}", "", *names, "```", ""]
    return "\n".join([(HERE / "home.md").read_text("utf-8"), *trees])


def notebook(path: Path) -> str:
    """Return the text and code of a notebook as a page, with links adapted to the place of the page."""
    cells: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    parts = []
    for cell in cells:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            text = re.sub(r"\]\((\w+)\.ipynb\)", r"](\1.md)", text.replace("](../", "](../../"))
        parts.append(text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```")
    where = f"[The notebook](../../notebooks/{path.name}) itself can be run and changed."
    return "\n\n".join([parts[0], where, *parts[1:]]) + "\n"


def main() -> int:
    """Build the whole site. Returns the exit status."""
    parser = argparse.ArgumentParser(description="Build the site.")
    parser.add_argument("--quick", action="store_true", help="one live replay instead of ten, and a small ladder")
    arguments = parser.parse_args()
    if wrong := list(pages.faults(pages.order())):
        print(*wrong, sep="\n", file=sys.stderr)
        return 1
    from sphinx.cmd.build import build_main

    source, site = BUILD / "source", BUILD / "html"
    shutil.rmtree(BUILD / "doctrees", ignore_errors=True)
    try:
        stage(source, arguments.quick)
    except RoboRallyError as error:
        print(error, file=sys.stderr)
        return 1
    shutil.rmtree(site, ignore_errors=True)
    os.environ["RR_GYM_SITE"] = str(source)  # conf.py reads it
    options = ["-q", "-W", "--keep-going", "-b", "html", "-c", str(HERE), "-d", str(BUILD / "doctrees")]
    if status := build_main([*options, str(source), str(site)]):
        return int(status)
    if broken := list(links.broken(site)):
        print(*broken, sep="\n", file=sys.stderr)
        return 1
    count = sum(1 for _ in site.rglob("*.html"))
    print(f"{count} pages in {site.relative_to(ROOT)}, no broken link")
    return 0


if __name__ == "__main__":
    sys.exit(main())
