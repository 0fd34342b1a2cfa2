"""Draw boards with robots as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from rr_gym.courses import Course
from rr_gym.courses.changes import AS_PRINTED, Changes, flag_squares
from rr_gym.render.board.picture import svg as course_svg
from rr_gym.render.board.picture import to_svg
from rr_gym.render.board.shapes import Point, Primitive
from rr_gym.render.colours import team_colour
from rr_gym.render.devices import FIELD_SIZE, device_shapes, field_shapes, flag_team_shapes, target_shapes, things
from rr_gym.render.fittings import MARKS, SIDED, goo_shapes, guard_shapes, mark_shapes, team_shapes
from rr_gym.render.pieces import Piece, changes_of, pieces_of
from rr_gym.render.robots import (
    bodies,
    body_shapes,
    energy_shapes,
    fire_shapes,
    flight_shapes,
    number_shapes,
    pip_shapes,
    plate_shapes,
    robot_shapes,
    sleep_shapes,
)
from rr_gym.render.tokens import NO_TOKENS, Tokens, tokens_of
from rr_gym.rules.state.records import GameRecord


def svg(record: GameRecord, course: Course, cell: int = 48) -> str:
    """Draw one game as an SVG document.

    Args:
        record: One element of an array of dtype `GAME`.
        course: The course that it is played on.
        cell: The side of a square in pixels.
    """
    return pieces_svg(
        pieces_of(record, course), course, cell, changes_of(record, course), tokens_of(record, course)
    )


def pieces_svg(
    pieces: Sequence[Piece],
    course: Course,
    cell: int = 48,
    changes: Changes = AS_PRINTED,
    tokens: Tokens = NO_TOKENS,
) -> str:
    """Draw robots and tokens on their course as an SVG document; `cell` is the side of a square in pixels."""
    head, _, tail = course_svg(course, cell, changes).rpartition("</svg>")
    return f"{head}{pieces_body(pieces, course, changes, tokens)}</svg>{tail}"


def pieces_body(
    pieces: Sequence[Piece], course: Course, changes: Changes = AS_PRINTED, tokens: Tokens = NO_TOKENS
) -> str:
    """Draw robots and tokens as SVG elements in units of squares, without the course and the enclosing document."""
    width = course.size[0]
    under = things(tokens, pieces, flag_squares(course, changes), width)
    groups = [_group(thing.shapes, thing.at, thing.opacity, thing.size) for thing in under]
    groups += [_group(robot_shapes(look), at, look.opacity) for look, at in bodies(pieces, width, tokens)]
    return "".join(groups)


def _group(shapes: Sequence[Primitive], at: Point, opacity: float, size: int = 1) -> str:
    """Wrap shapes in an SVG group at the corner `at`; the shapes fill `size` x `size` squares."""
    see_through = f' opacity="{opacity}"' if opacity < 1 else ""
    return f'<g transform="translate({at[0]:g} {at[1]:g})"{see_through}>{to_svg(shapes, size, size, cell=1)}</g>'


# Parts that a script shows while a robot is in a state: their class and their shapes.
CONDITIONS: dict[str, Callable[[], list[Primitive]]] = {
    "goo": goo_shapes,
    "guarded": guard_shapes,
    "burning": fire_shapes,
    "asleep": sleep_shapes,
    "energized": energy_shapes,
    **{mark: partial(mark_shapes, mark) for mark in MARKS},
}


def movable_svg(seat: int, cell: int, is_copy: bool = False, team: int = 0) -> str:
    """Draw a robot for pages that animate it: centred at (0, 0), facing north.

    A script turns it, and shows or hides its parts.

    Args:
        seat: Determines colour and number.
        cell: The side of a square in the page's units.
        is_copy: Whether it is the copy of a robot.
        team: Its team, 0 for none.
    """

    def part(shapes: Sequence[Primitive], name: str = "") -> str:
        group = to_svg(shapes, 1, 1, cell=cell)
        return f'<g class="condition {name}">{group}</g>' if name else group

    half = cell / 2
    corner = f'transform="translate({-half:g} {-half:g})"'
    body = f"<g {corner}>{part(body_shapes(seat))}</g>"
    number = part(number_shapes(seat))
    box = f'viewBox="{-half:g} {-half:g} {cell} {cell}"'
    if is_copy:
        plate = part(plate_shapes("copy"))
        return (
            f'<svg class="robot copy gone" id="copy-{seat}" {box}><g class="turning">{body}</g>'
            f"<g {corner}>{number}{plate}</g></svg>"
        )
    pips = "".join(f'<g class="pip">{part([pip])}</g>' for pip in pip_shapes(10))
    conditions = "".join(part(shapes(), name) for name, shapes in CONDITIONS.items())
    # Parts for the front; the script turns them to their side.
    sided = "".join(f'<g class="sided {name}"><g {corner}>{part(shapes(0))}</g></g>' for name, shapes in SIDED.items())
    ring = part(team_shapes(team_colour(team))) if team else ""
    level = part(plate_shapes("0"), "level")
    return (
        f'<svg class="robot" id="robot-{seat}" {box}><g {corner}>{ring}{part(flight_shapes(), "flying")}</g>'
        f'<g class="turning"><g id="body-{seat}">{body}</g>{sided}</g>'
        f"<g {corner}>{number}{pips}{conditions}{level}</g></svg>"
    )


def stamps_svg(devices: Iterable[tuple[str, int]], teams: Iterable[int], cell: int) -> str:
    """Draw everything besides robots that a page may put on a board, each as a group with an id for a script to copy.

    The ids are ``device-KIND-OWNER`` for devices, ``target-OWNER`` for drones' counters, ``team-TEAM`` for flags'
    owners, and ``field`` for the damping field. All are centred at (0, 0), and devices face north.

    Args:
        devices: The kinds that occur, each with its owner, -1 for nobody.
        teams: Numbers of the teams.
        cell: The side of a square in the page's units.
    """

    def stamp(name: str, shapes: Sequence[Primitive], size: int = 1) -> str:
        corner = f"translate({-size * cell / 2:g} {-size * cell / 2:g})"
        return f'<g id="{name}"><g transform="{corner}">{to_svg(shapes, size, size, cell=cell)}</g></g>'

    found = [stamp("field", field_shapes(), FIELD_SIZE)]
    for kind, owner in devices:
        found.append(stamp(f"device-{kind}-{owner}", device_shapes(kind, owner)))
        if kind == "drone":
            found.append(stamp(f"target-{owner}", target_shapes(owner)))
    found += [stamp(f"team-{team}", flag_team_shapes(team)) for team in teams]
    return "".join(found)
