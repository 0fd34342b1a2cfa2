"""The web application of a game: its addresses, and the checks of every request.

Each seat has a token in the address of its page; without one, nothing of the game can be seen. Requests for a host
other than the one that is served, and requests from pages of other origins, are refused.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rr_gym.errors import RoboRallyError, require
from rr_gym.files import fill
from rr_gym.json_text import loads
from rr_gym.render.board.icon import ICON
from rr_gym.render.web import scripts, styles
from rr_gym.replay import Replay
from rr_gym.web.room import ConflictError, Room

MOST_BYTES = 64 * 1024  # the largest body of a request that is read
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
ANY_ADDRESS = frozenset({"0.0.0.0", "::", ""})
SCRIPTS = (
    "page_server.js", "page_orders.js", "page_cards.js", "page_ghost.js", "page_robots.js", "page_film.js", "page.js",
)  # fmt: skip
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A replay is one file that contains its script and requests nothing.
_REPLAY_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
Handler = Callable[[Any, int], Awaitable[Any]]


class RequestError(RoboRallyError):
    """A request that is malformed."""


def application(room: Room, hosts: Collection[str], save_to: Callable[[], Path]) -> Any:
    """Create the web application of a game, to be run by an ASGI server.

    Args:
        room: The game.
        hosts: The host names and addresses that requests may name; an entry of `ANY_ADDRESS` allows every IP address.
        save_to: Returns the folder in which a page saves the game.

    Raises:
        MissingExtraError: Starlette is not installed (extra `web`).
    """
    starlette = require("starlette.applications", extra="web")
    routing = require("starlette.routing", extra="web")
    respond = require("starlette.responses", extra="web")

    def answer(handler: Handler) -> Callable[[Any], Awaitable[Any]]:
        """Return a route that finds the seat of the token, and turns errors of the handler into HTTP responses."""

        async def route(request: Any) -> Any:
            seat = room.seat_of(request.path_params["token"])
            if seat is None:
                return respond.PlainTextResponse("There is no such seat. Use the link that was given to you.", 404)
            try:
                result = await handler(request, seat)
            except ConflictError as error:
                return respond.JSONResponse({"error": str(error)}, 409)
            except RoboRallyError as error:
                return respond.JSONResponse({"error": str(error)}, 400)
            return respond.JSONResponse(result) if isinstance(result, dict) else result

        return route

    async def page(request: Any, seat: int) -> Any:
        parts = {"board": await room.board(seat), "title": escape(room.table.game.course.name), "icon": ICON}
        return respond.HTMLResponse(fill(_file("page.html"), parts))

    async def course(request: Any, seat: int) -> dict[str, Any]:
        return await room.course(seat)

    async def floor(request: Any, seat: int) -> dict[str, Any]:
        return await room.floor(seat, request.path_params["number"])

    async def state(request: Any, seat: int) -> dict[str, Any]:
        after = request.query_params.get("after", "-1")
        if not after.removeprefix("-").isascii() or not after.removeprefix("-").isdigit() or len(after) > 12:
            raise RequestError("after: expected the number of a version")
        return await room.state(seat, int(after))

    async def orders(request: Any, seat: int) -> dict[str, Any]:
        given = await _body(request, "turn", "orders")
        await room.order(seat, given["turn"], given["orders"])
        return {"ready": True}

    async def preview(request: Any, seat: int) -> dict[str, Any]:
        return await room.preview(seat, (await _body(request, "orders"))["orders"])

    async def hint(request: Any, seat: int) -> dict[str, Any]:
        return await room.hint(seat, (await _body(request, "player"))["player"])

    async def save(request: Any, seat: int) -> dict[str, Any]:
        await _body(request)
        return {"saved": (await room.save(save_to())).name}

    async def replay(request: Any, seat: int) -> Any:
        from rr_gym.replay.page import to_html

        whole: Replay = await room.replay()
        if request.path_params["form"] == "json":
            saved = {"Content-Disposition": "attachment; filename=replay.json"}
            return respond.JSONResponse(whole.to_json(), headers=saved)
        return respond.HTMLResponse(to_html(whole), headers={"Content-Security-Policy": _REPLAY_POLICY})

    async def static(request: Any) -> Any:
        name = request.path_params["name"]
        made: dict[str, Callable[[], str]] = {
            "board.js": scripts, "page.js": lambda: "\n".join(map(_file, SCRIPTS)),
            "board.css": styles, "page.css": lambda: _file("page.css"),
        }  # fmt: skip
        if name not in made:
            return respond.PlainTextResponse("There is no such file.", 404)
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        return respond.Response(made[name](), media_type=kind)

    @asynccontextmanager
    async def lifespan(app: Any) -> Any:
        yield
        await room.close()

    def seat_route(path: str, handler: Handler, method: str = "GET") -> Any:
        return routing.Route("/play/{token}/" + path, answer(handler), methods=[method])

    routes = [
        routing.Route("/static/{name}", static),
        seat_route("", page),
        seat_route("course", course),
        seat_route("floor/{number}", floor),
        seat_route("state", state),
        seat_route("orders", orders, "POST"),
        seat_route("preview", preview, "POST"),
        seat_route("hint", hint, "POST"),
        seat_route("save", save, "POST"),
        seat_route("replay.{form}", replay),
    ]
    return _Guard(starlette.Starlette(routes=routes, lifespan=lifespan), hosts)


def _file(name: str) -> str:
    return files("rr_gym.web").joinpath(name).read_text(encoding="utf-8")


async def _body(request: Any, *names: str) -> dict[str, Any]:
    """Read the JSON of a request, a mapping with exactly these names. Raises RequestError for anything else."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > MOST_BYTES:
            raise RequestError(f"request: expected at most {MOST_BYTES} bytes")
    data = loads(content, "request", RequestError)
    if not isinstance(data, dict) or sorted(data) != sorted(names):
        raise RequestError(f"request: expected a mapping with {', '.join(names) or 'nothing'}")
    return data


class _Guard:
    """Refuses requests that come from other sites, and adds headers to every response."""

    def __init__(self, app: Any, hosts: Collection[str]) -> None:
        self.app, self.hosts = app, frozenset(hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
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
        if any(urlsplit(origin).netloc != host[0] or not origin.startswith("http") for origin in headers("origin")):
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
