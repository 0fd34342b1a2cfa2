"""Build the position of a scenario: the record of its game at the moment when the run begins."""

from __future__ import annotations

import random
from functools import lru_cache

import numpy as np

from rr_gym.courses.course import Course
from rr_gym.courses.library import load_course
from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.errors import RoboRallyError
from rr_gym.option_invariants import MAX_PAYLOAD, MIN_PAYLOAD
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.devices.contacts import spare_bodies_there
from rr_gym.rules.devices.devices import GOO_SQUARES
from rr_gym.rules.floor.elevator_state import elevator_up
from rr_gym.rules.floor.ground import has_crumbled, level_of, row_at
from rr_gym.rules.options.options import no_tokens, owns
from rr_gym.rules.options.supply import deal_packages
from rr_gym.rules.robot.health import UNDAMAGED_REGISTERS
from rr_gym.rules.state.chance import seed_episode
from rr_gym.rules.state.constants import (
    BACK_UP,
    BRIDGE_TOKEN,
    BY_ANTIGRAV,
    DIRECTION_NAMES,
    NOT_FLYING,
    NUM_OPTIONS,
    NUM_REGISTERS,
    OFF,
    UNLIMITED,
)
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    ABLATIVE_POINTS,
    BIO_OPTION,
    INITIAL_PAYLOAD,
    NO_OPTION,
    OPTION_NAMES,
)
from rr_gym.rules.state.order_table import BASE_ORDERS
from rr_gym.rules.state.records import GAME, GameRecord, new_log
from rr_gym.rules.state.records import Robot as RobotRecord
from rr_gym.rules.state.settings import (
    Settings,
    cards_of,
    lives_for,
    needs_expansions,
    resolve_settings,
    special_rule_settings,
)
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.teams import set_up_variant
from rr_gym.scenarios.devices import lay_devices, square_of
from rr_gym.scenarios.node import Node
from rr_gym.scenarios.script import ScenarioRobot, Script, ScriptTurn
from rr_gym.scenarios.state import begin_state, coordinates
from rr_gym.scenarios.words import NONE, NOTHING, SPECIAL_RULES

Params = tuple[tuple[str, object], ...]

# Fields of robots that only rules beyond the base game have
_BEYOND_BASE = ("asleep", "burning", "energized", "flying", "options", "goo", "team")
# Fields of robots in `expect` that are about options and devices
_OPTION_FIELDS = {"options", "counters", "goo", "team"}


@lru_cache(maxsize=32)
def _arena(kind: str, text: str, settings: Params, full: bool) -> Arena:
    """Build an arena for scenarios with this board and these settings; the last 32 are cached."""
    course = load_course(text) if kind == "course" else Course.from_board(text, filename="board")
    arena = Arena(course, dict(settings), full=full)
    arena.tables["settings"]["first_card_moves"] = OFF  # a scenario may start in mid-game
    return arena


def make_arena(script: Script) -> Arena:
    """Build the arena of a scenario from its board or course and its settings; option cards are on (U26).

    Raises:
        ScenarioError: A board, course or setting does not exist, is not well formed or has no rule.
    """
    settings = read_params(script.params)
    source = script.board or script.course or script.node
    try:
        kind = "board" if script.board else "course"
        return _arena(kind, source.text("text"), tuple(sorted(settings.items())), plays_expansions(script, settings))
    except RoboRallyError as error:
        raise source.error(str(error)) from None


def plays_expansions(script: Script, settings: dict[str, object]) -> bool:
    """Tell whether a scenario needs rules beyond the base game even if its board does not.

    All others are played by the base rules if the board allows it, although option cards are on (U26).
    """
    return (
        any(robot.fields.get(field) for robot in script.robots for field in _BEYOND_BASE)
        or any(_mentions_options(turn) for turn in script.turns)
        or bool(script.devices)
        or len(script.turns) > 1
        or needs_expansions(resolve_settings(("params", settings | {"option_cards": "off"})))
    )


def _mentions_options(turn: ScriptTurn) -> bool:
    """Tell whether the orders or expectations of a turn concern option cards or devices."""
    return (
        turn.option_deck is not None
        or turn.expect_devices is not None
        or any(given.get("site") == "option" or not BASE_ORDERS.issuperset(given) for given in turn.orders.values())
        or any(not _OPTION_FIELDS.isdisjoint(fields) for fields in turn.expect.values())
    )


