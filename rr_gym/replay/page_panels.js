// The panels of the robots. Everything in them is written only where it has changed.

byId("robots").classList.toggle("many", replay.names.length > 4);

const panels = replay.names.map((name, seat) => {
  const panel = htmlElement("article", "panel", byId("robots"));
  panel.style.setProperty("--robot", replay.colours[seat]);
  panel.style.setProperty("--ink", replay.inks[seat]);
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
});

// Rewrites a list only where its text differs.
function setItems(list, key, make) {
  if (list.shownKey === key) return;
  list.shownKey = key;
  list.replaceChildren();
  make(list);
}

function drawOptions(list, seat, robot, frame) {
  const used = new Set(frame.used.filter(([user]) => user === seat).map(([, option]) => option));
  const sides = `${robot.shield}${robot.reflector}${robot.turret}`;
  setItems(list, `${JSON.stringify(robot.options)}${sides}${[...used]}`, () => {
    for (const [option, left] of Object.entries(robot.options)) {
      const { name, holds } = replay.options[option];
      const chip = htmlElement("li", used.has(option) ? "used" : "", list, name);
      chip.dataset.about = `option:${seat}:${option}`;
      const side = robot[option] > 0 && replay.sides[robot[option]];
      if (side) htmlElement("i", "", chip, side);
      if (holds || left) htmlElement("b", left ? "" : "empty", chip, String(left));
    }
  });
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

const wonAt = (at, seat) => at === last && replay.winners.includes(seat);

function drawPanel(seat, at) {
  const { panel, badges, damage, dots, points, flags, lives, slots, hand, options } = panels[seat];
  const [robot, frame, lying] = [states[at][seat], frames[at], tokens[at]];
  setClass(panel, `panel${frame.acting === seat ? " acting" : ""}${robot.alive ? "" : " gone"}`);
  const told = [...(wonAt(at, seat) ? ["winner"] : []), ...statesInWords(seat, robot, lying)];
  setItems(badges, told.join("|"), () => {
    for (const text of told) {
      const badge = htmlElement("span", `badge ${text.split(" ")[0]}`, badges, text);
      if (text.startsWith("team ")) badge.style.setProperty("--team", replay.team_colours[robot.team]);
    }
  });
  dots.forEach((dot, i) => setClass(dot, i < robot.damage ? "on" : ""));
  setText(points, String(robot.damage));
  setText(flags, `⚑ ${robot.flag}/${replay.num_flags}`);
  setText(lives, robot.lives < 0 ? "♥ ∞" : `♥ ${robot.lives}`);
  if (damage.shownTitle !== robot.damage) {
    damage.shownTitle = robot.damage;
    damage.title = `${robot.damage} of 10 points of damage`;
    flags.title = "flags touched";
    lives.title = "lives, this robot included";
  }
  drawOptions(options, seat, robot, frame);
  slots.forEach((parts, r) => drawRegister(parts, seat, robot, frame, r));
  const cards = handOf(seat, robot, frame);
  const shown = cards && frame.part === "T" ? cards.join(" ") : "";
  setItems(hand, shown, () => {
    if (!shown) return;
    htmlElement("span", "hand-word", hand, "hand");
    for (const card of cards) {
      const { glyph, priority, name } = replay.cards[card];
      const item = htmlElement("span", "held", hand);
      item.dataset.about = `held:${card}`;
      htmlElement("b", "", item, glyph);
      htmlElement("span", "unseen", item, name);
      htmlElement("small", "", item, String(priority));
    }
  });
}

function drawRegister({ slot, glyph, name, priority, extra }, seat, robot, frame, r) {
  const open = isOpen(seat, robot, r, frame);
  const card = open ? telling.cardIn(robot, r) : null;
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
  setText(extra, open ? extras(robot, r).join(", ") : "");
}

// Scrolls only the list of panels, never the page.
function reveal(item, list) {
  if (list.scrollHeight <= list.clientHeight) return;
  const top = item.offsetTop - list.offsetTop;
  list.scrollTop = Math.max(top + item.offsetHeight - list.clientHeight, Math.min(top, list.scrollTop));
}
