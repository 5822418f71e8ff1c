// A Service Worker with the portals of the contract suite, all over one store of IndexedDB. Requests arrive as messages, since a page's
// fetch cannot send every method and header.
import { creator } from "./package/entries/module.js";
import { indexedDbStore } from "./package/stores/indexed_db.js";

const createPortail = creator(() => WebAssembly.compileStreaming(fetch("/package/portail.wasm")));
const portals = {};

const answers = {
  async make({ name, settings, trustForwarding }) {
    portals[name] = await createPortail({ store: await indexedDbStore("contract"), settings, trustForwarding, log: () => {} });
  },
  async handle({ name, request }) {
    const { body, ...head } = await portals[name].handle({ ...request, body: request.body && chunksAt(request.body) });
    return { ...head, body: body && textOf(new Uint8Array(await new Response(body).arrayBuffer())) };
  },
};

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", (event) => {
  const [port] = event.ports;
  const { what, ...options } = event.data;
  event.waitUntil(
    answers[what](options).then((value) => port.postMessage({ value }), (error) => port.postMessage({ error: String(error) })),
  );
});

// A request's body, fetched only when the portal reads it: it may never arrive, or fail.
async function* chunksAt(url) {
  yield* (await fetch(url)).body;
}
function textOf(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}
