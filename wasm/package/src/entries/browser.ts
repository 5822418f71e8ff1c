// Browsers: the module is fetched from beside this file, where a bundler puts it too.
import { creator } from "../creator.js";

export type * from "../portail.js";

export const createPortail = creator(() =>
  WebAssembly.compileStreaming(fetch(new URL("../portail.wasm", import.meta.url))),
);
