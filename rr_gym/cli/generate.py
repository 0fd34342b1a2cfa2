"""``rr-gym generate``: a random course."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from types import SimpleNamespace

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command, option
from rr_gym.cli.grammar.files import check_new_file
from rr_gym.cli.grammar.words import OneOf, Whole, pairs


def read_density(kind: str, value: str, where: str) -> float:
    """Read the density of a kind of element. Raises RoboRallyError if it is not a number."""
    from rr_gym.errors import RoboRallyError

    try:
        return float(value)
    except ValueError:
        raise RoboRallyError(f"{where}: {kind}={value}: expected KIND=NUMBER, such as pit=0.05") from None


@command(examples=(
    "rr-gym generate --size 16x12 --flags 4 --difficulty hard --out course.yaml",
    "rr-gym generate --elements grand_prix --density pit=0.05",
))  # fmt: skip
@shared("--seed", default=0)
@option("--size", default="12x12", metavar="WxH", help="width and height in squares")
@option("--flags", type=Whole(1, 8), default=3, metavar="N", help="number of flags, 1 to 8")
@option("--starts", type=Whole(1, 8), default=8, metavar="N", help="number of starts, 1 to 8")
@option("--difficulty", default="medium", type=OneOf(("easy", "medium", "hard")), help="how hard it is")
@option(
    "--density", **pairs(read_density, "pit=0.05"), metavar="KIND=X",
    help="elements per square; kinds: pit belt express wall gear pusher crusher laser repair, and the elements of "
    "--elements; repeatable",
)  # fmt: skip
@shared(
    "--elements",
    note="or whole expansions: armed_and_dangerous radioactive grand_prix crash_and_burn fan_created_list "
    "additional_page all",
)
@shared("--out", note="a .rrb board or a .yaml course; else the board is printed", metavar="FILE")
@shared("--force")
def run(args: SimpleNamespace) -> int:
    """Make a random course that can be finished."""
    from rr_gym.courses.text.board_format import format_board
    from rr_gym.errors import short_repr
    from rr_gym.files import write_file
    from rr_gym.generate import GenerateError, generate_course
    from rr_gym.rules.state.constants import MAX_SQUARES

    size = re.fullmatch(r"(\d{1,4})x(\d{1,4})", args.size)
    if size is None:
        raise GenerateError(f"--size: {short_repr(args.size)}: expected WIDTHxHEIGHT, such as 12x12")
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
