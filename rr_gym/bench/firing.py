"""How often each board element acts: read off the events of random games and the squares where they happened."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np

from rr_gym.courses.board import GROUP_ELEMENTS
from rr_gym.courses.course import Course
from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.grammar import STEPS
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.robot.sleep import PHASES_OF_SLEEP
from rr_gym.rules.state import constants as at
from rr_gym.rules.state import events as ev
from rr_gym.rules.state.cards import CARD_TYPE
from rr_gym.rules.state.records import LOG, no_orders

Array = np.ndarray[Any, Any]
Mask = np.ndarray[Any, np.dtype[np.bool_]]

NUM_ROBOTS = 8


class Scene:
    """Events of one course, and where its elements lie. What rotating rooms have moved is looked for at its old place.

    Args:
        course: Any course.
        table: It, compiled.
        events: Shape (n,), dtype `EVENT`, turn by turn, game by game.
    """

    def __init__(self, course: Course, table: Any, events: Array) -> None:
        self.course, self.table, self.events = course, table, events
        self.ground = table["ground"] if "ground" in table.dtype.names else None
        self.squares = table["squares"]

    def __getitem__(self, name: str) -> Array:
        field: Array = self.events[name]
        return field

    def happened(
        self, kind: int, *, value: int | None = None, steps: tuple[int, ...] = (), target: int | None = None
    ) -> Mask:
        """Events of a kind, of these sub-steps and values only."""
        mask: Mask = self["kind"] == kind
        if value is not None:
            mask = mask & (self["value"] == value)
        if target is not None:
            mask = mask & (self["target"] == target)
        return mask & np.isin(self["step"], steps) if steps else mask

    @cached_property
    def _places(self) -> dict[str, Mask]:
        """By element: the squares on which it lies; one more, for -1, is never true."""
        width = self.course.size[0]
        found: dict[str, Mask] = {}
        for (x, y), placed in self.course.squares.items():
            elements = {item.element for item in placed.cell.items}
            for item in placed.cell.items:
                dx, dy = STEPS[item.direction]
                below = self.course.squares.get((x + dx, y + dy))
                if item.kind == "stream" and below is not None and below.level < placed.level:
                    elements.add("waterfall")
            for element in elements:
                found.setdefault(element, np.zeros(len(self.squares) + 1, np.bool_))[y * width + x] = True
        for placement in self.course.placements:
            for group in placement.turned.groups:
                mask = found.setdefault(GROUP_ELEMENTS[group.kind], np.zeros(len(self.squares) + 1, np.bool_))
                for x, y in group.squares:
                    mask[(y + placement.at[1]) * width + x + placement.at[0]] = True
        return found

    @cached_property
    def _sides(self) -> dict[str, Array]:
        """By element: shape (squares + 1, 4), 1 where the side's own face is, 2 where it is the other face."""
        width = self.course.size[0]
        found: dict[str, Array] = {}
        for (x, y), placed in self.course.squares.items():
            for part in placed.cell.sides:
                faces = found.setdefault(part.element, np.zeros((len(self.squares) + 1, 4), np.int8))
                faces[y * width + x, part.side] = 1
                dx, dy = STEPS[part.side]
                beyond = (y + dy) * width + x + dx
                if (x + dx, y + dy) in self.course.squares and not faces[beyond, part.side ^ 2]:
                    faces[beyond, part.side ^ 2] = 2
        return found

    def on(self, element: str, field: str = "square") -> Mask:
        """The event's square, or its `target`, has the element."""
        places = self._places.get(element)
        return np.zeros(len(self.events), np.bool_) if places is None else places[self[field]]

    def met(self, element: str, own_face: bool = False, steps: tuple[int, ...] = ()) -> Mask:
        """A robot was stopped at a side with the element, or at its own face."""
        faces = self._sides.get(element)
        blocked = self.happened(ev.BLOCKED, steps=steps)
        if faces is None:
            return blocked & False
        face = faces[self["square"], self["value"] & 3]
        return blocked & ((face == 1) if own_face else (face > 0))

    def moved(self, cause: int, start: str = "", steps: tuple[int, ...] = ()) -> Mask:
        """A robot moved for a cause, from a square with the element."""
        mask = self.happened(ev.MOVED, value=cause, steps=steps)
        return mask & self.on(start, "target") if start else mask

    def harmed(self, harm: int) -> Mask:
        return self.happened(ev.DAMAGED, target=harm)

    def destroyed(self, why: int, where: str = "") -> Mask:
        mask = self.happened(ev.DESTROYED, value=why)
        return mask & self.on(where) if where else mask

    def began(self, element: str, *kinds: int) -> Mask:
        """A robot on the element executed a card, or one of these types."""
        mask = self.happened(ev.CARD_PLAYED) & self.on(element)
        return mask & np.isin(CARD_TYPE[np.maximum(self["value"], 0)], kinds) if kinds else mask

    def climbed(self, fast: int) -> Mask:
        """A robot came onto a ramp's hidden square or left it."""
        if self.ground is None:
            return np.zeros(len(self.events), np.bool_)
        hidden = (self.ground["up"] >= 0) & (self.ground["fast"] == fast)
        touches = (hidden[self["square"]] & (self["square"] >= 0)) | (hidden[self["target"]] & (self["target"] >= 0))
        return self.happened(ev.MOVED) & touches

    def pulled_to(self, element: str) -> Mask:
        """A robot was pulled along the row or column of the element."""
        places = np.flatnonzero(self._places.get(element, np.zeros(1, np.bool_)))
        x, y = self.squares["x"][self["target"]], self.squares["y"][self["target"]]
        in_line = [(x == self.squares["x"][p]) | (y == self.squares["y"][p]) for p in places]
        return self.moved(at.PULL) & (np.any(in_line, axis=0) if in_line else False)

    def through_gate(self) -> Mask:
        if self.ground is None:
            return np.zeros(len(self.events), np.bool_)
        beyond = self.ground["gate_to"][self["target"]]
        passed = (beyond == self["square"][:, None]).any(axis=1) & (self["target"] >= 0) & (self["square"] >= 0)
        return self.happened(ev.MOVED) & np.isin(self["value"], (at.CARD, at.PUSH)) & passed

    def mounted(self) -> Mask:
        """A board laser hit somebody."""
        faces = self._sides.get("board_laser")
        shot = self.happened(ev.SHOT) & (self["robot"] < 0)
        return shot & False if faces is None else shot & (faces[self["square"], (self["value"] & 3) ^ 2] == 1)


