"""The events of a turn as plain objects, whose fields say in words what they are (docs/protocol.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rr_gym.encoding.observe.view import square_of
from rr_gym.render.seen_events import seen_by
from rr_gym.render.words import Event
from rr_gym.rules.arena.hidden import hides_option
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import (
    BLAST_NAMES,
    CAUSE_NAMES,
    DEVICE_NAMES,
    DIRECTION_NAMES,
    GADGET_NAMES,
    HARM_NAMES,
    MOVEMENT_OPTION_NAMES,
    NUM_REGISTERS,
    SHIELD_NAMES,
    WEAPON_NAMES,
)
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.records import GameRecord

Convert = Callable[[int], Any]
Field = tuple[str, str, Convert | None]  # a field of the object, the number of the event, and its words; None: a square


def _word(names: tuple[str, ...]) -> Convert:
    return lambda number: names[number] if 0 <= number < len(names) else None


def _number(number: int) -> int:
    return number


def _seat(number: int) -> int | None:
    return None if number < 0 else number


_card: Convert = lambda number: card_name(number) if number > 0 else None  # noqa: E731
_facing, _option, _device = _word(DIRECTION_NAMES), _word(OPTION_NAMES), _word(DEVICE_NAMES)

_AT: Field = ("at", "square", None)
_REGISTER: Field = ("register", "value", _number)
_CARD: Field = ("card", "target", _card)
_OPTION: Field = ("option", "value", _option)
_DEVICE: Field = ("device", "value", _device)
_FROM_TO: tuple[Field, ...] = (("from", "target", None), ("to", "square", None))

# The fields of each kind of event besides `event`, `phase` and `robot`.
EVENT_FIELDS: dict[str, tuple[Field, ...]] = {
    "programmed": (_REGISTER, _CARD),
    "announced": (),
    "powered_down": (),
    "powered_up": (),
    "faced": (("facing", "value", _facing),),
    "card": (("card", "value", _card),),
    "moved": (*_FROM_TO, ("cause", "value", _word(CAUSE_NAMES)), ("pushed_by", "other", _seat)),
    "blocked": (_AT, ("direction", "value", _facing)),
    "turned": (("facing", "value", _facing),),
    "shot": (
        ("from", "square", None), ("to", "target", None), ("direction", "value", _facing), ("hit", "other", _seat),
    ),
    "damaged": (("points", "value", _number), ("by", "other", _seat), ("reason", "target", _word(HARM_NAMES))),
    "locked": (_REGISTER, _CARD),
    "unlocked": (_REGISTER,),
    "repaired": (("points", "value", _number),),
    "destroyed": (_AT, ("reason", "value", _word(HARM_NAMES))),
    "flag": (_AT, ("flag", "value", _number)),
    "archived": (_AT,),
    "became_real": (),
    "reentered": (_AT, ("facing", "value", _facing), ("virtual", "target", lambda number: number == 1)),
    "out": (),
    "won": (),
    "over": (),
    "option": (_OPTION,),
    "option_lost": (_OPTION,),
    "gun": (_AT, ("facing", "value", _facing)),
    "flipped": (("state", "value", _number),),
    "room_turned": (("room", "value", _number),),
    "pistons": (("up", "value", _word(("a", "b"))),),
    "crumbled": (_AT,),
    "level": (("level", "value", _number),),
    "flying": (("flying", "value", bool),),
    "burning": (("points", "value", _number),),
    "asleep": (("phases", "value", _number),),
    "energized": (("energized", "value", bool),),
    "copy": (_AT, ("facing", "value", _facing)),
    "used": (_OPTION,),
    "counter": (_OPTION, ("left", "target", _number)),
    "absorbed": (_OPTION,),
    "revealed": (_REGISTER, _CARD),
    "second": (_REGISTER, _CARD),
    "gadget": (_REGISTER, ("gadget", "target", _word(GADGET_NAMES))),
    "movement_option": (_REGISTER, ("movement_option", "target", _word(MOVEMENT_OPTION_NAMES))),
    "weapon": (
        ("weapon", "value", _word(WEAPON_NAMES)), ("at_robot", "other", _seat),
        ("from", "square", None), ("to", "target", None),
    ),
    "token": (_OPTION, ("on_robot", "other", _seat)),
    "device": (_AT, _DEVICE, ("facing", "target", _facing)),
    "device_moved": (_DEVICE, *_FROM_TO),
    "device_gone": (_AT, _DEVICE),
    "exploded": (
        _AT, ("what", "value", _word(BLAST_NAMES)), ("power", "target", _number), ("for_robot_alone", "other", _seat),
    ),
    "stuck": (("squares", "value", _number),),
    "bombed": (),
    "hands": (("with_robot", "other", _seat),),
    "dealt_anew": (("cards", "value", _number),),
    "damping": (("on", "value", bool),),
    "flag_moved": (("flag", "value", _number), *_FROM_TO),
    "team_flag": (("flag", "value", _number), ("team", "target", _number)),
    "superbot": (),
    "taken": (_OPTION, ("from_robot", "other", _seat)),
    "device_turned": (_AT, _DEVICE, ("facing", "target", _facing)),
    "drone_aimed": (_DEVICE, _AT, ("target", "target", None)),
    "side": (_OPTION, ("side", "target", _word(SHIELD_NAMES))),
}  # fmt: skip


def turn_report(events: Iterable[Event], game: GameRecord, seat: int, width: int) -> dict[str, Any]:
    """Return what a seat saw of a turn that was played: `turn`, `programs` and `events`.

    Args:
        events: The events of the turn, also those that the seat cannot know.
        game: The game after it.
        seat: The seat.
        width: The width of the course in squares.
    """
    told, programs = [], [[None] * NUM_REGISTERS for _ in range(int(game["num_robots"]))]
    for event in seen_by(events, seat):
        if event.kind == "card" and event.phase and event.robot >= 0:
            played: list[Any] = programs[event.robot]
            played[event.phase - 1] = played[event.phase - 1] or _card(event.value)
        if event.kind == "option" and _is_hidden(event, game, seat):
            continue
        told.append(event_object(event, width))
    turn = int(game["turn"]) - (not game["over"])  # the record does not count the turn in which a game ends
    return {"turn": turn, "programs": programs, "events": told}


def _is_hidden(event: Event, game: GameRecord, seat: int) -> bool:
    return event.robot >= 0 and bool(hides_option(game, seat, event.robot, event.value))


def event_object(event: Event, width: int) -> dict[str, Any]:
    """Return an event as a plain object; squares are [x, y], null off the board.

    Args:
        event: The event.
        width: The width of the course in squares.
    """
    found: dict[str, Any] = {"event": event.kind, "phase": event.phase}
    if event.robot >= 0:
        found["robot"] = event.robot
    for name, number, words in EVENT_FIELDS[event.kind]:
        value = getattr(event, number)
        if words is not None:
            found[name] = words(value)
        else:
            found[name] = square_of(value, width) if value >= 0 else None
    return found
