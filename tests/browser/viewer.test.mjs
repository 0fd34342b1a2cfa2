// The replay page in a browser: it plays, tells, fits, and can be used without a mouse, a script or eyes.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { accessible, address, launch, open, picture } from "./browser.mjs";
import { touch } from "./games.mjs";

const SHOWN = { "320x480": "replay-small", "390x844": "replay-phone", "850x760": "replay-notebook" }; // in the documents
const SIZES = [[320, 480], [390, 844], [640, 400], [850, 760], [1280, 800], [1400, 900], [1920, 1080]];
let browser;
let page; // the long page, which is slow to load

before(async () => {
  browser = await launch();
  page = await open(browser, address("long"));
});
after(() => browser.close());

const value = (name) => page.inputValue(`#${name}`).then(Number);
const told = () => page.textContent("#about");

const turn = (number, step = 1) => page.evaluate(([wanted, at]) => goTo(frames.findIndex((frame) => frame.turn === wanted - 1) + at - 1), [number, step]);

// The middle of a square, in pixels.
const square = (x, y, on = page) => on.evaluate(([column, row]) => {
  const box = document.querySelector(".robots").getBoundingClientRect();
  const [columns, rows] = JSON.parse(document.querySelector("#replay").textContent).size;
  return [box.left + ((column + 0.5) / columns) * box.width, box.top + ((row + 0.5) / rows) * box.height];
}, [x, y]);

async function tapSquare(x, y) {
  await page.keyboard.press("Escape");
  await page.mouse.click(...(await square(x, y)));
  return told();
}

test("300 turns are loaded, and a frame is drawn quickly", async (t) => {
  assert.equal(await page.evaluate(() => frames.at(-1).turn), 299);
  const size = statSync(fileURLToPath(address("long"))).size;
  const load = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
  const play = (first, measure) => page.evaluate(async ([from, forced]) => {
    const found = [];
    for (let i = from; i < from + 300; i++) {
      await new Promise(requestAnimationFrame);
      const start = performance.now();
      show(i);
      if (forced) document.body.getBoundingClientRect(); // style and layout
      found.push(performance.now() - start);
    }
    return found;
  }, [first, measure]);
  const median = (times) => times.sort((a, b) => a - b)[times.length >> 1].toFixed(2);
  const laidOut = median(await play(300, true));
  await browser.startTracing(page, { categories: ["cc"] });
  await play(600, false);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing()));
  const frames = traceEvents.filter(({ name, tdur }) => name === "ProxyMain::BeginMainFrame" && tdur);
  const painted = median(frames.map(({ tdur }) => tdur / 1000));
  t.diagnostic(`${(size / 1e6).toFixed(1)} MB, loaded in ${load.toFixed(0)} ms`);
  t.diagnostic(`a frame: ${laidOut} ms of script, style and layout; ${painted} ms of the main thread with painting (medians)`);
  assert.deepEqual(page.errors, []);
});

test("steps, phases and turns by buttons and keys", async () => {
  await turn(5);
  const start = await value("scrub");
  await page.click("[data-go='step+']");
  assert.equal(await value("scrub"), start + 1);
  await page.keyboard.press("Escape");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("ArrowRight");
  assert.equal(await value("scrub"), start + 2);
  const phase = await page.evaluate(() => frames[at].phase);
  await page.keyboard.press("Shift+ArrowRight");
  assert.match(await page.getAttribute("#scrub", "aria-valuetext"), new RegExp(`^Turn 5, phase ${phase + 1}, `));
  await page.keyboard.press("PageDown");
  assert.equal(await page.textContent("#turn"), "6");
  await page.click("[data-go='turn-']");
  assert.equal(await value("scrub"), start);
  await page.keyboard.press("End");
  assert.equal(await page.textContent("#turn"), "300");
});

test("the scrub bar goes anywhere, by mouse and keys, and says where", async () => {
  const box = await page.locator("#scrub").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const middle = Number(await page.textContent("#turn"));
  assert.ok(middle > 120 && middle < 180, `turn ${middle}`);
  await page.focus("#scrub");
  const position = await value("scrub");
  await page.keyboard.press("ArrowRight");
  assert.equal(await value("scrub"), position + 1);
  assert.match(await page.getAttribute("#scrub", "aria-valuetext"), new RegExp(`^Turn ${await page.textContent("#turn")}, `));
});

