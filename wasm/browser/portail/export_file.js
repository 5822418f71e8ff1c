// What `portail export --format json-lines` writes, and no other file.
import { readJsonLines } from "./package/json_lines.js";

// As docs/stores.md and core/storage/format.hpp have them.
const possibleKey = /^[a-z0-9_=A-F.-]{1,200}$/;
const largestValue = 256 * 1024;
const layout = "1";

/** Keys and values; a SyntaxError says in one line why a portal could not serve them. */
export function readExport(text) {
  const entries = [...readJsonLines(text)];
  for (const { key, value } of entries) {
    if (!possibleKey.test(key)) refuse(`holds no portal: ${quoted(key)} is no key`);
    if (value.length > largestValue) refuse(`holds no portal: the value of "${key}" has ${value.length} bytes, and ${largestValue} are the most`);
  }
  const format = entries.find(({ key }) => key === "format");
  if (!format) refuse('holds no portal: it has no key "format"');
  const found = new TextDecoder().decode(format.value);
  if (found === layout) return entries;
  return refuse(/^[1-9][0-9]*$/.test(found) ? `was written by a newer version of portail, in layout ${found}` : `holds no portal: its "format" is ${quoted(found)}`);
}

function refuse(why) {
  throw new SyntaxError(`it ${why}`);
}

function quoted(text) {
  return `"${text.length > 200 ? `${text.slice(0, 200)}…` : text}"`;
}
