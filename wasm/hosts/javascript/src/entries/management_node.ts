// Node, Deno and Bun: the module of the management interface is in the parent directory of this file.
import { readFile } from "node:fs/promises";
import { managementCreator } from "../creator.js";

export type * from "../portail.js";

export const createManagement = managementCreator(async () =>
  WebAssembly.compile(await readFile(new URL("../portail-manage.wasm", import.meta.url))),
);
