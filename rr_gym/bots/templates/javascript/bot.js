"use strict";
// A bot for RoboRally. It plays as if it were alone: towards where the last flag is the fewest turns away.
//
// It tries every program of its hand on the tables of the course, asks the game where the best ones really lead, with
// all options and damage, and takes the best of these. Improve `value`, which says how bad an end is, or look at
// `turn.view.robots`, where the others are.

const { NOWHERE, kind, play } = require("./game.js");

const PREVIEWS = 12; // programs that the game is asked about
const MOVES = ["move_1", "move_2", "move_3", "back_up"];

// How bad it is to end a turn in a state with so many flags and points of damage; the least is best.
function value(course, state, flag, damage) {
  if (state === NOWHERE || state === null) return 100 - flag;
  return course.turns(state, flag) + damage / 4;
}

// The first unused card of each kind, since cards of one kind lead to the same.
function unused(legal, used, register) {
  const kinds = new Map();
  for (const card of legal.cards) {
    if (used.includes(card)) continue;
    if (register === 1 && legal.first_card_moves && !MOVES.includes(kind(card))) continue;
    if (!kinds.has(kind(card))) kinds.set(kind(card), card);
  }
  return [...kinds.values()];
}

// The programs of the hand with what their ends are worth, the best first. A flag that a program stops on is touched,
// and the next one counts.
function programs(turn, facing) {
  const { course, robot, state } = turn;
  const legal = turn.legal.program;
  const start = facing === null ? state : state - (state % 4) + "nesw".indexOf(facing);
  let ends = [{ state: start, flag: robot.flag, used: [], cards: [] }];
  for (let register = 1; register <= 5; register++) {
    const locked = robot.registers[register - 1];
    const longer = new Map();
    for (const end of ends) {
      for (const card of locked ? [locked] : unused(legal, end.used, register)) {
        const after = end.state === NOWHERE ? NOWHERE : course.after(end.state, register, kind(card));
        const touched = after !== NOWHERE && Math.floor(after / 4) === course.flags[end.flag];
        const flag = end.flag + (touched ? 1 : 0);
        const used = locked ? end.used : [...end.used, card].sort();
        const key = `${after} ${flag} ${used}`;
        if (!longer.has(key)) {
          longer.set(key, { state: after, flag, used, cards: [...end.cards, locked ? null : card] });
        }
      }
    }
    ends = [...longer.values()];
  }
  return ends
    .map((end) => ({ worth: value(course, end.state, end.flag, robot.damage), cards: end.cards }))
    .sort((one, other) => one.worth - other.worth);
}

async function decide(turn) {
  const orders = {};
  if (turn.robot.damage >= 6 && turn.legal.power_down) orders.power_down = true;
  if (!turn.legal.program.registers.length || turn.state === null) return orders;
  const facings = turn.legal.facing ? turn.legal.facing.values.slice(1) : [null];
  const best = facings
    .flatMap((facing) =>
      programs(turn, facing)
        .slice(0, PREVIEWS)
        .map(({ worth, cards }) => ({ worth, orders: { ...orders, program: cards, ...(facing && { facing }) } })))
    .sort((one, other) => one.worth - other.worth)
    .slice(0, PREVIEWS);
  if (!best.length) return orders;
  const answers = await turn.preview(best.map((one) => one.orders));
  let chosen = best[0];
  let least = Infinity;
  answers.forEach(({ end }, number) => {
    const worth = end ? value(turn.course, end.state, end.flag, end.damage) : Infinity;
    if (worth < least) [least, chosen] = [worth, best[number]];
  });
  return chosen.orders;
}

play(decide);
