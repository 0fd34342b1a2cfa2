"""Which of a lone robot's option cards matter to its phases: to all, to those in which they have something to do, or
to none. What a card does to a lone robot its row says (`rr_gym.option_facts`).

What waits for something to do is carried along (`carried_options`) and no part of a state: a phase in which none of it
acts (`options_rest`) is the same whatever is carried, unless something comes that other options act on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.courses.tables.ground import HAS_MIRRORS
from rr_gym.forms import with_elements, with_expansions
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.option_facts.card import ALWAYS, DAMAGE, END, MIRRORED, REACH, SHOWN
from rr_gym.rules.floor.ground import features_of, row_at
from rr_gym.rules.state.constants import ARM_2005, FATAL_DAMAGE, ON, OPTIONS_DRAWN
from rr_gym.rules.state.option_cards import ABLATIVE_COAT, CONVERTER
from rr_gym.rules.state.records import Game
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.arms import in_reach
from rr_gym.rules.variants.flags import flag_on

Array = np.ndarray[Any, Any]


def cards_that(*alone: str) -> list[int]:
    """The options whose rows say one of these of a lone robot (`OptionCard.alone`), the Ablative Coat last."""
    found = [option for option, card in enumerate(OPTION_CARDS) if card.alone in alone]
    return sorted(found, key=lambda option: option == ABLATIVE_COAT)


def _mask(*options: int) -> np.uint64:
    return np.uint64(sum(1 << option for option in options))


# No phase minds less, whatever it locks; with so much the next point is the end, or costs an option (R-O0.30)
MUCH_DAMAGE = FATAL_DAMAGE - 1
# Options that wait for something to do, by their bits in what is carried: for the end of the robot, for a flag or site
# within reach, and for points of damage. That with points of its own comes last.
_WAITING = np.array([*cards_that(END), *cards_that(REACH), *cards_that(DAMAGE, MIRRORED)], np.int64)
FOR_THE_END, FOR_REACH, FOR_DAMAGE = (
    sum(1 << bit for bit, option in enumerate(_WAITING) if OPTION_CARDS[option].alone in sorts)
    for sorts in ((END,), (REACH,), (DAMAGE, MIRRORED))
)
_COAT = _WAITING.size - 1
_POINT_BITS = 4  # for the points that the coat still absorbs, behind its bit
NUM_BITS = _WAITING.size + _POINT_BITS
_WAIT = _mask(*_WAITING.tolist())
# Options that act on a lone robot without orders, besides those that are given up for damage
_REFLECTED = _mask(*cards_that(MIRRORED))  # acts on the robot that fires it into a mirror
_ACTING = _WAIT & ~_REFLECTED | _mask(*cards_that(ALWAYS))
_CONVERTER = _mask(CONVERTER)
_SEEN = _WAIT | _mask(*cards_that(SHOWN))  # one in use goes for a point before any but shields stop it
_NONE, _ALL = np.uint64(0), ~np.uint64(0)


@with_elements(False)
def reflects_shots(game: Game, table: Table) -> bool:
    """Mirrors throw a robot's own shots back at it (R-E63)."""
    return features_of(table) & HAS_MIRRORS != 0


@kernel
def has_options(game: Game, table: Table) -> bool:
    """The robot may lose or use one, or gets one of a pile."""
    return game.robots[0].options != _NONE or table.settings.scavenger > 0


@kernel
def has_drawn(game: Game) -> bool:
    """Options have been drawn in this turn: it matters which are left."""
    return bool(game.draws[OPTIONS_DRAWN] > 0)


@kernel
def minds_options(game: Game, table: Table) -> bool:
    """All options may matter: one may be given up for damage, comes from a pile on the floor, or was drawn, which may
    have cost another one.

    What a chop shop fills up matters no more than before.
    """
    return game.robots[0].damage >= MUCH_DAMAGE or table.settings.scavenger > 0 or has_drawn(game)


@kernel
def acting_options(game: Game, table: Table) -> np.uint64:
    """The options of the robot that may act on it; none off the board."""
    robot = game.robots[0]
    if not robot.alive:
        return _NONE
    return np.uint64(robot.options & (_ACTING | _REFLECTED if reflects_shots(game, table) else _ACTING))


@kernel
def waiting_options(game: Game, table: Table) -> np.uint64:
    """Those of them that wait for something to do. A Converter with counters does not: it drives the robot on."""
    waiting = acting_options(game, table) & _WAIT
    return np.uint64(waiting & ~_CONVERTER if game.payload[CONVERTER] else waiting)


@with_expansions(0)
def carried_options(game: Game, table: Table) -> int:
    """The options that wait, in `NUM_BITS` bits."""
    waiting = waiting_options(game, table)
    if waiting == _NONE:
        return 0
    packed = 0
    for k in range(_WAITING.size):
        packed |= int(waiting >> np.uint64(_WAITING[k]) & np.uint64(1)) << k
    points = int(game.payload[ABLATIVE_COAT]) & (1 << _POINT_BITS) - 1
    return packed | (points << _COAT + 1) * (packed >> _COAT)


@with_expansions(None)
def watch_options(game: Game, table: Table) -> None:
    """See from now on which options act: none has been shown."""
    game.secret = _ALL


@with_expansions(True)
def options_rest(game: Game, table: Table) -> bool:
    """None of those that wait has acted since `watch_options`."""
    return bool(game.secret & _SEEN == _SEEN)


@with_expansions(False)
def arm_may_touch(game: Game, table: Table) -> bool:
    """A flag or a repair site is within reach of a Mechanical Arm (R-O13)."""
    settings, robot = table.settings, game.robots[0]
    if settings.option_cards != ON or not robot.alive or robot.square < 0:
        return False
    for k in range(8 if settings.arm == ARM_2005 else 4):
        place = int(in_reach(game, table, 0, k))
        if place >= 0 and (flag_on(game, table, place) or table.squares[row_at(game, table, place)].wrenches):
            return True
    return False
