// What is said of the things on a board, in sentences that the page was sent with its data.
//
//   const telling = new Telling(data);   // words_json of rr_gym.render.web, with names, size, num_flags and in_order
//   telling.square([x, y], now);         // { title, lines, marks } for an About
//   telling.robot(seat, now);
//   telling.option(seat, option, now);
//
// `now` is a position: robots, tokens, and the sentences of its squares (squares_json) with the look that is shown.

const FACES = ["north", "east", "south", "west"];
const MOST_DAMAGE = 10;
const placeWords = ([x, y]) => `(${x}, ${y})`;
const squareOf = (robot) => [Math.round(robot.x), Math.round(robot.y)];
const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const cardWords = (card) => (card ? `${card.name} (${card.priority})` : "no card");
const lockedRegisters = (robot) => robot.registers.flatMap((_, r) => ((robot.locked >> r) & 1 ? [r] : []));

// What a robot is besides its damage, flags and lives.
const statesInWords = (seat, robot, tokens) => [
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
  [tokens.homing === seat, "homing token"],
  [tokens.interceptor === seat, "interceptor token"],
  [tokens.damping === seat, "damping field"],
  [tokens.superbot === seat, "SuperBot"],
  [robot.team, `team ${robot.team}`],
].filter(([on]) => on).map(([, text]) => text);

// The card that a robot plays in a register: that of another program under Radio Control.
function cardIn(data, robot, register) {
  const copied = robot.copied[register];
  return data.cards[copied ? Math.max(0, copied) : robot.registers[register]];
}

class Telling {
  constructor(data) {
    this.data = data;
  }

  square([column, row], { robots, tokens, about, look }) {
    const { names, size } = this.data;
    const here = ([x, y]) => Math.round(x) === column && Math.round(y) === row;
    const number = row * size[0] + column;
    const known = about.looks[look]?.[number] ?? about.squares[number];
    const damageOf = ({ damage }) => (damage ? `, ${plural(damage, "point")} of damage` : "");
    const standing = (robot, seat) => `${names[seat]}, facing ${FACES[robot.facing]}${damageOf(robot)}.`;
    const lines = robots.flatMap((robot, seat) => [
      ...(robot.alive && here(squareOf(robot)) ? [standing(robot, seat)] : []),
      ...(robot.copy && here(robot.copy) ? [`The copy of ${names[seat]}.`] : []),
    ]);
    for (const device of tokens.devices) if (here(device.at)) lines.push(this.#device(device));
    for (const { owner, target } of tokens.devices) if (target && here(target)) lines.push(`The drone of ${names[owner]} flies here.`);
    lines.push(...(known.length ? known.map((text) => about.texts[text]) : ["Off the board."]));
    const archived = names.filter((_, seat) => !robots[seat].out && here(robots[seat].archive));
    if (archived.length) lines.push(`Archive of ${archived.join(", ")}.`);
    return { title: `Square ${placeWords([column, row])}`, lines, marks: [[column, row]] };
  }

  // `next` is what is known of the card that comes next, `more` what else the robot is.
  robot(seat, { robots, tokens }, { next = "", more = [] } = {}) {
    const robot = robots[seat];
    const { names, num_flags } = this.data;
    const gone = robot.out ? "Out of the game." : "Destroyed; it comes back at its archive.";
    const lines = [robot.alive ? `On ${placeWords(squareOf(robot))}, facing ${FACES[robot.facing]}.` : gone];
    const goal = this.nextFlag(seat, { robots, tokens });
    lines.push(`Flags: ${robot.flag} of ${num_flags}.${goal ? ` The next one, flag ${robot.flag + 1}, is at ${placeWords(goal)}.` : ""}`);
    lines.push(`Damage: ${robot.damage} of ${MOST_DAMAGE}.${robot.lives < 0 ? "" : ` Lives: ${robot.lives}.`}`);
    const locked = lockedRegisters(robot).map((r) => `register ${r + 1} with ${cardWords(this.cardIn(robot, r))}`);
    if (locked.length) lines.push(`Locked: ${locked.join(", ")}.`);
    if (next) lines.push(next);
    if (!robot.out) lines.push(`Archive at ${placeWords(robot.archive)}.`);
    const told = ["out", "destroyed"]; // in the first line
    const states = [...more, ...statesInWords(seat, robot, tokens)].filter((state) => !told.includes(state));
    if (states.length) lines.push(`State: ${states.join(", ")}.`);
    for (const option of Object.keys(robot.options)) lines.push(this.#option(option, robot));
    return { title: names[seat], lines, marks: robot.alive ? [squareOf(robot)] : [] };
  }

  // Null where the robot does not own it any more.
  option(seat, option, { robots }) {
    if (!(option in robots[seat].options)) return null;
    return { title: this.data.options[option].name, lines: [`Of ${this.data.names[seat]}.`, this.#option(option, robots[seat])] };
  }

  card(card) {
    return card ? `${card.name}, priority ${card.priority}: ${this.data.card_sentences[card.name]}` : "No card.";
  }

  cardIn(robot, register) {
    return cardIn(this.data, robot, register);
  }

  // Where the next flag of a robot is; null where flags have no order, or there is none left.
  nextFlag(seat, { robots, tokens }) {
    const robot = robots[seat];
    const { in_order, num_flags } = this.data;
    return in_order && !robot.out && robot.flag < num_flags ? tokens.goals[robot.flag] : null;
  }

  #device({ stamp, owner, virtual }) {
    const whose = owner >= 0 ? ` Of ${this.data.names[owner]}.` : "";
    return `${this.data.devices[stamp.replace(/-.*$/, "")]}${whose}${virtual ? " It is virtual: it affects only its owner." : ""}`;
  }

  #option(option, robot) {
    const { name, holds } = this.data.options[option];
    const left = robot.options[option];
    const side = robot[option] > 0 ? ` It covers the ${this.data.sides[robot[option]]}.` : "";
    return `${name}: ${this.data.option_sentences[option]}${holds || left ? ` ${left} left.` : ""}${side}`;
  }
}