def read_params(params: dict[str, Node]) -> dict[str, object]:
    """Read settings from `params`; it may also name special rules of courses, which explicit settings override."""
    settings: dict[str, object] = {}
    rules: dict[str, object] = {"option_cards": "on"}
    for name, node in params.items():
        if name in SPECIAL_RULES:
            rules |= _read_special_rule(name, node)
        elif name == "programming_seconds":
            node.number(1, 3600)
        elif name == "deck_scale":
            if node.value not in (1, "1"):
                raise node.error(f"{node.short_repr()}: expected 1: more than 8 robots are not supported")
        else:
            if not isinstance(node.value, int | str):
                raise node.error(f"{node.short_repr()}: expected a word or a number")
            try:
                resolve_settings(("params", {name: node.value}))
            except RoboRallyError as error:
                raise node.error(str(error).removeprefix("params: ")) from None
            settings[name] = node.value
    return rules | settings


def _read_special_rule(name: str, node: Node) -> dict[str, object]:
    """Read a special rule (true, 1, or a mapping with its numbers), and return the corresponding settings."""
    usual = SPECIAL_RULES[name]
    if isinstance(node.value, dict):
        given = {key: entry.number(0, 6) for key, entry in node.mapping("numbers by name", usual).items()}
    elif node.value in NOTHING or not node.flag():
        return {}
    else:
        given = {}
    return special_rule_settings([{"rule": name, **usual, **given}])


