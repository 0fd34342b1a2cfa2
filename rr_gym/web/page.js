// The page of one seat. It shows what the server sends and sends back what is ordered; no rule is known here.

let game = null; // what never changes
let board = null;
let state = null; // the last message with a position
let shown = null; // the position that is drawn, with what can be said of it
let telling = null;
let about = null;

// ---- news -----------------------------------------------------------------------------------------------------------

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
      if (!(error instanceof Silence)) throw error;
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
    if (before && news.played?.turn === news.turn - 1) await play(news.played);
    await showPosition();
  }
  showAll();
}

// ---- what is shown between turns ------------------------------------------------------------------------------------

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
  showStory();
  if (state.over) showEnd();
}

function showStatus() {
  if (film || !state) return;
  const names = (state.awaited ?? []).map((seat) => (seat === game.seat ? "you" : game.names[seat]));
  if (state.over) say("The game is over.");
  else if (state.playing) say("The turn is being played.");
  else if (state.trouble) say(state.trouble);
  else if (state.ready) say(names.length ? `Waiting for ${names.join(", ")}.` : "The turn is being played.");
  else say(`Turn ${state.turn + 1}: ${names.includes("you") ? "your orders, please." : `waiting for ${names.join(", ")}.`}`);
  const on = mayOrder() || (state.out && !state.over && !state.playing && names.includes("you"));
  byId("go").disabled = !on || !complete();
  for (const name of ["clear", "hint", "adviser"]) byId(name).disabled = !mayOrder();
  byId("save").disabled = state.playing || state.over;
}

// ---- pointing -------------------------------------------------------------------------------------------------------

// Things are named by texts: square:3:4, robot:2, option:2:shield.
function tell(what) {
  const [kind, ...names] = what.split(":");
  if (kind === "square") return telling.square(names.map(Number), shown);
  return telling[kind](Number(names[0]), ...(kind === "option" ? [names[1], shown] : [shown]));
}

// ---- buttons and keys -----------------------------------------------------------------------------------------------

async function press(work) {
  refuse("");
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Silence)) throw error;
    refuse(error.message);
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
  clearGhost();
  if (!(await play(state.played))) return;
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
  board = new Board(document.querySelector(".board"), game);
  board.fit(byId("stage"));
  telling = new Telling(game);
  about = new About(byId("about"), tell);
  about.watch(board.root, (event) => (shown && board.squareAt(event) ? `square:${board.squareAt(event).join(":")}` : ""));
  about.watch(byId("robots"), pointedAt);
  await listen();
})();
