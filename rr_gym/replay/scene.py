"""Where everything stands after some events, and the events cut into frames: what moves together is one frame.

Nothing here knows a rule: pieces change only as the events say.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rr_gym.courses import Course
from rr_gym.courses.changes import AS_PRINTED, Changeable, Changes, with_gun, with_turned_room
from rr_gym.render.pieces import Piece, risen
from rr_gym.render.words import Event
from rr_gym.rules.constants import FATAL_DAMAGE, NUM_REGISTERS, STEP_NAMES

# Nothing to see in them; they are told in words with what happens around them.
QUIET = frozenset({"dealt"})


@dataclass(frozen=True, slots=True)
class Frame:
    """One moment of a replay: the events that happen together, and all robots and the board after them."""

    turn: int
    phase: int
    step: str
    events: tuple[Event, ...]
    pieces: tuple[Piece, ...]
    changes: Changes = AS_PRINTED


class Scene:
    """Robots and a board that change by events alone.

    Args:
        pieces: The robots before the first event; they are copied.
        reentry_damage: The damage of a robot that re-enters (setting of the same name).
        course: What they are on.
        changes: What has changed of the course before the first event.
    """

    def __init__(
        self, pieces: Sequence[Piece], reentry_damage: int, course: Course, changes: Changes = AS_PRINTED
    ) -> None:
        self.pieces = copy.deepcopy(list(pieces))
        self.reentry_damage = reentry_damage
        self.course = course
        self.changes = changes
        self._turn = -1

    def clear_orders(self) -> None:
        """Begin a new turn: of the last one's orders only what is locked stays, and what sleepers will wake up to."""
        for piece in self.pieces:
            piece.announced = False
            kept = [piece.locked >> r & 1 or 0 < piece.asleep <= r for r in range(NUM_REGISTERS)]
            piece.registers = [card if keep else 0 for card, keep in zip(piece.registers, kept, strict=True)]

    def apply(self, event: Event) -> None:
        """Change the robots and the board as the event says."""
        if event.turn != self._turn:
            self._turn = event.turn
            self.clear_orders()
        self._change_board(event)
        if event.robot < 0:
            return
        piece, value = self.pieces[event.robot], event.value
        match event.kind:
            case "programmed":
                piece.registers[value - 1] = event.target
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
            case "damaged":
                piece.damage = min(FATAL_DAMAGE, piece.damage + value)
            case "repaired":
                piece.damage = max(0, piece.damage - value)
            case "locked":
                piece.locked |= 1 << value - 1
                piece.registers[value - 1] = event.target
            case "unlocked":
                piece.locked &= ~(1 << value - 1)
            case "destroyed":
                piece.alive, piece.square, piece.copy_square = False, -1, -1
                piece.lives -= piece.lives > 0
                piece.locked = 0
            case "flag":
                piece.flag = value
            case "archived":
                piece.archive = event.square
            case "became_real":
                piece.virtual = False
            case "reentered":
                piece.alive, piece.virtual = True, event.target == 1
                piece.square, piece.facing, piece.damage = event.square, value, self.reentry_damage
            case "out":
                piece.out = True
            case "level" | "burning" | "asleep":
                setattr(piece, event.kind, value)
            case "flying" | "energized":
                setattr(piece, event.kind, value != 0)
            case "copy":
                piece.copy_square, piece.copy_facing = event.square, value

    def _change_board(self, event: Event) -> None:
        """Elevators move by the clock; for everything else there are events."""
        changes = replace(self.changes, risen=risen(event.turn, event.phase, STEP_NAMES.index(event.step)))
        width = self.course.size[0]
        match event.kind:
            case "room_turned":
                changes = with_turned_room(changes, event.value)
            case "flipped":
                changes = replace(changes, flip=event.value)
            case "pistons":
                changes = replace(changes, piston_up=event.value)
            case "gun":
                square = event.square % width, event.square // width
                changes = with_gun(self.course, changes, square, event.value)
            case "crumbled":
                changes = replace(changes, crumbled=tuple(sorted({*changes.crumbled, event.target})))
        self.changes = Changeable.of(self.course).only(changes)


def _together(group: list[Event], event: Event) -> bool:
    """Whether an event belongs to the same moment as those before it."""
    last = group[-1]
    if (event.turn, event.phase, event.step) != (last.turn, last.phase, last.step) or event.kind == "card":
        return False
    if event.kind == "moved":
        # Whom a robot pushes is told before it: a robot that already moved begins its next square with this event.
        moved = {e.robot for e in group if e.kind == "moved"}
        return event.robot not in moved and event.other not in moved
    if event.kind in ("turned", "blocked", "destroyed"):
        return all(e.robot != event.robot or e.kind != event.kind for e in group)
    return True


def moments(events: Iterable[Event]) -> list[list[Event]]:
    """The events in groups of what happens together, in their order."""
    groups: list[list[Event]] = []
    for event in events:
        if groups and _together(groups[-1], event):
            groups[-1].append(event)
        else:
            groups.append([event])
    return groups


def frames(scene: Scene, events: Iterable[Event]) -> list[Frame]:
    """Every moment of a game with what it looks like after it; moments without anything to see are left out."""
    result = []
    for group in moments(events):
        for event in group:
            scene.apply(event)
        if any(event.kind not in QUIET for event in group):
            first = group[0]
            pieces = tuple(copy.deepcopy(scene.pieces))
            result.append(Frame(first.turn, first.phase, first.step, tuple(group), pieces, scene.changes))
    return result
