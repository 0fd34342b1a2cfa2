"""What programs that play may see, use and leave behind (docs/arena.md)."""

from rr_gym.players.sandbox.kinds import BUBBLEWRAP, KINDS, NONE, PROCESS, choose_kind, not_guaranteed
from rr_gym.players.sandbox.limits import Limits
from rr_gym.players.sandbox.sandbox import Sandbox

__all__ = ["BUBBLEWRAP", "KINDS", "NONE", "PROCESS", "Limits", "Sandbox", "choose_kind", "not_guaranteed"]
