// The page of one seat. It shows what the server sends and sends back what is ordered; no rule is known here.

let game = null; // what never changes
let board = null;
let state = null; // the last message with a position
let shown = null; // the position that is drawn, with what can be said of it
let gone = false; // the server does not answer, or has stopped
let telling = null;
let about = null;

// ---- news -----------------------------------------------------------------------------------------------------------

async function listen() {
  let version = -1;
  for (;;) {
    try {
      const news = await ask(`state?after=${version}`);
      // Another game, or the server is back, and what is drawn may be of another game.
      if (news.left || (news.game !== game.game && !news.closed) || (gone && !news.closed)) {
        if (!moving) return location.reload();
        await pause(500);
        continue;
      }
      version = news.version;
      if ("seconds" in news) setClock(news.seconds);
      if (!news.same) await receive(news);
      if (!news.closed) continue;
      setGone();
    } catch (error) {
      if (error instanceof Refusal) return setGone(error.message);
      if (!(error instanceof Silence)) throw error;
      setGone();
    }
    version = -1;
    await pause(2000);
  }
}

// Nothing can be ordered any more; the page asks again and again, and goes on once the server is back.
function setGone(why = "") {
  if (gone) return;
  gone = true;
  skip();
  document.body.classList.add("gone");
  byId("gone").hidden = false;
  if (why) byId("gone").textContent = why;
  else byId("gone-saved").textContent = state?.saved ?? "";
  say("The server is gone.");
  if (state) showAll();
}

async function receive(news) {
  if (!("turn" in news)) {
    state = { ...state, ...news };
    return showStatus();
  }
  const before = state;
  state = news;
  if (!before || before.turn !== news.turn) {
    recallOrders();
    clearGhost();
    if (before && news.played?.turn === news.turn - 1) await play(news.played);
    await showPosition();
    if (program.some(Boolean) && mayOrder()) preview();
  } else if (shown && !film) {
    showRobots(shown);
  }
  showAll();
}

// ---- what is shown between turns ------------------------------------------------------------------------------------

const say = (text) => setText(byId("status"), text);
const mayOrder = () => !gone && game.seat >= 0 && !state.over && !state.playing && !state.ready && !state.out;

function headingWords() {
  if (game.seat < 0) return "you are watching";
  if (state.out) return "your robot is out of the game";
  return state.down ? "your robot is powered down" : "your program";
}

function showAll() {
  if (film) return;
  byId("orders").hidden = state.over || game.seat < 0;
  byId("end").hidden = !state.over;
  byId("heading").textContent = `Turn ${state.turn + 1}: ${headingWords()}`;
  showStatus();
  showHand();
  showControls();
  showStory();
  if (state.over) showEnd();
}

function statusWords(names) {
  if (state.over) return "The game is over.";
  if (state.playing) return "The turn is being played.";
  if (state.trouble) return state.trouble;
  if (game.seat < 0) return `Turn ${state.turn + 1}: waiting for ${names.join(", ")}.`;
  if (state.ready) return names.length ? `Waiting for ${names.join(", ")}.` : "The turn is being played.";
  return `Turn ${state.turn + 1}: ${names.includes("you") ? "your orders, please." : `waiting for ${names.join(", ")}.`}`;
}

function showStatus() {
  if (film || !state) return;
  const names = (state.awaited ?? []).map((seat) => (seat === game.seat ? "you" : game.names[seat]));
  if (!gone) say(statusWords(names));
  const wanted = !gone && names.includes("you");
  const on = mayOrder() || (state.out && !state.over && !state.playing && wanted);
  call(wanted && !state.over);
  byId("go").disabled = !on || !complete();
  byId("go").hidden = Boolean(state.ready) && !state.over;
  byId("back").hidden = !byId("go").hidden;
  byId("back").disabled = gone || state.playing;
  for (const name of ["clear", "hint", "adviser"]) byId(name).disabled = !mayOrder();
  byId("save").disabled = gone || state.playing || state.over;
}

// ---- pointing -------------------------------------------------------------------------------------------------------

