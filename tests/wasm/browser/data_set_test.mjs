// The data set of the browser portal: its replacement while it is used, and refused files.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serveFolder, startChromium } from "./chromium.mjs";
import { choose, databases, drop, got, onlyOneIsLeft, ready } from "./development_page.mjs";

const { TEST_NATIVE: program, TEST_SITE: site } = process.env;
const fixtures = new URL("../../../fixtures/", import.meta.url).pathname;
const line = (key, value) => `${JSON.stringify({ key, value: Buffer.from(value).toString("base64") })}\n`;

let web, chromium, page, sample;

before(async () => {
  sample = await readFile(join(site, "portail/sample.jsonl"), "utf8");
  web = await serveFolder(site);
  chromium = await startChromium();
  page = await chromium.context.newPage();
});
after(async () => {
  await chromium?.close();
  await web?.close();
});

async function bundlesOfClient() {
  const { status, body } = await got(page, "/api/app/liasse");
  return [status, JSON.parse(body).length];
}

test("two pages that are the first ones load one data set", async () => {
  const other = await chromium.context.newPage();
  await Promise.all([page, other].map((each) => each.goto(`${web.url}/portail/`)));
  await Promise.all([page, other].map(ready));
  assert.equal((await databases(page)).length, 1);
  assert.deepEqual(await bundlesOfClient(), [200, 6]);
  await other.close();
});

test("no answer is lost while other data sets are loaded", async () => {
  const seen = await page.evaluate(async (text) => {
    const { load } = await import("/portail/data_set.js");
    const ask = async () => {
      const answer = await fetch("/api/app/liasse");
      return `${answer.status}, ${(await answer.json()).length} bundles`;
    };
    const answers = new Set();
    let loaded = false;
    const asking = Array.from({ length: 8 }, async () => {
      while (!loaded) answers.add(await ask().catch(String));
    });
    for (const name of ["first", "second", "third"]) await load(name, text);
    loaded = true;
    await Promise.all(asking);
    return [...answers];
  }, sample);
  assert.deepEqual(seen, ["200, 6 bundles"]);
  await onlyOneIsLeft(page);
});

test("an answer uses one data set from its beginning to its end", async () => {
  await drop(page, "large.jsonl", await largeExport(), "large.jsonl");
  await choose(page, "manager");
  const whole = await got(page, "/api/app/liasse/dashboard-list");
  const read = await page.evaluate(async (text) => {
    const { load } = await import("/portail/data_set.js");
    const { body } = await fetch("/api/app/liasse/dashboard-list");
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let all = (await reader.read()).value;
    await load("sample", text);
    const size = (await (await fetch("/api/app/liasse/dashboard-list")).text()).length;
    for (let piece; (piece = await reader.read()), !piece.done; ) all += piece.value;
    return { size, all };
  }, sample);
  assert.ok(read.all === whole.body, `${read.all.length} of ${whole.body.length}`);
  assert.ok(whole.body.length > 8_000_000 && read.size < 1_000_000, `${whole.body.length}, then ${read.size}`);
  await choose(page, "client");
  await onlyOneIsLeft(page);
});

