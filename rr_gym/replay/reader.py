"""Read the contents of a replay file and check them field by field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, NoReturn, TypeVar

import numpy as np

from rr_gym.courses import Course
from rr_gym.courses.changes import AS_PRINTED, Changes
from rr_gym.courses.tables.ground import MAX_CRUMBLY, MAX_ROOMS
from rr_gym.errors import ReplayError, RoboRallyError, did_you_mean, short_repr
from rr_gym.render.pieces import Piece
from rr_gym.render.tokens import NO_TOKENS, Tokens
from rr_gym.render.words import Event
from rr_gym.replay.recording import FORMAT, FORMAT_VERSION, RecordedTurn, Recording, without_devices
from rr_gym.rules.state.constants import (
    BLAST_NAMES,
    CAUSE_NAMES,
    DECK_SIZE,
    DEVICE_NAMES,
    DIRECTION_NAMES,
    GADGET_NAMES,
    MAX_FLAGS,
    MAX_ROBOTS,
    MOVEMENT_OPTION_NAMES,
    NUM_REGISTERS,
    SHIELD_NAMES,
    STEP_NAMES,
    WEAPON_NAMES,
)
from rr_gym.rules.state.events import EVENT_NAMES
from rr_gym.rules.state.option_cards import OPTION_NAMES
from rr_gym.rules.state.order_table import name_of, word_of
from rr_gym.rules.state.records import FULL_ORDERS, STATE_VERSION, no_orders
from rr_gym.rules.state.settings import resolve_settings
from rr_gym.salt import read_salt

FIELDS = (
    "format", "version", "rules", "course", "settings", "seed", "index", "episode", "players", "start", "board",
    "tokens", "turns", "result",
)  # fmt: skip
NEWER_SETTINGS = ("banned_options", "cb_choice", "late_damage")  # older files lack them: they have their defaults
BYTE = (-128, 127)
EVENT_COLUMNS: dict[str, tuple[int, int]] = {  # ranges of the numbers of an event; the rest are names
    "turn": (0, 2**31 - 1),
    "phase": (0, NUM_REGISTERS),
    "robot": (-1, MAX_ROBOTS - 1),
    "other": (-1, MAX_ROBOTS - 1),
    "value": BYTE,
    "square": (-1, 2**15 - 1),
    "target": (-(2**15), 2**15 - 1),
}
REGISTER, DIRECTION, CARD = (1, NUM_REGISTERS), (0, len(DIRECTION_NAMES) - 1), (0, DECK_SIZE)
OPTION, DEVICE = (0, len(OPTION_NAMES) - 1), (1, len(DEVICE_NAMES) - 1)
FLAG_KINDS = frozenset({"flag_moved", "team_flag"})
# Tables that pictures and words index with the numbers of an event, by its kind
VALUES = {
    "programmed": REGISTER, "locked": REGISTER, "unlocked": REGISTER, "card": CARD,
    "faced": DIRECTION, "turned": DIRECTION, "blocked": DIRECTION, "shot": DIRECTION, "reentered": DIRECTION,
    "gun": DIRECTION, "copy": DIRECTION,
    "moved": (0, len(CAUSE_NAMES) - 1), "flipped": (0, 1), "pistons": (0, 1), "room_turned": (0, MAX_ROOMS - 1),
    "revealed": REGISTER, "second": REGISTER, "gadget": REGISTER, "movement_option": REGISTER,
    "weapon": (0, len(WEAPON_NAMES) - 1), "exploded": (0, len(BLAST_NAMES) - 1),
    **dict.fromkeys(("option", "option_lost", "used", "counter", "absorbed", "token", "taken", "side"), OPTION),
    **dict.fromkeys(("device", "device_moved", "device_gone", "device_turned", "drone_aimed"), DEVICE),
}  # fmt: skip
TARGETS = {
    "programmed": CARD, "locked": CARD, "crumbled": (0, MAX_CRUMBLY - 1), "revealed": CARD, "second": CARD,
    "gadget": (0, len(GADGET_NAMES) - 1), "movement_option": (0, len(MOVEMENT_OPTION_NAMES) - 1),
    "side": (0, len(SHIELD_NAMES) - 1), "device": DIRECTION, "device_turned": DIRECTION, "exploded": (0, BYTE[1]),
    "team_flag": (0, MAX_ROBOTS),
}  # fmt: skip

R = TypeVar("R", bound=Recording)


def read_replay(make: Callable[..., R], data: Any, where: str) -> R:
    """Create a replay with `make`, from the decoded JSON of a file, after checking every field.

    Raises:
        ReplayError: A field is malformed; the message names `where`, the field, its value and what was expected.
    """
    return make(**_ReplayReader(where).replay(data))


class _ReplayReader:
    """Reads the fields of a replay one by one; errors begin with `where`, the name of the file."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.num_robots = 0
        self.num_squares = 0
        self.num_flags = 0

    def fail(self, name: str, value: Any, expected: str) -> NoReturn:
        raise ReplayError(f"{self.where}: {name}: {short_repr(value, 60)}: expected {expected}")

    def number(self, name: str, value: Any, low: int, high: int) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            self.fail(name, value, f"a whole number from {low} to {high}")
        return value

    def flag(self, name: str, value: Any) -> bool:
        if not isinstance(value, bool):
            self.fail(name, value, "true or false")
        return value

    def text(self, name: str, value: Any) -> str:
        if not isinstance(value, str) or not value.isprintable():
            self.fail(name, value, "text on one line")
        return value

    def items(self, name: str, value: Any, length: int | None = None) -> list[Any]:
        if not isinstance(value, list) or (length is not None and len(value) != length):
            self.fail(name, value, "a list" if length is None else f"a list of {length}")
        return value

    def mapping(self, name: str, value: Any, keys: Sequence[str], complete: bool = True) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail(name, value, f"an object with {', '.join(keys)}")
        for key in value:
            if key not in keys:
                hint = did_you_mean(key, keys)
                self.fail(f"{name}.{key}", value[key], f"no such field; {hint}" if hint else "no such field")
        missing = [key for key in keys if key not in value]
        if complete and missing:
            self.fail(name, value, f"the field '{missing[0]}'")
        return value

    def replay(self, data: Any) -> dict[str, Any]:
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            self.fail("format", data.get("format") if isinstance(data, dict) else data, repr(FORMAT))
        if data.get("version") != FORMAT_VERSION:
            self.fail("version", data.get("version"), f"{FORMAT_VERSION}, the only version that is read")
        self.mapping("replay", {"salt": None, **data}, (*FIELDS, "salt"))  # the salt is optional
        rules = self.mapping("rules", data["rules"], ("package", "state"))
        if rules["state"] != STATE_VERSION:
            self.fail("rules.state", rules["state"], f"{STATE_VERSION}: it was recorded under other rules")
        course = self.course(data["course"])
        self.num_squares, self.num_flags = course.size[0] * course.size[1], len(course.flags)
        players = [self.text(f"players[{i}]", name) for i, name in enumerate(self.items("players", data["players"]))]
        self.num_robots = self.number("players: how many", len(players), 1, MAX_ROBOTS)
        result = self.mapping("result", data["result"], ("over", "winners", "placements"))
        start = self.items("start", data["start"], self.num_robots)
        turns = self.items("turns", data["turns"])
        winners = self.items("result.winners", result["winners"])
        placements = self.items("result.placements", result["placements"], self.num_robots)
        return {
            "course": course,
            "settings": self.settings(data["settings"]),
            "seed": None if data["seed"] is None else self.number("seed", data["seed"], 0, 2**64 - 1),
            "salt": self.salt(data["salt"]) if "salt" in data else 0,
            "index": self.number("index", data["index"], 0, 2**32 - 1),
            "episode": self.number("episode", data["episode"], 0, 2**32 - 1),
            "players": tuple(players),
            "start": tuple(self.piece(f"start[{i}]", piece) for i, piece in enumerate(start)),
            "board": self.board(data["board"]),
            "tokens": self.tokens(data["tokens"]),
            "turns": tuple(self.turn(f"turns[{i}]", turn) for i, turn in enumerate(turns)),
            "winners": tuple(self.number("result.winners", seat, 0, self.num_robots - 1) for seat in winners),
            "placements": tuple(self.number("result.placements", place, 1, MAX_ROBOTS) for place in placements),
            "over": self.flag("result.over", result["over"]),
            "package": self.text("rules.package", rules["package"]),
        }

    def salt(self, value: Any) -> int:
        if not isinstance(value, str):
            self.fail("salt", value, "32 hexadecimal digits")
        return read_salt(f"{self.where}: salt", value, ReplayError)

    def course(self, text: Any) -> Course:
        try:
            if not isinstance(text, str):
                self.fail("course", text, "text")
            return Course.from_yaml(text)
        except ReplayError:
            raise
        except RoboRallyError as error:
            raise ReplayError(f"{self.where}: course: {error}") from error

    def settings(self, value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            self.fail("settings", value, "an object of settings")
        try:
            settings = asdict(resolve_settings((f"{self.where}: settings", value)))
        except ReplayError:
            raise
        except RoboRallyError as error:
            raise ReplayError(str(error)) from error
        missing = [name for name in settings if name not in value and name not in NEWER_SETTINGS]
        if missing:
            self.fail("settings", value, f"every setting; '{missing[0]}' is missing")
        return settings

    def record(
        self, name: str, value: Any, examples: dict[str, Any], limits: dict[str, tuple[int, int]]
    ) -> dict[str, Any]:
        """Read an object with the fields of the examples, each of the same kind, and numbers within their limits."""
        given = self.mapping(name, value, tuple(examples))
        checked: dict[str, Any] = {}
        for key, example in examples.items():
            where, ends = f"{name}.{key}", limits.get(key, CARD if isinstance(example, list) else BYTE)
            match example:
                case bool():
                    checked[key] = self.flag(where, given[key])
                case list():  # a number for each register
                    numbers = self.items(where, given[key], NUM_REGISTERS)
                    checked[key] = [self.number(where, number, *ends) for number in numbers]
                case tuple():
                    checked[key] = tuple(self.number(where, number, *ends) for number in self.items(where, given[key]))
                case dict():  # of option cards
                    owned = self.mapping(where, given[key], OPTION_NAMES, complete=False)
                    checked[key] = {option: self.number(f"{where}.{option}", n, *ends) for option, n in owned.items()}
                case _:
                    checked[key] = self.number(where, given[key], *ends)
        return checked

    def piece(self, name: str, value: Any) -> Piece:
        squares = (-1, self.num_squares - 1)
        side = TARGETS["side"]
        return Piece(**self.record(name, value, asdict(Piece()), {
            "square": squares, "archive": squares, "copy_square": squares,
            "facing": DIRECTION, "copy_facing": DIRECTION, "locked": (0, 31), "team": (0, MAX_ROBOTS),
            "carries": (0, MAX_FLAGS), "shield": side, "reflector": side, "turret": side, "copied": (-1, DECK_SIZE),
            "gadgets": TARGETS["gadget"], "movement_options": TARGETS["movement_option"],
        }))  # fmt: skip

    def board(self, value: Any) -> Changes:
        changes = Changes(**self.record("board", value, asdict(AS_PRINTED), {
            "rooms": DIRECTION, "flip": (0, 1), "piston_up": (-1, 1), "crumbled": (0, MAX_CRUMBLY - 1),
            "guns": DIRECTION, "risen": (0, NUM_REGISTERS), "flags": (0, self.num_squares - 1),
        }))  # fmt: skip
        self.one_per_flag("board.flags", changes.flags)
        return changes

    def tokens(self, value: Any) -> Tokens:
        examples = without_devices(NO_TOKENS)
        limits = dict.fromkeys(examples, (-1, self.num_robots - 1)) | {"flag_teams": TARGETS["team_flag"]}
        tokens = Tokens(**self.record("tokens", value, examples, limits))
        self.one_per_flag("tokens.flag_teams", tokens.flag_teams)
        return tokens

    def one_per_flag(self, name: str, values: Sequence[int]) -> None:
        if len(values) not in (0, self.num_flags):
            self.fail(name, list(values), f"a list of {self.num_flags}, or none")

    def turn(self, name: str, value: Any) -> RecordedTurn:
        self.mapping(name, value, ("orders", "events"))
        orders = no_orders(self.num_robots, full=True)
        for seat, given in enumerate(self.items(f"{name}.orders", value["orders"], self.num_robots)):
            self.orders(f"{name}.orders[{seat}]", given, orders[seat : seat + 1])
        events = self.items(f"{name}.events", value["events"])
        return RecordedTurn(orders, tuple(self.event(f"{name}.events[{i}]", event) for i, event in enumerate(events)))

    def orders(self, name: str, given: Any, out: np.ndarray[Any, Any]) -> None:
        words = tuple(map(word_of, FULL_ORDERS.names or ()))
        for word, value in self.mapping(name, given, words, complete=False).items():
            field = out[name_of(word)]
            if field.ndim > 1:
                values = self.items(f"{name}.{word}", value, field.shape[1])
                field[0] = [self.number(f"{name}.{word}", v, *BYTE) for v in values]
            else:
                field[:] = self.number(f"{name}.{word}", value, *BYTE)

    def event(self, name: str, value: Any) -> Event:
        event = Event(*self.items(name, value, len(Event._fields)))
        for column, (low, high) in EVENT_COLUMNS.items():
            high = min(high, self.num_robots - 1) if column in ("robot", "other") else high
            high = min(high, self.num_squares - 1) if column == "square" else high
            self.number(f"{name}.{column}", getattr(event, column), low, high)
        if event.step not in STEP_NAMES:
            self.fail(f"{name}.step", event.step, "a sub-step of the timing table, such as 'B1'")
        if event.kind not in EVENT_NAMES:
            self.fail(f"{name}.kind", event.kind, f"one of {', '.join(EVENT_NAMES)}")
        flag = (1, self.num_flags) if event.kind in FLAG_KINDS else BYTE
        self.number(f"{name}.value", event.value, *VALUES.get(event.kind, flag))
        if event.kind == "flag_moved":
            self.number(f"{name}.square", event.square, 0, self.num_squares - 1)
        self.number(f"{name}.target", event.target, *TARGETS.get(event.kind, EVENT_COLUMNS["target"]))
        return event
