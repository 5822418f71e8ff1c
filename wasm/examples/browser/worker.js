// A Service Worker that answers its origin's /api/ from a database of the browser.
import { createPortail } from "./node_modules/portail/dist/entries/browser.js";
import { readJsonLines } from "./node_modules/portail/dist/json_lines.js";
import { indexedDbStore } from "./node_modules/portail/dist/stores/indexed_db.js";

let portail;

async function openPortail() {
  const [store, keys] = await Promise.all([filledStore(), fetch("public.json")]);
  const settings = {
    PORTAIL_ISSUER: "https://example.invalid",
    PORTAIL_AUDIENCE: "portail",
    PORTAIL_TRANSPORT: "loopback",
    PORTAIL_JWKS: await keys.json(),
  };
  return createPortail({ store, settings });
}

async function filledStore() {
  const store = await indexedDbStore("portail-example");
  if (await store.get("format")) return store;
  const entries = [...readJsonLines(await (await fetch("data.jsonl")).text())];
  await Promise.all(entries.filter(({ key }) => key !== "format").map(({ key, value }) => store.put(key, value)));
  await store.put("format", entries.find(({ key }) => key === "format").value); // last: all other values are stored
  return store;
}

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("fetch", (event) => {
  if (!new URL(event.request.url).pathname.startsWith("/api/")) return;
  portail ??= openPortail();
  portail.catch(() => (portail = undefined)); // the next request retries
  const answer = portail.then(({ fetch }) => fetch(event.request));
  event.respondWith(answer);
  event.waitUntil(answer.then(async () => (await portail).idle())); // it may fetch keys
});
