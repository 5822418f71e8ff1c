// What `portail export --format json-lines` writes, and no other file.
import { readJsonLines } from "./package/json_lines.js";

// As docs/reference/stores.md and core/storage/format.hpp have them.
const possibleKey = /^[a-z0-9_=A-F.-]{1,200}$/;
const largestValue = 256 * 1024;
const layout = "1";

/** Keys and values; a SyntaxError says in one line why no portal could serve them. */
export function readExport(text) {
  const entries = [...readJsonLines(text)];
  for (const { key, value } of entries) {
    if (!possibleKey.test(key)) refuse(`${quoted(key)} is no key`);
    const size = value.length;
    if (size > largestValue) refuse(`the value of "${key}" has ${size} bytes, and ${largestValue} are the most`);
  }
  const format = entries.find(({ key }) => key === "format");
  if (!format) refuse('it has no key "format"');
  const found = new TextDecoder().decode(format.value);
  if (/^[1-9][0-9]*$/.test(found) && found !== layout) throw new SyntaxError("it was written by a newer version of portail");
  if (found !== layout) refuse(`its "format" is ${quoted(found)}`);
  return entries;
}

function refuse(why) {
  throw new SyntaxError(`it holds no portal: ${why}`);
}

function quoted(text) {
  return `"${text.length > 200 ? `${text.slice(0, 200)}…` : text}"`;
}