class Position:
    """A scenario's game, with its arena and table.

    Attributes:
        arena: The course and its settings.
        game: The record of the game, shape (), dtype `GAME`: robots as given, and no cards except locked ones.
        table: The compiled course.
    """

    def __init__(self, script: Script) -> None:
        self.arena = make_arena(script)
        self.table: Table = self.arena.tables[0]
        self.game: GameRecord = np.zeros(1, GAME)[0]
        settings = self.arena.settings[0]
        game = self.game
        seed_episode(game, script.seed, 0, 0)
        game.num_robots = game.num_bodies = len(script.robots)
        game.flag_squares[:] = self.table.course.flag_squares
        no_tokens(game)
        set_up_variant(game, self.table, new_log(on=False)[0])
        game.robots["square"] = -1
        game.robots["pusher_square"] = -1
        game.start_lives = lives_for(settings, len(script.robots), len(self.arena.courses[0].placements))
        begin_state(game, self.table, script.state, script.node.child("state", None))
        may_face = script.start_phase == 1 and self.table.course.start_facing < 0  # U28: a dock determines the facing
        game.phase = script.start_phase  # so that elevators are as before this phase
        self._bridged = {d.fields.get("at") for d in script.devices if d.fields["kind"] == BRIDGE_TOKEN}
        for i, robot in enumerate(script.robots):
            self._place(i, robot, script.start_phase, settings)
            game.robots[i].may_face = may_face
        lay_devices(game, self.table, script.devices)
        spare_bodies_there(game, self.table)
        game.phase = 0

    @property
    def _full(self) -> bool:
        """Tell whether rules beyond the base game apply."""
        return "ground" in (self.table.dtype.names or ())

    def _place(self, index: int, given: ScenarioRobot, start_phase: int, settings: Settings) -> None:
        """Put one robot on the board in the state that the scenario gives."""
        robot = self.game.robots[index]
        fields, node = given.fields, given.node
        here = node.child("at", fields["at"])
        square = square_of(self.table, fields["at"], here)
        robot.flying = BY_ANTIGRAV if fields.get("flying") else NOT_FLYING
        if not robot.flying and self._is_always_pit(square) and fields["at"] not in self._bridged:
            raise here.error(f"{list(fields['at'])} is a pit: no robot can stand there")
        robot.level = self._level(square, robot.flying, given)
        if fields.get("on_ramp", NONE) != NONE:
            square = self._ramp(square, node.child("on_ramp", fields["on_ramp"]))
        virtual = bool(fields.get("virtual", False))
        for other in self.game.robots[:index]:
            if not virtual and not other.virtual and other.square == square and other.level == robot.level:
                raise here.error(f"another real robot already stands on {list(fields['at'])}")
        lives = fields.get("lives", int(self.game.start_lives))
        if settings.lives == "unlimited":  # lives are not counted then
            lives = UNLIMITED
        robot.alive = 1
        robot.square = square
        robot.facing = DIRECTION_NAMES.index(fields.get("facing", "n"))
        robot.virtual = robot.fresh = virtual
        robot.down = fields.get("powered_down", False)
        robot.flag = fields.get("flag", 0)
        robot.damage = fields.get("damage", settings.start_damage)
        robot.lives = UNLIMITED if lives == "unlimited" else lives
        at = fields.get("archive", fields["at"])
        robot.archive = square_of(self.table, at, node.child("archive", None))
        robot.archive_level = level_of(self.game, self.table, robot.archive)
        robot.locked = _locks(int(robot.damage), fields.get("locked", {}))
        robot.goo = GOO_SQUARES if fields.get("goo") is True else fields.get("goo", 0)
        robot.team = fields.get("team", int(robot.team))
        robot.burning = fields.get("burning", 0)
        robot.speed = fields.get("speed", 0)
        asleep = fields.get("asleep", 0)
        robot.asleep = NUM_REGISTERS if asleep is True else asleep
        self._energize(robot, fields.get("energized", 0), start_phase)
        options = fields.get("options", {})
        for option, left in options.items():
            self._give(index, option, left, node.child("options", None))
        robot.bio = _granted(list(options), built_in=settings.bio_bots == "on")
        robot.flags_met = (1 << robot.flag) - 1

    def _is_always_pit(self, square: int) -> bool:
        """Tell whether a square is a pit in all phases or crumbled ground.

        Robots may be placed on pits that open in some phases only.
        """
        row = row_at(self.game, self.table, square)
        if self._full and self.table.ground[row].crumbly >= 0:
            return has_crumbled(self.game, int(self.table.ground[row].crumbly))
        return int(self.table.squares[row].pit) == ALL_PHASES

    def _level(self, square: int, flying: int, given: ScenarioRobot) -> int:
        """Return a robot's level.

        It is the level of its square, unless the robot flies above it or is on a raised elevator.
        """
        floor = level_of(self.game, self.table, square)
        level = int(given.fields.get("level", floor))
        if level == floor or (flying and level > floor):
            return level
        row = row_at(self.game, self.table, square)
        if level == floor + 1 and self._full and self.table.ground[row].has_elevator:
            if self.game.phase == 1 and not elevator_up(self.game, self.table, row):
                self.game.turn = 1  # elevators are down when a game starts: this is a later turn
            if elevator_up(self.game, self.table, row):
                return level
            raise given.node.child("level", None).error(f"{level}: the elevator is down, on level {floor}")
        raise given.node.child("level", None).error(f"{level}: the square is on level {floor}")

    def _ramp(self, foot: int, node: Node) -> int:
        """Return the hidden square of a ramp, given its foot and the side on which it rises."""
        side = DIRECTION_NAMES.index(node.value)
        hidden = int(self.table.ground[row_at(self.game, self.table, foot)].ramp[side]) if self._full else -1
        if hidden < 0:
            at = coordinates(self.game, self.table, foot)
            raise node.error(f"{node.value}: no ramp rises on this side of {list(at)}")
        return hidden

    def _energize(self, robot: RobotRecord, given: int, start_phase: int) -> None:
        """Make a robot energized since the given phase or, if `given` is true, since the phase before the run (R-E50).

        It counts as having executed two registers in each phase since then.
        """
        if not given:
            return
        since = start_phase - 1 if given is True else given
        robot.energized = max(1, since)
        robot.pointer = (since + 2 * max(0, start_phase - 1 - since)) % NUM_REGISTERS

    def _give(self, index: int, option: int, left: int | None, node: Node) -> None:
        """Give a robot an option card with `left` counters; None for a new, full one."""
        for other in self.game.robots[:index]:
            if owns(other, option):
                raise node.error(f"'{OPTION_NAMES[option]}' is there twice: every option card exists once")
        if cards_of(self.arena.settings[0].banned_options) >> option & 1:
            raise node.error(f"'{OPTION_NAMES[option]}' is banned (banned_options)")
        lowest, highest = MIN_PAYLOAD[option], MAX_PAYLOAD[option]
        if left is not None and not lowest <= left <= highest:
            expected = f"{lowest} to {highest}" if highest else "0: it holds nothing"
            raise node.child(OPTION_NAMES[option], None).error(f"{left}: expected {expected}")
        full = ABLATIVE_POINTS if option == ABLATIVE_COAT else int(INITIAL_PAYLOAD[option])
        robot = self.game.robots[index]
        robot.options |= np.uint64(1 << option)
        self.game.payload[option] = full if left is None else left


