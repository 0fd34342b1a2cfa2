"""``rr-gym generate``: a random course."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from typing import Any

from rr_gym.cli.grammar.arguments import add
from rr_gym.cli.grammar.files import check_new_file
from rr_gym.cli.grammar.words import PairsAction


def add_parser(subparsers: Any) -> None:
    """Register ``generate``."""
    parser = subparsers.add_parser(
        "generate", help="make a random course", description="Makes a random course that can be finished."
    )
    add(parser, "--seed", default=0)
    parser.add_argument("--size", default="12x12", metavar="WxH", help="squares (%(default)s)")
    parser.add_argument("--flags", type=int, default=3, metavar="N", help="1 to 8 (%(default)s)")
    parser.add_argument("--starts", type=int, default=8, metavar="N", help="1 to 8 (%(default)s)")
    parser.add_argument(
        "--difficulty", default="medium", choices=("easy", "medium", "hard"), help="how hard it is (%(default)s)"
    )
    parser.add_argument(
        "--density", action=PairsAction, read=read_density, example="pit=0.05", metavar="KIND=X",
        help="elements per square; kinds: pit belt express wall gear pusher crusher laser repair, and the elements of "
        "--elements; repeatable",
    )  # fmt: skip
    add(
        parser, "--elements",
        note="or whole expansions: armed_and_dangerous radioactive grand_prix crash_and_burn fan_created_list "
        "additional_page all",
    )  # fmt: skip
    add(parser, "--out", note="a .rrb board or a .yaml course; else the board is printed", metavar="FILE")
    add(parser, "--force")
    parser.set_defaults(run=run, inner={"size": "--size", "num_flags": "--flags", "num_starts": "--starts"})


def run(args: argparse.Namespace) -> int:
    """Make the course, and print or write it."""
    from rr_gym.courses.text.board import format_board
    from rr_gym.errors import shown
    from rr_gym.files import write_file
    from rr_gym.generate import GenerateError, generate_course
    from rr_gym.rules.state.constants import MAX_SQUARES

    size = re.fullmatch(r"(\d{1,4})x(\d{1,4})", args.size)
    if size is None:
        raise GenerateError(f"--size: {shown(args.size)}: expected WIDTHxHEIGHT, such as 12x12")
    if not (int(size[1]) and int(size[2])) or int(size[1]) * int(size[2]) > MAX_SQUARES:
        raise GenerateError(f"--size: {args.size}: expected at least 1x1, and at most {MAX_SQUARES} squares")
    check_new_file(args.out, args.force, (".rrb", ".yaml", ".yml"))
    course = generate_course(
        args.seed, int(size[1]), int(size[2]), args.flags, args.starts,
        args.density, args.difficulty, args.elements or [],
    )  # fmt: skip
    board = format_board(replace(course.placements[0].board, name=""))  # a file's own name counts
    if args.out is None:
        sys.stdout.write(board)
        return 0
    write_file(args.out, board if args.out.suffix == ".rrb" else course.to_yaml())
    print(f"{args.out}: {course.size[0]}x{course.size[1]}, {len(course.flags)} flags, {len(course.starts)} starts")
    return 0


def read_density(kind: str, value: str, where: str) -> float:
    """The density of a kind of element. Raises RoboRallyError."""
    from rr_gym.errors import RoboRallyError

    try:
        return float(value)
    except ValueError:
        raise RoboRallyError(f"{where}: {kind}={value}: expected KIND=NUMBER, such as pit=0.05") from None
