// The portal's page in the browser build: served by the Service Worker, like the interface that it uses.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { serveFolder, startChromium } from "./chromium.mjs";
import { ready } from "./development_page.mjs";

const { TEST_SITE: site } = process.env;

let web, chromium, page;
const troubles = [];

before(async () => {
  web = await serveFolder(site);
  chromium = await startChromium({ viewport: { width: 1280, height: 800 }, locale: "fr-FR" });
  page = await chromium.context.newPage();
  page.on("pageerror", (error) => troubles.push(String(error)));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
});
after(async () => {
  await chromium?.close();
  await web?.close();
});

test("without a worker the browser is redirected to the page that registers it, and from there to the portal's page", async () => {
  await page.goto(`${web.url}/portail/portal/`);
  await page.waitForURL(`${web.url}/portail/`);
  await ready(page);
  await page.getByRole("link", { name: "the portal's page" }).click();
  await page.getByRole("heading", { name: "Bienvenue sur votre portail" }).waitFor();
  assert.equal(page.url(), `${web.url}/portail/portal/`);
});

test("it comes from the worker, under the policy that it has everywhere", async () => {
  const answer = await page.goto(`${web.url}/portail/portal`);
  assert.deepEqual([answer.status(), answer.fromServiceWorker(), page.url()], [200, true, `${web.url}/portail/portal/`]);
  assert.equal(answer.headers()["content-security-policy"],
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; require-trusted-types-for 'script'");
  // The browser enforces the policy.
  const refused = await page.evaluate(() => {
    try {
      document.body.innerHTML = "<p>";
      return "nothing";
    } catch (error) {
      return error.name;
    }
  });
  assert.equal(refused, "TypeError");
  troubles.length = 0; // the browser reports it
});

test("a client's path", async () => {
  const requested = [];
  page.on("request", (request) => requested.push(request.url()));
  await page.goto(`${web.url}/portail/portal/`);
  await page.locator("button[value=client]").click();
  await page.getByRole("heading", { name: "Mes dossiers", level: 1 }).waitFor();
  await page.locator(".card").nth(5).waitFor();
  await page.getByRole("link", { name: "Rachat de crédits" }).click();
  await page.getByRole("heading", { name: "Ce qu’il vous reste à faire" }).waitFor();
  const button = page.getByRole("button", { name: "Formulaire à remplir\u00a0: Mandat de prélèvement SEPA.pdf" }).first();
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  assert.equal((await readFile(await download.path(), "latin1")).slice(0, 5), "%PDF-");
  assert.deepEqual(requested.filter((url) => !/^(blob|data):/.test(url) && !url.startsWith(`${web.url}/portail/portal/`)), []);
  assert.deepEqual(troubles, []);
});

test("each persona, without the network too", async () => {
  await web.close();
  await chromium.context.setOffline(true);
  for (const [persona, heading] of [["manager", "Tableau de bord"], ["administrator", "Types de document"]]) {
    const tab = await chromium.context.newPage();
    await tab.goto(`${web.url}/portail/portal/`);
    await tab.locator(`button[value=${persona}]`).click();
    await tab.getByRole("heading", { name: heading, level: 1 }).waitFor();
    await tab.close();
  }
  assert.deepEqual(troubles, []);
});
