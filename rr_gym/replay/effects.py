"""Effects that flash on the board in a frame, such as shots, hits, explosions and flags, for pages and for pictures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rr_gym.courses.text.grammar import STEPS
from rr_gym.option_facts import OPTION_CARDS
from rr_gym.render.board.shapes import WHITE, Circle, Point, Polygon, Polyline, Primitive, Text
from rr_gym.render.colours import BLAST, BLAST_INK, SHIELD, WEAPON_COLOURS, robot_colour
from rr_gym.render.words import Event
from rr_gym.replay.scene import Frame
from rr_gym.rules.state.constants import WEAPON_NAMES
from rr_gym.rules.state.option_cards import RAMMING_GEAR, REFLECTOR

BEAM_COLOUR, HIT_COLOUR, GOOD_COLOUR, LOSS_COLOUR = "#ff2d2d", "#d92d20", "#12855a", "#ff8a00"
DIAGONALS = ((0.7, -0.7), (0.7, 0.7), (-0.7, 0.7), (-0.7, -0.7))
MOUNT, NOSE = -0.45, 0.4  # where beams start, in squares from the centre along their direction
LABEL_STEP = 0.3  # squares between labels of one robot
SHOOTING = frozenset({"mini_howitzer", "big_gun"})  # weapons whose shots have events of their own


class Effect(NamedTuple):
    """One effect: its kind, the square (x, y) that it belongs to, and values that depend on the kind.

    The values are, by kind. beam: the x and y of its far end and its colour. hit: the points of damage, negative for
    repairs. loss: none. ring: its colour. stop: the direction. blast: its power. label: its text.
    """

    kind: str
    at: tuple[float, float]
    values: tuple[float | str, ...] = ()


def effects(frame: Frame, width: int) -> list[Effect]:
    """Return the effects of a frame, for a course of the given width in squares."""
    weapons = {event.robot: WEAPON_NAMES[event.value] for event in frame.events if event.kind == "weapon"}

    def at(square: int) -> tuple[int, int]:
        return square % width, square // width

    def beam(event: Event, direction: int, colour: str) -> Effect:
        dx, dy = STEPS[direction]
        start = NOSE if event.robot >= 0 else MOUNT
        x, y = at(event.square)
        return Effect("beam", (x + start * dx, y + start * dy), (*at(event.target), colour))

    def found(event: Event) -> Iterator[Effect]:
        square, value = event.square, event.value
        match event.kind:
            case "shot":
                weapon = weapons.get(event.robot, "")
                main = robot_colour(event.robot) if event.robot >= 0 else BEAM_COLOUR
                yield beam(event, value, WEAPON_COLOURS[weapon] if weapon in SHOOTING else main)
            case "weapon" if event.target >= 0 and WEAPON_NAMES[value] not in SHOOTING:
                colour = WEAPON_COLOURS.get(WEAPON_NAMES[value], BEAM_COLOUR)
                yield Effect("beam", at(square), (*at(event.target), colour))
            case "used" if value == REFLECTOR and event.target >= 0:
                yield Effect("beam", at(square), (*at(event.target), SHIELD))
            case "used" | "taken" if value != RAMMING_GEAR and square >= 0:
                yield Effect("label", at(square), (OPTION_CARDS[value].name,))
            case "absorbed" if square >= 0:
                yield Effect("ring", at(square), (SHIELD,))
                yield Effect("label", at(square), (OPTION_CARDS[value].name,))
            case "exploded":
                yield Effect("blast", at(square), (event.target,))
            case "damaged" | "repaired" if square >= 0:
                yield Effect("hit", at(square), (value if event.kind == "damaged" else -value,))
            case "destroyed":
                if square < 0:  # it fell off the board, so show the effect where it came from
                    square = next((e.target for e in frame.events if e.kind == "moved" and e.robot == event.robot), -1)
                if square >= 0:
                    yield Effect("loss", at(square))
            case "flag" | "reentered" | "became_real" | "bombed" | "device" if square >= 0:
                yield Effect("ring", at(square), (robot_colour(event.robot),))
            case "blocked":
                yield Effect("stop", at(square), (value,))

    return _arranged(effect for event in frame.events for effect in found(event))


def _arranged(found: Iterable[Effect]) -> list[Effect]:
    """Make effects readable: add up the hits on a square, show each label once, and stack the labels of a square."""
    points: dict[tuple[float, float], float] = {}
    labels: dict[tuple[float, float], list[float | str]] = {}
    others: list[Effect] = []
    for effect in found:
        if effect.kind == "hit":
            points[effect.at] = points.get(effect.at, 0) + float(effect.values[0])
        elif effect.kind == "label":
            stack = labels.setdefault(effect.at, [])
            stack += [] if effect.values[0] in stack else effect.values
        elif effect not in others:
            others.append(effect)
    others += [Effect("hit", at, (number,)) for at, number in points.items() if number]
    return others + [
        Effect("label", (x, y - LABEL_STEP * k), (text,))
        for (x, y), texts in labels.items()
        for k, text in enumerate(texts)
    ]


def effect_shapes(effect: Effect) -> list[Primitive]:
    """Return the shapes that draw an effect, in units of squares."""
    x, y = effect.at[0] + 0.5, effect.at[1] + 0.5
    match effect.kind, effect.values:
        case "beam", (float() | int() as far_x, float() | int() as far_y, str() as colour):
            line: tuple[Point, ...] = ((x, y), (far_x + 0.5, far_y + 0.5))
            return [Polyline(line, colour, 0.13, 0.8), Polyline(line, WHITE, 0.05)]
        case "hit", (float() | int() as points,):
            colour = HIT_COLOUR if points > 0 else GOOD_COLOUR
            sign = "-" if points > 0 else "+"
            plate = Circle((x + 0.34, y - 0.34), 0.17, WHITE, colour, 0.03)
            number = Text(plate.centre, f"{sign}{abs(points):g}", 0.22, colour)
            return [Circle((x, y), 0.42, "", colour, 0.05), plate, number]
        case "loss", ():
            rays = [((x + 0.16 * u, y + 0.16 * v), (x + 0.46 * u, y + 0.46 * v)) for u, v in (*STEPS, *DIAGONALS)]
            return [Polyline(ray, LOSS_COLOUR, 0.08) for ray in rays]
        case "ring", (str() as colour,):
            return [Circle((x, y), 0.5, "", colour, 0.07)]
        case "stop", (int() as direction,):
            u, v = STEPS[direction]
            left, right = ((x + 0.5 * u + side * v, y + 0.5 * v + side * u) for side in (-0.3, 0.3))
            return [Polyline((left, right), HIT_COLOUR, 0.1)]
        case "blast", (int() as power,):
            return list(_blast(x, y, power))
        case "label", (str() as text,):
            return _label(x, y - 0.62, text)
    return []


def _blast(x: float, y: float, power: int) -> Iterator[Primitive]:
    """Yield rings of squares at equal walking distance with their points of damage, the farthest ring first."""
    reach = max(power.bit_length() - 1, 0)
    for distance in range(reach, -1, -1):
        radius = distance + 0.55
        corners = ((x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y))
        yield Polygon(corners, BLAST, opacity=0.2)
        yield Polyline((*corners, corners[0]), BLAST_INK, 0.04, 0.6)
    for distance in range(reach + 1):
        yield from _disc(x, y - distance, str(power >> distance), 0.24 if distance else 0.3)


def _disc(x: float, y: float, text: str, radius: float) -> list[Primitive]:
    return [Circle((x, y), radius, WHITE, BLAST_INK, 0.03), Text((x, y), text, 1.2 * radius, BLAST_INK)]


def _label(x: float, y: float, text: str) -> list[Primitive]:
    half = 0.068 * len(text) + 0.1
    corners = ((x - half, y - 0.15), (x + half, y - 0.15), (x + half, y + 0.15), (x - half, y + 0.15))
    return [Polygon(corners, WHITE, SHIELD, 0.025), Text((x, y), text, 0.21, SHIELD)]
