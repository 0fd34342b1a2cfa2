// Moving through the replay.

const BEATS = { step: 460, phase: 650, turn: 590 }; // milliseconds at normal speed
const board = new Board(document.querySelector(".board"), replay);
new Zoom(board, { frame: byId("stage"), scroller: byId("lens"), buttons: byId("zoom") });
const panels = makePanels(byId("robots"), replay);
let at = 0;
let playing = false;
let timer = 0;
let speed = 1;
let pace = "step";

const about = new About(byId("about"), (what) => {
  const [kind, ...names] = what.split(":");
  return tellers[kind](at, ...names);
}, (squares) => {
  board.mark(squares);
  drawGoals();
});

function show(position, { animate = false, from = position } = {}) {
  at = Math.min(last, Math.max(0, position));
  const frame = frames[at];
  reach(at);
  const effects = from < at - 1 ? effectsSince(from, at) : frame.effects;
  board.show({ robots: states[at], tokens: tokens[at], look: frame.look, effects }, animate ? (0.8 * BEATS[pace]) / speed : 0);
  const marksOf = (seat) => (wonAt(at, seat) ? ["winner"] : []);
  const now = { data: replay, robots: states[at], tokens: tokens[at], frame, isOpen, handOf, marksOf };
  panels.forEach((panel, seat) => drawPanel(panel, seat, now));
  drawTrails();
  drawGoals();
  drawBetter();
  const entry = isChosen("log") ? drawLog(at) : null;
  setText(byId("turn"), String(frame.turn + 1));
  if (frame.part !== show.part) {
    for (const part of document.querySelectorAll("[data-part]")) part.classList.toggle("current", part.dataset.part === frame.part);
    show.part = frame.part;
  }
  const lines = linesOf(frame).join(" · ");
  setText(caption.title, frame.title);
  setText(caption.words, lines);
  byId("scrub").value = at;
  const where = `Turn ${frame.turn + 1}, ${frame.phase ? `phase ${frame.phase}, ` : ""}${frame.title}`;
  byId("scrub").setAttribute("aria-valuetext", where);
  about.refresh();
  // What reads the layout comes last: it is worked out once.
  if (entry) reveal(entry, log);
  if (frame.acting !== null && isChosen("robots")) reveal(panels[frame.acting].panel, byId("robots"));
  if (!playing) {
    say(`${where}: ${lines}`);
    remember();
  }
}

const caption = { title: htmlElement("strong", "", byId("now")), words: htmlElement("span", "", byId("now")) };

function drawTrails() {
  if (byId("trails").checked) board.trails(trailsTo(at));
  else if (board.lines?.size) board.trails([]);
}

// Of all robots, or of the one whose card is kept.
function drawGoals() {
  const goals = states[at].flatMap((robot, seat) => {
    const shown = byId("goals").checked || (about.kept && about.what === `robot:${seat}`);
    const to = shown ? telling.nextFlag(seat, positionAt(at)) : null;
    return to && robot.alive ? [{ seat, from: [robot.x, robot.y], to }] : [];
  });
  if (goals.length || drawGoals.drawn) board.goals(goals);
  drawGoals.drawn = goals.length;
}

// Said to those who do not see the page, once they have stopped moving; never while it plays.
function say(words) {
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (playing ? 0 : setText(byId("said"), words)), 700);
}

function remember() {
  clearTimeout(remember.timer);
  remember.timer = setTimeout(() => {
    try {
      history.replaceState({ known }, "", momentOf(at)); // the state outlives loading again, but not a link
    } catch {
      // A page without an address of its own, such as one inside a notebook, cannot remember.
    }
  }, 150);
}

function recall() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (!wanted.has("turn")) return 0;
  const first = frames.findIndex((frame) => frame.turn === Number(wanted.get("turn")) - 1);
  return withoutResult(first < 0 ? last : Math.min(last, first + Math.max(0, Number(wanted.get("step") ?? 1) - 1)));
}

// ---- playing -----------------------------------------------------------------------------------------------------

function setPlaying(on) {
  playing = on && last > 0;
  const button = byId("play");
  button.classList.toggle("playing", playing);
  button.setAttribute("aria-label", playing ? "Pause" : "Play");
  clearTimeout(timer);
  if (!playing) return remember();
  if (at === last) show(0);
  timer = setTimeout(tick, BEATS[pace] / speed / 2);
}

function tick() {
  show(endOfNext(at, pace), { animate: true, from: at });
  if (better && frames[at + 1]?.turn !== frames[at].turn) return setPlaying(false); // the turn of the ghost is over
  if (at === last) {
    setPlaying(false);
    choose(byId("tab-standings"));
    return;
  }
  const longer = pace === "step" && frames[at].effects.length ? 1.35 : 1;
  timer = setTimeout(tick, (longer * BEATS[pace]) / speed);
}

