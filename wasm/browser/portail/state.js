// What the page and the Service Worker both know, kept in this browser: each entry is a value of JSON.
import { indexedDbStore } from "./package/stores/indexed_db.js";

const store = indexedDbStore("portail-state");
const bytesOf = (value) => new TextEncoder().encode(JSON.stringify(value));
const valueOf = (bytes) => bytes && JSON.parse(new TextDecoder().decode(bytes));

/** undefined where there is none. */
export async function recall(name) {
  return valueOf(await store.get(name));
}

export async function remember(name, value) {
  await store.put(name, bytesOf(value));
}

/** What was remembered first under this name: `value`, or what somebody else was quicker with. */
export async function rememberFirst(name, value) {
  return (await store.compareAndSwap(name, undefined, bytesOf(value))) ? value : recall(name);
}
