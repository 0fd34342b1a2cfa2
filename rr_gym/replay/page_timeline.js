// The time line: what is marked on it, as far as it has been watched, and the numbers of turns below it.

const placeOf = (frame) => (100 * frame) / Math.max(1, last);

// Flags stand on poles, destroyed robots are crosses, wins are stars: each in the colour of its robot.
const MARK_PATHS = {
  flag: "M-3 15V2L4 5L-3 8",
  loss: "M-3 9L3 15M-3 15L3 9",
  win: "M0 1L1.8 5.6L6.6 5.9L2.9 9L4.1 13.7L0 11.1L-4.1 13.7L-2.9 9L-6.6 5.9L-1.8 5.6Z",
};
const ROOM = 13; // pixels that a mark takes, with its edge
const MANY = 60; // destroyed robots; more of them are bars below the other marks
const BAR = 3; // pixels from one bar to the next

const isBar = replay.marks.filter(([, kind]) => kind === "loss").length > MANY ? ([, kind]) => kind === "loss" : () => false;
const single = replay.marks.filter((mark) => !isBar(mark));
let spots = []; // of the single marks: { mark, x, element }
let bars = null;

// Marks lie where their moment is, as far as there is room: those that are close are moved apart. Where even that does
// not help, they are drawn smaller.
function spread(places, width) {
  const gap = Math.min(ROOM, width / Math.max(1, places.length - 1));
  const xs = [];
  places.forEach((place, i) => xs.push(i ? Math.max(place, xs[i - 1] + gap) : place));
  for (let i = xs.length - 1; i >= 0; i--) xs[i] = Math.min(xs[i], i === xs.length - 1 ? width : xs[i + 1] - gap);
  return { xs, scale: (gap / ROOM) * (bars ? 0.66 : 1) };
}

function drawMarks() {
  const box = byId("marks");
  const width = box.clientWidth;
  if (!width || drawMarks.width === width) return;
  drawMarks.width = width;
  box.replaceChildren();
  bars = replay.marks.some(isBar) ? drawBars(box, width) : null;
  const { xs, scale } = spread(single.map(([frame]) => (placeOf(frame) / 100) * width), width);
  spots = single.map((mark, i) => ({ mark, x: xs[i], element: drawMark(box, mark, xs[i], scale) }));
  showMarks();
}

function drawMark(box, [, kind, seat], x, scale) {
  const spot = svgElement("g", { transform: `translate(${x} 0) scale(${scale})` }, box);
  svgElement("path", { d: MARK_PATHS[kind], class: `${kind} edge` }, spot);
  const stroke = replay.colours[seat];
  svgElement("path", { d: MARK_PATHS[kind], class: kind, stroke, fill: kind === "loss" ? "none" : stroke }, spot);
  return spot;
}

// The robots that were destroyed at about the same time lie upon each other in one bar.
function drawBars(box, width) {
  const columns = new Map();
  for (const [frame, , seat] of replay.marks.filter(isBar)) {
    const column = Math.floor(((placeOf(frame) / 100) * width) / BAR);
    columns.set(column, [...(columns.get(column) ?? []), seat]);
  }
  const highest = Math.max(...[...columns.values()].map((seats) => seats.length));
  const part = Math.min(2, 6 / highest);
  const group = svgElement("svg", { height: 17 }, box); // as wide as what has been watched
  replay.colours.forEach((stroke, seat) => {
    let d = "";
    for (const [column, seats] of columns) {
      seats.forEach((who, i) => (d += who === seat ? `M${BAR * (column + 0.5)} ${17 - i * part}v${-part}` : ""));
    }
    if (d) svgElement("path", { d, class: "loss thin", stroke }, group);
  });
  return group;
}

// What has not been watched is not marked yet.
const isShown = ([frame]) => known || frame <= reached;

function showMarks() {
  for (const { mark, element } of spots) element.classList.toggle("ahead", !isShown(mark));
  bars?.setAttribute("width", `${known ? 100 : placeOf(reached)}%`);
}

// The mark next to a pointer, -1 if there is none, and how far along the line the pointer is.
function markAt(event) {
  const { left, width } = byId("marks").getBoundingClientRect();
  const x = event.clientX - left;
  const away = (spot) => Math.abs(spot.x - x);
  const lost = replay.marks.filter(isBar).map((mark) => ({ mark, x: (placeOf(mark[0]) / 100) * width }));
  const found = [...spots, ...lost].filter(({ mark }) => isShown(mark));
  const near = found.reduce((best, spot) => (best === null || away(spot) < away(best) ? spot : best), null);
  const frame = Math.round((Math.min(width, Math.max(0, x)) / width) * last);
  return { near: near && away(near) < 9 ? replay.marks.indexOf(near.mark) : -1, frame };
}

// Turns below the scrub bar, as many as there is room for.
function drawTicks() {
  const list = byId("ticks");
  const room = (100 * 30) / Math.max(1, list.clientWidth);
  let free = 0;
  list.replaceChildren();
  frames.forEach((frame, i) => {
    if (turnStarts[i] !== i || placeOf(i) < free) return;
    htmlElement("span", "", list, String(frame.turn + 1)).style.left = `${placeOf(i)}%`;
    free = placeOf(i) + room;
  });
}
