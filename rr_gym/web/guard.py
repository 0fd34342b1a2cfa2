"""What is refused before it reaches a page: requests of other sites and for other hosts."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection
from typing import Any
from urllib.parse import urlsplit

from rr_gym.errors import require

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ANY_ADDRESS = frozenset({"0.0.0.0", "::", ""})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """Refuses requests that come from other sites, and adds headers to every response."""

    def __init__(self, app: Any, hosts: Collection[str]) -> None:
        self.app, self.hosts = app, frozenset(hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer a request as ASGI wants it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        data = require("starlette.datastructures", extra="web")
        refusal = self._refusal(scope["method"], data.Headers(scope=scope).getlist)

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                headers = data.MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        app = require("starlette.responses", extra="web").PlainTextResponse(*refusal) if refusal else self.app
        await app(scope, receive, with_headers)

    def _refusal(self, method: str, headers: Callable[[str], list[str]]) -> tuple[str, int] | None:
        """Return why a request is refused, as a sentence and a status; None if it is accepted."""
        host = headers("host")
        if len(host) != 1 or not self._served(host[0]):
            return "Host: expected the address that the game is served at.", 400
        if not set(headers("origin")) <= {f"http://{host[0]}", f"https://{host[0]}"}:
            return "Origin: expected the game's own page.", 403
        if method not in ("GET", "HEAD"):
            if headers("sec-fetch-site") not in ([], ["same-origin"]):
                return "Sec-Fetch-Site: expected the game's own page.", 403
            if [kind.partition(";")[0].strip() for kind in headers("content-type")] != ["application/json"]:
                return "Content-Type: expected application/json.", 415
        return None

    def _served(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self.hosts or (bool(self.hosts & ANY_ADDRESS) and _is_address(name))


def _is_address(name: str) -> bool:
    """Tell whether a host name is an IP address.

    A request that names an address is safe. One that names a domain may come from another site, whose owner has made
    the name servers of the domain point to this computer (DNS rebinding).
    """
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
