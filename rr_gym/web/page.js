// The page of one seat. It shows what the server sends and sends back what is ordered; no rule is known here.

const BEAT = 380; // milliseconds a moment at normal speed
const NUM_REGISTERS = 5;

let game = null; // what never changes
let board = null;
let state = null; // the last message with a position
let program = Array(NUM_REGISTERS).fill(null); // cards as orders name them
let chosen = {}; // other orders that are not left to their defaults
let floor = ""; // the number of the floor that is drawn
let squares = null; // what can be said of them
let about = null;
let film = null; // the turn that is being shown
let previewTimer = 0;
let asked = 0; // previews are answered in any order; only the last one counts

// ---- asking the server -------------------------------------------------------------------------------------------

class Refusal extends Error {}

async function ask(path, body) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body ?? {}) };
  const answer = await fetch(path, body === undefined ? {} : post);
  const isData = answer.headers.get("content-type")?.startsWith("application/json");
  const content = isData ? await answer.json() : { error: await answer.text() };
  if (!answer.ok) throw new Refusal(content.error);
  return content;
}

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function listen() {
  let version = -1;
  for (;;) {
    try {
      const news = await ask(`state?after=${version}`);
      version = news.version;
      if (!news.same) await receive(news);
      if (news.closed) return say("The server has stopped.");
    } catch (error) {
      if (error instanceof Refusal) return say(error.message);
      say("The server does not answer; trying again.");
      version = -1;
      await pause(2000);
    }
  }
}

async function receive(news) {
  if (!("turn" in news)) {
    state = { ...state, ...news };
    return showStatus();
  }
  const before = state;
  state = news;
  if (!before || before.turn !== news.turn) {
    program = Array(NUM_REGISTERS).fill(null);
    chosen = {};
    clearGhost();
    if (before && news.played && news.played.turn === news.turn - 1) await play(news.played);
    await showPosition();
  }
  showAll();
}

async function drawFloor(number) {
  if (floor === number) return;
  const { svg, about: sentences } = await ask(`floor/${number}`);
  board.setFloor(svg);
  squares = sentences;
  floor = number;
}

// ---- the turn that was played, as an animation ---------------------------------------------------------------------

async function play(turn) {
  const mine = (film = {});
  about.hide();
  byId("orders").hidden = byId("story").hidden = byId("end").hidden = true;
  byId("film").hidden = false;
  byId("film-title").textContent = `Turn ${turn.turn + 1}`;
  say(`Turn ${turn.turn + 1} is shown.`);
  await drawFloor(turn.floor);
  let robots = turn.robots;
  board.show({ robots, tokens: turn.tokens, look: turn.look });
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  for (const frame of turn.frames) {
    if (mine.skipped) break;
    const beat = BEAT / Number(byId("speed").value);
    robots = robots.map((robot, seat) => ({ ...robot, ...frame.robots[seat] }));
    board.show({ robots, tokens: frame.tokens, look: frame.look, effects: frame.effects }, still ? 0 : beat);
    byId("film-title").textContent = `Turn ${turn.turn + 1}, ${frame.phase ? `phase ${frame.phase}` : frame.title}`;
    byId("film-text").textContent = frame.log.join(" · ");
    mine.wake = null;
    await Promise.race([pause(frame.effects.length ? 1.35 * beat : beat), new Promise((done) => (mine.wake = done))]);
  }
  film = null;
  byId("film").hidden = true;
}

function skip() {
  if (!film) return;
  film.skipped = true;
  film.wake?.();
}

async function showPosition() {
  await drawFloor(state.floor);
  board.show({ robots: state.robots, tokens: state.tokens, look: 0 });
}

// ---- what is shown between turns -----------------------------------------------------------------------------------

const say = (text) => setText(byId("status"), text);
const mayOrder = () => !state.over && !state.playing && !state.ready && !state.out;

function showAll() {
  if (film) return;
  byId("orders").hidden = state.over;
  byId("end").hidden = !state.over;
  byId("heading").textContent = `Turn ${state.turn + 1}: ${state.out ? "your robot is out of the game" : state.down ? "your robot is powered down" : "your program"}`;
  showStatus();
  showHand();
  showControls();
  showRobots();
  showStory();
  if (state.over) showEnd();
}

