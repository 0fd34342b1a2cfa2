"""Pages of duels on the site: the scripts of the play page and of the duel fit together, and nothing needs a server."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tool_modules import SITE, load_tool


def test_pages_of_duels_have_one_valid_script_and_no_links_to_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(SITE))  # the module imports another one there
    load_tool("duel_pages", SITE).make(tmp_path, {})
    for page in tmp_path.glob("*.html"):
        links = re.findall(r'(?:href|src)="(?!data:)([^"]+)"', page.read_text("utf-8"))
        assert {*links} == {"board.css", "page.css", "board.js", "engine.js", "page.js"}
    if shutil.which("node") is None:
        pytest.skip("scripts are checked by Node.js: no command node")
    command = ["node", "--check", str(tmp_path / "page.js")]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert not checked.returncode, checked.stderr  # a name declared by two files, for instance
