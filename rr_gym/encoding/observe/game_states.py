"""Features of robots, flags and cards that come from option cards, devices and kinds of games, as a seat sees them."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.observe.elements import FACTS, MORE_CARDS, OF_FLAGS, STATES
from rr_gym.encoding.observe.frame import Frame, offset
from rr_gym.encoding.observe.game_groups import (
    DEVICE_FEATURES,
    DEVICES,
    MATES,
    NO_TEAM,
    NOBODYS,
    OTHER_TEAM,
    OTHERS,
    OWN,
    OWN_TEAM,
)
from rr_gym.forms import with_expansions
from rr_gym.rules.arena.hidden import hides_option, knows_hand
from rr_gym.rules.devices.devices import POWER
from rr_gym.rules.options.buzz_bombs import orders_bomb
from rr_gym.rules.options.options import owns
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.constants import (
    BUZZ_TOKEN,
    DRONE_TOKEN,
    GOO_TOKEN,
    HAND_SLOTS,
    HEAD_TO_HEAD,
    MISSILE_TOKEN,
    NO_DEVICE,
    NUM_OPTIONS,
    NUM_REGISTERS,
    TOGGLE,
)
from rr_gym.rules.state.records import GameRecord
from rr_gym.rules.state.table import Table
from rr_gym.rules.variants.goals import flags_before_goal
from rr_gym.rules.variants.teams import is_racer, mates

Array = np.ndarray[Any, Any]

FIRST_OPTION = STATES.index("option_ablative_coat")
FIRST_OF_HAND = STATES.index("hand_0_type")
(
    GOO, BOMBED, HOMING_TOKEN, INTERCEPTOR_TOKEN, STORES_CARD, DAMPING, FRIEND, RACER, SUPERBOT, SITS_OUT, CARRIES,
    PILES_TAKEN,
) = map(STATES.index, (
    "goo", "bombed", "homing_token", "interceptor_token", "stores_card", "damping", "friend", "racer", "superbot",
    "sits_out", "carries", "piles_taken",
))  # fmt: skip
DECISION, DECISION_REGISTER = FACTS.index("decision"), FACTS.index("decision_register")
OWNER, CARRIED = OF_FLAGS.index("owner"), OF_FLAGS.index("carried")
CONDITIONAL, FLYWHEEL, COPTER, BUZZ = map(MORE_CARDS.index, ("conditional", "flywheel", "copter", "buzz_program_1"))
OWNED_BY, AHEAD, ASIDE = map([name for name, _, _ in DEVICES].index, ("device_owner", "device_forward", "device_right"))
NUM_DEVICE_FEATURES = len(DEVICE_FEATURES)


@kernel
def are_mates(game: GameRecord, one: int, other: int) -> bool:
    """Tell whether two robots are on the same side; without teams, each robot is a side of its own."""
    return mates(game, one) >> other & 1 != 0


@kernel
def owned(game: GameRecord, seat: int, robot: int, option: int) -> int:
    """Return 1 + the counters left on an option that the seat knows the robot to own; otherwise 0."""
    if not owns(game.robots[robot], option) or hides_option(game, seat, robot, option):
        return 0
    return 1 + int(game.payload[option])


@kernel
def hand_of_mate(game: GameRecord, seat: int, robot: int, what: int) -> int:
    """Return the type or the priority of a card in a teammate's hand; 0 if the seat does not see the hand."""
    if robot == seat or not knows_hand(game, seat, robot):
        return 0
    card = game.robots[robot].hand[(what - FIRST_OF_HAND) // 2]
    return 10 * int(card) if (what - FIRST_OF_HAND) & 1 else int(CARD_TYPE[card])


@kernel
def state_in_game(game: GameRecord, table: Table, seat: int, robot: int, what: int) -> int:
    """Return the value of a feature of `STATES` that does not come from board elements; `what` is its index."""
    body = game.robots[robot]
    if what < FIRST_OPTION + NUM_OPTIONS:
        return int(owned(game, seat, robot, what - FIRST_OPTION))
    if FIRST_OF_HAND <= what < FIRST_OF_HAND + 2 * HAND_SLOTS:
        return int(hand_of_mate(game, seat, robot, what))
    if what == GOO:
        return int(body.goo)
    if what == BOMBED:
        return game.bombed >> robot & 1
    if what == HOMING_TOKEN:
        return 1 if game.homing_target == robot else 0
    if what == INTERCEPTOR_TOKEN:
        return 1 if game.intercept_target == robot else 0
    if what == STORES_CARD:
        return 1 if body.flywheel else 0
    if what == DAMPING:
        return 1 if game.damping == robot else 0
    if what == FRIEND:
        return 1 if are_mates(game, seat, robot) else 0
    if what == RACER:
        return 1 if is_racer(game, robot) else 0
    if what == SUPERBOT:
        return 1 if game.superbot == robot else 0
    if what == SITS_OUT:
        return int(body.sits_out)
    return int(body.carries) if what == CARRIES else int(body.flags_met)


@kernel
def fact_of_game(game: GameRecord, what: int) -> int:
    """Return the value of a feature of `FACTS` that does not come from board elements; `what` is its index."""
    if what == DECISION:
        return int(game.asked)
    if what == DECISION_REGISTER:
        return int(game.asked_register)
    return int(game.option_deck_left)


@kernel
def base_goal_of(game: GameRecord, table: Table, robot: int) -> int:
    """Return the index of the next flag in a race, where flags are touched in order."""
    return int(game.robots[robot].flag)


@with_expansions(base_goal_of)
def goal_of(game: GameRecord, table: Table, robot: int) -> int:
    """Return the index, from 0, of the flag that a robot heads for; the number of flags if there is none.

    A robot that carries a captured flag heads for the flag of its own team, where its board is.
    """
    body = game.robots[robot]
    return int(body.team - 1) if body.carries and body.team > 0 else int(flags_before_goal(game, table, robot))


@kernel
def base_has_touched(game: GameRecord, table: Table, robot: int, flag: int) -> bool:
    """Tell whether a robot has touched a flag in a race, where flags are touched in order."""
    return flag < game.robots[robot].flag


@with_expansions(base_has_touched)
def has_touched(game: GameRecord, table: Table, robot: int, flag: int) -> bool:
    """Tell whether a robot or its team has touched a flag. In head to head, teams alternate flags (R-G2.6)."""
    body = game.robots[robot]
    if table.settings.game == HEAD_TO_HEAD:
        return flag & 1 == body.team - 1 and flag // 2 < body.flag
    return flag < body.flag


@kernel
def base_flag_place(game: GameRecord, table: Table, flag: int) -> int:
    """Return the square of a flag that nobody carries."""
    return int(game.flag_squares[flag])


@with_expansions(base_flag_place)
def flag_place(game: GameRecord, table: Table, flag: int) -> int:
    """Return the square of a flag, or of the robot that carries it."""
    for i in range(game.num_robots):
        if game.robots[i].carries == flag + 1 and game.robots[i].alive:
            return int(game.robots[i].square)
    return int(game.flag_squares[flag])


@kernel
def team_of_flag(game: GameRecord, table: Table, flag: int) -> int:
    """Return the team of a flag, 0 for none: in flag toggle the team that touched it last, otherwise by number."""
    if table.settings.game == TOGGLE:
        return int(game.flag_owner[flag])
    return flag % 2 + 1 if table.settings.game == HEAD_TO_HEAD else flag + 1


@with_expansions(0)
def flag_state(game: GameRecord, table: Table, seat: int, flag: int, what: int) -> int:
    """Return a feature of `OF_FLAGS`: who owns a flag, whether it is carried, or how many options lie beside it.

    On base courses all of them are 0.
    """
    if flag >= table.course.num_flags:
        return 0
    if what == OWNER:
        team = team_of_flag(game, table, flag)
        return NO_TEAM if team == 0 else OWN_TEAM if team == game.robots[seat].team else OTHER_TEAM
    count = 0
    if what == CARRIED:
        for i in range(game.num_robots):
            count += game.robots[i].carries == flag + 1
        return count
    for option in range(NUM_OPTIONS):
        count += game.pile_of[option] == flag + 1
    return count


@kernel
def write_flag_states(
    game: GameRecord, table: Table, seat: int, flag: int, states: Array, out: Array, start: int
) -> None:
    """Write the features of a flag whose indices in `OF_FLAGS` are listed in `states`."""
    for k in range(states.size):
        out[start + k] = flag_state(game, table, seat, flag, states[k])


@with_expansions(0)
def card_at(game: GameRecord, table: Table, seat: int, what: int) -> int:
    """Return the card in one of the places `MORE_CARDS` of the seat's robot, 0 if there is none.

    Only the seat that orders a buzz bomb's cards sees them.
    """
    own = game.robots[seat]
    if what < NUM_REGISTERS:
        return int(own.second[what])
    if what == CONDITIONAL:
        return int(own.conditional)
    if what == FLYWHEEL:
        return int(own.flywheel)
    if what == COPTER:
        return int(own.copter)
    return int(game.buzz_program[what - BUZZ]) if orders_bomb(game, seat, True) else 0


@kernel
def owner_of(game: GameRecord, seat: int, owner: int) -> int:
    """Return who owns a device, as a seat sees it: `NOBODYS`, `OWN`, `MATES` or `OTHERS`."""
    if owner < 0:
        return NOBODYS
    return OWN if owner == seat else MATES if are_mates(game, seat, owner) else OTHERS


@kernel
def base_write_devices(game: GameRecord, table: Table, seat: int, frame: Frame, facing: int, out: Array) -> None:
    """Write zeros, since without option cards there are no devices."""
    out[:] = 0


@with_expansions(base_write_devices)
def write_devices(game: GameRecord, table: Table, seat: int, frame: Frame, facing: int, out: Array) -> None:
    """Write `DEVICE_FEATURES` of all device slots into one row."""
    out[:] = 0
    for k in range(game.num_devices):
        device = game.devices[k]
        if device.kind == NO_DEVICE:
            continue
        row = out[k * NUM_DEVICE_FEATURES : (k + 1) * NUM_DEVICE_FEATURES]
        row[0] = device.kind
        row[1], row[2] = offset(game, table, frame, int(device.square))
        row[3] = (device.facing - facing) & 3
        row[4] = owner_of(game, seat, int(device.owner))
        row[5] = device.power
        row[6] = device.left
        row[7] = device.priority
        row[8] = device.level
        row[9] = device.virtual
        row[10] = device.spares >> seat & 1
        row[11], row[12] = offset(game, table, frame, int(device.target))


@kernel
def device_strength(kind: int, power: int, left: int) -> int:
    """Return the value of the feature for a kind of device: its power, the squares left of goo, or 1 if present."""
    return power if POWER[kind] > 0 else left if kind == GOO_TOKEN else 1


@kernel
def flies(kind: int) -> bool:
    """Tell whether devices of a kind fly."""
    return kind in (MISSILE_TOKEN, DRONE_TOKEN, BUZZ_TOKEN)
