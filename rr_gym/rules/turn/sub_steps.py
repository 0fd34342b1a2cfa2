"""The sub-steps of the timing table (R-T) as rows, and the rules that are generated from them.

A segment is a tuple of rows in the order in which they happen. `in_order` makes one rule of them; `robots_then_copies`
repeats a rule for the copies of robots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rr_gym.compilation.kernels import cold, kernel, named_kernel
from rr_gym.courses.tables.tables import BASE_FEATURES
from rr_gym.forms import FULL, with_elements
from rr_gym.rules.floor.copies import has_copies, swap_copies
from rr_gym.rules.floor.ground import features_of, row_at
from rr_gym.rules.state.records import GameRecord, Log
from rr_gym.rules.state.table import Table

Rule = Callable[[GameRecord, Table, Log], Any]
Displaces = Callable[[GameRecord, Table, Log], bool]  # a rule that tells whether robots must be settled


class SubStep(NamedTuple):
    """A row of the timing table: a rule that acts in a sub-step. Without `under` and `on_board` it always acts.

    Attributes:
        step: The sub-step.
        rule: What happens.
        under: If not 0, the rule acts only if a robot stands on a square with one of these features (`HAS_...`).
        on_board: If not 0, the rule acts only if the course has one of these features. It is used for elements that act
          on robots on other squares too.
        displaces: Whether the rule moves robots, which must then be settled at the end of the sub-step.
    """

    step: int
    rule: Rule
    under: int = 0
    on_board: int = 0
    displaces: bool = False

    @property
    def is_base(self) -> bool:
        """Whether courses of the base game may have this row."""
        needs = self.under | self.on_board
        return needs == 0 or needs & BASE_FEATURES != 0


@with_elements(True)
def somebody_stands_on(game: GameRecord, table: Table, features: int) -> bool:
    """Tell whether a robot stands on a square with one of these features.

    On courses without elements of expansions the result is True, because rules of the base game check this themselves.
    """
    for i in range(game.num_bodies):
        robot = game.robots[i]
        if robot.alive and table.active_features[row_at(game, table, robot.square)] & features:
            return True
    return False


@kernel
def takes_place(game: GameRecord, table: Table, under: int, on_board: int) -> bool:
    """Tell whether a row acts: see `SubStep`."""
    if features_of(table) & on_board:
        return True
    return features_of(table) & under != 0 and somebody_stands_on(game, table, under)


@kernel
def nothing(game: GameRecord, table: Table, log: Log) -> bool:
    """Return False, since nothing before the first row has displaced anybody."""
    return False


def in_order(name: str, rows: Sequence[SubStep]) -> Displaces:
    """Make one rule of rows that act one after the other; it returns whether robots must be settled.

    Args:
        name: The module and the name of the rule.
        rows: The rows; those of expansion elements are left out where courses of the base game are played.
    """
    rule: Displaces = nothing
    for number, row in enumerate(rows):
        rule = _then(f"{name}_{number}", rule, row)
    return rule


def _then(name: str, before: Displaces, row: SubStep) -> Displaces:
    step, acts, under, on_board, displaces = row
    always = not under | on_board

    @named_kernel(name, base=before, form="" if row.is_base else FULL)
    def sub_step(game: GameRecord, table: Table, log: Log) -> bool:
        displaced = before(game, table, log)
        if always or takes_place(game, table, under, on_board):
            game.step = step
            acts(game, table, log)
            return displaced or displaces
        return displaced

    return sub_step


def one_after_the_other(name: str, rules: Sequence[Rule]) -> Rule:
    """Make one rule that applies several, one after the other."""
    rule, *others = rules
    for number, other in enumerate(others):
        rule = _both(f"{name}_{number}", rule, other)
    return rule


def _both(name: str, first: Rule, second: Rule) -> Rule:
    @named_kernel(name)
    def both(game: GameRecord, table: Table, log: Log) -> None:
        first(game, table, log)
        second(game, table, log)

    return both


def robots_then_copies(name: str, rule: Rule) -> Rule:
    """Make a rule act on robots, then on their copies.

    Copies are virtual and do not interact with robots. But a robot that the rule destroys is removed with its copy
    before the next rule acts (R-E45.4).
    """

    @cold
    @named_kernel(f"{name}_for_copies")
    def copies_act(game: GameRecord, table: Table, log: Log) -> None:
        swap_copies(game, table)
        rule(game, table, log)
        swap_copies(game, table)

    @named_kernel(name, base=rule, form=FULL)
    def for_all(game: GameRecord, table: Table, log: Log) -> None:
        rule(game, table, log)
        if has_copies(game, table):
            copies_act(game, table, log)

    return for_all