def _granted(options: list[int], built_in: bool) -> int:
    """Return the option that a Bio Option grants.

    It is the option listed after the Bio Option, or the first one if Bio Options are built in.
    """
    follows = 0 if built_in else options.index(BIO_OPTION) + 1 if BIO_OPTION in options else len(options)
    return options[follows] if follows < len(options) else NO_OPTION


def owned_options(game: GameRecord, robot: RobotRecord) -> dict[int, int]:
    """Return a robot's options by number, each with the counters left on it."""
    owned, payload = int(robot.options), game.payload
    return {k: int(payload[k]) for k in range(NUM_OPTIONS) if owned >> k & 1}


def _locks(damage: int, given: dict[int, object]) -> int:
    """Return the mask of locked registers: the given ones, and further ones as the damage requires (R-A6.2, U42).

    Further registers are locked from the highest down.
    """
    mask = sum(1 << register for register in given)
    for register in reversed(range(NUM_REGISTERS)):
        if mask.bit_count() < damage - UNDAMAGED_REGISTERS:
            mask |= 1 << register
    return mask


def check_first_cards(position: Position, script: Script) -> None:
    """Raise a ScenarioError if the first card of a program must be a movement card but is not (R-A5.7).

    Only scenarios that set `first_card_moves` are checked.
    """
    if "first_card_moves" not in script.params or position.arena.settings[0].first_card_moves == "off":
        return
    for program in script.turns[0].programs.values():
        card = program.get(0)
        if card and card.kind < BACK_UP:
            raise card.node.error(f"first_card_moves: {card}: expected a movement card")


def lay_options(position: Position, deck: list[int], node: Node, seed: int) -> None:
    """Arrange the draw pile of option cards: the listed ones on top, all other available ones shuffled below.

    Options that a robot owns, that lie beside a flag, are discarded or built in are not available.
    """
    game = position.game
    settings = position.arena.settings[0]
    if settings.option_cards == "off":
        return
    owned = {option for robot in game.robots[: game.num_robots] for option in owned_options(game, robot)}
    piled = set(np.flatnonzero(game.pile_of[:NUM_OPTIONS]).tolist())
    built_in = {BIO_OPTION} if settings.bio_bots == "on" else set()
    banned = {option for option in range(NUM_OPTIONS) if cards_of(settings.banned_options) >> option & 1}
    for option in deck:
        place = "owned by a robot" if option in owned else "in a pile" if option in piled else "built in (bio_bots)"
        place = "banned (banned_options)" if option in banned else place
        if option in owned | piled | built_in | banned:
            raise node.child("option_deck", None).error(f"'{OPTION_NAMES[option]}' is {place}")
    gone = [int(option) for option in game.option_discards[: game.option_discards_left] if option not in deck]
    above = {*owned, *piled, *built_in, *banned, *deck, *gone}
    below = [option for option in range(NUM_OPTIONS) if option not in above]
    random.Random(seed).shuffle(below)
    undealt = below + deck[::-1]
    game.option_deck[: len(undealt)] = undealt
    game.option_deck_left = len(undealt)
    game.option_discards[: len(gone)] = gone
    game.option_discards_left = len(gone)


def deal_options(position: Position, script: Script) -> None:
    """Deal packages and piles of option cards to the robots for which the scenario gives no `options` (R-G1.1)."""
    game, table = position.game, position.table
    if position.arena.settings[0].option_cards == "off" or "ground" not in (table.dtype.names or ()):
        return
    dealt = [i for i, robot in enumerate(script.robots) if "options" not in robot.fields]
    for i in dealt:
        game.robots[i].orders.keep = script.turns[0].orders.get(i, {}).get("keep") or 0
        game.robots[i].orders.lose = NO_OPTION
    deal_packages(game, table, new_log(on=False)[0], sum(1 << i for i in dealt))
