"""The tokens on a board after an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from rr_gym.render.pieces import Piece
from rr_gym.render.tokens import NOBODY, DeviceToken, Tokens
from rr_gym.render.words import Event
from rr_gym.rules.state.constants import DEVICE_NAMES
from rr_gym.rules.state.option_cards import HOMING_DEVICE, INTERCEPTOR, OPTION_DAMPING_FIELD


def with_event(tokens: Tokens, event: Event, pieces: Sequence[Piece]) -> Tokens:
    """Return the tokens after an event; `pieces` are the robots before it."""
    value, seat = event.value, event.robot
    match event.kind:
        case "device":
            return _laid(tokens, event, seat >= 0 and pieces[seat].virtual)
        case "device_moved":
            return _changed(tokens, event, event.target, square=event.square)
        case "device_turned":
            return _changed(tokens, event, event.square, facing=event.target)
        case "drone_aimed":
            return _changed(tokens, event, event.square, target=event.target)
        case "device_gone":
            gone = _find(tokens, event, event.square)
            return replace(tokens, devices=tuple(device for device in tokens.devices if device is not gone))
        case "token" if value == HOMING_DEVICE:
            return replace(tokens, homing=event.other)
        case "token" if value == INTERCEPTOR:
            return replace(tokens, interceptor=event.other)
        case "damping":
            return replace(tokens, damping=seat if value else NOBODY)
        case "superbot":
            return replace(tokens, superbot=seat)
        case "option_lost":
            return _without(tokens, value)
        case "taken":
            return _taken(tokens, value, seat, event.other)
        case "team_flag":
            teams = list(tokens.flag_teams)
            teams[value - 1 : value] = [event.target]
            return replace(tokens, flag_teams=tuple(teams))
    return tokens


def _laid(tokens: Tokens, event: Event, virtual: bool) -> Tokens:
    kind = DEVICE_NAMES[event.value]
    number = max((device.number for device in tokens.devices), default=-1) + 1
    device = DeviceToken(kind, event.robot, event.square, virtual=virtual, number=number)
    return replace(tokens, devices=(*tokens.devices, replace(device, facing=event.target if device.flies else 0)))


def _find(tokens: Tokens, event: Event, square: int) -> DeviceToken | None:
    """Return the device that an event is about, or any of several equal ones; None if there is none."""
    for device in tokens.devices:
        if (device.kind, device.owner, device.square) == (DEVICE_NAMES[event.value], event.robot, square):
            return device
    return None


def _changed(tokens: Tokens, event: Event, where: int, **fields: Any) -> Tokens:
    found = _find(tokens, event, where)
    devices = (replace(device, **fields) if device is found else device for device in tokens.devices)
    return replace(tokens, devices=tuple(devices))


def _without(tokens: Tokens, option: int) -> Tokens:
    """Return the tokens without the one that belongs to an option."""
    field = {HOMING_DEVICE: "homing", INTERCEPTOR: "interceptor", OPTION_DAMPING_FIELD: "damping"}.get(option)
    nobody: dict[str, Any] = {field: NOBODY} if field else {}
    return replace(tokens, **nobody)


def _taken(tokens: Tokens, option: int, taker: int, giver: int) -> Tokens:
    """Return the tokens after an option changes hands: its token is kept, except when it lies on the new owner."""
    on_taker = {HOMING_DEVICE: tokens.homing, INTERCEPTOR: tokens.interceptor}.get(option, NOBODY) == taker
    if on_taker:
        return _without(tokens, option)
    if option == OPTION_DAMPING_FIELD and tokens.damping == giver:
        return replace(tokens, damping=taker)
    return tokens
