"""Devices on the board: the pool, events in the log, bridges, goo, and carried devices."""

from __future__ import annotations

import numpy as np
import pytest

from rr_gym.courses.course import Course
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.devices.devices import EXPLODES_AS, NO_SLOT, POWER, lay_device, remove_device, set_off, strain_goo
from rr_gym.rules.floor.ground import is_pit, is_pit_for
from rr_gym.rules.state.constants import (
    BIG_ONE_BODY,
    BIG_ONE_TOKEN,
    BRIDGE_TOKEN,
    DEVICE_NAMES,
    DRONE_TOKEN,
    EAST,
    GOO_TOKEN,
    LAY_MINE,
    MAX_DEVICES,
    MINE_TOKEN,
    MISSILE_TOKEN,
    NO_DEVICE,
)
from rr_gym.rules.state.events import DEVICE_GONE, DEVICE_LAID, EVENT_NAMES, EXPLODED
from rr_gym.rules.state.option_cards import MINE_LAYER
from rr_gym.rules.state.records import new_log
from rr_gym.rules.turn.turn import play_phase


@pytest.fixture
def played():
    """Return a game of two robots on a small board: (game, table, log)."""
    board = "@1 . . . X\n. . . . .\n. . . . @2\n"
    arena = Arena(Course.from_board(board, filename="board"), {"option_cards": "on", "virtual": "off"}, full=True)
    return arena.new_games(1, 2)[0], arena.tables[0], new_log()[0]


def lay(played, kind, square, owner=0, power=0):
    game, table, log = played
    return lay_device(game, table, log, kind, owner, square, 0, EAST, power)


def kinds(log):
    return [EVENT_NAMES[event["kind"]] for event in log.events[: log.count]]


def test_every_kind_of_device_has_its_power_and_explosion():
    assert len(POWER) == len(EXPLODES_AS) == len(DEVICE_NAMES)
    assert [name for name, power in zip(DEVICE_NAMES, POWER, strict=True) if power > 0] == [
        name for name, blast in zip(DEVICE_NAMES, EXPLODES_AS, strict=True) if blast >= 0
    ]


def test_a_slot_is_used_again(played):
    game, _, log = played
    assert [lay(played, MINE_TOKEN, square) for square in (5, 6, 7)] == [0, 1, 2]
    remove_device(game, log, 1)
    assert game.num_devices == 3
    assert lay(played, GOO_TOKEN, 8) == 1
    remove_device(game, log, 2)
    remove_device(game, log, 1)
    assert game.num_devices == 1


def test_without_a_free_slot_the_token_is_kept(played):
    game, table, log = played
    for _ in range(MAX_DEVICES):
        assert lay(played, BRIDGE_TOKEN, 4) != NO_SLOT
    assert lay(played, MINE_TOKEN, 5) == NO_SLOT
    robot = game.robots[0]
    robot.options |= np.uint64(1 << MINE_LAYER)
    game.payload[MINE_LAYER] = 2
    robot.orders.gadget[0] = LAY_MINE  # the third token is on the register
    game.phase = 1
    play_phase(game, table, log)
    assert game.payload[MINE_LAYER] == 3
    assert MINE_TOKEN not in game.devices["kind"]


def test_missiles_and_drones_take_the_highest_priority_that_is_free(played):
    game, _, log = played
    slots = [lay(played, MISSILE_TOKEN, 5) for _ in range(3)]
    assert [game.devices[slot].priority for slot in slots] == [735, 725, 715]
    remove_device(game, log, slots[1])
    assert game.devices[lay(played, MISSILE_TOKEN, 5)].priority == 725
    assert game.devices[lay(played, DRONE_TOKEN, 5)].priority == 880


def test_the_log_has_the_launch_the_explosion_and_the_end(played):
    game, _, log = played
    slot = lay(played, MINE_TOKEN, 7, power=4)
    set_off(game, log, slot)
    event_kinds = [int(event["kind"]) for event in log.events[: log.count]]
    assert event_kinds[0] == DEVICE_LAID
    assert event_kinds[-1] == DEVICE_GONE
    assert set(event_kinds) <= {DEVICE_LAID, EXPLODED, DEVICE_GONE}
    assert log.events[0]["square"] == 7
    assert log.events[0]["value"] == MINE_TOKEN
    assert game.num_devices == 0
    assert game.num_blasts == 1


def test_the_big_one_is_a_body_as_long_as_it_is_there(played):
    game, _, log = played
    slot = lay(played, BIG_ONE_TOKEN, 6, power=64)
    assert game.num_bodies == BIG_ONE_BODY + 1
    assert (game.robots[BIG_ONE_BODY].square, game.robots[BIG_ONE_BODY].facing) == (6, EAST)
    assert lay(played, BIG_ONE_TOKEN, 7) == NO_SLOT  # there can be only one
    remove_device(game, log, slot)
    assert game.num_bodies == 2
    assert not game.robots[BIG_ONE_BODY].alive
    assert game.devices[slot].kind == NO_DEVICE


def test_the_bridge_of_a_virtual_robot_exists_only_for_that_robot(played):
    game, table, _ = played
    assert is_pit(game, table, 4)
    game.robots[0].virtual = 1
    lay(played, BRIDGE_TOKEN, 4, owner=0)
    assert is_pit(game, table, 4)
    assert [is_pit_for(game, table, robot, 4) for robot in (0, 1)] == [False, True]
    lay(played, BRIDGE_TOKEN, 4, owner=1)
    assert not is_pit(game, table, 4)


def test_goo_breaks_for_everybody_who_sticks_in_it(played):
    game, _, log = played
    slot = lay(played, GOO_TOKEN, 6)
    for robot in game.robots[:2]:
        robot.square, robot.goo = 6, 4
    for left in (3, 2, 1):
        strain_goo(game, log, 0)
        assert [game.robots[i].goo for i in (0, 1)] == [left, left]
        assert game.devices[slot].left == left
    strain_goo(game, log, 1)
    assert [game.robots[i].goo for i in (0, 1)] == [0, 0]
    assert game.num_devices == 0
    assert kinds(log)[-1] == "device_gone"