_BELTS = (at.C4, at.C5, at.C6)
_MOVES = (at.BACK_UP, at.MOVE_1, at.MOVE_2, at.MOVE_3)
_B = (at.B1, at.B2)

# What counts as an action of each element. Where no event says it, a robot that comes there counts.
SIGNS: Mapping[str, Callable[[Scene], Mask]] = {
    "open_floor": lambda s: s.happened(ev.MOVED) & s.on("open_floor"),
    "pit": lambda s: s.destroyed(at.BY_PIT, "pit"),
    "board_edge": lambda s: s.destroyed(at.BY_EDGE),
    "wall": lambda s: s.met("wall"),
    "checkpoint": lambda s: s.happened(ev.FLAG_TOUCHED),
    "repair_site": lambda s: s.happened(ev.REPAIRED, steps=(at.F2,)) & s.on("repair_site"),
    "conveyor": lambda s: s.moved(at.BELT, "conveyor", _BELTS),
    "express_conveyor": lambda s: s.moved(at.BELT, "express_conveyor", _BELTS),
    "pusher": lambda s: s.moved(at.PUSHER, "pusher", (at.C10,)),
    "gear": lambda s: s.happened(ev.TURNED, steps=(at.C11,)) & s.on("gear"),
    "crusher": lambda s: s.destroyed(at.BY_CRUSHER, "crusher"),
    "board_laser": Scene.mounted,
    "ledge": lambda s: s.harmed(at.BY_FALL),
    "ramp": lambda s: s.climbed(0),
    "randomizer": lambda s: s.happened(ev.PROGRAMMED, steps=(at.A3,)),
    "teleporter": lambda s: s.moved(at.JUMP, "teleporter", _B),
    "water": lambda s: s.began("water", *_MOVES),
    "current": lambda s: s.moved(at.CURRENT, "current"),
    "radiation": lambda s: s.harmed(at.BY_RADIATION),
    "radioactive_waste": lambda s: s.harmed(at.BY_WASTE),
    "one_way_wall": lambda s: s.met("one_way_wall"),
    "trap_door_pit": lambda s: s.destroyed(at.BY_PIT, "trap_door_pit"),
    "repulsor_field": lambda s: s.moved(at.REPULSE),
    "chop_shop": lambda s: s.happened(ev.OPTION_DRAWN, steps=(at.E2,)) & s.on("chop_shop"),
    "flamer": lambda s: s.harmed(at.BY_FIRE) & s.on("flamer"),
    "oil_slick": lambda s: s.moved(at.OIL),
    "portal": lambda s: s.moved(at.JUMP, "portal"),
    "swing_door": lambda s: s.met("swing_door"),
    "mag_lock": lambda s: s.began("mag_lock", *_MOVES),
    "lava_pit": lambda s: s.harmed(at.BY_LAVA),
    "repeater": lambda s: s.happened(ev.CARD_PLAYED, steps=(at.B2,)),
    "flip_belt": lambda s: s.moved(at.BELT, "flip_belt", (at.C7,)),
    "light_barrier": lambda s: s.happened(ev.FLIPPED),
    "gold_conveyor": lambda s: s.moved(at.BELT, "gold_conveyor", _BELTS),
    "molten_river": lambda s: s.harmed(at.BY_RIVER),
    "slime": lambda s: s.began("slime", at.U_TURN, at.ROTATE_LEFT, at.ROTATE_RIGHT, at.BACK_UP, at.MOVE_1),
    "freak_teleporter": lambda s: s.moved(at.JUMP, "freak_teleporter", _B),
    "gate": Scene.through_gate,
    "spiked_wall": lambda s: s.harmed(at.BY_SPIKES),
    "antigrav_field": lambda s: s.began("antigrav_field"),
    "balancing_platform": lambda s: s.moved(at.SLIDE, "balancing_platform", (at.B3,)),
    "big_turning_gear": lambda s: s.moved(at.CARRY, "big_turning_gear", (at.C11,)),
    "black_hole": lambda s: s.pulled_to("black_hole") | s.destroyed(at.BY_PIT, "black_hole"),
    "drawbridge": lambda s: s.destroyed(at.BY_PIT, "drawbridge"),
    "copy_machine": lambda s: s.met("copy_machine", own_face=True, steps=_B),
    "crossgear": lambda s: s.happened(ev.TURNED, steps=(at.C11,)) & s.on("crossgear"),
    "crumbly_ground": lambda s: s.destroyed(at.BY_CRUMBLED),
    "deep_water": lambda s: s.harmed(at.BY_DEEP_WATER),
    "elevator": lambda s: s.moved(at.CARRY, steps=(at.C13,)) | s.destroyed(at.BY_ELEVATOR),
    "energizer": lambda s: s.happened(ev.ENERGIZED, value=1),
    "energy_wall": lambda s: s.met("energy_wall"),
    "fast_ramp": lambda s: s.climbed(1),
    "flip_gear": lambda s: s.happened(ev.TURNED, steps=(at.C11,)) & s.on("flip_gear"),
    "fog": lambda s: s.happened(ev.MOVED) & s.on("fog"),
    "grave": lambda s: s.harmed(at.BY_GRAVE),
    "hydraulic_pusher": lambda s: s.moved(at.PUSHER, "hydraulic_pusher", (at.C10,)),
    "ice": lambda s: s.moved(at.ICE),
    "jack_in_the_box": lambda s: s.moved(at.JUMP, "jack_in_the_box", (at.C9,)),
    "loophole": lambda s: s.met("loophole"),
    "magnet": lambda s: s.pulled_to("magnet"),
    "mega_crusher": lambda s: s.destroyed(at.BY_CRUSHER, "mega_crusher") | s.moved(at.PUSHER, steps=(at.C12,)),
    "melting_beam": lambda s: s.harmed(at.BY_MELTING_BEAM),
    "mirror": lambda s: s.harmed(at.BY_MIRROR),
    "napalm_flamer": lambda s: s.harmed(at.BY_BURNING) | s.harmed(at.BY_FIRE) & s.on("napalm_flamer"),
    "padded_square": lambda s: s.moved(at.BOUNCE),
    "padded_wall": lambda s: s.met("padded_wall", own_face=True, steps=_B) & s.on("padded_square"),
    "particle_accelerator": lambda s: s.moved(at.RING),
    "piston": lambda s: s.happened(ev.PISTONS),
    "puddle": lambda s: s.began("puddle", *_MOVES),
    "reset_site": lambda s: s.happened(ev.ARCHIVED, steps=(at.E1,)) & s.on("reset_site"),
    "rotating_belt": lambda s: s.moved(at.BELT, "rotating_belt", _BELTS),
    "rotating_room": lambda s: s.happened(ev.ROOM_TURNED),
    "soporific_gas": lambda s: s.happened(ev.ASLEEP, value=PHASES_OF_SLEEP),
    "tilted_ground": lambda s: s.moved(at.SLIDE, "tilted_ground"),
    "giant_trapdoor": lambda s: s.destroyed(at.BY_TRAPDOOR),
    "turret_gun": lambda s: s.harmed(at.BY_TURRET) | s.destroyed(at.BY_PIT, "turret_gun"),
    "ventilator": lambda s: s.moved(at.FAN),
    "waterfall": lambda s: s.moved(at.CURRENT, "waterfall"),
}