test("Space presses the focused button, and plays elsewhere", async () => {
  await turn(5);
  const start = await value("scrub");
  await page.focus("[data-go='step+']");
  await page.keyboard.press(" ");
  assert.equal(await value("scrub"), start + 1);
  assert.equal(await page.getAttribute("#play", "aria-label"), "Play");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press(" ");
  assert.equal(await page.getAttribute("#play", "aria-label"), "Pause");
  await page.keyboard.press(" ");
  assert.equal(await page.getAttribute("#play", "aria-label"), "Play");
});

test("? tells the keys and signs and takes them away again", async () => {
  const start = await value("scrub");
  await page.keyboard.press("?");
  assert.match(await page.textContent("#help"), /Keys and signs.*Space.*play or pause.*archives.*a robot destroyed/s);
  await accessible(page, "help");
  for (const [width, height] of [[320, 480], [390, 844]]) {
    await page.setViewportSize({ width, height });
    assert.ok(await page.evaluate(() => byId("help").scrollWidth <= byId("help").clientWidth), `${width} x ${height}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press("?");
  assert.ok(await page.isHidden("#help"));
  await page.click("#settings summary");
  await page.click("#keys");
  assert.ok(await page.isVisible("#help"));
  await page.keyboard.press("Escape");
  await page.click("#settings summary");
  assert.ok(await page.isHidden("#help"));
  assert.equal(await value("scrub"), start);
});

test("keys of one character can be switched off, and stay off", async () => {
  const own = await open(browser, address("start"));
  await own.evaluate(() => { byId("letters").checked = false; byId("letters").dispatchEvent(new Event("change")); });
  await own.reload();
  await own.keyboard.press("?");
  assert.ok(await own.isHidden("#help"));
  await own.evaluate(() => { byId("letters").checked = true; });
  await own.keyboard.press("?");
  assert.ok(await own.isVisible("#help"));
  await own.context().close();
});

test("f fills the screen, and leaves it", async () => {
  await page.keyboard.press("f");
  await page.waitForFunction(() => document.fullscreenElement === document.documentElement);
  await page.keyboard.press("f");
  await page.waitForFunction(() => !document.fullscreenElement);
});

test("a link to the moment is copied, and leads there", async () => {
  const own = await open(browser, address("short", "#turn=3&step=4"), { permissions: ["clipboard-read", "clipboard-write"] });
  await own.click("#settings summary");
  await own.click("#share");
  await own.waitForFunction(() => byId("link-words").textContent.startsWith("The link is copied."));
  assert.match(await own.textContent("#link-words"), /a file on this computer.*#turn=3&step=4/);
  await accessible(own, "sharing");
  const link = await own.evaluate(() => navigator.clipboard.readText());
  assert.equal(link, await own.inputValue("#link"));
  const other = await open(browser, link);
  assert.equal(await other.inputValue("#scrub"), await own.inputValue("#scrub"));
  await other.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error("no")); return share(); });
  assert.match(await other.textContent("#link-words"), /press Ctrl and C.*#turn=3&step=4/);
  assert.equal(await other.evaluate(() => getSelection().toString() || byId("link").value.slice(byId("link").selectionStart, byId("link").selectionEnd)), link);
  await other.evaluate(() => { byId("sharing").close(); replay.address_is_secret = true; return share(); });
  assert.equal(await other.inputValue("#link"), "#turn=3&step=4");
  assert.match(await other.textContent("#link-words"), /Send the replay as a file/);
  for (const one of [own, other]) await one.context().close();
});

// What would tell the result: the winner's badge and star, standings, the log, and text that is told.
const told_result = (on) => on.evaluate(() => {
  const shown = (selector) => [...document.querySelectorAll(selector)].filter((item) => item.getClientRects().length);
  choose(byId("tab-log"));
  const log = shown("#log .entry").some((entry) => / wins/.test(entry.textContent));
  choose(byId("tab-standings"));
  return { stars: shown("#marks .win").length, badges: shown(".badge.winner").length, standings: shown("#standings table").length, log, now: / wins/.test(byId("now").textContent) };
});
const NOTHING_TOLD = { stars: 0, badges: 0, standings: 0, log: false, now: false };

test("the result is hidden until the end was watched or it is asked for", async () => {
  const at = (hash) => open(browser, address("short", hash));
  for (const hash of ["", "#turn=2", "#turn=999", "#turn=7&step=999"]) {
    const own = await at(hash);
    assert.deepEqual(await told_result(own), NOTHING_TOLD, hash);
    assert.ok(await own.evaluate(() => at < resultAt && states[at].every(({ flag }) => flag < replay.num_flags)), hash);
    await own.emulateMedia({ media: "print" });
    assert.ok(await own.isHidden("#standings table"));
    await own.context().close();
  }
  const own = await at("#turn=999");
  await accessible(own, "without the result");
  await own.click("#show-result");
  const all = await told_result(own);
  assert.ok(all.stars === 2 && all.standings === 1 && all.log, JSON.stringify(all));
  assert.equal(await own.evaluate(() => at === last), true);
  await own.waitForFunction(() => history.state?.known);
  await own.reload();
  assert.equal((await told_result(own)).standings, 1, "loaded again, it stays known");
  const watched = await at("");
  await watched.keyboard.press("End");
  assert.equal((await told_result(watched)).standings, 1);
  const player = await at("#result");
  assert.equal((await told_result(player)).standings, 1);
  const part = await open(browser, address("part", "#turn=3"));
  await part.keyboard.press("End");
  assert.deepEqual(await told_result(part), NOTHING_TOLD, "a page of some turns does not end with the game");
  for (const one of [own, watched, player, part]) await one.context().close();
});

test("marks appear as they are watched", async () => {
  const own = await open(browser, address("short"));
  const seen = () => own.evaluate(() => spots.filter(({ element }) => element.getClientRects().length).map(({ mark }) => mark[0]));
  assert.deepEqual(await seen(), []);
  await own.evaluate(() => goTo(replay.marks[2][0]));
  const now = await own.evaluate(() => replay.marks.map(([frame]) => frame).filter((frame) => frame <= at));
  assert.deepEqual(await seen(), now);
  await own.evaluate(() => goTo(0));
  assert.deepEqual(await seen(), now, "what was watched stays marked");
  await own.context().close();
});

test("marks do not overlap", async () => {
  for (const name of ["short", "eight", "long"]) {
    const own = await open(browser, address(name, "#result"));
    for (const width of [390, 850, 1400]) {
      await own.setViewportSize({ width, height: 844 });
      await own.waitForFunction(() => drawMarks.width === byId("marks").clientWidth);
      const boxes = await own.evaluate(() => spots.map(({ element }) => element.getBoundingClientRect()).map(({ left, right }) => [left, right]));
      assert.ok(boxes.length > 2);
      boxes.slice(1).forEach(([left], i) => assert.ok(left >= boxes[i][1] - 0.01, `${name}, ${width}: ${boxes[i]} and ${boxes[i + 1]}`));
    }
    await own.context().close();
  }
});

test("eight robots fit beside the board", async () => {
  const own = await open(browser, address("eight"), { viewport: { width: 1400, height: 900 } });
  const over = await own.evaluate(() => frames.map((_, i) => { show(i); return byId("robots").scrollHeight - byId("robots").clientHeight; }).filter((more) => more > 0).length);
  assert.equal(over, 0);
  await own.context().close();
});

test("on a phone two fingers and buttons zoom, and no half of the window is blank", async () => {
  const own = await open(browser, address("long", "#turn=5&step=20"), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const board = () => own.locator(".board").boundingBox();
  const whole = await board();
  const stage = await own.locator("#stage").boundingBox();
  assert.ok(stage.height < whole.height + 16, `${stage.height} for a board of ${whole.height}`);
  assert.ok((await own.locator(".panel >> nth=2").boundingBox()).y < 700);
  const [x, y] = [stage.x + stage.width / 2, stage.y + stage.height / 2];
  await touch(own, [[x - 20, y], [x + 20, y]], [[x - 60, y], [x + 60, y]]);
  assert.ok((await board()).width > 2 * whole.width);
  assert.ok(await own.isHidden("#about"), "a pinch is no tap");
  await own.click("[data-zoom=out]");
  for (let i = 0; i < 9; i++) if (await own.isVisible("[data-zoom=out]")) await own.click("[data-zoom=out]");
  assert.ok(Math.abs((await board()).width - whole.width) < 1);
  await own.click("[data-zoom=in]");
  assert.ok((await board()).width > 1.3 * whole.width);
  await accessible(own, "zoomed");
  assert.deepEqual(own.errors, []);
  await own.context().close();
});

test("a better program is shown by a ghost that walks beside the robot", async () => {
  const own = await open(browser, address("analysis"), { viewport: { width: 1400, height: 900 } });
  assert.ok(await own.isVisible("#analysis"));
  assert.equal((await told_result(own)).standings, 1, "an analysis tells the result");
  await own.click("#tab-analysis");
  const wanted = await own.evaluate(() => betters.reduce((worst, one) => (one.given > worst.given ? one : worst)));
  await own.click("ol [data-better] >> nth=0");
  assert.equal(await own.textContent("#turn"), String(wanted.turn));
  const ghost = () => own.locator('[data-layer="ghosts"] .walker').evaluate((group) => group.style.transform);
  const first = await ghost();
  assert.equal(await own.getAttribute('[data-layer="ghosts"] use', "href"), `#body-${wanted.seat}`);
  const rows = await own.locator("#better tbody tr").allTextContents();
  const names = await own.evaluate(({ played, better: cards }) => cards.map((card, r) => `${r + 1}${cardWords(replay.cards[played[r]])}${cardWords(replay.cards[card])}`), wanted);
  assert.deepEqual(rows, names);
  await own.waitForFunction(() => !playing, undefined, { timeout: 60_000 });
  assert.equal(await own.textContent("#turn"), String(wanted.turn), "it stops at the end of the turn");
  assert.notEqual(await ghost(), first);
  const end = await own.evaluate(() => { const [, x, y] = better.path.at(-1); return x === null ? null : `translate(${board.centre(x, y)[0]}px, ${board.centre(x, y)[1]}px)`; });
  if (end) assert.ok((await ghost()).startsWith(end), `${await ghost()} is not ${end}`);
  await accessible(own, "with a ghost");
  await picture(own, "analysis");
  await own.setViewportSize({ width: 390, height: 844 });
  await accessible(own, "with a ghost, narrow");
  await own.setViewportSize({ width: 1400, height: 900 });
  await own.click("#better [data-better]:has-text('Hide')");
  assert.equal(await own.locator('[data-layer="ghosts"] .walker').count(), 0);
  await own.click("ol [data-better] >> nth=0");
  await own.evaluate(() => goTo(0));
  assert.equal(await own.locator('[data-layer="ghosts"] .walker').count(), await own.evaluate(() => (better?.turn === 1 ? 1 : 0)), "in another turn it goes");
  assert.deepEqual(own.errors, []);
  await own.context().close();
});

test("turn by turn, 300 turns take three minutes", async () => {
  await page.evaluate(() => goTo(0));
  await page.click("#settings summary");
  await page.selectOption("#pace", "turn");
  await page.selectOption("#speed", "8");
  await page.keyboard.press("Escape");
  assert.ok((await page.evaluate(() => BEATS.turn * 300)) <= 180_000);
  await page.click("#play");
  await page.waitForFunction(() => Number(document.querySelector("#turn").textContent) >= 6);
  await page.click("#play");
  const [at, end] = await page.evaluate(() => [at, frames.findLastIndex((frame) => frame.turn === frames[at].turn)]);
  assert.equal(at, end);
  await page.evaluate(() => { byId("pace").value = "step"; byId("speed").value = "1"; setPace(); byId("settings").open = false; });
});

test("ten things say what they are", async () => {
  await turn(40, 6);
  assert.match(await tapSquare(5, 8), /Square \(5, 8\).*Pit: Destroys every robot/);
  assert.match(await tapSquare(3, 8), /Conveyor, to the south, turning riders from the west/);
  assert.match(await tapSquare(8, 3), /Trap-door pit, in phases 1, 3 and 5/);
  assert.match(await tapSquare(0, 11), /Board laser, on the west side, two beams to the east/);
  const [robot, name] = await page.evaluate(() => { const seat = states[at].findIndex((r) => r.alive); return [squareOf(states[at][seat]), replay.names[seat]]; });
  assert.ok((await tapSquare(...robot)).includes(`${name}, facing `));
  await page.click(".who >> nth=3");
  assert.match(await told(), /champion.*Flags: \d of 4.*Damage: \d+ of 10/);
  await page.keyboard.press("Escape");
  await page.click(".registers li >> nth=0");
  assert.match(await told(), /Register 1 of greedy.*priority \d+: The robot /);
  await page.keyboard.press("Escape");
  const [option, sentence] = await page.evaluate(() => {
    const owns = (robot) => Object.keys(robot.options).length > 0;
    goTo(states.findIndex((robots) => robots.some(owns)));
    const id = Object.keys(states[at].find(owns).options)[0];
    return [replay.options[id].name, replay.option_sentences[id]];
  });
  await page.click(".options li >> nth=0");
  assert.ok((await told()).includes(option) && (await told()).includes(sentence));
  const [place, device] = await page.evaluate(() => { const i = tokens.findIndex((lying) => lying.devices.length); goTo(i); const found = tokens[i].devices[0]; return [found.at, replay.devices[found.stamp.replace(/-.*/, "")]]; });
  assert.ok((await tapSquare(...place)).includes(device));
  const mark = await page.evaluate(() => { const box = byId("marks").getBoundingClientRect(); const m = replay.marks.find(([, kind]) => kind === "flag"); return [box.left + (placeOf(m[0]) / 100) * box.width, box.top + 4, m[3]]; });
  await page.mouse.click(mark[0], mark[1]);
  assert.match(await told(), /Turn \d+/);
  await page.keyboard.press("Escape");
  assert.equal(await page.isVisible("#about"), false);
});

test("a mouse that rests shows the same, and it goes when the mouse does", async () => {
  await page.mouse.move(...(await square(5, 8)));
  await page.waitForSelector("#about:not([hidden])");
  assert.match(await told(), /Pit/);
  await page.mouse.move(2, 2);
  await page.waitForSelector("#about", { state: "hidden" });
});

test("the keyboard points at squares", async () => {
  await page.focus(".board");
  await page.keyboard.press("ArrowRight");
  const first = await told();
  await page.keyboard.press("ArrowRight");
  assert.match(first, /^Square \(/);
  assert.notEqual(await told(), first);
  await page.waitForFunction((words) => document.querySelector("#said").textContent.startsWith(words), (await page.textContent("#about h2")));
  await page.keyboard.press("Escape");
});

test("a robot's name that is pressed by a key leads to its card and back", async () => {
  await turn(20, 30);
  const [seat, name] = await page.evaluate(() => { const seat = states[at].findIndex((robot, i) => robot.alive && Math.hypot(...telling.nextFlag(i, positionAt(at)).map((place, axis) => place - squareOf(robot)[axis])) > 2); return [seat, replay.names[seat]]; });
  await page.focus(`.who >> nth=${seat}`);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => byId("about").contains(document.activeElement)), true);
  assert.equal(await page.locator("#about").getAttribute("aria-labelledby").then((id) => page.textContent(`#${id}`)), name);
  assert.equal(await page.locator(".goal").count(), 1);
  await page.keyboard.press("Escape");
  assert.equal(await page.locator(".goal").count(), 0);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), `${seat + 1}${name}`);
});

