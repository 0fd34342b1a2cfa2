"""Placing a scenario on its board: the record of its game as it stands when the run begins."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.courses.library import load_course
from rr_gym.errors import RoboRallyError
from rr_gym.jit import run
from rr_gym.rules.arena import Arena
from rr_gym.rules.chance import seed_episode
from rr_gym.rules.constants import BACK_UP, DIRECTION_NAMES, NUM_REGISTERS, UNLIMITED
from rr_gym.rules.damage import UNDAMAGED_REGISTERS
from rr_gym.rules.records import GAME, GameRecord, TableRecord
from rr_gym.rules.settings import Settings, lives_for, resolve_settings
from rr_gym.scenarios.cards import lay_locked
from rr_gym.scenarios.node import Node
from rr_gym.scenarios.script import Robot, Script
from rr_gym.scenarios.words import NOTHING, SPECIAL_RULES, SPECIAL_RULES_LATER

Params = tuple[tuple[str, object], ...]


@lru_cache(maxsize=32)
def _arena(kind: str, text: str, settings: Params) -> Arena:
    course = load_course(text) if kind == "course" else Course.from_board(text, filename="board")
    return Arena(course, dict(settings))


def make_arena(script: Script) -> Arena:
    """The board or course of a scenario with the settings that it is played by; option cards are on (U26).

    Raises:
        ScenarioError: A board, course or setting that does not exist, is not well formed or has no rule yet.
    """
    settings = read_params(script.params)
    source = script.board or script.course or script.node
    try:
        return _arena("board" if script.board else "course", source.text("a text"), tuple(sorted(settings.items())))
    except RoboRallyError as error:
        raise source.error(str(error)) from None


def read_params(params: dict[str, Node]) -> dict[str, object]:
    """Settings from `params`, where special rules of courses may stand as well."""
    settings: dict[str, object] = {"option_cards": "on"}
    for name, node in params.items():
        if name in SPECIAL_RULES_LATER:
            if node.value not in NOTHING:
                raise node.error(f"special rule '{name}' has no rule yet")
        elif name not in SPECIAL_RULES:
            if not isinstance(node.value, int | str):
                raise node.error(f"{node.shown()}: expected a word or a number")
            try:
                resolve_settings(("params", {name: node.value}))
            except RoboRallyError as error:
                raise node.error(str(error).removeprefix("params: ")) from None
            settings[name] = node.value
        elif name == "programming_seconds":
            node.number(1, 3600)
        elif node.flag():
            settings["power_down"] = "off"
    return settings


class Position:
    """A scenario's game and what is needed to play it.

    Attributes:
        arena: The course and its settings.
        game: The record, shape (), dtype `GAME`: robots as given, no cards but locked ones.
        table: The course for the kernels.
    """

    def __init__(self, script: Script) -> None:
        self.arena = make_arena(script)
        self.table: TableRecord = self.arena.tables[0]
        self.game: GameRecord = np.zeros(1, GAME)[0]
        settings = self.arena.settings[0]
        game = self.game
        run(seed_episode, game, script.seed, 0, 0)
        game.turn = 1  # robots stand where a game has brought them: its first turn is over
        game.num_robots = len(script.robots)
        game.flag_squares[:] = self.table.course.flag_squares
        game.robots["square"] = -1
        game.robots["pusher_square"] = -1
        game.start_lives = lives_for(settings, len(script.robots), len(self.arena.courses[0].placements))
        may_face = script.start_phase == 1 and self.table.course.start_facing < 0  # U28: a dock decides
        for i, robot in enumerate(script.robots):
            self._place(i, robot, script.start_phase, settings)
            game.robots[i].may_face = may_face
        lay_locked(game, {i: robot.fields.get("locked", {}) for i, robot in enumerate(script.robots)})

    def square(self, at: tuple[int, int], node: Node) -> int:
        """The number of a square of the board."""
        x, y = at
        width, height = int(self.table.course.width), int(self.table.course.height)
        if not (0 <= x < width and 0 <= y < height and self.table.squares[y * width + x].exists):
            raise node.error(f"[{x}, {y}] is off the board: its size is {width}x{height}")
        return y * width + x

    def coordinates(self, square: int) -> tuple[int, int]:
        """The (x, y) of a square's number."""
        y, x = divmod(int(square), int(self.table.course.width))
        return x, y

    def _place(self, index: int, given: Robot, start_phase: int, settings: Settings) -> None:
        robot = self.game.robots[index]
        fields, node = given.fields, given.node
        here = node.child("at", fields["at"])
        square = self.square(fields["at"], here)
        if self.table.squares[square].pit >> (start_phase - 1) & 1:
            raise here.error(f"{list(fields['at'])} is a pit: no robot can stand there")
        virtual = bool(fields.get("virtual", False))
        for other in range(index):
            if not virtual and not self.game.robots[other].virtual and self.game.robots[other].square == square:
                raise here.error(f"another real robot already stands on {list(fields['at'])}")
        level = int(self.table.squares[square].level)
        if fields.get("level", level) != level:
            raise node.child("level", None).error(f"{fields['level']}: the square is on level {level}")
        lives = fields.get("lives", int(self.game.start_lives))
        if settings.lives == "unlimited":  # then nothing is counted
            lives = UNLIMITED
        robot.alive = 1
        robot.square = square
        robot.level = level
        robot.facing = DIRECTION_NAMES.index(fields.get("facing", "n"))
        robot.virtual = robot.fresh = virtual
        robot.down = fields.get("powered_down", False)
        robot.flag = fields.get("flag", 0)
        robot.damage = fields.get("damage", settings.start_damage)
        robot.lives = UNLIMITED if lives == "unlimited" else lives
        robot.archive = self.square(fields["archive"], node.child("archive", None)) if "archive" in fields else square
        robot.locked = _locks(int(robot.damage), fields.get("locked", {}))


def _locks(damage: int, given: dict[int, object]) -> int:
    """The lock mask: the registers given, and from the highest down as many more as the damage locks (R-A6.2, U42)."""
    mask = sum(1 << register for register in given)
    for register in reversed(range(NUM_REGISTERS)):
        if mask.bit_count() < damage - UNDAMAGED_REGISTERS:
            mask |= 1 << register
    return mask


def check_first_cards(position: Position, script: Script) -> None:
    """Refuse a program that begins with another card where the scenario itself asks for a movement card (R-A5.7)."""
    if "first_card_moves" not in script.params or position.arena.settings[0].first_card_moves == "off":
        return
    for program in script.turns[0].programs.values():
        card = program.get(0)
        if card and card.kind < BACK_UP:
            raise card.node.error(f"first_card_moves: {card}: expected a movement card")
