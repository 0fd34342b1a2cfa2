"""Describe a view in a short text, for language models and people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rr_gym.courses.course import Course
from rr_gym.courses.text.grammar import write_cell

if TYPE_CHECKING:
    from rr_gym.encoding.observe.view import DeviceView, RobotView, View

LEGEND = (
    "Tokens: . floor; X pit; - no board; ^ > v < belts and ^^ >> vv << express belts (>:n turns what comes from the "
    "north); L R gears; w1 w2 repair sites; P pusher and C crusher with their phases; #1 flag; @1 start; behind /: "
    "n e s w walls on these sides, *1 a laser mount on the side before it."
)
FACINGS = {"n": "north", "e": "east", "s": "south", "w": "west"}


def text_of(view: View, course: Course | None = None) -> str:
    """Return the view in sentences, with the map if the course is given; see `View.as_text`."""
    lines = [
        f"Turn {view.turn + 1} on {view.course}, {view.size[0]} x {view.size[1]} squares. A square is (x, y): "
        "x counts from the western edge, y from the northern edge, both from 0."
    ]
    if course is not None:
        lines += ["Map, rows from north to south, squares as tokens of the format RRB1:", *map_lines(course), LEGEND]
    lines.append("Flags: " + ", ".join(f"{k + 1} at {_at(flag)}" for k, flag in enumerate(view.flags)) + ".")
    lines += list(_changes(view))
    lines += [_robot(robot, view) for robot in view.robots]
    lines += [_device(device, view) for device in view.devices]
    if view.over:
        winners = ", ".join(f"robot {seat}" for seat in view.winners) or "nobody"
        return "\n".join([*lines, f"The game is over; the winner is {winners}."])
    lines += list(_registers(view.own))
    lines.append(f"Your hand: {', '.join(view.hand) or 'no cards'}.")
    lines += [f"Hand of your teammate, robot {seat}: {', '.join(hand)}." for seat, hand in view.mates.items()]
    if view.stored:
        lines.append(f"Stored on your Flywheel: {view.stored}.")
    if view.bomb:
        lines.append(f"Cards of the buzz bomb that you steer: {', '.join(view.bomb)}.")
    return "\n".join(lines)


def map_lines(course: Course) -> list[str]:
    """Return the rows of a course's map as text; ``-`` where there is no board."""
    width, height = course.size
    cells = [[course.squares.get((x, y)) for x in range(width)] for y in range(height)]
    rows = [[write_cell(c.cell.items, c.cell.sides) if c else "-" for c in row] for row in cells]
    starts = {square: number for number, square in course.starts.items()}
    for (x, y), number in starts.items():
        if f"@{number}" not in rows[y][x]:
            rows[y][x] = f"@{number}" if rows[y][x] == "." else f"@{number}+{rows[y][x]}"
    return [" ".join(row) for row in rows]


def _at(square: tuple[int, int]) -> str:
    return f"({square[0]}, {square[1]})"


def _robot(robot: RobotView, view: View) -> str:
    who = f"Robot {robot.seat}" + (" (you)" if robot.seat == view.seat else "")
    if robot.out:
        return f"{who} is out of the game."
    facing = FACINGS[robot.facing]
    where = f"at {_at(robot.square)}" if robot.square else f"off the board, back on {_at(robot.archive)}"
    where += f", facing {facing}"
    facts = [f"{who}: {where}", f"damage {robot.damage}", f"flags touched {robot.flag}"]
    facts += [] if robot.lives is None else [f"lives {robot.lives}"]
    facts += [f"archive {_at(robot.archive)}"] if robot.square else []
    facts += [f"team {robot.team}"] if robot.team else []
    facts += [f"level {robot.level}"] if robot.level else []
    facts += [f"carries flag {robot.carries}"] if robot.carries else []
    words = {
        "virtual": "virtual", "down": "powered down", "announced": "powers down next turn", "on_ramp": "on a ramp",
        "flying": "flying", "asleep": "asleep", "burning": "burning", "goo": "stuck in goo", "bombed": "bombed",
        "superbot": "the SuperBot", "sits_out": "sits out",
    }  # fmt: skip
    facts += [word for name, word in words.items() if getattr(robot, name)]
    facts += [f"options {', '.join(robot.options)}"] if robot.options else []
    if robot.seat != view.seat:
        facts += [f"register {r + 1} locked with {card}" for r, card in enumerate(robot.registers) if card]
    return "; ".join(facts) + "."


def _registers(own: RobotView) -> Iterator[str]:
    if own.down:
        yield "You are powered down and program nothing."
        return
    states = (f"{r + 1} {'open' if card is None else f'locked with {card}'}" for r, card in enumerate(own.registers))
    yield f"Your registers: {', '.join(states)}."
    if own.may_face:
        yield "You choose your facing this turn."


def _changes(view: View) -> Iterator[str]:
    board = view.board
    if any(board.rooms):
        yield f"Quarter turns of the rotating rooms: {', '.join(map(str, board.rooms))}."
    if board.flip is not None:
        yield f"Flip belts and gears are in state {board.flip}{', about to flip' if board.flip_owed else ''}."
    if board.piston_up:
        yield f"The pistons of colour {board.piston_up} are up."
    if board.crumbled:
        yield f"Crumbled to pits: {', '.join(map(_at, board.crumbled))}."
    if board.guns:
        turned = ", each as if its room had not turned" if any(board.rooms) else ""
        yield f"The turret guns face {', '.join(FACINGS[facing] for facing in board.guns)}{turned}."


def _device(device: DeviceView, view: View) -> str:
    others = "nobody's" if device.owner is None else f"robot {device.owner}'s"
    owner = "yours" if device.owner == view.seat else others
    return f"On {_at(device.square)}: {device.kind}, {owner}, power {device.power}, facing {FACINGS[device.facing]}."
