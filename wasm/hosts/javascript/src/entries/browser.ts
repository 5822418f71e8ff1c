// Browsers: fetches the module from the directory of this file, into which a bundler copies it.
import { creator } from "../creator.js";

export type * from "../portail.js";

export const createPortail = creator(() =>
  WebAssembly.compileStreaming(fetch(new URL("../portail.wasm", import.meta.url))),
);