function go(where) {
  setPlaying(false);
  const unit = where.slice(0, -1);
  show(seek(at, unit, where.endsWith("+") ? 1 : -1), { animate: unit === "step" });
}

function goTo(frame) {
  setPlaying(false);
  show(frame);
}

// ---- controls ----------------------------------------------------------------------------------------------------

byId("scrub").max = last;
byId("scrub").addEventListener("input", (event) => goTo(Number(event.target.value)));
byId("play").addEventListener("click", () => setPlaying(!playing));
for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go(button.dataset.go));
log.addEventListener("click", (event) => {
  const entry = event.target.closest("[data-frame]");
  if (entry) goTo(Number(entry.dataset.frame));
});

function setPace() {
  speed = Number(byId("speed").value);
  pace = byId("pace").value;
  setText(byId("pace-now"), `${speed}x${pace === "step" ? "" : ` ${pace}s`}`);
}
for (const name of ["speed", "pace"]) byId(name).addEventListener("change", setPace);
byId("trails").addEventListener("change", drawTrails);
byId("goals").addEventListener("change", drawGoals);
replay.names.forEach((name, seat) => htmlElement("option", "", byId("seen"), `${name}: its own cards`).setAttribute("value", seat));
byId("seen").addEventListener("change", (event) => {
  seenBy = Number(event.target.value);
  show(at);
});
document.addEventListener("pointerdown", (event) => {
  if (!event.target.closest("#settings")) byId("settings").open = false;
});

// ---- pointing ----------------------------------------------------------------------------------------------------

about.watch(board.root, (event) => {
  const square = board.squareAt(event);
  return square ? `square:${square.join(":")}` : "";
});
about.watch(byId("robots"), pointedAt);
about.watch(byId("marks"), (event) => (markAt(event).near >= 0 ? `mark:${markAt(event).near}` : ""));
byId("marks").addEventListener("click", (event) => {
  const { near, frame } = markAt(event);
  goTo(near >= 0 ? replay.marks[near][0] : frame);
});

// The keyboard points at squares too, while the board has the focus.
let cursor = null;
board.root.tabIndex = 0;
board.root.setAttribute("role", "application");
board.root.setAttribute("aria-label", "Board. Arrow keys point at squares and tell what is there; Escape leaves.");
board.root.addEventListener("keydown", (event) => {
  const step = { ArrowUp: [0, -1], ArrowRight: [1, 0], ArrowDown: [0, 1], ArrowLeft: [-1, 0] }[event.key];
  if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  const start = states[at].find((robot) => robot.alive);
  const from = cursor ?? (start ? squareOf(start) : [0, 0]);
  cursor = from.map((place, axis) => Math.min(replay.size[axis] - 1, Math.max(0, place + (cursor ? step[axis] : 0))));
  const box = board.layer.robots.getBoundingClientRect();
  const [left, top] = cursor.map((place, axis) => ((place + 0.5) / replay.size[axis]) * [box.width, box.height][axis]);
  about.show(`square:${cursor.join(":")}`, { left: box.left + left, top: box.top + top }, true);
  say(about.words);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const focus = event.target.closest("button, summary, select, a, input");
  if (focus?.tagName === "SELECT" || (focus && (event.key === " " || event.key === "Enter") && focus.type !== "range")) return;
  const keys = {
    " ": () => setPlaying(!playing),
    ArrowRight: () => go(event.shiftKey ? "phase+" : "step+"),
    ArrowLeft: () => go(event.shiftKey ? "phase-" : "step-"),
    ArrowDown: () => go("turn+"),
    ArrowUp: () => go("turn-"),
    PageDown: () => go("turn+"),
    PageUp: () => go("turn-"),
    Home: () => goTo(0),
    End: () => goTo(last),
    f: toggleFull,
    "?": toggleHelp,
  };
  if (/^[a-z?]$/.test(event.key) && !letters.checked) return;
  const scrolls = event.target.closest(".pane") && !/^( |ArrowLeft|ArrowRight|f|\?)$/.test(event.key);
  if (!(event.key in keys) || scrolls) return;
  event.preventDefault();
  keys[event.key]();
});
window.addEventListener("hashchange", () => {
  if (recall() !== at) goTo(recall());
});

document.documentElement.classList.toggle("still", last === 0); // one position: nothing to play
fitTabs();
if (byId("tab-analysis")) choose(byId("tab-analysis"));
wide.addEventListener("change", fitTabs);
new ResizeObserver(() => {
  drawTicks();
  drawMarks();
}).observe(byId("ticks"));
show(recall());