// Things are named by texts: square:3:4, robot:2, card:2:0, option:2:shield.
const tellers = {
  square: (x, y) => telling.square([Number(x), Number(y)], shown),
  robot: (seat) => telling.robot(Number(seat), shown),
  option: (seat, option) => telling.option(Number(seat), option, shown),
  card(seatText, registerText) {
    const [seat, r] = [Number(seatText), Number(registerText)];
    const robot = seat === game.seat && !film ? withProgram(shown.robots[seat]) : shown.robots[seat];
    const title = `Register ${r + 1} of ${game.names[seat]}`;
    if (!isOpen(seat, robot, r, shown.frame)) return { title, lines: ["Face down until its phase."] };
    const lines = [telling.card(telling.cardIn(robot, r))];
    if ((robot.locked >> r) & 1) lines.push("Locked by damage: the card stays here until it is repaired.");
    const more = extras(game, robot, r);
    if (more.length) lines.push(`Also here: ${more.join(", ")}.`);
    return { title, lines };
  },
};

function tell(what) {
  const [kind, ...names] = what.split(":");
  return tellers[kind](...names);
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
  if (byId("go").disabled || byId("go").hidden) return;
  clearTimeout(previewTimer);
  asked++;
  give();
});

function give() {
  press(async () => {
    const turn = state.turn;
    await ask("orders", { turn, orders: orders() });
    if (state.turn !== turn) return;
    setReady(true);
    if (!byId("back").disabled) byId("back").focus();
  });
}

byId("back").addEventListener("click", () =>
  press(async () => {
    const turn = state.turn;
    await ask("take_back", { turn });
    if (state.turn !== turn) return;
    setReady(false);
    preview();
  }),
);

// Before the server's news of it arrive.
function setReady(ready) {
  const others = (seats) => (seats ?? []).filter((seat) => seat !== game.seat);
  state.ready = ready;
  state.awaited = ready ? others(state.awaited) : [...others(state.awaited), game.seat].sort();
  state.given = ready ? [...others(state.given), game.seat] : others(state.given);
  showRobots(shown);
  showAll();
}

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
      if (turn === state.turn && mayOrder()) takeAdvice(advised);
    } finally {
      showStatus();
    }
  }),
);

function takeAdvice({ program: cards = [], ...others }) {
  const held = [...state.hand, ...Object.values(state.mates).flat()];
  const advised = (r) => held.find(({ card, number }) => card === cards[r] || number === cards[r])?.card ?? null;
  program = program.map((_, r) => (state.locked[r] === null ? advised(r) : null));
  const known = new Set(state.controls.map(({ name }) => name));
  chosen = Object.fromEntries(Object.entries(others).filter(([name]) => known.has(name)));
  showControls();
  ordersChanged();
}

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
  if (event.ctrlKey || event.metaKey || event.altKey || !state) return;
  if (["SELECT", "INPUT"].includes(event.target.tagName)) return;
  if (film) return event.key === "Escape" && skip();
  if (event.key.length === 1 && !byId("letters").checked) return;
  if (event.key === "g") return [byId("go"), byId("back")].find((button) => !button.hidden)?.click();
  if (!mayOrder()) return;
  if (/^[1-9]$/.test(event.key)) {
    document.querySelectorAll("#hand button, #mates button")[Number(event.key) - 1]?.click();
  } else if (event.key === "Backspace") {
    event.preventDefault();
    const full = program.findLastIndex((card) => card !== null);
    if (full >= 0) put(full, null);
  } else if (event.key === "h") {
    byId("hint").click();
  }
});

keepLetters(byId("letters"));

(async () => {
  game = await ask("course");
  byId("seat").textContent = game.seat < 0 ? "you are watching" : `robot ${game.seat + 1}, ${game.names[game.seat]}`;
  board = new Board(document.querySelector(".board"), game);
  new Zoom(board, { frame: byId("frame"), scroller: byId("stage"), buttons: byId("zoom") });
  telling = new Telling(game);
  panels = makePanels(byId("robots"), game);
  fitPanels();
  about = new About(byId("about"), tell);
  const squareOfPointer = (event) => board.squareAt(event)?.join(":");
  about.watch(board.root, (event) => (shown && squareOfPointer(event) ? `square:${squareOfPointer(event)}` : ""));
  about.watch(byId("robots"), pointedAt);
  await listen();
})();
