// The panels, and moving through the replay.

const board = new Board(document.querySelector(".board"), replay);
let at = 0;
let playing = false;
let timer = 0;
let speed = 1;

byId("panels").classList.toggle("many", replay.names.length > 5);

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
    return {
      slot, glyph: htmlElement("b", "", slot), name: htmlElement("span", "", slot), priority: htmlElement("small", "", slot),
      extra: htmlElement("em", "", slot),
    };
  });
  const options = htmlElement("ul", "options", panel);
  options.setAttribute("aria-label", "Options");
  return { panel, badges, damage, dots, flags, lives, slots, options };
});

function drawOptions(list, seat, robot, frame) {
  const used = new Set(frame.used.filter(([user]) => user === seat).map(([, option]) => option));
  list.replaceChildren();
  for (const [option, left] of Object.entries(robot.options)) {
    const { name, holds } = replay.options[option];
    const chip = htmlElement("li", used.has(option) ? "used" : "", list, name);
    const side = robot[option] > 0 && replay.sides[robot[option]];
    if (side) htmlElement("i", "", chip, side);
    if (holds || left) htmlElement("b", left ? "" : "empty", chip, left);
  }
}

// What lies on a register besides its card, in words.
function extras(robot, r) {
  const second = replay.cards[robot.second[r]];
  return [
    second ? `+ ${second.name} ${second.priority}` : "",
    robot.gadgets[r] ? replay.gadgets[robot.gadgets[r]] : "",
    replay.movement_options[robot.movement_options[r]],
    robot.copied[r] ? "radio control" : "",
  ].filter(Boolean);
}

function drawPanel(seat, robot, frame, lying) {
  const { panel, badges, damage, dots, flags, lives, slots, options } = panels[seat];
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
    [robot.goo, `stuck ${robot.goo}`],
    [robot.bombed, "scrambled"],
    [robot.carries, `flag ${robot.carries}`],
    [lying.homing === seat, "homing token"],
    [lying.interceptor === seat, "interceptor token"],
    [lying.damping === seat, "damping field"],
    [lying.superbot === seat, "SuperBot"],
    [robot.team, `team ${robot.team}`],
  ];
  badges.replaceChildren();
  for (const [on, text] of marks) {
    if (!on) continue;
    const badge = htmlElement("span", `badge ${text.split(" ")[0]}`, badges, text);
    if (text.startsWith("team ")) badge.style.background = replay.team_colours[robot.team];
  }
  dots.forEach((dot, i) => dot.classList.toggle("on", i < robot.damage));
  damage.title = damage.ariaLabel = `${robot.damage} of 10 points of damage`;
  flags.textContent = `⚑ ${robot.flag}/${replay.num_flags}`;
  flags.title = `${robot.flag} of ${replay.num_flags} flags touched`;
  lives.textContent = robot.lives < 0 ? "♥ ∞" : `♥ ${robot.lives}`;
  lives.title = "lives, this robot included";
  drawOptions(options, seat, robot, frame);
  slots.forEach(({ slot, glyph, name, priority, extra }, r) => {
    const card = replay.cards[robot.copied[r] ? Math.max(0, robot.copied[r]) : robot.registers[r]];
    const more = extras(robot, r);
    slot.className = "";
    slot.classList.toggle("empty", !card);
    slot.classList.toggle("current", frame.phase === r + 1);
    slot.classList.toggle("played", frame.phase > r + 1 || frame.part === "F");
    slot.classList.toggle("locked", Boolean((robot.locked >> r) & 1));
    slot.title = card ? `${card.name}, priority ${card.priority}${(robot.locked >> r) & 1 ? ", locked" : ""}` : "no card";
    glyph.textContent = card ? card.glyph : "";
    name.textContent = card ? card.name : "";
    priority.textContent = card ? card.priority : "";
    extra.textContent = more.join(", ");
    extra.title = extra.textContent;
    slot.classList.toggle("copied", robot.copied[r] !== 0);
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
  states[at].forEach((robot, seat) => drawPanel(seat, robot, frame, tokens[at]));
  board.show({ robots: states[at], tokens: tokens[at], look: frame.look, effects: frame.effects }, animate ? (0.8 * BEAT) / speed : 0);
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
