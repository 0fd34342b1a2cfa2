"""Randomizers (R-E15): cards replaced at random after they are shown."""

from __future__ import annotations

from rr_gym.courses.tables.ground import RANDOMIZER
from rr_gym.forms import with_elements
from rr_gym.rules.driving.registers import replace_cards
from rr_gym.rules.floor.ground import flies, stands_on
from rr_gym.rules.robot.current_cards import current_register
from rr_gym.rules.robot.sleep import sleeping
from rr_gym.rules.state.cards import draw_card
from rr_gym.rules.state.constants import DECK
from rr_gym.rules.state.events import PROGRAMMED, note_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table


@with_elements(None)
def randomizers_replace(game: GameRecord, table: Table, log: Log) -> None:
    """Replace the current card of each robot on a randomizer by the top card of the draw pile (A3, R-E15).

    Locked cards, second cards and copies by Radio Control are replaced too; tokens stay. If the pile is empty, nothing
    is replaced.
    """
    for i in range(game.num_robots):
        robot = game.robots[i]
        if not robot.alive or robot.down or sleeping(game, table, i):
            continue
        if not stands_on(game, table, i, RANDOMIZER) or flies(game, table, i):
            continue
        card = draw_card(game, DECK)
        if card:
            register = current_register(game, table, i)
            replace_cards(game, i, register, card)
            note_at(game, log, PROGRAMMED, i, -1, register + 1, robot.square, card)
