"""The web application of a host's games: its addresses, and the files of its pages.

Each guest has a token in the address of their page; without one, nothing of the game can be seen. Requests for a host
other than the one that is served, and requests from pages of other origins, are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from contextlib import asynccontextmanager
from html import escape
from importlib.resources import files
from typing import Any

from rr_gym.errors import RoboRallyError, require
from rr_gym.files import fill
from rr_gym.render.board.icon import ICON
from rr_gym.render.web import scripts, styles
from rr_gym.web.guard import Guard
from rr_gym.web.host import Host
from rr_gym.web.room import ConflictError, Room
from rr_gym.web.routes import Allowed, ForbiddenError, Handler, anybody, game_routes, lobby_routes

SCRIPTS = (
    "page_server.js", "page_orders.js", "page_cards.js", "page_drag.js", "page_ghost.js", "page_robots.js",
    "page_film.js", "page_calls.js", "page_end.js", "page_analysis.js", "page.js",
)  # fmt: skip
STYLES = ("controls.css", "page.css", "page_cards.css", "page_end.css")


def page_file(name: str) -> str:
    """Return the text of a file of the pages."""
    return files("rr_gym.web").joinpath(name).read_text(encoding="utf-8")


def _joined(*names: str) -> Callable[[], str]:
    return lambda: "\n".join(map(page_file, names))


STATIC: dict[str, Callable[[], str]] = {
    "board.js": scripts,
    "board.css": styles,
    "page.js": _joined(*SCRIPTS),
    "page.css": _joined(*STYLES),
    "lobby.js": _joined("page_server.js", "lobby_courses.js", "lobby_seats.js", "lobby.js"),
    "lobby.css": _joined("controls.css", "lobby.css"),
}


def application(host: Host, hosts: Collection[str]) -> Any:
    """Create the web application of a host's games, to be run by an ASGI server.

    Args:
        host: The games.
        hosts: The host names and addresses that requests may name; an entry of `ANY_ADDRESS` allows every IP address.

    Raises:
        MissingExtraError: Starlette is not installed (extra `web`).
    """
    starlette = require("starlette.applications", extra="web")
    routing = require("starlette.routing", extra="web")
    respond = require("starlette.responses", extra="web")

    def route(path: str, handler: Handler, allowed: Allowed = anybody, method: str = "GET") -> Any:
        """Return a route that finds the guest of the token, and turns errors of the handler into HTTP responses."""

        async def answer(request: Any) -> Any:
            guest = host.links.guest_of(request.path_params["token"])
            if guest is None:
                return respond.PlainTextResponse("There is no such seat. Use the link that was given to you.", 404)
            try:
                if not allowed(guest):
                    raise ForbiddenError("this is not for whoever has this link")
                result = await handler(request, guest)
            except ForbiddenError as error:
                return respond.JSONResponse({"error": str(error)}, 403)
            except ConflictError as error:
                return respond.JSONResponse({"error": str(error)}, 409)
            except RoboRallyError as error:
                return respond.JSONResponse({"error": str(error)}, 400)
            return respond.JSONResponse(result) if isinstance(result, dict) else result

        return routing.Route("/play/{token}/" + path, answer, methods=[method])

    async def page(request: Any, guest: int) -> Any:
        if host.room and host.room.has(guest):
            return respond.HTMLResponse(await _game_page(host.room, guest))
        return respond.HTMLResponse(fill(page_file("lobby.html"), {"icon": ICON}))

    async def static(request: Any) -> Any:
        name = request.path_params["name"]
        if name not in STATIC:
            return respond.PlainTextResponse("There is no such file.", 404)
        kind = "text/javascript" if name.endswith(".js") else "text/css"
        return respond.Response(STATIC[name](), media_type=kind)

    @asynccontextmanager
    async def lifespan(app: Any) -> Any:
        yield
        await host.close()

    routes = [
        routing.Route("/static/{name}", static),
        route("", page),
        *(route(*about) for about in (*game_routes(host), *lobby_routes(host))),
    ]
    return Guard(starlette.Starlette(routes=routes, lifespan=lifespan), hosts)


async def _game_page(room: Room, guest: int) -> str:
    course = room.table.game.course
    parts = {"board": await room.board(guest), "title": escape(course.name), "icon": ICON}
    parts |= dict(zip(("columns", "rows"), map(str, course.size), strict=True))
    return fill(page_file("page.html"), parts)
