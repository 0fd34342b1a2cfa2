// The panels of the robots with their registers, and the story of the last turn.

const BETWEEN = { phase: 0, part: "T", acting: null, used: [] }; // instead of a frame: the next turn is being programmed
let panels = [];

// The registers of others are open where their cards were turned over, and empty until there is something in them.
function isOpen(seat, robot, r, frame) {
  if (seat === game.seat || (robot.locked >> r) & 1 || robot.registers[r]) return true;
  if (frame === BETWEEN) return !state.given.includes(seat);
  return frame.phase > r || frame.part === "F" || robot.down || !robot.alive;
}

function marksOf(seat) {
  const own = seat === game.seat ? ["you"] : [];
  if (state.over) return film ? own : [...own, ...(state.winners.includes(seat) ? ["winner"] : [])];
  if (film || state.playing || !game.people.includes(seat)) return own;
  return [...own, ...(state.given.includes(seat) ? ["ready"] : state.awaited.includes(seat) ? ["choosing"] : [])];
}

const narrow = matchMedia("(max-width: 760px) and (orientation: portrait)");
const fitPanels = () => byId("robots").classList.toggle("many", panels.length > 4 || narrow.matches);
narrow.addEventListener("change", fitPanels);

function showRobots({ robots, tokens }, frame = BETWEEN) {
  const now = { data: game, robots, tokens, frame, isOpen, handOf: () => null, marksOf };
  if (frame === BETWEEN) now.robots = robots.map((robot, seat) => (seat === game.seat ? withProgram(robot) : robot));
  panels.forEach((panel, seat) => drawPanel(panel, seat, now));
  if (frame.acting !== null) bringIntoSight(panels[frame.acting].panel);
}

// What is told of the turn stays at the top and must not cover the panel.
function bringIntoSight(panel) {
  const desk = byId("desk");
  if (desk.scrollHeight <= desk.clientHeight) return;
  const top = panel.offsetTop - desk.offsetTop;
  const highest = top - byId("film").offsetHeight - 8;
  desk.scrollTop = Math.max(top + panel.offsetHeight - desk.clientHeight, Math.min(highest, desk.scrollTop));
}

// A person's own robot with the program as far as it is chosen.
function withProgram(robot) {
  const numbers = program.map((card) => (card ? cardOf(card)?.number ?? 0 : 0));
  return { ...robot, registers: robot.registers.map((card, r) => ((robot.locked >> r) & 1 ? card : numbers[r])) };
}

function showStory() {
  byId("story").hidden = !state.story.length;
  const lines = byId("lines");
  lines.replaceChildren();
  for (const [heading, told] of state.story) {
    htmlElement("h3", "", lines, heading);
    for (const line of told) htmlElement("p", "", lines, line);
  }
}
