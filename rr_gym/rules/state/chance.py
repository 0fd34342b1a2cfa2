"""Random numbers: every game has its own key, and every use of chance has its own counter of draws (U39).

The n-th draw of a use is a function of (key, use, n) alone: trajectories do not depend on the batch, on threads, or on
features that a game does not use. Without a salt, the key has one word and draws are made by SplitMix64, which is fast,
but anybody who knows the seed can repeat it. With a salt, the key has two words: SipHash-2-4 makes it from the seed,
keyed by the 128 bits of the salt, and makes the draws, keyed by the 128 bits of the key. Neither seed nor key
can then be found from draws except by trying all of them.
"""

# mutants: scenarios script chance: tests/rules/test_determinism.py
from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.state.records import GameRecord

GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # added to a word of a SplitMix64 sequence to get the next one


@kernel
def next_word(word: np.uint64) -> np.uint64:
    """Return the next word of a SplitMix64 sequence; the values of the sequence are `mix` of its words."""
    return np.uint64(word) + GOLDEN


@kernel
def mix(word: np.uint64) -> np.uint64:
    """Return a well-mixed word of 64 bits."""
    word = np.uint64(word)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def scaled(word: np.uint64, limit: int) -> np.int64:
    """Scale a well-mixed word to a whole number from 0 to limit - 1.

    `limit` is small, so the bias is below 2**-24.
    """
    return np.int64(((np.uint64(word) >> np.uint64(32)) * np.uint64(limit)) >> np.uint64(32))


@kernel
def random_bit(mask: int, word: np.uint64) -> int:
    """Return one of the set bits of a mask of up to 64 bits, all equally likely; 0 for an empty mask."""
    count = 0
    for bit in range(64):
        count += mask >> bit & 1
    rank = scaled(word, count)
    for bit in range(64):
        rank -= mask >> bit & 1
        if rank < 0:
            return bit
    return 0


@kernel
def shuffle(items: Any, count: int, word: np.uint64) -> np.uint64:
    """Put the first `count` items in a random order, by the words of a SplitMix64 sequence that follow `word`.

    Returns the last of these words.
    """
    for k in range(count - 1, 0, -1):
        word = next_word(word)
        other = scaled(mix(word), k + 1)
        item = items[k]
        items[k] = items[other]
        items[other] = item
    return word


@kernel
def rotated(word: np.uint64, bits: int) -> np.uint64:
    """Rotate a word to the left by `bits`: its highest bits become the lowest."""
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@kernel
def sip_round(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return the state of SipHash, four words of 64 bits, after one more round."""
    a += b
    b = rotated(b, 13) ^ a
    a = rotated(a, 32)
    c += d
    d = rotated(d, 16) ^ c
    a += d
    d = rotated(d, 21) ^ a
    c += b
    b = rotated(b, 17) ^ c
    return a, b, rotated(c, 32), d


@kernel
def siphash(low: Any, high: Any, first: Any, second: Any) -> np.uint64:
    """Return SipHash-2-4 of a message of two words (16 bytes, the lowest first) under a key of 128 bits."""
    a, b = np.uint64(low) ^ np.uint64(0x736F6D6570736575), np.uint64(high) ^ np.uint64(0x646F72616E646F6D)
    c, d = np.uint64(low) ^ np.uint64(0x6C7967656E657261), np.uint64(high) ^ np.uint64(0x7465646279746573)
    for word in (np.uint64(first), np.uint64(second), np.uint64(16 << 56)):  # the last one is the length
        d ^= word
        a, b, c, d = sip_round(a, b, c, d)
        a, b, c, d = sip_round(a, b, c, d)
        a ^= word
    c ^= np.uint64(0xFF)
    for _ in range(4):
        a, b, c, d = sip_round(a, b, c, d)
    return a ^ b ^ c ^ d


@kernel
def seed_episode(game: GameRecord, seed: int, index: int, episode: int) -> None:
    """Seed episode `episode` of game `index` of a batch by `seed` and the salt that the game holds."""
    game.seed = np.uint64(seed)
    game.index = index
    game.episode = episode
    low, high = game.salt[0], game.salt[1]
    if low == np.uint64(0) and high == np.uint64(0):
        word = mix(next_word(np.uint64(seed)))
        word = mix(word ^ (np.uint64(index) * np.uint64(0xD1342543DE82EF95) + np.uint64(1)))
        game.key = mix(word ^ (np.uint64(episode) * np.uint64(0xAF251AF3B0F025B5) + np.uint64(1)))
        game.salted_key = 0
    else:
        place = np.uint64(index) << np.uint64(32) | np.uint64(episode)
        batch_low, batch_high = siphash(low, high, seed, 0), siphash(low, high, seed, 1)
        game.key = siphash(batch_low, batch_high, place, 0)
        game.salted_key = siphash(batch_low, batch_high, place, 1)
        if game.salted_key == np.uint64(0):  # 0 would mean that there is no salt
            game.salted_key = 1
    game.draws[:] = 0


@kernel
def below(game: GameRecord, use: int, limit: int) -> np.int64:
    """Return the next draw of a use of chance: a whole number from 0 to limit - 1."""
    count = game.draws[use]
    game.draws[use] = count + 1
    if game.salted_key == np.uint64(0):
        word = mix(game.key + np.uint64(use) * np.uint64(0xD1B54A32D192ED03) + np.uint64(count) * GOLDEN)
    else:
        word = siphash(game.key, game.salted_key, use, count)
    return scaled(word, limit)
