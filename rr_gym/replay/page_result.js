// The result stays hidden until the game has been watched to its end, or whoever watches asks for it.

// The first frame that tells who has won; where a page shows only some turns, none does.
function firstTold() {
  if (!replay.ends) return Infinity;
  const wins = replay.marks.filter(([, kind]) => kind === "win").map(([frame]) => frame);
  const finished = ({ flag }) => replay.num_flags > 0 && flag >= replay.num_flags;
  const flags = states.findIndex((robots) => replay.winners.some((seat) => finished(robots[seat])));
  return Math.min(last, ...wins, flags < 0 ? last : flags);
}

const resultAt = firstTold();
let reached = 0; // the latest frame that was shown
let linked = null; // a frame that the address names, and that would tell the result
let known = last === 0 || Boolean(byId("analysis")) || history.state?.known || new URLSearchParams(location.hash.slice(1)).has("result");
document.documentElement.classList.toggle("secret", !known);

// What has been seen need not be hidden any more.
function reach(frame) {
  const told = !known && frame >= resultAt;
  if (frame <= reached && !told) return;
  reached = Math.max(reached, frame);
  if (told) {
    known = true;
    document.documentElement.classList.remove("secret");
  }
  showMarks();
}

// Where a link leads: to its moment, or to the start of its turn if the moment would tell the result.
function withoutResult(frame) {
  if (known || frame < resultAt) return frame;
  linked = frame;
  const words = "The link leads to the end of the game, which would tell the result. Here is the start of that turn instead.";
  setText(byId("no-result-words"), words);
  choose(byId("tab-standings"));
  return Math.min(turnStarts[frame], resultAt - 1);
}

byId("show-result").addEventListener("click", () => {
  reach(Math.max(last, resultAt));
  goTo(linked ?? at);
  byId("tab-standings").focus();
});
