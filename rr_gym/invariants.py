"""Invariants: conditions that hold in every game between two turns."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.courses.tables.ground import LAVA_PIT
from rr_gym.courses.text.grammar import ALL_PHASES
from rr_gym.option_invariants import misplaced_options, option_checks, owners
from rr_gym.rules.arena.ranges import MAX_SPEED, Violation
from rr_gym.rules.devices.devices import GOO_SQUARES
from rr_gym.rules.robot.health import NUM_LOCKED, UNDAMAGED_REGISTERS
from rr_gym.rules.state.constants import (
    BRIDGE_TOKEN,
    DECK_SIZE,
    DISPLACED,
    F5,
    FATAL_DAMAGE,
    HAND_SIZE,
    HAND_SLOTS,
    LANDS,
    LAVA_LIST,
    LOCK_KEEP,
    MAX_DEVICES,
    MAX_ROBOTS,
    NUM_OPTIONS,
    NUM_REGISTERS,
    ON,
    RACE,
)
from rr_gym.rules.state.option_cards import EXTRA_MEMORY, OPTION_NAMES, RECOMPILE

if TYPE_CHECKING:
    from rr_gym.rules.arena.arena import Arena

Array = Any  # arrays computed from fields of records have no useful type, and mypy would spend much time on them


def find_violations(games: Array, arena: Arena) -> list[Violation]:
    """Return every broken invariant of every game.

    Args:
        games: Shape (n,), dtype `GAME`, between two turns or over; unchanged.
        arena: The arena of the games.

    Returns:
        The violations, in the order of the checks; empty if there are none.
    """
    found = [Violation(g, text) for g, text in (*_misplaced_cards(games), *misplaced_options(games, arena))]
    checks = [*_game_checks(games), *_robot_checks(games, arena)]
    if "ground" in (arena.tables.dtype.names or ()):
        checks += [*_board_checks(games, arena), *_element_checks(games, arena), *option_checks(games, arena)]
    for mask, text in checks:
        for place in np.argwhere(mask):
            who = f"{_NAMES[mask.shape[1]](place[1])}: " if len(place) == 2 else ""
            found.append(Violation(int(place[0]), who + text))
    found += [Violation(g, text) for g, text in _shared_squares(games, arena)]
    return found


# By the length of the second axis of a mask: how to name its entries
_NAMES: dict[int, Callable[[int], str]] = {
    MAX_ROBOTS: lambda k: f"robot {k}",
    MAX_DEVICES: lambda k: f"device {k}",
    NUM_OPTIONS: lambda k: f"option {OPTION_NAMES[k]}",
}


def check(games: Array, arena: Arena) -> list[str]:
    """Return the violations found by `find_violations` as sentences."""
    return [f"game {violation.game}: {violation.text}" for violation in find_violations(games, arena)]


def _robots(games: Array) -> Array:
    """Return the robots of games without the bodies of devices: shape (n, 8)."""
    robots: Array = games["robots"][:, :MAX_ROBOTS]
    return robots


def _piles(games: Array) -> list[Array]:
    """Return every place that holds program cards, as arrays of shape (n, k), in which 0 stands for no card.

    The card on a Flywheel is in the hand of its robot too, until the robot has programmed (R-O9.2).
    """
    n = len(games)
    robots, seats = _robots(games), np.arange(MAX_ROBOTS) < games["num_robots"][:, None]
    slots = np.arange(DECK_SIZE)
    in_hand = (robots["hand"] == robots["flywheel"][..., None]).any(axis=2)
    stored = [robots[name] for name in ("hand", "registers", "second")]
    stored += [robots[name][..., None] for name in ("conditional", "copter")]
    stored.append(np.where(in_hand, 0, robots["flywheel"])[..., None])
    return [
        *(np.where(seats[..., None], cards, 0).reshape(n, -1) for cards in stored),
        np.where(slots < games["deck_left"][:, None], games["deck"], 0),
        np.where(slots < games["discards_left"][:, None], games["discards"], 0),
        games["turret_cards"],
        games["buzz_program"],
    ]


def _misplaced_cards(games: Array) -> list[tuple[int, str]]:
    """Return (game, sentence) for each of the 84 cards that is not in exactly one place (R-A1.1).

    Games that ended in step F5, right after robots have re-entered, are an exception: there, cards may be missing
    because the registers were not collected.
    """
    cards = np.concatenate(_piles(games), axis=1).astype(np.int64)
    unknown = (cards < 0) | (cards > DECK_SIZE)
    found = [(int(g), f"{cards[g, k]} is not a card") for g, k in np.argwhere(unknown)]
    cards[unknown] = 0
    rows = np.arange(len(games))[:, None] * (DECK_SIZE + 1)
    counts = np.bincount((cards + rows).ravel(), minlength=len(games) * (DECK_SIZE + 1))
    counts = counts.reshape(len(games), DECK_SIZE + 1)
    fewer = ((games["over"] == 0) | (games["step"] != F5))[:, None] & (counts[:, 1:] < 1)
    for g, card in np.argwhere(fewer | (counts[:, 1:] > 1)):
        found.append((int(g), f"card {card + 1} lies in {counts[g, card + 1]} places"))
    return found


def _shared_squares(games: Array, arena: Arena) -> list[tuple[int, str]]:
    """Return (game, sentence) for each pair of real robots on the same square and level.

    This is forbidden (R-A14), except on a shared start square (R-A3.7). Courses with rotating rooms but without virtual
    robots are skipped, because there a room may carry several robots to one square.
    """
    robots, tables = _robots(games), arena.tables
    first_starts = tables["course"]["starts"][:, 0]
    common = np.where(tables["settings"]["virtual"] == ON, -1, first_starts)[games["course"]]
    real = (robots["alive"] == 1) & (robots["virtual"] == 0)
    if "ground" in (tables.dtype.names or ()):
        together = (tables["extras"]["num_rooms"] > 0) & (tables["settings"]["virtual"] != ON)
        real &= ~together[games["course"]][:, None]
    place = robots["square"].astype(np.int64) * 256 + robots["level"]
    shared = []
    for a in range(MAX_ROBOTS):
        for b in range(a + 1, MAX_ROBOTS):
            both = real[:, a] & real[:, b] & (place[:, a] == place[:, b]) & (robots["square"][:, a] != common)
            shared += [(int(g), f"robots {a} and {b} share a square") for g in np.flatnonzero(both)]
    return shared


def _game_checks(games: Array) -> list[tuple[Array, str]]:
    """Return the checks of games as a whole: masks of violations, shape (n,), bool, each with a sentence."""
    within = {
        "num_robots": (1, MAX_ROBOTS),
        "phase": (0, NUM_REGISTERS),
        "turn": (0, 1 << 30),
        "deck_left": (0, DECK_SIZE),
        "discards_left": (0, DECK_SIZE),
        "num_destroyed": (0, 2 * MAX_ROBOTS),  # a robot may re-enter and be destroyed a second time
        "num_devices": (0, MAX_DEVICES),
    }
    checks = [
        ((games[name] < low) | (games[name] > high), f"{name} is not within {low} and {high}")
        for name, (low, high) in within.items()
    ]
    slots = np.arange(DECK_SIZE)
    for pile, left in (("deck", "deck_left"), ("discards", "discards_left")):
        gap = (games[pile] == 0) & (slots < games[left][:, None])
        checks.append((gap.any(axis=1), f"{left} counts empty slots"))
    checks += [
        ((games["deck_known"] < 0) | (games["deck_known"] > games["deck_left"]), "deck_known exceeds the deck"),
        (games["winners"] >> games["num_robots"] != 0, "a winner does not play"),
        ((games["winners"] != 0) & (games["over"] == 0), "there is a winner but the game goes on"),
        ((games["phase"] != 0) & (games["over"] == 0), "the game is in the middle of a turn"),
        ((games["salted_key"] == 0) != (games["salt"] == 0).all(axis=1), "the generator does not belong to the salt"),
    ]
    return checks


def _robot_checks(games: Array, arena: Arena) -> list[tuple[Array, str]]:
    """Return the checks of single robots: masks of violations, shape (n, 8), bool, each with a sentence."""
    robots, course = _robots(games), games["course"]
    tables = arena.tables
    plays = np.arange(MAX_ROBOTS) < games["num_robots"][:, None]
    alive = robots["alive"] == 1
    ongoing = games["over"][:, None] == 0
    on_board, ground = _squares_at(games, arena, robots["square"])
    in_archive, archive = _squares_at(games, arena, robots["archive"])
    locks = NUM_LOCKED[robots["locked"] & 31]
    damage = robots["damage"]
    hand = np.count_nonzero(robots["hand"], axis=2)
    cards = robots["hand"]
    gaps = ((cards[:, :, :-1] == 0) & (cards[:, :, 1:] != 0)).any(axis=2)
    options = owners(games)
    # Recompile may have damaged a robot after its deal, and the robot may have lost the option since.
    lost = (games["option_discards"] == RECOMPILE) & (np.arange(NUM_OPTIONS) < games["option_discards_left"][:, None])
    held = options[:, :, RECOMPILE]
    recompiled = np.any(held, axis=1, keepdims=True) | np.any(lost, axis=1, keepdims=True)
    dealt = np.maximum(0, HAND_SIZE - damage + options[:, :, EXTRA_MEMORY])
    allowed = np.where(recompiled, HAND_SLOTS, dealt)
    allowed = allowed + (robots["flywheel"] != 0)
    # A flag on which a robot has its archive may have moved away, and its square may have become a pit.
    shifts = ((tables["settings"]["moving_flags"] == ON) | (tables["settings"]["rotate_board_on_flag"] == ON)
             | (tables["settings"]["game"] != RACE))[course][:, None]
    # U36: with this setting, a robot that is powered down keeps its last program, in case registers are locked
    # meanwhile.
    keeps = (robots["down"] != 0) & (tables["settings"]["pd_lock_card"][course] == LOCK_KEEP)[:, None]
    return [
        (alive & ~plays, "a robot that does not play is on the board"),
        (ongoing & gaps, "there is a gap between the cards of its hand"),
        (plays & (robots["alive"] > 1), "alive is neither 0 nor 1"),
        (alive & ~(on_board & (ground["exists"] == 1)), "it stands on no square of the course"),
        (alive & on_board & (robots["flying"] == 0) & (ground["pit"] == ALL_PHASES) & ~_bridged(games),
         "it stands in a pit"),
        (plays & ~alive & (robots["square"] != -1), "it is off the board and has a square"),
        (plays & ~(in_archive & (archive["exists"] == 1)), "its archive is not a square of the course"),
        (alive & in_archive & (archive["pit"] == ALL_PHASES) & ~shifts, "its archive is a pit"),
        (alive & ((damage < 0) | (damage >= FATAL_DAMAGE)), f"its damage is not within 0 and {FATAL_DAMAGE - 1}"),
        (plays & (robots["locked"] >> NUM_REGISTERS != 0), "it has locks without registers"),
        (alive & (locks < damage - UNDAMAGED_REGISTERS), "fewer registers are locked than its damage asks for"),
        (alive & ((robots["facing"] < 0) | (robots["facing"] > 3)), "it faces no direction"),
        (plays & ((robots["flag"] < 0) | (robots["flag"] > tables["course"]["num_flags"][course][:, None])),
         "it has touched flags that do not exist"),
        (plays & (robots["lives"] < -1), "its lives are negative"),
        (plays & ((robots["out"] == 1) != (robots["lives"] == 0)), "it is out and has lives, or neither"),
        (alive & (robots["out"] == 1), "it is out and on the board"),
        # A robot that is destroyed again while it re-enters waits for a turn: this destruction counts in the next turn.
        (plays & ongoing & ~alive & (robots["out"] == 0) & (robots["destroyed"] == 0),
         "it has lives and is off the board between turns"),
        (plays & ongoing & (robots["down"] != 0) & (hand > 0), "it is powered down and has a hand"),
        (plays & ongoing & (hand > np.minimum(allowed, HAND_SLOTS)), "its hand is larger than its damage allows"),
        (plays & ongoing & (cards[:, :, 1:] > cards[:, :, :-1]).any(axis=2), "its hand is not sorted"),
        (alive & ongoing & _open_cards(robots) & ~keeps & (robots["asleep"] == 0),
         "an open register holds a card between turns"),
    ]  # fmt: skip


def _bridged(games: Array) -> Array:
    """Tell which robots stand on a bridge: shape (n, 8), bool."""
    devices = games["devices"]
    bridges = (devices["kind"] == BRIDGE_TOKEN) & (np.arange(MAX_DEVICES) < games["num_devices"][:, None])
    here = _robots(games)["square"][:, :, None] == devices["square"][:, None]
    return np.asarray((here & bridges[:, None]).any(axis=2))


def _squares_at(games: Array, arena: Arena, places: Array) -> tuple[Array, Array]:
    """Return whether places, shape (n, 8), are squares of the course, and the SQUARE record of each place."""
    tables, course = arena.tables, games["course"][:, None]
    full = "ground" in (tables.dtype.names or ())
    size = (tables["extras"]["num_standing"] if full else tables["course"]["num_squares"])[games["course"]]
    inside = (places >= 0) & (places < size[:, None])
    rows = _rows(games, arena, np.where(inside, places, 0))
    return inside, tables["squares"][course, rows]


def _rows(games: Array, arena: Arena, places: Array) -> Array:
    """Return the table rows that describe places in the current state of rotating rooms: shape (n, 8)."""
    tables, course = arena.tables, games["course"][:, None]
    if "ground" not in (tables.dtype.names or ()):
        return places
    room = tables["ground"]["room"][course, places].astype(np.int64)
    number = np.maximum(room, 0)
    turned = np.take_along_axis(games["rooms"], number, axis=1) & 3
    orientation = np.where(room >= 0, turned, 0)
    rows: Array = tables["ground"]["room_rows"][course, places, orientation]
    return rows


def _board_checks(games: Array, arena: Arena) -> list[tuple[Array, str]]:
    """Return the checks of the board's state: masks of violations, shape (n,), bool, each with a sentence."""
    within = {"flip": 1, "flip_pending": 1, "flip_blocked": 1, "barrier_broken": 1, "piston_up": 1}
    checks = [((games[name] < 0) | (games[name] > high), f"{name} is not 0 or 1") for name, high in within.items()]
    extras = arena.tables["extras"][games["course"]]
    turning = extras["num_rooms"].astype(np.int64) + extras["num_turning"]
    rooms: Array = np.arange(games["rooms"].shape[1]) < turning[:, None]
    guns = (extras["num_turrets"] > 0) & (games["turret_cards"][:, 0] == 0) & (games["deck_left"] > 0)
    return [
        *checks,
        ((np.where(rooms, games["rooms"] & 3, 0) != games["rooms"]).any(axis=1), "the turns of a room are not 0 to 3"),
        ((games["turret_facing"] & 3 != games["turret_facing"]).any(axis=1), "a turret gun faces no direction"),
        (guns & (games["over"] == 0), "turret guns have no cards"),
        (games["copies_act"] != 0, "robots have not changed back with their copies"),
        (games["flips"] != 0, "a pressed piston has not been resolved"),
    ]