// The fixtures, whose dashboard is far larger than what a browser reads ahead.
async function largeExport() {
  const folder = await mkdtemp(join(tmpdir(), "portail-large-"));
  const document = await readFile(join(fixtures, "portail.json"), "utf8");
  await writeFile(join(folder, "portail.json"), document.replaceAll(/"description": ?"/g, `$&${"long ".repeat(4000)}`));
  const run = (...given) => execFileSync(program, given, { maxBuffer: 1e9, encoding: "utf8" });
  run("import", "--store", `dir:${folder}/store`, "--root", fixtures, join(folder, "portail.json"));
  const lines = run("export", "--store", `dir:${folder}/store`, "--format", "json-lines");
  await rm(folder, { recursive: true });
  return lines;
}

test("a file that no portal can serve is refused, and the data is kept", async () => {
  await page.click("#sample");
  await page.locator("#data-name", { hasText: "sample portal" }).waitFor();
  const format = line("format", "1");
  for (const [text, fault] of [
    ["no JSON", "line 1 is not a line of portail export --format json-lines"],
    ["null\n", "line 1 is not a line of portail export --format json-lines"],
    ["", 'holds no portal: it has no key "format"'],
    [line("configuration", ""), 'holds no portal: it has no key "format"'],
    [line("format", "999"), "was written by a newer version of portail"],
    [line("format", "one"), 'holds no portal: its "format" is "one"'],
    [format + line("Liasse.1", ""), 'holds no portal: "Liasse.1" is not a valid key'],
    [format + line("", ""), 'holds no portal: "" is not a valid key'],
    [format + line("x".repeat(201), ""), `holds no portal: "${"x".repeat(200)}…" is not a valid key`],
    [format + line("x", Buffer.alloc(256 * 1024 + 1)), 'the value of "x" has 262145 bytes, and 262144 are the most'],
  ]) {
    await drop(page, "refused.jsonl", text, fault);
    assert.equal(await page.textContent("#data-name"), "sample portal", fault);
  }
  assert.deepEqual(await bundlesOfClient(), [200, 6]);
});

test("a key and a value of the maximum sizes are accepted", async () => {
  await drop(page, "limits.jsonl", sample + line("x".repeat(200), Buffer.alloc(256 * 1024)), "limits.jsonl");
  assert.deepEqual(await bundlesOfClient(), [200, 6]);
});

test("a data set that exceeds the quota is deleted, and the data is kept", async (t) => {
  const small = await startChromium();
  t.after(() => small.close());
  const visited = await small.context.newPage();
  await visited.goto(`${web.url}/portail/page.css`);
  // Before the browser reads it for the first time.
  const browser = await small.context.newCDPSession(visited);
  await browser.send("Storage.overrideQuotaForOrigin", { origin: web.url, quotaSize: 8_000_000 });
  await visited.goto(`${web.url}/portail/`);
  await ready(visited);
  const large = Array.from({ length: 100 }, (_, i) => line(`x${i}`, randomBytes(200_000))).join("");
  await drop(visited, "large.jsonl", sample + large, "large.jsonl: this browser has no room for it");
  assert.equal(await visited.textContent("#data-name"), "sample portal");
  assert.equal(JSON.parse((await got(visited, "/api/app/liasse")).body).length, 6);
  await onlyOneIsLeft(visited);
});

test("an incomplete database of a page that was closed during a load is deleted at the next visit", async () => {
  await page.evaluate(async () => {
    const { indexedDbStore } = await import("/portail/package/stores/indexed_db.js");
    await (await indexedDbStore("portail-data-left")).put("format", new Uint8Array([49]));
  });
  assert.equal((await databases(page)).length, 2);
  await page.reload();
  await ready(page);
  await onlyOneIsLeft(page);
  assert.equal(await page.textContent("#data-name"), "limits.jsonl");
});

test("databases that were deleted while the worker runs are created again", async () => {
  const deleteAll = (prefix) =>
    page.evaluate(async (beginning) => {
      for (const { name } of (await indexedDB.databases()).filter((each) => each.name.startsWith(beginning))) {
        await new Promise((resolve) => (indexedDB.deleteDatabase(name).onsuccess = resolve));
      }
    }, prefix);
  const visit = async () => {
    await page.reload();
    await ready(page);
    assert.equal(await page.textContent("#data-name"), "sample portal");
    assert.deepEqual(await bundlesOfClient(), [200, 6]);
    await onlyOneIsLeft(page);
  };

  await deleteAll("portail-data");
  assert.deepEqual(await got(page, "/api/app/liasse"), { status: 200, body: "[]" });
  await visit();
  await deleteAll("portail-");
  assert.equal((await got(page, "/api/app/liasse")).status, 401);
  await visit();
  const browser = await chromium.context.newCDPSession(page);
  await browser.send("Storage.clearDataForOrigin", { origin: web.url, storageTypes: "indexeddb" });
  await visit();
});

test("a page that is loaded without the worker is claimed by it", async () => {
  const browser = await chromium.context.newCDPSession(page);
  const loaded = page.waitForEvent("load");
  await browser.send("Page.reload", { ignoreCache: true });
  await loaded;
  await ready(page);
  assert.deepEqual(await bundlesOfClient(), [200, 6]);
});
