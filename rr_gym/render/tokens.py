"""Plain objects, like `Piece`, for everything on a board besides robots: devices, tokens, and the owners of flags."""

from __future__ import annotations

from dataclasses import dataclass, field

from rr_gym.courses import Course
from rr_gym.courses.changes import place_of
from rr_gym.rules.state.constants import DEVICE_NAMES, MISSILE_TOKEN
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.settings import special_rule_settings

NOBODY = -1
NO_TEAM = 0


@dataclass(frozen=True, slots=True)
class DeviceToken:
    """A device on the board.

    Attributes:
        kind: One of DEVICE_NAMES.
        owner: The robot that owns it, `NOBODY` for none.
        square: The number of its square.
        facing: 0-3 if it flies, else 0.
        target: The square of a drone's target counter, -1 for none.
        virtual: It affects only its owner.
        number: Unique for as long as it is in play.
    """

    kind: str
    owner: int
    square: int
    facing: int = 0
    target: int = -1
    virtual: bool = False
    number: int = field(default=0, compare=False)

    @property
    def flies(self) -> bool:
        """Tell whether the device flies: missiles, drones and buzz bombs do."""
        return DEVICE_NAMES.index(self.kind) >= MISSILE_TOKEN


@dataclass(frozen=True, slots=True)
class Tokens:
    """Everything on a board besides robots.

    Attributes:
        devices: In the order of their numbers.
        homing: The robot that carries the homing token, `NOBODY` for none.
        interceptor: The robot that carries the interceptor token, `NOBODY` for none.
        damping: The robot whose Option Damping Field is on, `NOBODY` for none.
        superbot: The robot that is the SuperBot, `NOBODY` for none.
        flag_teams: The team that owns each flag, `NO_TEAM` for none; () if flags have no owners.
    """

    devices: tuple[DeviceToken, ...] = ()
    homing: int = NOBODY
    interceptor: int = NOBODY
    damping: int = NOBODY
    superbot: int = NOBODY
    flag_teams: tuple[int, ...] = ()


NO_TOKENS = Tokens()


def tokens_of(game: GameRecord, course: Course, played: str | None = None) -> Tokens:
    """Return the devices, tokens and owners of flags of one game.

    Args:
        game: One element of an array of dtype `GAME`.
        course: The course that it is played on.
        played: The setting `game`, which determines the owners of flags; None for the setting of the course.
    """
    rooms = game["rooms"].tolist()
    found = [(k, device) for k, device in enumerate(game["devices"][: int(game["num_devices"])]) if device["kind"] > 0]
    return Tokens(
        devices=tuple(
            DeviceToken(
                kind=DEVICE_NAMES[device["kind"]],
                owner=int(device["owner"]),
                square=place_of(course, int(device["square"]), rooms),
                facing=int(device["facing"]) if device["kind"] >= MISSILE_TOKEN else 0,
                target=place_of(course, int(device["target"]), rooms),
                virtual=bool(device["virtual"]),
                number=k,
            )
            for k, device in found
        ),
        homing=int(game["homing_target"]),
        interceptor=int(game["intercept_target"]),
        damping=int(game["damping"]),
        superbot=int(game["superbot"]),
        flag_teams=_flag_teams(game, played or special_rule_settings(course.rules).get("game", ""), len(course.flags)),
    )


def _flag_teams(game: GameRecord, played: str, num_flags: int) -> tuple[int, ...]:
    """Return the team that owns each flag, () if flags have no owners.

    In head to head the teams alternate, in capture the flag each flag belongs to the team of its number, and in other
    games the record says who owns a flag.
    """
    owners = tuple(game["flag_owner"][:num_flags].tolist())
    match played:
        case "head_to_head":
            return tuple(1 + k % 2 for k in range(num_flags))
        case "capture_the_flag":
            return tuple(range(1, num_flags + 1))
    return owners if played == "flag_toggle" or any(owners) else ()
