// Reads and validates the output of `portail export --format json-lines`.
import { readJsonLines } from "./package/json_lines.js";

// The limits of docs/reference/stores.md and core/storage/format.hpp.
const validKey = /^[a-z0-9_=A-F.-]{1,200}$/;
const maxValueSize = 256 * 1024;
const layout = "1";

/** Returns the keys and values. Throws a SyntaxError, one line, if a portal could not serve them. */
export function readExport(text) {
  const entries = [...readJsonLines(text)];
  for (const { key, value } of entries) {
    if (!validKey.test(key)) reject(`${quoted(key)} is not a valid key`);
    const size = value.length;
    if (size > maxValueSize) reject(`the value of "${key}" has ${size} bytes, and ${maxValueSize} are the most`);
  }
  const format = entries.find(({ key }) => key === "format");
  if (!format) reject('it has no key "format"');
  const found = new TextDecoder().decode(format.value);
  const [, major] = /^([1-9][0-9]*)(?:\.[1-9][0-9]*)?$/.exec(found) ?? [];
  if (major && major !== layout) throw new SyntaxError("it was written by a newer version of portail");
  if (!major) reject(`its "format" is ${quoted(found)}`);
  return entries;
}

function reject(reason) {
  throw new SyntaxError(`it holds no portal: ${reason}`);
}

function quoted(text) {
  return `"${text.length > 200 ? `${text.slice(0, 200)}…` : text}"`;
}
