"""Short help: what can be typed, the cards, the elements of the course, and the option cards."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import fill

from rr_gym.courses.course import Course
from rr_gym.courses.elements import ELEMENTS
from rr_gym.courses.text.board import GROUP_ELEMENTS
from rr_gym.encoding.observe.view import View
from rr_gym.errors import RoboRallyError, did_you_mean
from rr_gym.option_facts import CATEGORY_SENTENCES, OPTION_CARDS, OptionCard
from rr_gym.play.order_entry import SHORT
from rr_gym.play.usable import ABOUT, Usable
from rr_gym.render.board.legend import sign
from rr_gym.text_layout import columns

WIDTH = 78  # of paragraphs
COMMANDS = {
    "go": "play the turn with the orders entered",
    "preview": "where the orders entered lead if nobody else moves",
    "hint [PLAYER]": "what a player would order in your place; take enters it",
    "orders": "the orders that can be useful now, with defaults and values",
    "show": "the orders entered; undo takes back the last line, clear everything",
    "view": "the board, the robots and the hand again; view all shows everything",
    "explain": "the story of the last turn again",
    "save FOLDER": "write the game; rr-gym play --out FOLDER --resume resumes it",
    "help TOPIC": "cards, orders, board, options, or the name of an order, option or element",
    "quit": "leave",
}
_COMMANDS = """\
Type your program as cards by their numbers in the hand, register 1 first: 3 1 5 2 4
Cards can also be named (move_1, move_1@490) or abbreviated (u l r b m1 m2 m3); . is any card.
r3=7 changes register 3. Other orders go by name: power_down, turret=left, weapon main . big_gun
(one for each register; . is the default).
Several statements fit on a line with ; in between: 3 1 5 2 4; go
"""
_CARDS = (
    ("u", "u_turn", "turns around", "10 to 60"),
    ("l", "rotate_left", "makes a quarter turn to the left", "70 to 410"),
    ("r", "rotate_right", "makes a quarter turn to the right", "80 to 420"),
    ("b", "back_up", "moves one square backwards and keeps its facing", "430 to 480"),
    ("m1", "move_1", "moves one square forwards", "490 to 660"),
    ("m2", "move_2", "moves two squares forwards", "670 to 780"),
    ("m3", "move_3", "moves three squares forwards", "790 to 840"),
)


def commands() -> str:
    """Return the help on commands: everything that can be typed."""
    return _COMMANDS + "\n".join(f"  {line}" for line in columns(list(COMMANDS.items()))) + "\n"


def cards() -> str:
    """Return the help on program cards: their short names, what they do and their priorities."""
    rows = columns([("short", "card", "the robot", "priority"), *_CARDS])
    return "\n".join([*rows, "In each phase the card with the highest priority is played first."]) + "\n"


def orders(usable: list[Usable]) -> str:
    """Return the help on the orders that are useful now."""
    if not usable:
        return "there is nothing to order except the program\n"
    lines = []
    for order in usable:
        text = f"{order.name} (default {order.default}): {order.about}"
        lines += [fill(text, WIDTH, subsequent_indent="    "), f"    {order.values}"]
    return "\n".join(lines) + "\n"


def board(course: Course, unicode: bool) -> str:
    """Return the help on the elements of a course, each with its sign."""
    kinds = {GROUP_ELEMENTS[group.kind] for placed in course.placements for group in placed.turned.groups}
    for square in course.squares.values():
        kinds |= {part.element for part in (*square.cell.items, *square.cell.sides)}
    kinds |= {"checkpoint"}  # courses place their flags themselves
    rows = [("1" if e.id == "board_laser" else sign(e, unicode), e.name, e.sentence) for e in ELEMENTS if e.id in kinds]
    robots = "A robot is its number and an arrow: v virtual, z powered down or asleep, c its copy, + with others."
    return "\n".join([*columns(rows), "@ and a number is a start. Digits in walls are beams.", robots]) + "\n"


def option(card: OptionCard) -> str:
    """Describe an option card: what it does, when it is used, and its orders."""
    sentences = " ".join((card.sentence, *(CATEGORY_SENTENCES[code] for code in card.categories)))
    text = fill(f"{card.name} ({card.id}): {sentences}", WIDTH, subsequent_indent="    ")
    return f"{text}\n" + f"    orders: {', '.join(card.orders)}\n" * bool(card.orders)


def options(view: View) -> str:
    """Return the help on the option cards that the robot owns."""
    owned = [option(card) for card in OPTION_CARDS if card.id in view.own.options]
    return "".join(owned) or "your robot owns no option\n"


def topic(name: str, usable: list[Usable], view: View, course: Course, unicode: bool) -> str:
    """Return the help on a topic.

    Raises:
        RoboRallyError: There is no such topic.
    """
    topics: dict[str, Callable[[], str]] = {
        "": commands,
        "commands": commands,
        "cards": cards,
        "orders": lambda: orders(usable),
        "board": lambda: board(course, unicode),
        "options": lambda: options(view),
    }
    known = {
        **{element.id: f"{element.name}: {element.sentence}\n" for element in ELEMENTS},
        **{card.id: option(card) for card in OPTION_CARDS},
        **{
            word: f"{card}, short {word}: the robot {about}; priority {range_}\n"
            for word, card, about, range_ in _CARDS
        },
        **{command.split()[0]: f"{command}: {about}\n" for command, about in COMMANDS.items()},
        **{order: f"{order}: {about}; not useful now\n" for order, about in ABOUT.items()},
        **{order.name: orders([order]) for order in usable},
    }
    name = {card: short for short, card in SHORT.items()}.get(name, name)
    if name in topics:
        return topics[name]()
    if name in known:
        return known[name]
    hint = did_you_mean(name, [*topics, *known, *SHORT.values()])
    raise RoboRallyError(f"help {name}: {hint or 'expected commands, cards, orders, board, options, or a name'}")
