"""``rr-gym generate``: a course by chance."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "generate", help="make a course by chance", description="Make a course by chance that can be finished."
    )
    parser.add_argument("--seed", type=int, default=0, help="any whole number (default: %(default)s)")
    parser.add_argument("--size", default="12x12", metavar="WxH", help="squares (default: %(default)s)")
    parser.add_argument("--flags", type=int, default=3, metavar="N", help="1 to 8 (default: %(default)s)")
    parser.add_argument("--starts", type=int, default=8, metavar="N", help="1 to 8 (default: %(default)s)")
    parser.add_argument("--difficulty", default="medium", help="easy, medium or hard (default: %(default)s)")
    parser.add_argument(
        "--density",
        nargs="+",
        action="extend",
        default=[],
        metavar="KIND=X",
        help="elements per square, such as pit=0.05; kinds: pit belt express wall gear pusher crusher laser repair, "
        "and the elements of --elements",
    )
    parser.add_argument(
        "--elements",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="elements of the expansions, such as oil_slick, or whole expansions: armed_and_dangerous radioactive "
        "grand_prix crash_and_burn fan_created_list additional_page all",
    )
    parser.add_argument(
        "-o", "--out", type=Path, metavar="FILE", help="a .rrb board or a .yaml course; else the board is printed"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    from rr_gym.courses.text.board import format_board
    from rr_gym.files import write_file
    from rr_gym.generate import GenerateError, generate_course

    size = re.fullmatch(r"(\d{1,4})x(\d{1,4})", args.size)
    if size is None:
        raise GenerateError(f"--size: {args.size!r}: expected WIDTHxHEIGHT, such as 12x12")
    if args.out is not None and args.out.suffix not in (".rrb", ".yaml", ".yml"):
        raise GenerateError(f"--out: '{args.out}': expected a file name that ends with .rrb or .yaml")
    density = dict(_kind_and_value(word) for word in args.density)
    course = generate_course(
        args.seed, int(size[1]), int(size[2]), args.flags, args.starts, density, args.difficulty, args.elements
    )
    board = format_board(replace(course.placements[0].board, name=""))  # a file's own name counts
    if args.out is None:
        sys.stdout.write(board)
        return 0
    write_file(args.out, board if args.out.suffix == ".rrb" else course.to_yaml())
    print(f"{args.out}: {course.size[0]}x{course.size[1]}, {len(course.flags)} flags, {len(course.starts)} starts")
    return 0


def _kind_and_value(word: str) -> tuple[str, float]:
    from rr_gym.generate import GenerateError

    kind, _, value = word.partition("=")
    try:
        return kind, float(value)
    except ValueError:
        raise GenerateError(f"--density: {word!r}: expected KIND=NUMBER, such as pit=0.05") from None
