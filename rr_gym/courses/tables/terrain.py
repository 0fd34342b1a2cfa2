"""What the items of a square make of its row of GROUND."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rr_gym.courses.grammar import ARROWS, SIDE_LETTERS, STEPS, Part
from rr_gym.courses.tables.ground import (
    ANTIGRAV_FIELD,
    BLACK_HOLE,
    CHOP_SHOP,
    CRUMBLING,
    CURRENT,
    DEEP,
    ENERGIZER,
    FLIP_BELT,
    FLIP_GEAR,
    FOGGY,
    FREAK_TELEPORTER,
    GASSED,
    GRAVE,
    GROUND,
    ICY,
    LAVA_PIT,
    MAGNET,
    OILY,
    PADDING,
    PUDDLE,
    RADIANT,
    RANDOMIZER,
    REPEATER,
    RESET_SITE,
    RIVER,
    SLIMY,
    TELEPORTER,
    TILT,
    TURRET_GUN,
    WASTED,
    WATER,
)

SURFACES = {
    "water": WATER,
    "current": WATER,
    "deep_water": DEEP,
    "puddle": PUDDLE,
    "oil_slick": OILY,
    "ice": ICY,
    "slime": SLIMY,
    "crumbly_ground": CRUMBLING,
    "padded_square": PADDING,
    "tilted_ground": TILT,
    "lava_pit": LAVA_PIT,
}
OVERLAYS = {
    "teleporter": TELEPORTER,
    "freak_teleporter": FREAK_TELEPORTER,
    "randomizer": RANDOMIZER,
    "repeater": REPEATER,
    "energizer": ENERGIZER,
    "antigrav_field": ANTIGRAV_FIELD,
    "magnet": MAGNET,
    "black_hole": BLACK_HOLE,
    "fog": FOGGY,
    "soporific_gas": GASSED,
    "grave": GRAVE,
    "radiation": RADIANT,
    "radioactive_waste": WASTED,
    "reset_site": RESET_SITE,
    "chop_shop": CHOP_SHOP,
    "turret_gun": TURRET_GUN,
    "flip_gear": FLIP_GEAR,
}
# Fields that name a thing, a direction or a place, and are -1 without one.
_NOTHING = (
    "up", "ramp", "crumbly", "directions", "flip_exits", "jack", "piston_direction", "twin", "turret", "platform",
    "big_gear", "big_gear_to", "trapdoor", "ring", "ring_next", "room", "gate_to", "gate_heading",
)  # fmt: skip


def bare_ground(num_rows: int) -> NDArray[Any]:
    """Rows of GROUND with nothing on them, each its own place."""
    ground = np.zeros(num_rows, GROUND)
    for name in _NOTHING:
        ground[name] = -1
    numbers = np.arange(num_rows)
    ground["place"] = ground["room_next"] = numbers
    ground["room_rows"] = numbers[:, None]
    return ground


def directions_of(arrows: str) -> list[int]:
    """The direction of each arrow, -1 for `-`."""
    return [ARROWS.find(arrow) for arrow in arrows]


def put_ground(ground: Any, item: Part) -> None:
    """Put an item on its row of GROUND; numbers, twins and groups are given out elsewhere."""
    ground["surface"] = SURFACES.get(item.element, ground["surface"])
    ground["overlays"] |= OVERLAYS.get(item.element, 0)
    match item.element:
        case "conveyor" | "express_conveyor" | "gold_conveyor":
            ground["directions"] = item.direction
        case "rotating_belt":
            ground["directions"] = directions_of(item.text[2:])
        case "flip_belt":
            start, end = (SIDE_LETTERS.index(letter) for letter in item.text[1:])
            ground["mover"], ground["flip_exits"] = FLIP_BELT, (end, start)
        case "current" | "molten_river":
            ground["mover"] = CURRENT if item.element == "current" else RIVER
            ground["directions"], ground["mover_turns"] = item.direction, item.turns
        case "drawbridge":
            ground["drawbridge"] = 1
        case "flip_gear":
            ground["flip_gear"] = rotation(item)
        case "hydraulic_pusher":
            ground["hydraulics"][(item.direction + 2) % 4] |= item.phases
        case "mega_crusher":
            ground["mega"] = item.phases
        case "flamer":
            ground["flamer"] = item.phases
        case "napalm_flamer":
            ground["flamer"] = ground["napalm"] = item.phases
        case "mag_lock":
            ground["mag_lock"] = item.phases
        case "lava_pit":
            ground["eruption"] = item.phases
        case "elevator":
            ground["has_elevator"], ground["elevator"] = 1, item.phases
        case "tilted_ground":
            ground["tilt"] = np.sum([STEPS[direction] for direction in directions_of(item.text[1:])], axis=0)
        case "jack_in_the_box":
            ground["has_jack"], ground["jack"] = 1, directions_of(item.text[1:])
        case "piston":
            ground["piston"], ground["piston_direction"] = "ab".index(item.colour) + 1, item.direction
        case "portal":
            ground["portal"] = 1


def rotation(gear: Part) -> int:
    """Quarter turns of a gear of any kind: -1 left, 1 right."""
    return -1 if gear.text[0] == "L" else 1
