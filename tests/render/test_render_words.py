"""Events in words: causes are named, and events that belong together are one sentence."""

from __future__ import annotations

from typing import Any

import pytest
from combinations import for_each

from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render import phrases
from rr_gym.render.event_sentences import sentences
from rr_gym.render.words import Event, Narrator, explain
from rr_gym.rules.state import option_cards as cards
from rr_gym.rules.state.constants import (
    BLAST_NAMES,
    BY_EXPLOSION,
    BY_HOWITZER,
    BY_LASER,
    BY_OVERLOAD,
    BY_RAMMING,
    BY_RECOMPILE,
    BY_REFLECTION,
    BY_ROBOT_LASER,
    CAUSE_NAMES,
    DEVICE_NAMES,
    GADGET_NAMES,
    HARM_NAMES,
    MOVEMENT_OPTION_NAMES,
    SHIELD_NAMES,
    WEAPON_NAMES,
)

NAMES = ["Twonky", "Zoom Bot"]
WIDTH = 12
SQUARE = 27  # (3, 2)


def happened(
    kind: str, robot: int = 0, other: int = -1, value: int = 0, square: int = SQUARE, target: int = -1
) -> Event:
    return Event(0, 1, "D1", kind, robot, other, value, square, target)


def sentences_of(*events: Event) -> list[str]:
    return sentences(events, NAMES, WIDTH)


