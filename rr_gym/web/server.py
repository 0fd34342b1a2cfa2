"""Serve a game to browsers until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from rr_gym.errors import RoboRallyError, require
from rr_gym.play import HumanGame
from rr_gym.web.app import ANY_ADDRESS, LOOPBACK, application
from rr_gym.web.message import names_of
from rr_gym.web.room import Room

HOST = "127.0.0.1"
WARNING = (
    "warning: this is not encrypted: anyone who can read the network's traffic can read links and cards, and play; "
    "use it only in a network that you trust"
)


def serve(
    table: HumanGame,
    *,
    host: str = HOST,
    port: int = 0,
    folder: Path | None = None,
    save_to: Callable[[], Path],
    say: Callable[[str], None],
) -> None:
    """Serve a game to browsers until Ctrl-C.

    Args:
        table: The game.
        host: The address to listen at; the default can be reached from this machine alone.
        port: The port to listen at; 0 for any free one.
        folder: The folder in which the game is saved after every turn; None not to save it.
        save_to: Returns the folder in which a page saves the game.
        say: Shows a line to the person who started the server, such as the link of each seat.

    Raises:
        RoboRallyError: The server cannot listen at this address and port.
        MissingExtraError: Starlette or uvicorn is not installed (extra `web`).
        KeyboardInterrupt: Ctrl-C.
    """
    uvicorn = require("uvicorn", extra="web")
    require("starlette", extra="web")
    with _listening(host, port) as listener:
        hosts = hosts_of(host)
        room = Room(table, folder, say)
        names = names_of(table)
        shown = socket.gethostname() if host in ANY_ADDRESS else host
        address = f"http://{f'[{shown}]' if ':' in shown else shown}:{listener.getsockname()[1]}"
        for seat, token in room.tokens.items():
            say(f"seat {seat}, {names[seat]}: {address}/play/{token}/")
        if not hosts <= LOOPBACK:
            say(WARNING)
        say("Ctrl-C stops the server")

        class Server(uvicorn.Server):  # type: ignore[name-defined, misc]
            """Answers the pages that wait for news before it stops."""

            async def shutdown(self, sockets: Any = None) -> None:
                await room.close()
                await super().shutdown(sockets)

        config = uvicorn.Config(
            application(room, hosts, save_to),
            # uvicorn would log warnings about requests that the server refuses anyway, such as those of WebSockets.
            log_level="error", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=1,
        )  # fmt: skip
        with suppress(SystemExit):  # raised by uvicorn when it cannot start, after it has logged the reason
            Server(config).run(sockets=[listener])


def hosts_of(host: str) -> frozenset[str]:
    """Return the host names and addresses by which requests may name a server that listens at an address."""
    if host in LOOPBACK:
        return LOOPBACK
    if host in ANY_ADDRESS:
        return LOOPBACK | {host, socket.gethostname().lower()}
    return frozenset({host.lower()})


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise RoboRallyError(
            f"--host {host}, port {port}: {getattr(error, 'strerror', None) or error}: expected an address of this "
            "machine and a port that is free"
        ) from None
