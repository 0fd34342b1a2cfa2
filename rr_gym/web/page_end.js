// The end of a game: who won, the standings, and what comes next. And the clock of a turn.

const CONFETTI = 60; // pieces of paper
let celebrated = false;
let moving = false; // to the page that sets up the next game

function showEnd() {
  showPodium();
  const body = byId("standings").querySelector("tbody");
  body.replaceChildren();
  for (const line of state.standings) {
    const row = htmlElement("tr", "", body);
    for (const name of ["place", "player", "flags", "damage", "state"]) htmlElement("td", "", row, line[name]);
  }
  byId("summary").textContent = `${game.course}, ${plural(state.turn, "turn")}`;
  const asking = state.again.filter((seat) => seat !== game.seat).map((seat) => game.names[seat]);
  const asked = state.again.includes(game.seat);
  byId("rematch").hidden = game.seat < 0;
  byId("rematch").disabled = gone || asked;
  byId("rematch").textContent = asked ? "Waiting for the others" : "Rematch";
  byId("set-up").hidden = !game.can_set_up || game.seat < 0;
  byId("set-up").disabled = gone;
  byId("others").textContent = asking.length ? `${asking.join(", ")} would like a rematch.` : "";
  followAnalysis("analysis");
  if (!celebrated && state.winners.length) celebrate();
}

// The winners on the top step, the next two places beside them.
function showPodium() {
  const podium = byId("podium");
  podium.replaceChildren();
  const won = state.winners.map((seat) => (seat === game.seat ? "You" : game.names[seat]));
  const verb = won.length > 1 || won[0] === "You" ? "win" : "wins";
  htmlElement("h2", "", podium, won.length ? `${won.join(" and ")} ${verb}!` : "Nobody has won.");
  const steps = htmlElement("ol", "steps", podium);
  for (const line of state.standings.slice(0, 3)) {
    const seat = game.names.indexOf(line.player);
    const step = htmlElement("li", `step place-${line.place}`, steps);
    const robot = svgElement("svg", { viewBox: `0 0 ${game.cell} ${game.cell}`, "aria-hidden": "true" }, step);
    const body = svgElement("g", { transform: `translate(${game.cell / 2} ${game.cell / 2})` }, robot);
    svgElement("use", { href: `#body-${seat}` }, body);
    htmlElement("span", "", step, line.player);
    htmlElement("b", "", step, line.place);
  }
}

function celebrate() {
  celebrated = true;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const paper = htmlElement("div", "confetti", document.body);
  paper.setAttribute("aria-hidden", "true");
  const colours = state.winners.map((seat) => game.colours[seat]);
  for (let i = 0; i < CONFETTI; i++) {
    const piece = htmlElement("i", "", paper);
    piece.style.left = `${100 * Math.random()}%`;
    piece.style.background = i % 3 ? colours[i % colours.length] : "var(--accent)";
    piece.style.animationDelay = `${1.6 * Math.random()}s`;
  }
  setTimeout(() => paper.remove(), 6000);
}

// What a button at the end asks of the server; why it cannot be stands beside it.
async function next(path) {
  byId("end-error").textContent = "";
  try {
    return await ask(path, {});
  } catch (error) {
    if (!(error instanceof Refusal || error instanceof Silence)) throw error;
    byId("end-error").textContent = error.message;
    return null;
  }
}
byId("rematch").addEventListener("click", () => next("again"));
byId("set-up").addEventListener("click", async () => {
  moving = true;
  const done = await next("set_up");
  if (done) location.assign(`../../${done.link}`);
  else moving = false;
});

// ---- the time for orders --------------------------------------------------------------------------------------------

const HURRY = 10; // seconds that are called the last ones
let ends = null; // when the time is over, by the clock of this page

function setClock(seconds) {
  ends = seconds === null || seconds === undefined ? null : performance.now() + 1000 * seconds;
  tick();
}

function tick() {
  const clock = byId("clock");
  const running = ends !== null && state && mayOrder() && !film;
  clock.hidden = !running;
  if (!running) return;
  const left = Math.max(0, Math.ceil((ends - performance.now()) / 1000));
  setText(clock, `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`);
  setClass(clock, left <= HURRY ? "hurry" : "");
  if (left > 0) return;
  ends = null;
  give(); // as far as they are chosen; the rest is drawn by chance
}
setInterval(tick, 250);
