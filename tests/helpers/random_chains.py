"""Random scenarios, chains of up to three turns, whose expectations come from the reference engine.

``python tests/helpers/random_chains.py FROM TO`` compares both engines on these seeds and prints scenarios that differ.
"""

from __future__ import annotations

import math
import random
import sys
from typing import Any

from reference import CARD_TYPES, TYPE_OF, Game, Orders, Robot
from reference_board import ARROWS, SIDES, Board

from rr_gym import yaml12
from rr_gym.rules.state.constants import DECK_SIZE
from rr_gym.scenarios import Difference, Scenario, run_scenario
from rr_gym.scenarios.node import Node, ScenarioSource

SETTINGS: dict[str, tuple[Any, ...]] = {
    "virtual": ("on", "on", "on", "off"), "virtual_exit": ("phase", "turn"), "reentry": ("virtual", "adjacent8"),
    "reentry_facing": ("orders", "cleanup"), "reentry_damage": (2, 2, 0, 5, 9), "flag_touch": ("end", "end", "pass"),
    "flag_repair": ("on", "on", "off"), "two_wrench": ("or2", "and1"), "option_cards": ("on", "on", "off"),
    "tie": ("joint", "priority"), "lives": (3, 1, "unlimited"), "unlock": ("choice", "lowest"),
    "start_damage": (0, 0, 6), "power_down": ("on", "on", "on", "off"), "pd_needs_damage": ("off", "off", "on"),
    "pd_lock_card": ("draw", "keep", "empty"), "robot_lasers": ("on", "on", "off"), "robot_laser_factor": (1, 1, 3),
}  # fmt: skip

Card = tuple[str, int]  # a card as written: its type and its number, or 0 where no priority is given


def random_board(rng: random.Random) -> str:
    """Return the text of a small board of base elements, crowded or nearly empty."""
    width, height = rng.randint(2, 7), rng.randint(1, 6)
    density = rng.choice([0.3, 0.5, 0.8])
    items = [random_items(rng, density) for _ in range(width * height)]
    free = [square for square in items if square != ["X"]]
    for number, square in enumerate(rng.sample(free, min(rng.randint(0, 4), len(free))), start=1):
        square.append(f"#{number}")
    tokens = ["+".join(square) + random_sides(rng) for square in items]
    return "".join("  ".join(tokens[y * width : (y + 1) * width]) + "\n" for y in range(height))


def random_items(rng: random.Random, density: float) -> list[str]:
    """Return the items of a square, without flags."""
    kind = rng.random()
    items = []
    if kind < density / 2:
        direction = rng.randrange(4)
        across = [SIDES[side] for side in sorted({(direction + 1) % 4, (direction + 3) % 4})]
        turn_sides = "".join(side for side in across if rng.random() < 0.5)
        items = [ARROWS[direction] * rng.choice([1, 1, 2]) + (f":{turn_sides}" if turn_sides else "")]
    elif kind < density / 2 + 0.05:
        return ["X"]
    elif kind < density / 2 + 0.12:
        items = [rng.choice("LR")]
    for direction in rng.sample(range(4), 2):
        if rng.random() < 0.12:
            items.append("P" + ARROWS[direction] + random_phases(rng, 4))
    if rng.random() < 0.06:
        items.append("C" + random_phases(rng, 3))
    if rng.random() < 0.12:
        items.append(rng.choice(["w1", "w2"]))
    return items or ["."]


def random_phases(rng: random.Random, most: int) -> str:
    return "".join(map(str, sorted(rng.sample(range(1, 6), rng.randint(0, most)))))


def random_sides(rng: random.Random) -> str:
    """Return the walls and laser mounts of a square."""
    sides = []
    for side in SIDES:
        kind = rng.random()
        if kind < 0.08:
            sides.append(side)
        elif kind < 0.13:
            sides.append(f"{side}*{rng.randint(1, 3)}")
    return "/" + ",".join(sides) if sides else ""


def written(rng: random.Random, number: int) -> Card:
    """Return a card as it is written: with its priority, or by its type alone."""
    return TYPE_OF[number], number if rng.random() < 0.7 else 0


def text(card: Card | None) -> str:
    if card is None:
        return "none"
    return f"{card[0]}@{10 * card[1]}" if card[1] else card[0]


def exact(number: int) -> str:
    return text((TYPE_OF[number], number) if number else None)


def assign(cards: list[Card], taken: set[int]) -> list[int]:
    """Return the numbers of cards: written priorities, and else the highest number of the type that is left (U41)."""
    taken = taken | {number for _, number in cards}
    numbers = []
    for kind, number in cards:
        numbers.append(number or max(set(CARD_TYPES[kind]) - taken))
        taken.add(numbers[-1])
    return numbers


