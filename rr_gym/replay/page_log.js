// The log of a turn, what is marked on the time line, and the tabs beside the board.

const log = byId("log");
let logged = ""; // the turn and the seat that the log shows
let entries = new Map(); // by frame

// All frames of the turn, each a button that goes there.
function drawLog(at) {
  const key = `${frames[at].turn} ${seenBy}`;
  if (key !== logged) {
    logged = key;
    writeLog(at);
  }
  const entry = entries.get(at);
  if (entry === drawLog.current) return;
  drawLog.current?.removeAttribute("aria-current");
  entry?.setAttribute("aria-current", "step");
  drawLog.current = entry;
  if (entry && isShown(log)) reveal(entry, log);
}

function writeLog(at) {
  entries = new Map();
  log.replaceChildren();
  htmlElement("h2", "", log, `Turn ${frames[at].turn + 1}`);
  let part = null;
  let list = null;
  for (let i = turnStarts[at]; i <= last && frames[i].turn === frames[at].turn; i++) {
    const lines = linesOf(frames[i]);
    if (!lines.length) continue;
    if (frames[i].part !== part) {
      part = frames[i].part;
      htmlElement("h3", "", log, part === "T" ? "Program" : part === "F" ? "Clean-up" : `Phase ${part}`);
      list = htmlElement("ol", "", log);
    }
    const entry = htmlElement("button", "entry", htmlElement("li", "", list));
    entry.type = "button";
    entry.dataset.frame = i;
    htmlElement("strong", "", entry, frames[i].title);
    for (const line of lines) htmlElement("span", "", entry, line);
    entries.set(i, entry);
  }
}

// ---- the time line -----------------------------------------------------------------------------------------------

const placeOf = (frame) => (100 * frame) / Math.max(1, last);

// Flags stand on poles, destroyed robots are crosses, wins are stars: each in the colour of its robot.
const MARK_PATHS = { flag: "M0 16V1L7 4L0 7", loss: "M-3 9L3 15M-3 15L3 9", win: "M0 1L1.8 5.6L6.6 5.9L2.9 9L4.1 13.7L0 11.1L-4.1 13.7L-2.9 9L-6.6 5.9L-1.8 5.6Z" };

function drawMarks() {
  const order = { loss: 0, flag: 1, win: 2 };
  for (const [frame, kind, seat] of [...replay.marks].sort((a, b) => order[a[1]] - order[b[1]])) {
    const spot = svgElement("svg", { x: `${placeOf(frame)}%`, overflow: "visible" }, byId("marks"));
    svgElement("path", { d: MARK_PATHS[kind], class: `${kind} edge` }, spot);
    svgElement("path", { d: MARK_PATHS[kind], class: kind, stroke: replay.colours[seat], fill: kind === "loss" ? "none" : replay.colours[seat] }, spot);
  }
}

// The mark next to a pointer, and how far along the line the pointer is.
function markAt(event) {
  const { left, width } = byId("marks").getBoundingClientRect();
  const place = ((event.clientX - left) / width) * 100;
  const away = (mark) => (Math.abs(placeOf(mark[0]) - place) / 100) * width;
  const near = replay.marks.reduce((best, mark) => (best === null || away(mark) < away(best) ? mark : best), null);
  return { near: near && away(near) < 9 ? replay.marks.indexOf(near) : -1, frame: Math.round((Math.min(100, Math.max(0, place)) / 100) * last) };
}

// Turns below the scrub bar, as many as there is room for.
function drawTicks() {
  let free = 0;
  frames.forEach((frame, i) => {
    if ((i > 0 && frames[i - 1].turn === frame.turn) || placeOf(i) < free) return;
    const tick = htmlElement("span", "", byId("ticks"), String(frame.turn + 1));
    tick.style.left = `${placeOf(i)}%`;
    free = placeOf(i) + 4.5;
  });
}

// ---- tabs --------------------------------------------------------------------------------------------------------

const tabs = [...document.querySelectorAll("[role=tab]")];
const isShown = (pane) => pane.offsetParent !== null;

function choose(tab, focus = false) {
  for (const other of tabs) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", String(chosen));
    other.tabIndex = chosen ? 0 : -1;
    byId(other.getAttribute("aria-controls")).classList.toggle("chosen", chosen);
  }
  if (focus) tab.focus();
  if (drawLog.current && isShown(log)) reveal(drawLog.current, log);
}

for (const tab of tabs) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    choose(tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length], true);
  });
}