def number(names: tuple[str, ...], name: str) -> int:
    return names.index(name)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (("option", 0, -1, cards.BIG_ONE), "Twonky gets the option The Big One"),
        (("option_lost", 0, -1, cards.RETRO_ROCKETS), "Twonky loses the option Retro-Rockets"),
        (("taken", 0, 1, cards.SHIELD), "Twonky takes the option Shield from Zoom Bot"),
        (("used", 0, -1, cards.BRAKES), "Twonky brakes"),
        (("used", 0, -1, cards.RECOMPILE), "Twonky uses its Recompile"),
        (
            ("used", 0, 1, cards.FIRE_CONTROL, SQUARE, cards.SHIELD),
            "Twonky's Fire Control destroys the Shield of Zoom Bot",
        ),
        (("used", 0, 1, cards.REFLECTOR), "Twonky's Reflector throws the shot back at Zoom Bot"),
        (("counter", 0, -1, cards.MINE_LAYER, SQUARE, 2), "Twonky's Mine Layer has 2 left"),
        (("counter", 0, -1, cards.CONVERTER, SQUARE, 1), "Twonky's Converter holds 1 counter"),
        (("counter", 0, -1, cards.ABLATIVE_COAT, SQUARE, 2), "Twonky's Ablative Coat absorbs 2 more"),
        (("absorbed", 0, -1, cards.SHIELD), "Twonky's Shield stops a point of damage"),
        (("absorbed", 0, -1, cards.TURRET), "Twonky gives up its Turret instead of a point of damage"),
        (("revealed", 0, -1, 2, SQUARE, 70), "register 2 of Twonky is changed to Move 2 (700)"),
        (("revealed", 0, 1, 2, SQUARE, 70), "register 2 of Twonky copies Zoom Bot's Move 2 (700)"),
        (("second", 0, -1, 4, SQUARE, 7), "Twonky adds Rotate left (70) to register 4"),
        (("gadget", 0, -1, 3, SQUARE, number(GADGET_NAMES, "mine")), "Twonky puts a mine on register 3"),
        (("gadget", 0, -1, 3, SQUARE, number(GADGET_NAMES, "goo")), "Twonky puts goo on register 3"),
        (("gadget", 0, -1, 3, SQUARE, number(GADGET_NAMES, "big_one")), "Twonky puts the Big One on register 3"),
        (
            ("movement_option", 0, -1, 5, SQUARE, number(MOVEMENT_OPTION_NAMES, "retro_2")),
            "Twonky programs two counters of its Retro-Rockets for register 5",
        ),
        (("weapon", 0, 1, number(WEAPON_NAMES, "pressor_beam")), "Twonky's Pressor Beam meets Zoom Bot"),
        (("weapon", 0, -1, number(WEAPON_NAMES, "big_gun")), "Twonky fires its Big Gun at nobody"),
        (("token", 0, 1, cards.HOMING_DEVICE), "Twonky's homing token lies on Zoom Bot"),
        (("token", 0, -1, cards.INTERCEPTOR), "Twonky takes its interceptor token back"),
        (("device", 0, -1, number(DEVICE_NAMES, "proximity_mine")), "Twonky lays a proximity mine at (3, 2)"),
        (("device", 0, -1, number(DEVICE_NAMES, "drone")), "Twonky launches a drone at (3, 2)"),
        (("device_moved", 0, -1, number(DEVICE_NAMES, "missile"), 15, 3), "Twonky's missile flies to (3, 1)"),
        (("device_moved", 0, -1, number(DEVICE_NAMES, "mine"), 15, 3), "Twonky's mine moves to (3, 1)"),
        (("device_moved", 0, -1, number(DEVICE_NAMES, "missile"), -1, 3), "Twonky's missile leaves the board"),
        (("device_gone", -1, -1, number(DEVICE_NAMES, "mine")), "a mine is gone from (3, 2)"),
        (("device_turned", 0, -1, number(DEVICE_NAMES, "buzz_bomb"), 3, 1), "Twonky's buzz bomb turns east"),
        (("drone_aimed", 0, -1, number(DEVICE_NAMES, "drone"), 3, 15), "Twonky's drone aims for (3, 1)"),
        (("exploded", 0, -1, number(BLAST_NAMES, "mine"), SQUARE, 4), "Twonky's mine explodes at (3, 2) with power 4"),
        (
            ("exploded", 0, 0, number(BLAST_NAMES, "mine"), SQUARE, 4),
            "Twonky's mine explodes at (3, 2) with power 4 for Twonky alone",
        ),
        (("stuck", 0, -1, 3), "Twonky sticks in goo for 3 more squares"),
        (("stuck", 0, -1, 0), "Twonky is free of the goo"),
        (("bombed", 0), "a scrambler bomb catches Twonky"),
        (("hands", 0, 1), "Twonky swaps hands with Zoom Bot"),
        (("dealt_anew", 0, -1, 8), "Twonky recompiles and gets 8 cards"),
        (("damping", 0, -1, 1), "Twonky's Option Damping Field is on"),
        (("damping", 0, -1, 0), "Twonky's Option Damping Field is off"),
        (("flag_moved", -1, -1, 2, 15, 3), "flag 2 moves to (3, 1)"),
        (("team_flag", 0, -1, 2, SQUARE, 1), "flag 2 belongs to team 1"),
        (("superbot", 1), "Zoom Bot is the SuperBot"),
        (("side", 0, -1, cards.SHIELD, SQUARE, 2), "Twonky's Shield covers the right side"),
        (("side", 0, -1, cards.TURRET, SQUARE, 3), "Twonky's Turret fires to the back"),
        (("side", 0, -1, cards.REFLECTOR, SQUARE, 0), "Twonky's Reflector is off"),
        (("announced", 0, -1, cards.CIRCUIT_BREAKER), "Twonky's Circuit Breaker will power it down"),
        (("announced", 0, -1, 0), "Twonky announces a power-down"),
        (("damaged", 1, 0, 1, SQUARE, BY_RAMMING), "Twonky rams Zoom Bot: 1 point of damage"),
        (("damaged", 1, 0, 1, SQUARE, BY_HOWITZER), "Twonky's Mini Howitzer hits Zoom Bot: 1 point of damage"),
        (("damaged", 1, 0, 1, SQUARE, BY_REFLECTION), "Twonky reflects the shot to Zoom Bot: 1 point of damage"),
        (("damaged", 1, -1, 1, SQUARE, BY_OVERLOAD), "Zoom Bot overloads itself: 1 point of damage"),
        (("damaged", 1, -1, 1, SQUARE, BY_RECOMPILE), "recompiling costs Zoom Bot: 1 point of damage"),
        (("damaged", 1, 0, 4, SQUARE, BY_EXPLOSION), "Twonky's explosion hits Zoom Bot: 4 points of damage"),
        (("damaged", 1, -1, 4, SQUARE, BY_EXPLOSION), "an explosion hits Zoom Bot: 4 points of damage"),
        (("moved", 1, -1, number(CAUSE_NAMES, "weapon"), 15, 3), "a weapon moves Zoom Bot to (3, 1)"),
    ],
)
def test_events_of_options_in_words(event: tuple[Any, ...], words: str) -> None:
    assert explain(happened(*event), NAMES, WIDTH) == words


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (DEVICE_NAMES, phrases.DEVICE_WORDS),
        (BLAST_NAMES, phrases.BLAST_WORDS),
        (WEAPON_NAMES, phrases.WEAPON_PHRASES),
        (MOVEMENT_OPTION_NAMES, phrases.MOVEMENT_OPTION_PHRASES),
        ([name for name in HARM_NAMES if name not in ("pit", "edge", "crusher")], phrases.DESTROYED),
    ],
    ids=["devices", "blasts", "weapons", "movement options", "harms"],
)
def test_everything_that_rules_name_has_words(names: list[str], words: dict[str, str]) -> None:
    assert [name for name in names if name not in words] == []
    assert len(phrases.SIDE_WORDS) == len(SHIELD_NAMES)
    assert len(phrases.MOVEMENT_OPTION_WORDS) == len(MOVEMENT_OPTION_NAMES)


