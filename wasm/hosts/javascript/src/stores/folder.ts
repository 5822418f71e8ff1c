// A folder as a store, for Node, Deno and Bun: one file for each key, in the layout of the native program's dir: store
// (docs/reference/stores.md), which may use the same folder concurrently: `portail import --store dir:FOLDER` fills it. The module does the
// rest (wasm/abi/portail.h, "Folders"). Writes block, so they run in a thread.
import { clearTimeout, setTimeout } from "node:timers"; // Deno's own are numbers
import { Worker } from "node:worker_threads";
import { fileImports } from "../file_imports.js";
import type { Log } from "../log.js";
import { folderMark, type HostFolder } from "../host_folder.js";
import type { FolderStore } from "../store.js";

const idleMilliseconds = 60_000; // without a write, after which the thread ends

export interface FolderOptions {
  /** Creates the folder if it is missing, and accepts an empty one. Default is false. */
  create?: boolean;
}

/**
 * Returns `folder` as a store. Values are as durable as the file system makes them. A portal over it is refused if it is not a folder, or,
 * without `create`, if it is missing or holds no portal: the message is one line for the operator.
 */
export function folderStore(folder: string, { create = false }: FolderOptions = {}): FolderStore {
  return new Folder(folder, create);
}

interface Pending {
  resolve: (status: number) => void;
  reject: (reason: unknown) => void;
  log: Log;
}

class Folder implements HostFolder {
  readonly [folderMark] = true;
  #writer: Worker | undefined;
  #pending: Pending[] = []; // in the order of the writes
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(
    readonly folder: string,
    readonly create: boolean,
  ) {}

  imports(
    memory: () => Uint8Array, log: Log, module: WebAssembly.Module, run: (operation: number, call: () => Promise<number>) => void,
  ): WebAssembly.ModuleImports {
    return {
      ...fileImports(this.folder, memory, log),
      write: (_folder: number, operation: number, work: number, size: number) => {
        const copy = memory().slice(work, work + size);
        run(operation, () => this.#write(module, copy, log));
      },
    };
  }

  #write(module: WebAssembly.Module, work: Uint8Array, log: Log): Promise<number> {
    clearTimeout(this.#idle);
    const writer = (this.#writer ??= this.#start(module));
    writer.ref();
    return new Promise((resolve, reject) => {
      this.#pending.push({ resolve, reject, log });
      writer.postMessage(work);
    });
  }

  #start(module: WebAssembly.Module): Worker {
    // Without the flags of the program, some of which a thread must not have.
    const options = { workerData: { module, folder: this.folder }, execArgv: [] };
    const writer = new Worker(new URL("./folder_writer.js", import.meta.url), options);
    writer.on("message", (message: number | [string, string]) => {
      if (this.#writer !== writer) return;
      if (typeof message !== "number") return this.#pending[0]?.log(...message);
      this.#pending.shift()?.resolve(message);
      if (this.#pending.length > 0) return;
      writer.unref();
      this.#idle = setTimeout(() => this.#end(writer, "idle"), idleMilliseconds);
      this.#idle.unref();
    });
    writer.on("error", (error) => this.#end(writer, error));
    writer.on("exit", () => this.#end(writer, "the thread of writes ended"));
    return writer;
  }
  #end(writer: Worker, reason: unknown): void {
    if (this.#writer !== writer) return;
    this.#writer = undefined;
    for (const { reject } of this.#pending.splice(0)) reject(reason);
    void writer.terminate();
  }
}
