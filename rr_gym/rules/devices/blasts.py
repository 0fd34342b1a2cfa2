"""The queue of explosions (R-X2): they wait until their cause is over, then go off first in, first out."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.constants import MAX_BLASTS
from rr_gym.rules.state.records import GameRecord


@kernel
def queue_blast(game: GameRecord, square: int, level: int, power: int, owner: int, kind: int, only: int) -> None:
    """Queue an explosion; `only` is the one robot that it hurts, or NOBODY if it hurts everybody.

    Explosions beyond `MAX_BLASTS` at a time are dropped: all option cards together cannot cause more.
    """
    if game.num_blasts >= MAX_BLASTS:
        return
    blast = game.blasts[game.num_blasts]
    blast.square = square
    blast.level = level
    blast.power = power
    blast.owner = owner
    blast.kind = kind
    blast.only = only
    game.num_blasts += 1
