"""What a picture shows of a robot: one plain object, made from a game's record or rebuilt from events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rr_gym.rules.constants import NUM_REGISTERS
from rr_gym.rules.records import GameRecord


@dataclass(slots=True)
class Piece:
    """One robot as everybody sees it, its program included.

    Squares are square numbers (y * width + x), -1 off the board; facings 0-3 are n e s w; `registers` hold card ids,
    0 for none; bit r of `locked` is register r + 1.
    """

    square: int = -1
    facing: int = 0
    archive: int = -1
    alive: bool = True
    out: bool = False
    virtual: bool = False
    down: bool = False
    announced: bool = False
    damage: int = 0
    lives: int = -1
    flag: int = 0
    locked: int = 0
    registers: list[int] = field(default_factory=lambda: [0] * NUM_REGISTERS)


def pieces_of(game: GameRecord) -> list[Piece]:
    """The robots of one game, in seat order.

    Args:
        game: One element of an array of dtype `GAME`.
    """
    return [
        Piece(
            square=int(robot["square"]),
            facing=int(robot["facing"]),
            archive=int(robot["archive"]),
            alive=bool(robot["alive"]),
            out=bool(robot["out"]),
            virtual=bool(robot["virtual"]),
            down=bool(robot["down"]),
            announced=bool(robot["announced"]),
            damage=int(robot["damage"]),
            lives=int(robot["lives"]),
            flag=int(robot["flag"]),
            locked=int(robot["locked"]),
            registers=[int(card) for card in robot["registers"]],
        )
        for robot in game["robots"][: int(game["num_robots"])]
    ]


def labels(players: Sequence[str]) -> list[str]:
    """Names by which robots can be told apart: a name that several players share gets the seat's number."""
    names = list(players)
    return [name if names.count(name) == 1 else f"{name} {seat}" for seat, name in enumerate(names, start=1)]
