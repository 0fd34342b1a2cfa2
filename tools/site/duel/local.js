// Answers what the page of a seat asks of a server, by playing the game in the page itself.

const ME = 0;
const FOE = 1;
const THINKING = 50; // milliseconds for the browser to draw before a turn is played

let duel = null;
let words = null; // what DATA says of this course
let maker = null;
let version = 0;
let playedTurns = 0;
let lastPlayed = null;
let lastStory = [];
let robotsShown = null;
const never = new Promise(() => {});

const random64 = () => crypto.getRandomValues(new BigUint64Array(1))[0];

const engineReady = (async () => {
  words = DATA;
  const engine = await Engine.load(BUILT);
  duel = new DuelGame(engine, words.course_index);
  duel.start(random64(), [random64(), random64()]);
  maker = new Film(words.words, words.course, words.course.size[0], ME);
  robotsShown = maker.robots(duel.record(), words.robot);
})();

const heldCard = (number) => ({ card: words.card_names[number], number });

function ownState(record) {
  const own = record.robots[ME];
  const over = Boolean(record.over);
  const locked = own.registers.map((card, r) => ((own.locked >> r) & 1 ? (words.card_names[card] ?? "none@") : null));
  const hand = over ? [] : own.hand.filter(Boolean).map(heldCard);
  const wanted = own.down ? ["stay_down"] : ["power_down"];
  return {
    out: Boolean(own.out),
    down: Boolean(own.down),
    hand,
    mates: {},
    stored: null,
    locked,
    programs: !over && !own.out && !own.down && hand.length > 0 && locked.includes(null),
    controls: over || own.out ? [] : words.controls.filter(({ name }) => wanted.includes(name)),
  };
}

function stateNow() {
  const record = duel.record();
  const over = Boolean(record.over);
  const winners = over ? [ME, FOE].filter((seat) => (record.winners >> seat) & 1) : [];
  return {
    ...words.state,
    ...ownState(record),
    version,
    turn: playedTurns,
    over,
    robots: robotsShown,
    played: lastPlayed,
    story: lastStory,
    winners,
    standings: over ? standingsOf(record, winners) : [],
    awaited: over ? [] : [ME],
  };
}

function standingsOf(record, winners) {
  const line = (seat) => {
    const { flag, damage, alive, out } = record.robots[seat];
    const state = winners.includes(seat) ? "winner" : out ? "out" : alive ? "" : "destroyed";
    return { player: words.course.names[seat], flags: flag, damage, state, seat };
  };
  const better = (a, b) => winners.includes(b.seat) - winners.includes(a.seat) || b.flags - a.flags;
  return [ME, FOE].map(line).sort(better).map((found, k) => ({ ...found, place: k + 1 }));
}

async function playTurn({ program: cards, ...others }) {
  await pause(THINKING);
  const numbers = (cards ?? []).map((card) => (card === null ? 0 : words.card_names.indexOf(card)));
  const own = duel.orders(numbers, Object.fromEntries(Object.entries(others).map(([name, on]) => [name, Number(on)])));
  duel.play([own, duel.decide(FOE)]);
  const events = duel.events();
  const { frames } = maker.frames(events, robotsShown, words.state.tokens);
  lastPlayed = {
    turn: playedTurns, robots: robotsShown, tokens: words.state.tokens, look: 0, floor: words.state.floor, frames,
  };
  lastStory = storyOf(frames);
  robotsShown = maker.robots(duel.record(), words.robot, frames.reduce(changed, robotsShown));
  playedTurns++;
  version++;
  arrived();
}

const changed = (robots, frame) => robots.map((robot, seat) => ({ ...robot, ...frame.robots[seat] }));

function storyOf(frames) {
  const parts = new Map();
  for (const { phase, title, log } of frames) {
    const heading = phase ? `Phase ${phase}` : title;
    if (log.length) parts.set(heading, [...(parts.get(heading) ?? []), ...log]);
  }
  return [...parts];
}

let arrived = () => {};
let newer = never;
const waitForNews = () => (newer = new Promise((done) => (arrived = done)));

ask = async (path, body) => {
  await engineReady;
  if (path === "course") return words.course;
  if (path.startsWith("floor/")) return words.floors[path.slice("floor/".length)];
  if (path.startsWith("state?after=")) {
    if (Number(path.slice("state?after=".length)) >= version) await newer;
    waitForNews();
    return stateNow();
  }
  if (path === "orders") {
    playTurn(body.orders).catch((error) => refuse(`The game in this page has failed: ${error.message}`));
    return {};
  }
  if (path === "analysis") return { state: "none", done: 0, total: 0, possible: true };
  if (path === "again") location.reload();
  return { stops: [], lines: [] };
};