function showStatus() {
  if (film || !state) return;
  const names = (state.awaited ?? []).map((seat) => (seat === game.seat ? "you" : game.names[seat]));
  if (state.over) say("The game is over.");
  else if (state.playing) say("The turn is being played.");
  else if (state.trouble) say(`The turn was not played: ${state.trouble}`);
  else if (state.ready) say(names.length ? `Waiting for ${names.join(", ")}.` : "The turn is being played.");
  else say(`Turn ${state.turn + 1}: ${names.includes("you") ? "your orders, please." : `waiting for ${names.join(", ")}.`}`);
  const on = mayOrder() || (state.out && !state.over && !state.playing && names.includes("you"));
  byId("go").disabled = !on || !complete();
  for (const name of ["clear", "hint", "adviser"]) byId(name).disabled = !mayOrder();
  byId("save").disabled = state.playing || state.over;
}

// The registers for which cards are wanted.
const open = () => (state.programs ? state.locked.flatMap((card, r) => (card === null ? [r] : [])) : []);
const complete = () => open().every((r) => program[r] !== null);

function cardText(button, card, above) {
  const { glyph, name, priority } = card;
  htmlElement("b", "", button, glyph).setAttribute("aria-hidden", "true");
  htmlElement("span", "", button, name);
  htmlElement("small", "", button, above ?? String(priority));
}

const cardOf = (name) => [...state.hand, ...Object.values(state.mates).flat()].find(({ card }) => card === name);

function showHand() {
  const registers = byId("registers");
  const focused = document.activeElement?.dataset?.key;
  registers.replaceChildren();
  registers.hidden = !state.hand.length && !state.locked.some((card) => card !== null);
  state.locked.forEach((locked, r) => {
    const button = htmlElement("button", "", htmlElement("li", "", registers));
    button.type = "button";
    button.dataset.key = `register-${r}`;
    htmlElement("span", "unseen", button, `register ${r + 1}: `);
    if (locked !== null) {
      button.className = "full locked";
      button.disabled = true;
      const priority = locked.split("@")[1];
      const card = game.cards.find((known) => known && `${known.priority}` === priority) ?? { glyph: "", name: "no card", priority: "" };
      cardText(button, card, "locked");
      return;
    }
    const held = program[r] && cardOf(program[r]);
    button.disabled = !held || !mayOrder();
    if (held) {
      button.className = "full";
      cardText(button, game.cards[held.number]);
      button.title = "take it back";
      button.addEventListener("click", () => put(r, null));
    } else {
      htmlElement("span", "place", button, `${r + 1}`).setAttribute("aria-hidden", "true");
      htmlElement("span", "unseen", button, "empty");
    }
  });
  byId("hand-hint").hidden = !state.programs;
  const hand = byId("hand");
  hand.replaceChildren();
  state.hand.forEach((held, i) => showCard(hand, held, i + 1));
  const mates = byId("mates");
  mates.replaceChildren();
  let number = state.hand.length;
  for (const [seat, cards] of Object.entries(state.mates)) {
    htmlElement("p", "hint", mates, `Cards of ${game.names[seat]}, which you share`);
    const list = htmlElement("ul", "mate", mates);
    for (const held of cards) showCard(list, held, ++number);
  }
  if (state.stored) htmlElement("p", "hint", mates, `On your Flywheel: ${game.cards[state.stored.number].name} (${game.cards[state.stored.number].priority})`);
  if (focused) document.querySelector(`[data-key="${focused}"]`)?.focus();
}

function showCard(list, held, number) {
  const card = game.cards[held.number];
  const button = htmlElement("button", "", htmlElement("li", "", list));
  button.type = "button";
  button.dataset.key = `card-${held.card}`;
  button.dataset.card = held.card;
  const used = program.includes(held.card);
  button.setAttribute("aria-pressed", String(used));
  cardText(button, card, `${card.priority}${number < 10 ? `  [${number}]` : ""}`);
  button.disabled = !mayOrder() || !state.programs;
  button.addEventListener("click", () => (program.includes(held.card) ? put(program.indexOf(held.card), null) : add(held.card)));
}

