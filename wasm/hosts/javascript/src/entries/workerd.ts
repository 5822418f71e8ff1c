// workerd: the platform compiles the module and provides it as an import.
import { creator } from "../creator.js";
// @ts-expect-error: TypeScript does not support imports of WebAssembly modules
import module from "../portail.wasm";

export type * from "../portail.js";

export const createPortail = creator(() => module as WebAssembly.Module);
