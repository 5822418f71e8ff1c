// A folder whose store the module implements, by the imports of files (wasm/abi/portail.h). It is a file of its own, as its types are not those
// of every program.
import type { Log } from "./log.js";
import type { FolderStore } from "./store.js";

// Of each class that is one: each entry point of the package is a bundle of its own.
export const folderMark = Symbol.for("portail: a folder");

export interface HostFolder extends FolderStore {
  readonly [folderMark]: true;
  /** Returns the imports of files, and `write`. `memory` returns the memory of the instance of `module`; `run` completes an operation with the
   * status that a call resolves to. */
  imports(
    memory: () => Uint8Array, log: Log, module: WebAssembly.Module, run: (operation: number, call: () => Promise<number>) => void,
  ): WebAssembly.ModuleImports;
}

export function isFolder<S>(store: S | FolderStore): store is FolderStore {
  return (store as HostFolder | undefined)?.[folderMark] === true;
}