function showRobots() {
  const list = byId("robots");
  list.replaceChildren();
  state.robots.forEach((robot, seat) => {
    const item = htmlElement("li", "", list);
    item.style.setProperty("--robot", game.drawing.colours[seat]);
    htmlElement("strong", "", item, `${seat + 1} ${game.names[seat]}${seat === game.seat ? " (you)" : ""}`);
    const marks = [
      [robot.out, "out"], [!robot.alive && !robot.out, "destroyed"], [robot.virtual, "virtual"], [robot.down, "powered down"],
      [robot.announced, "powers down next"], [robot.team, `team ${robot.team}`], [robot.asleep, `asleep ${robot.asleep}`],
      [robot.burning, `burning ${robot.burning}`], [robot.carries, `carries flag ${robot.carries}`], [robot.flying, "flying"],
    ];
    htmlElement("span", "", item, marks.filter(([on]) => on).map(([, text]) => text).join(", "));
    const lives = robot.lives < 0 ? "" : `, ${robot.lives} ${robot.lives === 1 ? "life" : "lives"}`;
    const options = Object.entries(robot.options).map(([id, left]) => game.options[id].name + (game.options[id].holds || left ? ` ${left}` : ""));
    const locked = robot.registers.flatMap((card, r) => ((robot.locked >> r) & 1 ? [`${r + 1} ${card > 0 ? game.cards[card].name : "no card"}`] : []));
    const facts = [`flags ${robot.flag}/${game.num_flags}, damage ${robot.damage}${lives}`];
    if (locked.length) facts.push(`locked: ${locked.join(", ")}`);
    if (options.length) facts.push(`options: ${options.join(", ")}`);
    htmlElement("span", "facts", item, facts.join("; "));
  });
}

function showStory() {
  byId("story").hidden = !state.story.length;
  const lines = byId("lines");
  lines.replaceChildren();
  for (const [heading, told] of state.story) {
    htmlElement("h3", "", lines, heading);
    for (const line of told) htmlElement("p", "", lines, line);
  }
}

function showEnd() {
  const body = byId("standings").querySelector("tbody");
  body.replaceChildren();
  for (const line of state.standings) {
    const row = htmlElement("tr", "", body);
    for (const name of ["place", "player", "flags", "damage", "state"]) htmlElement("td", "", row, line[name]);
  }
}

// ---- orders --------------------------------------------------------------------------------------------------------

function add(card) {
  const free = open().find((r) => program[r] === null);
  if (free === undefined) return refuse("All registers are full: click one of them to take its card back.");
  put(free, card);
}

function put(register, card) {
  program[register] = card;
  ordersChanged();
}

function order(control, value) {
  if (JSON.stringify(value) === JSON.stringify(control.default)) delete chosen[control.name];
  else chosen[control.name] = value;
  ordersChanged();
}

const refuse = (text) => (byId("error").textContent = text);
const orders = () => ({ ...(state.programs ? { program } : {}), ...chosen });

function ordersChanged() {
  refuse("");
  showHand();
  showStatus();
  clearTimeout(previewTimer);
  if (program.every((card) => card === null) && !Object.keys(chosen).length) return clearGhost();
  previewTimer = setTimeout(preview, 60);
}

async function preview() {
  if (!mayOrder()) return;
  const mine = ++asked;
  try {
    const found = await ask("preview", { orders: orders() });
    if (mine === asked && mayOrder()) showGhost(found);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (mine !== asked) return;
    clearGhost();
    refuse(error.message);
  }
}

