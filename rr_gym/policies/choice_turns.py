"""Plays whole turns by a network that scores choices, in one kernel."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rr_gym.choices.observers import CHOICES, ChoicesObserver
from rr_gym.choices.poses import Trial
from rr_gym.choices.rows import Facts, write_facts
from rr_gym.choices.tables import Foresight
from rr_gym.choices.trials import Effort, TrialResults, TrialScratch
from rr_gym.compilation.kernels import kernel
from rr_gym.encoding.act.actions import ActionLayout
from rr_gym.encoding.act.turn_decisions import DecisionRows, TurnSteps, make_choices, write_step_masks
from rr_gym.encoding.observe.changes import ExtraFeatures
from rr_gym.encoding.observe.entities import EntityRows, observe_entities
from rr_gym.encoding.observe.observations import EntitiesObserver
from rr_gym.policies.choice_kernel import ChoiceNetwork, NetworkScratch, make_network_scratch, score_choices
from rr_gym.policies.spec import PolicySpec
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GAME, Log, take_games

Array = np.ndarray[Any, Any]

_LOG_2 = 0.6931471805599453


@kernel
def exp(x: float) -> float:
    """Return the exponential of a number that is at most 0, the same on every platform."""
    if x < -80:
        return 0.0
    halvings = int(-x / _LOG_2)
    rest = x + halvings * _LOG_2
    value, term = 1.0, 1.0
    for k in range(1, 16):
        term *= rest / k
        value += term
    for _ in range(halvings):
        value *= 0.5
    return value


@kernel
def choose(mask: Array, logits: Array, drawn: float) -> int:
    """Return the legal choice with the highest logit or, if `drawn` is in [0, 1), one sampled by the softmax of logits.

    A negative `drawn` asks for the highest.
    """
    best = -1
    for c in range(mask.size):
        if mask[c] and (best < 0 or logits[c] > logits[best]):
            best = c
    if drawn < 0:
        return best
    total = 0.0
    for c in range(mask.size):
        if mask[c]:
            total += exp(float(logits[c]) - float(logits[best]))
    left = drawn * total
    for c in range(mask.size):
        if mask[c]:
            left -= exp(float(logits[c]) - float(logits[best]))
            if left < 0:
                return c
    return best


@kernel
def only_choice(mask: Array) -> int:
    """Return the only legal choice, or -1 if there are several."""
    found = -1
    for c in range(mask.size):
        if mask[c]:
            if found >= 0:
                return -1
            found = c
    return found


class DecisionScratch(NamedTuple):
    """Scratch arrays for the decisions of a batch.

    Attributes:
        masks: int8, (rows, choices).
        needed: int64, (rows,): the rows with several legal choices.
        chosen: int64, (games, seats).
        playing: bool, (games,): always True.
        scratch: (1,), dtype `GAME`.
    """

    masks: Array
    needed: Array
    chosen: Array
    playing: Array
    scratch: Array


@kernel
def decide_turns(
    tables: Array, plan: Array, rows: DecisionRows, preview: bool, level: int, exact: bool, known: Foresight,
    results: TrialResults, trial: Trial, trial_scratch: TrialScratch, log: Log,
    facts: Facts, sheets: Array, num_robots: int, window: int, extra: ExtraFeatures, seen: EntityRows,
    network: ChoiceNetwork, network_scratch: NetworkScratch, uniforms: Array, decisions: DecisionScratch,
) -> None:  # fmt: skip
    """Make all decisions of turns that have begun, all of them on one course.

    The arguments up to `facts` are those of `write_facts`, and from `sheets` to `seen` those of `observe_entities`.
    With `uniforms` of shape (rows, decisions), float64 in [0, 1), choices are sampled; with (rows, 0) the most probable
    ones are made.
    """
    masks, needed, chosen = decisions.masks, decisions.needed, decisions.chosen
    logits = np.zeros(masks.shape[1], np.float32)
    size = seen.robots.shape[2] // num_robots
    for stage in range(plan.shape[0]):
        write_step_masks(tables, plan, rows, masks)
        count = 0
        for row in range(masks.shape[0]):
            choice = only_choice(masks[row])
            chosen[row // chosen.shape[1], row % chosen.shape[1]] = choice
            if choice < 0:
                needed[count] = row
                count += 1
        if count:
            observe_entities(rows.seen, tables, sheets, rows.at, num_robots, window, extra, seen)
            write_facts(
                tables, plan, rows, needed[:count], preview, level, exact, known, results, trial,
                trial_scratch, log, facts,
            )  # fmt: skip
        for k in range(count):
            row = needed[k]
            robots = seen.robots[row, 0].reshape(num_robots, size)
            choices, prospects = facts.choices[k], facts.prospects[k]
            score_choices(network, network_scratch, seen.game[row, 0], robots, choices, prospects, logits)
            drawn = uniforms[row, stage] if uniforms.shape[1] else -1.0
            chosen[row // chosen.shape[1], row % chosen.shape[1]] = choose(masks[row], logits, drawn)
        make_choices(tables, plan, rows, chosen, decisions.playing, preview, decisions.scratch, log)


class ChoiceTurns:
    """Decides whole turns by a network that scores choices; needs no PyTorch.

    Args:
        spec: The specification of the policy, of the kind `choices`.
        network: The weights.
        arena: Where the games are played.
        num_robots: Robots of each game.
        layout: The layout of its actions.
        effort: How many programs to try, if the policy observes trials; None for `thorough`.
    """

    def __init__(
        self, spec: PolicySpec, network: ChoiceNetwork, arena: Arena, num_robots: int, layout: ActionLayout,
        effort: Effort | None,
    ) -> None:  # fmt: skip
        self._network, self._network_scratch = network, make_network_scratch(spec, layout.width)
        self.steps = TurnSteps(arena, layout, spec.preview)
        assert spec.lookahead
        self._observer = ChoicesObserver(
            CHOICES, self.steps, num_robots, spec.window, spec.elements, spec.lookahead, effort
        )
        self._out: dict[str, Array] = {}
        self._scratch = np.zeros(1, GAME)

    def decide(self, games: Array, seats: Array, uniforms: Array | None = None) -> Array:
        """Return the actions of seats, (n, 1), in games, (n,): int64, (n, 1, components).

        Args:
            games: dtype `GAME`.
            seats: int8.
            uniforms: float64 in [0, 1), (n, components), to sample choices by; None for the most probable ones.
        """
        drawn = np.empty((len(games), 0)) if uniforms is None else uniforms
        if len(self.steps.arena.courses) == 1:
            return self._decide(games, seats, drawn, 0)
        actions = np.empty((*seats.shape, len(self.steps.layout.components)), np.int64)
        for course in np.unique(games["course"]).tolist():
            some = np.flatnonzero(games["course"] == course)
            actions[some] = self._decide(take_games(games, some), seats[some], drawn[some], course)
        return actions

    def _decide(self, games: Array, seats: Array, drawn: Array, course: int) -> Array:
        steps, count = self.steps, seats.size
        steps.begin(games, seats)
        if len(self._out.get("game", ())) != count:
            self._out = self._observer.buffer(count)
            self._decisions = DecisionScratch(
                np.empty((count, steps.layout.width), np.int8), np.empty(count, np.int64),
                np.empty(seats.shape, np.int64), np.ones(len(games), np.bool_), self._scratch,
            )  # fmt: skip
        rest, facts = self._observer.rest, self._observer.facts
        assert isinstance(rest, EntitiesObserver)
        tables = {name: self._out[name][:, None] for name in rest.low}
        decide_turns(
            steps.arena.tables, steps.plan, steps.rows, *facts.arguments(course),
            Facts(self._out["choices"], self._out["prospects"]), *rest.arguments(), rest.rows((count, 1), tables),
            self._network, self._network_scratch, drawn, self._decisions,
        )  # fmt: skip
        return steps.actions
