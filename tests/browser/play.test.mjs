// A whole game at pages of `rr-gym play --web`: two people, each with a browser of their own, and two players.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, test } from "node:test";
import { accessible, launch, picture } from "./browser.mjs";
import { drag, seated, serve, stop, watched } from "./games.mjs";

const SIZES = [[320, 480], [390, 844], [640, 400], [850, 760], [1280, 860], [1400, 900], [1920, 1080]];
const GAME_SIZES = [[390, 844], [850, 760], [1400, 900]];
const MOST_TURNS = 60;
const folder = mkdtempSync(path.join(tmpdir(), "rr-gym-"));
const out = path.join(folder, "game");
const words = ["--players", "human,greedy,random", "--seed", "3", "--set", "lives=unlimited", "--set", "option_cards=on", "--set", "start_options=3"];
let server;
let browser;
let pages;
let now = 2; // the turn, once the first has been played

before(async () => {
  browser = await launch();
  server = await serve(...words, "--out", out);
  pages = [];
  for (const link of server.links.slice(0, 2)) pages.push(await seated(browser, link));
});
after(async () => {
  await browser?.close();
  await stop(server, "SIGINT");
});

const status = (page) => page.textContent("#status");
const cards = (page) => page.locator("#hand button").evaluateAll((found) => found.map((button) => button.dataset.card));
const program = (page) => page.locator("#registers button").evaluateAll((found) => found.map((button) => (button.className ? button.textContent : "")));
const ghosts = (page) => page.locator('[data-layer="ghosts"] > *').count();
const marked = (page) => page.locator('[data-layer="marks"] > *').count();
const marks = (page) => page.locator("#robots .badges").evaluateAll((found) => found.slice(0, 2).map((list) => [...list.children].map((badge) => badge.textContent).join(" ")));
const badge = (page, text) => page.waitForFunction((words) => document.querySelector("#robots .badges").textContent === words, text);
const faceDown = (page, seat) => page.locator(`#robots .panel:nth-child(${seat + 1}) .closed`).count();
const turn = (page) => page.textContent("#heading").then((text) => Number(text.match(/\d+/)?.[0]));

// Both take a hint and go, each in a window of another size in every turn.
async function playTurn() {
  for (const [i, page] of pages.entries()) {
    const [width, height] = GAME_SIZES[(now + i) % GAME_SIZES.length];
    await page.setViewportSize({ width, height });
    await page.selectOption("#adviser", "racer");
    await page.click("#hint");
    await page.waitForFunction(() => !document.querySelector("#go").disabled);
    await page.click("#go");
  }
  for (const page of pages) await watched(page, now);
  now++;
}

test("cards go to registers by clicks and keys, and the ghost shows where they lead", async () => {
  const [one] = pages;
  await one.waitForSelector("#hand button");
  assert.match(await status(one), /your orders/);
  assert.ok(await one.isDisabled("#go"));
  await one.locator("#hand button").nth(2).click();
  await one.waitForFunction(() => document.querySelector('[data-layer="marks"] > *'));
  assert.equal((await program(one)).filter(Boolean).length, 1);
  await one.keyboard.press("1");
  await one.keyboard.press("4");
  assert.equal((await program(one)).filter(Boolean).length, 3);
  await one.keyboard.press("Backspace");
  await one.locator("#registers button").nth(0).click();
  const left = await program(one);
  assert.equal(left[0], "");
  assert.equal(left.filter(Boolean).length, 1);
  await one.click("#clear");
  assert.equal(await marked(one), 0);
  for (let i = 0; i < 5; i++) await one.locator("#hand button").nth(i).click();
  await one.waitForFunction(() => document.querySelectorAll('[data-layer="ghosts"] > *').length > 0);
  assert.ok((await marked(one)) > 1);
  assert.ok((await ghosts(one)) > 0);
  assert.ok(!(await one.isDisabled("#go")));
  await one.click("#leads summary");
  await one.waitForFunction(() => document.querySelector("#preview").textContent.includes("end of the turn"));
  await one.click("#leads summary");
  await one.setViewportSize({ width: 1400, height: 900 });
  await picture(one, "web-play");
  await one.setViewportSize({ width: 1280, height: 860 });
});

