"""Chains of lines: whatever is changed, removed or inserted is found."""

from __future__ import annotations

import json

import pytest

from rr_gym.line_chain import START, check_link, hash_of, head_after, seal, unsealed


def chain(count: int = 3) -> list[bytes]:
    lines: list[bytes] = []
    for number in range(count):
        lines.append(seal(json.dumps({"n": number}), head_after(lines)).encode())
    return lines


def problems(lines: list[bytes]) -> list[str]:
    found, prev = [], START
    for line in lines:
        found.append(check_link(line, prev))
        prev = hash_of(line)
    return found


def test_a_chain_agrees_with_itself() -> None:
    lines = chain()
    assert problems(lines) == ["", "", ""]
    assert [json.loads(line)["n"] for line in lines] == [0, 1, 2]
    assert json.loads(lines[0])["prev"] == START
    assert json.loads(lines[2])["prev"] == json.loads(lines[1])["hash"] == hash_of(lines[1])
    assert [unsealed(line) for line in lines] == [b'{"n": 0}', b'{"n": 1}', b'{"n": 2}']
    assert head_after(lines) == hash_of(lines[-1])


def test_every_changed_byte_is_found() -> None:
    lines = chain()
    for number, line in enumerate(lines):
        for place in range(len(line)):
            changed = bytearray(line)
            changed[place] ^= 1
            assert any(problems([*lines[:number], bytes(changed), *lines[number + 1 :]])), (number, place)


@pytest.mark.parametrize(
    ("order", "at"),
    [((0, 2), 1), ((1, 2), 0), ((0, 0, 1, 2), 1), ((1, 0, 2), 0)],
    ids=["gone", "first", "twice", "moved"],
)
def test_lines_that_are_removed_or_moved_are_found(order: tuple[int, ...], at: int) -> None:
    lines = chain()
    found = problems([lines[number] for number in order])
    assert next(place for place, problem in enumerate(found) if problem) == at
    assert "does not follow the line before it" in found[at]


def test_lines_without_a_chain_are_covered_by_the_first_that_has_one() -> None:
    old = [b'{"n": 0}', b'{"n": 1}']
    assert hash_of(old[0]) == ""
    assert unsealed(old[0]) == old[0]
    assert check_link(old[0], START) == "it does not end with its hash"
    line = seal('{"n": 2}', head_after(old)).encode()
    assert check_link(line, head_after(old)) == ""
    assert check_link(line, head_after([b'{"n": 9}', old[1]])) != ""
