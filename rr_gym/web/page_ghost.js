// Where the orders lead.

let previewTimer = 0;
let asked = 0; // previews are answered in any order; only the last one counts

async function preview() {
  if (!mayOrder()) return;
  const mine = ++asked;
  try {
    const found = await ask("preview", { orders: orders() });
    if (mine === asked && mayOrder()) showGhost(found);
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Silence)) throw error;
    if (mine !== asked) return;
    clearGhost();
    refuse(error.message);
  }
}

// Where the orders lead: every square on the way, and the robot where each phase ends.
function showGhost({ stops, lines }) {
  clearGhost();
  const seat = game.seat;
  const known = stops.filter(({ at }) => at);
  const squares = new Map(known.map(({ at }) => [at.join(), at]));
  board.mark([...squares.values()]);
  board.trails(known.length > 1 ? [{ seat, points: known.map(({ at }) => at) }] : []);
  const ends = new Map();
  for (const stop of known) if (stop.phase) ends.set(stop.phase, stop);
  const places = new Map();
  for (const [phase, stop] of ends) {
    const key = stop.at.join();
    places.set(key, { ...stop, phases: [...(places.get(key)?.phases ?? []), phase] });
  }
  const ghostOf = ({ at: [x, y], facing, phases }) => ({ seat, x, y, facing, label: phases.join(" ") });
  board.ghosts([...places.values()].map(ghostOf));
  byId("leads").hidden = false;
  const list = byId("preview");
  list.replaceChildren();
  for (const line of lines) htmlElement("li", "", list, line);
}

function clearGhost() {
  asked++;
  board.mark([]);
  board.trails([]);
  board.ghosts([]);
  byId("leads").hidden = true;
}
