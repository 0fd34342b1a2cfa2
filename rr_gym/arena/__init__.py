"""The arena: an ongoing ladder of submitted bots, whose games anyone can verify (docs/arena.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rr_gym.public_names import on_first_use

if TYPE_CHECKING:
    from rr_gym.arena.errors import LadderError as LadderError
    from rr_gym.arena.folder import add_entry as add_entry
    from rr_gym.arena.folder import close_season as close_season
    from rr_gym.arena.folder import new_season as new_season
    from rr_gym.arena.folder import retire_entry as retire_entry
    from rr_gym.arena.ladder import Ladder as Ladder
    from rr_gym.arena.ladder import make_ladder as make_ladder
    from rr_gym.arena.log import ArenaLog as ArenaLog
    from rr_gym.arena.log import read_log as read_log
    from rr_gym.arena.play import play_matches as play_matches
    from rr_gym.arena.verification import ArenaVerdict as ArenaVerdict
    from rr_gym.arena.verification import verify as verify
else:
    __getattr__, __dir__, __all__ = on_first_use(__name__)
