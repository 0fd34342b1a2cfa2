// What is said of the things that are pointed at. Things are named by texts: square:3:4, robot:2, card:2:0,
// option:2:shield, held:49, mark:7.

const positionAt = (at) => ({ robots: states[at], tokens: tokens[at], about: replay.about, look: frames[at].look });

const tellers = {
  square: (at, x, y) => telling.square([Number(x), Number(y)], positionAt(at)),

  robot(at, seatText) {
    const seat = Number(seatText);
    return telling.robot(seat, positionAt(at), { next: nextCard(at, seat), more: wonAt(at, seat) ? ["winner"] : [] });
  },

  card(at, seatText, registerText) {
    const [seat, r] = [Number(seatText), Number(registerText)];
    const robot = states[at][seat];
    const title = `Register ${r + 1} of ${replay.names[seat]}`;
    if (!isOpen(seat, robot, r, frames[at])) return { title, lines: [`Face down: ${replay.names[seenBy]} cannot see it yet.`] };
    const lines = [telling.card(telling.cardIn(robot, r))];
    if ((robot.locked >> r) & 1) lines.push("Locked by damage: the card stays here until it is repaired.");
    const more = extras(replay, robot, r);
    if (more.length) lines.push(`Also here: ${more.join(", ")}.`);
    return { title, lines };
  },

  held(at, cardText) {
    const card = replay.cards[Number(cardText)];
    return { title: card.name, lines: [`Priority ${card.priority}: ${replay.card_sentences[card.name]}`] };
  },

  option: (at, seatText, option) => telling.option(Number(seatText), option, positionAt(at)),

  mark(at, numberText) {
    const [frame, , , words] = replay.marks[Number(numberText)];
    return { title: `Turn ${frames[frame].turn + 1}`, lines: [`${words}.`] };
  },
};

// The card that a robot plays next in this turn, if it is known.
function nextCard(at, seat) {
  const [robot, frame] = [states[at][seat], frames[at]];
  if (frame.part === "F" || !robot.alive || robot.down) return "";
  const played = frames.slice(turnStarts[at], at + 1).some((other) => other.phase === frame.phase && other.acting === seat && frame.phase);
  const r = Math.max(0, frame.phase - 1) + (played ? 1 : 0);
  if (r > 4) return "It has played its last card of this turn.";
  if (!isOpen(seat, robot, r, frame)) return `Its next card, in phase ${r + 1}, lies face down.`;
  const card = telling.cardIn(robot, r);
  return card ? `Next, in phase ${r + 1}: ${cardWords(card)}. ${replay.card_sentences[card.name]}` : "";
}
