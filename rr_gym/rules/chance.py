"""Chance. Every game has a key of its own, and every use of chance in it counts its own draws (U39).

The n-th draw of a use is a function of (key, use, n) alone: trajectories do not depend on the batch, on threads, or
on features that a game does not use. The mixing is SplitMix64.
"""

from __future__ import annotations

import numpy as np

from rr_gym.jit import kernel
from rr_gym.rules.records import GameRecord


@kernel
def mix(word: np.uint64) -> np.uint64:
    """A well-mixed word of 64 bits."""
    word = np.uint64(word)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def seed_episode(game: GameRecord, seed: int, index: int, episode: int) -> None:
    """Episode `episode` of game `index` of a batch made with `seed`."""
    game.seed = np.uint64(seed)
    game.index = index
    game.episode = episode
    word = mix(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    word = mix(word ^ (np.uint64(index) * np.uint64(0xD1342543DE82EF95) + np.uint64(1)))
    game.key = mix(word ^ (np.uint64(episode) * np.uint64(0xAF251AF3B0F025B5) + np.uint64(1)))
    game.draws[:] = 0


@kernel
def below(game: GameRecord, use: int, limit: int) -> np.int64:
    """A whole number from 0 to limit - 1; `limit` is small, so that the bias is below 2**-24."""
    count = game.draws[use]
    game.draws[use] = count + 1
    word = mix(
        game.key + np.uint64(use) * np.uint64(0xD1B54A32D192ED03) + np.uint64(count) * np.uint64(0x9E3779B97F4A7C15)
    )
    return np.int64(((word >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))
