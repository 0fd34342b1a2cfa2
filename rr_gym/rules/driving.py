"""P14: how a card is executed on courses with ground."""

from __future__ import annotations

from rr_gym.courses.ground import (
    ANTIGRAV,
    ANTIGRAV_FIELD,
    DEEP,
    FREAKS,
    ICE,
    OILY,
    PADDING,
    PUDDLE,
    SLIMY,
    TELEPORTERS,
    WATER,
)
from rr_gym.jit import kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import (
    BACK_UP,
    BOUNCE,
    BY_ANTIGRAV,
    CARD,
    ICE_CAREFUL,
    MOVE_1,
    MOVE_2,
    MOVED_ON,
    REBOUND,
    REPELLED,
    REPULSE,
    U_TURN,
)
from rr_gym.rules.events import CARD_PLAYED, note
from rr_gym.rules.ground import held, stands_on, surface_under
from rr_gym.rules.ice import drive_by_momentum, on_ice, robots_on_ice, slide_after_move, taken_ahead
from rr_gym.rules.mirrors import BACKWARD, MIRRORED, looks_into_mirror
from rr_gym.rules.movement import step
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord
from rr_gym.rules.teleporters import QUARTERS, leap_by_chance, teleport
from rr_gym.rules.turning import turn

ENDED = -1


@kernel
def start_flying(game: GameRecord, table: TableRecord, robot: int) -> None:
    """A robot on an antigrav field that begins a card flies from then on (R-E40)."""
    body = game.robots[robot]
    if table.course.features & ANTIGRAV and not body.flying and stands_on(game, table, robot, ANTIGRAV_FIELD):
        body.flying = BY_ANTIGRAV


@kernel
def repel(game: GameRecord, table: TableRecord, log: LogRecord, robot: int, squares: int) -> None:
    """P9: a repulsor field throws a robot back, away from where it was heading (R-E23)."""
    body = game.robots[robot]
    direction = (body.heading + 2) & 3
    for _ in range(squares):
        if step(game, table, log, robot, direction, REPULSE) != MOVED_ON or not body.alive:
            return


@kernel
def run(
    game: GameRecord, table: TableRecord, log: LogRecord, robot: int, turned: int, squares: int, worth: int, cause: int
) -> int:
    """Squares of a card, square by square. `turned`: 0 forward, 2 backward; `worth`: the squares printed on the card.

    `turned` at the end, or `ENDED` when something has ended the card. The direction follows the facing, because
    gates bend both (R-E38); a padded wall turns it round and costs one square (R-E66).
    """
    body = game.robots[robot]
    for _ in range(squares):
        result = step(game, table, log, robot, (body.facing + turned) & 3, cause)
        if not body.alive:
            return ENDED
        padded = surface_under(game, table, robot) == PADDING
        if result == REBOUND and padded:
            turned ^= 2
        elif result & REPELLED:
            repel(game, table, log, result ^ REPELLED, worth)
            return ENDED
        elif result != MOVED_ON or (cause == BOUNCE and not padded):
            return ENDED
    return turned


@kernel
def squares_lost(surface: int) -> int:
    """What a movement card begun in water, in a puddle or on oil loses (R-E17, R-E26, R-E48, R-E69)."""
    return 1 if surface in (WATER, DEEP, PUDDLE, OILY) else 0


@kernel
def drive(game: GameRecord, table: TableRecord, log: LogRecord, robot: int, turned: int, worth: int) -> None:
    """The squares of a movement card, with what ice and padded squares make of them (R-E57, R-E65)."""
    body = game.robots[robot]
    squares = worth - squares_lost(surface_under(game, table, robot))
    icy = table.course.features & ICE != 0 and table.settings.ice_mode == ICE_CAREFUL
    direction = (body.facing + turned) & 3
    taken = taken_ahead(game, table, robot, direction, squares) if icy else 0
    if taken == (1 << squares) - 1 and taken and on_ice(game, table, robot):
        return  # one square ahead for Move 1 and Back-Up, all for the others: on ice these robots cannot be pushed
    iced = robots_on_ice(game, table) if icy else 0
    turned = run(game, table, log, robot, turned, squares, worth, CARD)
    if turned == ENDED:
        return
    padded = surface_under(game, table, robot) == PADDING
    if icy and squares > 1:
        slide_after_move(game, table, log, robot, (body.facing + turned) & 3, taken, squares, iced)
    if squares and padded and body.alive:
        run(game, table, log, robot, turned, squares, worth, BOUNCE)


@kernel
def drive_card(game: GameRecord, table: TableRecord, log: LogRecord, robot: int, card: int) -> None:
    """One card of one robot (P14)."""
    body = game.robots[robot]
    kind = int(CARD_TYPE[card])
    note(game, log, CARD_PLAYED, robot, card)
    moves = kind >= BACK_UP
    if moves and held(game, table, robot):
        return
    start_flying(game, table, robot)
    backward = bool(BACKWARD[kind])
    if looks_into_mirror(game, table, robot):
        kind = int(MIRRORED[kind])
        backward = moves and not backward
    if kind < MOVE_2 and surface_under(game, table, robot) == SLIMY:
        return
    chart = table.settings.ice_mode != ICE_CAREFUL and not game.copies_act
    if chart and on_ice(game, table, robot):
        drive_by_momentum(game, table, log, robot, kind, backward)
        return
    if not moves:
        if kind != U_TURN or not on_ice(game, table, robot):  # R-E57: a U-turn on ice is a full circle
            turn(game, log, robot, int(QUARTERS[kind]))
        return
    features = table.course.features
    if features & TELEPORTERS:
        direction = (body.facing + 2) & 3 if backward else int(body.facing)
        if teleport(game, table, log, robot, kind, direction):
            return
    if features & FREAKS:
        leap_by_chance(game, table, log, robot)
    if body.alive:
        drive(game, table, log, robot, 2 if backward else 0, 1 if kind == BACK_UP else kind - MOVE_1 + 1)
