"""Serve games to browsers until Ctrl-C or SIGTERM."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from rr_gym.errors import RoboRallyError, require
from rr_gym.web.app import application
from rr_gym.web.guard import ANY_ADDRESS, LOOPBACK
from rr_gym.web.host import Host
from rr_gym.web.links import HOST, WATCHER

HERE = "127.0.0.1"
WARNING = (
    "warning: this is not encrypted: anyone who can read the network's traffic can read links and cards, and play; "
    "use it only in a network that you trust"
)


def serve(host: Host, *, address: str = HERE, port: int = 0, say: Callable[[str], None]) -> None:
    """Serve games to browsers until Ctrl-C or SIGTERM.

    Args:
        host: The games.
        address: The address to listen at; the default can be reached from this machine alone.
        port: The port to listen at; 0 for the one that the links were made for, or any free one.
        say: Shows a line to the person who started the server, such as the link of each seat.

    Raises:
        RoboRallyError: The server cannot listen at this address and port.
        MissingExtraError: Starlette or uvicorn is not installed (extra `web`).
        KeyboardInterrupt: Ctrl-C or SIGTERM.
    """
    uvicorn = require("uvicorn", extra="web")
    require("starlette", extra="web")
    before = host.links.port
    with listening(address, port, before) as listener:
        hosts = hosts_of(address)
        host.links.port = listener.getsockname()[1]
        shown = _own_address() if address in ANY_ADDRESS else address
        host.address = f"http://{f'[{shown}]' if ':' in shown else shown}:{host.links.port}"
        for line in _links(host):
            say(line)
        if before and before != host.links.port:
            say(f"the links have another port than before, {before}: give them to the others again")
        if not hosts <= LOOPBACK:
            say(WARNING)
        say("Ctrl-C stops the server")

        class Server(uvicorn.Server):  # type: ignore[name-defined, misc]
            """Answers the pages that wait for news before it stops."""

            async def shutdown(self, sockets: Any = None) -> None:
                await host.close()
                await super().shutdown(sockets)

        config = uvicorn.Config(
            application(host, hosts),
            # uvicorn would log warnings about requests that the server refuses anyway, such as those of WebSockets.
            log_level="error", access_log=False, server_header=False, ws="none", timeout_graceful_shutdown=1,
        )  # fmt: skip
        # uvicorn raises the signal that stopped it again: SIGTERM then leaves as Ctrl-C does, and the game is kept.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        with suppress(SystemExit):  # raised by uvicorn when it cannot start, after it has logged the reason
            Server(config).run(sockets=[listener])


def _links(host: Host) -> Iterator[str]:
    """Yield a line for each link."""
    if host.room is None:
        yield f"choose course and players: {host.address}/play/{host.links.token(HOST)}/"
        return
    for seat in host.room.table.people:
        yield f"seat {seat}, {host.room.names[seat]}: {host.link_of(str(seat))}"
    yield f"to watch: {host.link_of(str(WATCHER))}"
    yield from host.saving()


def _own_address() -> str:
    """Return the address of this machine in its network, or its name if it has none. Nothing is sent."""
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
    except OSError:
        return socket.gethostname()


def hosts_of(address: str) -> frozenset[str]:
    """Return the host names and addresses by which requests may name a server that listens at an address."""
    if address in LOOPBACK:
        return LOOPBACK
    if address in ANY_ADDRESS:
        return LOOPBACK | {address, socket.gethostname().lower()}
    return frozenset({address.lower()})


def listening(address: str, port: int, wanted: int) -> socket.socket:
    """Listen at a port; if it is 0, at the wanted one if that is free, else at any."""
    try:
        family = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        # The links of a server that listens at all addresses name one of IPv4.
        both = address in ANY_ADDRESS and family == socket.AF_INET6 and socket.has_dualstack_ipv6()
        if not port and wanted:
            with suppress(OSError):
                return socket.create_server((address, wanted), family=family, dualstack_ipv6=both)
        return socket.create_server((address, port), family=family, dualstack_ipv6=both)
    except (OSError, OverflowError) as error:
        raise RoboRallyError(
            f"--host {address}, port {port}: {getattr(error, 'strerror', None) or error}: expected an address of this "
            "machine and a port that is free"
        ) from None
