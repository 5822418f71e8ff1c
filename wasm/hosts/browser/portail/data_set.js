// The data set: the output of `portail export --format json-lines`, in a database of its own in this browser.
import { readExport } from "./export_file.js";
import { indexedDbStore } from "./package/stores/indexed_db.js";
import { readState, writeState } from "./state.js";

const { locks } = navigator;
const prefix = "portail-data";

/**
 * Replaces the data set, and returns the result of `current`. The old one is used until the new one is complete, and kept if that
 * fails: the error is one line.
 */
export function load(name, text) {
  return withLoadLock(() => replace(name, text));
}

/** Returns the data set. If there is none, loads the one whose name and text `read` returns. */
export function loadFirst(read) {
  return withLoadLock(async () => (await current()) ?? replace(...(await read())));
}

/** Returns `name`, `database` and the number of `values` of the data set; undefined if there is none. */
export async function current() {
  const data = await readState("data");
  return data && (await names()).includes(data.database) ? data : undefined;
}

/** Calls `use` with the result of `current`. The database is not deleted before the returned promise is settled. */
export async function withCurrent(use) {
  const data = await current();
  if (!data) return use(undefined);
  const replaced = Symbol("another data set replaced this one");
  const result = await locks.request(data.database, { mode: "shared" }, async () =>
    (await current())?.database === data.database ? use(data) : replaced,
  );
  return result === replaced ? withCurrent(use) : result;
}

async function replace(name, text) {
  const entries = readExport(text);
  const database = `${prefix}-${crypto.randomUUID()}`;
  const store = await indexedDbStore(database);
  await Promise.all(entries.map(({ key, value }) => store.put(key, value)));
  store.close();
  const loaded = { name, database, values: entries.length };
  await writeState("data", loaded);
  return loaded;
}

// Serializes loads in this browser. Afterwards deletes unused databases: the previous data set, or an incomplete one.
function withLoadLock(work) {
  return locks.request("portail-load", async () => {
    try {
      return await work();
    } finally {
      const database = (await readState("data"))?.database;
      for (const name of await names()) if (name !== database) deleteUnused(name);
    }
  });
}

// Deletes the database when no page or worker uses it. If this page is closed before, the next load deletes it.
function deleteUnused(name) {
  const deleted = () =>
    new Promise((resolve) => {
      const deleting = indexedDB.deleteDatabase(name);
      deleting.onsuccess = deleting.onerror = resolve;
    });
  locks.request(name, deleted);
}

async function names() {
  return (await indexedDB.databases()).map(({ name }) => name).filter((name) => name.startsWith(prefix));
}
