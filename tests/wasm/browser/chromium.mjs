// Chromium without a window, and the little web servers that tests show it. All of it on loopback.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const hosts = new URL("../../../build/javascript-hosts/", import.meta.url);
const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"];
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".json": "application/json",
  ".jsonl": "application/jsonl", ".wasm": "application/wasm" };

/** A browser context with a new, empty profile; `close` ends it and removes the profile. */
export async function startChromium(options = {}) {
  const { chromium } = createRequire(hosts)("playwright-core");
  const profile = await mkdtemp(join(tmpdir(), "portail-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: "/usr/bin/chromium-headless-shell", args: flags, headless: true, ...options,
  });
  return {
    context,
    async close() {
      await context.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

/** Serves the files of `folder` beneath `prefix`, and those of `more`, a map of paths to text, all with these `headers`. */
export async function serveFolder(folder, more = {}, prefix = "/", headers = {}) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const name = path.endsWith("/") ? `${path}index.html` : path;
    try {
      const body = more[name] ?? (await readFile(join(folder, normalize(name.replace(prefix, "/")))));
      response.writeHead(200, { "Content-Type": types[extname(name)] ?? "application/octet-stream", ...headers }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  return listen(server);
}

/** `url`, and `close`, which ends the connections too. */
export async function listen(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${server.address().port}`, close };
}
