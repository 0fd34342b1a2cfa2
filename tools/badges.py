"""The badges of the README: small SVG pictures of facts about the package, which need no server.

python tools/badges.py            check them; exit status 1 if they are not up to date
python tools/badges.py --write    draw them again
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "images" / "badges"
WIDTH_OF_LETTER = 6.6  # pixels, at a font size of 11
HEIGHT = 20
PADDING = 6


def facts() -> dict[str, str]:
    """Return what each badge says, by its label."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    version = re.search(r'__version__ = "(.+)"', (ROOT / "rr_gym" / "version.py").read_text("utf-8"))
    assert version
    return {
        "version": version[1],
        "python": project["requires-python"].replace(">=", "") + " or newer",
        "licence": project["license"],
        "tests": ".ci/run",
    }


def badge(label: str, value: str) -> str:
    """Return the SVG picture of a label, white on grey, and its value, white on green."""
    widths = [round(len(words) * WIDTH_OF_LETTER) + 2 * PADDING for words in (label, value)]
    texts = "".join(
        f'<text x="{x}" y="14" textLength="{width - 2 * PADDING}">{words}</text>'
        for x, width, words in ((PADDING, widths[0], label), (widths[0] + PADDING, widths[1], value))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sum(widths)}" height="{HEIGHT}" role="img">'
        f"<title>{label}: {value}</title>"
        f'<rect width="{sum(widths)}" height="{HEIGHT}" rx="3" fill="#2e6b34"/>'
        f'<path d="M3 0h{widths[0] - 3}v{HEIGHT}h-{widths[0] - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z" fill="#444"/>'
        f'<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">{texts}</g></svg>\n'
    )


def outdated() -> list[Path]:
    """Return the files that do not show the current facts."""
    pictures = {FOLDER / f"{label}.svg": badge(label, value) for label, value in facts().items()}
    return [path for path, picture in pictures.items() if not path.exists() or path.read_text("utf-8") != picture]


def main() -> int:
    """Check the pictures, or with `--write` draw them, and return the exit status."""
    if sys.argv[1:] == ["--write"]:
        FOLDER.mkdir(parents=True, exist_ok=True)
        for label, value in facts().items():
            (FOLDER / f"{label}.svg").write_text(badge(label, value), encoding="utf-8")
        return 0
    for path in outdated():
        print(f"{path.relative_to(ROOT)} is not up to date: python tools/badges.py --write", file=sys.stderr)
    return int(bool(outdated()))


if __name__ == "__main__":
    sys.exit(main())
