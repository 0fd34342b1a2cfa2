// A board that is drawn from data. It only draws: nothing here knows a rule, nor how a page is used.
//
//   const board = new Board(document.querySelector(".board"), drawing);   // markup and drawing by rr_gym.render.web
//   board.show({ robots, tokens, look, effects }, 300);                   // a position; 300 ms to get there
//   board.trails([{ seat, points: [[x, y], ...] }]);                      // where robots went
//   board.goals([{ seat, from: [x, y], to: [x, y] }]);                    // where they go next
//   board.ghosts([{ seat, x, y, facing, label }]);                        // where they would be
//   board.walk({ seat, at: [x, y], facing, points: [[x, y], ...] });      // a ghost that walks along points; null: none
//   board.mark([[x, y], ...]);                                            // squares that are spoken of
//   board.squareAt(pointerEvent);                                         // [x, y] or null
//   board.fit(element);                                                   // as large as an element, from now on
//
// Places are in squares, x to the east and y to the south; facings are 0 north to 3 west.
const MARGIN = 0.32; // around the squares, for the coordinates

class Board {
  constructor(root, drawing) {
    this.root = root;
    this.cell = drawing.cell;
    this.size = drawing.size;
    this.colours = drawing.colours;
    this.layer = Object.fromEntries([...root.querySelectorAll("[data-layer]")].map((part) => [part.dataset.layer, part]));
    this.stamps = Object.fromEntries([...root.querySelectorAll(".stamps > g")].map((part) => [part.id, part]));
    this.devices = new Map();
    this.robots = this.colours.map((_, seat) => this.#robot(seat));
    this.archives = this.colours.map((colour, seat) => this.#archive(colour, seat));
    this.#findLooks();
    root.classList.add("ready");
  }

  // Queries of containers could do the same, but then whatever changes beside the board lays out all of it again.
  fit(element) {
    new ResizeObserver(([{ contentRect }]) => {
      const [columns, rows] = this.size.map((side) => side + 2 * MARGIN);
      this.fitted = Math.min(contentRect.width, (contentRect.height * columns) / rows);
      this.magnify();
    }).observe(element);
  }

  // So many times as large as it fits.
  magnify(scale = this.scale ?? 1) {
    this.scale = scale;
    if (this.fitted) setStyle(this.root, "width", `${this.fitted * scale}px`);
  }

  // A position. Only what differs from the last one is touched.
  show({ robots, tokens, look = 0, effects = [] }, beat = 0) {
    this.root.style.setProperty("--beat", `${beat}ms`);
    const anew = tokens !== this.tokens;
    robots.forEach((robot, seat) => {
      if (anew || robot !== this.robots[seat].drawn) this.#drawRobot(seat, robot, tokens);
    });
    if (anew || tokens.damping >= 0) this.#drawTokens(tokens, robots);
    this.tokens = tokens;
    this.#drawLook(look);
    this.#drawEffects(effects);
  }

  // ---- robots ------------------------------------------------------------------------------------------------------

  #robot(seat) {
    const body = this.root.querySelector(`#robot-${seat}`);
    const sided = Object.fromEntries(["shield", "reflector", "turret"].map((name) => [name, body.querySelector(`.sided.${name}`)]));
    const copy = this.root.querySelector(`#copy-${seat}`);
    return {
      body, sided, copy, turning: body.querySelector(".turning"), copyTurning: copy.querySelector(".turning"),
      pips: [...body.querySelectorAll(".pip")], level: body.querySelector(".level text"), angle: null, drawn: null,
    };
  }

  // Archives lie around the middle of their square, each robot's in its own place, so that all can be seen.
  #archive(colour, seat) {
    const angle = (Math.PI / 4) * (seat + 0.5);
    const place = { cx: 0.46 * this.cell * Math.sin(angle), cy: -0.46 * this.cell * Math.cos(angle) };
    return svgElement("circle", { ...place, r: 0.07 * this.cell, class: "archive", fill: colour }, this.layer.archives);
  }

