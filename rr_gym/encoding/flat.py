"""The observation `flat`: a row of small whole numbers, own robot first, each with a name (docs/observations.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.encoding.board import SQUARE_FEATURES, check_window, copy_window
from rr_gym.encoding.features import (
    FAR,
    GAME_FEATURES,
    HIGHEST,
    LAST_TYPE,
    NUM_GAME_FEATURES,
    NUM_ROBOT_FEATURES,
    ROBOT_FEATURES,
    Feature,
    frame_of,
    offset,
    sheet_place,
    write_game,
    write_robots,
)
from rr_gym.jit import kernel
from rr_gym.rules.cards import CARD_TYPE
from rr_gym.rules.constants import HAND_SLOTS, MAX_FLAGS
from rr_gym.rules.records import GameRecord, TableRecord

Array = np.ndarray[Any, Any]

FLAT_WINDOW = 9
FIRST_FLAG = NUM_GAME_FEATURES
FIRST_CARD = FIRST_FLAG + 2 * MAX_FLAGS
FIRST_ROBOT = FIRST_CARD + 2 * HAND_SLOTS


def flat_features(num_robots: int, window: int = FLAT_WINDOW) -> list[Feature]:
    """Every number of an observation in order: (name, lowest, highest value).

    Args:
        num_robots: Robots in the game, own one included.
        window: Odd width of the window of the board around the own robot; square by square from the far left corner,
            row by row.
    """
    features = list(GAME_FEATURES)
    for k in range(MAX_FLAGS):
        features += [(f"flag_{k + 1}_forward", -FAR, FAR), (f"flag_{k + 1}_right", -FAR, FAR)]
    for k in range(HAND_SLOTS):
        features += [(f"hand_{k}_type", 0, LAST_TYPE), (f"hand_{k}_priority", 0, HIGHEST)]
    for k in range(num_robots):
        features += [(f"robot_{k}_{name}", low, high) for name, low, high in ROBOT_FEATURES]
    reach = check_window(window) // 2
    for forward in range(reach, -reach - 1, -1):
        for right in range(-reach, reach + 1):
            features += [(f"{name}@{forward:+d},{right:+d}", low, high) for name, low, high in SQUARE_FEATURES]
    return features


def flat_feature_names(num_robots: int, window: int = FLAT_WINDOW) -> list[str]:
    """The names of the numbers of an observation, in order: ``names.index("hand_0_priority")`` is its place."""
    return [name for name, _, _ in flat_features(num_robots, window)]


@kernel
def write_flat(game: GameRecord, table: TableRecord, seat: int, num_robots: int, out: Array) -> None:
    """The observation of one seat up to its window."""
    own = game.robots[seat]
    frame = frame_of(table, own)
    write_game(game, table, own, frame, out)
    for f in range(MAX_FLAGS):
        flag = game.flag_squares[f] if f < table.course.num_flags else -1
        out[FIRST_FLAG + 2 * f], out[FIRST_FLAG + 2 * f + 1] = offset(table, frame, flag)
    for slot in range(HAND_SLOTS):
        card = own.hand[slot]
        out[FIRST_CARD + 2 * slot] = CARD_TYPE[card]
        out[FIRST_CARD + 2 * slot + 1] = 10 * int(card)
    write_robots(game, table, seat, frame, num_robots, out, FIRST_ROBOT)


@kernel
def observe_flat(
    games: Array, tables: Array, sheets: Array, seats: Array, num_robots: int, window: int, out: Array
) -> None:
    """Observations of a batch.

    Args:
        games: (n,), dtype `GAME`, all with `num_robots` robots.
        tables: Tables of the arena.
        sheets: `board_sheets` of the tables for this window, the last two axes in one.
        seats: (n, k), int8: whose view each row is.
        num_robots: Robots of each game.
        window: Odd width of the window.
        out: (n, k, features), int16: overwritten.
    """
    for g in range(games.shape[0]):
        game = games[g]
        table = tables[game.course]
        for k in range(seats.shape[1]):
            seat = int(seats[g, k])
            write_flat(game, table, seat, num_robots, out[g, k])
            own = game.robots[seat]
            row, column = sheet_place(table, own)
            start = FIRST_ROBOT + num_robots * NUM_ROBOT_FEATURES
            copy_window(sheets[game.course, own.facing], row, column, window, out[g, k], start)
