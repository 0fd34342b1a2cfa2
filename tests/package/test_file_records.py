"""Games from files are also checked for properties that no invariant covers, but that kernels rely on."""

from __future__ import annotations

import pytest

from rr_gym.errors import RoboRallyError
from rr_gym.file_records import check_records
from rr_gym.rules.arena.arena import Arena


@pytest.mark.parametrize(("count", "where"), [(1, "here: "), (3, "here: game 2: ")])
def test_a_flag_that_lies_nowhere_is_refused(count: int, where: str) -> None:
    arena = Arena("risky_exchange")
    games = arena.new_games(count, 4, seed=1)
    check_records(games, arena, "here", RoboRallyError)
    games["flag_squares"][count - 1, 1] = -1
    with pytest.raises(RoboRallyError, match=rf"^{where}flag_squares\[1\]: -1: expected a square"):
        check_records(games, arena, "here", RoboRallyError)


def test_views_of_seats_may_leave_things_out() -> None:
    arena = Arena("risky_exchange")
    games = arena.new_games(1, 4, seed=1)
    games["flag_squares"][0, 1] = -1
    check_records(games, arena, "here", RoboRallyError, whole=False)