test("marks on the time line have the colours of their robots", async () => {
  const strokes = (on) => on.evaluate(() => [...document.querySelectorAll("#marks path:not(.edge)")].map((path) => [path.getAttribute("class"), path.getAttribute("stroke"), getComputedStyle(path).stroke]));
  const short = await open(browser, address("short"));
  const found = [...(await strokes(page)), ...(await strokes(short))];
  const rgb = (colour) => `rgb(${[1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16)).join(", ")})`;
  assert.deepEqual(found.filter(([, colour, drawn]) => drawn !== rgb(colour)), []);
  assert.deepEqual([...new Set(found.map(([name]) => name))].sort(), ["flag", "loss", "loss thin", "win"]);
  await short.context().close();
});

test("in wide windows log and standings stand beside the robots", async () => {
  await turn(12, 3);
  await page.setViewportSize({ width: 1600, height: 900 });
  await page.waitForSelector("#log .entry[aria-current]");
  assert.ok((await page.isVisible("#robots")) && (await page.isHidden("#tab-robots")));
  await page.focus("[role=tab][tabindex='0']");
  assert.equal(await page.evaluate(() => document.activeElement.id), "tab-log");
  await page.keyboard.press("ArrowRight");
  assert.ok((await page.isVisible("#standings")) && (await page.isVisible("#robots")));
  await page.keyboard.press("ArrowRight");
  assert.ok(await page.isVisible("#log"));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.click("#tab-robots");
});

