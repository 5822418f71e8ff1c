// Node, Deno and Bun: the module is in the directory of this file.
import { readFile } from "node:fs/promises";
import { creator } from "../creator.js";

export type * from "../portail.js";

export const createPortail = creator(async () =>
  WebAssembly.compile(await readFile(new URL("../portail.wasm", import.meta.url))),
);