test("keys of one character can be switched off, and stay off", async () => {
  const [one] = pages;
  await one.click("#clear");
  await one.uncheck("#letters");
  await one.focus("#clear");
  for (const key of ["1", "h", "g"]) await one.keyboard.press(key);
  assert.equal((await program(one)).filter(Boolean).length, 0);
  await one.reload();
  await one.waitForSelector("#hand button:enabled");
  assert.ok(!(await one.isChecked("#letters")));
  await one.check("#letters");
  await one.focus("#clear");
  await one.keyboard.press("1");
  assert.equal((await program(one)).filter(Boolean).length, 1);
});

test("the sound is heard when it is switched on, and wakes with the first press after a page was loaded", async () => {
  const [one] = pages;
  await one.click("#sound");
  await one.waitForFunction(() => document.querySelector("#status").textContent === "This sound calls you. Did you hear it?");
  const loudest = await one.evaluate(async () => {
    const silent = new OfflineAudioContext(1, 44100, 44100);
    ring(silent);
    return Math.max(...(await silent.startRendering()).getChannelData(0).map(Math.abs));
  });
  assert.ok(loudest > 0.05 && loudest < 0.5, `as loud as ${loudest}`);
  await one.reload();
  await one.waitForSelector("#hand button:enabled");
  assert.equal(await one.getAttribute("#sound", "aria-pressed"), "true");
  await one.click("#heading");
  await one.waitForFunction(() => audio?.state === "running");
  await one.click("#sound");
  assert.deepEqual(one.errors, []);
});

test("cards are dragged to registers, between them, and back", async () => {
  const [one] = pages;
  await one.click("#clear");
  const hand = await cards(one);
  const held = () => one.locator("#registers button").evaluateAll((found) => found.map((button) => button.dataset.card ?? ""));
  await drag(one, "#hand li:nth-child(3)", "#registers li:nth-child(2)");
  await drag(one, "#hand li:nth-child(1)", "#registers li:nth-child(4)");
  assert.deepEqual(await held(), ["", hand[2], "", hand[0], ""]);
  await drag(one, "#registers li:nth-child(2)", "#registers li:nth-child(4)");
  assert.deepEqual(await held(), ["", hand[0], "", hand[2], ""]);
  await drag(one, "#hand li:nth-child(5)", "#registers li:nth-child(2)");
  assert.deepEqual(await held(), ["", hand[4], "", hand[2], ""]);
  await drag(one, "#registers li:nth-child(4)", "#heading");
  assert.deepEqual(await held(), ["", hand[4], "", "", ""]);
  await one.focus("#registers li:nth-child(2) button");
  await one.keyboard.press("ArrowRight");
  await one.keyboard.press("ArrowRight");
  assert.deepEqual(await held(), ["", "", "", hand[4], ""]);
  for (let i = 0; i < 4; i++) await one.locator("#hand button").nth(i).click();
  await one.waitForFunction(() => !document.querySelector("#go").disabled);
  await one.reload();
  await one.waitForFunction(() => document.querySelector("#go") && !document.querySelector("#go").disabled);
  assert.deepEqual(await held(), [...hand.slice(0, 3), hand[4], hand[3]], "the program is kept when the page is loaded again");
});

test("a square that is pointed at says what lies there", async () => {
  const [one] = pages;
  const box = await one.locator(".robots").boundingBox();
  await one.mouse.click(box.x + (10.5 * box.width) / 12, box.y + (1.5 * box.height) / 16);
  await one.waitForSelector("#about:not([hidden])");
  assert.match(await one.textContent("#about"), /\(10, 1\).*gear/is);
  await one.keyboard.press("Escape");
  assert.ok(await one.isHidden("#about"));
});

test("robots, their options and cards say what they are", async () => {
  const [one] = pages;
  await one.click("#robots .who >> nth=2");
  assert.match(await one.textContent("#about"), /greedy.*facing north.*Flags: 0 of 3\. The next one, flag 1, is at \(7, 1\).*Damage: 0 of 10/s);
  const option = one.locator("#robots .options li").first();
  const name = (await option.textContent()).replace(/ \d+$/, "");
  await option.click();
  assert.match(await one.textContent("#about"), new RegExp(`${name}.*Of human 1\\..*${name}: \\w.{20}`, "s"));
  await one.keyboard.press("Escape");
  assert.ok(await one.isHidden("#about"));
  await one.focus("#robots .who >> nth=1");
  await one.keyboard.press("Enter");
  assert.match(await one.textContent("#about h2"), /human 2/);
  await one.keyboard.press("Escape");
  assert.match(await one.evaluate(() => document.activeElement.textContent), /human 2/);
  assert.match(await one.getAttribute("#hand button >> nth=0", "title"), /^The robot /);
});

