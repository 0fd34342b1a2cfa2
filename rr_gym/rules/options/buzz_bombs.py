"""Buzz bombs before they fly (R-O32): who owns them, who knows and orders their cards, and how one is activated."""

from __future__ import annotations

from rr_gym.compilation.kernels import kernel
from rr_gym.compilation.records import Array
from rr_gym.rules.devices.devices import NO_SLOT, find_device
from rr_gym.rules.options.options import note_use, owns, use_up
from rr_gym.rules.state.cards import discard
from rr_gym.rules.state.constants import BUZZ_TOKEN, NUM_REGISTERS
from rr_gym.rules.state.events import OPTION_USED
from rr_gym.rules.state.option_cards import BUZZ_BOMB
from rr_gym.rules.state.records import GameRecord, Log, OrdersRecord


@kernel
def bomb_owner(game: GameRecord) -> int:
    """Return the robot whose buzz bomb is on the board, -1 if there is no bomb or it belongs to nobody."""
    slot = find_device(game, BUZZ_TOKEN)
    return -1 if slot == NO_SLOT else int(game.devices[slot].owner)


# mutants: only masks and observations use it: tests/encoding/test_option_actions.py
@kernel
def knows_bomb(game: GameRecord, seat: int) -> bool:
    """Tell whether a seat knows the cards of the buzz bomb: it owns the one in play, or may launch one."""
    if not owns(game.robots[seat], BUZZ_BOMB):
        return False
    flown_by = bomb_owner(game)
    return flown_by < 0 or flown_by == seat


# mutants: only masks and observations use it: tests/encoding/test_option_actions.py
@kernel
def orders_bomb(game: GameRecord, seat: int, launches: bool) -> bool:
    """Tell whether a seat orders the cards of its buzz bomb: the one in play, or with `launches` an unused one."""
    if not knows_bomb(game, seat):
        return False
    return bomb_owner(game) == seat or (launches and game.payload[BUZZ_BOMB] > 0)


@kernel
def activate_buzz_bomb(game: GameRecord, log: Log, robot: int) -> None:
    """Put an activated bomb into play, unless another bomb is in play already (R-O32.1, R-O32.5)."""
    body = game.robots[robot]
    possible = owns(body, BUZZ_BOMB) and game.payload[BUZZ_BOMB] > 0 and find_device(game, BUZZ_TOKEN) == NO_SLOT
    if not body.orders.buzz or not possible:
        body.orders.buzz = 0
        return
    use_up(game, log, robot, BUZZ_BOMB, 1)
    note_use(game, log, OPTION_USED, robot, BUZZ_BOMB)


@kernel
def program_buzz_bomb(game: GameRecord, orders: Array[OrdersRecord]) -> None:
    """Arrange the five cards of the buzz bomb as its owner's orders say (R-O32.2).

    They stay as they were dealt if the owner cannot decide, because it is powered down, has lost the option, or
    programs nothing (R-O32.6). If no bomb is in play, they are discarded.
    """
    owner = bomb_owner(game)
    for i in range(game.num_robots):
        if game.robots[i].orders.buzz:
            owner = i
    program = game.buzz_program
    if owner < 0:  # mutants (never): without a bomb, nothing uses the cards
        if find_device(game, BUZZ_TOKEN) == NO_SLOT:
            for k in range(NUM_REGISTERS):
                discard(game, program[k])
                program[k] = 0
        return
    body = game.robots[owner]
    # mutants: scenarios set the cards of bombs: tests/rules/test_option_programs.py
    if not body.alive or body.down or game.bombed >> owner & 1 or not owns(body, BUZZ_BOMB):
        return
    done = 0
    for k in range(NUM_REGISTERS):
        wanted = orders[owner].buzz_program[k]
        for j in range(done, NUM_REGISTERS):
            # mutants (never): scenarios set the cards of bombs: tests/rules/test_option_programs.py
            if wanted and program[j] == wanted:
                for shift in range(j, done, -1):
                    program[shift] = program[shift - 1]
                program[done] = wanted
                done += 1
                break
