"use strict";

// The page only draws: every frame comes with the robots that changed in it, and nothing here knows a rule.
const replay = JSON.parse(document.getElementById("replay").textContent);
const CELL = replay.cell;
const SVG = "http://www.w3.org/2000/svg";
const BEAT = 460; // milliseconds per frame at normal speed
const byId = (id) => document.getElementById(id);

byId("panels").classList.toggle("many", replay.names.length > 5);

// frames[0] is the starting position; states[i] are all robots after frame i.
const frames = [{ turn: (replay.frames[0]?.turn ?? 0), phase: 0, part: "T", title: "Start", look: 0, robots: {}, effects: [], log: ["The robots are ready."] }, ...replay.frames];
const states = [];
for (const frame of frames) {
  const before = states.at(-1) ?? replay.start;
  states.push(before.map((robot, seat) => ({ ...robot, ...frame.robots[seat] })));
}
const last = frames.length - 1;

let at = 0;
let playing = false;
let timer = 0;
let speed = 1;

function svgElement(name, attributes, parent) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent.append(element);
  return element;
}

function htmlElement(name, className, parent, text = "") {
  const element = document.createElement(name);
  element.className = className;
  element.textContent = text;
  parent.append(element);
  return element;
}

const centre = (x, y) => [(x + 0.5) * CELL, (y + 0.5) * CELL];

// ---- the board ---------------------------------------------------------------------------------------------------

const changing = [...document.querySelectorAll(".look")].map((part) => ({ part, looks: new Set(part.dataset.looks.split(" ").map(Number)) }));
const bodies = replay.names.map((_, seat) => {
  const body = byId(`robot-${seat}`);
  return { body, turret: body.querySelector(".turning"), pips: [...body.querySelectorAll(".pip")], level: body.querySelector(".level text"), copy: byId(`copy-${seat}`), angle: null };
});
const archives = replay.names.map((_, seat) => {
  // Archives lie around the middle of their square, each robot's in its own place, so that all can be seen.
  const angle = (Math.PI / 4) * (seat + 0.5);
  const place = { cx: 0.46 * CELL * Math.sin(angle), cy: -0.46 * CELL * Math.cos(angle) };
  const mark = svgElement("circle", { ...place, r: 0.07 * CELL, class: "archive", fill: replay.colours[seat] }, byId("archives"));
  return mark;
});

function drawRobot(seat, robot) {
  const { body, turret, pips, level, copy } = bodies[seat];
  const [x, y] = centre(robot.x, robot.y);
  const target = robot.facing * 90;
  // The short way round, so that a robot turning from west to north does not spin through three quarters.
  const angle = bodies[seat].angle ?? target;
  bodies[seat].angle = angle + (((target - angle) % 360) + 540) % 360 - 180;
  body.style.transform = `translate(${x}px, ${y}px) scale(${robot.alive ? 1 : 0.1})`;
  turret.style.transform = `rotate(${bodies[seat].angle}deg)`;
  body.classList.toggle("gone", !robot.alive);
  body.classList.toggle("virtual", robot.virtual);
  body.classList.toggle("down", robot.down);
  body.classList.toggle("high", robot.level !== 0);
  level.textContent = robot.level;
  for (const condition of ["flying", "burning", "asleep", "energized"]) body.classList.toggle(condition, Boolean(robot[condition]));
  copy.classList.toggle("gone", !robot.copy);
  if (robot.copy) {
    copy.style.transform = `translate(${centre(...robot.copy).join("px, ")}px)`;
    copy.querySelector(".turning").style.transform = `rotate(${90 * robot.copy_facing}deg)`;
  }
  pips.forEach((pip, i) => pip.classList.toggle("shown", i < robot.damage));
  archives[seat].style.transform = `translate(${centre(...robot.archive).join("px, ")}px)`;
  archives[seat].classList.toggle("gone", robot.out);
}

