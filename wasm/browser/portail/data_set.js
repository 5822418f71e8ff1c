// The data set: what `portail export --format json-lines` writes, in a database of its own in this browser.
import { readExport } from "./export_file.js";
import { indexedDbStore } from "./package/stores/indexed_db.js";
import { recall, remember } from "./state.js";

const { locks } = navigator;
const prefix = "portail-data";

/**
 * Puts another data set in the place of the one there is, and returns what `current` will give. The old one answers until
 * the new one is complete, and stays where that fails: the error says why in one line.
 */
export function load(name, text) {
  return alone(() => replace(name, text));
}

/** The data set there is; where there is none, the one that `read` gives the name and the text of is loaded. */
export function loadFirst(read) {
  return alone(async () => (await current()) ?? replace(...(await read())));
}

/** `name`, `database` and the number of `values` that were loaded; undefined where there is none. */
export async function current() {
  const data = await recall("data");
  return data && (await names()).includes(data.database) ? data : undefined;
}

/** What `use` gives for what `current` gives. Its database is not deleted before that promise is settled. */
export async function withCurrent(use) {
  const data = await current();
  if (!data) return use(undefined);
  const another = Symbol("another one took its place meanwhile");
  const used = await locks.request(data.database, { mode: "shared" }, async () =>
    (await current())?.database === data.database ? use(data) : another,
  );
  return used === another ? withCurrent(use) : used;
}

async function replace(name, text) {
  const entries = readExport(text);
  const database = `${prefix}-${crypto.randomUUID()}`;
  const store = await indexedDbStore(database);
  await Promise.all(entries.map(({ key, value }) => store.put(key, value)));
  store.close();
  const loaded = { name, database, values: entries.length };
  await remember("data", loaded);
  return loaded;
}

// One load at a time in this browser. What it left is deleted: the data set before, or what is incomplete.
function alone(work) {
  return locks.request("portail-load", async () => {
    try {
      return await work();
    } finally {
      const kept = (await recall("data"))?.database;
      for (const name of await names()) if (name !== kept) deleteUnused(name);
    }
  });
}

// Deletes it once no page or worker uses it. If this page is closed before, the next one does it.
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
