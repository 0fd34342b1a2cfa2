// The board: robots, what lies on it, and what flashes.

const centre = (x, y) => [(x + 0.5) * CELL, (y + 0.5) * CELL];

const changing = [...document.querySelectorAll(".look")].map((part) => ({ part, looks: new Set(part.dataset.looks.split(" ").map(Number)) }));
const bodies = replay.names.map((_, seat) => {
  const body = byId(`robot-${seat}`);
  const sided = Object.fromEntries(["shield", "reflector", "turret"].map((option) => [option, body.querySelector(`.sided.${option}`)]));
  return { body, turret: body.querySelector(".turning"), sided, pips: [...body.querySelectorAll(".pip")], level: body.querySelector(".level text"), copy: byId(`copy-${seat}`), angle: null };
});
const archives = replay.names.map((_, seat) => {
  // Archives lie around the middle of their square, each robot's in its own place, so that all can be seen.
  const angle = (Math.PI / 4) * (seat + 0.5);
  const place = { cx: 0.46 * CELL * Math.sin(angle), cy: -0.46 * CELL * Math.cos(angle) };
  const mark = svgElement("circle", { ...place, r: 0.07 * CELL, class: "archive", fill: replay.colours[seat] }, byId("archives"));
  return mark;
});

// Marks on robots by what lies on the board, then by what they are.
const marksOf = (seat, robot, lying) => ({
  homing: lying.homing === seat,
  interceptor: lying.interceptor === seat,
  superbot: lying.superbot === seat,
  bombed: robot.bombed,
  carries: robot.carries > 0,
  goo: robot.goo > 0,
  guarded: robot.down && "power_down_shield" in robot.options,
});

function drawRobot(seat, robot, lying) {
  const { body, turret, sided, pips, level, copy } = bodies[seat];
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
  for (const [mark, on] of Object.entries(marksOf(seat, robot, lying))) body.classList.toggle(mark, Boolean(on));
  for (const [option, part] of Object.entries(sided)) {
    part.classList.toggle("shown", robot[option] > 0);
    part.style.transform = `rotate(${90 * (robot[option] - 1)}deg)`;
  }
  copy.classList.toggle("gone", !robot.copy);
  if (robot.copy) {
    copy.style.transform = `translate(${centre(...robot.copy).join("px, ")}px)`;
    copy.querySelector(".turning").style.transform = `rotate(${90 * robot.copy_facing}deg)`;
  }
  pips.forEach((pip, i) => pip.classList.toggle("shown", i < robot.damage));
  archives[seat].style.transform = `translate(${centre(...robot.archive).join("px, ")}px)`;
  archives[seat].classList.toggle("gone", robot.out);
}

// ---- what lies on the board --------------------------------------------------------------------------------------

const stamp = (name, layer) => {
  const copy = byId(name).cloneNode(true);
  copy.removeAttribute("id");
  byId(layer).append(copy);
  return copy;
};
const place = (element, [x, y], turn = 0) => (element.style.transform = `translate(${centre(x, y).join("px, ")}px) rotate(${90 * turn}deg)`);
const devices = new Map();

function drawTokens(lying, robots) {
  const here = new Set(lying.devices.map((device) => device.key));
  for (const [key, element] of devices) {
    if (!here.has(key)) element.remove(), devices.delete(key);
  }
  for (const device of lying.devices) {
    if (!devices.has(device.key)) devices.set(device.key, stamp(`device-${device.stamp}`, "devices"));
    const element = devices.get(device.key);
    place(element, device.at, device.facing);
    element.setAttribute("class", device.virtual ? "device virtual" : "device");
  }
  for (const layer of ["targets", "owners", "fields"]) byId(layer).replaceChildren();
  for (const device of lying.devices) if (device.target) place(stamp(`target-${device.owner}`, "targets"), device.target);
  for (const [x, y, team] of lying.flags) place(stamp(`team-${team}`, "owners"), [x, y]);
  const source = robots[lying.damping];
  if (source?.alive) place(stamp("field", "fields"), [source.x, source.y]);
}

const drawEffect = {
  beam([x1, y1, x2, y2, colour]) {
    const [ax, ay] = centre(x1, y1);
    const [bx, by] = centre(x2, y2);
    const line = { x1: ax, y1: ay, x2: bx, y2: by };
    svgElement("line", { ...line, class: "glow", stroke: colour }, byId("beams"));
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
  ring([x, y, colour]) {
    const [cx, cy] = centre(x, y);
    svgElement("circle", { cx, cy, r: 0.52 * CELL, class: "ring", stroke: colour }, byId("effects"));
  },
  blast([x, y, power]) {
    const [cx, cy] = centre(x, y);
    const reach = Math.floor(Math.log2(Math.max(1, power)));
    for (let away = reach; away >= 0; away--) {
      const r = (away + 0.55) * CELL;
      svgElement("path", { d: `M${cx} ${cy - r}L${cx + r} ${cy}L${cx} ${cy + r}L${cx - r} ${cy}Z`, class: "blast" }, byId("effects"));
    }
    for (let away = 0; away <= reach; away++) {
      svgElement("circle", { cx, cy: cy - away * CELL, r: (away ? 0.24 : 0.3) * CELL, class: "power" }, byId("effects"));
      svgElement("text", { x: cx, y: cy - away * CELL, class: "power-points" }, byId("effects")).textContent = power >> away;
    }
  },
  label([x, y, text]) {
    const [cx, cy] = centre(x, y);
    const half = (0.068 * text.length + 0.1) * CELL;
    svgElement("rect", { x: cx - half, y: cy - 0.77 * CELL, width: 2 * half, height: 0.3 * CELL, rx: 8, class: "plate" }, byId("effects"));
    svgElement("text", { x: cx, y: cy - 0.62 * CELL, class: "plate-text" }, byId("effects")).textContent = text;
  },
  stop([x, y, direction]) {
    const [cx, cy] = centre(x, y);
    svgElement("path", { d: `M${-0.3 * CELL} ${-0.5 * CELL}H${0.3 * CELL}`, class: "stop", transform: `translate(${cx} ${cy}) rotate(${90 * direction})` }, byId("effects"));
  },
};
