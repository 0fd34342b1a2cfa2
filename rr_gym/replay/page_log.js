// The log of a turn, and the tabs beside the board.

const log = byId("log");
let logged = ""; // the turn, the seat, and whether the result is known, of what the log shows
let entries = new Map(); // by frame

// All frames of the turn, each a button that goes there. Returns that of the frame where it is another one.
function drawLog(at) {
  const key = `${frames[at].turn} ${seenBy} ${known}`;
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
    if (!known && i >= resultAt) break;
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
