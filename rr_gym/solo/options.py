"""Find the option cards that affect the phases of a lone robot: all phases, only some, or none.

`rr_gym.option_facts` states the effect of each card on a lone robot. Options that act only on an event, such as damage,
belong to the carryover (`carried_options`) and not to the state. A phase in which none of them acts (`options_rest`)
has the same result for all such options, except for those that act on an event of the phase.
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
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.arms import in_reach
from rr_gym.rules.variants.flags import flag_on

Array = np.ndarray[Any, Any]


def cards_that(*alone: str) -> list[int]:
    """Return the options whose effect on a lone robot (`OptionCard.alone`) is one of `alone`, Ablative Coat last."""
    found = [option for option, card in enumerate(OPTION_CARDS) if card.alone in alone]
    return sorted(found, key=lambda option: option == ABLATIVE_COAT)


def _mask(*options: int) -> np.uint64:
    return np.uint64(sum(1 << option for option in options))


# Damage below this affects no phase, even if it locks registers. From here on, the next point destroys the robot or
# costs it an option (R-O0.30).
NEARLY_FATAL_DAMAGE = FATAL_DAMAGE - 1
# Options that act only on an event, in the order of their bits in a carryover: on destruction, on a flag or site within
# reach, and on damage. The Ablative Coat, whose points are stored too, comes last.
_WAITING = np.array([*cards_that(END), *cards_that(REACH), *cards_that(DAMAGE, MIRRORED)], np.int64)
FOR_THE_END, FOR_REACH, FOR_DAMAGE = (
    sum(1 << bit for bit, option in enumerate(_WAITING) if OPTION_CARDS[option].alone in sorts)
    for sorts in ((END,), (REACH,), (DAMAGE, MIRRORED))
)
_COAT_BIT = _WAITING.size - 1
_POINT_BITS = 4  # bits above the coat's bit, for the points that it can still absorb
NUM_BITS = _WAITING.size + _POINT_BITS
_WAITING_MASK = _mask(*_WAITING.tolist())
# Options that act on a lone robot without orders, besides being given up for damage
_REFLECTED = _mask(*cards_that(MIRRORED))  # these act on a robot that shoots itself in a mirror
_ACTING = _WAITING_MASK & ~_REFLECTED | _mask(*cards_that(ALWAYS))
_CONVERTER = _mask(CONVERTER)
_SEEN = _WAITING_MASK | _mask(*cards_that(SHOWN))  # their use is recorded
_NONE, _ALL = np.uint64(0), ~np.uint64(0)


@with_elements(False)
def reflects_shots(game: GameRecord, table: Table) -> bool:
    """Tell whether mirrors may reflect a robot's own shots back at it (R-E63)."""
    return features_of(table) & HAS_MIRRORS != 0


@kernel
def has_options(game: GameRecord, table: Table) -> bool:
    """Tell whether the robot has option cards, or may draw some from a pile."""
    return game.robots[0].options != _NONE or table.settings.scavenger > 0


@kernel
def has_drawn(game: GameRecord) -> bool:
    """Tell whether options have been drawn in this turn, so that it matters which ones are left."""
    return bool(game.draws[OPTIONS_DRAWN] > 0)


@kernel
def all_options_matter(game: GameRecord, table: Table) -> bool:
    """Tell whether all options of a robot may matter, even those that have no effect themselves.

    They matter if one may be given up for damage, if options lie beside flags, or if options were drawn in this turn,
    since drawing may have cost another option. Counters refilled by a chop shop do not matter.
    """
    return game.robots[0].damage >= NEARLY_FATAL_DAMAGE or table.settings.scavenger > 0 or has_drawn(game)


@kernel
def acting_options(game: GameRecord, table: Table) -> np.uint64:
    """Return the mask of the robot's options that may act on it; none if it is off the board."""
    robot = game.robots[0]
    if not robot.alive:
        return _NONE
    return np.uint64(robot.options & (_ACTING | _REFLECTED if reflects_shots(game, table) else _ACTING))


@kernel
def waiting_options(game: GameRecord, table: Table) -> np.uint64:
    """Return the mask of the robot's options that act only on an event.

    A Converter with counters is not one of them, since it lengthens movement cards.
    """
    waiting = acting_options(game, table) & _WAITING_MASK
    return np.uint64(waiting & ~_CONVERTER if game.payload[CONVERTER] else waiting)


@with_expansions(0)
def carried_options(game: GameRecord, table: Table) -> int:
    """Return the options that act only on an event, packed into `NUM_BITS` bits."""
    waiting = waiting_options(game, table)
    if waiting == _NONE:
        return 0
    packed = 0
    for k in range(_WAITING.size):
        packed |= int(waiting >> np.uint64(_WAITING[k]) & np.uint64(1)) << k
    points = int(game.payload[ABLATIVE_COAT]) & (1 << _POINT_BITS) - 1
    return packed | (points << _COAT_BIT + 1) * (packed >> _COAT_BIT)


@with_expansions(None)
def watch_options(game: GameRecord, table: Table) -> None:
    """Start to record which options act, in `game.secret`."""
    game.secret = _ALL


@with_expansions(True)
def options_rest(game: GameRecord, table: Table) -> bool:
    """Tell whether no option that acts on events has acted since `watch_options`."""
    return bool(game.secret & _SEEN == _SEEN)


@with_expansions(False)
def arm_may_touch(game: GameRecord, table: Table) -> bool:
    """Tell whether a flag or a repair site is within reach of a Mechanical Arm (R-O13)."""
    settings, robot = table.settings, game.robots[0]
    if settings.option_cards != ON or not robot.alive or robot.square < 0:
        return False
    for k in range(8 if settings.arm == ARM_2005 else 4):
        place = int(in_reach(game, table, 0, k))
        if place >= 0 and (flag_on(game, table, place) or table.squares[row_at(game, table, place)].wrenches):
            return True
    return False
