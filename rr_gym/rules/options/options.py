"""The option cards: their draw pile, their owners, and the tokens and counters left on them (R-O0, U26)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import cold, kernel
from rr_gym.forms import with_expansions
from rr_gym.rules.floor.ground import row_at
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.bits import lowest_bit, without_lowest
from rr_gym.rules.state.cards import close_gaps, discard, take_from_hand
from rr_gym.rules.state.chance import below
from rr_gym.rules.state.constants import (
    BOOSTED,
    BY_COPTER,
    BY_OPTION,
    DAMPENING,
    F1,
    LANDS,
    MAX_OWNED,
    NUM_OPTIONS,
    ON,
    OPTIONS_DRAWN,
    UNLIMITED,
)
from rr_gym.rules.state.events import COUNTER, OPTION_DRAWN, OPTION_LOST, note, note_at
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    ABLATIVE_POINTS,
    BIG_JET,
    BIO_OPTION,
    BUZZ_BOMB,
    CONDITIONAL_PROGRAM,
    CONVERTER,
    FLYWHEEL,
    HOMING_DEVICE,
    INITIAL_PAYLOAD,
    INTERCEPTOR,
    NO_OPTION,
    OPTION_DAMPING_FIELD,
    RANK,
    ROBO_COPTER,
)
from rr_gym.rules.state.records import GameRecord, Log, Robot
from rr_gym.rules.state.table import Table


@kernel
def no_tokens(game: GameRecord) -> None:
    """Set up a game without tokens on robots and without options granted by Bio Options."""
    game.damping = game.homing_target = game.intercept_target = game.radio_owner = game.radio_target = -1
    game.superbot = game.culprit = -1
    for i in range(game.robots.shape[0]):
        game.robots[i].bio = NO_OPTION


@kernel
def owns(robot: Robot, option: int) -> bool:
    """Tell whether a robot has an option; False for `NO_OPTION`."""
    # mutants (boundary 2): there is no option 52
    return 0 <= option < NUM_OPTIONS and robot.options >> np.uint64(option) & np.uint64(1) != 0


@kernel
def owns_any(robot: Robot) -> bool:
    """Tell whether a robot has any option."""
    return bool(robot.options != np.uint64(0))


@kernel
def count_options(robot: Robot) -> int:
    """Return how many options a robot has; a Bio Option and the option that it grants count as one (R-O30)."""
    count = 0
    left = robot.options
    while left != np.uint64(0):
        left = without_lowest(left)
        count += 1
    return count - 1 if robot.bio >= 0 and owns(robot, BIO_OPTION) else count


# mutants: the order of a shuffled pile is random
@kernel
def shuffle_pile(game: GameRecord) -> None:
    """Shuffle the draw pile of options."""
    for k in range(game.option_deck_left):
        other = below(game, OPTIONS_DRAWN, k + 1)
        option = game.option_deck[k]
        game.option_deck[k] = game.option_deck[other]
        game.option_deck[other] = option


# mutants: scenarios begin later: tests/rules/test_dealing.py
@kernel
def shuffle_options(game: GameRecord, table: Table) -> None:
    """Form the draw pile at the start of a game with option cards; the last card is its top."""
    left = 0
    for k in range(NUM_OPTIONS):
        if table.settings.banned_options >> np.uint64(k) & np.uint64(1) != 0:
            continue  # R-G4.1
        if k == BIO_OPTION and table.settings.bio_bots == ON:
            continue  # R-G1.6: every robot has it built in
        game.option_deck[left] = k
        left += 1
    game.option_deck_left = left
    shuffle_pile(game)


# mutants (never): no scenario draws 52 options: tests/rules/test_dealing.py
@kernel
def top_option(game: GameRecord) -> int:
    """Draw the top option, after shuffling the discards if the pile is empty; return `NO_OPTION` if none is left."""
    if game.option_deck_left == 0:
        for k in range(NUM_OPTIONS):
            game.option_deck[k] = game.option_discards[k]
        game.option_deck_left = game.option_discards_left
        game.option_discards_left = 0
        shuffle_pile(game)
        if game.option_deck_left == 0:
            return NO_OPTION
    game.option_deck_left -= 1
    return int(game.option_deck[game.option_deck_left])


@kernel
def worth(game: GameRecord, option: int) -> int:
    """Return the value of an option (U24).

    Empty launchers and boosters have the least value; the others follow a fixed order. A Converter with counters ranks
    among the loaded explosives.
    """
    left = int(game.payload[option])  # without branches, which a processor would mispredict here
    value = 2 * int(RANK[option])
    value = option - NUM_OPTIONS if (INITIAL_PAYLOAD[option] > 0) & (left == 0) else value
    return 2 * int(RANK[BUZZ_BOMB]) + 1 if (option == CONVERTER) & (left > 0) else value


@kernel
def may_be_given_up(game: GameRecord, option: int) -> bool:
    """Tell whether an option may be given up without an order that names it; False for `NO_OPTION`.

    Loaded explosives and Bio Options are given up only by orders that name them (R-O0.34).
    """
    return option != NO_OPTION and worth(game, option) < 2 * int(RANK[BIG_JET])


@kernel
def first_by_value(game: GameRecord, options: int, sign: int) -> int:
    """Return the option of the greatest value in a mask (uint64), or of the least if `sign` is -1 (U24).

    Returns `NO_OPTION` if the mask is empty.
    """
    found = NO_OPTION
    best = 0
    left: Any = options
    while left != np.uint64(0):
        option = int(lowest_bit(left))
        left = without_lowest(left)
        value = sign * int(worth(game, option))
        if found < 0 or value > best:  # mutants (boundary 2): no two options have the same value
            found = option
            best = value
    return found


@kernel
def least_valuable(game: GameRecord, options: int) -> int:
    """Return the least valuable option of a mask (uint64); `NO_OPTION` if it is empty."""
    return int(first_by_value(game, options, -1))


@kernel
def most_valuable(game: GameRecord, options: int) -> int:
    """Return the most valuable option of a mask (uint64); `NO_OPTION` if it is empty."""
    return int(first_by_value(game, options, 1))


@kernel
def flight_is_over(robot: Robot) -> None:
    """End a robot's flight by antigrav or Robo-Copter, so that it comes down.

    If it is also flying by a booster, it comes down when that flight ends (U62).
    """
    if robot.marks & BOOSTED:
        robot.flying = BY_OPTION
    else:
        robot.marks |= LANDS


@kernel
def discard_copter_card(game: GameRecord, robot: Robot) -> None:
    """Discard the card on a robot's Robo-Copter, if there is one."""
    discard(game, robot.copter)
    robot.copter = 0


