"use strict";
// The conversation with the game: what it says, and what a bot may ask. Only Node.js is needed.

const readline = require("node:readline");

const NOWHERE = -1; // in place of the state of a robot that has been destroyed

// The tables of a course: where a card leads, and how far it is from there.
//
// A state is where a robot stands and faces: 4 * (width * y + x) + its facing, 0 to 3 clockwise from the north. `turn`
// messages say the state of the own robot, and the tables know all walls, belts, pits and other elements.
class Course {
  constructor(message) {
    const [width] = message.size;
    const tables = message.tables;
    this.message = message;
    this.turnsToGo = tables.turns_to_go;
    this.steps = tables.steps_of_phase.map((number) => tables.steps[number]);
    this.flags = message.flags.map(([x, y]) => y * width + x);
  }

  // The state of a robot alone after it plays a card in a phase (1 to 5); NOWHERE if it is destroyed.
  after(state, phase, kind) {
    return this.steps[phase - 1][kind][state];
  }

  // How many turns a robot alone needs on average to the last flag, if it has touched `flag` of them.
  turns(state, flag) {
    return flag < this.turnsToGo.length ? this.turnsToGo[flag][state] : 0;
  }
}

// The kind of a card: "move_1" of "move_1@490".
const kind = (card) => card.split("@")[0];

// Writes one line to the game. Nothing else may be written there; console.error is free.
const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

const waiting = new Map(); // who waits for previews, by the number of the turn

// A turn in which the bot is asked for its orders: `message` has all that is known, `course` the tables;
// docs/protocol.md describes every field.
class Turn {
  constructor(message, course, seat) {
    Object.assign(this, { message, course, seat, legal: message.legal, view: message.view, state: message.state });
    this.robot = message.view.robots[seat];
  }

  // Asks the game where several orders lead, if nobody else were on the board. It costs time of this turn.
  // The answers are {phases: [...], end: {...}}, or {error: ...} for orders that are not legal.
  preview(several) {
    return new Promise((answered) => {
      waiting.set(this.message.id, answered);
      say({ id: this.message.id, preview: several });
    });
  }
}

// Plays: calls `decide` with every turn, one after another, and answers with the orders that it returns, at once or
// later. While it waits for a preview no other turn is begun: the time of the oldest one runs.
function play(decide) {
  const courses = new Map();
  const games = new Map();
  let last = Promise.resolve();
  readline.createInterface({ input: process.stdin }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.type === "course") courses.set(message.course, new Course(message));
    else if (message.type === "game") games.set(message.game, message);
    else if (message.type === "preview") {
      const answered = waiting.get(message.id);
      waiting.delete(message.id);
      answered?.(message.results);
    } else if (message.type === "turn") {
      const game = games.get(message.game);
      const turn = new Turn(message, courses.get(game.course), game.seat);
      last = last.then(async () => say({ id: message.id, orders: await decide(turn) }));
    } else if (message.type === "end") games.delete(message.game);
    else if (message.type === "error") { // a decision was lost
      waiting.get(message.id)?.([]); // no answer to a preview will come
      waiting.delete(message.id);
      console.error(message.message);
    }
  });
}

module.exports = { NOWHERE, kind, play };
