// Another version of the browser portal on the web server, for a browser that has one already.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFile, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { serveFolder, startChromium } from "./chromium.mjs";
import { drop, got, ready } from "./development_page.mjs";

const { PORTAIL_NATIVE: program, PORTAIL_TARBALL: tarball } = process.env;
const tree = new URL("../../../", import.meta.url).pathname;
const customSection = Buffer.from([0, 4, 1, 0x78, 1, 1]); // it changes nothing but the module's bytes

let folder, web, chromium;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "portail-update-"));
  await assemble(tree, tarball);
  // As web servers may: then nothing but the worker's own script is asked for again.
  web = await serveFolder(join(folder, "site"), {}, "/", { "Cache-Control": "max-age=3600" });
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await web?.close();
  await rm(folder, { recursive: true, force: true });
});

function assemble(from, packed) {
  execFileSync(join(from, "wasm/browser/assemble"), [program, packed, join(folder, "site")]);
}

// The same page and package, but for a comment in the page's style and in a script of the worker, and a section of the module.
async function assembleAnother() {
  const [other, unpacked] = [join(folder, "tree"), join(folder, "package")];
  for (const part of ["wasm/browser", "fixtures"]) await cp(join(tree, part), join(other, part), { recursive: true });
  await appendFile(join(other, "wasm/browser/portail/page.css"), "/* another */\n");
  await appendFile(join(other, "wasm/browser/portail/tokens.js"), "// another\n");
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

test("another version arrives by visits alone, pages of the old one go on, and it works without the network", async () => {
  const [page, old] = [await chromium.context.newPage(), await chromium.context.newPage()];
  await page.goto(`${web.url}/portail/`);
  await ready(page);
  await old.goto(`${web.url}/portail/`);
  await ready(old);
  const first = await stored(page);
  assert.equal(first.style, false);

  await assembleAnother();
  await page.reload();
  await page.locator("#newer", { hasText: "A newer version" }).waitFor();
  await old.locator("#newer", { hasText: "A newer version" }).waitFor();
  await page.reload();
  await ready(page);
  assert.equal(await page.isVisible("#newer"), false);
  assert.deepEqual(await stored(page), { module: first.module + customSection.length, style: true, caches: 1 });
  assert.equal((await got(page, "/portail/tokens.js")).body.endsWith("// another\n"), true);

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
