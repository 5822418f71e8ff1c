// The Service Worker: what a page of this origin asks of the portal's API is answered here, by the portal's own core over
// the data in this browser. Everything else goes where it would go without it.
import { current } from "./data_set.js";
import { creator } from "./package/entries/module.js";
import { indexedDbStore } from "./package/stores/indexed_db.js";
import { recall } from "./state.js";
import { audience, issuer, keySet, tokenOf } from "./tokens.js";

const cacheName = "portail";
const ours = ["./", "index.html", "page.css", "page.js", "data_set.js", "state.js", "tokens.js", "personas.json", "sample.jsonl",
  "package/portail.wasm", "package/json_lines.js", "package/stores/indexed_db.js"];
const routes = /^\/(api\/(app|abp)|health|health-status|swagger)(\/|$)/i;

// The module comes from the cache too: there may be no network.
const wasm = new URL("package/portail.wasm", import.meta.url);
const createPortail = creator(async () => WebAssembly.compileStreaming(await cached(wasm)));

let portal; // { database, made: Promise<Portail> }

addEventListener("install", (event) => {
  event.waitUntil(fill().then(() => skipWaiting()));
});
addEventListener("activate", (event) => event.waitUntil(clients.claim()));

addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== location.origin) return;
  if (routes.test(pathname)) event.respondWith(answer(event.request));
  else if (pathname.startsWith(new URL(".", import.meta.url).pathname)) event.respondWith(cached(event.request));
});

async function answer(request) {
  const { made } = portalOver(await current());
  return (await made).fetch(await withToken(request));
}

// One portal for each data set that was loaded, and only the newest is kept.
function portalOver(data) {
  const database = data?.database ?? "portail-data";
  if (portal?.database === database) return portal;
  portal?.made.then((old) => old.dispose(), () => {});
  portal = { database, made: make(database) };
  portal.made.catch(() => (portal = undefined));
  return portal;
}

async function make(database) {
  return createPortail({
    store: await indexedDbStore(database),
    settings: { PORTAIL_ISSUER: issuer, PORTAIL_AUDIENCE: audience, PORTAIL_JWKS: await keySet(), PORTAIL_TRANSPORT: "loopback" },
  });
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

async function fill() {
  const cache = await caches.open(cacheName);
  await cache.addAll(ours.map((name) => new Request(new URL(name, import.meta.url), { cache: "reload" })));
}

async function cached(request) {
  return (await caches.match(request, { cacheName, ignoreSearch: true })) ?? fetch(request);
}