@kernel
def stop_copter(game: GameRecord, robot: Robot) -> None:
    """Discard the card on a robot's Robo-Copter; if the robot is in the air, its flight ends (R-O50.3)."""
    discard_copter_card(game, robot)
    if robot.flying == BY_COPTER:
        flight_is_over(robot)


@kernel
def clear_option(game: GameRecord, robot: Robot, option: int) -> None:
    """Clear an option that is discarded or changes its owner: discard its cards and take its tokens back."""
    if option == FLYWHEEL:
        # mutants: scenarios have no hands: tests/rules/test_option_programs.py
        if take_from_hand(robot, robot.flywheel):  # during programming, the card is also in its hand
            close_gaps(robot)
        discard(game, robot.flywheel)
        robot.flywheel = 0
    elif option == CONDITIONAL_PROGRAM:  # mutants (never): without its option the card is not used
        discard(game, robot.conditional)
        robot.conditional = 0
    elif option == ROBO_COPTER:
        stop_copter(game, robot)
    elif option == HOMING_DEVICE:  # mutants (never): without its option the token does nothing
        game.homing_target = -1
    elif option == INTERCEPTOR:  # mutants (never): scenarios have no hands: tests/rules/test_option_programs.py
        game.intercept_target = -1
    elif option == OPTION_DAMPING_FIELD and not robot.modified & DAMPENING:  # in D1 it stays on for all shots
        game.damping = -1


