// Better programs, where an analysis has found some: a ghost walks beside the robot whose program gave something away.

const betters = JSON.parse(byId("better-data")?.textContent ?? "[]"); // { turn, seat, given, played, better, path }
let better = null; // the one that is shown
const betterKey = ({ turn, seat }) => `${turn}:${seat}`;

// Plays the turn from its start, with the ghost; pressed again, the ghost goes.
function showBetter(key) {
  const found = betters.find((one) => betterKey(one) === key);
  if (!found || found === better) {
    better = null;
    return show(at);
  }
  setPlaying(false);
  better = found;
  show(frames.findIndex((frame) => frame.turn === found.turn - 1));
  document.querySelector("main").scrollTop = 0; // in narrow windows the board is above
  setPlaying(true);
}

// Where the ghost is in a frame: path has [frame, x, y, facing], each from that frame on; x is null while it is destroyed.
const ghostAt = (frame) => better.path.findLast(([from]) => from <= frame) ?? better.path[0];

function drawBetter() {
  if (!betters.length) return;
  const turn = frames[at].turn + 1;
  if (better && better.turn !== turn) better = null;
  const key = `${turn} ${better ? betterKey(better) : ""} ${better ? frames[at].phase : ""}`;
  if (key !== drawBetter.key) {
    drawBetter.key = key;
    listBetters(turn);
  }
  if (!better) return board.walk(null);
  const [, x, y, facing] = ghostAt(at);
  const points = better.path.filter(([, x]) => x !== null).map(([, ...place]) => place.slice(0, 2));
  board.walk({ seat: better.seat, at: x === null ? null : [x, y], facing, points });
}

function listBetters(turn) {
  const focused = document.activeElement?.dataset?.better;
  const box = byId("better");
  box.replaceChildren();
  htmlElement("h2", "", box, `Turn ${turn}`);
  const here = betters.filter((one) => one.turn === turn);
  if (!here.length) htmlElement("p", "", box, "Nothing better was found for this turn.");
  for (const one of here) {
    const line = htmlElement("p", "", box);
    const number = htmlElement("span", "number", line, one.seat + 1);
    number.style.setProperty("--robot", replay.colours[one.seat]);
    number.style.setProperty("--ink", replay.inks[one.seat]);
    htmlElement("span", "", line, ` ${replay.names[one.seat]} gave away ${one.given.toFixed(2)} `);
    const button = htmlElement("button", "", line, one === better ? "Hide the ghost" : "Show me better");
    button.type = "button";
    button.dataset.better = betterKey(one);
    if (one === better) listCards(box, one);
  }
  if (focused) box.querySelector(`[data-better="${focused}"]`)?.focus();
}

// The cards of both programs, register by register; those of the phase that is shown are marked.
function listCards(box, { played, better: cards }) {
  const table = htmlElement("table", "", box);
  const head = htmlElement("tr", "", htmlElement("thead", "", table));
  for (const words of ["register", "played", "better"]) htmlElement("th", "", head, words).scope = "col";
  const body = htmlElement("tbody", "", table);
  cards.forEach((card, r) => {
    const row = htmlElement("tr", frames[at].phase === r + 1 ? "current" : "", body);
    htmlElement("td", "", row, r + 1);
    const kind = card === played[r] ? "" : "changed";
    htmlElement("td", "", row, cardWords(replay.cards[played[r]]));
    htmlElement("td", kind, row, cardWords(replay.cards[card]));
  });
}

byId("analysis")?.addEventListener("click", (event) => {
  const button = event.target.closest("[data-better]");
  if (button) showBetter(button.dataset.better);
});
