"""A second engine for the base game, in plain Python, written from the rule texts alone to check the compiled one.

It uses nothing of rr_gym, so that an error in one engine is not an error in both. Squares are (x, y), directions 0 to 3
are n e s w, registers are 0 to 4, and a card is its number in the deck (priority = 10 times the number, 0 = no card).
It is written for clarity, not for speed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from reference_board import SIDES, Board, Laser, Position, Square, neighbour

Orders = dict[str, Any]

# R-A1.3
CARD_TYPES = {
    "u_turn": range(1, 7),
    "rotate_left": range(7, 42, 2),
    "rotate_right": range(8, 43, 2),
    "back_up": range(43, 49),
    "move_1": range(49, 67),
    "move_2": range(67, 79),
    "move_3": range(79, 85),
}
TYPE_OF = {card: name for name, cards in CARD_TYPES.items() for card in cards}

DEFAULTS: dict[str, Any] = {
    "virtual": "on", "virtual_exit": "phase", "reentry": "virtual", "reentry_facing": "orders", "reentry_damage": 2,
    "flag_touch": "end", "flag_repair": "on", "two_wrench": "or2", "option_cards": "on", "tie": "joint",
    "lives": 3, "unlock": "choice", "start_damage": 0, "power_down": "on", "pd_needs_damage": "off",
    "pd_lock_card": "draw", "robot_lasers": "on", "robot_laser_factor": 1,
}  # fmt: skip


@dataclass
class Robot:
    """One robot; `at` is None while it is off the board, and `lives` may be infinite."""

    index: int
    at: Position | None
    archive: Position
    facing: int = 0
    damage: int = 0
    lives: float = 3
    flag: int = 0
    virtual: bool = False
    fresh: bool = False  # not yet tested for becoming real (R-A14.6)
    down: bool = False
    announced: bool = False
    may_face: bool = False
    destroyed: bool = False  # in this turn
    out: bool = False
    locked: set[int] = field(default_factory=set)
    registers: list[int] = field(default_factory=lambda: [0] * 5)

    def lock_by_damage(self) -> list[int]:
        """Lock the highest open registers as the damage demands (R-A6.2, R-A6.3); return the newly locked ones."""
        locked = []
        while len(self.locked) < self.damage - 4:
            locked.append(max({0, 1, 2, 3, 4} - self.locked))
            self.locked.add(locked[-1])
        return locked


class Game:
    """A position, and the rules of the timing table (R-T)."""

    def __init__(self, board: Board, robots: list[Robot], settings: dict[str, Any]) -> None:
        self.board = board
        self.robots = robots
        self.settings = {**DEFAULTS, **settings}
        self.phase = 1
        self.over = False
        self.winners: list[int] = []
        self.pile: list[int] = []  # the draw pile, top first
        self.graveyard: list[Robot] = []  # robots that have to re-enter, in the order of their destruction
        self.lost: set[int] = set()  # robots that were destroyed in this turn

    def is_on(self, name: str) -> bool:
        return bool(self.settings[name] == "on")

    def living(self) -> list[Robot]:
        return [robot for robot in self.robots if robot.at]

    def square(self, robot: Robot) -> Square:
        return self.board.squares[robot.at]

    def by_priority(self, robots: list[Robot]) -> list[Robot]:
        """Return robots by the priority of their cards; an empty register counts as 0, and ties go by index (U4)."""
        return sorted(robots, key=lambda robot: (-robot.registers[self.phase - 1], robot.index))

    # Destruction and damage

    def destroy(self, robot: Robot) -> None:
        """Destroy a robot (R-A13.1 to R-A13.3).

        Its cards leave the game, but its card of this phase still decides a tie (R-A12.12).
        """
        robot.at = None
        robot.locked = set()
        robot.destroyed = True
        robot.lives -= 1
        robot.out = robot.lives == 0
        self.lost.add(robot.index)
        self.graveyard.append(robot)

    def hurt(self, robot: Robot, points: int) -> None:
        """Damage a robot (R-A6.1, R-A6.3); while down, it draws cards for empty registers that lock (R-A7.10, U36)."""
        for _ in range(points):
            robot.damage = min(robot.damage + 1, 10)
            if robot.damage < 10:
                for register in robot.lock_by_damage():
                    if robot.down and not robot.registers[register] and self.settings["pd_lock_card"] == "draw":
                        robot.registers[register] = self.pile.pop(0)

    # Programming

    def program(self, programs: dict[int, list[int]], orders: list[Orders]) -> None:
        """Program all robots (T4, T5). A program has one card per register; locked registers keep theirs (R-A6.6)."""
        self.lost = set()
        for robot in self.living():
            given = orders[robot.index]
            if robot.may_face and "facing" in given:  # U28
                robot.facing = SIDES.index(given["facing"])
            robot.may_face = False
            if robot.down:  # U34
                continue
            program = programs.get(robot.index, [])
            for register in {0, 1, 2, 3, 4} - robot.locked:
                robot.registers[register] = program[register] if register < len(program) else 0
            may = self.is_on("power_down") and (robot.damage > 0 or not self.is_on("pd_needs_damage"))  # R-A7.11
            if given.get("power_down") and may:
                robot.announced = True

    # B: robots move

    def enter(self, robot: Robot) -> None:
        """Apply what a square does at once: pits and the outside (R-E2.1), flags in passing (R-A12.6)."""
        if self.board.hole(robot.at):
            self.destroy(robot)
        elif self.settings["flag_touch"] == "pass" and self.square(robot).flag == robot.flag + 1:
            robot.flag += 1
            robot.archive = robot.at

    def step(self, robot: Robot, direction: int) -> bool:
        """Move a robot one square and push others; return whether it moved (R-A8.4, R-A8.7 to R-A8.9, R-A8.14)."""
        if (robot.at, direction) in self.board.walls:
            return False
        target = neighbour(robot.at, direction)
        if not robot.virtual:
            for other in self.living():
                if other.at == target and not other.virtual and not self.step(other, direction):
                    return False
        robot.at = target
        self.enter(robot)
        return True

    def play_card(self, robot: Robot, card: int) -> None:
        """Execute a card (R-A8.1 to R-A8.3)."""
        turns = {"u_turn": 2, "rotate_left": 3, "rotate_right": 1}
        name = TYPE_OF[card]
        if name in turns:
            robot.facing = (robot.facing + turns[name]) % 4
        elif name == "back_up":
            self.step(robot, (robot.facing + 2) % 4)
        else:
            for _ in range(int(name[-1])):
                if robot.at:
                    self.step(robot, robot.facing)

    def robots_move(self) -> None:
        for robot in self.by_priority(self.robots):
            card = robot.registers[self.phase - 1]
            if robot.at and not robot.down and card:  # R-A4.7
                self.play_card(robot, card)

    # C: board elements move

    def belts_move(self, kind: int) -> None:
        """Move robots by one sub-step of the belts of this kind and of faster ones (R-A9)."""
        targets: dict[int, Position] = {}
        for robot in self.living():
            square = self.square(robot)
            if square.belt >= kind and (robot.at, square.belt_direction) not in self.board.walls:  # R-A9.4
                targets[robot.index] = neighbour(robot.at, square.belt_direction)
        while staying := [index for index in targets if self.must_stay(self.robots[index], targets)]:
            for index in staying:
                del targets[index]
        for index, target in targets.items():
            robot = self.robots[index]
            direction = self.square(robot).belt_direction
            robot.at = target
            arrival = self.board.squares.get(target)
            if arrival and (direction + 2) % 4 in arrival.turn_sides:  # R-A9.11
                robot.facing = (robot.facing + arrival.belt_direction - direction) % 4
        for index in targets:
            self.enter(self.robots[index])

    def must_stay(self, robot: Robot, targets: dict[int, Position]) -> bool:
        """Tell whether a robot on a belt must stay (R-A9.5, R-A9.6, R-A9.8).

        Pits have room for several robots (R-A9.9), and virtual robots ignore all of this.
        """
        target = targets[robot.index]
        if robot.virtual or self.board.hole(target):
            return False
        for other in self.living():
            if other is robot or other.virtual:
                continue
            goes_to = targets.get(other.index)
            if goes_to == target or (other.at == target and goes_to in (None, robot.at)):
                return True
        return False

    def pushers_push(self) -> None:
        """Let pushers push (U8)."""
        noted = {}
        for robot in self.living():
            if any(self.phase in phases for _, phases in self.square(robot).pushers):
                noted[robot.index] = robot.at
        for at in sorted(set(noted.values()), key=lambda at: (at[1], at[0])):
            for side, phases in sorted(self.board.squares[at].pushers):
                if self.phase in phases:
                    for robot in self.robots:
                        if noted.get(robot.index) == at == robot.at and self.step(robot, (side + 2) % 4):
                            del noted[robot.index]

    def gears_turn(self) -> None:
        for robot in self.living():
            robot.facing = (robot.facing + self.square(robot).gear) % 4

    def crushers_crush(self) -> None:
        for robot in self.living():
            if self.phase in self.square(robot).crusher:
                self.destroy(robot)

    # D: lasers

    def hit_by(self, laser: Laser) -> list[Robot]:
        """Return the first real robot in a beam and the virtual ones up to its square, by index (U9)."""
        hit: list[Robot] = []
        for at in self.board.ray(laser.at, laser.direction):
            here = [robot for robot in self.living() if robot.at == at]
            hit += here
            if any(not robot.virtual for robot in here):
                break
        return sorted(hit, key=lambda robot: robot.index)

    def board_shots(self) -> list[tuple[Robot, int]]:
        """Return the shots of board lasers. Two on one line hit a robot once, with the larger number of beams (U9)."""
        shots = []
        lasers = self.board.lasers
        for number, laser in enumerate(lasers):
            *_, end = self.board.ray(laser.at, laser.direction)
            victims = self.hit_by(laser)
            for twin_number, twin in enumerate(lasers):
                opposite = twin.at == end and twin.direction == (laser.direction + 2) % 4
                if opposite and (twin.beams, -twin_number) > (laser.beams, -number):
                    victims = [robot for robot in victims if robot not in self.hit_by(twin)]
            shots += [(robot, laser.beams) for robot in victims]
        return shots

    def robot_shots(self) -> list[tuple[Robot, int]]:
        """Return the shots of robots (R-A11.6 to R-A11.9), in the order of U6."""
        shots = []
        for shooter in self.by_priority(self.living()):
            if not shooter.virtual and not shooter.down:
                for at in list(self.board.ray(shooter.at, shooter.facing))[1:]:
                    here = [robot for robot in self.living() if robot.at == at and not robot.virtual]
                    if here:
                        shots.append((here[0], self.settings["robot_laser_factor"]))
                        break
        return shots

    def lasers_fire(self) -> None:
        """Fire all lasers from one position, and destroy robots only after all shots (U5, U6)."""
        shots = self.board_shots()
        if self.is_on("robot_lasers"):
            shots += self.robot_shots()
        for robot, points in shots:
            self.hurt(robot, points)
        for robot in self.living():
            if robot.damage == 10:
                self.destroy(robot)

    # E: checkpoints

    def touch_checkpoints(self) -> None:
        """Let robots touch flags and repair sites (R-A12.1, R-A12.2, R-A12.11, R-A12.12)."""
        for robot in self.living():
            square = self.square(robot)
            if square.flag or square.wrenches:
                robot.archive = robot.at
                if square.flag == robot.flag + 1:
                    robot.flag += 1
        winners = [robot for robot in self.robots if self.board.flags and robot.flag == len(self.board.flags)]
        if winners and self.settings["tie"] == "priority":
            winners = self.by_priority(winners)[:1]
        if winners:
            self.end(winners)

    def end(self, winners: list[Robot]) -> None:
        self.over = True
        self.winners = [robot.index for robot in winners]

    def become_real(self, end_of_turn: bool) -> None:
        """Turn virtual robots into real ones in E3 or F4 (R-A14.5, R-A14.6, U1, U30)."""
        squares = [robot.at for robot in self.living()]
        for robot in self.living():
            tested = end_of_turn or self.settings["virtual_exit"] == "phase" or not robot.fresh
            if tested and squares.count(robot.at) == 1:
                robot.virtual = False
        if end_of_turn:
            for robot in self.robots:
                robot.fresh = False

    def play_phase(self, phase: int) -> None:
        """Play the segments A to E of one register phase."""
        self.phase = phase
        self.robots_move()
        self.belts_move(2)
        self.belts_move(1)
        self.pushers_push()
        self.gears_turn()
        self.crushers_crush()
        self.lasers_fire()
        self.touch_checkpoints()
        if self.over:  # U31
            return
        self.become_real(end_of_turn=False)
        left = [robot for robot in self.robots if not robot.out]
        if not left or len(left) == 1 < len(self.robots):  # R-A12.13
            self.end(left)

    # F and T1: the end of the turn

    def repair(self, orders: list[Orders]) -> None:
        """Repair robots in F2 (R-A12.7 to R-A12.9, R-A6.7, U10, U34, U35)."""
        for robot in self.living():
            square, given = self.square(robot), orders[robot.index]
            points = max(square.wrenches, 1 if square.flag and self.is_on("flag_repair") else 0)
            if points == 2 and self.settings["two_wrench"] == "and1":
                points = 1
            elif points == 2 and not robot.down and self.is_on("option_cards"):
                default = "repair" if robot.damage >= 2 else "option"
                site = given.get("site", "auto")
                points = 0 if (default if site == "auto" else site) == "option" else 2
            for _ in range(min(points, robot.damage)):
                robot.damage -= 1
                chosen = given.get("unlock", 0) - 1
                if chosen in robot.locked and self.settings["unlock"] == "choice":
                    robot.locked.remove(chosen)
                elif robot.locked:
                    robot.locked.remove(min(robot.locked))

    def default_facing(self, at: Position, flag: int) -> int:
        """Return the default facing at a re-entry (U29)."""
        if flag >= len(self.board.flags):
            return 0
        east, south = self.board.flags[flag][0] - at[0], self.board.flags[flag][1] - at[1]
        if east == south == 0:
            return 0
        if abs(east) >= abs(south):
            return 1 if east > 0 else 3
        return 2 if south > 0 else 0

    def reenter(self, orders: list[Orders]) -> None:
        """Let destroyed robots re-enter in F5 (R-A13.5 to R-A13.8)."""
        returning = [robot for robot in self.graveyard if not robot.out]
        archives = [robot.archive for robot in returning]
        beside = self.settings["reentry"] == "adjacent8" or not self.is_on("virtual")
        for robot in returning:
            given = orders[robot.index]
            robot.damage = self.settings["reentry_damage"]
            robot.may_face = self.settings["reentry_facing"] == "orders"
            chosen = None if robot.may_face or "facing" not in given else SIDES.index(given["facing"])
            shared = any(other.at == robot.archive for other in self.living())
            if not beside and archives.count(robot.archive) > 1:
                shared = True
            at, facing = robot.archive, self.default_facing(robot.archive, robot.flag) if chosen is None else chosen
            virtual = shared
            if shared and beside and (place := self.place_beside(robot, chosen, given.get("square"))):
                (at, facing), virtual = place, False
            robot.at, robot.facing, robot.virtual, robot.fresh = at, facing, virtual, virtual
            robot.registers = [0] * 5
            robot.lock_by_damage()
        self.graveyard = []

    def place_beside(self, robot: Robot, chosen: int | None, wanted: int | None) -> tuple[Position, int] | None:
        """Return the square and facing for a robot whose archive is taken, ring by ring (R-A13.8); None for none."""
        x, y = robot.archive
        for ring in range(1, self.board.size):
            around = [(dx, dy) for dx in range(-ring, ring + 1) for dy in range(-ring, ring + 1)]
            around = [offset for offset in around if max(map(abs, offset)) == ring]
            around.sort(key=lambda offset: math.atan2(offset[0], -offset[1]) % math.tau)  # clockwise from the north
            legal = []
            for number, (dx, dy) in enumerate(around):
                at = (x + dx, y + dy)
                if self.board.hole(at) or any(other.at == at for other in self.living()):
                    continue
                first = self.default_facing(at, robot.flag) if chosen is None else chosen
                facings = [(first + quarters) % 4 for quarters in range(4)]
                facing = next((facing for facing in facings if not self.sees_robot(at, facing)), None)
                if facing is not None:
                    legal.append((number != wanted, self.distance(at, robot.flag), number, at, facing))
            if legal:
                return min(legal)[3:]
        return None

    def sees_robot(self, at: Position, facing: int) -> bool:
        """Tell whether a real robot stands in the line of sight within three squares."""
        sight = list(self.board.ray(at, facing))[1:4]
        return any(other.at in sight and not other.virtual for other in self.living())

    def distance(self, at: Position, flag: int) -> int:
        if flag >= len(self.board.flags):
            return 0
        return abs(self.board.flags[flag][0] - at[0]) + abs(self.board.flags[flag][1] - at[1])

    def upkeep(self, orders: list[Orders]) -> None:
        """Play F6 and T1: decide who is down in the next turn, and what stays in registers (R-A7, U33, U36)."""
        for robot in self.robots:
            if robot.out:
                down = False
            elif robot.down or robot.destroyed:
                down = bool(orders[robot.index].get("stay_down")) and self.is_on("power_down")
            else:
                down = robot.announced
            if not (down and self.settings["pd_lock_card"] == "keep"):
                kept = set() if down else robot.locked
                robot.registers = [card if r in kept else 0 for r, card in enumerate(robot.registers)]
            if down:
                robot.damage, robot.locked = 0, set()
            robot.down, robot.announced, robot.destroyed = down, False, False

    def end_turn(self, orders: list[Orders]) -> None:
        """Play segment F, and T1 of the next turn."""
        self.repair(orders)
        self.become_real(end_of_turn=True)
        self.reenter(orders)
        self.upkeep(orders)

    def return_loose_cards(self) -> None:
        """Return loose cards before a further turn of a scenario, even if the last one was cut short (U41)."""
        for robot in self.robots:
            if not robot.down or not robot.at:
                robot.registers = [card if r in robot.locked else 0 for r, card in enumerate(robot.registers)]
