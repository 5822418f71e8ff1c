// Another version of the browser portal on the web server, for a browser that has one already.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serveFolder, startChromium } from "./chromium.mjs";
import { drop, got, ready } from "./development_page.mjs";

const { TEST_NATIVE: program, TEST_TARBALL: tarball } = process.env;
const tree = new URL("../../../", import.meta.url).pathname;
const customSection = Buffer.from([0, 4, 1, 0x78, 1, 1]); // it changes nothing but the module's bytes

let folder, web, chromium;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "portail-update-"));
  await assemble(tree, tarball);
  // Like some web servers, lets files be cached: then only the worker's own script is requested again.
  web = await serveFolder(join(folder, "site"), {}, "/", { "Cache-Control": "max-age=3600" });
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await web?.close();
  await rm(folder, { recursive: true, force: true });
});

function assemble(from, packed) {
  execFileSync(join(from, "wasm/hosts/browser/assemble"), [program, packed, join(folder, "site")]);
}

// The same, but for a comment in the page's style, the issuer of page and worker, and a section of the module.
async function assembleAnother() {
  const [other, unpacked] = [join(folder, "tree"), join(folder, "package")];
  for (const part of ["wasm/hosts/browser", "fixtures"]) await cp(join(tree, part), join(other, part), { recursive: true });
  await appendFile(join(other, "wasm/hosts/browser/portail/page.css"), "/* another */\n");
  const tokens = join(other, "wasm/hosts/browser/portail/tokens.js");
  await writeFile(tokens, (await readFile(tokens, "utf8")).replace("https://development.invalid", "https://another.invalid"));
  execFileSync("tar", ["--extract", "--gzip", "--file", tarball, "--directory", folder]);
  await appendFile(join(unpacked, "dist/portail.wasm"), customSection);
  execFileSync("tar", ["--create", "--gzip", "--file", join(folder, "another.tgz"), "--directory", folder, "package"]);
  await assemble(other, join(folder, "another.tgz"));
}

const stored = (page) =>
  page.evaluate(async () => ({
    module: (await (await fetch("/portail/package/portail.wasm")).arrayBuffer()).byteLength,
    style: (await (await fetch("/portail/page.css")).text()).includes("/* another */"),
    caches: (await caches.keys()).length,
  }));

// Runs in a page: front ends do not stop for a newer version. Between two requests they think for a moment.
function askOnAndOn() {
  const answers = new Set();
  let asking = true;
  const ask = async () => {
    while (asking) {
      answers.add(await fetch("/api/app/liasse").then(async (answer) => (await answer.text(), `${answer.status}`), String));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const ended = Promise.all([ask(), ask(), ask()]);
  globalThis.answersSoFar = async () => {
    asking = false;
    await ended;
    return [...answers];
  };
}

// Runs in a page before its own scripts: suspends the page at its registration until it is resumed.
function startLate() {
  const { register } = ServiceWorkerContainer.prototype;
  ServiceWorkerContainer.prototype.register = async function (...requested) {
    await new Promise((resolve) => (globalThis.goOn = resolve));
    return register.apply(this, requested);
  };
}

// Runs in a page before its own scripts: the document is that of an older version.
function becomeOlder() {
  new MutationObserver((records, observer) => {
    if (!document.documentElement?.dataset.version) return;
    observer.disconnect();
    document.documentElement.dataset.version = "older";
  }).observe(document, { childList: true, subtree: true });
}

// The other version is installed. It replaces the first as soon as that one has no pending requests.
async function installed(page) {
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const first = registration.active;
    await registration.update();
    const there = () => registration.waiting || registration.active !== first;
    while (!there()) await new Promise((resolve) => setTimeout(resolve, 20));
  });
}

test("a page whose worker was replaced before its scripts ran offers the new version", async () => {
  const page = await chromium.context.newPage();
  await page.goto(`${web.url}/portail/`);
  await ready(page);
  await page.reload();
  await ready(page);
  assert.match(await page.evaluate(() => document.documentElement.dataset.version), /^[0-9a-f]{16}$/);
  assert.equal(await page.isVisible("#newer"), false);
  const older = await chromium.context.newPage();
  await older.addInitScript(becomeOlder);
  await older.goto(`${web.url}/portail/`);
  await older.locator("#newer", { hasText: "A newer version" }).waitFor();
  assert.equal(await older.evaluate(() => document.documentElement.dataset.version), "older");
  for (const each of [page, older]) await each.close();
});

test("another version arrives by visits alone, pages of the old one go on, and it works without the network", async () => {
  const [page, old] = [await chromium.context.newPage(), await chromium.context.newPage()];
  await page.goto(`${web.url}/portail/`);
  await ready(page);
  await old.goto(`${web.url}/portail/`);
  await ready(old);
  const late = await chromium.context.newPage();
  await late.addInitScript(startLate);
  await late.goto(`${web.url}/portail/`);
  const first = await stored(page);
  assert.equal(first.style, false);

  await assembleAnother();
  await old.evaluate(askOnAndOn);
  await page.reload();
  await installed(page);
  assert.deepEqual(await old.evaluate(() => answersSoFar()), ["200"]);
  await page.locator("#newer", { hasText: "A newer version" }).waitFor();
  await old.locator("#newer", { hasText: "A newer version" }).waitFor();
  await late.evaluate(() => goOn());
  await late.locator("#status", { hasText: "answering for this origin" }).waitFor({ state: "attached" }); // the other message hides it
  assert.equal(await late.isVisible("#newer"), true, "it came while this page started");
  await page.reload();
  await ready(page);
  assert.equal(await page.isVisible("#newer"), false);
  assert.deepEqual(await stored(page), { module: first.module + customSection.length, style: true, caches: 1 });
  // A token of the new page's, for the new worker.
  const authorization = `Bearer ${await page.inputValue("#token")}`;
  assert.match(Buffer.from(authorization.split(".")[1], "base64url").toString(), /"iss":"https:\/\/another\.invalid"/);
  const status = await page.evaluate(async (Authorization) => (await fetch("/api/app/liasse", { headers: { Authorization } })).status, authorization);
  assert.equal(status, 200);

  // The page of the old version and the new worker understand each other.
  assert.equal(JSON.parse((await got(old, "/api/app/liasse")).body).length, 6);
  await drop(old, "same.jsonl", (await got(old, "/portail/sample.jsonl")).body, "same.jsonl");
  assert.equal(JSON.parse((await got(page, "/api/app/liasse")).body).length, 6);

  await web.close();
  await chromium.context.setOffline(true);
  await page.reload();
  await ready(page);
  assert.equal((await stored(page)).style, true);
  assert.equal(JSON.parse((await got(page, "/api/app/liasse")).body).length, 6);
});
