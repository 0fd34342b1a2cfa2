// What is said of the things that are pointed at. Things are named by texts: square:3:4, robot:2, card:2:0,
// option:2:shield, held:49, mark:7.

const FACES = ["north", "east", "south", "west"];
const at_ = ([x, y]) => `(${x}, ${y})`;
const squareOf = (robot) => [Math.round(robot.x), Math.round(robot.y)];
const plural = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const cardWords = (card) => (card ? `${card.name} (${card.priority})` : "no card");

const tellers = {
  square(at, x, y) {
    const [column, row] = [Number(x), Number(y)];
    const here = ([a, b]) => a === column && b === row;
    const number = row * replay.size[0] + column;
    const known = replay.about.looks[frames[at].look]?.[number] ?? replay.about.squares[number];
    const lines = known.length ? known.map((text) => replay.about.texts[text]) : ["Off the board."];
    const lying = tokens[at].devices.filter((device) => here(device.at)).map(deviceWords);
    const targets = tokens[at].devices.filter((device) => device.target && here(device.target)).map((device) => `The drone of ${replay.names[device.owner]} flies here.`);
    const robots = states[at].flatMap((robot, seat) => [
      ...(robot.alive && here(squareOf(robot)) ? [`${replay.names[seat]}, facing ${FACES[robot.facing]}${robot.damage ? `, ${plural(robot.damage, "point")} of damage` : ""}.`] : []),
      ...(robot.copy && here(robot.copy.map(Math.round)) ? [`The copy of ${replay.names[seat]}.`] : []),
    ]);
    const archived = states[at].flatMap((robot, seat) => (!robot.out && here(robot.archive) ? [replay.names[seat]] : []));
    if (archived.length) lines.push(`Archive of ${archived.join(", ")}.`);
    return { title: `Square ${at_([column, row])}`, lines: [...robots, ...lying, ...targets, ...lines], marks: [[column, row]] };
  },

  robot(at, seatText) {
    const seat = Number(seatText);
    const robot = states[at][seat];
    const told = badgesOf(seat, robot, tokens[at], at === last);
    const lines = [robot.alive ? `On ${at_(squareOf(robot))}, facing ${FACES[robot.facing]}.` : robot.out ? "Out of the game." : "Destroyed; it comes back at its archive."];
    const goal = nextFlag(at, seat);
    lines.push(`Flags: ${robot.flag} of ${replay.num_flags}.${goal ? ` The next one, flag ${robot.flag + 1}, is at ${at_(goal)}.` : ""}`);
    lines.push(`Damage: ${robot.damage} of 10.${robot.lives < 0 ? "" : ` Lives: ${robot.lives}.`}`);
    const locked = [0, 1, 2, 3, 4].filter((r) => (robot.locked >> r) & 1);
    if (locked.length) lines.push(`Locked: ${locked.map((r) => `register ${r + 1} with ${cardWords(cardIn(robot, r))}`).join(", ")}.`);
    const next = nextCard(at, seat);
    if (next) lines.push(next);
    if (!robot.out) lines.push(`Archive at ${at_(robot.archive)}.`);
    if (told.length) lines.push(`It is: ${told.join(", ")}.`);
    for (const option of Object.keys(robot.options)) lines.push(optionWords(option, robot));
    return { title: replay.names[seat], lines, marks: robot.alive ? [squareOf(robot)] : [] };
  },

  card(at, seatText, registerText) {
    const [seat, r] = [Number(seatText), Number(registerText)];
    const robot = states[at][seat];
    const title = `Register ${r + 1} of ${replay.names[seat]}`;
    if (!isOpen(seat, robot, r, frames[at])) return { title, lines: [`Face down: ${replay.names[seenBy]} cannot see it yet.`] };
    const card = cardIn(robot, r);
    const lines = [card ? `${card.name}, priority ${card.priority}: ${replay.card_sentences[card.name]}` : "No card."];
    if ((robot.locked >> r) & 1) lines.push("Locked by damage: the card stays here until it is repaired.");
    const more = extras(robot, r);
    if (more.length) lines.push(`Also here: ${more.join(", ")}.`);
    return { title, lines };
  },

  held(at, cardText) {
    const card = replay.cards[Number(cardText)];
    return { title: card.name, lines: [`Priority ${card.priority}: ${replay.card_sentences[card.name]}`] };
  },

  option(at, seatText, option) {
    const robot = states[at][Number(seatText)];
    return option in robot.options ? { title: replay.options[option].name, lines: [`Of ${replay.names[Number(seatText)]}.`, optionWords(option, robot)] } : null;
  },

  mark(at, numberText) {
    const [frame, , , words] = replay.marks[Number(numberText)];
    return { title: `Turn ${frames[frame].turn + 1}`, lines: [`${words}.`] };
  },
};

function deviceWords(device) {
  const owner = device.owner >= 0 ? ` Of ${replay.names[device.owner]}.` : "";
  return `${replay.devices[device.stamp.replace(/-.*$/, "")]}${owner}${device.virtual ? " It is virtual: it affects only its owner." : ""}`;
}

function optionWords(option, robot) {
  const { name, holds } = replay.options[option];
  const left = robot.options[option];
  const side = robot[option] > 0 ? ` It covers the ${replay.sides[robot[option]]}.` : "";
  return `${name}: ${replay.option_sentences[option]}${holds || left ? ` ${left} left.` : ""}${side}`;
}

function nextFlag(at, seat) {
  const robot = states[at][seat];
  return replay.in_order && !robot.out && robot.flag < replay.num_flags ? tokens[at].goals[robot.flag] : null;
}

// The card that a robot plays next in this turn, if it is known.
function nextCard(at, seat) {
  const [robot, frame] = [states[at][seat], frames[at]];
  if (frame.part === "F" || !robot.alive || robot.down) return "";
  const played = frames.slice(turnStarts[at], at + 1).some((other) => other.phase === frame.phase && other.acting === seat && frame.phase);
  const r = Math.max(0, frame.phase - 1) + (played ? 1 : 0);
  if (r > 4) return "It has played its last card of this turn.";
  if (!isOpen(seat, robot, r, frame)) return `Its next card, in phase ${r + 1}, lies face down.`;
  const card = cardIn(robot, r);
  return card ? `Next, in phase ${r + 1}: ${cardWords(card)}. ${replay.card_sentences[card.name]}` : "";
}