// Where the orders lead: every square on the way, and the robot where each phase ends.
function showGhost({ stops, lines }) {
  clearGhost();
  const seat = game.seat;
  const known = stops.filter(({ at }) => at);
  const squares = new Map(known.map(({ at }) => [at.join(), at]));
  board.mark([...squares.values()]);
  board.trails(known.length > 1 ? [{ seat, points: known.map(({ at }) => at) }] : []);
  const ends = new Map();
  for (const stop of known) if (stop.phase) ends.set(stop.phase, stop);
  const places = new Map();
  for (const [phase, stop] of ends) {
    const key = stop.at.join();
    places.set(key, { ...stop, phases: [...(places.get(key)?.phases ?? []), phase] });
  }
  board.ghosts([...places.values()].map(({ at: [x, y], facing, phases }) => ({ seat, x, y, facing, label: phases.join(" ") })));
  byId("leads").hidden = false;
  const list = byId("preview");
  list.replaceChildren();
  for (const line of lines) htmlElement("li", "", list, line);
}

function clearGhost() {
  asked++;
  board.mark([]);
  board.trails([]);
  board.ghosts([]);
  byId("leads").hidden = true;
}

// ---- every other order: a control for each, with the values that are legal -------------------------------------------

const words = (name) => name.replaceAll("_", " ");

function select(values, now, name, change) {
  const list = htmlElement("select", "");
  list.setAttribute("aria-label", name);
  values.forEach(([value, text], i) => {
    const option = htmlElement("option", "", list, text);
    option.value = i;
    option.selected = JSON.stringify(value) === JSON.stringify(now);
  });
  list.disabled = !mayOrder();
  list.addEventListener("change", () => change(values[Number(list.value)][0]));
  return list;
}

const makeControl = {
  one(box, control) {
    const now = chosen[control.name] ?? control.default;
    const isSwitch = control.values.every(([value]) => typeof value === "boolean");
    const label = htmlElement("label", "", box);
    if (isSwitch) {
      const tick = htmlElement("input", "", label);
      tick.type = "checkbox";
      tick.name = control.name;
      tick.checked = now;
      tick.disabled = !mayOrder();
      tick.addEventListener("change", () => order(control, tick.checked));
      htmlElement("span", "", label, words(control.name));
    } else {
      htmlElement("span", "", label, words(control.name));
      label.append(select(control.values, now, words(control.name), (value) => order(control, value)));
    }
  },
  registers(box, control) {
    htmlElement("span", "", box, words(control.name));
    const now = () => chosen[control.name] ?? Array(NUM_REGISTERS).fill(control.default);
    for (let r = 0; r < NUM_REGISTERS; r++) {
      const change = (value) => {
        const values = now().map((held, i) => (i === r ? value : held));
        if (values.every((held) => held === control.default)) delete chosen[control.name], ordersChanged();
        else order(control, values);
      };
      box.append(select(control.values, now()[r], `${words(control.name)}, register ${r + 1}`, change));
    }
  },
  list(box, control) {
    htmlElement("span", "", box, words(control.name));
    const values = [[null, "no more"], ...control.values];
    const now = () => chosen[control.name] ?? [];
    for (let i = 0; i < control.slots; i++) {
      const change = (value) => {
        const list = [...now(), ...Array(control.slots).fill(null)].slice(0, control.slots);
        list[i] = value;
        const kept = list.filter((held) => held !== null);
        if (kept.length) order(control, kept);
        else delete chosen[control.name], ordersChanged();
        showControls();
      };
      box.append(select(values, now()[i] ?? null, `${words(control.name)}, ${i + 1}`, change));
    }
  },
  conditional(box, control) {
    htmlElement("span", "", box, words(control.name));
    const now = () => chosen[control.name] ?? { card: null, register: 0 };
    const change = (part) => {
      const value = { ...now(), ...part };
      order(control, value.card === null ? null : value);
    };
    box.append(select([[null, "no card"], ...control.values], now().card, `${words(control.name)}, card`, (card) => change({ card })));
    const registers = [[0, "only stored"], ...Array.from({ length: NUM_REGISTERS }, (_, r) => [r + 1, `register ${r + 1}`])];
    box.append(select(registers, now().register, `${words(control.name)}, register`, (register) => change({ register })));
  },
};
const IN_FRONT = ["power_down", "stay_down", "facing"]; // always to be seen

