"use strict";
// What a bot must know of the game: cards, directions, and the squares of a course.

const SIDES = "nesw"; // clockwise: one quarter turn to the right is one letter further
const STEPS = { n: [0, -1], e: [1, 0], s: [0, 1], w: [-1, 0] }; // x grows to the east, y to the south
// What a card does, by the part of its name before the @: steps ahead, and quarter turns to the right.
const CARDS = {
  move_1: [1, 0], move_2: [2, 0], move_3: [3, 0], back_up: [-1, 0],
  rotate_right: [0, 1], u_turn: [0, 2], rotate_left: [0, 3],
  none: [0, 0], // a register that is locked without a card
};
const DEADLY = "XBKC"; // first letters of items that may destroy a robot: pits, crushers, crumbling floors
const ARROWS = { "^": "n", ">": "e", v: "s", "<": "w" };

const kind = (card) => card.split("@")[0];
const turned = (facing, quarters) => SIDES[(SIDES.indexOf(facing) + quarters) % 4];

// One square: is it safe, its walls, its belt as [direction, speed] or null, the quarter turns of its gear.
function readSquare(token) {
  const [items, sides = ""] = (token || "X").split("/");
  const square = { walls: sides.match(/[nesw]+/g)?.join("") ?? "", safe: true, belt: null, gear: 0 };
  for (const item of items.split("+")) {
    if (DEADLY.includes(item[0])) square.safe = false;
    else if (ARROWS[item[0]]) square.belt = [ARROWS[item[0]], item[1] === item[0] ? 2 : 1];
    else if (item === "L" || item === "R") square.gear = item === "R" ? 1 : 3;
  }
  return square;
}

// A course: where a step leads from a square, and how far it is to a flag. A square is the number y * width + x.
class Course {
  constructor(message) {
    [this.width, this.height] = message.size;
    this.squares = message.grid.flat().map(readSquare);
    this.known = new Map(); // distances by flag
  }

  at([x, y]) {
    return y * this.width + x;
  }

  beside(square, side) {
    const x = (square % this.width) + STEPS[side][0];
    const y = Math.floor(square / this.width) + STEPS[side][1];
    return x >= 0 && y >= 0 && x < this.width && y < this.height ? y * this.width + x : -1;
  }

  // The square one step to a side: the same one before a wall, -1 where the robot is destroyed.
  step(square, side) {
    const there = this.beside(square, side);
    if (this.squares[square].walls.includes(side)) return square;
    if (there < 0) return -1;
    if (this.squares[there].walls.includes(turned(side, 2))) return square;
    return this.squares[there].safe ? there : -1;
  }

  // [square, facing] after a card, belts and gears; null where the robot is destroyed. Other robots are ignored.
  phase(square, facing, card) {
    const [count, quarters] = CARDS[kind(card)];
    facing = turned(facing, quarters);
    for (let i = 0; i < Math.abs(count); i++) {
      square = this.step(square, count > 0 ? facing : turned(facing, 2));
      if (square < 0) return null;
    }
    for (const speed of [2, 1]) { // express belts move first, then all of them
      const belt = this.squares[square].belt;
      if (belt && belt[1] >= speed) square = this.step(square, belt[0]);
      if (square < 0) return null;
    }
    return [square, turned(facing, this.squares[square].gear)];
  }

  // How many steps each square is away from a flag.
  distances(flag) {
    if (!this.known.has(flag)) {
      const found = new Array(this.squares.length).fill(1000);
      const queue = [flag];
      found[flag] = 0;
      for (const square of queue) {
        for (const side of SIDES) {
          const before = this.beside(square, side);
          if (before < 0 || found[before] < 1000 || !this.squares[before].safe) continue;
          if (this.step(before, turned(side, 2)) !== square) continue;
          found[before] = found[square] + 1;
          queue.push(before);
        }
      }
      this.known.set(flag, found);
    }
    return this.known.get(flag);
  }
}

module.exports = { Course, CARDS, SIDES, kind, turned };