def test_every_harm_that_costs_points_says_what_does() -> None:
    fatal_only = {"pit", "edge", "crusher", "trapdoor", "elevator", "crumbled", "copy"}
    assert {name for name in HARM_NAMES if name not in phrases.HARMED} == fatal_only


@for_each(OPTION_CARDS, lambda card: card.id)
def test_every_option_is_named_where_it_acts(card: Any) -> None:
    for kind in ("option", "option_lost", "counter", "absorbed", "taken"):
        assert card.name in explain(happened(kind, 0, 1, card.number - 1, SQUARE, 0), NAMES, WIDTH)
    used = explain(happened("used", 0, 1, card.number - 1, SQUARE, 0), NAMES, WIDTH)
    assert used.startswith("Twonky")
    assert "option" not in used


def test_damage_by_an_explosion_names_the_device_and_its_owner() -> None:
    narrator = Narrator(NAMES, WIDTH)
    blast = number(BLAST_NAMES, "proximity_mine")
    burnt = happened("damaged", 0, -1, 1, SQUARE, BY_LASER)
    assert narrator.clause(burnt) == "a board laser hits Twonky: 1 point of damage"
    narrator.clause(happened("exploded", 0, -1, blast, SQUARE, 4))
    hit = happened("damaged", 1, 0, 2, SQUARE, BY_EXPLOSION)
    assert narrator.clause(hit) == "Twonky's proximity mine hits Zoom Bot: 2 points of damage"
    lost = happened("destroyed", 1, -1, BY_EXPLOSION)
    assert narrator.clause(lost) == "Zoom Bot is destroyed by Twonky's proximity mine"


def test_an_explosion_is_one_sentence() -> None:
    mine, gone = number(BLAST_NAMES, "mine"), number(DEVICE_NAMES, "mine")
    point = happened("damaged", 0, 0, 1, SQUARE, BY_EXPLOSION)
    events = [
        happened("device_gone", 0, -1, gone),
        happened("exploded", 0, -1, mine, SQUARE, 4),
        happened("damaged", 1, 0, 4, SQUARE, BY_EXPLOSION),
        point,
        point,
        happened("destroyed", 1, -1, BY_EXPLOSION),
    ]
    assert sentences_of(*events) == [
        "Twonky's mine explodes: Zoom Bot takes 4, Twonky takes 2",
        "Zoom Bot is destroyed by Twonky's mine",
    ]
    assert sentences_of(events[1]) == ["Twonky's mine explodes at (3, 2) with power 4"]
    assert sentences_of(events[0]) == ["Twonky's mine is gone from (3, 2)"]


def test_points_of_one_source_are_one_sentence() -> None:
    point = happened("damaged", 1, 0, 1, SQUARE, BY_ROBOT_LASER)
    other = happened("damaged", 1, -1, 1, SQUARE, BY_LASER)
    absorbed = happened("absorbed", 1, -1, cards.ABLATIVE_COAT)
    counted = happened("counter", 1, -1, cards.ABLATIVE_COAT, SQUARE, 2)
    assert sentences_of(point, absorbed, counted, other, point) == [
        "Twonky's laser hits Zoom Bot: 2 points of damage",
        "Zoom Bot's Ablative Coat absorbs a point of damage",
        "a board laser hits Zoom Bot: 1 point of damage",
    ]


def test_an_option_that_is_given_up_is_not_lost_once_more() -> None:
    given_up = happened("absorbed", 0, -1, cards.TURRET)
    lost = happened("option_lost", 0, -1, cards.TURRET)
    other = happened("option_lost", 0, -1, cards.BRAKES)
    assert sentences_of(given_up, lost, other) == [
        "Twonky gives up its Turret instead of a point of damage",
        "Twonky loses the option Brakes",
    ]


def test_what_a_weapon_launches_is_reported_once() -> None:
    weapon = happened("weapon", 0, -1, number(WEAPON_NAMES, "missile"))
    device = happened("device", 0, -1, number(DEVICE_NAMES, "missile"), SQUARE, 1)
    assert sentences_of(weapon, device) == ["Twonky launches a missile"]
    assert sentences_of(device) == ["Twonky launches a missile at (3, 2)"]


def test_a_robot_that_may_not_program_programs_nothing() -> None:
    events = [Event(0, 0, "T4", "programmed", 0, -1, r + 1, SQUARE, 0) for r in range(5)]
    assert sentences_of(*events) == ["Twonky programs nothing"]
