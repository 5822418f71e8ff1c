// The Service Worker. Answers requests of this origin's pages for the portal's API, by the portal's core over the data in this browser,
// and for the portal's page, below a path of its own. Other requests go to the network.
import { withCurrent } from "./data_set.js";
import { creator } from "./package/entries/module.js";
import { withPage } from "./package/page.js";
import { indexedDbStore } from "./package/stores/indexed_db.js";
import { mapStore } from "./package/stores/map.js";
import { readState } from "./state.js";
import { audience, issuer, keySet, tokenOf } from "./tokens.js";

const cacheName = `portail${new URL(import.meta.url).search}`; // of this version only: see portail-worker.js
const cachedFiles = ["./", "index.html", "page.css", "page.js", "data_set.js", "export_file.js", "state.js", "tokens.js", "personas.json",
  "sample.jsonl", "package/portail.wasm", "package/json_lines.js", "package/stores/indexed_db.js"];
const pagePath = new URL("portal", import.meta.url).pathname; // base path of a second portal, which serves the page
const routes = /^\/(api\/(app|abp)|health|health-status|swagger)(\/|$)/i;

// The module is read from the cache, too: the network may be unavailable.
const wasm = new URL("package/portail.wasm", import.meta.url);
const createPortail = creator(async () => WebAssembly.compileStreaming(await cached(wasm)));

const portals = new Map(); // promises, by path and database

addEventListener("install", (event) => event.waitUntil(fillCache().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(Promise.all([clients.claim(), deleteOtherVersions()])));
// Sent by a page that was loaded without this worker, such as by a reload with Shift, or that detects that it waits.
addEventListener("message", (event) => event.waitUntil(event.data === "claim" ? clients.claim() : skipWaiting()));

addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== location.origin) return;
  if (routes.test(pathname)) answer(event, "", withToken);
  else if (pathname === `${pagePath}/page/settings.json`) event.respondWith(pageSettings());
  else if (pathname === pagePath || pathname.startsWith(`${pagePath}/`)) answer(event, pagePath, (request) => request);
  else if (pathname.startsWith(new URL(".", import.meta.url).pathname)) event.respondWith(cached(event.request));
});

// Keeps the data set and its portal until the answer is complete.
function answer(event, path, prepare) {
  event.respondWith(withCurrent(async (data) => {
    const portal = await portalAt(path, data?.database);
    const response = await portal.fetch(await prepare(event.request));
    return new Response(response.body && (await response.arrayBuffer()), response);
  }));
}

function portalAt(path, database) {
  const name = JSON.stringify([path, database]);
  if (!portals.has(name)) {
    const remove = () => portals.delete(name);
    portals.set(name, createPortal(path, database, remove));
    portals.get(name).catch(remove);
  }
  return portals.get(name);
}

// Without a database, creates a portal without data.
async function createPortal(basePath, database, remove) {
  const store = database ? await indexedDbStore(database) : mapStore();
  const portal = await createPortail({
    store,
    settings: { PORTAIL_ISSUER: issuer, PORTAIL_AUDIENCE: audience, PORTAIL_JWKS: await keySet(), PORTAIL_TRANSPORT: "loopback" },
    basePath,
  });
  store.lost?.then(() => {
    remove();
    portal.dispose();
  });
  return basePath ? withPage(portal) : portal;
}

// Adds a token of the selected persona, unless the request has a token.
async function withToken(request) {
  if (request.headers.has("Authorization")) return request;
  const persona = await readState("persona");
  if (!persona?.sub) return request;
  const headers = new Headers(request.headers);
  headers.set("Authorization", `Bearer ${await tokenOf(persona)}`);
  return new Request(request, { headers });
}

// The same as the program's with --page-personas: a user who can open the page can use any persona.
async function pageSettings() {
  const personas = await (await cached(new URL("personas.json", import.meta.url))).json();
  const offered = personas.map(async (persona) => ({ ...persona, token: await tokenOf(persona) }));
  return Response.json({ signIn: null, personas: await Promise.all(offered) }, { headers: { "Cache-Control": "no-store" } });
}

async function fillCache() {
  const cache = await caches.open(cacheName);
  await cache.addAll(cachedFiles.map((name) => new Request(new URL(name, import.meta.url), { cache: "reload" })));
}

async function cached(request) {
  return (await caches.match(request, { cacheName, ignoreSearch: true })) ?? fetch(request);
}

async function deleteOtherVersions() {
  const others = (await caches.keys()).filter((name) => /^portail(\?|$)/.test(name) && name !== cacheName);
  await Promise.all(others.map((name) => caches.delete(name)));
}
