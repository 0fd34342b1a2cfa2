"""Random legal orders about option cards, for the benchmark and for fuzzing."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array as RecordArray
from rr_gym.encoding.act import components as kinds
from rr_gym.encoding.act.components import COMPONENTS, KIND, REGISTER
from rr_gym.encoding.act.option_actions import DECODED, choose, make_draft
from rr_gym.encoding.act.option_choices import choices_of, may_decide
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.arena.threads import in_parts
from rr_gym.rules.options.options import owns
from rr_gym.rules.state.chance import mix, next_word, random_bit, scaled
from rr_gym.rules.state.constants import ON
from rr_gym.rules.state.option_cards import POWER_DOWN_SHIELD
from rr_gym.rules.state.records import DECISIONS, DEFAULT_DECISIONS, GAME, GameRecord, OrdersRecord
from rr_gym.rules.state.table import Table

Array = np.ndarray[Any, Any]

RANDOM_ONE_IN = 2  # one in this many decisions is made at random, the others keep their default
RARE_ONE_IN = 16  # the same for Self-Destruct; if it were as frequent, games would end early
# Decisions that only complete another decision: second cards of movement options, the order of a buzz bomb's cards
WITH_OTHERS = np.array([component.orders in ("second", "buzz_program") for component in COMPONENTS])


@kernel
def roll(words: Array, g: int, limit: int) -> int:
    """Return a random integer from 0 to `limit` - 1, and advance the random state of game `g`."""
    words[g] = next_word(words[g])
    return int(scaled(mix(words[g]), limit))


@kernel
def one_of(legal: int, words: Array, g: int) -> int:
    """Return one of the choices of a mask, uniformly at random."""
    words[g] = next_word(words[g])
    return random_bit(legal, mix(words[g]))


@kernel
def decide_at_random(
    game: GameRecord,
    table: Table,
    draft: GameRecord,
    seat: int,
    orders: RecordArray[OrdersRecord],
    words: Array,
    g: int,
) -> None:
    """Make random decisions about one robot's option cards, after its program; each is legal given the earlier ones.

    Sometimes it also announces a power-down, if it owns an option that has an effect only then.
    """
    robot = game.robots[seat]
    hand = robot.hand
    order = orders[seat]
    make_draft(seat, order, draft)
    for k in range(DECODED.size):
        what = DECODED[k]
        kind, r = int(KIND[what]), int(REGISTER[what])
        if not may_decide(draft, table, seat, kind, r):
            continue
        if not WITH_OTHERS[kind] and roll(words, g, RARE_ONE_IN if kind == kinds.SELF_DESTRUCT else RANDOM_ONE_IN):
            continue
        legal = choices_of(draft, table, seat, kind, r, order, hand, True)
        choose(draft, table, seat, kind, r, one_of(legal, words, g), order, hand)
    may_rest = table.settings.power_down == ON and (robot.damage > 0 or table.settings.pd_needs_damage != ON)
    if owns(robot, POWER_DOWN_SHIELD) and may_rest and not robot.down and roll(words, g, RARE_ONE_IN) == 0:
        order.power_down = 1


@kernel
def random_options_range(games: Array, tables: Array, orders: Array, words: Array, first: int, last: int) -> None:
    """Make random decisions for all robots on the board with options, in the games from `first` to `last` - 1.

    Programs must have been chosen before; everything else must have its default.
    """
    drafts = np.empty(1, GAME)
    for g in range(first, last):
        game = games[g]
        for i in range(game.num_robots):
            if game.robots[i].alive and game.robots[i].options != np.uint64(0):
                drafts[0] = game
                decide_at_random(game, tables[game.course], drafts[0], i, orders[g], words, g)


def random_option_orders(arena: Arena, games: Array, orders: Array, words: Array, *, threads: int = 1) -> None:
    """Write random legal programs, and random legal decisions about the options that robots own.

    Args:
        arena: An arena with the rules of expansions.
        games: Shape (n,), dtype `GAME`, between two turns.
        orders: Shape (n, 8), dtype `FULL_ORDERS`: programs and decisions about options are written.
        words: Shape (n,), uint64: the caller's random state for each game; advanced in place.
        threads: How many threads share the batch; results do not depend on it.

    Raises:
        RoboRallyError: A game has a number out of its range.
    """
    arena.check(games, threads=threads)
    for name in ("power_down", "second", "conditional", "flywheel", "copter", "buzz_program"):
        orders[name] = 0
    orders["breaker"] = 1
    for name in DECISIONS.names or ():
        orders[name] = DEFAULT_DECISIONS[name]
    arena.random_orders(games, orders, words, threads=threads)
    in_parts(
        lambda first, last: random_options_range(games, arena.tables, orders, words, first, last), len(games), threads
    )
