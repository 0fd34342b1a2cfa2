// A turn of the base game as frames for the board, from the events that the rules log. It knows no rule.

const RED = "#ff2d2d"; // the beams of the board
const STEPS_OF = [[0, -1], [1, 0], [0, 1], [-1, 0]]; // north, east, south, west
const BEGINS = new Set(["card"]);

class Film {
  // `words` are names and phrases by kind of event; `game` is what never changes; `seat` is the person's.
  constructor(words, game, width, seat) {
    Object.assign(this, { words, game, width, seat });
  }

  place(square) {
    return [square % this.width, Math.floor(square / this.width)];
  }

  // The robots of a game record as the page shows them; `like` is a robot with all fields. `before` are the robots as
  // they were shown last, since one that has left the board stays where it was last seen.
  robots(record, like, before) {
    return Array.from({ length: record.num_robots }, (_, i) => {
      const robot = record.robots[i];
      const shown = {};
      for (const [name, value] of Object.entries(like)) {
        if (!(name in robot) || typeof value === "object") shown[name] = structuredClone(value);
        else shown[name] = typeof value === "boolean" ? Boolean(robot[name]) : robot[name];
      }
      const at = robot.alive ? this.place(robot.square) : [before?.[i].x ?? 0, before?.[i].y ?? 0];
      const mine = i === this.seat;
      const registers = robot.registers.map((card, r) => (mine || (robot.locked >> r) & 1 ? card : 0));
      return { ...shown, x: at[0], y: at[1], archive: this.place(robot.archive), registers };
    });
  }

  // Events by name, in groups that happen at the same time.
  moments(events) {
    const groups = [];
    for (const bare of events) {
      const event = { ...bare, step: this.words.steps[bare.step], kind: this.words.kinds[bare.kind] };
      if (event.kind === "programmed" && event.robot !== this.seat) continue;
      const group = groups.at(-1);
      if (group && this.together(group, event)) group.push(event);
      else groups.push([event]);
    }
    return groups.filter((group) => group.some(({ kind }) => kind !== "dealt"));
  }

  together(group, event) {
    const last = group.at(-1);
    if (event.turn !== last.turn || event.phase !== last.phase || event.step !== last.step) return false;
    if (BEGINS.has(event.kind)) return false;
    if (event.kind === "moved") {
      // A pushed robot is logged before the one that pushes it.
      return !group.some((e) => e.kind === "moved" && [event.robot, event.other].includes(e.robot));
    }
    if (!["turned", "blocked", "destroyed"].includes(event.kind)) return true;
    return !group.some((e) => e.kind === event.kind && e.robot === event.robot);
  }

  // The frames of a turn that begins with these robots, and the robots after it.
  frames(events, robots, tokens) {
    let now = structuredClone(robots);
    for (const robot of now) {
      robot.announced = false;
      robot.registers = robot.registers.map((card, r) => ((robot.locked >> r) & 1 ? card : 0));
    }
    const groups = this.moments(events);
    const played = groups.flat().filter(({ kind }) => kind === "card");
    let phase = 0;
    const frames = groups.map((group) => {
      const before = structuredClone(now);
      for (const event of group) this.apply(now, event);
      if (group[0].phase !== phase) {
        phase = group[0].phase;
        for (const card of played) if (card.phase === phase) now[card.robot].registers[phase - 1] = card.value;
      }
      const changed = {};
      now.forEach((robot, seat) => {
        const different = Object.entries(robot).filter(([k, v]) => JSON.stringify(v) !== JSON.stringify(before[seat][k]));
        if (different.length) changed[seat] = structuredClone(Object.fromEntries(different));
      });
      return this.frame(group, changed, tokens);
    });
    return { frames, robots: now };
  }

  frame(group, robots, tokens) {
    const { turn, phase, step } = group[0];
    const moves = step === "B1" && group.find(({ kind }) => ["card", "moved"].includes(kind));
    const pusher = group.find(({ kind, other }) => kind === "moved" && other >= 0);
    return {
      turn,
      phase,
      part: phase ? String(phase) : step[0],
      title: this.words.step_words[step] ?? step,
      acting: moves ? (pusher ? pusher.other : moves.robot) : null,
      robots,
      used: [],
      effects: this.effects(group),
      log: this.sentences(group),
      tokens,
      look: 0,
    };
  }