test("every order can be given, and the legal ones alone", async () => {
  const [one] = pages;
  await one.check("#switches input[name=power_down]");
  await one.click("#more summary");
  const offered = await one.locator("#controls select").evaluateAll((lists) => lists.map((list) => list.options.length));
  assert.ok(offered.length > 0 && offered.every((count) => count > 1), String(offered));
  await one.click("#more summary");
  await one.uncheck("#switches input[name=power_down]");
  assert.equal(await one.textContent("#error"), "");
});

test("a page fits any window and has no fault that axe-core finds", async () => {
  const [one] = pages;
  await accessible(one, "between turns");
  await one.emulateMedia({ colorScheme: "dark" });
  await accessible(one, "between turns, dark");
  await one.emulateMedia({ colorScheme: "light" });
  for (const [width, height] of SIZES) {
    await one.setViewportSize({ width, height });
    const wide = await one.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${width} x ${height}: ${wide} pixels too wide`);
    const board = await one.locator(".board").boundingBox();
    assert.ok(board.width > 200 && board.width <= width, `${width} x ${height}: the board is ${board.width} wide`);
  }
  await one.setViewportSize({ width: 390, height: 844 });
  for (const part of [".board", "#registers", "#hand", "#go"]) {
    const { y, height } = await one.locator(part).boundingBox();
    assert.ok(y >= 0 && y + height <= 844, `390 x 844: ${part} from ${y} to ${y + height}`);
  }
  await picture(one, "web-play-phone");
  await one.click("[data-zoom=in]");
  assert.ok((await one.locator(".board").boundingBox()).width > 390);
  await one.click("[data-zoom=fit]");
  assert.ok((await one.locator(".board").boundingBox()).width <= 390);
  await one.setViewportSize({ width: 1280, height: 860 });
});

test("a turn waits for both, can be taken back until then, and lays the registers open phase by phase", async () => {
  const [one, two] = pages;
  const hidden = await cards(two);
  await one.click("#go");
  await one.waitForFunction(() => document.querySelector("#status").textContent.startsWith("Waiting for human 2"));
  assert.ok(await one.isHidden("#go"));
  assert.ok(await one.locator("#hand button").first().isDisabled());
  await badge(two, "ready");
  assert.deepEqual(await marks(two), ["ready", "you choosing"]);
  assert.equal(await faceDown(two, 0), 5);
  await two.setViewportSize({ width: 850, height: 760 });
  await picture(two, "web-play-small");
  assert.match(await two.title(), /^● Your turn/);
  const before = await program(one);
  await one.click("#back");
  await badge(two, "choosing");
  assert.deepEqual(await program(one), before);
  assert.ok(!(await one.locator("#hand button").first().isDisabled()));
  await one.click("#go");
  await badge(two, "ready");
  await two.setViewportSize({ width: 390, height: 844 });
  await drag(two, "#hand li:nth-child(1)", "#registers li:nth-child(5)");
  assert.deepEqual((await program(two)).map(Boolean), [false, false, false, false, true]);
  await two.selectOption("#adviser", "racer");
  await two.keyboard.press("Escape");
  await two.click("#hint");
  await two.waitForFunction(() => !document.querySelector("#go").disabled);
  await two.click("#go");
  await two.waitForFunction(() => /phase [2-5]/.test(document.querySelector("#film-title").textContent));
  await picture(two, "web-turn-phone");
  for (const part of ["#frame", "#film", "#robots .panel:last-child .registers"]) {
    const { y, height } = await two.locator(part).boundingBox();
    assert.ok(y > -1 && y + height < 845, `${part}: from ${y} to ${y + height}`);
  }
  await two.setViewportSize({ width: 1280, height: 860 });
  await one.waitForSelector("#film:not([hidden])");
  await one.waitForFunction(() => /phase [2-5]/.test(document.querySelector("#film-title").textContent));
  await picture(one, "web-turn");
  const open = await one.locator("#robots .panel:nth-child(3) .registers li:not(.closed)").count();
  const phase = Number(await one.textContent("#parts .current"));
  assert.ok(open >= 1 && open <= 5 && Math.abs(open - (phase || 5)) <= 1, `phase ${phase}: ${open} registers are open`);
  const told = one.sent.join("\n");
  for (const card of hidden) assert.ok(!told.includes(card), `${card} of the other hand was sent`);
  await watched(one, 1);
  await watched(two, 1);
  assert.equal(await turn(one), 2);
  assert.match(await one.textContent("#lines"), /phase 5/);
});

test("when the server is gone pages say so, and they go on by themselves once it is back", async () => {
  const [one, two] = pages;
  while ((await one.locator("#hand li").count()) < 5) await playTurn(); // a bomb may have cost the hand
  await one.click("#save");
  await one.waitForFunction(() => document.querySelector("#status").textContent.startsWith("Saved"));
  await drag(one, "#hand li:nth-child(2)", "#registers li:nth-child(1)");
  const chosen = await program(one);
  const said = await stop(server, "SIGTERM");
  assert.match(said, /resume with: rr-gym play --web .*--resume/);
  for (const page of pages) {
    await page.waitForSelector("#gone:not([hidden])");
    assert.match(await page.textContent("#gone"), new RegExp(`saved after turn ${now - 1}\\..*--resume`, "s"));
    assert.equal(await page.locator("#hand button:enabled, #registers button:enabled, #go:enabled").count(), 0);
  }
  await accessible(one, "without a server");
  await picture(one, "web-gone");
  const before = server.links;
  server = await serve(...words, "--out", out, "--resume");
  assert.deepEqual(server.links, before);
  for (const page of pages) await page.waitForSelector("#hand button:enabled");
  assert.equal(await turn(one), now);
  assert.deepEqual(await program(one), chosen);
  for (const words of await marks(two)) assert.match(words, /choosing/);
  for (const page of pages) {
    assert.ok(page.errors.every((error) => error.includes("Failed to load resource")), String(page.errors));
    page.errors = [];
  }
});

test("people watch at a link of their own", async () => {
  const watcher = await seated(browser, server.links.at(-1));
  const waits = (turn) => document.querySelector("#status").textContent.startsWith(`Turn ${turn}: waiting`);
  await watcher.waitForFunction(waits, now);
  assert.ok(await watcher.isHidden("#orders"));
  assert.equal(await watcher.locator("#robots .panel").count(), 4);
  await accessible(watcher, "watching");
  assert.deepEqual(watcher.errors, []);
  await watcher.context().close();
});

test("the rest of the game is played by clicks, to its end", async () => {
  const [one, two] = pages;
  while (now < MOST_TURNS && (await one.isHidden("#end"))) await playTurn();
  assert.equal(await one.isHidden("#end"), await two.isHidden("#end"));
  assert.ok(await one.isVisible("#end"), "not over");
  assert.match(await status(one), /over/);
  const rows = await one.locator("#standings tbody tr").allTextContents();
  assert.equal(rows.length, 4);
  assert.match(await one.textContent("#podium h2"), /wins?!$/);
  assert.match(rows[0], /winner/);
  assert.match(await one.textContent("#lines"), /wins/);
  assert.equal(await ghosts(one), 0);
  await one.setViewportSize({ width: 1280, height: 860 });
  await accessible(one, "at the end");
  await picture(one, "web-end");
});

// The replay, from the link at the end.
async function watchWhole(page) {
  const replay = await page.context().newPage();
  await replay.goto(`${server.links[0]}replay.html`);
  await replay.waitForSelector("#scrub");
  assert.ok(Number(await replay.getAttribute("#scrub", "max")) > 50);
  await replay.close();
  const kept = await page.request.get(`${server.links[0]}replay.json`);
  assert.equal((await kept.json()).format, "rr-gym replay");
  assert.deepEqual(page.errors, []);
}

test("a rematch starts once all people want it", async () => {
  const [one, two] = pages;
  await two.click("#rematch");
  await one.waitForFunction(() => document.querySelector("#others").textContent === "human 2 would like a rematch.");
  await watchWhole(one);
  await one.click("#rematch");
  for (const page of pages) await page.waitForFunction(() => document.querySelector("#heading").textContent.startsWith("Turn 1:"));
  assert.ok(await one.isHidden("#end"));
});

test("without the link nothing is shown", async () => {
  const wrong = await pages[1].request.get(server.links[1].replace(/play\/./, "play/~"));
  assert.equal(wrong.status(), 404);
});
