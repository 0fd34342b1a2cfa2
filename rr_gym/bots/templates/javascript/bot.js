"use strict";
// A bot for RoboRally: it reads turns from its standard input, and writes orders to its standard output.
//
// It tries every program of its hand as if it were alone, and plays the one that ends nearest to its next flag. Improve
// `cost`, which says how bad an end is, or look at `view.robots`, where the others are.

const readline = require("node:readline");
const { Course, kind } = require("./tables.js");

// How bad it is to end on a square; the least is best.
const cost = (course, square, flag) => course.distances(flag)[square];

// The cards for a register: a locked one has its own, an open one the first unused card of each kind.
function choices(own, legal, register, used) {
  if (own.registers[register] !== null) return [own.registers[register]];
  const byKind = new Map();
  for (const card of legal.cards) {
    if (used.includes(card)) continue;
    if (register === 0 && legal.first_card_moves && !"mb".includes(kind(card)[0])) continue;
    if (!byKind.has(kind(card))) byKind.set(kind(card), card);
  }
  return [...byKind.values()];
}

function decide(turn, course) {
  const { legal, view } = turn;
  const own = view.robots[turn.seat];
  const orders = { power_down: legal.power_down && own.damage >= 6 };
  if (!legal.registers.length || own.square === null || !view.flags.length) return orders;
  const flag = course.at(view.flags[Math.min(own.flag, view.flags.length - 1)]);
  let best = null;

  function consider(worth, facing, cards) {
    if (best === null || worth < best.worth) best = { worth, facing, cards: [...cards] };
  }

  function search(square, looking, facing, cards, used) {
    if (cards.length === 5) return consider(cost(course, square, flag), facing, cards);
    let alive = false;
    for (const card of choices(own, legal, cards.length, used)) {
      const end = course.phase(square, looking, card);
      if (end === null) continue;
      alive = true;
      const open = own.registers[cards.length] === null;
      cards.push(open ? card : null);
      if (open) used.push(card);
      if (end[0] === flag) consider(-10 + cards.length, facing, cards); // the rest is left to chance
      else search(end[0], end[1], facing, cards, used);
      cards.pop();
      if (open) used.pop();
    }
    if (!alive) consider(500 - cards.length, facing, cards);
  }

  for (const facing of legal.facing.length ? legal.facing : [own.facing]) {
    search(course.at(own.square), facing, facing, [], []);
  }
  orders.program = [...best.cards, null, null, null, null, null].slice(0, 5);
  if (legal.facing.length) orders.facing = best.facing;
  return orders;
}

const courses = new Map();
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "course") courses.set(message.course, new Course(message));
  else if (message.type === "turn") {
    const orders = decide(message, courses.get(message.course));
    process.stdout.write(JSON.stringify({ id: message.id, orders }) + "\n");
  } else if (message.type === "error") console.error(message.message); // the last turn was lost
});
