// The log of a turn, what is marked on the time line, and the tabs beside the board.

const log = byId("log");
let logged = ""; // the turn and the seat that the log shows
let entries = new Map(); // by frame

// All frames of the turn, each a button that goes there. Returns that of the frame where it is another one.
function drawLog(at) {
  const key = `${frames[at].turn} ${seenBy}`;
  if (key !== logged) {
    logged = key;
    writeLog(at);
  }
  const entry = entries.get(at);
  if (entry === drawLog.current) return null;
  drawLog.current?.removeAttribute("aria-current");
  entry?.setAttribute("aria-current", "step");
  drawLog.current = entry;
  return entry;
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
    htmlElement("strong", "", entry, frames[i].title).title = replay.steps[frames[i].title] ?? "";
    for (const line of lines) htmlElement("span", "", entry, line);
    entries.set(i, entry);
  }
}

// ---- the time line -----------------------------------------------------------------------------------------------

const placeOf = (frame) => (100 * frame) / Math.max(1, last);

// Flags stand on poles, destroyed robots are crosses, wins are stars: each in the colour of its robot.
const MARK_PATHS = {
  flag: "M0 16V1L7 4L0 7",
  loss: "M-3 9L3 15M-3 15L3 9",
  win: "M0 1L1.8 5.6L6.6 5.9L2.9 9L4.1 13.7L0 11.1L-4.1 13.7L-2.9 9L-6.6 5.9L-1.8 5.6Z",
};

const MANY = 60; // destroyed robots; more of them are thin lines, one path for each colour

function drawMarks() {
  const losses = replay.marks.filter(([, kind]) => kind === "loss");
  const single = replay.marks.filter(([, kind]) => kind !== "loss");
  if (losses.length > MANY) drawLossLines(losses);
  else losses.forEach(drawMark);
  single.sort(([, one], [, two]) => one.localeCompare(two)).forEach(drawMark); // wins lie above flags
}

function drawMark([frame, kind, seat]) {
  const spot = svgElement("svg", { x: `${placeOf(frame)}%`, overflow: "visible" }, byId("marks"));
  svgElement("path", { d: MARK_PATHS[kind], class: `${kind} edge` }, spot);
  const stroke = replay.colours[seat];
  svgElement("path", { d: MARK_PATHS[kind], class: kind, stroke, fill: kind === "loss" ? "none" : stroke }, spot);
}

function drawLossLines(losses) {
  const lines = svgElement("svg", { viewBox: `0 0 ${last} 17`, preserveAspectRatio: "none", width: "100%", height: "100%" }, byId("marks"));
  replay.colours.forEach((colour, seat) => {
    const d = losses.filter(([, , who]) => who === seat).map(([frame]) => `M${frame} ${9 + (seat % 4)}v5`).join("");
    if (d) svgElement("path", { d, class: "loss thin", stroke: colour }, lines);
  });
}

// The mark next to a pointer, and how far along the line the pointer is.
function markAt(event) {
  const { left, width } = byId("marks").getBoundingClientRect();
  const place = ((event.clientX - left) / width) * 100;
  const away = (mark) => (Math.abs(placeOf(mark[0]) - place) / 100) * width;
  const near = replay.marks.reduce((best, mark) => (best === null || away(mark) < away(best) ? mark : best), null);
  const frame = Math.round((Math.min(100, Math.max(0, place)) / 100) * last);
  return { near: near && away(near) < 9 ? replay.marks.indexOf(near) : -1, frame };
}

// Turns below the scrub bar, as many as there is room for.
function drawTicks() {
  const list = byId("ticks");
  const room = (100 * 30) / Math.max(1, list.clientWidth);
  let free = 0;
  list.replaceChildren();
  frames.forEach((frame, i) => {
    if (turnStarts[i] !== i || placeOf(i) < free) return;
    htmlElement("span", "", list, String(frame.turn + 1)).style.left = `${placeOf(i)}%`;
    free = placeOf(i) + room;
  });
}

// ---- tabs --------------------------------------------------------------------------------------------------------

const tabs = [...document.querySelectorAll("[role=tab]")];
const wide = matchMedia("(min-width: 1500px)"); // there the robots have a place of their own, beside the others
const isChosen = (pane) => byId(pane).classList.contains("chosen") || (wide.matches && pane === "robots");

function choose(tab, focus = false) {
  for (const other of tabs) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", String(chosen));
    other.tabIndex = chosen ? 0 : -1;
    byId(other.getAttribute("aria-controls")).classList.toggle("chosen", chosen);
  }
  if (focus) tab.focus();
  if (!isChosen("log")) return;
  const entry = drawLog(at);
  if (entry) reveal(entry, log);
}

// Robots that are always to be seen have no tab.
function fitTabs() {
  if (wide.matches && byId("robots").classList.contains("chosen")) choose(byId("tab-log"));
}

// In narrow windows what is chosen is below the board.
function scrollToTabs() {
  const main = document.querySelector("main");
  if (main.scrollHeight <= main.clientHeight) return;
  about.hide(); // it would cover what was chosen
  main.scrollTop = document.querySelector(".side").offsetTop - main.offsetTop;
}

for (const tab of tabs) {
  tab.addEventListener("click", () => {
    choose(tab);
    scrollToTabs();
  });
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const shown = tabs.filter((other) => other.offsetParent);
    choose(shown[(shown.indexOf(tab) + step + shown.length) % shown.length], true);
  });
}