  #drawRobot(seat, robot, tokens) {
    const parts = this.robots[seat];
    const before = parts.drawn;
    parts.drawn = robot;
    setStyle(parts.body, "transform", `translate(${100 * robot.x}%, ${100 * robot.y}%) scale(${robot.alive ? 1 : 0.1})`);
    const target = robot.facing * 90;
    parts.angle = shortWay(parts.angle ?? target, target);
    setStyle(parts.turning, "transform", `rotate(${parts.angle}deg)`);
    const states = Object.entries(statesOf(seat, robot, tokens)).filter(([, on]) => on);
    setClass(parts.body, ["robot", ...states.map(([name]) => name)].join(" "));
    setText(parts.level, String(robot.level));
    for (const [option, part] of Object.entries(parts.sided)) {
      setClass(part, `sided ${option}${robot[option] > 0 ? " shown" : ""}`);
      if (robot[option] > 0) setStyle(part, "transform", `rotate(${90 * (robot[option] - 1)}deg)`);
    }
    if (before?.damage !== robot.damage) parts.pips.forEach((pip, i) => setClass(pip, i < robot.damage ? "pip shown" : "pip"));
    setClass(parts.copy, robot.copy ? "robot copy" : "robot copy gone");
    if (robot.copy) {
      setStyle(parts.copy, "transform", `translate(${100 * robot.copy[0]}%, ${100 * robot.copy[1]}%)`);
      setStyle(parts.copyTurning, "transform", `rotate(${90 * robot.copy_facing}deg)`);
    }
    const archive = this.archives[seat];
    setStyle(archive, "transform", this.#place(robot.archive));
    setClass(archive, robot.out ? "archive gone" : "archive");
  }

  // ---- what lies on the board --------------------------------------------------------------------------------------

