"""How lucky players were with what a game draws: control variates for the games that they won (docs/evaluation.md).

The idea is AIVAT's (N. Burch et al., AIVAT: A New Variance Reduction Technique for Agent Evaluation in Imperfect
Information Games, AAAI 2018). Between two decisions of the players chance decides: it deals hands, and draws whatever
the rules of a turn ask for. A fixed function of positions says what that was worth to a player, whose luck is the value
after what happened minus the mean value over what could have happened. `LuckBatch` says why that is 0 on average.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np

from rr_gym.evaluation.report import shares_won
from rr_gym.players import GreedyPlayer, PlannerPlayer, Player, RacerPlayer, RandomPlayer
from rr_gym.rewards.lead import leads
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders, take_games
from rr_gym.runner import Batch

Array = np.ndarray[Any, Any]

REDEALS = 16  # the draws with which what happened is compared
_TURNS = 500  # the most simulated turns of a planner that is quick enough to be asked about redeals itself
_KEY_STEP = np.uint64(0xD1B54A32D192ED03)  # difference of the keys of successive redeals
_STAND_INS = 1 << 32  # numbers of players from here on give the seeds of stand-ins


class LuckBatch(Batch):
    """Games of an arena, and how lucky the players were in them.

    Let s be a position with all hands dealt, a the orders that the players give there, and d what chance draws from
    then on until their next orders: whatever the turn asks for, and the next hands. Then stand-ins give everybody's
    orders, that turn is played too, and a value function V is applied to where it ends: v(s, a, d). The same is done
    with `REDEALS` other draws, d_1 to d_n, from the same distribution. The luck of d is v(s, a, d) minus the mean of
    all v(s, a, d_k).

    The expectation of luck is 0, whatever V is and whoever the stand-ins are: given the history up to s and a, the
    draws d, d_1, ..., d_n are i.i.d., and so are the random numbers of the stand-ins. So v(s, a, d) and
    all v(s, a, d_k) have the same expectation, and the difference of v(s, a, d) and their mean has the expectation 0.
    That the mean of few redeals stands for an expectation adds noise, but no bias. Whether there is luck to be added
    after s and a depends on s and a alone, never on d. So the sum over a game has the expectation 0 too, although
    chance decides how long the game is. At the start of a game, d is everything that is drawn before the first orders.

    Players of the package stand in for themselves, but not those that search for long. In v(s, a, d) they then give the
    orders that they really give, which come from the same distribution as those of their copies in v(s, a, d_k), and
    their random decisions count as chance. Racers stand in for all others, so luck is only what racers would make of
    it.

    Args:
        arena: See `Batch`.
        games: See `Batch`.
        max_cycles: See `Batch`.
        players: The players, whose decisions depend on the view and the seed alone.
        seats: The seat of each player.
        seed: The seed of the games; redeals draw from a stream of their own.

    Attributes:
        luck: float64, (games, players): the luck so far, above 0 for a lucky player.
    """

    def __init__(
        self, arena: Arena, games: Array, max_cycles: int, players: Sequence[Player], seats: Sequence[int], seed: int
    ) -> None:
        super().__init__(arena, games, max_cycles)
        self.luck = np.zeros((len(games), len(seats)))
        self._seats = list(seats)
        self._stand_ins, self._own = zip(*map(stand_in, players), strict=True)
        for number, player in enumerate(self._stand_ins):
            player.reset(_word(seed, _STAND_INS + number))
        self._keys = np.array(
            [_word(seed, int(game["index"]), int(game["episode"])) for game in games], np.uint64
        )
        self._before: tuple[Array, Array, Array] | None = None  # games, orders and numbers of the games of a turn

    def play(self, orders: Array) -> None:
        """Play a turn like `Batch.play`, and measure the luck of the turn before, whose outcome the orders complete."""
        self._measure(orders)
        # Chance that ends a game counts, too, but no draws after the last turn do.
        self._before = take_games(self.records, np.arange(len(self.records))), orders, self.running
        super().play(orders)
        if not len(self.running):
            self._measure(orders[:0])

    def _measure(self, orders: Array) -> None:
        """Add the luck between the turn before and the turn that is played with these orders, (running, 8)."""
        rows = self.running if self._before is None else self._before[2]
        if self.turn == self.max_cycles:
            return
        self.arena.check(self.records)  # players of other people may have written to them
        goes_on = np.isin(rows, self.running)
        happened = take_games(self.ended, rows)
        happened[goes_on] = self.records
        given = no_orders(len(rows), MAX_ROBOTS, full=True)
        given[goes_on] = orders
        redealt = self._redeal(happened, rows)
        mean = self._values(redealt).reshape(len(rows), REDEALS, -1).mean(1)
        self.luck[rows] += self._values(happened, given) - mean

    def _redeal(self, happened: Array, rows: Array) -> Array:
        """Return the games of these numbers after other draws: (rows * redeals,), dtype `GAME`."""
        by_row = self._keys[rows, None] + _KEY_STEP * np.arange(1, REDEALS + 1, dtype=np.uint64)
        self._keys[rows], keys = by_row[:, -1], by_row.ravel()
        if self._before is None:
            redealt = take_games(happened, np.repeat(np.arange(len(rows)), REDEALS))
            redealt["seed"], redealt["salt"] = keys, 0
            self.arena.restart(redealt)
        else:
            games, orders, numbers = self._before
            at = np.repeat(np.searchsorted(numbers, rows), REDEALS)
            redealt = take_games(games, at)
            redealt["key"], redealt["salted_key"] = keys, 0
            self.arena.play_unchecked(redealt, orders[at])
        # What stand-ins decide at random depends on the number of the game.
        redealt["index"] = (keys * _KEY_STEP >> np.uint64(32)).astype(np.uint32)
        return redealt

    def _values(self, games: Array, orders: Array | None = None) -> Array:
        """Play another turn of games with the stand-ins and return the values after it: (n, players).

        With `orders`, (n, 8), players who stand in for themselves give these.
        """
        going = np.flatnonzero(games["over"] == 0)
        if len(going):
            some = take_games(games, going)
            chosen = no_orders(len(some), MAX_ROBOTS, full=True)
            for seat, player, own in zip(self._seats, self._stand_ins, self._own, strict=True):
                given = orders[going, seat] if own and orders is not None else None
                chosen[:, seat] = player.act(self.arena, some, seat) if given is None else given
            self.arena.play_unchecked(some, chosen)
            games[going] = some
        return position_values(self.arena, games, self._seats)


def stand_in(player: Player) -> tuple[Player, bool]:
    """Return the player that decides in redeals in place of a player, and whether it decides exactly like it."""
    kind = type(player)
    quick = kind in (RandomPlayer, GreedyPlayer, RacerPlayer)
    if isinstance(player, PlannerPlayer):
        quick = kind is PlannerPlayer and player.reproducible and player.turns <= _TURNS
    elif kind.__module__.startswith("rr_gym.policies."):
        from rr_gym.policies.player import PolicyPlayer  # takes long to import

        quick = kind is PolicyPlayer
    return (copy.copy(player), True) if quick else (RacerPlayer(), False)


def _word(*numbers: int) -> int:
    """Return 64 random bits that depend on whole numbers alone."""
    return int(np.random.SeedSequence([*numbers, 1]).generate_state(1, np.uint64)[0])


def position_values(arena: Arena, games: Array, seats: Sequence[int]) -> Array:
    """Return what games are worth to players between two turns: float64, (n, players), from 0 to 1.

    That is the share won where a game is over, and 0 for robots that are out. Otherwise it is the probability of
    needing fewer turns to the last flag than a rival, by what lone robots need (`leads`), averaged over rivals.

    Args:
        arena: The arena of the games.
        games: (n,), dtype `GAME`; hands do not matter.
        seats: The seat of each player.
    """
    over = games["over"] == 1
    worth: Array = (1 + leads(arena, games, ~over)[:, seats]) / 2
    worth[games["robots"]["out"][:, seats] == 1] = 0
    worth[over] = shares_won(games[over], seats)
    return worth
