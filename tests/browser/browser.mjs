// What browser tests share: Debian's Chromium, pages that report their errors, axe-core.
import { createRequire } from "node:module";
import assert from "node:assert/strict";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const require = createRequire(import.meta.url);
export const PAGES = process.env.RR_GYM_PAGES;
export const PICTURES = process.env.RR_GYM_PICTURES; // where screenshots are written, if anywhere
export const address = (name, hash = "") => `${pathToFileURL(path.join(PAGES, `${name}.html`))}${hash}`;

export const TIMEOUT = Number(process.env.RR_GYM_TIMEOUT ?? 300_000); // milliseconds: the machine may have other work

export const launch = () => chromium.launch({ executablePath: process.env.RR_GYM_CHROMIUM, args: ["--no-sandbox"], timeout: TIMEOUT });

// A page whose errors fail the test that looks at `errors`.
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.errors.push(message.text()));
  await page.goto(url);
  return page;
}

// Fails with what axe-core finds.
export async function accessible(page, where) {
  if (!(await page.evaluate(() => "axe" in window))) await page.addScriptTag({ path: require.resolve("axe-core/axe.min.js") });
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(found, [], where);
}

export async function picture(page, name, options = {}) {
  if (PICTURES) await page.screenshot({ path: path.join(PICTURES, `${name}.png`), ...options });
}
