"""``rr-gym play --web``: it serves until Ctrl-C, says what is open to others, and names what is missing."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import ROOT

from rr_gym.cli.main import main


@contextmanager
def served(*words: str, cwd: Path) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Run the command while it serves, and yield its process and the lines that it has written."""
    command = [sys.executable, "-m", "rr_gym", "play", "--web", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=cwd, env=environment, **pipes) as process:
        assert process.stdout
        lines = []
        try:
            for line in process.stdout:
                lines.append(line.strip())
                if line.startswith("Ctrl-C"):
                    break
            yield process, lines
        finally:
            process.kill()


def ask(address: str, body: object = None) -> dict[str, object]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: dict[str, object] = json.load(answer)
        return found


def test_the_command_serves_a_game_until_it_is_interrupted_and_resumes(tmp_path: Path) -> None:
    words = ("--players", "human,random", "--seed", "3", "--out", "game")
    with served(*words, cwd=tmp_path) as (process, lines):
        links = [re.search(r"http://127\.0\.0\.1:\d+/play/\S+/", line) for line in lines[:2]]
        assert [line.partition(":")[0] for line in lines[:2]] == ["seat 0, human 1", "seat 1, human 2"]
        assert not any("encrypted" in line for line in lines)
        for link in links:
            assert link
            ask(f"{link[0]}orders", {"turn": 0, "orders": {}})
        assert links[0]
        version = -1
        while (state := ask(f"{links[0][0]}state?after={version}")).get("turn") != 1:
            version = int(str(state["version"]))
        waiting = subprocess.Popen(
            [sys.executable, "-c", "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read())",
             f"{links[0][0]}state?after={state['version']}"],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        waiting.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "resume with: rr-gym play --web --players human,random --seed 3 --out game --resume" in err
    with served(*words, "--resume", cwd=tmp_path) as (process, lines):
        assert re.search(r"http:\S+", lines[0])[0] == links[0][0]  # type: ignore[index]
        assert ask(f"{links[0][0]}state")["turn"] == 1
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "resume with: rr-gym play --web --players human,random --seed 3 --out game --resume" in err


def test_an_open_address_is_warned_of(tmp_path: Path) -> None:
    with served("--host", "0.0.0.0", "--alone", "--seed", "1", cwd=tmp_path) as (_, lines):
        assert any(line.startswith("warning: this is not encrypted") for line in lines)
        port = re.search(r":(\d+)/play/(\S+)/", lines[0])
        assert port
        assert ask(f"http://127.0.0.1:{port[1]}/play/{port[2]}/state")["turn"] == 0


def test_a_request_for_a_websocket_says_nothing_on_the_terminal_of_the_host(tmp_path: Path) -> None:
    with served("--alone", "--seed", "1", cwd=tmp_path) as (process, lines):
        host, port, path = re.search(r"http://([\d.]+):(\d+)(/play/\S+/)", lines[0]).groups()  # type: ignore[union-attr]
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        upgrade = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
        connection.request("GET", path, headers={**upgrade, "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="})
        assert connection.getresponse().status == 200
        connection.close()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert "Unsupported" not in out + err
    assert "pip install" not in out + err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--host", "0.0.0.0"], "--host: expected --web with it"),
        (["--players", "human"], "--players: human: expected --web with it"),
        (["--players", "greedy,human"], "--players: human: expected --web with it"),
        (["--port", "80"], "--port: expected --web with it"),
        (["--web", "--port", "70000"], "--port: 70000: expected"),
        (["--web", "--host", "203.0.113.9"], "expected an address of this machine"),
        (["--web", "--seat", "5"], "--seat: 5: expected"),
        (["--web", "--players", "nobody"], "nobody"),
        (["--web", "--course", "nowhere"], "nowhere"),
        (["--web", "--set", "lives=500"], "'lives': 500"),
    ],
)
def test_wrong_arguments_are_one_line(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_extra_is_named_where_it_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["play", "--web"]) != 0
    assert "pip install 'rr-gym[web]'" in capsys.readouterr().err
