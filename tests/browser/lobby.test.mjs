// The page before a game: what is chosen there is what is played.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessible, launch, picture } from "./browser.mjs";
import { centre, seated, serve, stop, touch } from "./games.mjs";

const SIZES = [[390, 844], [850, 760], [1400, 900]];
let browser;
let server;
let host;
let guest;

before(async () => {
  browser = await launch();
  server = await serve("--seed", "3");
  host = await seated(browser, server.links[0], { width: 1400, height: 900 });
});
after(async () => {
  await browser?.close();
  await stop(server, "SIGTERM");
});

// Whether a picture of the page was loaded and is drawn.
const drawn = (page, selector) => page.waitForFunction((where) => document.querySelector(where)?.naturalWidth > 0, selector);

test("course, seats and settings are chosen, and each person has a link with its code", async () => {
  await host.waitForSelector("#seats li");
  await host.click(".course:has-text('Checkmate')");
  await host.selectOption("#seats li:nth-child(2) select", "human");
  await host.click("#more-seats");
  await host.selectOption("#seats li:nth-child(3) select", "racer");
  await host.selectOption("[data-setting=option_cards]", "on");
  await host.selectOption("#timer", "300");
  await host.click("#seats .link summary");
  await drawn(host, "#seats .code");
  await drawn(host, ".course.chosen img");
  assert.match(await host.textContent("#plan-words"), /^Checkmate with 3 robots\. The course is meant for 5 to 8 robots\./);
  assert.equal(await host.textContent("#error"), "");
  await accessible(host, "setting up");
  for (const [width, height] of SIZES) {
    await host.setViewportSize({ width, height });
    const wide = await host.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wide <= 0, `${width} x ${height}: ${wide} pixels too wide`);
  }
  await picture(host, "web-lobby");
});

test("whoever has a link waits and says what they are called", async () => {
  const phone = { hasTouch: true, isMobile: true };
  guest = await seated(browser, await host.inputValue("#seats .link input"), { width: 390, height: 844 }, phone);
  await guest.waitForSelector("#naming:not([hidden])");
  await drawn(guest, "#chosen-picture");
  await guest.fill("#name", "Ada");
  await guest.click("#naming button");
  await host.waitForFunction(() => document.querySelector(".called")?.textContent === "Ada");
  assert.match(await guest.textContent("#waiting-text"), /^Checkmate, .*Robots: a person, Ada, racer\./);
  await accessible(guest, "waiting");
});

test("the game that starts is the one that was chosen", async () => {
  await host.click("#start");
  for (const page of [host, guest]) {
    await page.waitForSelector("#hand button:enabled");
    assert.match(await page.textContent("h1"), /Checkmate/);
    assert.equal(await page.locator("#robots .panel").count(), 3);
    await page.waitForSelector("#clock:not([hidden])");
    assert.match(await page.textContent("#clock"), /^[45]:/);
    assert.deepEqual(page.errors, []);
  }
  assert.match(await guest.textContent("#robots"), /Ada/);
});

test("on a phone fingers drag cards and zoom the board", async () => {
  const card = await guest.getAttribute("#hand li:nth-child(2) button", "data-card");
  const [from, to] = ["#hand li:nth-child(2) button", "#registers li:nth-child(3)"];
  await touch(guest, [await centre(guest, from)], [await centre(guest, to)]);
  assert.equal(await guest.getAttribute("#registers li:nth-child(3) button", "data-card"), card);
  assert.equal(await guest.locator(".dragged").count(), 0);
  const [x, y] = await centre(guest, "#stage");
  await touch(guest, [[x - 20, y], [x + 20, y]], [[x - 60, y], [x + 60, y]]);
  const { width } = await guest.locator(".board").boundingBox();
  assert.ok(width > 2 * 390, `the board is ${width} wide`);
  assert.ok(await guest.isHidden("#about"), "a pinch is no tap");
  await guest.click("[data-zoom=fit]");
  assert.deepEqual(guest.errors, []);
});

test("after the end, whoever set up the game comes back to where the next one is set up", async () => {
  const short = await serve("--seed", "3", "--max-cycles", "1");
  try {
    const page = await seated(browser, short.links[0]);
    await page.selectOption("#timer", "60");
    await page.click("#start"); // at once: what is seen is what starts
    await page.waitForSelector("#clock:not([hidden])");
    await page.click("#hint");
    await page.click("#go:enabled");
    await page.click("#skip");
    await page.click("#set-up");
    await page.waitForSelector("#plan:not([hidden])");
    assert.equal(await page.textContent("#start"), "Start the game");
    await page.click("#start");
    await page.waitForSelector("#hand button:enabled");
    assert.deepEqual(page.errors, []);
  } finally {
    await stop(short, "SIGTERM");
  }
});

test("the game is analysed while its page is left, and without a server there is no analysis", async () => {
  const short = await serve("--players", "greedy", "--seed", "3", "--max-cycles", "1");
  try {
    const page = await seated(browser, short.links[0]);
    const playTurn = async () => {
      await page.waitForSelector("#hand button:enabled");
      await page.click("#hint");
      await page.click("#go:enabled");
      await page.click("#skip");
      await page.waitForSelector("#analyse:enabled");
    };
    await playTurn();
    await accessible(page, "before an analysis");
    await page.click("#analyse");
    await page.waitForFunction(() => /being analysed.*You can leave/.test(document.querySelector("#analysis-words").textContent));
    await page.goto("about:blank");
    await page.goto(short.links[0]);
    await page.waitForSelector("#analysis-link:not([hidden])");
    assert.ok(await page.isHidden("#analyse"));
    await accessible(page, "with an analysis");
    await page.click("#analysis-link");
    await page.waitForSelector("#analysis .chances");
    assert.equal(await page.locator(".chances polyline").count(), 2);
    await page.evaluate(() => share());
    assert.match(await page.textContent("#link-words"), /Send the replay as a file/);
    assert.equal(await page.inputValue("#link"), "#turn=1&step=1");
    await page.goBack();
    await page.click("#rematch");
    await playTurn();
    await page.click("#analyse");
    await page.waitForFunction(() => /being analysed/.test(document.querySelector("#analysis-words").textContent));
    await stop(short, "SIGTERM");
    await page.waitForFunction(() => /The analysis has ended with it/.test(document.querySelector("#analysis-words").textContent));
    assert.ok(await page.isDisabled("#analyse"));
  } finally {
    await stop(short, "SIGTERM");
  }
});