const drawEffect = {
  beam([x1, y1, x2, y2, seat]) {
    const [ax, ay] = centre(x1, y1);
    const [bx, by] = centre(x2, y2);
    const line = { x1: ax, y1: ay, x2: bx, y2: by };
    svgElement("line", { ...line, class: "glow", stroke: seat < 0 ? "#ff2d2d" : replay.colours[seat] }, byId("beams"));
    svgElement("line", { ...line, class: "core" }, byId("beams"));
  },
  hit([x, y, points]) {
    const [cx, cy] = centre(x, y);
    svgElement("circle", { cx, cy, r: 0.42 * CELL, class: "hit" }, byId("effects"));
    const text = svgElement("text", { x: cx + 0.34 * CELL, y: cy - 0.3 * CELL, class: "points" }, byId("effects"));
    text.textContent = points > 0 ? `-${points}` : `+${-points}`;
    text.classList.toggle("good", points < 0);
  },
  loss([x, y]) {
    const [cx, cy] = centre(x, y);
    for (let i = 0; i < 8; i++) {
      svgElement("line", { x1: cx, y1: cy - 0.16 * CELL, x2: cx, y2: cy - 0.46 * CELL, class: "loss", transform: `rotate(${45 * i} ${cx} ${cy})` }, byId("effects"));
    }
  },
  ring([x, y, seat]) {
    const [cx, cy] = centre(x, y);
    svgElement("circle", { cx, cy, r: 0.52 * CELL, class: "ring", stroke: replay.colours[seat] }, byId("effects"));
  },
  stop([x, y, direction]) {
    const [cx, cy] = centre(x, y);
    svgElement("path", { d: `M${-0.3 * CELL} ${-0.5 * CELL}H${0.3 * CELL}`, class: "stop", transform: `translate(${cx} ${cy}) rotate(${90 * direction})` }, byId("effects"));
  },
};

// ---- the panels --------------------------------------------------------------------------------------------------

const panels = replay.names.map((name, seat) => {
  const panel = htmlElement("article", "panel", byId("panels"));
  panel.style.setProperty("--robot", replay.colours[seat]);
  panel.style.setProperty("--ink", replay.inks[seat]);
  const head = htmlElement("div", "head", panel);
  htmlElement("span", "number", head, seat + 1);
  htmlElement("h2", "", head, name);
  const badges = htmlElement("span", "badges", head);
  const facts = htmlElement("div", "facts", panel);
  const damage = htmlElement("span", "damage", facts);
  const dots = Array.from({ length: 10 }, () => htmlElement("i", "", damage));
  const flags = htmlElement("span", "flags", facts);
  const lives = htmlElement("span", "lives", facts);
  const registers = htmlElement("ol", "registers", panel);
  const slots = Array.from({ length: 5 }, () => {
    const slot = htmlElement("li", "", registers);
    return { slot, glyph: htmlElement("b", "", slot), name: htmlElement("span", "", slot), priority: htmlElement("small", "", slot) };
  });
  return { panel, badges, damage, dots, flags, lives, slots };
});

function drawPanel(seat, robot, frame) {
  const { panel, badges, damage, dots, flags, lives, slots } = panels[seat];
  panel.classList.toggle("acting", frame.acting === seat);
  if (frame.acting === seat) reveal(panel);
  panel.classList.toggle("gone", !robot.alive);
  const marks = [
    [replay.winners.includes(seat) && at === last, "winner"],
    [robot.out, "out"],
    [!robot.alive && !robot.out, "destroyed"],
    [robot.alive && robot.virtual, "virtual"],
    [robot.alive && robot.down, "powered down"],
    [robot.announced, "powers down next"],
    [robot.level, `level ${robot.level}`],
    [robot.flying, "flying"],
    [robot.burning, `burning ${robot.burning}`],
    [robot.asleep, `asleep ${robot.asleep}`],
    [robot.energized, "energized"],
  ];
  badges.replaceChildren();
  for (const [on, text] of marks) if (on) htmlElement("span", `badge ${text.split(" ")[0]}`, badges, text);
  dots.forEach((dot, i) => dot.classList.toggle("on", i < robot.damage));
  damage.title = damage.ariaLabel = `${robot.damage} of 10 points of damage`;
  flags.textContent = `⚑ ${robot.flag}/${replay.num_flags}`;
  flags.title = `${robot.flag} of ${replay.num_flags} flags touched`;
  lives.textContent = robot.lives < 0 ? "♥ ∞" : `♥ ${robot.lives}`;
  lives.title = "lives, this robot included";
  slots.forEach(({ slot, glyph, name, priority }, r) => {
    const card = replay.cards[robot.registers[r]];
    slot.className = "";
    slot.classList.toggle("empty", !card);
    slot.classList.toggle("current", frame.phase === r + 1);
    slot.classList.toggle("played", frame.phase > r + 1 || frame.part === "F");
    slot.classList.toggle("locked", Boolean((robot.locked >> r) & 1));
    slot.title = card ? `${card.name}, priority ${card.priority}${(robot.locked >> r) & 1 ? ", locked" : ""}` : "no card";
    glyph.textContent = card ? card.glyph : "";
    name.textContent = card ? card.name : "";
    priority.textContent = card ? card.priority : "";
  });
}

// Scrolls only the list of panels, never the page.
function reveal(panel) {
  const list = byId("panels");
  const bottom = panel.offsetTop + panel.offsetHeight - list.clientHeight;
  if (list.scrollHeight > list.clientHeight) list.scrollTop = Math.max(bottom, Math.min(panel.offsetTop, list.scrollTop));
}

