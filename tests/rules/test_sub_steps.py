"""The rows of the timing table are in order, and their conditions on squares are consistent."""

from __future__ import annotations

import numpy as np
import pytest

from rr_gym import load_course
from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.tables.terrain import code
from rr_gym.rules.state.constants import STEP_NAMES
from rr_gym.rules.state.settings import Settings
from rr_gym.rules.state.table import compile_tables
from rr_gym.rules.turn.all_have_moved import PLATFORMS, SURROUNDINGS
from rr_gym.rules.turn.board_elements_move import SEGMENT_C
from rr_gym.rules.turn.hazards_hurt import HAZARDS
from rr_gym.rules.turn.reveal_cards import SEGMENT_A
from rr_gym.rules.turn.sub_steps import SubStep

TABLES = {"A": SEGMENT_A, "B": (*PLATFORMS, *SURROUNDINGS), "C": SEGMENT_C, "D": HAZARDS}
ROWS = [row for rows in TABLES.values() for row in rows]


@pytest.mark.parametrize("segment", TABLES)
def test_rows_are_in_the_order_of_the_timing_table(segment: str) -> None:
    steps = [row.step for row in TABLES[segment]]
    assert steps == sorted(steps)
    assert {STEP_NAMES[step][0] for step in steps} == {segment}


@pytest.mark.parametrize("row", [row for row in ROWS if row.under], ids=lambda row: row.rule.__name__)
def test_what_a_row_needs_under_a_robot_is_on_some_square(row: SubStep) -> None:
    table = compile_tables([load_course("everything")], [Settings()])[0]
    found = int(np.bitwise_or.reduce(table["active_features"]))
    assert row.under & ~found == 0


def test_every_element_that_acts_in_segment_c_has_a_row() -> None:
    needed = 0
    for row in SEGMENT_C:
        needed |= row.under | row.on_board
    acting = [element for element in ELEMENTS if element.acts.startswith("C") and element.features]
    without = {element.id for element in acting if not code(element.features[0]) & needed}
    assert without == {"hydraulic_pusher", "rotating_belt"}  # act in the rows of pushers and belts
