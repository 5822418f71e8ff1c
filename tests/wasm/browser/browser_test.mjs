// The browser portal in a real browser: its Service Worker's answers are, byte for byte, those of the native server.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serveFolder, startChromium } from "./chromium.mjs";
import { choose, drop, ready } from "./development_page.mjs";
import { startNative, writeStore } from "./native.mjs";

const { TEST_NATIVE: program, TEST_SITE: site, TEST_SCREENSHOT: screenshot } = process.env;
const frontEnd = "<!doctype html><title>a front end</title>";
const compared = ["content-type", "etag", "cache-control", "vary", "x-content-type-options", "www-authenticate",
  "_abperrorformat", "content-language", "content-disposition", "allow"];

let folder, chromium, web, native, page;
const tokens = {};

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "portail-browser-"));
  web = await serveFolder(site, { "/index.html": frontEnd });
  chromium = await startChromium({ viewport: { width: 1040, height: 900 } });
  page = await chromium.context.newPage();
  await page.goto(`${web.url}/portail/`);
  await ready(page);
  for (const persona of ["client", "manager", "administrator"]) {
    await choose(page, persona);
    tokens[persona] = await page.inputValue("#token");
  }
  await choose(page, "anonymous");
  await writeStore(join(folder, "store"), await readFile(join(site, "portail/sample.jsonl"), "utf8"));
  const keys = await page.inputValue("#keys");
  native = await startNative(program, folder, { issuer: "https://development.invalid", audience: "portail", keys });
});
after(async () => {
  await native?.close();
  await chromium?.close();
  await web?.close();
  await rm(folder, { recursive: true, force: true });
});

// Runs both in the page and here.
async function ask({ base, path, method, headers, body }) {
  const answer = await fetch(base + path, { method, headers, body });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}

// Returns the answers of both to the same request.
async function both(path, { token, method = "GET", headers = {}, body } = {}) {
  const request = { path, method, body, headers: { "Accept-Language": "fr", ...headers } };
  if (token) request.headers.Authorization = `Bearer ${token}`;
  if (body) request.headers["Content-Type"] = "application/json";
  // A page cannot set this header, and answers of a Service Worker are not encoded.
  const plainly = { ...request, headers: { ...request.headers, "Accept-Encoding": "identity" } };
  return [await page.evaluate(ask, { base: "", ...request }), await ask({ base: native.url, ...plainly })];
}

async function sameOfBoth(path, options, status) {
  const [inPage, outside] = await both(path, options);
  assert.equal(inPage.status, status, `${path}: ${inPage.body}`);
  assert.equal(outside.status, status, path);
  assert.equal(inPage.body, outside.body, path);
  for (const name of compared) assert.equal(inPage.headers[name], outside.headers[name], `${path}: ${name}`);
  return inPage;
}

test("a front end on this origin gets what the native server answers", async () => {
  await page.goto(`${web.url}/`);
  const { client, manager, administrator } = tokens;

  const configuration = await sameOfBoth("/api/abp/application-configuration", { token: client }, 200);
  assert.equal(JSON.parse(configuration.body).currentUser.isAuthenticated, true);
  await sameOfBoth("/api/abp/application-configuration", {}, 200);
  await sameOfBoth("/api/app/liasse", {}, 401);

  const list = await sameOfBoth("/api/app/objet-courrier?MaxResultCount=5&SkipCount=2", { token: client }, 200);
  assert.equal(JSON.parse(list.body).items.length, 5);
  await sameOfBoth("/api/app/objet-courrier/list-all", { token: client }, 200);
  await sameOfBoth("/api/app/objet-courrier/10/fichier-modele", { token: client }, 200);
  assert.equal(JSON.parse((await sameOfBoth("/api/app/liasse", { token: client }, 200)).body).length, 6);
  await sameOfBoth("/api/app/liasse/L-2024-0002", { token: client }, 200);
  await sameOfBoth("/api/app/liasse", { token: client }, 200); // its deposits are seen now
  await sameOfBoth("/api/app/liasse/L-none", { token: client }, 404);

  const object = await sameOfBoth("/api/app/objet-courrier/1", { token: administrator }, 200);
  const change = { method: "PUT", token: administrator, body: '{"utilisablePourLiasse":false,"typeAffectation":"Rien"}' };
  await sameOfBoth("/api/app/objet-courrier/1", { ...change, token: client }, 403);
  await sameOfBoth("/api/app/objet-courrier/1", { ...change, body: "{" }, 400);
  const changed = await sameOfBoth("/api/app/objet-courrier/1", { ...change, headers: { "If-Match": object.headers.etag } }, 200);
  assert.notEqual(changed.headers.etag, object.headers.etag);
  await sameOfBoth("/api/app/objet-courrier/1", { ...change, headers: { "If-Match": object.headers.etag } }, 412);
  await sameOfBoth("/api/app/objet-courrier/1", { token: client }, 200);

  const dashboard = await sameOfBoth("/api/app/liasse/dashboard-list", { token: manager }, 200);
  assert.equal(JSON.parse(dashboard.body).length, 300);
  await sameOfBoth("/api/app/liasse/dashboard-list", { token: manager, headers: { "If-None-Match": dashboard.headers.etag } }, 304);
  await sameOfBoth("/api/app/liasse/dashboard-list", { token: client }, 403);
});

