"""Submissions as players."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.bots.archive import digest_of
from rr_gym.bots.build import built_folder
from rr_gym.bots.manifest import BotError, Manifest
from rr_gym.players.program import SECONDS, ProgramPlayer
from rr_gym.players.protocol import SeatView
from rr_gym.players.sandbox import choose_kind

Array = np.ndarray[Any, Any]


class BotPlayer(ProgramPlayer):
    """A player that runs a submission: a program in a folder of its own, which it can read but not change.

    The build step runs when the player is created. The player's name is that of the manifest, never a command line.

    Args:
        folder: The folder with its manifest.
        seconds: Time for each decision.
        bank: Seconds for all decisions of a game; None for 60 times the seconds of one. Only for bots of protocol 2.
        sandbox: The kind of its sandbox; None for the strongest that works here.

    Attributes:
        manifest: Its manifest.
        folder: The folder that it plays from: its own, or a built copy.
        digest: The SHA-256 of its archive.

    Raises:
        RoboRallyError: The submission is not well formed, its build step fails, or there is no such sandbox.
    """

    def __init__(
        self, folder: Path, seconds: float = SECONDS, sandbox: str | None = None, bank: float | None = None
    ) -> None:
        self.manifest, self.digest = Manifest.load(folder), digest_of(folder)
        kind = choose_kind(sandbox)
        built = built_folder(folder, self.manifest, self.digest, kind)
        super().__init__(
            self.manifest.command, seconds,
            protocol=self.manifest.protocol, bank=bank, sandbox=kind, limits=self.manifest.limits, folder=built,
        )  # fmt: skip
        self.name, self.folder = self.manifest.title, built

    def _decide(self, views: Iterable[SeatView]) -> Array:
        """Return the orders of some seats, see `ProgramPlayer`. Raises BotError for a number of robots it excludes."""
        seen = list(views)
        low, high = self.manifest.options.seats
        for view in seen:
            if not low <= (robots := int(view.record["num_robots"])) <= high:
                raise BotError(f"{self.name}: {robots} robots: expected {low} to {high}, by its manifest")
        return super()._decide(seen)


def open_bot(
    folder: str, seconds: float = SECONDS, sandbox: str | None = None, bank: float | None = None
) -> BotPlayer:
    """Make a player of the submission in a folder; see `BotPlayer`."""
    return BotPlayer(Path(folder), seconds, sandbox, bank)
