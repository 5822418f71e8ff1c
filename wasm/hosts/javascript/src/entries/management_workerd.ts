// workerd: the platform compiles the module of the management interface and provides it as an import.
import { managementCreator } from "../creator.js";
// @ts-expect-error: TypeScript does not support imports of WebAssembly modules
import module from "../portail-manage.wasm";

export type * from "../portail.js";

export const createManagement = managementCreator(() => module as WebAssembly.Module);
