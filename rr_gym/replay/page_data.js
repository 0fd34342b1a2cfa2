// The page only draws: every frame comes with the robots that changed in it, and nothing here knows a rule.
const replay = JSON.parse(document.getElementById("replay").textContent);
const BEAT = 460; // milliseconds per frame at normal speed

// frames[0] is the starting position; states[i] are all robots after frame i, tokens[i] what lies on the board.
const frames = [{ turn: (replay.frames[0]?.turn ?? 0), phase: 0, part: "T", title: "Start", look: 0, robots: {}, used: [], effects: [], log: ["The robots are ready."] }, ...replay.frames];
const states = [];
const tokens = [];
for (const frame of frames) {
  const before = states.at(-1) ?? replay.start;
  states.push(before.map((robot, seat) => (frame.robots[seat] ? { ...robot, ...frame.robots[seat] } : robot)));
  tokens.push(frame.tokens ?? tokens.at(-1) ?? replay.tokens);
}
const last = frames.length - 1;
