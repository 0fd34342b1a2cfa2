"""What flashes on the board in a frame: shots, hits, losses, flags. Pages and pictures draw the same effects."""

from __future__ import annotations

from typing import NamedTuple

from rr_gym.courses.grammar import STEPS
from rr_gym.courses.shapes import WHITE, Circle, Line, Point, Primitive, Text
from rr_gym.render.colours import ROBOT_COLOURS
from rr_gym.replay.scene import Frame

BEAM_COLOUR, HIT_COLOUR, GOOD_COLOUR, LOSS_COLOUR = "#ff2d2d", "#d92d20", "#12855a", "#ff8a00"
DIAGONALS = ((0.7, -0.7), (0.7, 0.7), (-0.7, 0.7), (-0.7, -0.7))
MOUNT, NOSE = -0.45, 0.4  # where beams begin along their flight, from the middle of the square


class Effect(NamedTuple):
    """One effect: kind beam, hit, loss, ring or stop; the square (x, y) that it belongs to; and its other numbers.

    They are, by kind: the far end x, y and the seat (-1: the board); the points, negative for repairs; none; the seat;
    the direction.
    """

    kind: str
    at: tuple[float, float]
    values: tuple[float, ...] = ()


def effects(frame: Frame, width: int) -> list[Effect]:
    """The effects of a frame, for a course so many squares wide."""

    def at(square: int) -> tuple[int, int]:
        return square % width, square // width

    found = []
    for event in frame.events:
        square = event.square
        match event.kind:
            case "shot":
                dx, dy = STEPS[event.value]
                start = NOSE if event.robot >= 0 else MOUNT
                x, y = at(square)
                found.append(Effect("beam", (x + start * dx, y + start * dy), (*at(event.target), event.robot)))
            case "damaged" | "repaired":
                found.append(Effect("hit", at(square), (event.value if event.kind == "damaged" else -event.value,)))
            case "destroyed":
                if square < 0:  # over the edge: shown where it came from
                    square = next((e.target for e in frame.events if e.kind == "moved" and e.robot == event.robot), -1)
                if square >= 0:
                    found.append(Effect("loss", at(square)))
            case "flag" | "reentered" | "became_real":
                found.append(Effect("ring", at(square), (event.robot,)))
            case "blocked":
                found.append(Effect("stop", at(square), (event.value,)))
    return found


def effect_shapes(effect: Effect) -> list[Primitive]:
    """An effect as shapes, in squares."""
    x, y = effect.at[0] + 0.5, effect.at[1] + 0.5
    match effect.kind, effect.values:
        case "beam", (far_x, far_y, seat):
            line: tuple[Point, ...] = ((x, y), (far_x + 0.5, far_y + 0.5))
            colour = BEAM_COLOUR if seat < 0 else ROBOT_COLOURS[int(seat)]
            return [Line(line, colour, 0.13, 0.8), Line(line, WHITE, 0.05)]
        case "hit", (points,):
            colour = HIT_COLOUR if points > 0 else GOOD_COLOUR
            sign = "-" if points > 0 else "+"
            plate = Circle((x + 0.34, y - 0.34), 0.17, WHITE, colour, 0.03)
            number = Text(plate.centre, f"{sign}{abs(points):g}", 0.22, colour)
            return [Circle((x, y), 0.42, "", colour, 0.05), plate, number]
        case "loss", ():
            rays = [((x + 0.16 * u, y + 0.16 * v), (x + 0.46 * u, y + 0.46 * v)) for u, v in (*STEPS, *DIAGONALS)]
            return [Line(ray, LOSS_COLOUR, 0.08) for ray in rays]
        case "ring", (seat,):
            return [Circle((x, y), 0.5, "", ROBOT_COLOURS[int(seat)], 0.07)]
        case "stop", (direction,):
            u, v = STEPS[int(direction)]
            left, right = ((x + 0.5 * u + side * v, y + 0.5 * v + side * u) for side in (-0.3, 0.3))
            return [Line((left, right), HIT_COLOUR, 0.1)]
    return []
