"""What lies on a course, and its feature bits: what of the expansions it has, so that rules can leave out the rest."""

from __future__ import annotations

from collections.abc import Iterator

from rr_gym.courses.board import GROUP_ELEMENTS
from rr_gym.courses.grammar import SIDE_LETTERS, STEPS
from rr_gym.courses.layout import Layout, PlacedSquare
from rr_gym.courses.tables import ground as bits

BASE_ELEMENTS = frozenset(
    {
        "open_floor",
        "pit",
        "board_edge",
        "wall",
        "checkpoint",
        "repair_site",
        "conveyor",
        "express_conveyor",
        "pusher",
        "gear",
        "crusher",
        "board_laser",
    }
)
# Elements that are not here need no bit of their own, or their squares tell (gold belts).
FEATURES = {
    "ledge": bits.LEVELS,
    "ramp": bits.RAMPS | bits.LEVELS,
    "fast_ramp": bits.RAMPS | bits.LEVELS,
    "trap_door_pit": bits.TIMED_PITS,
    "drawbridge": bits.DRAWBRIDGES,
    "oil_slick": bits.OIL,
    "ice": bits.ICE,
    "water": bits.WATERS,
    "deep_water": bits.WATERS | bits.DEEP_WATER,
    "puddle": bits.WATERS,
    "current": bits.WATERS | bits.CURRENTS,
    "molten_river": bits.CURRENTS,
    "slime": bits.SLIME,
    "crumbly_ground": bits.CRUMBLY,
    "padded_square": bits.PADDED,
    "padded_wall": bits.PADDED,
    "tilted_ground": bits.TILTED,
    "lava_pit": bits.LAVA,
    "rotating_belt": bits.ROTATING_BELTS,
    "flip_belt": bits.FLIP_BELTS,
    "flip_gear": bits.FLIP_GEARS,
    "light_barrier": bits.BARRIERS,
    "flamer": bits.FLAMERS,
    "napalm_flamer": bits.FLAMERS,
    "melting_beam": bits.MELTING,
    "mag_lock": bits.MAG_LOCKS,
    "teleporter": bits.TELEPORTERS,
    "freak_teleporter": bits.FREAKS,
    "randomizer": bits.RANDOMIZERS,
    "portal": bits.PORTALS,
    "repeater": bits.REPEATERS,
    "energizer": bits.ENERGIZERS,
    "antigrav_field": bits.ANTIGRAV,
    "magnet": bits.ATTRACTORS,
    "black_hole": bits.ATTRACTORS,
    "jack_in_the_box": bits.JACKS,
    "fog": bits.FOG,
    "soporific_gas": bits.GAS,
    "grave": bits.GRAVES,
    "radiation": bits.RADIATION,
    "radioactive_waste": bits.WASTE,
    "reset_site": bits.RESET_SITES,
    "chop_shop": bits.CHOP_SHOPS,
    "turret_gun": bits.TURRETS,
    "piston": bits.PISTONS,
    "elevator": bits.ELEVATORS | bits.LEVELS,
    "mirror": bits.MIRRORS,
    "ventilator": bits.FANS,
    "gate": bits.GATES,
    "copy_machine": bits.COPY_MACHINES,
    "balancing_platform": bits.PLATFORMS,
    "big_turning_gear": bits.BIG_GEARS,
    "giant_trapdoor": bits.TRAPDOORS,
    "particle_accelerator": bits.RINGS,
    "rotating_room": bits.ROOMS,
    "hydraulic_pusher": bits.HYDRAULICS,
    "mega_crusher": bits.MEGA_CRUSHERS,
    "repulsor_field": bits.REPULSORS,
}


def elements(course: Layout) -> dict[str, str]:
    """The elements of a course, each with its first place such as ``exchange.rrb 4,2: pit ('X')``."""
    found: dict[str, str] = {}
    for element, place, shown in _uses(course):
        found.setdefault(element, f"{place}: {element} ({shown})")
    return found


def _uses(course: Layout) -> Iterator[tuple[str, str, str]]:
    for (x, y), square in course.squares.items():
        for part in (*square.cell.items, *square.cell.sides):
            side = f"/{SIDE_LETTERS[part.side]}" if part.side >= 0 else ""
            yield part.element, square.where, f"'{side}{part.text}'"
        for dx, dy in STEPS:
            other: PlacedSquare | None = course.squares.get((x + dx, y + dy))
            if other and other.level > square.level:
                yield "ledge", square.where, f"level {square.level} beside {other.level}"
        for stream in (item for item in square.cell.items if item.kind == "stream"):
            dx, dy = STEPS[stream.direction]
            below = course.squares.get((x + dx, y + dy))
            if below and below.level < square.level:
                yield "waterfall", square.where, f"'{stream.text}'"
    for placement in course.placements:
        for group in placement.board.groups:
            x, y = group.squares[0]
            yield GROUP_ELEMENTS[group.kind], f"{placement.name}.rrb {x},{y}", f"'{group.kind}'"


def needs_ground(course: Layout) -> bool:
    """Whether a course has anything that is not in the base game."""
    return not elements(course).keys() <= BASE_ELEMENTS


def expansion_features(course: Layout) -> int:
    """The feature bits above those of the base game."""
    features = 0
    for element in elements(course):
        features |= FEATURES.get(element, 0)
    return features
