"""What must not be forgotten of a race before it is resumed: time banks and losses, in a file beside its replay."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, ValidationError, json

from rr_gym.errors import RoboRallyError
from rr_gym.files import read_bytes, write_file

FILE = "seats.json"
_FORGOTTEN = "without this file time banks and losses are forgotten"


class KeptGame(Struct, frozen=True, forbid_unknown_fields=True):
    """A game as a player of protocol 2 has played it so far (docs/protocol.md).

    Attributes:
        bank: Seconds that are left in its time bank.
        decisions: How many turns it was asked for.
        lost: How many of them were lost.
        forfeited: Why it was forfeited; empty if it was not.
    """

    bank: Annotated[float, Meta(ge=0)]
    decisions: Annotated[int, Meta(ge=0)]
    lost: Annotated[int, Meta(ge=0)]
    forfeited: str = ""


class KeptSeats(Struct, frozen=True, forbid_unknown_fields=True):
    """What is kept of a race besides its replay.

    Attributes:
        turns: The number of turns that were played.
        seats: By seat, what its player has to remember; None for players that remember nothing.
    """

    turns: int
    seats: tuple[KeptGame | None, ...]

    @classmethod
    def of_forfeits(cls, turns: int, seats: int, forfeited: Iterable[int]) -> KeptSeats:
        """Return what is kept of a race that has ended: who has forfeited it, also if more turns are allowed later."""
        left = set(forfeited)
        why = "forfeited before the race was resumed"
        return cls(turns, tuple(KeptGame(0.0, 0, 0, why) if seat in left else None for seat in range(seats)))

    def save(self, folder: Path) -> None:
        """Write the file into the folder of a race, or remove it if there is nothing to remember.

        Raises:
            RoboRallyError: It cannot be written.
        """
        if any(self.seats):
            write_file(folder / FILE, json.format(json.encode(self)), RoboRallyError)
        else:
            with suppress(OSError):
                (folder / FILE).unlink()

    @classmethod
    def load(cls, folder: Path, turns: int, seats: int) -> tuple[KeptGame | None, ...]:
        """Return what is kept of a race with so many turns and seats, by seat; None for each without a file.

        Raises:
            RoboRallyError: The file cannot be read, or is that of another race.
        """
        path = folder / FILE
        if not path.exists():
            return (None,) * seats
        try:
            kept = json.decode(read_bytes(path, RoboRallyError), type=cls)
        except (ValidationError, ValueError) as error:
            raise RoboRallyError(f"{path}: {error}: {_FORGOTTEN}") from None
        if (kept.turns, len(kept.seats)) != (turns, seats):
            found = f"{kept.turns} turns of {len(kept.seats)} seats"
            raise RoboRallyError(f"{path}: {found}: expected {turns} turns of {seats}, as in the replay: {_FORGOTTEN}")
        return kept.seats
