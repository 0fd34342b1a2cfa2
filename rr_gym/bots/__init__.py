"""Submissions: bots in folders of their own, with a manifest `bot.toml` (docs/bots.md)."""

from rr_gym.bots.archive import digest_of, pack
from rr_gym.bots.manifest import MANIFEST, BotError, BuildError, Manifest
from rr_gym.bots.player import BotPlayer, open_bot
from rr_gym.bots.start import new_bot

__all__ = ["MANIFEST", "BotError", "BotPlayer", "BuildError", "Manifest", "digest_of", "new_bot", "open_bot", "pack"]
