// The Service Worker: what a page of this origin asks of the portal's API is answered here, by the portal's own core over
// the data in this browser; so is the portal's page, below a path of its own. Everything else goes where it would go without it.
import { withCurrent } from "./data_set.js";
import { creator } from "./package/entries/module.js";
import { withPage } from "./package/page.js";
import { indexedDbStore } from "./package/stores/indexed_db.js";
import { mapStore } from "./package/stores/map.js";
import { recall } from "./state.js";
import { audience, issuer, keySet, tokenOf } from "./tokens.js";

const cacheName = `portail${new URL(import.meta.url).search}`; // of this version alone: see portail-worker.js
const ours = ["./", "index.html", "page.css", "page.js", "data_set.js", "export_file.js", "state.js", "tokens.js", "personas.json",
  "sample.jsonl", "package/portail.wasm", "package/json_lines.js", "package/stores/indexed_db.js"];
const pagePath = new URL("portal", import.meta.url).pathname; // the page's portal is a portal of its own, all of it below this path
const routes = /^\/(api\/(app|abp)|health|health-status|swagger)(\/|$)/i;

// The module comes from the cache too: there may be no network.
const wasm = new URL("package/portail.wasm", import.meta.url);
const createPortail = creator(async () => WebAssembly.compileStreaming(await cached(wasm)));

const portals = new Map(); // promises, by their path and their database

addEventListener("install", (event) => event.waitUntil(fill().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(Promise.all([clients.claim(), forgetOtherVersions()])));
// From a page that came past this worker, as those do that are reloaded with Shift, or that sees it wait.
addEventListener("message", (event) => event.waitUntil(event.data === "claim" ? clients.claim() : skipWaiting()));

addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== location.origin) return;
  if (routes.test(pathname)) answer(event, "", withToken);
  else if (pathname === `${pagePath}/page/settings.json`) event.respondWith(pageSettings());
  else if (pathname === pagePath || pathname.startsWith(`${pagePath}/`)) answer(event, pagePath, (request) => request);
  else if (pathname.startsWith(new URL(".", import.meta.url).pathname)) event.respondWith(cached(event.request));
});

// The data set stays, and with it its portal, until the answer is whole.
function answer(event, path, asAsked) {
  event.respondWith(withCurrent(async (data) => {
    const portal = await portalAt(path, data?.database);
    const response = await portal.fetch(await asAsked(event.request));
    return new Response(response.body && (await response.arrayBuffer()), response);
  }));
}

function portalAt(path, database) {
  const name = JSON.stringify([path, database]);
  if (!portals.has(name)) {
    const forget = () => portals.delete(name);
    portals.set(name, make(path, database, forget));
    portals.get(name).catch(forget);
  }
  return portals.get(name);
}

// Without a database: a portal without data.
async function make(basePath, database, forget) {
  const store = database ? await indexedDbStore(database) : mapStore();
  const portal = await createPortail({
    store,
    settings: { PORTAIL_ISSUER: issuer, PORTAIL_AUDIENCE: audience, PORTAIL_JWKS: await keySet(), PORTAIL_TRANSPORT: "loopback" },
    basePath,
  });
  store.lost?.then(() => {
    forget();
    portal.dispose();
  });
  return basePath ? withPage(portal, { basePath }) : portal;
}

// A request that says itself who asks is left as it is; others are the chosen persona's.
async function withToken(request) {
  if (request.headers.has("Authorization")) return request;
  const persona = await recall("persona");
  if (!persona?.sub) return request;
  const headers = new Headers(request.headers);
  headers.set("Authorization", `Bearer ${await tokenOf(persona)}`);
  return new Request(request, { headers });
}

// As the program serves them with --page-personas: a user who can open the page can take any persona.
async function pageSettings() {
  const personas = await (await cached(new URL("personas.json", import.meta.url))).json();
  const offered = personas.map(async (persona) => ({ name: persona.name, description: persona.description, token: await tokenOf(persona) }));
  return Response.json({ signIn: null, personas: await Promise.all(offered) }, { headers: { "Cache-Control": "no-store" } });
}

async function fill() {
  const cache = await caches.open(cacheName);
  await cache.addAll(ours.map((name) => new Request(new URL(name, import.meta.url), { cache: "reload" })));
}

async function cached(request) {
  return (await caches.match(request, { cacheName, ignoreSearch: true })) ?? fetch(request);
}

async function forgetOtherVersions() {
  const others = (await caches.keys()).filter((name) => /^portail(\?|$)/.test(name) && name !== cacheName);
  await Promise.all(others.map((name) => caches.delete(name)));
}
