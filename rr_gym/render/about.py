"""Describe squares, cards and devices in sentences, which pages show for the thing under the pointer."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rr_gym.courses import Course
from rr_gym.courses.elements import BY_ID
from rr_gym.courses.text.board import GROUP_ELEMENTS, Group
from rr_gym.courses.text.grammar import ALL_PHASES, SquarePart
from rr_gym.courses.text.words import ARROWS, SIDE_LETTERS
from rr_gym.render.phrases import DEVICE_WORDS, FACING_WORDS
from rr_gym.rules.state.constants import NUM_REGISTERS

Square = tuple[int, int]

_COUNTS = ("no", "one", "two", "three")
_AREAS = dict(zip("CNESW", ("the centre", "the northern area", "the eastern area", "the southern area",
                            "the western area"), strict=True))  # fmt: skip
_DESCRIBED_ELSEWHERE = frozenset({"floor", "start", "checkpoint"})
_MOVING = frozenset({"belt", "stream", "pusher", "piston"})
_DEVICES = {
    "bridge": "Lets robots cross the pit under it.",
    "mine": "Explodes with power 4 under the robot that comes onto it.",
    "proximity_mine": "Explodes with power 4 when a robot comes near.",
    "goo": "Holds robots until four squares of movement have been attempted there.",
    "portable_teleporter": "A robot whose movement card starts here jumps 2 squares further than the card says.",
    "scrambler_bomb": "In the next turn the robots within six squares run random programs.",
    "big_one": "A solid bomb of power 64 that explodes at the start of the next turn.",
    "missile": "Flies two squares in every phase and explodes with power 4.",
    "drone": "Flies to where its target was, then looks for another; explodes with power 2.",
    "buzz_bomb": "Flies by a program of five cards and explodes with power 4.",
}
# By kind of device: its noun and what it does
DEVICE_SENTENCES = {kind: f"{DEVICE_WORDS[kind].capitalize()}: {sentences}" for kind, sentences in _DEVICES.items()}
# By type of card
CARD_SENTENCES = (
    "", "The robot turns around.", "The robot makes a quarter turn to the left.",
    "The robot makes a quarter turn to the right.", "The robot moves one square backwards and keeps its facing.",
    "The robot moves one square forwards.", "The robot moves two squares forwards.",
    "The robot moves three squares forwards.",
)  # fmt: skip


def square_sentences(course: Course, up: Collection[Square] = ()) -> dict[Square, tuple[str, ...]]:
    """Return for each square (x, y) of a course one sentence per thing on it: what the thing is and what it does.

    Flags come first, then items, sides, the start, the floor level and groups. A square with nothing on it gets the
    sentence of open floor.

    Args:
        course: The course in its current state (`rr_gym.courses.changes.current_course`).
        up: Squares whose piston or elevator is up.
    """
    found: dict[Square, list[str]] = {square: [] for square in course.squares}
    starts = {square: number for number, square in course.starts.items()}
    for number, square in enumerate(course.flags, 1):
        found[square].append(f"Flag {number}: {BY_ID['checkpoint'].sentence.partition(': ')[2].capitalize()}")
    for square, placed in course.squares.items():
        sentences = found[square]
        sentences += [_item(item, square in up) for item in placed.cell.items if item.kind not in _DESCRIBED_ELSEWHERE]
        sentences += [_side(side) for side in placed.cell.sides]
        sentences += _walls_beyond(course, square)
        if square in starts:
            sentences.append(f"Start {starts[square]}.")
        if placed.level:
            sentences.append(f"Floor of level {placed.level}.")
    for placement, group in course.groups():
        for place, (x, y) in enumerate(group.squares):
            found[x + placement.at[0], y + placement.at[1]].append(_group(group, place))
    floor = _sentence("open_floor")
    return {square: tuple(sentences or [floor]) for square, sentences in found.items()}


def _sentence(element: str, *details: str) -> str:
    row = BY_ID[element]
    return f"{', '.join((row.name, *filter(None, details)))}: {row.sentence}"


def phase_words(mask: int) -> str:
    """Return a mask of phases (bit p is phase p + 1) in words, such as ``in phases 2 and 4`` or ``in every phase``."""
    phases = [str(p + 1) for p in range(NUM_REGISTERS) if mask >> p & 1]
    if mask == ALL_PHASES:
        return "in every phase"
    return f"in phase{'s' * (len(phases) > 1)} {_and(phases)}"


def _and(words: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def _facing(arrow: str) -> str:
    return FACING_WORDS[ARROWS.index(arrow)] if arrow in ARROWS else "nowhere"


def _item(item: SquarePart, up: bool) -> str:
    return _sentence(
        item.element,
        *_directions(item),
        f"colour {item.colour}" if item.colour else "",
        "raised" if up else "",
        phase_words(item.phases) if item.word.has_phases else "",
    )


def _directions(item: SquarePart) -> Iterator[str]:
    """Yield phrases that say where an item moves or faces, how strong it is, and from which sides it turns riders."""
    text = item.text
    match item.kind:
        case kind if kind in _MOVING:
            yield f"to the {FACING_WORDS[item.direction]}"
        case "gear":
            yield f"to the {'left' if text[0] == 'L' else 'right'}"
        case "flip_belt":
            here, there = (FACING_WORDS[SIDE_LETTERS.index(end)] for end in text[1:])
            yield f"from {here} to {there}"
        case "rotating_belt":
            yield f"speed {item.number}"
            yield "by phases " + ", ".join(map(_facing, text[2:]))
        case "jack":
            yield "by phases " + ", ".join((*map(_facing, text[1:]), "straight up"))
        case "tilt":
            yield "down to the " + _and([_facing(arrow) for arrow in text[1:]])
        case "turret":
            yield f"facing {FACING_WORDS[item.direction]}"
        case "site" if item.number:
            yield f"{_COUNTS[item.number]} wrench{'es' * (item.number > 1)}"
    if item.turns:
        yield "turning riders from the " + _and([FACING_WORDS[s] for s in range(4) if item.turns >> s & 1])


def _side(side: SquarePart) -> str:
    where = f"on the {FACING_WORDS[side.side]} side"
    more = ""
    match side.kind:
        case "laser":
            more = f"{_COUNTS[side.number]} beam{'s' * (side.number > 1)} to the {FACING_WORDS[(side.side + 2) % 4]}"
        case "ventilator":
            more = f"strength {side.number}"
        case "one_way":
            more = "its red face here" if side.text == "r" else "its green face here"
        case "gate":
            more = f"colour {side.colour}"
    return _sentence(side.element, where, more, phase_words(side.phases) if side.word.has_phases else "")


def _walls_beyond(course: Course, square: Square) -> Iterator[str]:
    """Yield a sentence for each wall on this square's sides that the course defines on the neighbouring square."""
    own = {side.side for side in course.squares[square].cell.sides}
    for side in range(4):
        beyond = course.beyond(square, side)
        for other in beyond.cell.sides if beyond and side not in own else ():
            edge = BY_ID[other.element].edge
            if other.side == (side + 2) % 4 and other.kind != "light_barrier" and edge is not None:
                where = f"on the {FACING_WORDS[side]} side"
                more = "its green face here" if other.text == "r" else "its red face here"
                if other.kind == "wall":
                    yield _sentence("wall", where)
                elif other.kind == "one_way":
                    yield _sentence(other.element, where, more)
                else:
                    yield _sentence(other.element, where, "seen from behind")


def _group(group: Group, place: int) -> str:
    area = _AREAS[group.letters[place]] if group.letters else ""
    return _sentence(GROUP_ELEMENTS[group.kind], area, f"for {group.capacity}" if group.capacity else "")
