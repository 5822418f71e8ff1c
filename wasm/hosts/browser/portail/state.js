// The state that the page and the Service Worker share, in a database of this browser. Each entry is a JSON value. A page and a worker
// of different versions may use it.
import { indexedDbStore } from "./package/stores/indexed_db.js";

const bytesOf = (value) => new TextEncoder().encode(JSON.stringify(value));
const valueOf = (bytes) => bytes && JSON.parse(new TextDecoder().decode(bytes));

let opened; // opened on demand: the script of a Service Worker must not await

function store() {
  if (!opened) {
    opened = indexedDbStore("portail-state");
    const reset = () => (opened = undefined);
    opened.then(({ lost }) => lost).then(reset, reset);
  }
  return opened;
}

/** Returns the entry; undefined if it is absent. */
export async function readState(name) {
  return valueOf(await (await store()).get(name));
}

export async function writeState(name, value) {
  await (await store()).put(name, bytesOf(value));
}

/** Stores `value` unless the entry exists. Returns the entry: `value`, or the one of another page or worker. */
export async function writeStateOnce(name, value) {
  return (await (await store()).compareAndSwap(name, undefined, bytesOf(value))) ? value : readState(name);
}
