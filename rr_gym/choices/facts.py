"""Write the observations `choices` and `prospects` of turns that are decided step by step (docs/observations.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rr_gym.choices.columns import DEFAULT_LOOKAHEAD, LOOKAHEADS, choice_columns
from rr_gym.choices.poses import Trial
from rr_gym.choices.rows import Facts, write_facts
from rr_gym.choices.tables import Foresight, foresight
from rr_gym.choices.trials import Effort, TrialResults, TrialScratch, make_trial_results, make_trial_scratch, thorough
from rr_gym.encoding.act.turn_decisions import TurnSteps
from rr_gym.errors import RoboRallyError, did_you_mean, short_repr
from rr_gym.forms import BASE, form_of
from rr_gym.rules.arena.arena import Arena
from rr_gym.rules.state.records import GAME, new_log, no_orders

Array = np.ndarray[Any, Any]


def check_lookahead(lookahead: Any) -> str:
    """Return the name of a lookahead; raise a RoboRallyError if there is none of that name."""
    if not isinstance(lookahead, str) or lookahead not in LOOKAHEADS:
        hint = did_you_mean(lookahead, LOOKAHEADS) or f"expected {' | '.join(LOOKAHEADS)}"
        raise RoboRallyError(f"lookahead: {short_repr(lookahead)}: {hint}")
    return lookahead


class ChoiceFacts:
    """Writes the features of the choices that each row has in its current decision.

    Args:
        steps: The turns that are being decided.
        num_robots: Robots of each game.
        lookahead: One of `LOOKAHEADS`.
        effort: How many programs to try with the lookaheads "trials" and "trials+value"; None for `thorough`.

    Attributes:
        low: Lowest values of both tables, int16 arrays by name: `choices` (choices, columns), `prospects` (robots,
            columns).
        high: Highest values.

    Raises:
        RoboRallyError: There is no such lookahead.
    """

    def __init__(
        self, steps: TurnSteps, num_robots: int, lookahead: str = DEFAULT_LOOKAHEAD, effort: Effort | None = None
    ) -> None:
        self.lookahead = check_lookahead(lookahead)
        self.steps = steps
        rows = {"choices": steps.layout.width, "prospects": num_robots}
        self.low, self.high = (
            {
                name: np.tile(np.array([column[side] for column in columns], np.int16), (rows[name], 1))
                for name, columns in choice_columns(num_robots, lookahead).items()
            }
            for side in (1, 2)
        )
        self._level = LOOKAHEADS.index(lookahead)
        self._use_arena(steps.arena)
        self._trial = Trial(np.zeros(4, GAME), no_orders(1, full=True))
        self._scratch = make_trial_scratch(self._level, effort or thorough(self._level))
        self._log = new_log(on=False)[0]
        self._allocate_results(0)

    def _use_arena(self, arena: Arena) -> None:
        """Switch to another arena, for example one with other settings, and drop the tables of the last one."""
        self._arena = arena
        self._foresights: dict[int, Foresight] = {}
        # In the base game, where flags count only at the end of a phase, a table lookup by the state and the card of a
        # lone robot tells where a phase takes it. Otherwise the phase must be played.
        self._exact = form_of(arena.tables.dtype.names) == BASE and all(s.flag_touch == "end" for s in arena.settings)

    def _allocate_results(self, num_rows: int) -> None:
        self._num_rows = num_rows
        self._results = make_trial_results(num_rows, self._level, self._scratch.effort)

    def _foresight(self, course: int) -> Foresight:
        if course not in self._foresights:
            self._foresights[course] = foresight(self.steps.arena, course, self._level)
        return self._foresights[course]

    def write(self, choices: Array, prospects: Array, numbers: Array | None = None) -> None:
        """Write the tables of the current decisions.

        Args:
            choices: int16, (n, choices, columns): overwritten.
            prospects: int16, (n, robots, columns): overwritten.
            numbers: int, (n,): the rows of `steps` to write; None for all.
        """
        steps = self.steps
        numbers = np.arange(len(steps.games)) if numbers is None else np.asarray(numbers, np.int64)
        if len(steps.arena.courses) == 1:
            self._write(0, numbers, choices, prospects)
            return
        courses = steps.games["course"][numbers]
        for course in np.unique(courses).tolist():
            chosen = np.flatnonzero(courses == course)
            some = choices[chosen], prospects[chosen]
            self._write(course, numbers[chosen], *some)
            choices[chosen], prospects[chosen] = some

    def _write(self, course: int, numbers: Array, choices: Array, prospects: Array) -> None:
        steps = self.steps
        arguments = self.arguments(course)
        write_facts(steps.arena.tables, steps.plan, steps.rows, numbers, *arguments, Facts(choices, prospects))

    def arguments(self, course: int) -> tuple[bool, int, bool, Foresight, TrialResults, Trial, TrialScratch, Any]:
        """Return the arguments of `write_facts` for rows on a course, from `preview` to `log`."""
        if self.steps.arena is not self._arena:
            self._use_arena(self.steps.arena)
            self._allocate_results(0)
        if self._num_rows != len(self.steps.games):
            self._allocate_results(len(self.steps.games))
        known = self._foresight(course)
        preview, scratch = self.steps.preview, self._scratch
        return preview, self._level, self._exact, known, self._results, self._trial, scratch, self._log
