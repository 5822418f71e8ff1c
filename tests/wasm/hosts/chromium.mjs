// Chromium as a host of the contract suite; tests/wasm/run_contract.py describes its input and output. node:http receives each request and
// passes it to a page. The portal in the page's Service Worker answers it, and fetches the request's body from here when it reads it.
// It runs with the package installed beside it (build/package/installed), and the checkout's folder as its argument.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath, pathToFileURL } from "node:url";
import { attach } from "portail/node-http";

const browser = join(process.argv[2], "tests/wasm/browser");
const { listen, serveFolder, startChromium } = await import(pathToFileURL(join(browser, "chromium.mjs")));

const lines = createInterface({ input: process.stdin });
for (const needed of ["/usr/bin/chromium-headless-shell", join(process.argv[2], "build/javascript-hosts/node_modules")]) {
  if (!existsSync(needed)) {
    console.error(`skipped: ${needed} is not there; \`tools/dev setup hosts\` brings it`);
    process.exit(77);
  }
}
const [line] = await new Promise((resolve) => lines.once("line", (...read) => resolve(read)));

const files = fileURLToPath(new URL("..", import.meta.resolve("portail")));
const web = await serveFolder(files, {
  "/index.html": await readFile(join(browser, "contract_page.html")),
  "/contract_worker.js": await readFile(join(browser, "contract_worker.js")),
}, "/package/");
const chromium = await startChromium();
const page = await chromium.context.newPage();
await page.goto(`${web.url}/`);
await page.waitForFunction(() => window.isReady);

const bodies = new Map(); // of the requests that are being answered, by the paths that the worker fetches them from
const bodiesAt = (await listen(createServer(serveBody))).url;
let requests = 0;

const portals = {};
for (const [name, { settings, trustForwarding, tls }] of Object.entries(JSON.parse(line).portals)) {
  if (tls) continue; // a page has no server
  await page.evaluate((message) => window.ask(message), { what: "make", name, settings, trustForwarding });
  portals[name] = (await listen(attach(createServer(), { handle: (request) => handOver(name, request) }))).url;
}
const values = (await listen(createServer(serveValues))).url;
console.log(JSON.stringify({ portals, values }));
lines.once("close", async () => {
  await chromium.close();
  process.exit(0);
});

async function handOver(name, { method, target, headers, https, body }) {
  const path = `/${++requests}`;
  if (body) bodies.set(path, body);
  const request = { method, target, headers: [...headers], https, body: body && bodiesAt + path };
  const answer = await page
    .evaluate((message) => window.ask(message), { what: "handle", name, request })
    .finally(() => bodies.delete(path));
  return { ...answer, body: answer.body === null ? null : new Uint8Array(Buffer.from(answer.body, "base64")) };
}

// Sends the body as it arrives; if it fails, this answer is aborted. Not by a stream over the body: that would end the request when the
// worker stops reading.
function serveBody({ url }, response) {
  const body = bodies.get(url);
  response.writeHead(body ? 200 : 404, { "Access-Control-Allow-Origin": "*" });
  pipeline(body ?? [], response, () => {});
}

async function serveValues(request, response) {
  if (request.method === "PUT") {
    const entries = (await text(request)).split("\n").filter(Boolean).map((entry) => JSON.parse(entry));
    await page.evaluate((all) => window.writeValues(all), entries);
  } else {
    for (const entry of await page.evaluate(() => window.readValues())) response.write(`${JSON.stringify(entry)}\n`);
  }
  response.end();
}
