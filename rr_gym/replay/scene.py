"""The state of the board after some events, and frames: groups of events that are shown together, each with that state.

Nothing here knows a rule: robots, tokens and the board change only as the events say.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from rr_gym.courses import Course
from rr_gym.courses.changes import (
    AS_PRINTED,
    Changeable,
    Changes,
    carried_squares,
    flag_squares,
    with_flags,
    with_gun,
    with_turned_room,
)
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render.pieces import Piece, risen
from rr_gym.render.tokens import NO_TOKENS, Tokens
from rr_gym.render.words import Event
from rr_gym.replay.moments import moments
from rr_gym.replay.tokens import with_event
from rr_gym.rules.state.constants import CAUSE_NAMES, FATAL_DAMAGE, NUM_REGISTERS, STEP_NAMES
from rr_gym.rules.state.option_cards import OPTION_NAMES

# Events that cannot be seen; their sentences are shown with the events around them.
QUIET = frozenset({"dealt"})
FREES_FROM_GOO = frozenset({"jump", "place"})  # causes that move a robot without crossing the squares in between
SIDED = frozenset({"shield", "reflector", "turret"})  # options that are turned to a side
SHARED_FLAGS = frozenset({"tag_teams", "head_to_head"})  # games in which a team shares its count of flags

_LISTS = tuple(name for name, value in asdict(Piece()).items() if isinstance(value, list | dict))


@dataclass(frozen=True, slots=True)
class Frame:
    """One moment of a replay: the events that happen together, and the state of everything after them."""

    turn: int
    phase: int
    step: str
    events: tuple[Event, ...]
    pieces: tuple[Piece, ...]
    changes: Changes = AS_PRINTED
    tokens: Tokens = NO_TOKENS


class Scene:
    """Robots, tokens and a board that change only by events.

    Args:
        pieces: The robots before the first event; they are copied.
        settings: Settings by name, of which the kind of game and the damage at re-entry matter.
        course: The course of the game.
        changes: How the course had changed before the first event.
        tokens: The tokens on it before the first event.
    """

    def __init__(
        self,
        pieces: Sequence[Piece],
        settings: Mapping[str, Any],
        course: Course,
        changes: Changes = AS_PRINTED,
        tokens: Tokens = NO_TOKENS,
    ) -> None:
        self.pieces = [_copied(piece) for piece in pieces]
        self.settings = settings
        self.course = course
        self.changes = changes
        self.tokens = tokens
        self._turn = -1

    def clear_orders(self) -> None:
        """Start a new turn: of the last turn's orders, only locked cards and the programs of sleeping robots remain."""
        for piece in self.pieces:
            piece.announced = piece.bombed = False
            piece.registers = [card if _keeps(piece, r) else 0 for r, card in enumerate(piece.registers)]
            piece.second, piece.copied, piece.gadgets, piece.movement_options = ([0] * NUM_REGISTERS for _ in range(4))
            piece.shield = piece.reflector = piece.turret = 0

    def apply(self, event: Event) -> None:
        """Change the state as an event says."""
        if event.turn != self._turn:
            self._turn = event.turn
            self.clear_orders()
        self._change_board(event)
        self.tokens = with_event(self.tokens, event, self.pieces)
        if event.robot >= 0:
            self._change_robot(self.pieces[event.robot], event)
            self._change_options(self.pieces[event.robot], event)

    def _change_robot(self, piece: Piece, event: Event) -> None:
        value = event.value
        match event.kind:
            case "programmed":
                self._put_card(piece, event)
            case "announced":
                piece.announced = True
            case "powered_down":
                piece.down = True
                piece.damage = piece.locked = 0
                piece.registers = [0] * NUM_REGISTERS
            case "powered_up":
                piece.down = False
            case "faced" | "turned":
                piece.facing = value
            case "moved":
                piece.square = event.square
                piece.goo = 0 if CAUSE_NAMES[value] in FREES_FROM_GOO else piece.goo
            case "damaged":
                piece.damage = min(FATAL_DAMAGE, piece.damage + value)
            case "repaired":
                piece.damage = max(0, piece.damage - value)
            case "locked":
                piece.locked |= 1 << value - 1
                piece.registers[value - 1] = event.target
            case "unlocked":
                piece.locked &= ~(1 << value - 1)
                if event.step == "T1" and not _keeps(piece, value - 1):
                    piece.registers[value - 1] = 0
            case "destroyed":
                piece.alive, piece.square, piece.copy_square = False, -1, -1
                piece.lives -= piece.lives > 0
                piece.locked = piece.goo = piece.carries = 0
            case "flag":
                self._touch_flag(piece, value)
            case "archived":
                piece.archive = event.square
            case "became_real":
                piece.virtual = False
            case "reentered":
                piece.alive, piece.virtual = True, event.target == 1
                piece.square, piece.facing = event.square, value
                piece.damage, piece.spared = 0 if piece.spared else self.settings["reentry_damage"], False
            case "out":
                piece.out = True
            case "level" | "burning" | "asleep":
                setattr(piece, event.kind, value)
            case "flying" | "energized":
                setattr(piece, event.kind, value != 0)
            case "copy":
                piece.copy_square, piece.copy_facing = event.square, value

    def _touch_flag(self, piece: Piece, flag: int) -> None:
        played = self.settings.get("game")
        if played == "capture_the_flag":
            piece.carries = flag
            return
        piece.flag += 1
        if played in SHARED_FLAGS:
            for mate in self.pieces:
                if mate.team == piece.team:
                    mate.flag = piece.flag

    def _put_card(self, piece: Piece, event: Event) -> None:
        """Replace all cards of a register by one card."""
        r = event.value - 1
        piece.registers[r] = event.target
        if event.step != "T4":
            piece.second[r] = piece.copied[r] = 0

    def _change_options(self, piece: Piece, event: Event) -> None:
        value, target = event.value, event.target
        match event.kind:
            case "option":
                piece.options[OPTION_NAMES[value]] = OPTION_CARDS[value].holds
            case "option_lost":
                piece.options.pop(OPTION_NAMES[value], None)
            case "taken" if event.other >= 0:
                piece.options[OPTION_NAMES[value]] = self.pieces[event.other].options.pop(OPTION_NAMES[value], 0)
            case "counter":
                piece.options[OPTION_NAMES[value]] = target
            case "used":
                piece.spared = piece.spared or OPTION_NAMES[value] == "superior_archive"
            case "revealed" if event.other >= 0:
                piece.copied[value - 1] = target or -1
            case "revealed":
                self._put_card(piece, event)
            case "second":
                piece.second[value - 1] = target
            case "gadget":
                piece.gadgets[value - 1] = target
            case "movement_option":
                piece.movement_options[value - 1] = target
            case "side" if OPTION_NAMES[value] in SIDED:
                setattr(piece, OPTION_NAMES[value], target)
            case "stuck":
                piece.goo = value
            case "bombed":
                piece.bombed = True

    def _change_board(self, event: Event) -> None:
        """Change the board as an event says. Elevators have no events: they move by the phase of the event."""
        changes = replace(self.changes, risen=risen(event.turn, event.phase, STEP_NAMES.index(event.step)))
        width = self.course.size[0]
        match event.kind:
            case "room_turned":
                changes = self._turn_room(changes, event.value)
            case "flipped":
                changes = replace(changes, flip=event.value)
            case "pistons":
                changes = replace(changes, piston_up=event.value)
            case "gun":
                square = event.square % width, event.square // width
                changes = with_gun(self.course, changes, square, event.value)
            case "crumbled":
                changes = replace(changes, crumbled=tuple(sorted({*changes.crumbled, event.target})))
            case "flag_moved":
                flags = list(flag_squares(self.course, changes))
                flags[event.value - 1] = event.square
                changes = with_flags(self.course, changes, flags)
        self.changes = Changeable.of(self.course).only(changes)

    def _turn_room(self, changes: Changes, room: int) -> Changes:
        """Turn a rotating room with the flags and archives in it, or the board, under which they stay in place."""
        turned = with_turned_room(changes, room)
        if room >= Changeable.of(self.course).rooms:
            return turned
        width = self.course.size[0]
        carried = carried_squares(self.course, [0] * room + [1])

        def place(square: int) -> int:
            (x, y), _ = carried.get((square % width, square // width), ((square % width, square // width), 0))
            return y * width + x

        for piece in self.pieces:
            piece.archive = place(piece.archive) if piece.archive >= 0 else -1
        return with_flags(self.course, turned, [place(square) for square in flag_squares(self.course, changes)])


def _keeps(piece: Piece, register: int) -> bool:
    """Tell whether a register keeps its card between turns: it is locked, or its sleeping robot will wake up for it."""
    return bool(piece.locked >> register & 1) or 0 < piece.asleep <= register


def _copied(piece: Piece) -> Piece:
    """Copy a piece with its lists, about ten times as fast as `copy.deepcopy`."""
    twin = copy.copy(piece)
    for name in _LISTS:
        setattr(twin, name, getattr(piece, name).copy())
    return twin


def frames(scene: Scene, events: Iterable[Event]) -> list[Frame]:
    """Return a frame for every moment of a game in which something can be seen, with the state after it."""
    result: list[Frame] = []
    pieces: tuple[Piece, ...] = ()
    for group in moments(events):
        for event in group:
            scene.apply(event)
        if any(event.kind not in QUIET for event in group):
            first = group[0]
            # Frames share the robots that have not changed.
            last = pieces or (None,) * len(scene.pieces)
            pieces = tuple(
                then if then == now else _copied(now) for then, now in zip(last, scene.pieces, strict=True)
            )
            result.append(Frame(first.turn, first.phase, first.step, tuple(group), pieces, scene.changes, scene.tokens))
    return result
