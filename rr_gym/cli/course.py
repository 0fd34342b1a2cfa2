"""``rr-gym course``: the built-in courses, pictures, the board elements, and the checking of boards and courses."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import click

from rr_gym.cli.grammar.arguments import shared
from rr_gym.cli.grammar.command import command
from rr_gym.cli.grammar.files import check_new_file, check_there
from rr_gym.cli.grammar.output import Output
from rr_gym.cli.grammar.words import Name

if TYPE_CHECKING:
    from rr_gym.courses.course import Course

PICTURE = "a name that ends in .svg or .png (extra viz) is a picture"


@command()
@shared("--json")
def run_list(args: SimpleNamespace) -> int:
    """List the built-in courses with players, size, flags and rules, and the names of the built-in boards."""
    from rr_gym.courses.library import list_courses, load_course
    from rr_gym.courses.text.boards import list_boards

    output = Output(args.json)
    courses = [load_course(name) for name in list_courses()]
    rows = []
    for course in courses:
        low, high = course.players[0], course.players[-1]
        whole = course.players == tuple(range(low, high + 1))
        players = f"{low}-{high}" if whole else ",".join(map(str, course.players))
        size = f"{course.size[0]}x{course.size[1]}"
        rules = ", ".join(rule["rule"] for rule in course.rules) or "none"
        difficulty = course.details.get("difficulty", "")
        rows.append((course.id, course.name, players, size, len(course.flags), difficulty, rules))
    output.show_table(rows, ("id", "name", "players", "size", "flags", "difficulty", "special rules"))
    output.show("\nboards, for `rr-gym course show` and for courses of your own:")
    output.show(textwrap.fill(", ".join(list_boards()), 110))
    facts = [
        {
            "id": course.id,
            "name": course.name,
            "players": list(course.players),
            "size": list(course.size),
            "flags": len(course.flags),
            "difficulty": course.details.get("difficulty"),
            "rules": [rule["rule"] for rule in course.rules],
        }
        for course in courses
    ]
    output.write(facts)
    return 0


@command(
    exclusive=("ascii", "out"), examples=("rr-gym course show checkmate", "rr-gym course show mine.yaml --out mine.svg")
)
@click.argument("name", type=Name("courses", paths=True), help="a built-in course or board, or a .yaml or .rrb file")
@shared("--out", note=PICTURE, metavar="FILE")
@shared("--ascii")
@shared("--force")
def run_show(args: SimpleNamespace) -> int:
    """Draw a course or board."""
    from rr_gym.courses.library import load_course
    from rr_gym.files import write_file
    from rr_gym.render.board.picture import rgb, save_png, svg
    from rr_gym.render.board.sketch import can_show_unicode, draw

    check_new_file(args.out, args.force, (".png", ".svg"))
    course = load_course(args.name)
    match args.out and args.out.suffix:
        case ".svg":
            write_file(args.out, svg(course))
        case ".png":
            save_png(rgb(course), args.out)
        case _:
            unicode = not args.ascii and can_show_unicode()
            print(f"{course.name}, {course.size[0]}x{course.size[1]}, {len(course.flags)} flags")
            print(draw(course, unicode=unicode, colour=unicode and sys.stdout.isatty()), end="")
    if args.out:
        print(args.out)
    return 0


@command(examples=("rr-gym course check mine.rrb mine.yaml",))
@click.argument("file", nargs=-1, required=True, type=click.Path(path_type=Path), help="a board or course")
def run_check(args: SimpleNamespace) -> int:
    """Check boards (.rrb) and courses (.yaml)."""
    from rr_gym.courses.library import read_courses
    from rr_gym.courses.text.boards import is_board_file
    from rr_gym.errors import RoboRallyError, short_repr

    check_there(args.file)
    errors = 0
    for path in args.file:
        try:
            courses = read_courses(path)
        except RoboRallyError as error:
            errors += 1
            print(error)
            continue
        for course in courses:
            board = course.placements[0].board
            if is_board_file(path) and board.name not in ("", path.stem):
                print(
                    f"{path.name}: note: name: {short_repr(board.name)}: courses know it as '{path.stem}', "
                    "after its file"
                )
            for problem in _problems(course):
                print(f"{path.name}: well formed, but: {problem}")
    many = "s" * (len(args.file) != 1)
    print(f"{len(args.file)} file{many}, {errors} error{'s' * (errors != 1)}")
    return 1 if errors else 0


def _problems(course: Course) -> list[str]:
    """Return the reasons why a course cannot be played, or why nobody can finish the race on it, if there are any."""
    from rr_gym.courses.text.special_rules import HOW_TO_OMIT_FLAGS
    from rr_gym.errors import RoboRallyError
    from rr_gym.finishing import lone_finishing
    from rr_gym.rules.arena.arena import Arena
    from rr_gym.rules.state.settings import flags_needed

    where = f"course '{course.id}'"
    try:
        settings = Arena(course).settings[0]
    except RoboRallyError as error:
        return [str(error)]
    if not course.starts:
        return [f"{where}: no start square: expected at least '@1'"]
    flags, needed = len(course.flags), flags_needed(settings)
    if flags < needed:
        expected = f"expected at least {needed} for the game {settings.game}"
        return [f"{where}: {flags or 'no'} flag: {expected}, or a game without flags: {HOW_TO_OMIT_FLAGS}"]
    if settings.game != "race":
        return []
    return [f"{where}: {problem}" for problem in lone_finishing(course).problems()]


@command(exclusive=("json", "markdown"), examples=("rr-gym course elements crusher",))
@click.argument("name", type=Name("elements"), required=False, help="an element: its id, number or name")
@shared("--json")
@shared("--markdown", note="the whole table, as docs/elements.md")
def run_elements(args: SimpleNamespace) -> int:
    """Show the table of all board elements, or one element with its rule."""
    from rr_gym.render.board.legend import (
        element_json,
        element_text,
        elements_json,
        elements_markdown,
        elements_text,
        find_element,
    )
    from rr_gym.render.board.sketch import can_show_unicode

    output = Output(args.json)
    if args.name and not args.markdown:
        element = find_element(args.name)
        output.show(element_text(element, can_show_unicode()).rstrip("\n"))
        output.write(element_json(element))
    else:
        output.show((elements_markdown() if args.markdown else elements_text()).rstrip("\n"))
        output.write(elements_json())
    return 0


@command(exclusive=("ascii", "out"))
@shared("--out", note=f"{PICTURE}, .html a page", metavar="FILE")
@shared("--ascii")
@shared("--force")
def run_legend(args: SimpleNamespace) -> int:
    """Show what all board elements look like."""
    from rr_gym.files import write_file
    from rr_gym.render.board.legend import shapes, to_html, to_text
    from rr_gym.render.board.picture import save_png, to_rgb, to_svg
    from rr_gym.render.board.sketch import can_show_unicode

    check_new_file(args.out, args.force, (".png", ".svg", ".html"))
    match args.out and args.out.suffix:
        case ".png":
            save_png(to_rgb(*shapes()), args.out)
        case ".svg":
            write_file(args.out, to_svg(*shapes(), title="Board elements"))
        case ".html":
            write_file(args.out, to_html())
        case _:
            print(to_text(unicode=not args.ascii and can_show_unicode()), end="")
    if args.out:
        print(args.out)
    return 0


run = click.Group(
    commands={"list": run_list, "show": run_show, "check": run_check, "elements": run_elements, "legend": run_legend},
    help="List, show and check courses and boards, explain board elements.",
)
