"""Run the browser tests, which open pages in headless Chromium (`make test-browser`).

Chromium and node come from the system (on Debian ``apt-get install chromium nodejs npm``). Without them the tests are
skipped, and a line says so. The packages of tests/browser/package-lock.json are installed beside it on the first run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests" / "browser"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests and return their exit status, or 0 if they are skipped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", type=Path, metavar="FOLDER", help="write screenshots there, such as docs/images")
    parser.add_argument("--pages", type=Path, metavar="FOLDER", help="keep the pages that are tested there")
    parser.add_argument("tests", nargs="*", help="files of tests; all of them by default")
    given = parser.parse_args(arguments)
    browser = os.environ.get("RR_GYM_CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    missing = [name for name, found in (("Chromium", browser), ("node", shutil.which("node"))) if not found]
    if not browser or missing:
        print(f"browser tests skipped: {' and '.join(missing)} not found (apt-get install chromium nodejs npm)")
        return 0
    if not (TESTS / "node_modules" / "playwright-core").is_dir():
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=TESTS, check=True)
    with tempfile.TemporaryDirectory() as folder:
        pages = given.pages or Path(folder)
        subprocess.run([sys.executable, str(TESTS / "pages.py"), str(pages)], cwd=ROOT, check=True)
        environment = {**os.environ, "RR_GYM_CHROMIUM": browser, "RR_GYM_PAGES": str(pages.resolve())}
        environment["RR_GYM_PYTHON"] = sys.executable  # used by tests that start a server
        environment["TMPDIR"] = folder  # so that files written by tests are removed
        if given.pictures:
            environment["RR_GYM_PICTURES"] = folder
        tests = given.tests or sorted(map(str, TESTS.glob("*.test.mjs")))
        status = subprocess.run(["node", "--test", *tests], cwd=ROOT, env=environment, check=False).returncode
        if given.pictures:
            keep(Path(folder), given.pictures)
        return status


def keep(folder: Path, pictures: Path) -> None:
    """Save screenshots with 256 colours, which look the same and take a third of the space."""
    from PIL import Image

    pictures.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("*.png")):
        Image.open(path).convert("RGB").quantize(256, kmeans=2).save(pictures / path.name, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
