"""Check that every link within a built site leads to an existing file and anchor."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ATTRIBUTES = ("href", "src", "xlink:href")


class _Page(HTMLParser):
    """Collects the links of a page, and the anchors that can be linked to."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if value and name in ATTRIBUTES and tag != "use":
                self.links.append(value)
            if value and (name == "id" or (name == "name" and tag == "a")):
                self.anchors.add(value)


@cache
def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text("utf-8"))
    return page


def broken(site: Path) -> Iterator[str]:
    """Yield a line for every broken link within a site.

    Args:
        site: The folder of the built site.
    """
    _read.cache_clear()
    for path in sorted(site.rglob("*.html")):
        where = path.relative_to(site).as_posix()
        for link in dict.fromkeys(_read(path).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue  # an external link
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or site.resolve() not in target.resolve().parents:
                yield f"{where}: {link}: there is no such file"
            elif parts.fragment and target.suffix == ".html":
                anchor = unquote(parts.fragment)
                if anchor not in _read(target).anchors and "=" not in anchor:  # `turn=3` is for a script
                    yield f"{where}: {link}: that page has no such anchor"
