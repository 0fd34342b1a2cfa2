"""What observations show of the elements of expansions, and all groups of features in order.

`GROUPS` is the documented order (docs/observations.md). Features of a group come after all features of the base game
and after those of the groups before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from rr_gym.courses.grammar import ALL_PHASES
from rr_gym.courses.tables import ground as at
from rr_gym.encoding.observe.frame import SIDES
from rr_gym.encoding.observe.game_groups import GAME_GROUPS
from rr_gym.encoding.observe.groups import FARTHEST, Feature, Group, flag, phases, sides, vector
from rr_gym.encoding.observe.lines import GUSTS, MELTED, WIND
from rr_gym.encoding.observe.rows import Rows
from rr_gym.errors import RoboRallyError, did_you_mean, shown
from rr_gym.rules.driving.ice import TOP_SPEED as FASTEST_SLIDE
from rr_gym.rules.elements.rings import TOP_SPEED as FASTEST_RING
from rr_gym.rules.hazards.fire import MAX_BURNING
from rr_gym.rules.robot.sleep import PHASES_OF_SLEEP
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_REGISTERS

Array = np.ndarray[Any, Any]

HIGHEST_FLOOR = 9
FASTEST_BELT = 3


# What of the squares changes during games; in sheets it is 0.
CHANGING = (
    "pit",  # where crumbly ground has given way
    "crumbly",
    *(f"{name}_{axis}" for name in ("flip_belt", "flip_belt_next") for axis in SIDES[:2]),
    "flip_gear",
    "turret_forward",
    "turret_right",
    "piston",
    "elevator_up",
)
# What else changes where rotating rooms have turned, or around them
TURNING = (
    *(f"wall_{side}" for side in SIDES),
    *(f"cover_{side}" for side in SIDES),
    "laser",
    "melting_beam",
    *(f"wind_{side}" for side in SIDES),
    "wind_phases",
)
CHANGES = (*CHANGING, *TURNING)


def _unfilled(rows: Rows) -> Array:
    return np.zeros(len(rows.squares), int)


def _ramps(rows: Rows) -> list[Array]:
    hidden = rows.ground["ramp"]
    return rows.sides(np.where(hidden >= 0, 1 + rows.ground["fast"][hidden], 0))


def _water(rows: Rows) -> list[Array]:
    return [rows.surface(at.WATER, at.PUDDLE) + 2 * rows.surface(at.DEEP), rows.surface(at.PUDDLE)]


def _currents(rows: Rows) -> list[Array]:
    flowing = np.isin(rows.ground["mover"], (at.CURRENT, at.RIVER))
    directions = np.where(flowing, rows.ground["directions"][:, 0], -1)
    turns = np.where(flowing, rows.side_bits(rows.ground["mover_turns"]), 0)
    return [*rows.arrow(directions), turns, rows.ground["mover"] == at.RIVER]


def _belts_by_phase(rows: Rows) -> list[Array]:
    speed = rows.squares["belt"].astype(int)
    directions = np.where(speed[:, None] > 0, rows.ground["directions"], -1)
    return [speed * part for p in range(1, NUM_REGISTERS) for part in rows.arrow(directions[:, p])]


def _jacks(rows: Rows) -> list[Array]:
    thrown = [part for p in range(NUM_REGISTERS - 1) for part in rows.arrow(rows.ground["jack"][:, p])]
    return [rows.ground["has_jack"], *thrown]


def _gates(rows: Rows) -> list[Array]:
    ways = [part for to in rows.sides(rows.ground["gate_to"]) for part in rows.way_to(to)]
    return [*rows.kind(at.GATE), *ways]


def _areas(rows: Rows) -> list[Array]:
    on_platform = rows.ground["platform"] >= 0
    directions = np.where(on_platform, rows.ground["area"].astype(int) - at.NORTH_AREA, -1)
    return [on_platform, *rows.arrow(directions)]


def _trapdoors(rows: Rows) -> list[Array]:
    door = rows.ground["trapdoor"]
    return [np.where(door >= 0, 1 + np.minimum(rows.capacities[door], MAX_ROBOTS), 0)]


def _pushed_by_hydraulics(rows: Rows) -> list[Array]:
    return rows.sides(np.roll(rows.ground["hydraulics"], 2, axis=1))  # away from the side where it is mounted


def _overlay(name: str, bits: int, overlay: int, robots: tuple[Feature, ...] = ()) -> Group:
    return Group(f"{name}s", bits, flag(name), lambda rows: [rows.overlay(overlay)], robots)


def _surface(name: str, bits: int, surface: int, robots: tuple[Feature, ...] = ()) -> Group:
    return Group(name, bits, flag(name), lambda rows: [rows.surface(surface)], robots)


ELEMENT_GROUPS = (
    Group(
        "levels", at.LEVELS, (("level", 0, HIGHEST_FLOOR),), lambda rows: [rows.squares["level"]],
        robots=(("level", 0, HIGHEST_FLOOR + 1),),
    ),
    Group("ramps", at.RAMPS, sides("ramp", 2), _ramps, robots=(("on_ramp", 0, len(SIDES)),)),
    Group("covers", 0, sides("cover", ALL_PHASES), lambda rows: rows.sides(rows.squares["cover"])),
    Group("spikes", 0, sides("spikes", 1), lambda rows: rows.kind(at.SPIKED)),
    Group("drawbridges", at.DRAWBRIDGES, flag("drawbridge"), lambda rows: [rows.ground["drawbridge"]]),
    _surface("oil", at.OIL, at.OILY),
    _surface(
        "ice", at.ICE, at.ICY,
        robots=(*vector("slide", FASTEST_SLIDE), ("spin", -FASTEST_SLIDE, FASTEST_SLIDE)),
    ),
    Group("water", at.WATERS, (("water", 0, 2), ("puddle", 0, 1)), _water),
    Group(
        "currents", at.CURRENTS, (*vector("current", 1), ("current_turns", 0, 15), ("molten", 0, 1)), _currents
    ),
    _surface("slime", at.SLIME, at.SLIMY),
    Group("crumbly", at.CRUMBLY, flag("crumbly"), lambda rows: [_unfilled(rows)]),
    Group(
        "pads", at.PADDED, (*flag("padding"), *sides("pad", 1)),
        lambda rows: [rows.surface(at.PADDING), *rows.kind(at.PADDED_WALL)],
    ),
    Group("tilted", at.TILTED, vector("tilt", 1), lambda rows: rows.vector(*rows.ground["tilt"].astype(int).T)),
    Group(
        "lava", at.LAVA, (("lava", 0, 1), ("eruption", 0, ALL_PHASES)),
        lambda rows: [rows.surface(at.LAVA_PIT), rows.ground["eruption"]],
    ),
    Group("gold_belts", at.GOLD_BELTS),  # wider bounds of the belts' features
    Group(
        "rotating_belts", at.ROTATING_BELTS,
        tuple(
            (f"belt_{axis}_{p}", -FASTEST_BELT, FASTEST_BELT)
            for p in range(2, NUM_REGISTERS + 1) for axis in SIDES[:2]
        ),
        _belts_by_phase,
    ),
    Group(
        "flip_belts", at.FLIP_BELTS, (*vector("flip_belt", 1), *vector("flip_belt_next", 1)),
        lambda rows: [_unfilled(rows)] * 4,
    ),
    Group("flip_gears", at.FLIP_GEARS, (("flip_gear", -1, 1),), lambda rows: [_unfilled(rows)]),
    Group(
        "barriers", at.BARRIERS, flag("barrier"), lambda rows: [rows.ground["barrier"]], game=flag("flip_owed")
    ),
    Group(
        "flamers", at.FLAMERS, phases("flamer", "napalm"),
        lambda rows: [rows.ground["flamer"], rows.ground["napalm"]], robots=(("burning", 0, MAX_BURNING),),
    ),
    Group("melting_beams", at.MELTING, flag("melting_beam"), lambda rows: [rows.lines[:, MELTED]]),
    Group("mag_locks", at.MAG_LOCKS, phases("mag_lock"), lambda rows: [rows.ground["mag_lock"]]),
    _overlay("teleporter", at.TELEPORTERS, at.TELEPORTER),
    _overlay("freak_teleporter", at.FREAKS, at.FREAK_TELEPORTER),
    _overlay("randomizer", at.RANDOMIZERS, at.RANDOMIZER),
    Group(
        "portals", at.PORTALS, (*flag("portal"), *vector("portal", FARTHEST)),
        lambda rows: [rows.ground["portal"], *rows.way_to(rows.ground["twin"])],
    ),
    _overlay("repeater", at.REPEATERS, at.REPEATER),
    _overlay("energizer", at.ENERGIZERS, at.ENERGIZER, robots=(("energized", 0, NUM_REGISTERS),)),
    _overlay("antigrav_field", at.ANTIGRAV, at.ANTIGRAV_FIELD, robots=flag("flying")),
    _overlay("attractor", at.ATTRACTORS, at.MAGNET | at.BLACK_HOLE),
    Group(
        "jacks", at.JACKS,
        (*flag("jack"), *((f"jack_{axis}_{p}", -1, 1) for p in range(1, NUM_REGISTERS) for axis in SIDES[:2])),
        _jacks,
    ),
    Group("fog", at.FOG, flag("fog"), lambda rows: [rows.overlay(at.FOGGY)]),
    Group(
        "gas", at.GAS, flag("gas"), lambda rows: [rows.overlay(at.GASSED)],
        robots=(("asleep", 0, PHASES_OF_SLEEP),),
    ),
    _overlay("grave", at.GRAVES, at.GRAVE),
    Group("radiation", at.RADIATION, flag("radiation"), lambda rows: [rows.overlay(at.RADIANT)]),
    Group("waste", at.WASTE, flag("waste"), lambda rows: [rows.overlay(at.WASTED)]),
    _overlay("reset_site", at.RESET_SITES, at.RESET_SITE, robots=flag("claims_card")),
    _overlay("chop_shop", at.CHOP_SHOPS, at.CHOP_SHOP),
    Group(
        "turrets", at.TURRETS, (*flag("turret"), *vector("turret", 1)),
        lambda rows: [rows.overlay(at.TURRET_GUN), _unfilled(rows), _unfilled(rows)],
    ),
    Group(
        "pistons", at.PISTONS, (("piston", -1, 1), *vector("piston", 1)),
        lambda rows: [_unfilled(rows), *rows.arrow(rows.ground["piston_direction"])],
    ),
    Group(
        "elevators", at.ELEVATORS, (*flag("elevator", "elevator_up"), *phases("elevator_phases")),
        lambda rows: [rows.ground["has_elevator"], _unfilled(rows), rows.ground["elevator"]],
    ),
    Group("mirrors", at.MIRRORS, sides("mirror", 1), lambda rows: rows.kind(at.MIRROR)),
    Group(
        "wind", at.FANS, (*sides("wind", 3), *phases("wind_phases")),
        lambda rows: [*rows.sides(rows.lines[:, WIND : WIND + 4]), rows.lines[:, GUSTS]],
    ),
    Group(
        "gates", at.GATES,
        (*sides("gate", 1), *(feature for side in SIDES for feature in vector(f"gate_{side}_to", FARTHEST))),
        _gates,
    ),
    Group(
        "copies", at.COPY_MACHINES, sides("button", 1), lambda rows: rows.kind(at.BUTTON),
        robots=(
            *flag("copy"), *vector("copy", FARTHEST), ("copy_facing", 0, 3), ("copy_level", 0, HIGHEST_FLOOR + 1),
            *vector("machine", FARTHEST), ("machine_side", 0, 3),
        ),
    ),
    Group("platforms", at.PLATFORMS, (*flag("platform"), *vector("platform", 1)), _areas),
    Group(
        "big_gears", at.BIG_GEARS, (*flag("big_gear"), *vector("big_gear", FARTHEST)),
        lambda rows: [rows.ground["big_gear"] >= 0, *rows.way_to(rows.ground["big_gear_to"])],
    ),
    Group("trapdoors", at.TRAPDOORS, (("trapdoor", 0, 1 + MAX_ROBOTS),), _trapdoors),
    Group(
        "rings", at.RINGS, (*flag("ring"), *vector("ring", 1)),
        lambda rows: [rows.ground["ring"] >= 0, *rows.way_to(rows.ground["ring_next"])],
        robots=(("speed", 0, FASTEST_RING),),
    ),
    Group(
        "rooms", at.ROOMS, (*flag("room"), *vector("room", FARTHEST)),
        lambda rows: [rows.ground["room"] >= 0, *rows.way_to(rows.ground["room_next"])],
    ),
    Group("hydraulics", at.HYDRAULICS, sides("hydraulic", ALL_PHASES), _pushed_by_hydraulics),
    Group("mega_crushers", at.MEGA_CRUSHERS, phases("mega_crusher"), lambda rows: [rows.ground["mega"]]),
    Group("repulsors", at.REPULSORS, sides("repulsor", 1), lambda rows: rows.kind(at.REPULSOR)),
)  # fmt: skip
GROUPS = (*ELEMENT_GROUPS, *GAME_GROUPS)
GROUP_NAMES = tuple(group.name for group in GROUPS)
STATES = tuple(name for group in GROUPS for name, _, _ in group.robots)
FACTS = tuple(name for group in GROUPS for name, _, _ in group.game)
MORE_CARDS = tuple(name for group in GROUPS for name in group.cards)
OF_FLAGS = tuple(name for group in GROUPS for name, _, _ in group.flags)


def elements_of(tables: Array) -> tuple[str, ...]:
    """The names of the groups that courses and settings bring, in the order of `GROUPS`; none for base tables."""
    if "ground" not in (tables.dtype.names or ()):
        return ()
    features = int(np.bitwise_or.reduce(tables["course"]["features"]))
    present = {group.name for group in GROUPS if features & group.bits}
    present |= {group.name for group in GROUPS if any(group.settings(table["settings"]) for table in tables)}
    # These two have no feature of their own.
    for table in tables:
        count = int(table["extras"]["num_visible"])
        squares, ground = table["squares"][:count], table["ground"][:count]
        if (squares["wall"] != squares["cover"]).any():
            present.add("covers")
        if (ground["kinds"] == at.SPIKED).any():
            present.add("spikes")
    return tuple(name for name in GROUP_NAMES if name in present)


def check_elements(elements: Iterable[str] | None, tables: Array) -> tuple[str, ...]:
    """Groups to be seen on courses, in order; by default those that the courses have.

    Raises:
        RoboRallyError: There is no such group, or one that the courses have is not among them.
    """
    needed = elements_of(tables)
    if elements is None:
        return needed
    chosen = tuple(elements)
    for name in chosen:
        if name not in GROUP_NAMES:
            hint = did_you_mean(name, GROUP_NAMES) or f"expected some of {', '.join(GROUP_NAMES)}"
            raise RoboRallyError(f"elements: {shown(name)}: {hint}")
    missing = [name for name in needed if name not in chosen]
    if missing:
        raise RoboRallyError(f"elements: {', '.join(missing)}: the courses have them: expected them to be seen")
    return tuple(name for name in GROUP_NAMES if name in chosen)


def groups_of(elements: Iterable[str]) -> list[Group]:
    """The groups of these names, in the order of `GROUPS`."""
    chosen = set(elements)
    return [group for group in GROUPS if group.name in chosen]


def changes_boards(elements: Iterable[str]) -> bool:
    """Whether games change what squares with such elements are like. Devices are in a table of their own."""
    chosen = set(elements)
    return bool(chosen & {"rooms", "moving_flags"}) or any(name in CHANGING for name, _, _ in more_squares(chosen))


def more_squares(elements: Iterable[str]) -> list[Feature]:
    """The features that groups add to those of a square."""
    return [feature for group in groups_of(elements) for feature in group.squares]


def more_robots(elements: Iterable[str]) -> list[Feature]:
    """The features that groups add to those of a robot."""
    return [feature for group in groups_of(elements) for feature in group.robots]


def more_facts(elements: Iterable[str]) -> list[Feature]:
    """The facts that groups add to those of a game."""
    return [feature for group in groups_of(elements) for feature in group.game]


def more_flags(elements: Iterable[str]) -> list[Feature]:
    """The features that groups add to those of a flag."""
    return [feature for group in groups_of(elements) for feature in group.flags]


def more_cards(elements: Iterable[str]) -> list[str]:
    """The places of cards that groups add to the own hand and registers."""
    return [name for group in groups_of(elements) for name in group.cards]
