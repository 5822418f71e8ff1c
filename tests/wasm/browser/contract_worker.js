// A Service Worker with the portals of the contract suite, all over one store of IndexedDB. It is asked by messages, since
// a page's fetch can send neither every method nor every header.
import { creator } from "./package/entries/module.js";
import { indexedDbStore } from "./package/stores/indexed_db.js";

const createPortail = creator(() => WebAssembly.compileStreaming(fetch("/package/portail.wasm")));
const portals = {};

const answers = {
  async make({ name, settings, trustForwarding }) {
    portals[name] = await createPortail({ store: await indexedDbStore("contract"), settings, trustForwarding, log: () => {} });
  },
  async handle({ name, request }) {
    const given = request.body === null ? null : new Blob([bytesOf(request.body)]).stream();
    const { body, ...head } = await portals[name].handle({ ...request, body: given && chunks(given) });
    return { ...head, body: body && textOf(new Uint8Array(await new Response(body).arrayBuffer())) };
  },
};

addEventListener("install", () => skipWaiting());
addEventListener("activate", (event) => event.waitUntil(clients.claim()));
addEventListener("message", (event) => {
  const [port] = event.ports;
  const { what, ...asked } = event.data;
  event.waitUntil(
    answers[what](asked).then((value) => port.postMessage({ value }), (error) => port.postMessage({ error: String(error) })),
  );
});

async function* chunks(stream) {
  const reader = stream.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
}
function bytesOf(text) {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
function textOf(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(text);
}
