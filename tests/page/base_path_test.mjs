// Behind a proxy that strips a base path: page and viewer send no request outside it.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { request as ask } from "node:https";
import { after, test } from "node:test";
import { become, isAt } from "./browser.mjs";
import { setUp } from "./set_up.mjs";

const { browser, portal } = await setUp();
const elsewhere = []; // requests outside that path

const proxy = createServer((request, response) => {
  const target = /^\/portail(\/.*)$/.exec(request.url)?.[1];
  if (!target) {
    elsewhere.push(request.url);
    response.writeHead(404).end();
    return;
  }
  const { method, headers } = request;
  const passed = ask(new URL(target, portal.url), { method, headers, rejectUnauthorized: false }, (answer) => {
    response.writeHead(answer.statusCode, answer.rawHeaders);
    answer.pipe(response);
  });
  request.pipe(passed);
});
await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
after(() => {
  proxy.close();
  proxy.closeAllConnections();
});
const below = `http://127.0.0.1:${proxy.address().port}/portail/`;

test("the page, and a template file", async () => {
  const page = await browser.open(`${below}#/dossiers/L-2024-0003`);
  await become(page, "client");
  const button = page.getByRole("button", { name: "Formulaire à remplir\u00a0: Mandat de prélèvement SEPA.pdf" }).first();
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  assert.equal(download.suggestedFilename(), "Mandat de prélèvement SEPA.pdf");
  assert.deepEqual([elsewhere, page.errors], [[], []]);
});

test("the viewer's redirect, and a request sent from the viewer", async () => {
  const page = await browser.open(`${below}swagger`);
  await isAt(page, `${below}swagger/index.html`);
  const live = page.locator("#operations-Health-getLiveness");
  await live.locator(".opblock-summary-control").click();
  await live.locator("button.execute").click();
  const answer = live.locator(".live-responses-table .response");
  await answer.locator(".microlight").first().waitFor();
  assert.match(await answer.innerText(), /"status": "Healthy"/);
  assert.equal(await live.locator(".request-url .microlight").innerText(), `${below}health/live`);
  assert.deepEqual([elsewhere, page.errors], [[], []]);
});