def firings(course: Course | str, *, turns: int = 1000, num_games: int = 8, seed: int = 1) -> dict[str, int]:
    """How often each element acts in random games of eight robots with option cards and unlimited lives.

    Args:
        course: A course, or the id of a built-in one.
        turns: Game turns in all, rounded up to whole turns of all games.
        num_games: Games that are played side by side.
        seed: Of the games and of the programs.

    Returns:
        By element id, in the order of their numbers; 0 for elements that did nothing or are not there.
    """
    arena = Arena(course, {"lives": "unlimited", "option_cards": "on"})
    games = arena.new_games(num_games, NUM_ROBOTS, seed=seed)
    words = np.random.default_rng(seed).integers(0, 1 << 63, num_games, np.uint64)
    logs, orders = np.zeros(num_games, LOG), no_orders(num_games, at.MAX_ROBOTS, full=True)
    logs["on"] = 1
    counts = dict.fromkeys((element.id for element in ELEMENTS), 0)
    for _ in range(-(-turns // num_games)):
        logs["count"] = 0
        arena.random_orders(games, orders, words)
        arena.play(games, orders, restart=True, logs=logs)
        for log in logs:
            scene = Scene(arena.courses[0], arena.tables[0], log["events"][: log["count"]])
            for element, sign in SIGNS.items():
                counts[element] += int(np.count_nonzero(sign(scene)))
    return counts
