"""Deal options to robots, and apply the effects of options between turns (R-G1, R-G3, R-O4, R-O30)."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.forms import with_expansions
from rr_gym.rules.options.options import (
    discard_one_option,
    draw_option,
    grant_option,
    keep_to_limit,
    lay_on_discards,
    lay_on_undealt,
    may_draw,
    owns,
    receive_option,
    show_option,
    shuffle_options,
    shuffle_pile,
    top_option,
)
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.constants import DELUXE, HEAD_TO_HEAD, NUM_OPTIONS, ON, STANDARD
from rr_gym.rules.state.events import ANNOUNCED, note
from rr_gym.rules.state.option_cards import BIO_OPTION, CHEAPEST_FIRST, CIRCUIT_BREAKER, NO_OPTION
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord, Robot
from rr_gym.rules.state.table import Table

DELUXE_DEAL = 3  # options dealt to a robot, of which it keeps one
SECRET_OPTIONS = 4  # options of each team in head to head
TRIPS_AT = 3  # points of damage at which a Circuit Breaker acts
BY_BREAKER = 2  # value of `announced` and `down` for a robot that its Circuit Breaker powers down


@kernel
def option_by_rank(offered: int, rank: int) -> int:
    """Return the option of a mask that has the given rank by value, 1 for the most valuable.

    A rank that is too large means the least valuable option.
    """
    found = NO_OPTION
    for k in range(NUM_OPTIONS - 1, -1, -1):
        option = int(CHEAPEST_FIRST[k])
        if offered >> option & 1:
            found = option
            rank -= 1
            if rank <= 0:
                break
    return found


@kernel
def put_back(game: GameRecord, offered: int) -> None:
    """Return options that nobody kept to the draw pile, and shuffle it (R-G1.3)."""
    if offered == 0:
        return
    for option in range(NUM_OPTIONS):
        if offered >> option & 1:  # mutants (never): the pile is shuffled: tests/rules/test_supply.py
            lay_on_undealt(game, option)
    shuffle_pile(game)


@kernel
def discard_offered(game: GameRecord, offered: int) -> None:
    """Discard options that nobody kept (R-G1.4)."""
    for option in range(NUM_OPTIONS):
        if offered >> option & 1:  # mutants: no scenario draws 52 options: tests/rules/test_supply.py
            lay_on_discards(game, option)


@kernel
def draw_and_keep(game: GameRecord, table: Table, log: Log, robot: int, drawn: int, kept: int) -> int:
    """Let a robot draw some options and keep some of them; return the mask of the others.

    It keeps those with the ranks in its order `keep`, or the most valuable without such an order.
    """
    offered = 0
    for _ in range(drawn):
        option = top_option(game)
        if option != NO_OPTION:
            offered |= 1 << option
    rank = int(game.robots[robot].orders.keep)
    for _ in range(kept):
        option = option_by_rank(offered, rank)
        if option != NO_OPTION:
            offered &= ~(1 << option)
            receive_option(game, table, log, robot, option)
    return offered


@kernel
def lay_piles(game: GameRecord, table: Table) -> None:
    """Lay an option for each robot beside every flag but the last (Scavenger Hunt, R-G1.5)."""
    for flag in range(1, table.course.num_flags):
        for _ in range(game.num_robots):
            option = top_option(game)
            if option != NO_OPTION:
                game.pile_of[option] = flag


@kernel
def scavenge(game: GameRecord, table: Table, log: Log, robot: int, flag: int) -> None:
    """Let a robot take the best option of the pile beside a flag, when it touches the flag for the first time (R-G1.5).

    In Scavenger Hunt II the player to its left, the next seat, chooses for it: the least valuable option.
    """
    body = game.robots[robot]
    offered = 0
    for option in range(NUM_OPTIONS):
        if game.pile_of[option] == flag:
            offered |= 1 << option
    if not offered or body.flags_met >> (flag - 1) & 1:
        return
    body.flags_met |= 1 << (flag - 1)
    chooser = robot if table.settings.scavenger == 1 else (robot + 1) % int(game.num_robots)
    rank = int(game.robots[chooser].orders.keep)
    if rank == 0 and table.settings.scavenger == 2:
        rank = NUM_OPTIONS
    option = option_by_rank(offered, rank)
    game.pile_of[option] = 0
    receive_option(game, table, log, robot, option)


@kernel
def grant_to(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Let a Bio Option grant a robot an option, if the robot may own one.

    A built-in Bio Option grants none beyond the limit (R-G1.6, R-O0.7).
    """
    if may_draw(game, table, robot):
        grant_option(game, log, robot)
        keep_to_limit(game, table, log, robot)


