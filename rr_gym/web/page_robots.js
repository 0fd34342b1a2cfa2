// Robots, the story of the last turn, and the standings at the end.

const rows = []; // by seat: the item of the list, and what was written there

// Rewrites only robots that have changed: whoever points at one keeps pointing at it.
function showRobots(robots, tokens) {
  robots.forEach((robot, seat) => {
    const row = (rows[seat] ??= { item: htmlElement("li", "", byId("robots")), robot: null, tokens: null });
    if (row.robot === robot && row.tokens === tokens) return;
    const { alive, flag, damage, lives, options, locked, registers } = robot;
    const states = statesInWords(seat, robot, tokens).join(", ");
    const key = JSON.stringify([states, alive, flag, damage, lives, options, locked, registers]);
    if (key !== row.key) showRobot(row.item, robot, seat, states);
    Object.assign(row, { robot, tokens, key });
  });
}

function showRobot(item, robot, seat, states) {
  const focused = item.contains(document.activeElement);
  item.replaceChildren();
  item.style.setProperty("--robot", game.colours[seat]);
  const who = htmlElement("button", "who", item, `${seat + 1} ${game.names[seat]}${seat === game.seat ? " (you)" : ""}`);
  who.type = "button";
  who.dataset.about = `robot:${seat}`;
  if (focused) who.focus();
  htmlElement("span", "", item, states);
  const lives = robot.lives < 0 ? "" : `, ${robot.lives} ${robot.lives === 1 ? "life" : "lives"}`;
  const locked = lockedRegisters(robot).map((r) => `${r + 1} ${telling.cardIn(robot, r)?.name ?? "no card"}`);
  const facts = [`flags ${robot.flag}/${game.num_flags}, damage ${robot.damage}${lives}`];
  if (locked.length) facts.push(`locked: ${locked.join(", ")}`);
  htmlElement("span", "facts", item, facts.join("; "));
  for (const [option, left] of Object.entries(robot.options)) {
    const { name, holds } = game.options[option];
    const chip = htmlElement("span", "option", item, holds || left ? `${name} ${left}` : name);
    chip.dataset.about = `option:${seat}:${option}`;
  }
}

function showStory() {
  byId("story").hidden = !state.story.length;
  const lines = byId("lines");
  lines.replaceChildren();
  for (const [heading, told] of state.story) {
    htmlElement("h3", "", lines, heading);
    for (const line of told) htmlElement("p", "", lines, line);
  }
}

function showEnd() {
  const body = byId("standings").querySelector("tbody");
  body.replaceChildren();
  for (const line of state.standings) {
    const row = htmlElement("tr", "", body);
    for (const name of ["place", "player", "flags", "damage", "state"]) htmlElement("td", "", row, line[name]);
  }
}
