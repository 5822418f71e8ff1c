// Runs folder-conformance.wasm (tests/wasm/folder_conformance.cpp) by the file imports of portail/folder, in the host that this file runs
// in: Node, Deno, Bun. Arguments: the module, and the folder.
import { readFileSync } from "node:fs";
import process from "node:process";
import { folderStore } from "portail/folder";

const [file, folder] = process.argv.slice(2);
const module = new WebAssembly.Module(readFileSync(file));
const memory = () => new Uint8Array(exports.memory.buffer);
const log = (...line) => console.log(...line);
const portail = {
  ...folderStore(folder).imports(memory, log, module, () => {}),
  now: () => BigInt(Date.now()) * 1000n,
  random: (at, size) => void crypto.getRandomValues(memory().subarray(at, at + size)),
  log: () => {},
};
const { exports } = new WebAssembly.Instance(module, { portail });
exports._initialize();
exports.create_in_folder(1, 1, 0, 0, 0, 0);
const at = exports.fault();
const report = new TextDecoder().decode(memory().subarray(at, at + exports.fault_size()));
console.log(report);
process.exit(/^\d+ cases passed$/.test(report) ? 0 : 1);
