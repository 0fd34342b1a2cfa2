"""Read the order of the site's pages, docs/pages.yaml, and check that it lists every document of the repository."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rr_gym import yaml12

ROOT = Path(__file__).resolve().parents[2]
ORDER = ROOT / "docs" / "pages.yaml"
MADE = "site/"  # prefix of the names of generated pages


def order(path: Path = ORDER) -> dict[str, list[str]]:
    """Return the pages of every section, in their order."""
    sections: dict[str, list[str]] = yaml12.load(path.read_text("utf-8"), str(path))
    return sections


def documents() -> list[str]:
    """Return the paths, without suffix, of all documents of the repository that are pages of the site."""
    found = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").glob("*.md")]
    return sorted(path.relative_to(ROOT).with_suffix("").as_posix() for path in found)


def faults(sections: dict[str, list[str]]) -> Iterator[str]:
    """Yield a sentence for each mistake in an order of pages."""
    listed = [page for pages in sections.values() for page in pages]
    kept = [page for page in listed if not page.startswith(MADE)]
    for page in sorted({page for page in listed if listed.count(page) > 1}):
        yield f"{page}: listed more than once"
    for page in sorted({*documents()} - {*kept}):
        yield f"{page}.md: not listed: expected in one of the sections of docs/pages.yaml"
    for page in sorted({*kept} - {*documents()}):
        yield f"{page}: there is no such document"