@kernel
def deal_package(game: GameRecord, table: Table, log: Log, robot: int) -> int:
    """Give a robot the options that it owns from the start; return the mask of those that it has seen but not kept.

    Settings choose packages, drafts, numbers of options, and a built-in Bio Option (R-G1, R-G3).
    """
    settings = table.settings
    left = 0
    for _ in range(settings.start_options):
        draw_option(game, table, log, robot)
    if settings.option_package == STANDARD:
        draw_option(game, table, log, robot)
    elif settings.option_package == DELUXE:
        left |= draw_and_keep(game, table, log, robot, DELUXE_DEAL, 1)
    if settings.option_draft_deal > 0:  # mutants (boundary): draws nothing
        left |= draw_and_keep(game, table, log, robot, settings.option_draft_deal, settings.option_draft_keep)
    if settings.bio_bots == ON:
        grant_to(game, table, log, robot)
    return left


@kernel
def deal_packages(game: GameRecord, table: Table, log: Log, robots: int) -> None:
    """Deal options to the robots of a mask before the first turn, then lay the piles beside the flags (R-G1)."""
    left = 0
    for i in range(game.num_robots):
        if robots >> i & 1:
            left |= deal_package(game, table, log, i)
    put_back(game, left)  # mutants: the pile is shuffled: tests/rules/test_supply.py
    if table.settings.scavenger > 0:  # mutants (boundary): the setting is never 0
        lay_piles(game, table)


# mutants: scenarios begin later: tests/rules/test_supply.py
@kernel
def deal_secretly(game: GameRecord, table: Table, log: Log) -> None:
    """Deal each team of head to head four options, robot by robot in turn; nobody knows who has which (R-G2.6)."""
    for team in range(1, 3):
        robot = int(game.num_robots) - 1
        for _ in range(SECRET_OPTIONS):
            for _ in range(game.num_robots):
                robot = (robot + 1) % int(game.num_robots)
                if game.robots[robot].team == team:
                    before = game.robots[robot].options
                    draw_option(game, table, log, robot)
                    game.secret |= game.robots[robot].options & ~before
                    break


# mutants: scenarios begin later: tests/rules/test_supply.py
@with_expansions(None)
def set_up_options(game: GameRecord, table: Table, log: Log) -> None:
    """Form the draw pile of options at the start of a game, and deal from it before the first turn."""
    if table.settings.option_cards == ON:
        shuffle_options(game, table)
        for i in range(game.num_robots):
            game.robots[i].orders.lose = NO_OPTION  # nobody has decided anything yet
        deal_packages(game, table, log, (1 << int(game.num_robots)) - 1)
        if table.settings.game == HEAD_TO_HEAD:
            deal_secretly(game, table, log)


@with_expansions(None)
def flag_gives_option(game: GameRecord, table: Table, log: Log, robot: int, flag: int) -> None:
    """Give a robot that stands on its next flag, and has touched it, an option from the pile there."""
    if table.settings.scavenger > 0:  # mutants (boundary): the setting is never 0
        scavenge(game, table, log, robot, flag)


@with_expansions(None)
def circuit_breakers_trip(game: GameRecord, table: Table, orders: Array[OrdersRecord], log: Log) -> None:
    """Power down robots with a Circuit Breaker and three points of damage or more (R-O4, R-G3.5).

    This happens in F6, after repairs, and takes effect next turn without an announcement. Robots that are powered down,
    or asleep until the end of the turn, are not affected (R-E73). A power-down that a robot announced before it was
    destroyed does not count (R-A7.9). With the setting `cb_choice`, players may order theirs not to act (R-O4.5).
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        if table.settings.cb_choice == ON and orders[i].breaker == 0:
            continue
        trips = owns(robot, CIRCUIT_BREAKER) and robot.alive and not robot.down and robot.damage >= TRIPS_AT
        if trips and not sleeping(game, table, i) and (robot.destroyed or not robot.announced):
            robot.announced = BY_BREAKER
            show_option(game, CIRCUIT_BREAKER)
            note(game, log, ANNOUNCED, i, CIRCUIT_BREAKER)


@kernel
def has_bio_option(table: Table, robot: Robot) -> bool:
    """Tell whether a robot owns a Bio Option, or has one built in like all others (R-G1.6)."""
    return table.settings.bio_bots == ON or owns(robot, BIO_OPTION)


@with_expansions(None)
def bio_options_swap(game: GameRecord, table: Table, log: Log, robot: int) -> None:
    """Swap the option that a robot's Bio Option grants (R-O30, R-G1.6).

    This happens when the robot powers down or returns from its archive.
    """
    body = game.robots[robot]
    if table.settings.option_cards != ON or not has_bio_option(table, body):
        return
    show_option(game, BIO_OPTION)
    if body.bio != NO_OPTION:
        discard_one_option(game, log, robot, int(body.bio))
    grant_to(game, table, log, robot)