@kernel
def show_option(game: GameRecord, option: int) -> None:
    """Reveal the owner of an option to everybody (R-G2.6)."""
    game.secret &= ~(np.uint64(1) << np.uint64(option))


@kernel
def note_use(game: GameRecord, log: Log, kind: int, robot: int, option: int) -> None:
    """Report that an option has an effect (OPTION_USED or ABSORBED), which reveals its owner to everybody."""
    show_option(game, option)
    note(game, log, kind, robot, option)


@kernel
def lay_on_discards(game: GameRecord, option: int) -> None:
    """Put an option card on the discards, an array with room for each card once."""
    if game.option_discards_left < NUM_OPTIONS:
        game.option_discards[game.option_discards_left] = option
        game.option_discards_left += 1


@kernel
def lay_on_undealt(game: GameRecord, option: int) -> None:
    """Put an option card on the draw pile, an array with room for each card once."""
    if game.option_deck_left < NUM_OPTIONS:
        game.option_deck[game.option_deck_left] = option
        game.option_deck_left += 1


@kernel
def discard_one_option(game: GameRecord, log: Log, robot: int, option: int) -> None:
    """Discard one option card of a robot."""
    body = game.robots[robot]
    show_option(game, option)
    clear_option(game, body, option)
    body.options &= ~(np.uint64(1) << np.uint64(option))
    if option == body.bio:
        body.bio = NO_OPTION
    game.payload[option] = 0
    lay_on_discards(game, option)
    note(game, log, OPTION_LOST, robot, option)


@kernel
def discard_option(game: GameRecord, log: Log, robot: int, option: int) -> None:
    """Discard an option of a robot; a Bio Option takes the option that it grants with it (R-O30)."""
    granted = int(game.robots[robot].bio)
    discard_one_option(game, log, robot, option)
    if option == BIO_OPTION and granted >= 0:
        discard_one_option(game, log, robot, granted)


