// The panels of the robots. Everything in them is written only where it has changed.
//
//   const panels = makePanels(element, data);   // one for each robot, by seat; data as for a Telling
//   drawPanel(panels[seat], seat, now);
//
// `now` is a position: data, robots, tokens and frame, with functions for what a page alone knows: isOpen(seat, robot,
// register, frame), handOf(seat, robot, frame), a list of the numbers of cards or nothing, and marksOf(seat), words for
// badges that come before the robot's states.

function makePanels(box, data) {
  box.classList.toggle("many", data.names.length > 4);
  return data.names.map((name, seat) => makePanel(box, data, name, seat));
}

function makePanel(box, data, name, seat) {
  const panel = htmlElement("article", "panel", box);
  panel.style.setProperty("--robot", data.colours[seat]);
  panel.style.setProperty("--ink", data.inks[seat]);
  const head = htmlElement("h2", "", panel);
  const who = htmlElement("button", "who", head);
  who.type = "button";
  who.dataset.about = `robot:${seat}`;
  htmlElement("span", "number", who, seat + 1);
  htmlElement("span", "name", who, name);
  const facts = htmlElement("div", "facts", panel);
  const damage = htmlElement("span", "damage", facts);
  const dots = Array.from({ length: 10 }, () => htmlElement("i", "", damage));
  const points = htmlElement("b", "points-left", damage);
  const flags = htmlElement("span", "flags", facts);
  const lives = htmlElement("span", "lives", facts);
  const badges = htmlElement("p", "badges", panel);
  const registers = htmlElement("ol", "registers", panel);
  registers.setAttribute("aria-label", `Registers of ${name}`);
  const slots = Array.from({ length: 5 }, (_, r) => {
    const slot = htmlElement("li", "", registers);
    slot.dataset.about = `card:${seat}:${r}`;
    return {
      slot, glyph: htmlElement("b", "", slot), name: htmlElement("span", "", slot), priority: htmlElement("small", "", slot),
      extra: htmlElement("em", "", slot),
    };
  });
  const hand = htmlElement("p", "hand", panel);
  const options = htmlElement("ul", "options", panel);
  options.setAttribute("aria-label", `Options of ${name}`);
  return { panel, badges, damage, dots, points, flags, lives, slots, hand, options };
}

// Rewrites a list only where its text differs.
function setItems(list, key, make) {
  if (list.shownKey === key) return;
  list.shownKey = key;
  list.replaceChildren();
  make(list);
}

function drawOptions(list, seat, { data, robots, frame }) {
  const robot = robots[seat];
  const used = new Set(frame.used.filter(([user]) => user === seat).map(([, option]) => option));
  const sides = `${robot.shield}${robot.reflector}${robot.turret}`;
  setItems(list, `${JSON.stringify(robot.options)}${sides}${[...used]}`, () => {
    for (const [option, left] of Object.entries(robot.options)) {
      const { name, holds } = data.options[option];
      const chip = htmlElement("li", used.has(option) ? "used" : "", list, name);
      chip.dataset.about = `option:${seat}:${option}`;
      const side = robot[option] > 0 && data.sides[robot[option]];
      if (side) htmlElement("i", "", chip, side);
      if (holds || left) htmlElement("b", left ? "" : "empty", chip, String(left));
    }
  });
}

// What lies on a register besides its card, in words.
function extras(data, robot, r) {
  const second = data.cards[robot.second[r]];
  return [
    second ? `+ ${second.name} ${second.priority}` : "",
    robot.gadgets[r] ? data.gadgets[robot.gadgets[r]] : "",
    data.movement_options[robot.movement_options[r]],
    robot.copied[r] ? "radio control" : "",
  ].filter(Boolean);
}

function drawPanel({ panel, badges, damage, dots, points, flags, lives, slots, hand, options }, seat, now) {
  const { data, frame } = now;
  const robot = now.robots[seat];
  setClass(panel, `panel${frame.acting === seat ? " acting" : ""}${robot.alive ? "" : " gone"}`);
  const told = [...now.marksOf(seat), ...statesInWords(seat, robot, now.tokens)];
  setItems(badges, told.join("|"), () => {
    for (const text of told) {
      const badge = htmlElement("span", `badge ${text.split(" ")[0]}`, badges, text);
      if (text.startsWith("team ")) badge.style.setProperty("--team", data.team_colours[robot.team]);
    }
  });
  dots.forEach((dot, i) => setClass(dot, i < robot.damage ? "on" : ""));
  setText(points, String(robot.damage));
  setText(flags, `⚑ ${robot.flag}/${data.num_flags}`);
  setText(lives, robot.lives < 0 ? "♥ ∞" : `♥ ${robot.lives}`);
  if (damage.shownTitle !== robot.damage) {
    damage.shownTitle = robot.damage;
    damage.title = `${robot.damage} of 10 points of damage`;
    flags.title = "flags touched";
    lives.title = "lives, this robot included";
  }
  drawOptions(options, seat, now);
  slots.forEach((parts, r) => drawRegister(parts, seat, r, now));
  const cards = now.handOf(seat, robot, frame);
  const shown = cards && frame.part === "T" ? cards.join(" ") : "";
  setItems(hand, shown, () => {
    if (!shown) return;
    htmlElement("span", "hand-word", hand, "hand");
    for (const card of cards) {
      const { glyph, priority, name } = data.cards[card];
      const item = htmlElement("span", "held", hand);
      item.dataset.about = `held:${card}`;
      htmlElement("b", "", item, glyph);
      htmlElement("span", "unseen", item, name);
      htmlElement("small", "", item, String(priority));
    }
  });
}

function drawRegister({ slot, glyph, name, priority, extra }, seat, r, { data, robots, frame, isOpen }) {
  const robot = robots[seat];
  const open = isOpen(seat, robot, r, frame);
  const card = open ? cardIn(data, robot, r) : null;
  const locked = (robot.locked >> r) & 1;
  const played = frame.phase > r + 1 || frame.part === "F";
  const names = [
    open ? (card ? "" : "empty") : "closed", frame.phase === r + 1 ? "current" : played ? "played" : "", locked ? "locked" : "",
    open && robot.copied[r] ? "copied" : "",
  ];
  setClass(slot, names.filter(Boolean).join(" "));
  setText(glyph, card ? card.glyph : open ? "" : "?");
  setText(name, card ? card.name : "");
  setText(priority, card ? String(card.priority) : "");
  setText(extra, open ? extras(data, robot, r).join(", ") : "");
}

// Scrolls only the list of panels, never the page.
function reveal(item, list) {
  if (list.scrollHeight <= list.clientHeight) return;
  const top = item.offsetTop - list.offsetTop;
  list.scrollTop = Math.max(top + item.offsetHeight - list.clientHeight, Math.min(top, list.scrollTop));
}
