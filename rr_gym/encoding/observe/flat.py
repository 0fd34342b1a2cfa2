"""The observation `flat`: a row of named small integers, with the own robot first (docs/observations.md)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.board import check_window, copy_window, square_features
from rr_gym.encoding.observe.changes import ExtraFeatures, change_row
from rr_gym.encoding.observe.elements import extra_card_places, extra_flag_features
from rr_gym.encoding.observe.features import (
    MAX_CARD_TYPE,
    MAX_DISTANCE,
    MAX_PRIORITY,
    NUM_GAME_FEATURES,
    NUM_ROBOT_FEATURES,
    game_features,
    robot_features,
    write_game,
    write_robots,
)
from rr_gym.encoding.observe.frame import frame_of, offset, sheet_place
from rr_gym.encoding.observe.game_states import card_at, flag_place, write_flag_states
from rr_gym.encoding.observe.groups import Feature
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import HAND_SLOTS, MAX_FLAGS
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

FLAT_WINDOW = 9


def flat_features(num_robots: int, window: int = FLAT_WINDOW, elements: Iterable[str] = ()) -> list[Feature]:
    """Return every number of an observation in order: (name, lowest, highest value).

    Args:
        num_robots: Robots in the game, including the own one.
        window: Odd width of the observed part of the board around the own robot. Its squares come row by row, from the
          corner ahead to the left.
        elements: Groups of elements that are observed (`rr_gym.encoding.observe.elements`).
    """
    chosen = tuple(elements)
    robots, squares = robot_features(chosen), square_features(chosen)
    features = game_features(chosen)
    for k in range(MAX_FLAGS):
        features += [(f"flag_{k + 1}_{side}", -MAX_DISTANCE, MAX_DISTANCE) for side in ("forward", "right")]
    for k in range(MAX_FLAGS):
        features += [(f"flag_{k + 1}_{name}", low, high) for name, low, high in extra_flag_features(chosen)]
    for k in range(HAND_SLOTS):
        features += [(f"hand_{k}_type", 0, MAX_CARD_TYPE), (f"hand_{k}_priority", 0, MAX_PRIORITY)]
    for place in extra_card_places(chosen):
        features += [(f"{place}_type", 0, MAX_CARD_TYPE), (f"{place}_priority", 0, MAX_PRIORITY)]
    for k in range(num_robots):
        features += [(f"robot_{k}_{name}", low, high) for name, low, high in robots]
    reach = check_window(window) // 2
    for forward in range(reach, -reach - 1, -1):
        for right in range(-reach, reach + 1):
            features += [(f"{name}@{forward:+d},{right:+d}", low, high) for name, low, high in squares]
    return features


def flat_feature_names(num_robots: int, window: int = FLAT_WINDOW, elements: Iterable[str] = ()) -> list[str]:
    """Return the names of the numbers of an observation, in order: ``names.index("hand_0_priority")`` is an index."""
    return [name for name, _, _ in flat_features(num_robots, window, elements)]


@kernel
def write_flat(game: GameRecord, table: Table, seat: int, num_robots: int, extra: ExtraFeatures, out: Array) -> int:
    """Write the observation of one seat up to its window; return the index where the window begins."""
    own = game.robots[seat]
    frame = frame_of(game, table, own)
    write_game(game, table, seat, frame, extra, out)
    at = NUM_GAME_FEATURES + extra.facts.size
    for f in range(MAX_FLAGS):
        flag = flag_place(game, table, f) if f < table.course.num_flags else -1
        out[at], out[at + 1] = offset(game, table, frame, flag)
        at += 2
    for f in range(MAX_FLAGS if extra.flags.size else 0):
        write_flag_states(game, table, seat, f, extra.flags, out, at)
        at += extra.flags.size
    for slot in range(HAND_SLOTS):
        card = own.hand[slot]
        out[at] = CARD_TYPE[card]
        out[at + 1] = 10 * int(card)
        at += 2
    for place in range(extra.cards.size):
        card = card_at(game, table, seat, extra.cards[place])
        out[at] = CARD_TYPE[card]
        out[at + 1] = 10 * int(card)
        at += 2
    write_robots(game, table, seat, frame, num_robots, extra, out, at)
    return at + num_robots * (NUM_ROBOT_FEATURES + extra.states.size)


@kernel
def observe_flat(
    games: Array, tables: Array, sheets: Array, seats: Array, num_robots: int, window: int, extra: ExtraFeatures,
    out: Array,
) -> None:  # fmt: skip
    """Write the observations of a batch.

    Args:
        games: (n,), dtype `GAME`, all with `num_robots` robots.
        tables: Tables of the arena.
        sheets: `board_sheets` of the tables for this window, with the last two axes merged.
        seats: (n, k), int8: the seats that observe.
        num_robots: Robots of each game.
        window: Odd width of the window.
        extra: The features beyond those of the base game.
        out: (n, k, features), int16: overwritten.
    """
    for g in range(games.shape[0]):
        game = games[g]
        table = tables[game.course]
        for k in range(seats.shape[1]):
            seat = int(seats[g, k])
            start = write_flat(game, table, seat, num_robots, extra, out[g, k])
            own = game.robots[seat]
            row, column = sheet_place(game, table, own)
            copy_window(sheets[game.course, own.facing], row, column, window, extra.columns.size, out[g, k], start)
            change_row(game, table, seat, frame_of(game, table, own), int(own.facing), window, extra, out[g, k], start)