function showControls() {
  byId("switches").replaceChildren();
  byId("controls").replaceChildren();
  for (const control of state.controls) {
    const front = IN_FRONT.includes(control.name) && (control.name !== "stay_down" || state.down || !state.hand.length);
    const box = front ? htmlElement("span", "", byId("switches")) : htmlElement("div", "control", byId("controls"));
    makeControl[control.shape](box, control);
    if (!front) htmlElement("p", "", box, control.about);
    else box.title = control.about;
  }
  byId("more").hidden = !byId("controls").firstChild;
}

// ---- pointing at squares -------------------------------------------------------------------------------------------

function tellSquare(what) {
  const [x, y] = what.split(" ").map(Number);
  const n = y * game.drawing.size[0] + x;
  const lines = (squares?.looks[0][n] ?? squares?.squares[n] ?? []).map((i) => squares.texts[i]);
  state.robots.forEach((robot, seat) => {
    if (robot.alive && Math.round(robot.x) === x && Math.round(robot.y) === y) lines.push(`robot ${seat + 1}, ${game.names[seat]}`);
  });
  return { title: `(${x}, ${y})`, lines };
}

// ---- buttons and keys ----------------------------------------------------------------------------------------------

async function press(work) {
  refuse("");
  try {
    await work();
  } catch (error) {
    refuse(error instanceof Refusal ? error.message : "The server does not answer.");
  }
}

byId("orders").addEventListener("submit", (event) => {
  event.preventDefault();
  if (byId("go").disabled) return;
  clearTimeout(previewTimer);
  asked++;
  press(async () => {
    const turn = state.turn;
    await ask("orders", { turn, orders: orders() });
    if (state.turn !== turn) return;
    state.ready = true;
    state.awaited = (state.awaited ?? []).filter((seat) => seat !== game.seat);
    showAll();
  });
});
byId("clear").addEventListener("click", () => {
  program = Array(NUM_REGISTERS).fill(null);
  chosen = {};
  showControls();
  ordersChanged();
});
byId("hint").addEventListener("click", () =>
  press(async () => {
    const turn = state.turn;
    byId("hint").disabled = true;
    say("Thinking ...");
    try {
      const { orders: advised } = await ask("hint", { player: byId("adviser").value });
      if (turn !== state.turn || !mayOrder()) return;
      const { program: cards = [], ...others } = advised;
      const held = [...state.hand, ...Object.values(state.mates).flat()];
      program = program.map((_, r) => (state.locked[r] === null ? held.find(({ card, number }) => card === cards[r] || number === cards[r])?.card ?? null : null));
      const known = new Set(state.controls.map(({ name }) => name));
      chosen = Object.fromEntries(Object.entries(others).filter(([name]) => known.has(name)));
      showControls();
      ordersChanged();
    } finally {
      showStatus();
    }
  }),
);
byId("save").addEventListener("click", () =>
  press(async () => {
    const { saved } = await ask("save", {});
    say(`Saved on the server's machine as ${saved}.`);
  }),
);
byId("skip").addEventListener("click", skip);
byId("again").addEventListener("click", async () => {
  if (film || !state.played) return;
  clearGhost();
  await play(state.played);
  await showPosition();
  showAll();
  if (mayOrder()) preview();
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !state || ["SELECT", "INPUT"].includes(event.target.tagName)) return;
  if (film) return event.key === "Escape" && skip();
  if (!mayOrder()) return;
  if (/^[1-9]$/.test(event.key)) {
    document.querySelectorAll("#hand button, #mates button")[Number(event.key) - 1]?.click();
  } else if (event.key === "Backspace") {
    event.preventDefault();
    const full = program.findLastIndex((card) => card !== null);
    if (full >= 0) put(full, null);
  } else if (event.key === "h") {
    byId("hint").click();
  } else if (event.key === "g") {
    byId("go").click();
  }
});

(async () => {
  game = await ask("course");
  byId("seat").textContent = `robot ${game.seat + 1}, ${game.names[game.seat]}`;
  board = new Board(document.querySelector(".board"), game.drawing);
  about = new About(byId("about"), tellSquare);
  about.watch(board.root, (event) => (film || !state ? "" : board.squareAt(event)?.join(" ") ?? ""));
  await listen();
})();
