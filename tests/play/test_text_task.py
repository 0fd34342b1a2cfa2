"""Games as tasks for language models."""

from __future__ import annotations

import json

import pytest

from rr_gym.courses import load_course
from rr_gym.errors import RoboRallyError
from rr_gym.play import TextGame, first_legal_answer, text_task
from rr_gym.play.text_task import ATTEMPTS, COURSES, PREVIEWS, SIZES, TEST, TRAIN


def test_no_board_is_in_both_splits() -> None:
    boards = {
        split: {placed.board.name for name in names for placed in load_course(name).placements}
        for split, names in COURSES.items()
    }
    assert {name for name in boards[TRAIN] & boards[TEST] if not name.startswith("docking_bay")} == set()
    seeds = {split: {text_task(split, n).seed for n in range(SIZES[split])} for split in SIZES}
    assert seeds[TRAIN] & seeds[TEST] == set()
    assert [len(seeds[split]) for split in SIZES] == list(SIZES.values())
    assert {text_task(TEST, n).course for n in range(20)} == {"", *COURSES[TEST]}


@pytest.mark.parametrize(("split", "number"), [("all", 0), (TRAIN, -1), (TEST, 200), (TEST, 1.5)])
def test_what_is_no_task(split: str, number: int) -> None:
    with pytest.raises(RoboRallyError, match=f"expected {'train' if split == 'all' else 'a whole number'}"):
        text_task(split, number)


def test_a_scripted_model_plays_a_task() -> None:
    rewards = []
    for _ in range(2):
        game = TextGame(text_task(TEST, 3))
        while not game.done:
            before = game.reward
            game.answer(first_legal_answer(game.text))
            assert game.reward >= before
        rewards.append((game.reward, game.game.turn, game.text))
        assert (game.illegal, game.lost) == (0, 0)
        assert game.text.endswith(f"The game is over. Your place: {game.game.placements[0]} of 3.")
    assert rewards[0] == rewards[1]
    flags = int(game.game.record.robots[0].flag) / len(game.game.course.flags)
    assert game.reward == flags / 2 + (3 - game.game.placements[0]) / 2 / 2
    with pytest.raises(RoboRallyError, match="the game is over"):
        game.answer("{}")


def test_help_with_what_is_not_legal() -> None:
    game = TextGame(text_task(TRAIN, 0))
    position, turn = game.text, game.game.turn
    assert "expected a JSON object with a program" in game.answer("no idea")
    assert "expected a priority of move_1" in game.answer('{"program": ["move_1@1", null, null, null, null]}')
    assert game.game.turn == turn
    assert game.answer("{'").startswith(f"None of {ATTEMPTS} answers was legal")
    assert (game.illegal, game.lost) == (ATTEMPTS, 1)
    assert position not in game.text


def test_programs_are_tried_before_they_are_played() -> None:
    game = TextGame(text_task(TRAIN, 0))
    program = json.loads(first_legal_answer(game.text))["program"]
    for _ in range(PREVIEWS):
        told = game.answer(f'Perhaps {json.dumps({"preview": program})}?')
        assert "your robot is at" in told
    assert f"expected at most {PREVIEWS} in a turn" in game.answer(json.dumps({"preview": program}))
    assert game.game.turn == 0
    thoughts = f'First {{"program": [1]}}, no: {json.dumps({"program": program})} is better.'
    assert "phase 5" in game.answer(thoughts)
    assert game.illegal == 1


def test_scripted_answers() -> None:
    text = "Your registers: 1 open, 2 open, 3 open, 4 move_1@490, 5 u_turn@10.\nYour hand: move_2@720, move_1@630."
    assert json.loads(first_legal_answer(text)) == {"program": ["move_2@720", "move_1@630", None, None, None]}
    assert first_legal_answer("The robot is down.") == "{}"
