// What is drawn on the board: a position, or the turn that was played as an animation.

const BEAT = 380; // milliseconds a moment at normal speed
let film = null; // the turn that is being shown
let floor = ""; // the number of the floor that is drawn
let squares = null; // what can be said of it

async function drawFloor(number) {
  if (floor === number) return;
  const { svg, about: sentences } = await ask(`floor/${number}`);
  board.setFloor(svg);
  squares = sentences;
  floor = number;
}

function draw(position, beat = 0, frame = BETWEEN) {
  const { robots, tokens, look, effects = [] } = position;
  board.show({ robots, tokens, look, effects }, beat);
  shown = { robots, tokens, look, about: squares, frame };
  showRobots(shown, frame);
  about.refresh();
}

async function showPosition() {
  await drawFloor(state.floor);
  draw({ robots: state.robots, tokens: state.tokens, look: 0 });
}

// Shows a turn; another one that is being shown ends. Returns whether it was shown to its end, or skipped.
async function play(turn) {
  skip();
  const mine = (film = {});
  about.hide();
  byId("orders").hidden = byId("story").hidden = byId("end").hidden = true;
  byId("film").hidden = false;
  document.body.classList.add("showing");
  byId("desk").scrollTop = 0;
  byId("film-title").textContent = `Turn ${turn.turn + 1}`;
  byId("film-text").textContent = "";
  say(`Turn ${turn.turn + 1} is shown.`);
  await drawFloor(turn.floor);
  let robots = turn.robots;
  draw({ robots, tokens: turn.tokens, look: turn.look }, 0, { ...BETWEEN });
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  for (const frame of turn.frames) {
    if (mine.skipped) break;
    const beat = BEAT / Number(byId("speed").value);
    robots = robots.map((robot, seat) => (frame.robots[seat] ? { ...robot, ...frame.robots[seat] } : robot));
    draw({ ...frame, robots }, still ? 0 : beat, frame);
    tellOf(frame, turn);
    await Promise.race([pause(frame.effects.length ? 1.35 * beat : beat), new Promise((done) => (mine.wake = done))]);
  }
  if (film !== mine) return false;
  film = null;
  byId("film").hidden = true;
  document.body.classList.remove("showing");
  return true;
}

function tellOf(frame, turn) {
  byId("film-title").textContent = `Turn ${turn.turn + 1}, ${frame.phase ? `phase ${frame.phase}` : frame.title}`;
  setText(byId("film-text"), frame.log.join(" · "));
  for (const part of byId("parts").children) part.classList.toggle("current", part.dataset.part === frame.part);
}

function skip() {
  if (!film) return;
  film.skipped = true;
  film.wake?.();
}
