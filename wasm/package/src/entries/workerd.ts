// workerd: the platform compiles the module, and hands it over as an import.
import { creator } from "../creator.js";
// @ts-expect-error: no compiler of TypeScript knows modules of WebAssembly
import module from "../portail.wasm";

export type * from "../portail.js";

export const createPortail = creator(() => module as WebAssembly.Module);
