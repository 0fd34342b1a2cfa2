// The page of a tournament: it fits, can be read by anybody, and leads to games that can be watched.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { accessible, address, launch, open, picture } from "./browser.mjs";

let browser;
let page;

before(async () => {
  browser = await launch();
  page = await open(browser, address("tournament/tournament"));
});
after(() => browser.close());

test("standings and the cross table are there, and fit", async () => {
  assert.equal(await page.locator("table >> nth=0 >> tr").count(), 4);
  for (const [width, height] of [[1280, 800], [850, 760], [320, 480]]) {
    await page.setViewportSize({ width, height });
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wide <= 0, `${width} x ${height}: ${wide} pixels too wide`);
  }
  await page.setViewportSize({ width: 1000, height: 800 });
  await picture(page, "tournament", { fullPage: true });
});

for (const colorScheme of ["light", "dark"]) {
  test(`axe-core finds nothing, ${colorScheme}`, async () => {
    await page.emulateMedia({ colorScheme });
    await accessible(page, colorScheme);
  });
}

test("its games can be watched", async () => {
  const links = page.locator('a[href^="games/"]');
  assert.equal(await links.count(), 3);
  await links.first().click();
  await page.waitForSelector("#scrub");
  assert.ok(Number(await page.getAttribute("#scrub", "max")) > 10);
  assert.ok((await page.locator(".name").allTextContents()).includes("racer"));
  assert.deepEqual(page.errors, []);
});