class Chain:
    """A random scenario that the reference engine plays while it is written."""

    def __init__(self, seed: int) -> None:
        self.rng = rng = random.Random(seed)
        board_text, free = "", []
        while not free:
            board_text = random_board(rng)
            board = Board(board_text)
            free = [at for at in board.squares if not board.hole(at)]
        settings = {name: rng.choice(values) for name, values in SETTINGS.items()}
        settings["reentry_damage"] = int(settings["reentry_damage"])
        self.start_phase = rng.randint(2, 5) if rng.random() < 0.2 else 1
        self.game = Game(board, [], settings)
        self.scenario: dict[str, Any] = {
            "name": f"seed {seed}",
            "board": board_text,
            "params": settings,
            "start_phase": self.start_phase,
            "robots": {f"r{i}": self.random_robot(i, free) for i in range(rng.randint(1, 8))},
        }
        self.lay_locked_cards()
        for number in range(rng.randint(1, 3)):
            if number:
                self.game.return_loose_cards()
                self.start_phase = 1
            turn = self.scenario if number == 0 else {}
            if number:
                self.scenario.setdefault("then", []).append(turn)
            turn.update(self.random_turn())

    # The position

    def random_robot(self, index: int, free: list[tuple[int, int]]) -> dict[str, Any]:
        """Add a robot to the game and return its fields in the scenario."""
        rng, game, settings = self.rng, self.game, self.game.settings
        flags = len(game.board.flags)
        robot = Robot(index, rng.choice(free), rng.choice(free), rng.randrange(4))
        robot.virtual = rng.random() < 0.25 or any(r.at == robot.at and not r.virtual for r in game.robots)
        robot.fresh = robot.virtual
        robot.down = rng.random() < 0.2
        robot.may_face = self.start_phase == 1
        robot.flag = rng.randint(0, max(0, flags - 1)) if rng.random() < 0.95 else rng.randint(0, flags + 1)
        robot.damage, robot.lives = settings["start_damage"], settings["lives"]
        fields: dict[str, Any] = {
            "at": list(robot.at or ()), "facing": SIDES[robot.facing], "archive": list(robot.archive),
            "flag": robot.flag, "virtual": robot.virtual, "powered_down": robot.down,
        }  # fmt: skip
        if rng.random() < 0.9:
            robot.damage = fields["damage"] = rng.choice([0, 0, 2, 4, 4, 5, 6, 7, 8, 9])
        if rng.random() < 0.8:
            robot.lives = fields["lives"] = rng.choice([1, 1, 2, 3, "unlimited"])
        if "unlimited" in (robot.lives, settings["lives"]):
            robot.lives = math.inf
        robot.locked = set(rng.sample(range(5), 1)) if rng.random() < 0.1 else set()
        if robot.locked or rng.random() < 0.7:
            fields["locked"] = [register + 1 for register in robot.locked]
            fields["locked"] += [register + 1 for register in robot.lock_by_damage()]
        robot.lock_by_damage()
        game.robots.append(robot)
        return fields

    def lay_locked_cards(self) -> None:
        """Lay cards in most of the locked registers that the scenario lists.

        Cards written without a priority get their numbers in order.
        """
        rng = self.rng
        deck = rng.sample(range(1, DECK_SIZE + 1), DECK_SIZE)
        places: list[tuple[Robot, int]] = []
        cards: list[Card] = []
        for robot, fields in zip(self.game.robots, self.scenario["robots"].values(), strict=True):
            if "locked" in fields and rng.random() < 0.8:
                laid = {n - 1: written(rng, deck.pop()) if rng.random() < 0.8 else None for n in fields["locked"]}
                fields["locked"] = {register + 1: text(card) for register, card in laid.items()}
                for register in sorted(laid):
                    if card := laid[register]:
                        places.append((robot, register))
                        cards.append(card)
        for (robot, register), number in zip(places, assign(cards, set()), strict=True):
            robot.registers[register] = number

    # Turns

    def random_turn(self) -> dict[str, Any]:
        """Decide a turn at random, play it, and return its keys in the scenario."""
        rng, game = self.rng, self.game
        orders = [self.random_orders() for _ in game.robots]
        turn: dict[str, Any] = {"orders": {f"r{i}": given for i, given in enumerate(orders) if given}}
        turn["programs"], turn["deck"], programs = self.random_programs()
        last = 5 if rng.random() < 0.8 else rng.randint(self.start_phase, 5)
        whole = last == 5 and rng.random() < 0.9
        turn["run"] = "turn" if whole else {"phases": last + 1 - self.start_phase}
        was_over = game.over
        if was_over:
            game.lost = set()
        else:
            game.program(programs, orders)
        for phase in range(self.start_phase, last + 1):
            if not game.over:
                game.play_phase(phase)
        if whole and not game.over:
            game.end_turn(orders)
        turn["expect"] = {f"r{robot.index}": self.outcome(robot, was_over) for robot in game.robots}
        turn["winner"] = [f"r{i}" for i in game.winners] or "none"
        return turn

    def random_orders(self) -> Orders:
        rng = self.rng
        choices = {
            "power_down": (0.25, (True,)), "stay_down": (0.4, (True,)), "facing": (0.4, tuple(SIDES)),
            "unlock": (0.5, range(6)), "site": (0.4, ("auto", "repair", "option")), "square": (0.3, range(16)),
        }  # fmt: skip
        return {name: rng.choice(values) for name, (often, values) in choices.items() if rng.random() < often}

    def random_programs(self) -> tuple[dict[str, list[str]], list[str], dict[int, list[int]]]:
        """Return random programs and a draw pile as written, and the programs as card numbers.

        The draw pile of the game is replaced.
        """
        rng, game = self.rng, self.game
        held = {card for robot in game.robots for card in robot.registers if card}
        deck = rng.sample(sorted(set(range(1, DECK_SIZE + 1)) - held), DECK_SIZE - len(held))
        texts: dict[str, list[str]] = {}
        programs: dict[int, list[int]] = {}
        places: list[tuple[int, int]] = []
        cards: list[Card] = []
        for robot in game.robots:
            if robot.at and not robot.down:
                program: list[str] = []
                for register in range(rng.randint(0, 5)):
                    card = None
                    if register in robot.locked:  # U42: nothing or the card that is there
                        program.append(rng.choice(["none", exact(robot.registers[register])]))
                        continue
                    if rng.random() < 0.9:
                        card = written(rng, deck.pop())
                        places.append((robot.index, register))
                        cards.append(card)
                    program.append(text(card))
                programs[robot.index] = [0] * 5
            else:  # U34: it takes no card from the others
                program = [exact(rng.randint(1, DECK_SIZE)) for _ in range(rng.randint(0, 5))]
            if program:
                texts[f"r{robot.index}"] = program
        pile = [written(rng, number) for number in deck[:40]]
        numbers = assign(cards + pile, held)
        for (index, register), number in zip(places, numbers, strict=False):
            programs[index][register] = number
        game.pile = numbers[len(places) :]
        return texts, list(map(text, pile)), programs

    def outcome(self, robot: Robot, was_over: bool) -> dict[str, Any]:
        """Return all that the rules say about a robot after a turn, as expectations of the scenario."""
        fields: dict[str, Any] = {
            "at": list(robot.at) if robot.at else "none", "archive": list(robot.archive), "flag": robot.flag,
            "lives": "unlimited" if robot.lives == math.inf else robot.lives, "out": robot.out,
            "destroyed": robot.index in self.game.lost,
        }  # fmt: skip
        locked = sorted(robot.locked)
        if self.rng.random() < 0.5:
            fields["locked"] = {register + 1: exact(robot.registers[register]) for register in locked}
        else:
            fields["locked"] = [register + 1 for register in locked]
        if robot.at or robot.damage == 10:
            fields["damage"] = robot.damage
        if robot.at:
            fields |= {"facing": SIDES[robot.facing], "virtual": robot.virtual, "powered_down": robot.down}
            if not was_over:  # then the cards of the turn before lie in no register
                fields["registers"] = [exact(card) for card in robot.registers]
        return fields


def compare(scenario: dict[str, Any]) -> tuple[Difference, ...]:
    """Run a scenario and return the differences between the two engines."""
    name = scenario["name"]
    return run_scenario(Scenario(name, "random", Node(scenario, (), ScenarioSource("random", name)))).differences


def report(scenario: dict[str, Any], differences: tuple[Difference, ...]) -> str:
    """Return a scenario as YAML, ready to be run by itself, and its differences."""
    return "\n".join([yaml12.dump([scenario]), *map(str, differences)])


def main(first: int, end: int) -> int:
    failed = 0
    for seed in range(first, end):
        scenario = Chain(seed).scenario
        if differences := compare(scenario):
            failed += 1
            print(report(scenario, differences))
    print(f"{end - first - failed} agree, {failed} differ")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
