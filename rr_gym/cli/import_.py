"""``rr-gym import``: courses of other programs become courses of this one."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.files import check_there


@command(examples=("rr-gym import quay.rrc island.json --out courses",))
@click.argument(
    "file", nargs=-1, required=True, type=click.Path(path_type=Path),
    help="a .rrc course, or a .json board of RoboRuckus",
)  # fmt: skip
@shared("--out", default=Path("courses"))
@shared("--force")
def run(args: SimpleNamespace) -> int:
    """Translate courses of other programs, and say what was left out or inferred.

    Each becomes a file of its own in the folder of --out: a .yaml course, or a .rrb board if it has no flags and no
    start squares. A file that does not follow its format is reported, and the others are translated all the same.
    """
    from rr_gym.courses.foreign import import_course
    from rr_gym.errors import RoboRallyError
    from rr_gym.files import check_writable, write_file

    check_there(args.file)
    check_writable(args.out, "--out ")
    errors = 0
    for path in args.file:
        try:
            found = import_course(path)
            out = args.out / found.name
            if out.exists() and not args.force:
                raise RoboRallyError(f"{path.name}: {out} exists: --force replaces it, --out names another folder")
            write_file(out, found.text)
        except RoboRallyError as error:
            errors += 1
            print(error)
            continue
        course = found.course
        size = f"{course.size[0]}x{course.size[1]}, {len(course.flags)} flags, {len(course.starts)} starts"
        print("\n  ".join([f"{path.name}: {out}: {size}", *found.notes]))
    many = "s" * (len(args.file) != 1)
    print(f"{len(args.file)} file{many}, {errors} error{'s' * (errors != 1)}")
    return 1 if errors else 0
