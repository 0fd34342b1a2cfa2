"""Invariants of option cards, devices, teams and flags between two turns (part of `rr_gym.invariants`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rr_gym.rules.devices.devices import GOO_SQUARES
from rr_gym.rules.state.constants import (
    BIG_ONE_BODY,
    BIG_ONE_TOKEN,
    BUZZ_TOKEN,
    CAPTURE,
    DEVICE_NAMES,
    DRONE_TOKEN,
    GOO_TOKEN,
    HEAD_TO_HEAD,
    MAX_DEVICES,
    MAX_FLAGS,
    MAX_ROBOTS,
    MISSILE_TOKEN,
    NO_DEVICE,
    NUM_OPTIONS,
    ON,
    RIDER,
    SCRAMBLER_TOKEN,
    SPARED,
    TAG_TEAMS,
    TOGGLE,
)
from rr_gym.rules.state.option_cards import (
    ABLATIVE_COAT,
    ABLATIVE_POINTS,
    BIO_OPTION,
    CONVERTER,
    CONVERTER_LIMIT,
    FLYWHEEL,
    HOMING_DEVICE,
    INITIAL_PAYLOAD,
    INTERCEPTOR,
    MINI_HOWITZER,
    NO_OPTION,
)

if TYPE_CHECKING:
    from rr_gym.rules.arena.arena import Arena

Array = Any  # arrays computed from fields of records have no useful type, and mypy would spend much time on them
Check = tuple[Array, str]  # a mask of violations, by game and possibly robot, device or option, and a sentence

MAX_TEAMS = 4
# Bounds of what an option holds while it has an owner. The Ablative Coat and the Mini Howitzer are lost with their last
# point or shot, so they hold at least one.
MAX_PAYLOAD = INITIAL_PAYLOAD.astype(np.int64)
MAX_PAYLOAD[ABLATIVE_COAT], MAX_PAYLOAD[CONVERTER] = ABLATIVE_POINTS, CONVERTER_LIMIT - 1
MIN_PAYLOAD = np.zeros(NUM_OPTIONS, np.int64)
MIN_PAYLOAD[[ABLATIVE_COAT, MINI_HOWITZER]] = 1
_BITS = np.arange(NUM_OPTIONS, dtype=np.uint64)


def owners(games: Array) -> Array:
    """Tell which robots own which options: shape (n, 8, NUM_OPTIONS), bool."""
    options = games["robots"]["options"][:, :MAX_ROBOTS].astype(np.uint64)
    return np.asarray(options[..., None] >> _BITS & np.uint64(1) != 0)


def misplaced_options(games: Array, arena: Arena) -> list[tuple[int, str]]:
    """Return (game, sentence) for each option card that is not in exactly one place (R-O0).

    In games with option cards, each has an owner or lies in a pile; in other games there are none. A Bio Option that is
    built into every robot is in no place (R-G1.6), and so are banned cards (R-G4.1).
    """
    seats = np.arange(MAX_ROBOTS) < games["num_robots"][:, None]
    counts = (owners(games) & seats[..., None]).sum(axis=1) + (games["pile_of"] > 0)
    for pile in ("option_deck", "option_discards"):
        lies = np.arange(NUM_OPTIONS) < games[f"{pile}_left"][:, None]
        g, k = np.nonzero(lies)
        option = np.clip(games[pile][g, k], 0, NUM_OPTIONS - 1)
        np.add.at(counts, (g, option), 1)
    settings = arena.tables["settings"][games["course"]]
    expected = np.repeat((settings["option_cards"] == ON)[:, None], NUM_OPTIONS, axis=1)
    expected[:, BIO_OPTION] &= settings["bio_bots"] != ON
    expected &= settings["banned_options"][:, None] >> _BITS & np.uint64(1) == 0
    wrong = np.argwhere(counts != expected)
    return [(int(g), f"option {k} lies in {counts[g, k]} places") for g, k in wrong]


def option_checks(games: Array, arena: Arena) -> list[Check]:
    """Return all checks of option cards, devices and variants, for games with option cards or expansions."""
    owned = owners(games)
    return [
        *_supplies(games, owned),
        *_tokens(games, owned),
        *_programs(games, owned),
        *_devices(games, arena),
        *_bodies(games),
        *_flags(games, arena, owned),
    ]


def _supplies(games: Array, owned: Array) -> list[Check]:
    """Return the checks of the shots, tokens, counters and points left on options, and of the sizes of piles."""
    has_owner = owned.any(axis=1)
    payload = games["payload"].astype(np.int64)
    robots = games["robots"][:, :MAX_ROBOTS]
    granted = np.arange(NUM_OPTIONS) == robots["bio"][..., None]
    return [
        (has_owner & (payload > MAX_PAYLOAD), "it holds more than it can"),
        (has_owner & (payload < MIN_PAYLOAD), "it holds too little"),
        (~has_owner & (payload != 0), "it lies in a pile with something on it"),
        ((robots["bio"] != NO_OPTION) & ~(granted & owned).any(axis=2),
         "its Bio Option grants what it does not have"),
        (games["option_deck_left"] < 0, "the number of options in the pile is negative"),
        (games["option_discards_left"] < 0, "the number of discarded options is negative"),
    ]  # fmt: skip


def _tokens(games: Array, owned: Array) -> list[Check]:
    """Return the checks of tokens that options put on robots, and of state that lasts for one turn only."""
    ongoing = games["over"] == 0
    checks: list[Check] = []
    for name, option in (("homing_target", HOMING_DEVICE), ("intercept_target", INTERCEPTOR)):
        target = games[name]
        there = (target >= 0) & (target < games["num_robots"])
        has_it, whose = owned[:, :, option], np.maximum(target, 0)[:, None]
        own = np.take_along_axis(has_it, whose, axis=1)[:, 0]
        checks += [
            ((target != -1) & ~there, f"{name} is no robot"),
            ((target != -1) & ~owned[:, :, option].any(axis=1), f"{name} is set and nobody has the option"),
            (there & own, f"{name} is the owner of the option"),
        ]
    playing = (1 << games["num_robots"].astype(np.int64)) - 1
    return [
        *checks,
        *((ongoing & (games[name] != -1), f"{name} is set between turns")
          for name in ("damping", "radio_owner", "radio_target")),
        (games["bombed"] & ~playing != 0, "a bombed seat does not play"),
        ((games["superbot"] < -1) | (games["superbot"] >= games["num_robots"]), "the SuperBot does not play"),
    ]  # fmt: skip


def _programs(games: Array, owned: Array) -> list[Check]:
    """Return the checks that nothing is programmed between turns, except on Flywheels and for the buzz bomb."""
    robots = games["robots"][:, :MAX_ROBOTS]
    ongoing = games["over"][:, None] == 0
    on_wheel = robots["flywheel"] != 0
    return [
        (ongoing & (robots["second"] != 0).any(axis=2), "it has second cards between turns"),
        (ongoing & (robots["copied"] != 0).any(axis=2), "its program is a copy between turns"),
        (ongoing & ((robots["conditional"] != 0) | (robots["copter"] != 0)), "a card is stored between turns"),
        (ongoing & (robots["rewired"] & ~SPARED != 0), "its program has changed between turns"),
        (ongoing & on_wheel & ~owned[:, :, FLYWHEEL], "a card lies on a Flywheel that it does not have"),
    ]


def _devices(games: Array, arena: Arena) -> list[Check]:
    """Return the checks of the slots for devices and of the devices in them (R-X1)."""
    devices = games["devices"]
    kind, owner = devices["kind"], devices["owner"]
    slots = np.arange(MAX_DEVICES) < games["num_devices"][:, None]
    used = slots & (kind != NO_DEVICE)
    last = np.maximum(games["num_devices"].astype(np.int64) - 1, 0)[:, None]
    course = arena.tables["course"][games["course"]]
    extent = (course["width"].astype(np.int64) * course["height"])[:, None]
    square = np.clip(devices["square"], 0, arena.tables["squares"].shape[1] - 1)
    floor = arena.tables["squares"]["exists"][games["course"][:, None], square] == 1
    inside = (devices["square"] >= 0) & (devices["square"] < extent)
    hovers = (kind >= MISSILE_TOKEN) | (kind == BIG_ONE_TOKEN)  # these may be on the hidden square of a ramp
    robots = games["robots"][:, :MAX_ROBOTS]
    whose = np.clip(owner, 0, MAX_ROBOTS - 1)
    real: Array = (robots["alive"] == 1) & (robots["virtual"] == 0)
    real = np.take_along_axis(real, whose, axis=1)
    flies = (kind == MISSILE_TOKEN) | (kind == DRONE_TOKEN)
    by_priority = devices["priority"] * len(DEVICE_NAMES) + kind
    printed = np.where(used & flies, by_priority, -np.arange(MAX_DEVICES))
    printed = np.sort(printed.astype(np.int64), axis=1)
    same = (printed[:, 1:] == printed[:, :-1]) & (printed[:, 1:] > 0)
    held = (kind == GOO_TOKEN) & used
    return [
        (~slots & (kind != NO_DEVICE), "it lies beyond the slots in use"),
        (((games["num_devices"] > 0) & (np.take_along_axis(kind, last, axis=1)[:, 0] == NO_DEVICE)),
         "the last slot in use is free"),
        (used & ((kind < 0) | (kind >= len(DEVICE_NAMES))), "it is of no kind"),
        (used & ~hovers & ~(inside & floor), "it lies on no square of the course"),
        (used & (kind >= MISSILE_TOKEN) & ~inside, "it flies outside the layout"),
        (used & ((devices["facing"] < 0) | (devices["facing"] > 3)), "it faces no direction"),
        (used & ((owner < -1) | (owner >= games["num_robots"][:, None])), "its owner does not play"),
        (used & (devices["virtual"] == 1) & real, "it is virtual and its owner is not"),
        (used & (kind == SCRAMBLER_TOKEN) & (games["over"][:, None] == 0), "it should have gone off"),
        (held & ((devices["left"] < 1) | (devices["left"] > GOO_SQUARES)), "the goo is used up"),
        (used & flies & (devices["priority"] <= 0), "it has no priority"),
        (same.any(axis=1), "two devices have one priority"),
        *(((used & (kind == single)).sum(axis=1) > 1, f"there are two devices {DEVICE_NAMES[single]}")
          for single in (BIG_ONE_TOKEN, BUZZ_TOKEN)),
        (_stuck_without_goo(games, held), "it sticks where no goo is"),
    ]  # fmt: skip


def _stuck_without_goo(games: Array, held: Array) -> Array:
    """Tell which robots have goo on them but stand on none: shape (n, 8), bool."""
    robots, devices = games["robots"][:, :MAX_ROBOTS], games["devices"]
    here = (robots["square"][:, :, None] == devices["square"][:, None]) & held[:, None]
    here &= robots["level"][:, :, None] == devices["level"][:, None]
    return np.asarray((robots["goo"] > 0) & ~here.any(axis=2))


def _bodies(games: Array) -> list[Check]:
    """Return the checks of bodies that are not robots, and of state that must be gone after each sub-step."""
    robots, devices = games["robots"], games["devices"]
    big = (devices["kind"] == BIG_ONE_TOKEN) & (np.arange(MAX_DEVICES) < games["num_devices"][:, None])
    body = robots[:, BIG_ONE_BODY]
    astray = big & (
        (devices["square"] != body["square"][:, None]) | (devices["level"] != body["level"][:, None])
    )
    count = np.where(big.any(axis=1), BIG_ONE_BODY + 1, games["num_robots"])
    return [
        (big.any(axis=1) != (body["alive"] == 1), "the body of The Big One is not with it"),
        (astray, "its body is elsewhere"),
        (robots[:, RIDER]["alive"] != 0, "a device still rides"),
        (games["num_bodies"] != count, "num_bodies is wrong"),
        ((games["hidden"] != 0) | (games["devices_act"] != 0), "bodies are still hidden"),
        (games["num_blasts"] != 0, "an explosion still waits"),
    ]


def _flags(games: Array, arena: Arena, owned: Array) -> list[Check]:
    """Return the checks of teams, of the owners of flags, and of where flags are (R-G2, R-G3)."""
    robots = games["robots"][:, :MAX_ROBOTS]
    course, played = games["course"], arena.tables["settings"]["game"][games["course"]]
    plays = np.arange(MAX_ROBOTS) < games["num_robots"][:, None]
    number = arena.tables["course"]["num_flags"][course]
    flags = np.arange(MAX_FLAGS) < number[:, None]
    squares = np.clip(games["flag_squares"], 0, arena.tables["squares"].shape[1] - 1)
    floor = arena.tables["squares"]["exists"][course[:, None], squares] == 1
    carried = robots["carries"].astype(np.int64)
    bearer = (carried[:, :, None] == np.arange(1, MAX_FLAGS + 1)) & plays[..., None]
    square, flag = np.maximum(robots["square"], 0), np.maximum(carried - 1, 0)
    where = arena.tables["ground"]["place"][course[:, None], square]
    goal = np.take_along_axis(games["flag_squares"], flag, axis=1)
    teams = robots["team"].astype(np.int64)
    together = plays[:, :, None] & plays[:, None, :] & (teams[:, :, None] == teams[:, None, :])
    uneven = together & (robots["flag"][:, :, None] != robots["flag"][:, None, :])
    secret = games["secret"].astype(np.uint64)[:, None] >> _BITS & np.uint64(1) != 0
    return [
        ((flags & ~((games["flag_squares"] >= 0) & floor)).any(axis=1), "a flag is on no square of the course"),
        (((games["flag_owner"] < 0) | (games["flag_owner"] > MAX_TEAMS)).any(axis=1), "a flag belongs to no team"),
        ((games["flag_owner"] != 0).any(axis=1) & (played != TOGGLE), "flags belong to teams"),
        ((carried < 0) | (carried > number[:, None]), "it carries a flag that does not exist"),
        ((carried != 0) & (played != CAPTURE)[:, None], "it carries a flag"),
        ((bearer.sum(axis=1) > 1).any(axis=1), "a flag is carried twice"),
        ((carried != 0) & (robots["alive"] != 1), "it is off the board and carries a flag"),
        ((carried != 0) & (robots["alive"] == 1) & (where != goal) & (games["over"] == 0)[:, None],
         "the flag that it carries is elsewhere"),
        (plays & ((teams < 0) | (teams > MAX_TEAMS)), "it is in no team"),
        (uneven.any(axis=(1, 2)) & np.isin(played, (TAG_TEAMS, HEAD_TO_HEAD)), "a team has not touched the same flags"),
        (secret & ~owned.any(axis=1), "nobody has it, and it is secret"),
    ]  # fmt: skip
