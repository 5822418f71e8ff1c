// Instruments TypeScript by Stryker, in place: all changes are in the text, and the variable __STRYKER_ACTIVE_MUTANT__ selects one.
//
//   node instrument.mjs PACKAGES FILE...      PACKAGES is the node_modules directory of stryker/package-lock.json
//
// Prints the changes as JSON.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, ...names] = process.argv.slice(2);
const { Instrumenter } = await import(pathToFileURL(join(packages, "@stryker-mutator/instrumenter/dist/src/index.js")));

const logger = { debug() {}, info() {}, warn: console.warn, isDebugEnabled: () => false };
const files = names.map((name) => ({ name, mutate: true, content: readFileSync(name, "utf8") }));
const { files: instrumented, mutants } = await new Instrumenter(logger).instrument(files, { plugins: null, excludedMutations: [], ignorers: [] });
for (const { name, content } of instrumented) writeFileSync(name, content);

const originalOf = (name, { start, end }) => {
  const lines = files.find((file) => file.name === name).content.split("\n").slice(start.line, end.line + 1);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column);
  lines[0] = lines[0].slice(start.column);
  return lines.join("\n");
};
console.log(JSON.stringify(mutants.map(({ id, fileName, location, replacement }) =>
  ({ id, file: fileName, line: location.start.line + 1, column: location.start.column + 1, original: originalOf(fileName, location), replacement }))));