  apply(robots, { kind, robot: seat, value, square, target, step }) {
    const robot = robots[seat];
    if (!robot) return;
    const r = value - 1;
    const changes = {
      programmed: () => (robot.registers[r] = target),
      announced: () => (robot.announced = true),
      powered_down: () => Object.assign(robot, { down: true, damage: 0, locked: 0, registers: [0, 0, 0, 0, 0] }),
      powered_up: () => (robot.down = false),
      faced: () => (robot.facing = value),
      turned: () => (robot.facing = value),
      moved: () => square >= 0 && ([robot.x, robot.y] = this.place(square)),
      damaged: () => (robot.damage = Math.min(this.words.fatal, robot.damage + value)),
      repaired: () => (robot.damage = Math.max(0, robot.damage - value)),
      locked: () => ((robot.locked |= 1 << r), (robot.registers[r] = target)),
      unlocked: () => ((robot.locked &= ~(1 << r)), step === "T1" && (robot.registers[r] = 0)),
      destroyed: () => Object.assign(robot, { alive: false, lives: robot.lives - (robot.lives > 0), locked: 0 }),
      flag: () => (robot.flag += 1),
      archived: () => (robot.archive = this.place(square)),
      became_real: () => (robot.virtual = false),
      reentered: () => {
        [robot.x, robot.y] = this.place(square);
        Object.assign(robot, { alive: true, virtual: target === 1, facing: value, damage: this.words.reentry_damage });
      },
      out: () => (robot.out = true),
    };
    changes[kind]?.();
  }

  effects(group) {
    const found = [];
    const points = new Map();
    for (const { kind, robot, value, square, target } of group) {
      if (kind === "shot") {
        const [dx, dy] = STEPS_OF[value];
        const [x, y] = this.place(square);
        const from = robot >= 0 ? 0.4 : -0.45;
        const colour = robot >= 0 ? this.game.colours[robot] : RED;
        found.push(["beam", x + from * dx, y + from * dy, ...this.place(target), colour]);
      } else if ((kind === "damaged" || kind === "repaired") && square >= 0) {
        points.set(square, (points.get(square) ?? 0) + (kind === "damaged" ? value : -value));
      } else if (kind === "destroyed") {
        const last = square >= 0 ? square : group.find((e) => e.kind === "moved" && e.robot === robot)?.target ?? -1;
        if (last >= 0) found.push(["loss", ...this.place(last)]);
      } else if (["flag", "reentered", "became_real"].includes(kind) && square >= 0) {
        found.push(["ring", ...this.place(square), this.game.colours[robot]]);
      } else if (kind === "blocked") {
        found.push(["stop", ...this.place(square), value]);
      }
    }
    for (const [square, number] of points) if (number) found.push(["hit", ...this.place(square), number]);
    return found;
  }

  sentences(group) {
    const told = group.filter(({ kind }) => !["shot", "programmed", "dealt"].includes(kind));
    return told.map((event) => this.sentence(event)).filter((line, k, all) => all.indexOf(line) === k);
  }

  sentence(event) {
    const { words, game } = this;
    const { kind, robot, other, value, square, target, step } = event;
    const at = (place) => (place >= 0 ? `(${this.place(place).join(", ")})` : "nowhere");
    const card = (number) => {
      const held = game.cards[number];
      return held ? `${held.name} (${held.priority})` : "no card";
    };
    const name = (seat) => (seat < 0 ? "the board" : seat === this.seat ? "your robot" : game.names[seat]);
    let phrase = words.phrases[kind] ?? "{robot}: {kind} {value}";
    if (kind === "moved") {
      const moves = other >= 0 ? "{other} pushes {robot}" : words.carried[words.causes[value]] ?? "{robot} moves";
      phrase = `${moves} ${square >= 0 ? "to {at}" : "off the board"}`;
    } else if (kind === "turned" && words.turned_by[step]) phrase = `${words.turned_by[step]} turns {robot} {facing}`;
    else if (kind === "damaged") phrase = `${words.harmed[words.harms[target]] ?? words.harmed.damage}: {points} of damage`;
    else if (kind === "destroyed") phrase = words.destroyed[words.harms[value]] ?? "{robot} is destroyed";
    else if (kind === "reentered" && target === 1) {
      phrase = "{robot} returns as a virtual robot at {at}, facing {facing}";
    } else if (!value && words.ended[kind]) phrase = words.ended[kind];
    else if (square < 0 && words.nowhere[kind]) phrase = words.nowhere[kind];
    const fills = {
      robot: name(robot), other: name(other), kind, value, target, at: at(square), target_at: at(target),
      points: plural(value, "point"), cards: plural(value, "card"), squares: plural(value, "more square"),
      facing: words.facings[value], target_facing: words.facings[target], card: card(target), played: card(value),
    };
    return phrase.replace(/\{(\w+)\}/g, (whole, key) => fills[key] ?? whole);
  }
}
