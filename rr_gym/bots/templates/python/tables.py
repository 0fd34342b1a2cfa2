"""What a bot must know of the game: cards, directions, and the squares of a course."""

import re

SIDES = "nesw"  # clockwise: one quarter turn to the right is one letter further
STEPS = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}  # x grows to the east, y to the south

# What a card does, by the part of its name before the @: steps ahead, and quarter turns to the right.
CARDS = {
    "move_1": (1, 0),
    "move_2": (2, 0),
    "move_3": (3, 0),
    "back_up": (-1, 0),
    "rotate_right": (0, 1),
    "u_turn": (0, 2),
    "rotate_left": (0, 3),
    "none": (0, 0),  # a register that is locked without a card
}
DEADLY = "XBKC"  # first letters of items that may destroy a robot: pits, crushers, crumbling floors
ARROWS = {"^": "n", ">": "e", "v": "s", "<": "w"}


def kind(card):
    """Return the kind of a card: "move_1" of "move_1@490"."""
    return card.partition("@")[0]


def turned(facing, quarters):
    """Return the direction that lies some quarter turns to the right."""
    return SIDES[(SIDES.index(facing) + quarters) % 4]


class Tile:
    """One square: is it safe, its walls, its belt as (direction, speed) or None, the quarter turns of its gear."""

    def __init__(self, token):
        items, _, sides = (token or "X").partition("/")
        self.walls = set("".join(re.findall("[nesw]+", sides)) if sides else "")
        self.safe, self.belt, self.gear = True, None, 0
        for item in items.split("+"):
            if item[0] in DEADLY:
                self.safe = False
            elif item[0] in ARROWS:  # > is a belt, >> an express belt, >:ns one that turns robots from these sides
                self.belt = ARROWS[item[0]], 2 if item[1:2] == item[0] else 1
            elif item in ("L", "R"):
                self.gear = 1 if item == "R" else 3


class Map:
    """A course: where a step leads from a square, and how far it is to a flag."""

    def __init__(self, message):
        self.squares = {(x, y): Tile(token) for y, row in enumerate(message["grid"]) for x, token in enumerate(row)}
        self.known = {}  # distances by flag

    def step(self, square, side):
        """Return the square one step to a side: the same one before a wall, None where the robot is destroyed."""
        there = square[0] + STEPS[side][0], square[1] + STEPS[side][1]
        onto = self.squares.get(there)
        if side in self.squares[square].walls or (onto and turned(side, 2) in onto.walls):
            return square
        return there if onto and onto.safe else None

    def phase(self, square, facing, card):
        """Return (square, facing) after a card, belts and gears; None where the robot is destroyed."""
        count, quarters = CARDS[kind(card)]
        facing = turned(facing, quarters)
        for _ in range(abs(count)):
            square = self.step(square, facing if count > 0 else turned(facing, 2))
            if square is None:
                return None
        for speed in (2, 1):  # express belts move first, then all of them
            belt = self.squares[square].belt
            if belt and belt[1] >= speed:
                square = self.step(square, belt[0])
                if square is None:
                    return None
        return square, turned(facing, self.squares[square].gear)

    def distances(self, flag):
        """Return how many steps each square is away from a flag."""
        if flag not in self.known:
            found, queue = {flag: 0}, [flag]
            for square in queue:
                for side in SIDES:
                    before = square[0] + STEPS[side][0], square[1] + STEPS[side][1]
                    if before in found or before not in self.squares or not self.squares[before].safe:
                        continue
                    if self.step(before, turned(side, 2)) == square:
                        found[before] = found[square] + 1
                        queue.append(before)
            self.known[flag] = found
        return self.known[flag]
