// The thread of folder.ts: an instance of the module that writes to a folder. Receives work, and posts a status for each, and lines of the
// log, which concern the first work without a status.
import { parentPort, workerData } from "node:worker_threads";
import { completeImports, type Exports } from "../abi.js";
import { fileImports } from "../file_imports.js";
import { fillRandom } from "../random.js";

const { module, folder } = workerData as { module: WebAssembly.Module; folder: string };
const utf8 = new TextDecoder();
const log = (event: string, detail: unknown): void => parentPort!.postMessage([event, String(detail)]);
const memory = (): Uint8Array => new Uint8Array(exports.memory.buffer);
const text = (pointer: number, size: number): string => utf8.decode(memory().subarray(pointer, pointer + size));

const portail: WebAssembly.ModuleImports = {
  ...fileImports(folder, memory, log),
  now: () => BigInt(Date.now()) * 1000n,
  random: (pointer: number, size: number) => fillRandom(memory().subarray(pointer, pointer + size)),
  log: (_folder: number, event: number, eventSize: number, detail: number, detailSize: number) =>
    log(text(event, eventSize), text(detail, detailSize)),
};
const exports = new WebAssembly.Instance(module, { portail: completeImports(portail) }).exports as unknown as Exports;
exports._initialize();

parentPort!.on("message", (work: Uint8Array) => {
  const pointer = exports.allocate(work.length);
  memory().set(work, pointer);
  parentPort!.postMessage(exports.write_in_folder(1, pointer, work.length));
});
