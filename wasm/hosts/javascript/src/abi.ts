// The constants and the encoding of the ABI, version 3 (wasm/abi/portail.h).
import { latin1Of } from "./latin1.js";
import type { Memory } from "./memory.js";

export const version = 3;
export const absent = 0xffffffff;

export const Status = { done: 0, different: 1, unavailable: 2, corrupt: 3 } as const;

export const State = {
  unknown: 0,
  waiting: 1,
  wantsBody: 2,
  answered: 3,
  piece: 4,
  end: 5,
  broken: 6,
} as const;

export const Flag = { https: 1, forwardingTrusted: 2, draining: 4, hasBody: 8 } as const;
export const closeFlag = 1;

export interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  abi_version(): number;
  allocate(size: number): number;
  release(buffer: number): void;
  create(store: number, settings: number, size: number): number;
  create_in_folder(folder: number, create: number, name: number, nameSize: number, settings: number, size: number): number;
  write_in_folder(folder: number, work: number, size: number): number;
  fault(): number;
  fault_size(): number;
  dispose(portal: number): void;
  begin(portal: number, head: number, size: number): number;
  state(request: number): number;
  data(request: number): number;
  data_size(request: number): number;
  give_body(request: number, bytes: number, size: number): number;
  lose_body(request: number): number;
  next(request: number): number;
  expire(request: number): number;
  end(request: number): void;
  complete(operation: number, status: number, result: number, size: number): number;
}

/** Adds the module's other imports, which it does not call here. */
export function completeImports(imports: WebAssembly.ModuleImports): WebAssembly.ModuleImports {
  return new Proxy(imports, { get: (known, name: string) => known[name] ?? (() => {}) });
}

/** Encodes numbers and texts; `bytes()` returns the encoding. */
export class Encoder {
  #bytes = new Uint8Array(1024);
  #view = new DataView(this.#bytes.buffer);
  #size = 0;

  number(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#size, value, true);
    this.#size += 4;
  }
  text(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#size);
    this.#size += bytes.length;
  }
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  #reserve(more: number): void {
    if (this.#size + more <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(this.#size + more, 2 * this.#bytes.length));
    larger.set(this.bytes());
    this.#bytes = larger;
    this.#view = new DataView(larger.buffer);
  }
}

/** Decodes output of the module, which is well-formed. A text has one character for each byte. */
export class Decoder {
  #text: string; // all bytes, converted by one call: each text is a slice
  #offset = 0;
  constructor(
    private readonly memory: Memory,
    private readonly begin: number,
    size: number,
  ) {
    this.#text = latin1Of(memory.bytes, begin, begin + size);
  }

  number(): number {
    const value = this.memory.number(this.begin + this.#offset);
    this.#offset += 4;
    return value;
  }
  text(): string {
    const size = this.number();
    this.#offset += size;
    return this.#text.slice(this.#offset - size, this.#offset);
  }
}
