"""Elements at the foot of a ramp do not act on a robot that slides back to them (R-E14.8)."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

from rr_gym.courses import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import CAUSE_NAMES, MOVE_3
from rr_gym.rules.state.events import MOVED
from rr_gym.rules.state.records import new_log
from rr_gym.rules.state.scratch import RobotScratch
from rr_gym.rules.turn.turn import play_phase

# The robot begins on the foot, [2, 1], faces the ramp and cannot get off its top.
BOARD = """
grid:
@1     . .      .   #1
.      . {foot} ./w .
{twin} . .      .   .
levels:
00000
00010
00000
"""
FOOT = 5 + 2
MOVE = int(np.flatnonzero(CARD_TYPE == MOVE_3)[0])
# Items that are left out: those that move a robot on after a displacement (R-P4.2, R-P4.3), pits on which no robot
# stands, start squares, which do nothing, and flags, which must be in order
LEFT_OUT = re.compile(r"O|S[>^v<]+|X|B|t[>^v<]|[@#]\d")
# Items that change the card or the move, so that the robot does not drive up the ramp
NOT_UP = re.compile(r"\?|Tf?|M\d*|X\d+")
EVERYTHING = (files("rr_gym.courses") / "data" / "boards" / "everything.rrb").read_text("ascii")
GRID = EVERYTHING[EVERYTHING.index("grid:") + 5 : EVERYTHING.index("levels:")]
WORDS = {item for token in GRID.split() for item in token.partition("/")[0].split("+")}
ITEMS = sorted(item for item in WORDS if not LEFT_OUT.fullmatch(item))
OTHER_RULES = {"lava_mode": "list", "flag_touch": "pass", "ice_mode": "chart"}


def played(foot: str, phase: int, settings: dict[str, Any]) -> tuple[Any, set[str]]:
    """Return a game after a phase in which the robot drove against the item east of it, and the causes of its moves."""
    twin = foot[:2] if foot.startswith("=") else "."
    arena = Arena(Course.from_board(BOARD.format(foot=foot, twin=twin), "ramp"), settings | {"flip_state": 0})
    game = arena.new_games(1, 1, seed=1)[0]
    robot = game.robots[0]
    robot.square, robot.level, robot.facing, robot.virtual, robot.burning = FOOT, 0, 1, 0, 1
    robot.registers[:] = 0
    robot.registers[phase - 1] = MOVE
    game.piston_up = int(foot.startswith("pb"))
    game.phase = phase
    log = new_log()[0]
    play_phase(game, arena.tables[0], log)
    moves = log.events[: log.count]
    return game, {CAUSE_NAMES[cause] for cause in moves["value"][moves["kind"] == MOVED]}


def differences(item: str, settings: dict[str, Any]) -> list[str]:
    """Return the fields that differ after the phase with a ramp that rises from the item and with a wall in its place.

    The list ends with `ramp_back` if the robot should slide back from the ramp and does not.
    """
    phase = int(re.sub(r"\D", "", item)[:1] or 1) if re.match(r"[XFNMVKCHP]", item) else 1
    (ramp, causes), (wall, _) = (played(f"{item}/{side}", phase, settings) for side in ("eh", "e"))
    robots = {*ramp.robots.dtype.names} - {"heading", *RobotScratch.fields}
    differing = [name for name in robots if ramp.robots[0][name].tobytes() != wall.robots[0][name].tobytes()]
    shared = ("piston_up", "crumbled", "flip", "barrier_broken")
    differing += [name for name in shared if ramp[name].tobytes() != wall[name].tobytes()]
    if "ramp_back" not in causes and not NOT_UP.fullmatch(item):
        differing.append("ramp_back")
    return differing


@pytest.mark.parametrize("settings", [{}, OTHER_RULES], ids=["default", "other_rules"])
def test_to_slide_back_from_a_ramp_is_like_being_stopped_by_a_wall(settings: dict[str, Any]) -> None:
    found = {item: differences(item, settings) for item in ITEMS}
    assert {item: names for item, names in found.items() if names} == {}