test("a request without a token is the chosen persona's", async () => {
  await page.goto(`${web.url}/portail/`);
  await ready(page);
  for (const persona of ["manager", "client"]) {
    await choose(page, persona);
    const mine = await page.evaluate(ask, { base: "", path: "/api/app/liasse", headers: { "Accept-Language": "fr" } });
    const theirs = await ask({ base: native.url, path: "/api/app/liasse",
      headers: { "Accept-Language": "fr", Authorization: `Bearer ${tokens[persona]}` } });
    assert.equal(mine.status, 200);
    assert.equal(mine.body, theirs.body);
  }
});

test("the page reports errors, and continues to work", async () => {
  await page.fill("#target", "http://127.0.0.1:1/"); // no server listens there
  await page.click("#request button");
  await page.locator("#head", { hasText: "Failed to fetch" }).waitFor();
  await page.click("summary >> nth=0");
  await page.fill("#persona", "{");
  await page.click("#use");
  await page.locator("#persona-fault", { hasText: "JSON" }).waitFor();
  await page.fill("#persona", '{"sub":"sub-client-1"}');
  await page.click("#use");
  await page.locator('#personas[data-chosen="my own"]').waitFor();
  assert.equal(await page.textContent("#persona-fault"), "");
});

test("two modules in one page are independent", async () => {
  const [one, two] = await page.evaluate(async () => {
    const { createPortail } = await import("/portail/package/entries/browser.js");
    const { mapStore } = await import("/portail/package/stores/map.js");
    const make = (PORTAIL_ISSUER) => createPortail({ store: mapStore(),
      settings: { PORTAIL_ISSUER, PORTAIL_AUDIENCE: "a", PORTAIL_JWKS: { keys: [] }, PORTAIL_TRANSPORT: "loopback" } });
    const [first, second] = await Promise.all([make("https://one.invalid"), make("https://two.invalid")]);
    first.dispose();
    const requested = (portail) => portail.fetch(new Request(`${origin}/health/live`)).then((answer) => answer.status, String);
    return [await requested(first), await requested(second)];
  });
  assert.match(String(one), /disposed/);
  assert.equal(two, 200);
});

test("the store of IndexedDB passes the conformance suite", async () => {
  const failed = await page.evaluate(async () => {
    const { cases } = await import("/portail/package/conformance.js");
    const { indexedDbStore } = await import("/portail/package/stores/indexed_db.js");
    const store = await indexedDbStore("portail-conformance");
    const faults = [];
    for (const { name, check } of cases) await check(store).catch((error) => faults.push(`${name}: ${error}`));
    return cases.length > 0 ? faults : ["there is no case"];
  });
  assert.deepEqual(failed, []);
});

test("after the first load no network is needed", async () => {
  await web.close();
  await chromium.context.setOffline(true);
  await page.goto(`${web.url}/portail/`);
  await ready(page);
  await choose(page, "manager");
  await page.fill("#target", "/api/app/liasse/dashboard-list");
  await page.click("#request button");
  await page.locator("#head", { hasText: "200" }).waitFor();
  assert.match(await page.textContent("#answer"), /T000001/);
  await sameOfBoth("/api/app/liasse", { token: tokens.client }, 200);
  if (screenshot) await page.screenshot({ path: screenshot });
});

test("another data set replaces the first one, also without the network", async () => {
  const lines = (await readFile(join(site, "portail/sample.jsonl"), "utf8")).split("\n");
  const fewer = lines.filter((line) => !line.includes('"utilisateur.sub-client-1.0"')).join("\n");
  await drop(page, "fewer.jsonl", fewer, "fewer.jsonl");
  const [{ status, body }] = await both("/api/app/liasse", { token: tokens.client });
  assert.deepEqual([status, body], [200, "[]"]);
  await page.click("#sample");
  await page.locator("#data-name", { hasText: "sample portal" }).waitFor();
  assert.equal(JSON.parse((await both("/api/app/liasse", { token: tokens.client }))[0].body).length, 6);
});
