// What the page and the Service Worker both know, kept in this browser: each entry is a value of JSON. A page and a worker
// of two versions may share it.
import { indexedDbStore } from "./package/stores/indexed_db.js";

const bytesOf = (value) => new TextEncoder().encode(JSON.stringify(value));
const valueOf = (bytes) => bytes && JSON.parse(new TextDecoder().decode(bytes));

let opened; // a Service Worker may not wait for anything while it is read

function store() {
  if (!opened) {
    opened = indexedDbStore("portail-state");
    const forget = () => (opened = undefined);
    opened.then(({ lost }) => lost).then(forget, forget);
  }
  return opened;
}

/** undefined where there is none. */
export async function recall(name) {
  return valueOf(await (await store()).get(name));
}

export async function remember(name, value) {
  await (await store()).put(name, bytesOf(value));
}

/** The first value stored under this name: `value`, or one that another page or worker stored before. */
export async function rememberFirst(name, value) {
  return (await (await store()).compareAndSwap(name, undefined, bytesOf(value))) ? value : recall(name);
}
