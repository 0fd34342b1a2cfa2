// What tests of games share: servers, people in browsers of their own, moves of the mouse.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { TIMEOUT } from "./browser.mjs";

const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PYTHON = process.env.RR_GYM_PYTHON ?? "python3";

// Serves a game; returns the server, its links and what it says.
export async function serve(...words) {
  const command = ["-m", "rr_gym", "play", "--web", ...words];
  const child = spawn(PYTHON, command, { stdio: ["ignore", "pipe", "pipe"], cwd: process.env.TMPDIR });
  const server = { child, said: "", links: [] };
  child.stderr.on("data", (text) => (server.said += text));
  return new Promise((done, fail) => {
    child.stdout.on("data", (text) => {
      server.said += text;
      server.links = server.said.match(/http:\S+/g);
      if (server.said.includes("Ctrl-C")) done(server);
    });
    child.on("exit", () => fail(new Error(server.said)));
  });
}

// Stops a server and returns all that it has said.
export async function stop(server, signal) {
  if (!server || server.child.exitCode !== null) return "";
  server.child.removeAllListeners("exit");
  const closed = new Promise((done) => server.child.on("close", done));
  server.child.kill(signal);
  await closed;
  return server.said;
}

// A browser of its own for each person. The page's policy lets no script in later, so axe-core is there from the start.
export async function seated(browser, link, size = { width: 1280, height: 860 }, more = {}) {
  const context = await browser.newContext({ viewport: size, ...more });
  await context.addInitScript({ path: axe });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  Object.assign(page, { errors: [], sent: [] });
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  page.on("response", async (answer) => page.sent.push(await answer.text().catch(() => "")));
  await page.goto(link);
  return page;
}

export async function drag(page, from, to) {
  const [start, end] = [await page.locator(from).boundingBox(), await page.locator(to).boundingBox()];
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x + end.width / 2, end.y + end.height / 2, { steps: 4 });
  await page.mouse.up();
}

// Fingers that go down at some points, move to others, and are lifted.
export async function touch(page, starts, ends) {
  const browser = await page.context().newCDPSession(page);
  const send = (type, points) => browser.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
  await send("touchStart", starts);
  for (let step = 1; step <= 5; step++) {
    const between = starts.map(([x, y], i) => [x + ((ends[i][0] - x) * step) / 5, y + ((ends[i][1] - y) * step) / 5]);
    await send("touchMove", between);
  }
  await send("touchEnd", []);
}

export const centre = async (page, selector) => {
  const { x, y, width, height } = await page.locator(selector).boundingBox();
  return [x + width / 2, y + height / 2];
};

// The turn is shown; whoever does not want to wait skips it.
export async function watched(page, turn) {
  const begun = (old) => document.querySelector("#film-title").textContent.startsWith(`Turn ${old},`);
  await page.waitForFunction(begun, turn);
  await page.locator("#skip").click({ timeout: 2000 }).catch(() => {}); // it may just have ended
  await page.waitForFunction(() => document.querySelector("#film").hidden);
}
