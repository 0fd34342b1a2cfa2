"""Turret guns (R-E76): all guns of a course execute the same five cards, one in each phase."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_TURRETS
from rr_gym.forms import with_elements
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.floor.turned import direction_now, place_now
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import NO_CARD, ROTATE_LEFT, ROTATE_RIGHT, U_TURN
from rr_gym.rules.state.events import GUN_TURNED, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@kernel
def turret_place(game: GameRecord, table: Table, gun: int) -> int:
    """Return the place where a gun is now."""
    return place_now(game, table, int(table.extras.turrets[gun]))


@kernel
def turret_direction(game: GameRecord, table: Table, gun: int) -> int:
    """Return the direction that a gun currently faces.

    The game stores it without the turns of rooms.
    """
    return int(direction_now(game, table, int(table.extras.turrets[gun]), int(game.turret_facing[gun])))


@kernel
def turret_card(game: GameRecord) -> int:
    """Return the type of the card that the guns execute in this phase."""
    return int(CARD_TYPE[game.turret_cards[game.phase - 1]])


@kernel
def turrets_shoot(game: GameRecord, table: Table) -> bool:
    """Tell whether the guns' card of this phase is a movement card, which makes all guns fire in D1 (R-E76)."""
    return features_of(table) & HAS_TURRETS != 0 and turret_card(game) > ROTATE_RIGHT


@with_elements(None)
def turrets_turn(game: GameRecord, table: Table, log: Log) -> None:
    """Turn every gun, if the guns' card of this phase is a rotation (C11)."""
    if game.copies_act:
        return
    kind = turret_card(game)
    if kind == NO_CARD or kind > ROTATE_RIGHT:
        return
    quarters = 2 if kind == U_TURN else 3 if kind == ROTATE_LEFT else 1
    for k in range(table.extras.num_turrets):
        game.turret_facing[k] = (game.turret_facing[k] + quarters) & 3
        note_at(game, log, GUN_TURNED, -1, -1, turret_direction(game, table, k), turret_place(game, table, k), -1)