  #place([x, y], turn = 0) {
    const [cx, cy] = this.centre(x, y);
    return `translate(${cx}px, ${cy}px) rotate(${90 * turn}deg)`;
  }

  #stamp(name, layer, at, turn = 0) {
    const copy = this.stamps[name].cloneNode(true);
    copy.removeAttribute("id");
    copy.style.transform = this.#place(at, turn);
    this.layer[layer].append(copy);
    return copy;
  }

  #drawTokens(tokens, robots) {
    const here = new Set(tokens.devices.map((device) => device.key));
    for (const [key, element] of this.devices) {
      if (!here.has(key)) element.remove(), this.devices.delete(key);
    }
    for (const device of tokens.devices) {
      const known = this.devices.get(device.key) ?? this.#stamp(`device-${device.stamp}`, "devices", device.at, device.facing);
      this.devices.set(device.key, known);
      setStyle(known, "transform", this.#place(device.at, device.facing));
      setClass(known, device.virtual ? "device virtual" : "device");
    }
    for (const layer of ["targets", "owners", "fields"]) if (this.layer[layer].firstChild) this.layer[layer].replaceChildren();
    for (const device of tokens.devices) if (device.target) this.#stamp(`target-${device.owner}`, "targets", device.target);
    for (const [x, y, team] of tokens.flags) this.#stamp(`team-${team}`, "owners", [x, y]);
    const source = robots[tokens.damping];
    if (source?.alive) this.#stamp("field", "fields", [source.x, source.y]);
  }

  // ---- the floor ---------------------------------------------------------------------------------------------------

  // Another floor: of a game whose looks are not known beforehand.
  setFloor(markup) {
    this.layer.floor.innerHTML = markup;
    this.#findLooks();
  }

  #findLooks() {
    this.looks = new Map();
    this.look = null;
    this.shownParts = [...this.layer.floor.querySelectorAll(".look.shown")];
    for (const part of this.layer.floor.querySelectorAll(".look")) {
      for (const look of part.dataset.looks.split(" ").map(Number)) {
        if (!this.looks.has(look)) this.looks.set(look, []);
        this.looks.get(look).push(part);
      }
    }
  }

  #drawLook(look) {
    if (look === this.look) return;
    this.look = look;
    const parts = this.looks.get(look) ?? [];
    const kept = new Set(parts);
    for (const part of this.shownParts) if (!kept.has(part)) setClass(part, "look");
    for (const part of parts) setClass(part, "look shown");
    this.shownParts = parts;
  }

  // ---- effects and pointers ----------------------------------------------------------------------------------------

  #drawEffects(effects) {
    for (const layer of ["beams", "effects"]) if (this.layer[layer].firstChild) this.layer[layer].replaceChildren();
    for (const [kind, ...values] of effects) drawEffect[kind](this, values);
  }

  // Lines are kept and lengthened: a trail grows with every frame.
  trails(found) {
    const kept = (this.lines ??= new Map());
    for (const [seat, line] of kept) if (!found.some((trail) => trail.seat === seat)) line.group.remove(), kept.delete(seat);
    for (const { seat, points } of found) {
      if (!kept.has(seat)) {
        const group = svgElement("g", {}, this.layer.trails);
        const edge = svgElement("polyline", { class: "trail-edge" }, group);
        const line = svgElement("polyline", { class: "trail", stroke: this.colours[seat] }, group);
        const dot = { r: 0.09 * this.cell, class: "trail-start", fill: this.colours[seat] };
        kept.set(seat, { group, edge, line, start: svgElement("circle", dot, group) });
      }
      const trail = kept.get(seat);
      const places = points.map(([x, y]) => this.centre(x, y).join(",")).join(" ");
      if (places === trail.places) continue;
      trail.places = places;
      for (const line of [trail.edge, trail.line]) line.setAttribute("points", places);
      const [cx, cy] = this.centre(...points[0]);
      trail.start.setAttribute("cx", cx);
      trail.start.setAttribute("cy", cy);
    }
  }

  goals(found) {
    this.layer.goals.replaceChildren();
    for (const { seat, from, to } of found) {
      const [ax, ay] = this.centre(...from);
      const [bx, by] = this.centre(...to);
      const length = Math.hypot(bx - ax, by - ay);
      if (length < 0.6 * this.cell) continue;
      const turn = (Math.atan2(by - ay, bx - ax) * 180) / Math.PI;
      const [near, far] = [0.42 * this.cell, length - 0.3 * this.cell];
      const transform = `translate(${ax} ${ay}) rotate(${turn})`;
      const arrow = svgElement("g", { class: "goal", transform, stroke: this.colours[seat] }, this.layer.goals);
      const [back, side] = [far - 0.22 * this.cell, 0.15 * this.cell];
      for (const name of ["edge", "line"]) {
        svgElement("path", { d: `M${near} 0H${far}`, class: name }, arrow);
        svgElement("path", { d: `M${back} ${-side}L${far} 0L${back} ${side}`, class: `${name} head` }, arrow);
      }
    }
  }

  ghosts(found) {
    this.layer.ghosts.replaceChildren();
    for (const { seat, x, y, facing, label } of found) {
      const [cx, cy] = this.centre(x, y);
      const ghost = svgElement("g", { class: "ghost", transform: `translate(${cx} ${cy})` }, this.layer.ghosts);
      svgElement("use", { href: `#body-${seat}`, transform: `rotate(${90 * facing})` }, ghost);
      if (label) svgElement("text", { y: 0.06 * this.cell, class: "ghost-label" }, ghost).textContent = label;
    }
  }

  // Nowhere for a while: `at` is null.
  walk(found) {
    if (!found || this.walker?.seat !== found.seat) this.walker = this.walker?.group.remove();
    if (!found) return;
    const walker = (this.walker ??= this.#walker(found.seat));
    setClass(walker.body, found.at ? "ghost walker" : "ghost walker gone");
    if (found.at) setStyle(walker.body, "transform", this.#place(found.at));
    walker.angle = shortWay(walker.angle ?? 90 * found.facing, 90 * found.facing);
    setStyle(walker.turning, "transform", `rotate(${walker.angle}deg)`);
    const places = found.points.map(([x, y]) => this.centre(x, y).join(",")).join(" ");
    for (const line of walker.lines) if (line.getAttribute("points") !== places) line.setAttribute("points", places);
  }

  #walker(seat) {
    const group = svgElement("g", {}, this.layer.ghosts);
    const lines = ["walk-edge", "walk"].map((name) => svgElement("polyline", { class: name, stroke: this.colours[seat] }, group));
    const body = svgElement("g", {}, group);
    return { seat, group, lines, body, turning: svgElement("use", { href: `#body-${seat}` }, body), angle: null };
  }

  mark(squares) {
    this.layer.marks.replaceChildren();
    const side = 0.94 * this.cell;
    for (const [x, y] of squares) {
      const box = { x: (x + 0.03) * this.cell, y: (y + 0.03) * this.cell, width: side, height: side, rx: 10 };
      svgElement("rect", { ...box, class: "mark" }, this.layer.marks);
    }
  }

  centre(x, y) {
    return [(x + 0.5) * this.cell, (y + 0.5) * this.cell];
  }

  // The square under a pointer, null beside the board.
  squareAt({ clientX, clientY }) {
    const { left, top, width, height } = this.layer.robots.getBoundingClientRect();
    const [columns, rows] = this.size;
    const x = Math.floor(((clientX - left) / width) * columns);
    const y = Math.floor(((clientY - top) / height) * rows);
    return x >= 0 && y >= 0 && x < columns && y < rows ? [x, y] : null;
  }
}

// The short way round, so that a robot turning from west to north does not spin through three quarters.
const shortWay = (angle, target) => angle + ((((target - angle) % 360) + 540) % 360) - 180;

// What robots are, by the classes that show it.
const statesOf = (seat, robot, tokens) => ({
  gone: !robot.alive,
  virtual: robot.virtual,
  down: robot.down,
  high: robot.level !== 0,
  flying: robot.flying,
  burning: robot.burning > 0,
  asleep: robot.asleep > 0,
  energized: robot.energized,
  homing: tokens.homing === seat,
  interceptor: tokens.interceptor === seat,
  superbot: tokens.superbot === seat,
  bombed: robot.bombed,
  carries: robot.carries > 0,
  goo: robot.goo > 0,
  guarded: robot.down && "power_down_shield" in robot.options,
});
