"""Every scenario has the same outcome turned, mirrored, with its robots in reverse order, and in a rotating room."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest
from all_scenarios import ALL
from recorded_runs import Data, Run
from sweep import (
    FOLDER,
    MORE,
    SCENARIOS,
    TRANSFORMATIONS,
    Rule,
    Transformed,
    exceptions,
    rules,
    swept,
    wrong,
)
from symmetries import Symmetry, board_in_room

from rr_gym import yaml12
from rr_gym.courses import list_boards, load_board
from rr_gym.courses.text.board import parse_board
from rr_gym.rules.state.cards import card_name
from rr_gym.rules.state.constants import DECK_SIZE
from rr_gym.scenarios import Scenario, load_scenarios

FILES = sorted(SCENARIOS.rglob("*.yaml"))
RULES = "\n".join(path.read_text("utf-8") for path in sorted((FOLDER.parent / "docs" / "rules").glob("*.md")))


@pytest.mark.long
@pytest.mark.parametrize("file", [pytest.param(file, id=str(file.relative_to(SCENARIOS))) for file in FILES])
def test_scenarios_end_alike(file: Path, tmp_path: Path) -> None:
    assert not (found := differing(load_scenarios(file), tmp_path)), "\n".join(found)


def test_some_of_the_scenarios_end_alike(tmp_path: Path) -> None:
    assert not (found := differing(ALL[::120], tmp_path)), "\n".join(found)


def differing(scenarios: Sequence[Scenario], folder: Path) -> list[str]:
    return [
        line
        for outcome in swept(scenarios, folder)
        for line in wrong(outcome, exceptions(outcome.scenario).get(outcome.transformation))
    ]


def test_exceptions_name_transformations_and_rules() -> None:
    found = [pair for scenario in ALL for pair in exceptions(scenario).items()]
    assert {transformation for transformation, _ in found} <= (TRANSFORMATIONS | MORE).keys()
    assert {rule.id for _, rule in found} == rules().keys()
    for rule in rules().values():
        assert f"**{rule.id}**" in RULES
        assert rule.why


def test_every_comment_on_the_sweep_is_read() -> None:
    written = {file: file.read_text("utf-8").count("# sweep") for file in FILES}
    read = Counter[Path]()
    for scenario in ALL:
        read[Path(scenario.file)] += len(set(exceptions(scenario).values()))
    assert read == Counter(written)


def scenario_of(folder: Path) -> Scenario:
    """Return a scenario without expectations, in which a robot pushes another one."""
    value = {
        "name": "a robot pushes another one",
        "board": ". . . .\n" * 4,
        "robots": {"a": {"at": [1, 1], "facing": "e"}, "b": {"at": [2, 1], "facing": "s"}},
        "params": {"robot_lasers": "off"},
        "programs": {"a": ["move_1"]},
        "expect": {},
    }
    file = folder / "scenario.yaml"
    file.write_text(yaml12.dump([value]), "utf-8")
    return load_scenarios(file)[0]


def facing_west(data: Data, run: Run, folder: Path) -> Transformed | None:
    """Transform a scenario in a way that changes its outcome."""
    transformed = TRANSFORMATIONS["turned"](data, run, folder)
    assert transformed is not None
    transformed.data["robots"]["a"]["facing"] = "w"
    return transformed


def test_another_outcome_is_found_even_without_expectations(tmp_path: Path) -> None:
    (outcome,) = swept([scenario_of(tmp_path)], tmp_path, {"turned": facing_west})
    at = "turned: a robot pushes another one: turn 1, "
    assert {line.removeprefix(at) for line in wrong(outcome, None)} == {
        "a.at: expected [2, 2], got [1, 1]",
        "a.facing: expected s, got w",
        "b.at: expected [2, 3], got [2, 2]",
    }


def test_exceptions_hold_for_the_fields_that_they_name_and_must_be_needed(tmp_path: Path) -> None:
    (outcome,) = swept([scenario_of(tmp_path)], tmp_path, {"turned": facing_west})
    (alike,) = swept([scenario_of(tmp_path)], tmp_path, {"turned": TRANSFORMATIONS["turned"]})
    everything = Rule("U8", "by rows", frozenset())
    facing = Rule("U8", "by rows", frozenset({"facing"}))
    assert wrong(alike, None) == wrong(outcome, everything) == []
    assert len(wrong(outcome, facing)) == 2
    assert "the exception by U8 is not needed" in wrong(alike, everything)[0]


def test_boards_are_mirrored() -> None:
    text = """
        >:n   R+@1/w  J>^<v/es*2
        gwe   S^>     P>135/nw
        levels:
        001
        000
        groups:
        ring 0,0 1,0 1,1 0,1
    """
    mirrored = """
        J<^>v/sw*2  L+@1/e  <:n
        P<135/ne    S^<     gew
        levels:
        100
        000
        groups:
        ring 2,0 1,0 1,1 2,1
    """
    assert Symmetry(3, 2, mirrored=True).board(parse_board(text)) == parse_board(mirrored)


def test_boards_come_back() -> None:
    for name in list_boards():
        board = load_board(name)
        mirror, turn = Symmetry(board.width, board.height, mirrored=True), Symmetry(board.width, board.height, 4)
        assert mirror.board(mirror.board(board)) == turn.board(board) == board


def test_a_board_in_a_room_is_shown_when_the_room_has_turned() -> None:
    board = parse_board("> R ./n\n. X .")
    built = board_in_room(board, 2, 1)
    assert built == parse_board("R X ./n\n^ . .\ngroups:\nroom at 0,0 2")
    assert board_in_room(board, 3, 0) == parse_board("> R ./n\n. X .\nX X X\ngroups:\nroom at 0,0 3")


def test_no_room_tears_a_group_or_a_ramp() -> None:
    group = parse_board(". . . .\n. . . .\ngroups:\nbigear at 1,0 2x2")
    ramp = parse_board(". ./eh . .\n. . . .\nlevels:\n0011\n0011")
    room = parse_board(". . .\n. . .\ngroups:\nroom at 0,0 2")
    assert [board_in_room(board, 2, 1) for board in (group, ramp, room)] == [None] * 3
    assert board_in_room(group, 4, 1)
    assert board_in_room(ramp, 4, 1)


def test_rotations_change_places_and_keep_the_order_of_priorities() -> None:
    mirror = Symmetry(1, 1, mirrored=True)
    cards = [card_name(card) for card in range(1, DECK_SIZE + 1)]
    mirrored = [mirror.card(card) for card in cards]
    assert sorted(mirrored) == sorted(cards)
    for card, other in zip(cards, mirrored, strict=True):
        swapped = card.replace("left", "?").replace("right", "left").replace("?", "right")
        assert other.partition("@")[0] == swapped.partition("@")[0]
    kept = [card for card in mirrored if card != mirror.card("rotate_left@70")]
    assert kept == sorted(kept, key=lambda card: int(card.partition("@")[2]))
    assert mirror.card("rotate_left") == "rotate_right"
    assert mirror.card("none") == "none"
