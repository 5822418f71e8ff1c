// The example of a few lines in a real browser: its page shows what its Service Worker answers.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { serveFolder, startChromium } from "./chromium.mjs";

const { TEST_EXAMPLE: folder, TEST_EXAMPLE_TOKEN: token } = process.env;
let chromium, web;

before(async () => {
  web = await serveFolder(folder);
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await web?.close();
});

async function shownFor(hash) {
  const page = await chromium.context.newPage();
  await page.goto(`${web.url}/#${hash}`);
  const answer = page.locator("#answer", { hasText: /^\d/ });
  await answer.waitFor();
  const [status, ...lines] = (await answer.textContent()).split("\n");
  return { status, body: JSON.parse(lines.join("\n")) };
}

test("it answers the page that registers it, and the next one", async () => {
  for (const visit of ["first", "second"]) {
    const { status, body } = await shownFor(token);
    assert.deepEqual([visit, status, body.totalCount, body.items[0].typeObjet], [visit, "200", 40, "CNI"]);
  }
});

test("it accepts only tokens of its key", async () => {
  const { status } = await shownFor("nonsense");
  assert.equal(status, "401");
});