@kernel
def may_draw(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot can draw an option: the game has option cards, some are left, and robots may own any."""
    # mutants: no scenario draws 52 options: tests/rules/test_dealing.py
    left = game.option_deck_left + game.option_discards_left > 0
    return table.settings.option_cards == ON and left and table.settings.max_options != 0


@kernel
def add_new_option(game: GameRecord, log: Log, robot: int, option: int) -> None:
    """Give a robot an option, new and full."""
    game.robots[robot].options |= np.uint64(1) << np.uint64(option)
    game.payload[option] = ABLATIVE_POINTS if option == ABLATIVE_COAT else INITIAL_PAYLOAD[option]
    note(game, log, OPTION_DRAWN, robot, option)


@kernel
def grant_option(game: GameRecord, log: Log, robot: int) -> None:
    """Let a robot's Bio Option grant it the next card of the pile (R-O30)."""
    option = top_option(game)
    if option != NO_OPTION:
        game.robots[robot].bio = option
        add_new_option(game, log, robot, option)


@kernel
def option_limit(table: Table) -> int:
    """Return how many options a robot may own."""
    limit = int(table.settings.max_options)
    return MAX_OWNED if limit == UNLIMITED else min(limit, MAX_OWNED)


@kernel
def least_counted(game: GameRecord, robot: Robot) -> int:
    """Return the least valuable option that counts for the limit: not one granted by a Bio Option (R-O30.5)."""
    counted = robot.options
    if robot.bio >= 0 and owns(robot, BIO_OPTION):
        counted &= ~(np.uint64(1) << np.uint64(robot.bio))
    return int(least_valuable(game, counted))


@kernel
def receive_option(game: GameRecord, table: Table, log: Log, robot: int, option: int) -> None:
    """Give a robot an option, and discard options above the limit (R-O0.7)."""
    add_new_option(game, log, robot, option)
    if option == BIO_OPTION:
        grant_option(game, log, robot)
    keep_to_limit(game, table, log, robot)


@kernel
def keep_to_limit(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Discard options of a robot until it owns no more than it may (R-O0.7).

    The first is the one that its orders name, then the least valuable.
    """
    body = game.robots[robot]
    while count_options(body) > option_limit(table):
        lost = int(body.orders.lose)
        if not owns(body, lost):
            lost = int(least_counted(game, body))
        whole = lost == body.bio and owns(body, BIO_OPTION)  # both are one card for the limit (R-O30.5)
        discard_option(game, log, robot, BIO_OPTION if whole else lost)


@kernel
def draw_option(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Let a robot draw an option, if it may."""
    if may_draw(game, table, robot):
        receive_option(game, table, log, robot, top_option(game))


@kernel
def emptiest(game: GameRecord, robot: Robot) -> int:
    """Return the launcher or booster with the fewest tokens or counters, unless full; `NO_OPTION` for none."""
    found = NO_OPTION
    for k in range(NUM_OPTIONS):
        left = game.payload[k]
        # mutants (boundary 2, boundary 3): with equal numbers either is right, and option 0 is not a launcher
        if owns(robot, k) and left < INITIAL_PAYLOAD[k] and (found < 0 or left < game.payload[found]):
            found = k
    return found


@kernel
def use_up(game: GameRecord, log: Log, robot: int, option: int, amount: int) -> None:
    """Remove counters or tokens from an option; a negative amount puts them back, up to the option's full number."""
    left = int(game.payload[option]) - amount
    game.payload[option] = min(left, int(INITIAL_PAYLOAD[option])) if INITIAL_PAYLOAD[option] > 0 else left
    note_at(game, log, COUNTER, robot, -1, option, game.robots[robot].square, int(game.payload[option]))


@kernel
def reload_option(game: GameRecord, log: Log, robot: int, option: int) -> bool:
    """Fill a launcher or booster that a robot owns; return False if it is full or not owned."""
    # mutants (never, boundary): an option without an owner is not shown
    if not owns(game.robots[robot], option) or game.payload[option] >= INITIAL_PAYLOAD[option]:
        return False
    use_up(game, log, robot, option, int(game.payload[option]) - int(INITIAL_PAYLOAD[option]))
    return True


DAMPED_WITHIN = 3  # range in squares of an active Option Damping Field (R-O43)


@kernel
def in_damping_field(game: GameRecord, table: Table, robot: int) -> bool:
    """Tell whether a robot is within the active Option Damping Field (R-O43).

    Walls do not matter, and a level counts as a square. The field is off after the fifth phase and while its owner is
    shut down. Virtual robots neither damp others nor are damped by them (R-A14.1).
    """
    if game.damping < 0 or game.step >= F1:
        return False
    body = game.robots[robot]
    source = game.robots[game.damping]
    if not source.alive or source.down or source.virtual or not body.alive or body.virtual:
        return False
    if robot == game.damping:  # mutants (never): the owner is at distance 0 from itself
        return not sleeping(game, table, robot)
    square = int(body.square if body.square >= 0 else body.origin)  # off the board: where it left the board
    if square < 0 or source.square < 0 or sleeping(game, table, int(game.damping)):
        return False
    here = table.squares[row_at(game, table, square)]
    there = table.squares[row_at(game, table, source.square)]
    away = abs(int(here.x) - int(there.x)) + abs(int(here.y) - int(there.y))
    return away + abs(int(body.level) - int(source.level)) <= DAMPED_WITHIN


@cold
@kernel
def may_use(game: GameRecord, table: Table, robot: int, option: int) -> bool:
    """Tell whether a robot may use an option that it owns: see `works`.

    Most robots do not own the option in question, so this is rarely called.
    """
    body = game.robots[robot]
    if not body.alive or body.down or sleeping(game, table, robot):
        return False
    return option == OPTION_DAMPING_FIELD or not in_damping_field(game, table, robot)


@with_expansions(False)
def works(game: GameRecord, table: Table, robot: int, option: int) -> bool:
    """Tell whether a robot has an option and may use it now (R-O0).

    It may if it is on the board, awake, powered up, and in no damping field.
    """
    return owns(game.robots[robot], option) and may_use(game, table, robot, option)
