"""The loss of options: given up for damage, destroyed, or lost with the robot (R-O0.29 to R-O0.39)."""

from __future__ import annotations

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.devices.blasts import queue_blast
from rr_gym.rules.devices.devices import EXPLODES_AS, POWER
from rr_gym.rules.options.option_programs import take_back_tokens
from rr_gym.rules.options.options import (
    discard_option,
    in_damping_field,
    least_valuable,
    may_be_given_up,
    owns,
    stop_copter,
    use_up,
)
from rr_gym.rules.state.constants import (
    BIG_ONE_TOKEN,
    BUZZ_TOKEN,
    BY_VALUE,
    CONVERTER_BLAST,
    DRONE_TOKEN,
    JET_BLAST,
    MAX_OWNED,
    MAX_ROBOTS,
    MINE_TOKEN,
    MISSILE_TOKEN,
    NOBODY,
    NUM_OPTIONS,
    PROXIMITY_TOKEN,
    RETRO_BLAST,
    SELF_DESTRUCT_BLAST,
    SPARED,
)
from rr_gym.rules.state.events import ABSORBED, OPTION_USED, note
from rr_gym.rules.state.option_cards import (
    BIG_JET,
    BIG_ONE,
    BIO_OPTION,
    BUZZ_BOMB,
    CONVERTER,
    DRONE_LAUNCHER,
    MINE_LAYER,
    MISSILE_LAUNCHER,
    NO_OPTION,
    PROXIMITY_MINE,
    RETRO_ROCKETS,
    SELF_DESTRUCT,
    SUPERIOR_ARCHIVE,
)
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

# The power and kind of the explosion of one token or counter of an option that is lost (R-X1.19, R-X1.20, D2)
_TOKENS = {
    MINE_LAYER: MINE_TOKEN, PROXIMITY_MINE: PROXIMITY_TOKEN, MISSILE_LAUNCHER: MISSILE_TOKEN,
    DRONE_LAUNCHER: DRONE_TOKEN, BUZZ_BOMB: BUZZ_TOKEN, BIG_ONE: BIG_ONE_TOKEN,
}  # fmt: skip
_LOST_AS = {option: (POWER[token], EXPLODES_AS[token]) for option, token in _TOKENS.items()} | {
    SELF_DESTRUCT: (16, SELF_DESTRUCT_BLAST), BIG_JET: (4, JET_BLAST), RETRO_ROCKETS: (1, RETRO_BLAST),
    CONVERTER: (1, CONVERTER_BLAST),
}  # fmt: skip
LOST_POWER = np.array([_LOST_AS.get(k, (0, 0))[0] for k in range(NUM_OPTIONS)], np.int8)
LOST_AS = np.array([_LOST_AS.get(k, (0, 0))[1] for k in range(NUM_OPTIONS)], np.int8)


@kernel
def explode_at(game: GameRecord, robot: int, option: int, power: int) -> None:
    """Queue an explosion on a robot's square.

    If the robot is virtual, the explosion hurts only this robot (R-A14, R-X2.8).
    """
    body = game.robots[robot]
    only = robot if body.virtual else NOBODY
    queue_blast(game, body.square, body.level, power, robot, int(LOST_AS[option]), only)


@kernel
def blow_up(game: GameRecord, robot: int, option: int) -> None:
    """Queue an explosion for each token or counter left on an explosive option (R-O0.35)."""
    if LOST_POWER[option] == 0:  # mutants (never): an explosion without power hurts nobody
        return
    for _ in range(1 if option == SELF_DESTRUCT else int(game.payload[option])):
        explode_at(game, robot, option, int(LOST_POWER[option]))


@kernel
def lose_option(game: GameRecord, log: Log, robot: int, option: int) -> None:
    """Discard an option that is destroyed or exchanged.

    What is left on it explodes, if it is explosive (R-O0.35, R-X1.19).
    """
    granted = int(game.robots[robot].bio)
    blow_up(game, robot, option)
    if option == BIO_OPTION and granted >= 0:  # mutants (boundary): option 0 does not explode
        blow_up(game, robot, granted)
    discard_option(game, log, robot, option)


@kernel
def exchange_option(game: GameRecord, log: Log, robot: int, option: int) -> None:
    """Give up an option for a point of damage.

    A Bio Option and the option that it grants are lost together (R-O30.4).
    """
    body = game.robots[robot]
    note(game, log, ABSORBED, robot, option)
    lose_option(game, log, robot, BIO_OPTION if option == body.bio and owns(body, BIO_OPTION) else option)


@kernel
def option_to_give(game: GameRecord, robot: int) -> int:
    """Return the option that a robot gives up for the next point of damage by its orders; `NO_OPTION` for none.

    A list in the orders counts for every point. Without one the least valuable option is given up for each point that
    would bring the damage to `sacrifice_threshold` or more (R-O0.30, R-O0.31, R-O0.34).
    """
    body = game.robots[robot]
    if body.orders.give_up[0] == BY_VALUE:
        if body.damage + 1 < body.orders.sacrifice_threshold:
            return NO_OPTION
        cheapest = int(least_valuable(game, body.options))
        return cheapest if may_be_given_up(game, cheapest) else NO_OPTION
    for k in range(MAX_OWNED):
        option = int(body.orders.give_up[k])
        if option < 0:  # mutants (never): nobody owns option -1
            break
        if owns(body, option):
            return option
    return NO_OPTION


@kernel
def gives_up(game: GameRecord, log: Log, robot: int) -> bool:
    """Give up an option for a point of damage; return whether there was one.

    A robot may do so while powered down, virtual or damped (R-O0.36).
    """
    option = option_to_give(game, robot)
    if option == NO_OPTION:
        return False
    exchange_option(game, log, robot, option)
    return True


@kernel
def lost_with_robot(game: GameRecord, table: Table, robot: int) -> int:
    """Return the option that a robot loses when it is destroyed (R-O0.38); `NO_OPTION` if it owns none.

    It is the one named in the robot's orders, otherwise a Superior Archive in use, otherwise the least valuable.
    """
    body = game.robots[robot]
    if owns(body, body.orders.lose):
        return int(body.orders.lose)
    used = body.orders.superior_archive > 0 and owns(body, SUPERIOR_ARCHIVE)
    if used and not in_damping_field(game, table, robot):  # R-O24.3
        return SUPERIOR_ARCHIVE
    return int(least_valuable(game, body.options))


@with_expansions(None)
def lose_by_destruction(game: GameRecord, table: Table, log: Log, victim: int) -> None:
    """Take one option from a robot that is being destroyed, without an explosion (R-O0.38, R-O0.39).

    A Superior Archive lost in this way brings the robot back without damage (R-O24).
    """
    body = game.robots[victim]
    body.goo = 0
    # mutants (boundary): the body of The Big One owns no options
    if victim >= MAX_ROBOTS or body.options == np.uint64(0):
        return
    take_back_tokens(game, log, victim)
    stop_copter(game, body)
    if owns(body, CONVERTER) and game.payload[CONVERTER]:
        use_up(game, log, victim, CONVERTER, int(game.payload[CONVERTER]))
    option = lost_with_robot(game, table, victim)
    if option == SUPERIOR_ARCHIVE and body.orders.superior_archive and not in_damping_field(game, table, victim):
        note(game, log, OPTION_USED, victim, option)
        body.rewired |= SPARED
    discard_option(game, log, victim, option)