def _element_checks(games: Array, arena: Arena) -> list[tuple[Array, str]]:
    """Return the checks of what elements do to robots: masks of violations, (n, 8), bool, each with a sentence."""
    robots = _robots(games)
    plays = np.arange(MAX_ROBOTS) < games["num_robots"][:, None]
    alive = robots["alive"] == 1
    ongoing = games["over"][:, None] == 0
    inside, squares = _squares_at(games, arena, robots["square"])
    places = np.where(inside, robots["square"], 0)
    rows = _rows(games, arena, places)
    elevators, crumbly, surface = (
        arena.tables["ground"][name][games["course"][:, None], rows] for name in ("has_elevator", "crumbly", "surface")
    )
    above = robots["level"].astype(np.int64) - squares["level"]
    bridged = _bridged(games)
    grounded = alive & inside & (robots["flying"] == 0)
    in_copy, _ = _squares_at(games, arena, robots["copy_square"])
    number = np.maximum(crumbly, 0)
    words = np.take_along_axis(games["crumbled"], number >> 6, axis=1)
    crumbled = words >> (number & 63).astype(np.uint64) & np.uint64(1) != 0
    bottomless = (arena.tables["settings"]["lava_mode"] != LAVA_LIST)[games["course"]][:, None]

    def beyond(name: str, high: int) -> tuple[Array, str]:
        return alive & ((robots[name] < 0) | (robots[name] > high)), f"its {name} is not within 0 and {high}"

    return [
        (grounded & (above != 0) & ~((above == 1) & (elevators == 1)),
         "it stands on no floor"),
        (grounded & (crumbly >= 0) & crumbled & ~bridged, "it stands where the ground has given way"),
        (grounded & (surface == LAVA_PIT) & bottomless & ~bridged, "it stands in a lava pit"),
        (alive & ongoing & (robots["flying"] != 0), "it flies between turns"),
        (alive & ongoing & (robots["marks"] & (DISPLACED | LANDS) != 0), "it has not come to rest"),
        (alive & ongoing & (robots["energized"] != 0), "it is energized between turns"),
        (plays & (robots["drop"] != 0), "it falls"),
        (plays & ~alive & (robots["has_copy"] != 0), "it is off the board and has a copy"),
        (plays & (robots["has_copy"] > 1), "its copy has not vanished"),
        (alive & (robots["has_copy"] == 1) & ~in_copy, "its copy stands on no square of the course"),
        beyond("asleep", NUM_REGISTERS), beyond("pointer", NUM_REGISTERS - 1), beyond("speed", MAX_SPEED),
        beyond("burning", 127), beyond("goo", GOO_SQUARES),
    ]  # fmt: skip


def _open_cards(robots: Array) -> Array:
    """Tell which robots have a card in a register that is not locked: shape (n, 8), bool."""
    locked = robots["locked"][..., None] >> np.arange(NUM_REGISTERS) & 1
    return np.asarray(((robots["registers"] != 0) & (locked == 0)).any(axis=2))
