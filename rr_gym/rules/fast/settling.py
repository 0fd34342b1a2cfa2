"""Remember that no flying robot has to land and that no body has moved, as is true after most (sub-)steps.

After each step, the rules search all robots for one whose flight has ended, and after each sub-step for one that has
been displaced or is on a ramp (`rr_gym.rules.movement`). The result of the last search stays valid until a body comes
to a square or takes off.

Assumes that bodies come to squares and take off only through their setters, that only flyers have to land, and that a
body that is displaced without coming to a square was flying before. Outside of register phases the fields of this file
are zero, and nothing is remembered.

Without this file a whole turn of eight robots takes 16 % longer on death_trap with five options each, and 6 % longer on
everything (`rr-gym bench --accelerators`).
"""

from __future__ import annotations

from rr_gym.compilation.accelerators import accelerates
from rr_gym.compilation.kernels import kernel
from rr_gym.forms import EXPANSIONS, FULL
from rr_gym.rules.floor.copies import swap_copies
from rr_gym.rules.floor.positions import come_to, take_off
from rr_gym.rules.movement.movement import land_robots_hit, somebody_lands
from rr_gym.rules.movement.settling import somebody_moves
from rr_gym.rules.state.constants import LANDS
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table
from rr_gym.rules.turn.turn import cards_are_revealed, phase_ends

UNUSED, UNKNOWN, KNOWN = range(3)  # values of `nobody_flies` and `nobody_moves`


@kernel
def somebody_flies(game: GameRecord) -> bool:
    """Tell whether a robot flies or has to land."""
    for i in range(game.num_robots):
        if game.robots[i].flying or game.robots[i].marks & LANDS:
            return True
    return False


@accelerates(land_robots_hit, forms=EXPANSIONS)
def land_flying_robots(game: GameRecord, table: Table, log: Log) -> None:
    """Land the robots that have to land, unless it is known that nobody flies."""
    if game.caches.nobody_flies == KNOWN:
        return
    land_robots_hit(game, table, log)
    if game.caches.nobody_flies == UNKNOWN and not somebody_flies(game):
        game.caches.nobody_flies = KNOWN


@accelerates(somebody_lands, forms=EXPANSIONS)
def flyer_lands(game: GameRecord) -> bool:
    """Tell whether a robot has to land; search only if it is not known that nobody flies."""
    return game.caches.nobody_flies != KNOWN and bool(somebody_lands(game))


@accelerates(somebody_moves, forms=EXPANSIONS)
def somebody_has_moved(game: GameRecord, table: Table) -> bool:
    """Tell whether a robot has moved; search only if one may have moved or taken off since the last search.

    Nothing is remembered while devices ride, since bodies are hidden then.
    """
    caches = game.caches
    if caches.nobody_moves == KNOWN:
        return False
    found = bool(somebody_moves(game, table))
    if not found and caches.nobody_flies == KNOWN and not game.hidden:
        caches.nobody_moves = KNOWN
    return found


@kernel
def note_may_fly_or_move(game: GameRecord) -> None:
    """Record that a robot may fly or have moved."""
    if game.caches.nobody_flies != UNUSED:
        game.caches.nobody_flies = UNKNOWN
        game.caches.nobody_moves = UNKNOWN


@accelerates(come_to, forms=EXPANSIONS)
def come_and_move(game: GameRecord, table: Table, body: int, square: int) -> None:
    """Move a body to a square, and record that a robot may have moved."""
    come_to(game, table, body, square)
    if game.caches.nobody_moves != UNUSED:
        game.caches.nobody_moves = UNKNOWN


@accelerates(take_off, forms=EXPANSIONS)
def take_off_and_fly(game: GameRecord, robot: int, lifted: int) -> None:
    """Let a robot take off, and record that a robot may fly."""
    take_off(game, robot, lifted)
    note_may_fly_or_move(game)


@accelerates(swap_copies, forms=(FULL,))
def swap_and_move(game: GameRecord, table: Table) -> None:
    """Swap robots with their copies, and record that these may fly or have moved."""
    swap_copies(game, table)
    note_may_fly_or_move(game)


@accelerates(cards_are_revealed, forms=EXPANSIONS)
def begin_phase(game: GameRecord, table: Table, log: Log) -> None:
    """Record at the start of a phase that no robot flies and none has moved."""
    game.caches.nobody_flies = UNKNOWN
    game.caches.nobody_moves = UNKNOWN
    cards_are_revealed(game, table, log)


@accelerates(phase_ends, forms=EXPANSIONS)
def end_phase(game: GameRecord, table: Table, log: Log) -> None:
    """Stop remembering, and clear everything that was remembered."""
    game.caches.nobody_flies = UNUSED
    game.caches.nobody_moves = UNUSED
    phase_ends(game, table, log)
