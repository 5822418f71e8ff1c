// The data set: what `portail export --format json-lines` writes, in a database of this browser.
import { readJsonLines } from "./package/json_lines.js";
import { indexedDbStore } from "./package/stores/indexed_db.js";
import { recall, remember } from "./state.js";

/**
 * Puts another data set in the place of the one there is, and returns what `current` will give. The old one answers until
 * the new one is complete, and stays where `text` is no such export: a SyntaxError then says which line is wrong.
 */
export async function load(name, text) {
  const entries = [...readJsonLines(text)];
  if (!entries.some(({ key }) => key === "format")) throw new SyntaxError(`${name} holds no portal: it has no key "format"`);
  const old = await current();
  const database = `portail-data-${crypto.randomUUID()}`;
  const store = await indexedDbStore(database);
  await Promise.all(entries.map(({ key, value }) => store.put(key, value)));
  store.close();
  const loaded = { name, database, values: entries.length };
  await remember("data", loaded);
  if (old) indexedDB.deleteDatabase(old.database);
  return loaded;
}

/** `name`, `database` and the number of `values` that were loaded; undefined before the first. */
export function current() {
  return recall("data");
}
