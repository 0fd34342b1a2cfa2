"""Leave the elements of expansions out of the machine code for base boards, which have none of them.

Assumes that tables of all courses with such elements have the form `FULL` (`rr_gym.rules.state.table`). Without this
file a whole turn takes 5 % longer on risky_exchange with 4 robots, and 6 % longer with 8 robots that own five options
each on death_trap (`rr-gym bench --accelerators`).
"""

from __future__ import annotations

from rr_gym.compilation.accelerators import accelerates
from rr_gym.courses.tables.tables import BASE_FEATURES
from rr_gym.forms import BASE, OPTIONS
from rr_gym.rules.floor.ground import features_of
from rr_gym.rules.state.table import Table


@accelerates(features_of, forms=(BASE, OPTIONS))
def features_of_base(table: Table) -> int:
    """Return a course's features of the base game, the only ones it can have."""
    return features_of(table) & BASE_FEATURES
