"""Randomizers (R-E15): cards replaced by chance after they are shown."""

from __future__ import annotations

from rr_gym.courses.ground import RANDOMIZER
from rr_gym.jit import element
from rr_gym.rules.cards import draw_card
from rr_gym.rules.constants import DECK
from rr_gym.rules.energizers import current_register
from rr_gym.rules.events import PROGRAMMED, note_at
from rr_gym.rules.ground import flies, stands_on
from rr_gym.rules.records import GameRecord, LogRecord, TableRecord
from rr_gym.rules.registers import replace_cards
from rr_gym.rules.sleep import sleeping


@element(None)
def randomizers_replace(game: GameRecord, table: TableRecord, log: LogRecord) -> None:
    """A3: the top card of the undealt pile replaces the current card of who stands there, locked or not (R-E15).

    It replaces second cards and copies of Radio Control too, but no tokens. Without a card in the pile nothing is
    replaced.
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
