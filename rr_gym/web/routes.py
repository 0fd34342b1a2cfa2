"""The requests of pages: who may make them, what they contain, and what of a game or its set-up they reach."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any

from rr_gym.errors import RoboRallyError, require
from rr_gym.json_text import loads
from rr_gym.render.board.picture import svg
from rr_gym.replay.page import to_html
from rr_gym.web.host import Host
from rr_gym.web.links import HOST, WATCHER
from rr_gym.web.room import ConflictError, Room

MOST_BYTES = 64 * 1024  # the largest body of a request that is read
# A replay is one file that contains its script and requests nothing.
_REPLAY_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_PAGE_HEADERS = {"Content-Security-Policy": _REPLAY_POLICY}
Handler = Callable[[Any, int], Awaitable[Any]]
Allowed = Callable[[int], bool]
Routes = list[tuple[str, Handler, Allowed, str]]  # path, handler, who may ask, method


class RequestError(RoboRallyError):
    """A request that is malformed."""


class ForbiddenError(RoboRallyError):
    """A request of a guest that is not meant for this guest."""


def anybody(guest: int) -> bool:
    """Tell that every guest may ask."""
    return True


def seated(guest: int) -> bool:
    """Tell whether a guest has a seat."""
    return guest >= 0


def naming(guest: int) -> bool:
    """Tell whether a guest may choose a name: everybody but watchers."""
    return guest != WATCHER


def setting_up(guest: int) -> bool:
    """Tell whether a guest sets up the games."""
    return guest == HOST


def in_game(guest: int) -> bool:
    """Tell whether a guest sees games: from a seat, or as a watcher."""
    return guest != HOST


def game_routes(host: Host) -> Routes:
    """Return the requests about the game that is played."""

    def room(guest: int) -> Room:
        if host.room is None or not host.room.has(guest):
            raise ConflictError("there is no game for this seat: expected to wait for one")
        return host.room

    async def course(request: Any, guest: int) -> dict[str, Any]:
        return await room(guest).course(guest) | {"game": host.number, "can_set_up": host.can_set_up}

    async def floor(request: Any, guest: int) -> dict[str, Any]:
        return await room(guest).floor(guest, request.path_params["number"])

    async def state(request: Any, guest: int) -> dict[str, Any]:
        after = _version(request)
        if host.room is None or not host.room.has(guest):
            return {"left": True}
        return await host.room.state(guest, after) | {"game": host.number}

    async def orders(request: Any, seat: int) -> dict[str, Any]:
        given = await _body(request, "turn", "orders")
        await room(seat).order(seat, given["turn"], given["orders"])
        return {"ready": True}

    async def take_back(request: Any, seat: int) -> dict[str, Any]:
        await room(seat).take_back(seat, (await _body(request, "turn"))["turn"])
        return {"ready": False}

    async def preview(request: Any, seat: int) -> dict[str, Any]:
        return await room(seat).preview(seat, (await _body(request, "orders"))["orders"])

    async def hint(request: Any, seat: int) -> dict[str, Any]:
        return await room(seat).hint(seat, (await _body(request, "player"))["player"])

    async def save(request: Any, seat: int) -> dict[str, Any]:
        await _body(request)
        return {"saved": (await room(seat).save()).name}

    async def again(request: Any, seat: int) -> dict[str, Any]:
        await _body(request)
        room(seat)
        await host.play_again(seat)
        return {"again": True}

    async def replay(request: Any, guest: int) -> Any:
        respond = require("starlette.responses", extra="web")
        whole = await room(guest).replay()
        if request.path_params["form"] == "json":
            saved = {"Content-Disposition": "attachment; filename=replay.json"}
            return respond.JSONResponse(whole.to_json(), headers=saved)
        return respond.HTMLResponse(to_html(whole, address_is_secret=True), headers=_PAGE_HEADERS)

    async def analyse(request: Any, guest: int) -> dict[str, Any]:
        await _body(request)
        return await room(guest).analyse()

    async def analysis(request: Any, guest: int) -> dict[str, Any]:
        return room(guest).analysis()

    async def analysis_page(request: Any, guest: int) -> Any:
        about = room(guest).analysing
        if about is None or about.state != "ready":
            raise ConflictError("analysis: it is not ready: expected to wait for it")
        respond = require("starlette.responses", extra="web")
        return respond.HTMLResponse(about.page, headers=_PAGE_HEADERS)

    return [
        ("course", course, in_game, "GET"),
        ("floor/{number}", floor, in_game, "GET"),
        ("state", state, in_game, "GET"),
        ("orders", orders, seated, "POST"),
        ("take_back", take_back, seated, "POST"),
        ("preview", preview, seated, "POST"),
        ("hint", hint, seated, "POST"),
        ("save", save, seated, "POST"),
        ("again", again, seated, "POST"),
        ("replay.{form}", replay, in_game, "GET"),
        ("analyse", analyse, in_game, "POST"),
        ("analysis", analysis, in_game, "GET"),
        ("analysis.html", analysis_page, in_game, "GET"),
    ]


def lobby_routes(host: Host) -> Routes:
    """Return the requests about the game that is set up."""

    async def lobby(request: Any, guest: int) -> dict[str, Any]:
        return await host.lobby(guest, _version(request))

    async def choices(request: Any, guest: int) -> dict[str, Any]:
        return await asyncio.to_thread(host.choices)  # reads all courses

    async def picture(request: Any, guest: int) -> Any:
        name = request.path_params["course"]
        drawn = await asyncio.to_thread(lambda: svg(host.course_of(name)))
        respond = require("starlette.responses", extra="web")
        headers = {"Cache-Control": "private, max-age=3600"}
        return respond.Response(drawn, media_type="image/svg+xml", headers=headers)

    async def code(request: Any, guest: int) -> Any:
        link = host.link_of(request.path_params["who"])
        picture = io.BytesIO()
        require("segno", extra="web").make(link, error="m").save(picture, kind="svg", scale=4, border=2, light="white")
        respond = require("starlette.responses", extra="web")
        return respond.Response(picture.getvalue(), media_type="image/svg+xml")

    async def plan(request: Any, guest: int) -> dict[str, Any]:
        await host.set_plan((await _body(request, "plan"))["plan"])
        return {"planned": True}

    async def name(request: Any, guest: int) -> dict[str, Any]:
        await host.set_name(guest, (await _body(request, "name"))["name"])
        return {"named": True}

    async def start(request: Any, guest: int) -> dict[str, Any]:
        await _body(request)
        return await host.start()

    async def set_up(request: Any, guest: int) -> dict[str, Any]:
        await _body(request)
        return await host.set_up(guest)

    return [
        ("lobby", lobby, anybody, "GET"),
        ("choices", choices, anybody, "GET"),
        ("picture/{course:path}.svg", picture, anybody, "GET"),
        ("code/{who}.svg", code, setting_up, "GET"),
        ("plan", plan, setting_up, "POST"),
        ("name", name, naming, "POST"),
        ("start", start, setting_up, "POST"),
        ("set_up", set_up, anybody, "POST"),
    ]


def _version(request: Any) -> int:
    after = request.query_params.get("after", "-1")
    if not after.removeprefix("-").isascii() or not after.removeprefix("-").isdigit() or len(after) > 12:
        raise RequestError("after: expected the number of a version")
    return int(after)


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