test("in narrow windows a tab brings what it chooses into sight", async () => {
  await page.setViewportSize({ width: 320, height: 480 });
  await tapSquare(5, 8);
  await page.click("#tab-standings");
  const { y } = await page.locator("#standings tbody tr").first().boundingBox();
  assert.ok(y < 300, `the first row is at ${y}`);
  assert.ok(await page.isHidden("#about"));
  await page.evaluate(() => { document.querySelector("main").scrollTop = 0; });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.click("#tab-robots");
});

test("the log tells every event of the turn and goes there", async () => {
  await turn(12, 3);
  await page.click("#tab-log");
  const lines = await page.evaluate(() => frames.filter((frame) => frame.turn === 11).flatMap(linesOf));
  assert.ok(lines.length > 10);
  const text = await page.textContent("#log");
  assert.deepEqual(lines.filter((line) => !text.includes(line)), []);
  await page.click("#log .entry >> nth=7");
  assert.equal(await page.getAttribute("#log .entry >> nth=7", "aria-current"), "step");
  assert.equal(await page.textContent("#turn"), "12");
  await page.click("#tab-standings");
  assert.equal(await page.locator("#standings tbody tr").count(), 8);
  for (const width of [320, 850, 1280]) {
    await page.setViewportSize({ width, height: 760 });
    const [cut, states] = await page.evaluate(() => [byId("standings").scrollWidth - byId("standings").clientWidth, [...document.querySelectorAll("#standings tr :last-child")].every((cell) => cell.offsetWidth > 0)]);
    assert.ok(cut <= 0 && states, `${width}: ${cut} pixels of the standings are cut off`);
    const broken = await page.evaluate(() => [...document.querySelectorAll("#standings .ranked > :last-child")].filter((name) => name.getClientRects()[0].height > name.textContent.split(" ").length * 1.6 * parseFloat(getComputedStyle(name).fontSize)).map((name) => name.textContent));
    assert.deepEqual(broken, [], `${width}: names are broken within a word`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.click("#tab-robots");
});

test("as a seat saw it, others' cards lie face down and their hands are not there", async () => {
  await turn(1, 2);
  const shown = () => page.evaluate(() => panels.map(({ slots, hand }) => [slots.filter(({ slot }) => slot.classList.contains("closed")).length, hand.textContent !== ""]));
  assert.ok((await shown()).every(([closed, hand]) => closed === 0 && hand));
  await page.evaluate(() => { byId("seen").value = "2"; byId("seen").dispatchEvent(new Event("change")); });
  const seen = await shown();
  assert.deepEqual(seen[2], [0, true]);
  assert.ok(seen.some(([closed]) => closed === 5) && seen.every(([, hand], seat) => hand === (seat === 2)));
  const words = await page.evaluate(() => linesOf(frames[at]).join());
  assert.ok(!words.includes("greedy programs"));
  await page.evaluate(() => { byId("seen").value = "-1"; byId("seen").dispatchEvent(new Event("change")); });
});

test("trails and arrows to flags can be switched", async () => {
  await turn(20, 30);
  assert.ok((await page.locator(".trail").count()) > 0);
  await page.evaluate(() => byId("goals").click());
  assert.ok((await page.locator(".goal").count()) > 0);
  await page.evaluate(() => { byId("goals").click(); byId("trails").click(); });
  assert.equal(await page.locator(".trail, .goal").count(), 0);
  await page.evaluate(() => byId("trails").click());
});

for (const [width, height] of SIZES) {
  test(`board and controls fit ${width} x ${height}, and names can be read`, async () => {
    await page.setViewportSize({ width, height });
    await turn(5, 20);
    const found = await page.evaluate(() => {
      const inside = (box) => box.left >= -0.5 && box.top >= -0.5 && box.right <= innerWidth + 0.5 && box.bottom <= innerHeight + 0.5;
      const outside = [".board", "#scrub", "#settings summary", "h1", "#parts", ...[...document.querySelectorAll(".buttons button")]]
        .map((item) => (typeof item === "string" ? document.querySelector(item) : item))
        .filter((item) => !inside(item.getBoundingClientRect())).map((item) => item.outerHTML.slice(0, 60));
      const page = document.documentElement;
      const cut = [...document.querySelectorAll(".name")].filter((name) => name.scrollWidth > name.clientWidth + 1 && getComputedStyle(name).overflow !== "visible").length;
      const wide = [...document.querySelectorAll(".panel, .panel *")].filter((item) => item.getBoundingClientRect().right > innerWidth + 1).length;
      return { outside, over: [page.scrollWidth > innerWidth, page.scrollHeight > innerHeight], cut, wide, names: document.querySelectorAll(".name").length };
    });
    assert.deepEqual(found, { outside: [], over: [false, false], cut: 0, wide: 0, names: 8 });
    const name = SHOWN[`${width}x${height}`];
    if (name) await picture(page, name);
  });
}

test("names are short, and nothing shows a path", async () => {
  await page.setViewportSize({ width: 1280, height: 800 });
  assert.ok(!(await page.evaluate(() => document.body.innerText)).includes("runs/"));
  assert.equal(await page.textContent(".name >> nth=3"), "champion");
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing, ${colorScheme}`, async () => {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await turn(40, 10);
    await accessible(page, "robots");
    await page.click("#tab-log");
    await page.click("#settings summary");
    await accessible(page, "log and settings");
    await page.click("#settings summary");
    await page.click("#tab-standings");
    await tapSquare(5, 8);
    await accessible(page, "standings and a card");
    await page.keyboard.press("Escape");
    await page.click("#tab-robots");
    await page.setViewportSize({ width: 390, height: 844 });
    await accessible(page, "narrow");
    await page.setViewportSize({ width: 1280, height: 800 });
  });
}

test("printed, damage keeps its colour and its number", async () => {
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  const found = await page.evaluate(() => {
    const seat = states[at].findIndex((robot) => robot.damage > 0);
    const style = getComputedStyle(panels[seat].dots[0]);
    return [style.printColorAdjust, style.backgroundColor !== "rgba(0, 0, 0, 0)", panels[seat].points.textContent === String(states[at][seat].damage), panels[seat].panel.offsetHeight > 0];
  });
  assert.deepEqual(found, ["exact", true, true, true]);
  assert.ok(await page.evaluate(() => ((title) => title.scrollWidth <= title.clientWidth)(document.querySelector("h1"))));
  await page.emulateMedia({ media: "screen" });
  assert.deepEqual(page.errors, []);
});

test("without a script the last position is right", async () => {
  const plain = await open(browser, address("short"), { javaScriptEnabled: false });
  const shown = await open(browser, address("short", "#turn=999"));
  const alive = await shown.evaluate(() => states[last].map((robot, seat) => (robot.alive ? [seat + 1, squareOf(robot)] : null)).filter(Boolean));
  assert.ok(alive.length > 0);
  const boxes = await plain.locator(".board noscript > svg > g > g").evaluateAll((groups) => groups.map((group) => group.getBoundingClientRect().toJSON()));
  for (const [, place] of alive) {
    const [x, y] = await square(...place, plain);
    const near = boxes.filter((box) => Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y) < 0.7 * box.width);
    assert.equal(near.length, 1, `${near.length} robots on ${place}`);
  }
  assert.equal(await plain.locator("#standings tbody tr").first().isVisible(), true);
  assert.equal(await plain.locator("footer").isVisible(), false);
  await shown.context().close();
  await plain.context().close();
});

test("in the frame of a notebook", async () => {
  const outer = await open(browser, address("frame"), { viewport: { width: 850, height: 800 } });
  const frame = outer.frameLocator("iframe");
  await frame.locator("[data-go='turn+']").click();
  assert.equal(await frame.locator("#turn").textContent(), "2");
  assert.deepEqual(outer.errors, []);
  await outer.context().close();
});

test("a position without a turn has nothing to play", async () => {
  const start = await open(browser, address("start"));
  assert.equal(await start.locator(".controls").isVisible(), false);
  await start.mouse.click(...(await square(2, 1, start)));
  assert.match(await start.textContent("#about"), /Pit/);
  assert.deepEqual(start.errors, []);
  await start.context().close();
});

test("pictures for the documents", async () => {
  const short = await open(browser, address("short", "#turn=5&step=20"));
  await short.click(".who >> nth=2");
  await short.waitForTimeout(300);
  await picture(short, "replay");
  assert.deepEqual(short.errors, []);
  await short.context().close();
});
