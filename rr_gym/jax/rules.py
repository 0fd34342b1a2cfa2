"""The rules as calls of JAX: games begin, are played, judged and rewarded."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from rr_gym.compilation.xla_arguments import CHANGED, WRITTEN, Count, Rows
from rr_gym.encoding.act.actions import decode_actions
from rr_gym.envs.core import Core
from rr_gym.jax.calls import Call, bytes_of
from rr_gym.jax.kernels import find_seats, judge, pick_rewards
from rr_gym.jax.opponents import call_of
from rr_gym.jax.seeds import seed_bytes
from rr_gym.rewards.lead import write_leads
from rr_gym.rewards.terms import LEAD, MEMORY, remember, write_rewards
from rr_gym.rules.arena.batch import place_range, play_range, start_range
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import FULL_ORDERS, GAME, ORDERS, new_log, no_orders
from rr_gym.solo.turn_tables import expected_turns

Array = np.ndarray[Any, Any]
_BOOL, _I1, _I4, _I8, _F4, _F8 = (np.dtype(kind) for kind in ("?", "i1", "i4", "i8", "f4", "f8"))


def mask_of(name: str) -> Rows:
    """Return the argument for a mask of games."""
    return Rows(name, _BOOL)


class Rules:
    """Calls of the rules for the games of an environment. All of them take and return arrays of one game.

    Args:
        core: An environment of one game with the same settings.
        opponents: The names of the players in the last seats, counted from the first learner's.

    Attributes:
        learners: The number of seats that learn.
    """

    def __init__(self, core: Core, opponents: tuple[str, ...]) -> None:
        arena, rewards = core.arena, core.rewards
        self.learners = core.num_robots - len(opponents)
        robots, tables = core.num_robots, arena.tables
        arena.new_games(1, robots)  # raises an error if the course cannot be played
        blank, silent = np.zeros(1, GAME), new_log(on=False)
        fresh = np.zeros(1, GAME)
        fresh["num_robots"] = robots
        arena.give_lives(fresh)
        self._fresh = bytes_of(fresh)[0]
        self._no_orders = bytes_of(no_orders(1, MAX_ROBOTS, full=True))[0]
        self._kept = FULL_ORDERS.itemsize if arena.full else ORDERS.itemsize  # short orders begin full ones
        games, changed = Rows("games", GAME), Rows("games", GAME, (), CHANGED)
        seats = Rows("seats", _I1, (self.learners,))
        lead, memory = Rows("lead", _F8, (MAX_ROBOTS,)), Rows("memory", MEMORY, (), CHANGED)
        earned = Rows("earned", _F8, (robots,), WRITTEN)
        self._start, self._restart = (
            Call(start_range, changed, tables, blank, silent, mask_of("begins"), again, 0, Count())
            for again in (False, True)
        )
        self._find_seats = Call(find_seats, games, Rows("seats", _I1, (robots,), WRITTEN)) if opponents else None
        self._opponents = []
        for name in dict.fromkeys(opponents):
            numbers = np.array([self.learners + k for k, other in enumerate(opponents) if other == name])
            self._opponents.append((numbers, call_of(name, arena, len(numbers))))
        self._remember = Call(remember, games, tables, rewards.near, lead, mask_of("begins"), memory)
        self._decode = Call(
            decode_actions, games, tables, core.layout.code, seats,
            Rows("actions", _I8, (self.learners, len(core.layout.components))),
            Rows("orders", FULL_ORDERS, (MAX_ROBOTS,), CHANGED), Rows("repaired", _I4, (self.learners,), WRITTEN),
        )  # fmt: skip
        self._play = Call(
            play_range, changed, tables, Rows("orders", FULL_ORDERS if arena.full else ORDERS, (MAX_ROBOTS,)), silent,
            mask_of("playing"), blank, False, 0, Count(),
        )  # fmt: skip
        self._places = Call(place_range, games, tables, Rows("places", _I1, (MAX_ROBOTS,), WRITTEN), 0, Count())
        self._judge = Call(
            judge, games, tables, seats, Rows("flags", _I4, (self.learners,), WRITTEN),
            Rows("out", _BOOL, (self.learners,), WRITTEN), Rows("over", _BOOL, (), WRITTEN),
        )  # fmt: skip
        self._rewards = Call(
            write_rewards, games, tables, rewards.near, lead, Rows("places", _I1, (MAX_ROBOTS,)), mask_of("playing"),
            mask_of("truncated"), rewards.spec.weights, rewards.spec.gamma, rewards.spec.zero_sum, memory, earned,
            rewards.used, Rows("terms", _F8, (robots, len(rewards.used)), WRITTEN),
        )  # fmt: skip
        self._pick = Call(
            pick_rewards, Rows("earned", _F8, (robots,)), seats, Rows("rewards", _F4, (self.learners,), WRITTEN)
        )
        self._leads = None
        if rewards.spec.weights[LEAD]:
            self._leads = Call(
                write_leads, games, tables, expected_turns(arena, 0), 0, mask_of("mask"),
                Rows("lead", _F8, (MAX_ROBOTS,), CHANGED),
            )  # fmt: skip

    def start(self, key: Any) -> Any:
        """Return the game that begins with a key."""
        fields: Any = GAME.fields
        at = fields["seed"][1]
        return self._start(self._fresh.at[at : at + 8].set(seed_bytes(key)), jnp.bool_(True))[0]

    def restart(self, games: Any, begins: Any) -> Any:
        """Return the next episode of the game if it begins, else the game itself."""
        return self._restart(games, begins)[0]

    def seats(self, games: Any) -> Any:
        """Return the seats of all robots, counted from the first learner's: int8, (robots,)."""
        if self._find_seats is None:
            return jnp.arange(self.learners, dtype=jnp.int8)
        return self._find_seats(games)[0]

    def remember(self, games: Any, begins: Any, memory: Any) -> Any:
        """Return what rewards remember of a game, reset if it begins."""
        return self._remember(games, self._lead(games, begins), begins, memory)[0]

    def new_memory(self) -> Any:
        """Return what rewards remember of a game that has not begun."""
        return jnp.zeros(MEMORY.itemsize, jnp.uint8)

    def _lead(self, games: Any, mask: Any) -> Any:
        nothing = jnp.zeros((MAX_ROBOTS, _F8.itemsize), jnp.uint8)
        return nothing if self._leads is None else self._leads(games, mask, nothing)[0]

    def play(self, games: Any, seats: Any, actions: Any, playing: Any) -> Any:
        """Return the game after a turn if it is played, from the actions of the learners: int64 as bytes."""
        orders, _ = self._decode(games, seats[: self.learners], actions, self._no_orders)
        for numbers, call in self._opponents:
            _, orders = call(games, seats[numbers], orders)
        return self._play(games, orders[:, : self._kept], playing)[0]

    def judge(self, games: Any, seats: Any) -> tuple[Any, Any, Any]:
        """Return the flags of the learners, whether they are out, and whether the game is over."""
        flags, out, over = self._judge(games, seats[: self.learners])
        return flags, out, over

    def rewards(self, games: Any, seats: Any, playing: Any, truncated: Any, memory: Any) -> tuple[Any, Any, Any]:
        """Return the rewards of the turn and the places of the learners, and what rewards remember from here on."""
        (places,) = self._places(games)
        memory, earned, _ = self._rewards(games, self._lead(games, playing), places, playing, truncated, memory)
        own = seats[: self.learners]
        return self._pick(earned, own)[0], places[own], memory
