"""A player that plays a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rr_gym.choices.trials import Effort
from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.act.actions import (
    CARDS,
    ActionLayout,
    action_layout,
    course_features,
    decode_actions,
    write_masks,
)
from rr_gym.encoding.act.components import ActionError, usable_decisions
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.encoding.observe.elements import elements_of
from rr_gym.encoding.observe.flat import flat_feature_names
from rr_gym.encoding.observe.observations import Observer, make_observer
from rr_gym.errors import truth_value
from rr_gym.players.protocol import decision_word
from rr_gym.policies.array_player import ArrayPlayer, ByArena
from rr_gym.policies.choice_kernel import ChoiceNetwork, choice_network
from rr_gym.policies.choice_turns import ChoiceTurns
from rr_gym.policies.policy import Policy
from rr_gym.policies.spec import CHOICES, PolicyError
from rr_gym.policies.store import PolicyLike, open_policy
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.chance import mix, next_word
from rr_gym.rules.state.constants import MAX_ROBOTS
from rr_gym.rules.state.records import no_orders, take_games

Array = np.ndarray[Any, Any]


@kernel
def write_uniforms(games: Array, seat: int, seed: np.uint64, out: Array) -> None:
    """Write random numbers in [0, 1) for the decisions of one turn, determined by the seat's view and the seed.

    `out` is float64, (games, decisions).
    """
    for g in range(games.shape[0]):
        word = decision_word(games[g], seat, seed)
        for c in range(out.shape[1]):
            word = mix(next_word(word))
            out[g, c] = np.float64(word >> np.uint64(11)) / 2.0**53


class PolicyPlayer(ArrayPlayer):
    """Plays as a policy decides.

    Args:
        policy: A policy or the folder of one.
        sample: Whether to sample choices with the policy's probabilities, by the player's seed, instead of making the
            most probable ones.
        effort: How many programs to try in how many deals, if the policy observes trials; None for `thorough`.

    Raises:
        PolicyError: The folder does not contain a valid policy.
    """

    def __init__(self, policy: PolicyLike, sample: bool = False, effort: Effort | None = None) -> None:
        self.sample = truth_value("sample", sample, PolicyError)
        self.policy = open_policy(policy)
        self.name = "policy" if isinstance(policy, Policy) else Path(policy).resolve().name
        spec = self.policy.spec
        scores = spec.network.kind == CHOICES
        self._network = choice_network(spec, self.policy.weights()) if scores else None
        self._effort = effort
        self._table = ByArena(self._new_table)

    def _decide(self, arena: Arena, games: Array, seats: Array) -> Array:
        """Return the orders that the policy decides on, with one forward pass per decision; see `ArrayPlayer`."""
        table = self._table(arena, int(games["num_robots"][0]))
        uniforms = self._uniforms(games, seats, len(table.layout.components)) if self.sample else None
        at = seats.astype(np.int8)[:, None]
        choose = self._choose_cards if self.policy.spec.action == CARDS else self._choose_turn
        if table.turns:
            choose = self._choose_at_once
        actions = np.ascontiguousarray(choose(table, games, at, uniforms), np.int64)
        orders = no_orders(len(games), MAX_ROBOTS, full=True)
        repaired = np.empty((len(games), 1), np.int32)
        decode_actions(games, arena.tables, table.layout.code, at, actions, orders, repaired)
        own: Array = orders[np.arange(len(games)), seats]
        return own

    def _uniforms(self, games: Array, seats: Array, count: int) -> Array:
        """Return random numbers in [0, 1) for the decisions of a turn, float64, (games, count)."""
        uniforms = np.empty((len(games), count))
        for seat in np.unique(seats):
            rows = np.flatnonzero(seats == seat)
            drawn = np.empty((len(rows), count))
            write_uniforms(take_games(games, rows), int(seat), np.uint64(self.seed), drawn)
            uniforms[rows] = drawn
        return uniforms

    def _choose_turn(self, table: _Table, games: Array, seats: Array, uniforms: Array | None) -> Array:
        """Make all decisions in one forward pass: (games, 1, components)."""
        masks = np.empty((len(games), 1, *table.layout.shape), np.int8)
        write_masks(games, table.arena.tables, table.layout.code, seats, masks)
        return self.policy.act(table.observe(games, seats), masks[:, 0], uniforms)[:, None]

    def _choose_at_once(self, table: _Table, games: Array, seats: Array, uniforms: Array | None) -> Array:
        """Make all decisions in one kernel, without PyTorch: (games, 1, components)."""
        assert table.turns
        return table.turns.decide(games, seats, uniforms)

    def _choose_cards(self, table: _Table, games: Array, seats: Array, uniforms: Array | None) -> Array:
        """Make one decision after the other: (games, 1, components)."""
        steps = table.steps
        steps.begin(games, seats)
        for stage in range(steps.count):
            drawn = None if uniforms is None else uniforms[:, stage]
            steps.choose(self.policy.act(table.observe(steps.games, steps.seats), steps.masks(), drawn))
        return steps.actions

    def _new_table(self, arena: Arena, num_robots: int) -> _Table:
        return _Table(self.policy, self.name, arena, num_robots, self._network, self._effort)


class _Table:
    """Observer and layout of a policy, for games on one arena with one number of robots."""

    def __init__(
        self, policy: Policy, name: str, arena: Arena, num_robots: int, network: ChoiceNetwork | None,
        effort: Effort | None,
    ) -> None:  # fmt: skip
        spec = policy.spec
        self.arena = arena
        self.layout = layout_of(policy, name, arena)
        self.steps = TurnSteps(arena, self.layout, spec.preview)
        self.turns: ChoiceTurns | None = None
        self._places: list[int] | None = None
        if spec.observation == "flat" and num_robots != spec.num_robots:
            if num_robots > spec.num_robots:
                raise PolicyError(
                    f"policy '{name}': {num_robots} robots: it was trained for {spec.num_robots}, and its observation "
                    "'flat' has no room for more"
                )
            names = flat_feature_names(spec.num_robots, spec.window, spec.elements)
            seen_names = flat_feature_names(num_robots, spec.window, spec.elements)
            self._places = [names.index(column) for column in seen_names]
            self._length = len(names)
            # Missing robots look like eliminated ones.
            self._out = [names.index(f"robot_{k}_out") for k in range(num_robots, spec.num_robots)]
        unknown = [element for element in elements_of(arena.tables) if element not in spec.elements]
        if unknown and not network:  # a network that scores choices sees what elements do by their effects
            raise PolicyError(
                f"policy '{name}': it was trained without {', '.join(unknown)}, which it cannot see: expected courses "
                f"with only {', '.join(spec.elements) or 'the base game'}"
            )
        if network:
            self.turns = ChoiceTurns(spec, network, arena, num_robots, self.layout, effort)
            return
        # With the windows already cut out of the boards, the network needs no boards of its own.
        seen = "entities+planes" if spec.observation == "entities" else spec.observation
        self._observer: Observer = make_observer(seen, arena, num_robots, spec.window, spec.elements)

    def observe(self, games: Array, seats: Array) -> Any:
        """Return the observations of seats, (n, 1), as arrays (n, ...), in the form that the policy was trained on."""
        seen = self._observer.observe(games, seats)
        if isinstance(seen, dict):
            return {name: array[:, 0] for name, array in seen.items()}
        rows = seen[:, 0]
        if self._places is None:
            return rows
        padded = np.zeros((len(rows), self._length), rows.dtype)
        padded[:, self._places] = rows
        padded[:, self._out] = 1
        return padded


def layout_of(policy: Policy, name: str, arena: Arena) -> ActionLayout:
    """Return the layout of a policy's actions on an arena.

    A network that scores choices skips the decisions that the games there do not have.

    Raises:
        PolicyError: The games lack a decision that another kind of network makes.
    """
    spec, features = policy.spec, course_features(arena.tables)
    decisions: tuple[str, ...] = spec.decisions
    if spec.network.kind == CHOICES:
        usable = usable_decisions(arena.settings, features)
        decisions = tuple(name for name in decisions if name in usable)
    try:
        mode = "draw" if spec.action == CARDS else spec.action
        return action_layout(mode, arena.settings, decisions, features)
    except ActionError as error:
        raise PolicyError(
            f"policy '{name}': it was trained to decide {', '.join(spec.components)}, which the game here does not "
            f"allow: {error}"
        ) from None
