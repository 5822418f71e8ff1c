// A dashboard of ten thousand bundles: the first rows are shown while the others load, and few rows are in the DOM.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer, request as ask } from "node:https";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assertAccessible, become, Browser } from "./browser.mjs";
import { makeCertificate, Portal, tree } from "./portal.mjs";

let browser, portal, proxy, release;
before(async () => {
  portal = new Portal();
  execFileSync("python3", [join(tree, "tools/generate-portal"), "--bundles", "20000", "--output", portal.path("many.json")]);
  portal.import(portal.path("many.json"));
  await portal.start();
  proxy = await startThrottlingProxy(64 * 1024);
  browser = await Browser.start();
});
after(async () => {
  await browser?.close();
  proxy?.close();
  proxy?.closeAllConnections();
  await portal?.remove();
});

test("the first rows are shown before the list is complete", async () => {
  const page = await browser.open(`https://localhost:${proxy.address().port}/`);
  await become(page, "manager");
  const rows = page.locator("table.bundles tbody tr:not(.gap)");
  const status = page.locator(".found").getByRole("status");
  await rows.first().waitFor();
  assert.match(await status.innerText(), /^\d+ dossiers chargement…$/);
  assert.equal(await page.getByRole("button", { name: "Exporter pour un tableur (CSV)" }).isDisabled(), true, "not half of it");
  release();
  await status.getByText(/^10\s\d{3} dossiers$/).waitFor({ timeout: 60_000 });
  const count = Number(await page.getByRole("table", { name: "Tableau de bord" }).getAttribute("aria-rowcount"));
  assert.ok(count > 10_000);
  assert.ok((await rows.count()) < 60, `${await rows.count()} rows are in the page`);
  // Rows are measured when they are shown, so the total height changes slightly.
  await page.waitForFunction((last) => {
    scrollTo(0, document.body.scrollHeight);
    return document.querySelector(`tr[aria-rowindex="${last}"]`);
  }, count);
  assert.ok((await rows.count()) < 60, `${await rows.count()} rows are in the page`);
  await page.getByLabel("Rechercher").fill("T000001");
  await status.getByText(/^\d+ sur 10\s\d{3} dossiers$/).waitFor();
  await assertAccessible(page);
  assert.deepEqual(page.errors, []);
});

// Starts a proxy that forwards `bytes` of the dashboard, and the rest after release().
async function startThrottlingProxy(bytes) {
  makeCertificate(portal.path("proxy.pem"), portal.path("proxy.key"));
  const released = new Promise((resolve) => (release = resolve));
  const server = createServer({ cert: readFileSync(portal.path("proxy.pem")), key: readFileSync(portal.path("proxy.key")) }, (request, response) => {
    const headers = { ...request.headers, "accept-encoding": "identity" };
    ask(portal.url + request.url.slice(1), { method: request.method, headers, rejectUnauthorized: false }, async (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      let passed = 0;
      for await (const chunk of answer) {
        if (request.url.endsWith("dashboard-list") && passed > bytes) await released;
        response.write(chunk);
        passed += chunk.length;
      }
      response.end();
    }).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
