"""The queue of explosions (R-X2): what explodes waits here until what caused it is over, then the first goes first."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.constants import MAX_BLASTS
from rr_gym.rules.state.records import Game


@kernel
def queue_blast(game: Game, square: int, level: int, power: int, owner: int, kind: int, only: int) -> None:
    """An explosion of a power at a place; `only` is the one robot that it hurts, or NOBODY for everybody.

    More than `MAX_BLASTS` at a time are lost: all option cards together hold fewer.
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
