"""What is going to be played: the course, who sits where, the settings, the timer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from typing import Any

from msgspec import Struct, ValidationError, convert
from msgspec.structs import replace

from rr_gym.courses import Course, list_courses, load_course
from rr_gym.errors import RoboRallyError, printable, short_repr
from rr_gym.player_names import BUILT_IN, PERSON
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.settings import Settings, resolve_settings

OWN_COURSE = "own"  # what pages call the course of a file, of which they learn the name but not the path
LONGEST_TIMER = 3600  # seconds
LONGEST_NAME = 24  # letters that people may call themselves by
FRONT = ("option_cards", "lives", "power_down", "start_options", "robot_lasers")  # settings that are offered first


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """What is going to be played.

    Attributes:
        course: The id of a built-in course, or the path that the command was given.
        seats: By seat, the name of a player, or `PERSON`.
        settings: Settings by name, those that differ from their defaults.
        timer: The seconds that people have for the orders of a turn, 0 for as many as they like.
        host_seat: The seat of the person who sets up the game, -1 for none.
    """

    course: str
    seats: tuple[str, ...]
    settings: dict[str, str | int] = {}
    timer: int = 0
    host_seat: int = 0


def read_plan(data: Any, own: str, players: Sequence[str]) -> Plan:
    """Return the plan that a page has sent, after checking it.

    Args:
        data: The plan as JSON.
        own: The path of the course that pages call `OWN_COURSE`, "" for none.
        players: The names of players that may be chosen.

    Raises:
        RoboRallyError: It is not a plan that can be played.
    """
    try:
        plan = convert(data, Plan)
    except ValidationError as error:
        raise RoboRallyError(f"plan: {error}") from None
    if own and plan.course == OWN_COURSE:
        plan = replace(plan, course=own)
    elif plan.course not in list_courses():
        raise RoboRallyError(f"course: {short_repr(plan.course)}: expected a built-in one")
    if not 1 <= len(plan.seats) <= MAX_ROBOTS:
        raise RoboRallyError(f"seats: {len(plan.seats)}: expected 1 to {MAX_ROBOTS}")
    for seat, name in enumerate(plan.seats):
        if name != PERSON and name not in players:
            allowed = ", ".join((PERSON, *players))
            raise RoboRallyError(f"seat {seat + 1}: {short_repr(name)}: expected one of {allowed}")
    if PERSON not in plan.seats:
        raise RoboRallyError("seats: no person: expected at least one")
    if plan.host_seat != -1 and (not 0 <= plan.host_seat < len(plan.seats) or plan.seats[plan.host_seat] != PERSON):
        raise RoboRallyError(f"host_seat: {plan.host_seat}: expected the seat of a person, or -1")
    if not 0 <= plan.timer <= LONGEST_TIMER:
        raise RoboRallyError(f"timer: {plan.timer}: expected 0 to {LONGEST_TIMER} seconds")
    resolve_settings(("settings", plan.settings))
    return plan


def read_name(name: Any) -> str:
    """Return a name that a person has chosen, fit to be shown; "" for none. Raises RoboRallyError."""
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        raise RoboRallyError(f"name: {short_repr(name)}: expected at most {LONGEST_NAME} letters")
    return printable(" ".join(name.split()))


def choices_json(own: Course | None, players: Sequence[str]) -> dict[str, Any]:
    """Return what a page offers: courses, players with a line about each, and settings with their values.

    Args:
        own: The course that pages call `OWN_COURSE`, offered first.
        players: The names of players that may be chosen.
    """
    settings = sorted(fields(Settings), key=_rank)
    first = [] if own is None else [_course(OWN_COURSE, own)]
    return {
        "courses": [*first, *(_course(name, load_course(name)) for name in list_courses())],
        "players": [{"name": name, "doc": BUILT_IN.get(name, "")} for name in players],
        "settings": [_setting(setting.name, setting.default, setting.metadata) for setting in settings],
        "most_robots": MAX_ROBOTS,
        "longest_timer": LONGEST_TIMER,
    }


def _rank(setting: Field[Any]) -> int:
    return FRONT.index(setting.name) if setting.name in FRONT else len(FRONT)


def _course(name: str, course: Course) -> dict[str, Any]:
    about = {key: course.details[key] for key in ("length", "difficulty") if key in course.details}
    return {
        "id": name, "name": course.name, "size": course.size, "flags": len(course.flags), "about": about,
        "players": [min(course.players, default=1), max(course.players, default=MAX_ROBOTS)],
    }  # fmt: skip


def _setting(name: str, default: Any, about: Mapping[str, Any]) -> dict[str, Any]:
    low, high = about.get("range", (0, -1))
    many = "cards" in about
    return {
        "name": name,
        "about": about["doc"],
        "default": default,
        "values": list(OPTION_NAMES) if many else [*about.get("values", ()), *range(low, high + 1)],
        "many": many,  # any of the values may be chosen, and the default stands for none of them
        "front": name in FRONT,
    }
