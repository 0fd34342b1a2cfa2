"""The site: every document has its place, broken links are found, and the whole site can be built."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from tool_modules import SITE, load_tool


def test_every_document_has_its_place_in_the_order_of_pages() -> None:
    pages = load_tool("pages", SITE)
    assert list(pages.faults(pages.order())) == []
    assert "docs/rules/turn" in pages.documents()


def test_faults_in_the_order_of_pages_are_reported() -> None:
    pages = load_tool("pages", SITE)
    sections = pages.order()
    first = next(iter(sections.values()))
    first.remove("docs/play")
    first += ["README", "docs/nothing"]
    assert list(pages.faults(sections)) == [
        "README: listed more than once",
        "docs/play.md: not listed: expected in one of the sections of docs/pages.yaml",
        "docs/nothing: there is no such document",
    ]


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_links_of_notebooks_lead_from_their_pages_to_what_there_is(path: Path) -> None:
    page = load_tool("build", SITE).notebook(path)
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    links = [link for link in re.findall(r"\]\(([^)#]+)", text) if "://" not in link]
    assert f"../../notebooks/{path.name}" in links
    for link in links:
        place = (ROOT / "site" / "notebooks" / link).resolve()
        made = place.parent == ROOT / "site" / "notebooks"
        assert (ROOT / "notebooks" / f"{place.stem}.ipynb" if made else place).exists(), link


@pytest.mark.parametrize(
    ("link", "complaint"),
    [
        ("b.html", ""),
        ("b.html#there", ""),
        ("folder/", ""),
        ("#here", ""),
        ("https://example.org/x", ""),
        ("replay.html#turn=3", ""),
        ("c.html", "there is no such file"),
        ("b.html#nowhere", "that page has no such anchor"),
        ("#there", "that page has no such anchor"),
        ("../outside.html", "there is no such file"),
    ],
)
def test_broken_links_are_found(link: str, complaint: str, tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "folder").mkdir(parents=True)
    for name, text in {
        "a.html": f'<p id="here"><a href="{link}">x</a></p>',
        "b.html": '<h1 id="there">y</h1>',
        "replay.html": "",
        "folder/index.html": "",
        "../outside.html": "",
    }.items():
        (site / name).write_text(text, "utf-8")
    found = list(load_tool("links", SITE).broken(site))
    assert found == ([f"a.html: {link}: {complaint}"] if complaint else [])


@pytest.mark.long
def test_the_site_is_built_without_a_warning_or_a_broken_link() -> None:
    """Build the site with one race instead of ten."""
    command = [sys.executable, str(SITE / "build.py"), "--quick"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stderr
    assert "no broken link" in done.stdout
    built = ROOT / "build" / "site" / "html"
    made = ("site/primer", "site/duel", "site/api/rr_gym", "site/elements/pit", "site/options/turret")
    for page in ("index", "docs/play", "search", *made):
        assert (built / f"{page}.html").is_file()
    assert '<iframe class="replay" src="replays/risky_exchange.html"' in (built / "index.html").read_text("utf-8")
