// The data of the page, unfolded: every frame comes with the robots that changed in it; those that did not are shared.
const replay = JSON.parse(byId("replay").textContent);
const telling = new Telling(replay);

// frames[0] is the starting position; states[i] are all robots after frame i, tokens[i] what lies on the board.
const frames = [
  {
    turn: replay.frames[0]?.turn ?? replay.first_turn, phase: 0, part: "T", title: "Start", look: 0, robots: {}, used: [],
    effects: [], log: ["The robots are ready."], acting: null,
  },
  ...replay.frames,
];
const states = [];
const tokens = [];
const turnStarts = []; // by frame: the first frame of its turn
frames.forEach((frame, i) => {
  const before = states.at(-1) ?? replay.start;
  const changed = Object.keys(frame.robots).length;
  states.push(changed ? before.map((robot, seat) => (frame.robots[seat] ? { ...robot, ...frame.robots[seat] } : robot)) : before);
  tokens.push(frame.tokens ?? tokens.at(-1) ?? replay.tokens);
  turnStarts.push(i > 0 && frames[i - 1].turn === frame.turn ? turnStarts[i - 1] : i);
});
const last = frames.length - 1;
const turnOf = (frame) => frame.turn;
const phaseOf = (frame) => `${frame.turn} ${frame.part}`;
const KEYS = { phase: phaseOf, turn: turnOf };

// Where a position may go: by steps, or to the first frame of a phase or turn; backwards to the start of this one first.
function seek(at, unit, direction) {
  if (unit === "step") return Math.min(last, Math.max(0, at + direction));
  const key = KEYS[unit];
  let position = at;
  if (direction > 0) {
    while (position < last && key(frames[position]) === key(frames[at])) position++;
    return position;
  }
  position = Math.max(0, at - 1);
  while (position > 0 && key(frames[position - 1]) === key(frames[position])) position--;
  return position;
}

// The last frame of the phase or turn that comes next, when they are played as wholes.
function endOfNext(at, unit) {
  if (unit === "step") return Math.min(last, at + 1);
  const key = KEYS[unit];
  let position = Math.min(last, at + 1);
  while (position < last && key(frames[position + 1]) === key(frames[position])) position++;
  return position;
}

// What still matters when several frames are shown at once.
const LASTING = new Set(["ring", "loss", "hit", "blast"]);
function effectsSince(from, to) {
  const found = frames[to].effects.slice();
  for (let i = Math.max(from + 1, to - 60); i < to; i++) found.push(...frames[i].effects.filter(([kind]) => LASTING.has(kind)));
  return found;
}

// ---- what a seat saw ---------------------------------------------------------------------------------------------

let seenBy = -1; // a seat, or everybody

const knows = (seat, robot) => {
  if (seenBy < 0 || seenBy === seat) return true;
  const team = replay.start[seenBy].team;
  return replay.hands_shared && team > 0 && robot.team === team;
};

// Whether the card of a register lies open, or is the seat's own.
function isOpen(seat, robot, register, frame) {
  return knows(seat, robot) || (robot.locked >> register) & 1 || frame.part === "F" || (frame.phase > register && frame.part !== "T");
}

const wonAt = (at, seat) => at === last && replay.winners.includes(seat);
const handOf = (seat, robot, frame) => (knows(seat, robot) ? replay.hands[frame.turn - replay.first_turn]?.[seat] : undefined);

function linesOf(frame) {
  const secret = (frame.secret ?? []).filter(([seat]) => knows(seat, states[0][seat]));
  return [...frame.log, ...secret.map(([, line]) => line)];
}

// ---- where robots went -------------------------------------------------------------------------------------------

// Of this turn; before anybody has moved in it, of the turn before.
function trailsTo(at) {
  const first = turnStarts[at];
  const now = pathsBetween(first, at);
  return now.length || first === 0 ? now : pathsBetween(turnStarts[first - 1], first - 1);
}

function pathsBetween(from, to) {
  const before = states[Math.max(0, from - 1)];
  const paths = before.map((robot, seat) => ({ seat, points: robot.alive ? [[robot.x, robot.y]] : [] }));
  for (let i = from; i <= to; i++) {
    for (const seat of Object.keys(frames[i].robots)) {
      const { x, y, alive } = states[i][seat];
      const { points } = paths[seat];
      const end = points.at(-1);
      // A robot that comes back begins anew.
      if (alive && i > 0 && !states[i - 1][seat].alive) points.splice(0, points.length, [x, y]);
      else if (!end || end[0] !== x || end[1] !== y) points.push([x, y]);
    }
  }
  return paths.filter(({ points }) => points.length > 1);
}
