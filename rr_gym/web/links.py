"""The links of pages: a secret token for each guest, kept beside the game so that links stay when it is resumed."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Self

from msgspec import Struct, ValidationError, field, json

from rr_gym.errors import RoboRallyError
from rr_gym.files import read_bytes, write_file

HOST, WATCHER = -2, -1  # guests without a seat: whoever sets up the games, and all who watch
FILE = "links.json"
TOKEN_BYTES = 24


class Links(Struct, forbid_unknown_fields=True):
    """Who may open which page, by tokens that cannot be guessed.

    Attributes:
        tokens: The token of each guest: a seat, `HOST` or `WATCHER`.
        names: What people call themselves, by seat.
        port: The port of the server, 0 before it listens.
        timer: The seconds that people have for the orders of a turn, 0 for as many as they like.
    """

    tokens: dict[int, str] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    port: int = 0
    timer: int = 0

    def token(self, guest: int) -> str:
        """Return the token of a guest, which is drawn when it is asked for the first time."""
        return self.tokens.setdefault(guest, secrets.token_urlsafe(TOKEN_BYTES))

    def redraw(self, guest: int) -> None:
        """Draw a new token for a guest; the link with the one before leads nowhere."""
        self.tokens[guest] = secrets.token_urlsafe(TOKEN_BYTES)

    def guest_of(self, token: str) -> int | None:
        """Return the guest of a token, or None for an unknown token, in a time that does not depend on the token."""
        given = token.encode(errors="replace")
        found = [guest for guest, known in self.tokens.items() if secrets.compare_digest(known.encode(), given)]
        return found[0] if found else None

    def save(self, folder: Path) -> None:
        """Write the file into the folder of the game. Raises RoboRallyError if it cannot be written."""
        write_file(folder / FILE, json.format(json.encode(self)), RoboRallyError, private=True)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the links of a game that is resumed; new ones if the folder has none.

        Raises:
            RoboRallyError: The file cannot be read, or holds something else.
        """
        if not (folder / FILE).exists():
            return cls()
        try:
            return json.decode(read_bytes(folder / FILE), type=cls)
        except (ValidationError, ValueError) as error:
            raise RoboRallyError(f"{folder / FILE}: {error}: expected the links of a game") from None
