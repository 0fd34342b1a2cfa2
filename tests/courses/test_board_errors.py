"""What errors of boards and courses say: the place, the token, and what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from combinations import quick

from rr_gym.courses.course import Course
from rr_gym.courses.text.board import parse_board
from rr_gym.courses.text.boards import list_boards, load_board
from rr_gym.errors import BoardError, CourseError

# The token, and the whole message behind its place
TOKENS = {
    # Numbers out of range
    "#9": "1: '#9': expected a checkpoint, #1 to #8, not '#9'",
    "#0": "1: '#0': expected a checkpoint, #1 to #8, not '#0'",
    "#": "1: '#': expected a checkpoint, #1 to #8, not '#'; a comment begins with ';'",
    "@9": "1: '@9': expected a start square, @1 to @8, not '@9'",
    "@": "1: '@': expected a start square, @1 to @8, not '@'",
    "w3": "1: 'w3': expected a repair site, w1 or w2, not 'w3'",
    "./n*4": "3: './n*4': expected a board laser, *1 to *3, not '*4'",
    "./nv4:13": "3: './nv4:13': expected a ventilator, v1:13 to v3:13, not 'v4:13'",
    "r4^>v<-": "1: 'r4^>v<-': expected a rotating belt, r1^>v<- to r3^>v<-, not 'r4^>v<-'",
    # Capitals and small letters
    "x": "1: 'x': expected an item, not 'x'; did you mean 'X'?",
    ">:N": "1: '>:N': expected an item, not '>:N'; did you mean '>:n'?",
    "gWE": "1: 'gWE': expected an item, not 'gWE'; did you mean 'gwe'?",
    "./N*1": "3: './N*1': expected different side letters n e s w at the start of 'N*1'; did you mean './n*1'?",
    "./nE": "3: './nE': expected a kind of side, not 'E'; did you mean './ne'?",
    "./nd24": "3: './nd24': expected a kind of side, not 'd24'; did you mean './nD24'?",
    # The order within a word
    "P135>": "1: 'P135>': expected an item, not 'P135>'; did you mean 'P>135'?",
    "P>531/w": "1: 'P>531/w': expected ascending phases from 1-5 in 'P>531'; did you mean 'P>135/w'?",
    "C6": "1: 'C6': expected ascending phases from 1-5 in 'C6'; did you mean 'C'?",
    "P24": "1: 'P24': expected an item, not 'P24'; did you mean 'P^24' or 'P>24'?",
    # Separators
    ".n*1": "1: '.n*1': expected an item, not '.n*1'; did you mean './n*1'?",
    "#1w1": "1: '#1w1': expected an item, not '#1w1'; did you mean '#1+w1'?",
    "w1,#1": "1: 'w1,#1': expected an item, not 'w1,#1'; did you mean 'w1+#1'?",
    "./n*1s": "3: './n*1s': expected a kind of side, not '*1s'; did you mean './n*1,s'?",
    "./n/e": "3: './n/e': expected a kind of side, not '/e'; did you mean './n,e'?",
    "/n": "1: '/n': expected an item before each '+' and '/'; did you mean './n'?",
    "n": "1: 'n': expected an item, not 'n'; did you mean './n'?",
    "*1": "1: '*1': expected an item, not '*1'; did you mean './n*1'?",
    "./*1": "3: './*1': expected different side letters n e s w at the start of '*1'; did you mean './n*1'?",
    ">n": "1: '>n': expected an item, not '>n'; did you mean '>:n' or '>/n'?",
    ".;pit": "1: '.;pit': expected an item, not '.;pit'; a comment begins with ';' after a blank",
    "#pit": "1: '#pit': expected an item, not '#pit'; a comment begins with ';'",
    # Items that exclude each other
    "W+X": "3: 'W+X': expected items that can share a square, not 'W' with 'X'; did you mean 'X' alone?",
    "X+W": "3: 'X+W': expected items that can share a square, not 'X' with 'W'; did you mean 'X' alone?",
    ".+X": "3: '.+X': expected items that can share a square, not '.' with 'X'; did you mean 'X' alone?",
    ".+>": "3: '.+>': expected items that can share a square, not '.' with '>'; did you mean '>' alone?",
    "L+R": "3: 'L+R': expected items that can share a square, not 'L' with 'R'",
    "f+f": "3: 'f+f': expected each item once, not 'f' twice",
    # No similar token exists
    "wall": "1: 'wall': expected an item, not 'wall'",
    "Q" * 40: f"1: '{'Q' * 40}': expected an item, not '{'Q' * 40}'",
}
BOARDS = {
    "# a comment\n.": "1:1: '#': expected a checkpoint, #1 to #8, not '#'; a comment begins with ';'",
    "#a comment\n.": "1:1: '#a': expected an item, not '#a'; a comment begins with ';'",
    "Name: x\n.": "1:1: 'Name:': expected an item, not 'Name:'; headers stand first, in small letters",
    ".\nname: x": "2:1: 'name:': expected an item, not 'name:'; headers stand first, in small letters",
    ". =a": "1:3: '=a': expected a twin for every portal colour; 'a' occurs once",
    "./eka .": "1:3: './eka': expected a twin for every gate colour; 'a' occurs once",
    "./eka ./eka ./eka": "1:15: './eka': expected two gates of every colour; 'a' occurs 3 times",
    "#1 #1": "1:4: '#1': expected each checkpoint number once; 1 occurs twice",
    "@1 @1 @1": "1:7: '@1': expected each start number once; 1 occurs 3 times",
    "#1 #3": "1:4: '#3': expected checkpoint numbers 1, 2, ... without gaps; 2 is missing",
    ".\nparams:\nice_mode = fast": "3:1: 'ice_mode = fast': expected ice_mode = careful | chart",
    ".\nparams:\njack_damage = 0\njack_damage = 1": "4:1: 'jack_damage = 1': expected jack_damage at most once",
    ".\nparams:\nflip_stat = 1": (
        "3:1: 'flip_stat = 1': expected NAME = VALUE, with one of the names flip_state, lava_mode, ice_mode,"
        " crumble_leaves_pit, jack_damage, portal_card_only, checkpoint_pass_over; did you mean 'flip_state'?"
    ),
}
HEAD = "boards: [{board: exchange, at: [0, 0]}]\n"
COURSES = {
    HEAD + "id: 007": "2: course 7: id: 7: expected a name made of a-z 0-9 _, in quotation marks, since YAML reads a"
    " number here",
    HEAD + "id: true": "2: course True: id: True: expected a name made of a-z 0-9 _, in quotation marks, since YAML"
    " reads a truth value here",
    HEAD + "id: My Course": "2: course My Course: id: 'My Course': expected a name made of a-z 0-9 _, such as"
    " 'my_course'",
    "id: c\nboards: [{board: exchange}]": "2: course c: boards[0]: {'board': 'exchange'}: expected a placement"
    " {board: name, at: [x, y]}, with rotation: 0-3 if the board is turned",
}


@pytest.mark.parametrize("token", TOKENS)
def test_errors_in_tokens_name_row_and_column(token: str) -> None:
    column, rest = TOKENS[token].split(":", 1)
    with pytest.raises(BoardError) as caught:
        parse_board(f". .\n. {token}", "b.rrb")
    assert str(caught.value) == f"b.rrb:2:{2 + int(column)}:{rest}"


@pytest.mark.parametrize("text", BOARDS)
def test_errors_in_boards_name_the_line(text: str) -> None:
    with pytest.raises(BoardError) as caught:
        parse_board(text, "b.rrb")
    assert str(caught.value) == f"b.rrb:{BOARDS[text]}"


@pytest.mark.parametrize("text", COURSES)
def test_errors_in_courses_name_the_line_and_field(text: str) -> None:
    with pytest.raises(CourseError) as caught:
        Course.from_yaml(text, "c.yaml")
    assert str(caught.value) == f"c.yaml:{COURSES[text]}"


def test_boards_lie_as_they_are_drawn_without_a_rotation() -> None:
    without = Course.from_yaml(HEAD + "id: c")
    assert without == Course.from_yaml("id: c\nboards: [{board: exchange, rotation: 0, at: [0, 0]}]")


def test_a_byte_order_mark_is_no_part_of_a_board() -> None:
    assert parse_board("\ufeffname: b\n.") == parse_board("name: b\n.")
    with pytest.raises(BoardError, match=r"^b\.rrb:1:3: 'q'"):
        parse_board("\ufeff. q", "b.rrb")


def slips(token: str) -> Iterator[str]:
    """Yield the tokens that one slip makes of a token.

    A letter in the wrong case, a separator that is missing or another one, an arrow at the end, a number too high.
    """
    for i, letter in enumerate(token):
        before, after = token[:i], token[i + 1 :]
        if letter.isalpha():
            yield before + letter.swapcase() + after
        if letter in ":/+,":
            yield before + after
            yield from (before + other + after for other in ":/+,.;|\\" if other != letter)
        if letter in "<>^v":
            yield before + after + letter
        if letter.isdigit():
            yield before + "9" + after


# Errors about other rules of the format that a slip may break
OTHERS = (
    "twin", "without gaps", "side letters", "belt towards", "higher than", "one level higher", "across the belt",
    "right angles", "once", "different ends", "one description",
)  # fmt: skip


@pytest.mark.parametrize("one_in", quick([8, 1], 8))
def test_every_slip_on_our_boards_is_met_with_what_was_meant(one_in: int) -> None:
    tokens = {cell.token for name in list_boards() for *_, cell in load_board(name).squares()}
    refused = named = 0
    for token in sorted(tokens)[::one_in]:
        for slip in set(slips(token)) - {""}:
            try:
                parse_board(f". .\n. {slip}", "b.rrb")
            except BoardError as error:
                message = str(error)
            else:
                continue
            refused += 1
            assert re.match(r"b\.rrb:2:\d+: (['\"])\S+\1: expected ", message), message
            meant = re.search(r"; did you mean '(.*)'( alone)?\?", message)
            named += meant is not None and token in meant[1].split("' or '")
            in_range = re.search(r", \S+ (to|or) \S+, not '|from 1-5|begins with ';'", message)
            assert meant or in_range or any(words in message for words in OTHERS), message
    assert refused > 2000 / one_in
    assert named > 0.6 * refused
