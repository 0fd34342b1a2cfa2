"""Kernels that start, play and rank ranges of games of a batch."""

# mutants: no rules: tests/rules/test_arena.py
from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.compilation.kernels import kernel
from rr_gym.rules.arena.ranking import place_of
from rr_gym.rules.options.options import count_options, draw_option, owns
from rr_gym.rules.state.cards import cards_in_hand
from rr_gym.rules.state.chance import mix, next_word, scaled
from rr_gym.rules.state.constants import MAX_ROBOTS, NUM_OPTIONS, NUM_REGISTERS, T3
from rr_gym.rules.state.option_cards import ABLATIVE_COAT, ABLATIVE_POINTS, INITIAL_PAYLOAD
from rr_gym.rules.turn.dealing import deal
from rr_gym.rules.turn.placing import set_up
from rr_gym.rules.turn.turn import play_turn

Array = np.ndarray[Any, Any]


@kernel
def log_of(logs: Array, g: int) -> Any:
    """Return the log of game g; all games may share a single log that is off."""
    return logs[g if logs.shape[0] > 1 else 0]


@kernel
def start(games: Array, tables: Array, blank: Array, g: int, log: Any) -> None:
    """Begin the current episode of game g, with the first hands dealt.

    The game keeps its course, number of robots, lives, seed, salt and number of the episode.
    """
    game = games[g]
    course, num_robots, lives = game.course, game.num_robots, game.start_lives
    seed, index, episode = game.seed, game.index, game.episode
    low, high = game.salt[0], game.salt[1]
    games[g] = blank[0]
    games[g].salt[0] = low
    games[g].salt[1] = high
    set_up(games[g], tables[course], log, course, num_robots, lives, seed, index, episode)
    games[g].step = T3
    deal(games[g], tables[course], log)


@kernel
def begin_next_episode(games: Array, tables: Array, blank: Array, g: int, log: Any) -> None:
    """Begin the next episode of game g."""
    games[g].episode += 1
    start(games, tables, blank, g, log)


@kernel
def start_range(
    games: Array, tables: Array, blank: Array, logs: Array, mask: Array, again: bool, first: int, last: int
) -> None:
    """Start the games of a mask: their current episodes, or with `again` their next ones."""
    for g in range(first, last):
        if mask[g]:
            if again:
                begin_next_episode(games, tables, blank, g, log_of(logs, g))
            else:
                start(games, tables, blank, g, log_of(logs, g))


@kernel
def is_in(mask: Array, g: int) -> bool:
    """Tell whether game g is in a mask; an empty mask stands for all games."""
    return mask.size == 0 or mask[g]


@kernel
def begin_log(log: Any) -> None:
    """Empty the log of a turn."""
    if log.on:
        log.count = 0
        log.full = 0


@kernel
def play_range(
    games: Array,
    tables: Array,
    orders: Array,
    logs: Array,
    mask: Array,
    blank: Array,
    restart: bool,
    first: int,
    last: int,
) -> None:
    """Play one turn of every game of a mask that is not over; an empty mask stands for all games.

    Games that end begin their next episode at once if `restart` is set.
    """
    for g in range(first, last):
        if is_in(mask, g):
            log = log_of(logs, g)
            begin_log(log)
            if not games[g].over:
                play_turn(games[g], tables[games[g].course], orders[g], log)
            if restart and games[g].over:
                begin_next_episode(games, tables, blank, g, log)


@kernel
def place_range(games: Array, tables: Array, places: Array, first: int, last: int) -> None:
    """Write the places of all robots; 0 for seats without one."""
    for g in range(first, last):
        game = games[g]
        for i in range(MAX_ROBOTS):
            places[g, i] = place_of(game, tables[game.course], i) if i < game.num_robots else 0


@kernel
def random_range(games: Array, orders: Array, words: Array, first: int, last: int) -> None:
    """Write random legal programs: a card in the hand for every open register. Other orders are not changed."""
    for g in range(first, last):
        game = games[g]
        word = words[g]
        for i in range(game.num_robots):
            robot = game.robots[i]
            size = cards_in_hand(robot)
            left = size  # in a game that is over, hands hold only the cards that were not played
            used = 0
            for r in range(NUM_REGISTERS):
                orders[g, i].program[r] = 0
                if left > 0 and not robot.locked >> r & 1:
                    word = next_word(word)
                    slot: Any = scaled(mix(word), size)
                    while used >> slot & 1:  # take the next free slot: this is fast, and every program is possible
                        slot = (slot + 1) % size
                    used |= 1 << slot
                    left -= 1
                    orders[g, i].program[r] = robot.hand[slot]
        words[g] = word


@kernel
def equip_range(games: Array, tables: Array, logs: Array, mask: Array, number: int, first: int, last: int) -> None:
    """Let all robots on the board, in the games of a mask, draw options until they own a number of them.

    All their options are new afterwards.
    """
    for g in range(first, last):
        game = games[g]
        table = tables[game.course]
        for i in range(game.num_robots if mask[g] and not game.over else 0):
            robot = game.robots[i]
            if not robot.alive:
                continue
            for k in range(NUM_OPTIONS):
                if owns(robot, k):
                    game.payload[k] = ABLATIVE_POINTS if k == ABLATIVE_COAT else INITIAL_PAYLOAD[k]
            for _ in range(number - count_options(robot)):
                draw_option(game, table, logs[0], i)
