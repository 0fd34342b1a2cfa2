"""``rr-gym course``: the built-in courses, pictures, the board elements, and the checking of boards and courses."""

from __future__ import annotations

import argparse
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rr_gym.cli.grammar.arguments import add, completed
from rr_gym.cli.grammar.files import check_new_file, check_there
from rr_gym.cli.grammar.output import Output

if TYPE_CHECKING:
    from rr_gym.courses.course import Course

PICTURE = "a name that ends in .svg or .png (extra viz) is a picture"


def add_parser(subparsers: Any) -> None:
    """Register ``course list``, ``show``, ``check``, ``elements`` and ``legend``."""
    parser = subparsers.add_parser("course", help="list, show and check courses and boards, explain board elements")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    lister = commands.add_parser("list", help="the built-in courses with players, size, flags and rules, and boards")
    add(lister, "--json")
    lister.set_defaults(run=run_list)

    show = commands.add_parser("show", help="draw a course or board")
    completed(
        show.add_argument("name", metavar="NAME", help="a built-in course or board, or a .yaml or .rrb file"),
        "course",
    )
    pictures = show.add_mutually_exclusive_group()
    add(pictures, "--out", note=PICTURE, metavar="FILE")
    add(pictures, "--ascii")
    add(show, "--force")
    show.set_defaults(run=run_show)

    check = commands.add_parser("check", help="check boards (.rrb) and courses (.yaml)")
    completed(check.add_argument("files", metavar="FILE", nargs="+", type=Path, help="a board or course"), "file")
    check.set_defaults(run=run_check)

    elements = commands.add_parser("elements", help="the table of all board elements, or where the rule of one is")
    name = elements.add_argument("name", metavar="NAME", nargs="?", help="an element: its id, number or name")
    completed(name, "element")
    forms = elements.add_mutually_exclusive_group()
    add(forms, "--json")
    add(forms, "--markdown", note="the whole table, as docs/elements.md")
    elements.set_defaults(run=run_elements)

    legend = commands.add_parser("legend", help="what all board elements look like")
    add(legend, "--out", note=f"{PICTURE}, .html a page", metavar="FILE")
    add(legend, "--ascii")
    add(legend, "--force")
    legend.set_defaults(run=run_legend)


def run_list(args: argparse.Namespace) -> int:
    """List the built-in courses, and the names of the built-in boards."""
    from rr_gym.courses.library import list_courses, load_course
    from rr_gym.courses.text.boards import list_boards

    output = Output(args.json)
    courses = [load_course(name) for name in list_courses()]
    output.show(f"{'id':27} {'name':30} {'players':8} {'size':6} {'flags':5} {'difficulty':10} special rules")
    for course in courses:
        low, high = course.players[0], course.players[-1]
        whole = course.players == tuple(range(low, high + 1))
        players = f"{low}-{high}" if whole else ",".join(map(str, course.players))
        size = f"{course.size[0]}x{course.size[1]}"
        rules = ", ".join(rule["rule"] for rule in course.rules) or "none"
        facts = f"{players:8} {size:6} {len(course.flags):5} {course.details.get('difficulty', ''):10}"
        output.show(f"{course.id:27} {course.name:30} {facts} {rules}")
    output.show("\nboards, for `rr-gym course show` and for courses of your own:")
    output.show(textwrap.fill(", ".join(list_boards()), 110))
    rows = [
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
    output.write(rows)
    return 0


def run_show(args: argparse.Namespace) -> int:
    """Draw a course."""
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


def run_check(args: argparse.Namespace) -> int:
    """Check boards and courses."""
    from rr_gym.courses.library import read_courses
    from rr_gym.courses.text.boards import is_board_file
    from rr_gym.errors import RoboRallyError, shown

    check_there(args.files)
    errors = 0
    for path in args.files:
        try:
            courses = read_courses(path)
        except RoboRallyError as error:
            errors += 1
            print(error)
            continue
        for course in courses:
            board = course.placements[0].board
            if is_board_file(path) and board.name not in ("", path.stem):
                print(f"{path.name}: note: name: {shown(board.name)}: courses know it as '{path.stem}', after its file")
            for problem in _problems(course):
                print(f"{path.name}: well formed, but: {problem}")
    many = "s" * (len(args.files) != 1)
    print(f"{len(args.files)} file{many}, {errors} error{'s' * (errors != 1)}")
    return 1 if errors else 0


def _problems(course: Course) -> list[str]:
    """Why a course cannot be played, or nobody can finish the race on it."""
    from rr_gym.courses.text.special_rules import A_GAME_WITHOUT_FLAGS
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
        return [f"{where}: {flags or 'no'} flag: {expected}, or a game without flags: {A_GAME_WITHOUT_FLAGS}"]
    if settings.game != "race":
        return []
    return [f"{where}: {problem}" for problem in lone_finishing(course).problems()]


def run_elements(args: argparse.Namespace) -> int:
    """The table of elements, or all about one."""
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


def run_legend(args: argparse.Namespace) -> int:
    """Show the legend, or write it."""
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
