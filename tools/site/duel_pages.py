"""Make the pages of the site on which a visitor plays a duel: the play page, with the game itself as its server."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from html import escape
from pathlib import Path
from typing import Any

import duel_engine

from rr_gym.files import fill, write_file
from rr_gym.play import HumanGame
from rr_gym.player_names import PERSON
from rr_gym.render import phrases
from rr_gym.render.board.icon import ICON
from rr_gym.render.web import scripts, styles
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import CAUSE_NAMES, DECK_SIZE, FATAL_DAMAGE, HARM_NAMES, STEP_NAMES
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.web.app import SCRIPTS, STYLES, page_file
from rr_gym.web.message import Messages

HERE = Path(__file__).parent / "duel"
SEAT = 0  # the visitor's
GAME = {"game": 1}  # its number; another one would be another game
NAMES = ("you", duel_engine.PLAYER)
FROM_SERVER = re.compile(r' href="(replay|analysis)\.[^"]*"')  # links to what only a server has; `duel.css` hides them
OWN_SCRIPTS = ("engine.js", "frames.js", "local.js")  # after the page's way to ask a server, which they replace


def make(folder: Path, built: dict[str, Any] | None = None) -> str:
    """Write the pages, and return the text of the page of the site that leads to them.

    Args:
        folder: The folder for the pages.
        built: What `duel_engine.build` returns; None to build it now.
    """
    built = duel_engine.build() if built is None else built
    write_file(folder / "engine.js", f"const BUILT = {json.dumps(built)};\n")
    names = SCRIPTS[: SCRIPTS.index("page_server.js") + 1], SCRIPTS[SCRIPTS.index("page_server.js") + 1 :]
    own = [(HERE / name).read_text("utf-8") for name in OWN_SCRIPTS]
    write_file(folder / "page.js", "\n".join([*map(page_file, names[0]), *own, *map(page_file, names[1])]))
    write_file(folder / "board.js", scripts())
    write_file(folder / "board.css", styles())
    css = [*map(page_file, STYLES), (HERE / "duel.css").read_text("utf-8")]
    write_file(folder / "page.css", "\n".join(css))
    lines = [(HERE / "duel.md").read_text("utf-8").rstrip(), ""]
    for index, course in enumerate(duel_engine.COURSES):
        table = HumanGame.seated(course, [PERSON, duel_engine.PLAYER])
        messages = Messages(table, SEAT, NAMES)
        write_file(folder / f"{course}.html", page(messages, table, index))
        lines.append(f'- <a href="../duel/{course}.html">{escape(table.game.course.name)}</a>')
    return "\n".join(lines) + "\n"


def page(messages: Messages, table: HumanGame, index: int) -> str:
    """Return the page of a course: the play page with the scripts of the duel and the data of this course."""
    course = table.game.course
    title = f"{course.name} against {duel_engine.PLAYER}"
    parts = {"board": messages.board(), "title": escape(title), "icon": ICON}
    parts |= dict(zip(("columns", "rows"), map(str, course.size), strict=True))
    text = fill(page_file("page.html"), parts).replace("../../static/", "")
    text = FROM_SERVER.sub("", text)
    data = json.dumps(data_of(messages, table, index)).replace("</", "<\\/")
    own = f'<script>const DATA = {data};</script>\n<script src="engine.js"></script>\n<script src="page.js">'
    return text.replace('<script src="page.js">', own)


def data_of(messages: Messages, table: HumanGame, index: int) -> dict[str, Any]:
    """Return what the page of a course knows from the start."""
    state = messages.now()
    return {
        "course": messages.course() | GAME | {"can_set_up": False},
        "course_index": index,
        "state": state | GAME | {"playing": False, "ready": False, "given": [], "again": [], "seconds": None},
        "floors": messages.floors,
        "robot": state["robots"][SEAT],
        "controls": state["controls"] + [_stay_down(state["controls"])],
        "card_names": [None, *map(card_name, range(1, DECK_SIZE + 1))],
        "words": words(asdict(table.game.settings)),
    }


def _stay_down(controls: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the control for a robot that is powered down, which is like the one for powering down."""
    power_down = next(control for control in controls if control["name"] == "power_down")
    about = "stay powered down for another turn"
    return power_down | {"name": "stay_down", "label": "stay down", "about": about}


def words(settings: dict[str, Any]) -> dict[str, Any]:
    """Return names and phrases of events, and the numbers that frames need."""
    return {
        "kinds": EVENT_NAMES,
        "steps": STEP_NAMES,
        "causes": CAUSE_NAMES,
        "harms": HARM_NAMES,
        "step_words": phrases.STEP_WORDS,
        "phrases": phrases.EVENTS,
        "carried": phrases.CARRIED,
        "turned_by": phrases.TURNED_BY,
        "harmed": phrases.HARMED,
        "destroyed": phrases.DESTROYED,
        "ended": phrases.ENDED,
        "nowhere": phrases.NOWHERE,
        "facings": phrases.FACING_WORDS,
        "fatal": FATAL_DAMAGE,
        "reentry_damage": settings["reentry_damage"],
    }