// ---- moving through the replay -----------------------------------------------------------------------------------

function show(position, animate) {
  at = Math.min(last, Math.max(0, position));
  const frame = frames[at];
  const board = byId("board");
  board.style.setProperty("--beat", animate ? `${(0.8 * BEAT) / speed}ms` : "0ms");
  byId("beams").replaceChildren();
  byId("effects").replaceChildren();
  states[at].forEach((robot, seat) => {
    drawRobot(seat, robot);
    drawPanel(seat, robot, frame);
  });
  for (const { part, looks } of changing) part.classList.toggle("shown", looks.has(frame.look));
  for (const [kind, ...values] of frame.effects) drawEffect[kind](values);
  byId("turn").textContent = frame.turn + 1;
  for (const part of document.querySelectorAll("[data-part]")) part.classList.toggle("current", part.dataset.part === frame.part);
  byId("scrub").value = at;
  const log = byId("log");
  log.replaceChildren();
  htmlElement("strong", "", log, frame.title);
  htmlElement("span", "", log, frame.log.join(" · "));
  if (!playing) remember();
}

function remember() {
  const first = frames.findIndex((frame) => frame.turn === frames[at].turn);
  try {
    history.replaceState(null, "", `#turn=${frames[at].turn + 1}&step=${at - first + 1}`);
  } catch {
    // A page without an address of its own, such as one inside a notebook, cannot remember.
  }
}

function recall() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (!wanted.has("turn")) return 0;
  const first = frames.findIndex((frame) => frame.turn === Number(wanted.get("turn")) - 1);
  return first < 0 ? last : first + Math.max(0, Number(wanted.get("step") ?? 1) - 1);
}

const phaseOf = (frame) => `${frame.turn} ${frame.part}`;
const jump = {
  "step+": () => at + 1,
  "step-": () => at - 1,
  "phase+": () => seek(phaseOf, +1),
  "phase-": () => seek(phaseOf, -1),
  "turn+": () => seek((frame) => frame.turn, +1),
  "turn-": () => seek((frame) => frame.turn, -1),
};

// The first frame of the next part; backwards that of this part, or of the part before when it stands there already.
function seek(key, direction) {
  let position = at;
  if (direction > 0) {
    while (position < last && key(frames[position]) === key(frames[at])) position++;
    return position;
  }
  position = Math.max(0, at - 1);
  while (position > 0 && key(frames[position - 1]) === key(frames[position])) position--;
  return position;
}

function setPlaying(on) {
  playing = on && last > 0;
  byId("play").classList.toggle("playing", playing);
  clearTimeout(timer);
  if (!playing) return remember();
  if (at === last) show(0, false);
  timer = setTimeout(tick, BEAT / speed / 2);
}

function tick() {
  show(at + 1, true);
  if (at === last) return setPlaying(false);
  timer = setTimeout(tick, ((frames[at].effects.length ? 1.35 : 1) * BEAT) / speed);
}

function go(where) {
  setPlaying(false);
  show(jump[where](), where === "step+" || where === "step-");
}

byId("scrub").max = last;
byId("scrub").addEventListener("input", (event) => {
  setPlaying(false);
  show(Number(event.target.value), false);
});
byId("play").addEventListener("click", () => setPlaying(!playing));
byId("speed").addEventListener("change", (event) => (speed = Number(event.target.value)));
for (const button of document.querySelectorAll("[data-go]")) button.addEventListener("click", () => go(button.dataset.go));

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
  const keys = {
    " ": () => setPlaying(!playing),
    ArrowRight: () => go(event.shiftKey ? "phase+" : "step+"),
    ArrowLeft: () => go(event.shiftKey ? "phase-" : "step-"),
    ArrowDown: () => go("turn+"),
    ArrowUp: () => go("turn-"),
    PageDown: () => go("turn+"),
    PageUp: () => go("turn-"),
    Home: () => (setPlaying(false), show(0, false)),
    End: () => (setPlaying(false), show(last, false)),
  };
  if (!(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
});
window.addEventListener("hashchange", () => {
  if (recall() !== at) show(recall(), false);
});

// Turns below the scrub bar, as many as there is room for.
let free = 0;
frames.forEach((frame, i) => {
  const place = (100 * i) / Math.max(1, last);
  if ((i > 0 && frames[i - 1].turn === frame.turn) || place < free) return;
  htmlElement("span", "", byId("ticks"), frame.turn + 1).style.left = `${place}%`;
  free = place + 2.5;
});
show(recall(), false);
