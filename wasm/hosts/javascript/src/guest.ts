// One instance of the module with one portal: its imports, and its pending requests.
import { absent, completeImports, Decoder, State, Status, version, type Exports } from "./abi.js";
import type { Clock } from "./clock.js";
import { Timer } from "./deadline.js";
import { isFolder, type HostFolder } from "./host_folder.js";
import { fetchDocument, type Fetch } from "./key_fetch.js";
import { latin1Of } from "./latin1.js";
import type { Log } from "./log.js";
import { Memory } from "./memory.js";
import { readHead, writeHead, type Head, type RawResponse, type TextResponse } from "./messages.js";
import type { Operations, Values } from "./operations.js";
import { fillRandom } from "./random.js";
import { isPromise, InvalidValue, type Answer, type FolderStore } from "./store.js";

/** The services that the imports use. */
export interface Services {
  store: Operations | FolderStore;
  clock: Clock;
  log: Log;
  /** Absent: the platform has none. */
  fetch: Fetch | undefined;
}

/** An answer. Either it is whole, with its body if it has one, or the request's state is its first piece. */
export interface FirstPiece {
  answer: TextResponse;
  whole: boolean;
}

// Values, the bytes of a document, whether it swapped, the status of a write to a folder, or nothing.
type Result = Values | Uint8Array | boolean | number | void;

interface Waiter {
  resume: () => void;
  fail: (reason: unknown) => void;
}

const storeNumber = 1; // of the only store
// An answer with a length has its whole body in the first piece.
const isLength = ([name]: RawResponse["headers"][0]): boolean => name === "Content-Length";

export class Guest {
  /** The reason why calls are no longer possible: disposed, or trapped. */
  ended: unknown;
  #exports!: Exports;
  #memory!: Memory;
  #portal = 0;
  #running = false; // the module runs, so a call comes from an import
  #waiters = new Map<number, Waiter>();
  #inBackground = false; // the module does work of no request
  #background = new Set<PromiseLike<unknown>>(); // pending operations of such work
  #utf8 = new TextDecoder();

  private constructor(private readonly services: Services) {}

  static async start(module: WebAssembly.Module, settings: Uint8Array, services: Services): Promise<Guest> {
    const guest = new Guest(services);
    const { exports } = await WebAssembly.instantiate(module, { portail: guest.#imports(module) });
    guest.#exports = exports as unknown as Exports;
    guest.#memory = new Memory(guest.#exports.memory);
    guest.#exports._initialize();
    const found = guest.#exports.abi_version();
    if (found !== version) throw new Error(`portail: the module has ABI version ${found}, not ${version}`);
    guest.#portal = guest.#createPortal(settings);
    if (guest.#portal === 0) {
      const fault = guest.#bytes(guest.#exports.fault(), guest.#exports.fault_size());
      throw new Error(`portail: ${guest.#utf8.decode(fault)}`);
    }
    return guest;
  }

  #createPortal(settings: Uint8Array): number {
    const { store } = this.services;
    if (!isFolder(store)) return this.#exports.create(storeNumber, ...this.#copyIntoMemory(settings));
    const name = this.#copyIntoMemory(new TextEncoder().encode(store.folder));
    return this.#exports.create_in_folder(storeNumber, store.create ? 1 : 0, ...name, ...this.#copyIntoMemory(settings));
  }

  /** Resolves when no work is pending that belongs to no request. */
  async idle(): Promise<void> {
    while (this.#background.size > 0) await Promise.allSettled(this.#background);
  }

  /** False while it calls its store, whose functions may call the portal. */
  get isIdle(): boolean {
    return !this.ended && !this.#running;
  }

  /** Returns the request's handle; 0 if it was refused. Throws a TypeError if a text of the head has characters above 255. */
  begin(head: Head): number {
    let invalid: string | undefined;
    const request = this.#call((exports) => {
      const pointer = exports.allocate(head.size);
      invalid = writeHead(head, this.#memory, pointer);
      if (invalid === undefined) return exports.begin(this.#portal, pointer, head.size);
      exports.release(pointer);
      return 0;
    });
    if (invalid === undefined) return request;
    throw new TypeError(`portail: ${JSON.stringify(invalid)} is not of bytes, one to a character`);
  }
  state(request: number): number {
    return this.#call((exports) => exports.state(request));
  }
  /** In the state `answered`: returns the head, and advances the request to its body. */
  answer(request: number, bodyAsText: boolean): FirstPiece {
    return this.#call((exports) => {
      const answer: TextResponse = readHead(this.#memory, exports.data(request), exports.data_size(request));
      const hasLength = answer.headers.some(isLength);
      if (exports.next(request) === State.end) return { answer, whole: true };
      if (hasLength) {
        const pointer = exports.data(request);
        const end = pointer + exports.data_size(request);
        const { bytes } = this.#memory;
        answer.body = bodyAsText ? latin1Of(bytes, pointer, end) : bytes.slice(pointer, end);
      }
      return { answer, whole: hasLength };
    });
  }
  /** Returns a copy of the request's data. */
  data(request: number): Uint8Array<ArrayBuffer> {
    return this.#call((exports) => this.#bytes(exports.data(request), exports.data_size(request)).slice());
  }
  next(request: number): number {
    return this.#call((exports) => exports.next(request));
  }
  /** Passes a piece of the body; an empty one is its end. */
  giveBody(request: number, piece: Uint8Array): number {
    return this.#call((exports) => exports.give_body(request, ...this.#copyIntoMemory(piece)));
  }
  loseBody(request: number): number {
    return this.#call((exports) => exports.lose_body(request));
  }
  /** Ends the request, in any state. If a function of the store calls it, the module runs, and the request ends in a microtask. */
  end(request: number): void {
    if (this.#running) return queueMicrotask(() => this.end(request));
    this.#runAs(true, () => this.#tryCall((exports) => exports.end(request)));
    this.#resume(request);
  }

  /** Resolves when the state of a waiting request has changed; rejects when the guest ends. */
  progress(request: number): Promise<void> {
    return new Promise((resume, fail) => {
      if (this.ended) fail(this.ended);
      else this.#waiters.set(request, { resume, fail });
    });
  }
  expire(request: number): void {
    this.#tryCall((exports) => exports.expire(request));
    this.#resume(request);
  }
  /** Fails the call that waits for the request, if there is one. */
  fail(request: number, reason: unknown): void {
    this.#removeWaiter(request)?.fail(reason);
  }
  dispose(): void {
    this.#terminate(new Error("portail: it is disposed"));
  }

  #terminate(reason: unknown): void {
    this.ended ??= reason;
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.fail(this.ended);
  }
  #removeWaiter(request: number): Waiter | undefined {
    const waiter = this.#waiters.get(request);
    this.#waiters.delete(request);
    return waiter;
  }
  #resume(request: number): void {
    this.#removeWaiter(request)?.resume();
  }

  // Calls the module. A trap ends the guest.
  #call<T>(call: (exports: Exports) => T): T {
    if (this.ended) throw this.ended;
    const running = this.#running;
    this.#running = true;
    try {
      return call(this.#exports);
    } catch (error) {
      if (!this.ended) this.services.log("module", error);
      this.#terminate(error);
      throw error;
    } finally {
      this.#running = running;
      if (!running) this.services.clock.invalidate();
    }
  }

  // For calls without a waiting caller: if one ends in a trap, the callers that wait for a request get the error.
  #tryCall<T>(call: (exports: Exports) => T): T | undefined {
    try {
      return this.#call(call);
    } catch {
      return undefined;
    }
  }

  #bytes(pointer: number, size: number): Uint8Array {
    return new Uint8Array(this.#memory.bytes.buffer, pointer, size);
  }
  #text(pointer: number, size: number): string {
    return this.#utf8.decode(this.#bytes(pointer, size));
  }
  // Copies `bytes` into a buffer of the module. Returns its address and size, the arguments of calls.
  #copyIntoMemory(bytes: Uint8Array): [number, number] {
    if (bytes.length === 0) return [0, 0];
    const pointer = this.#exports.allocate(bytes.length);
    this.#bytes(pointer, bytes.length).set(bytes);
    return [pointer, bytes.length];
  }

  #imports(module: WebAssembly.Module): WebAssembly.ModuleImports {
    const { store, clock, log } = this.services;
    const operations = store as Operations; // over a folder, the module does not call its imports
    return completeImports({
      get_many: (_store: number, operation: number, keys: number, size: number) => {
        const decoder = new Decoder(this.#memory, keys, size);
        const names: string[] = [];
        for (let left = decoder.number(); left > 0; --left) names.push(decoder.text());
        this.#runOperation(operation, () => operations.getMany(names));
      },
      put: (_store: number, operation: number, key: number, keySize: number, value: number, valueSize: number) => {
        const [name, bytes] = [this.#text(key, keySize), this.#bytes(value, valueSize).slice()];
        this.#runChange(operation, () => operations.put(name, bytes));
      },
      remove: (_store: number, operation: number, key: number, keySize: number) => {
        const name = this.#text(key, keySize);
        this.#runChange(operation, () => operations.remove(name));
      },
      compare_and_swap: (
        _store: number,
        operation: number,
        key: number,
        keySize: number,
        expected: number,
        expectedSize: number,
        desired: number,
        desiredSize: number,
      ) => {
        const name = this.#text(key, keySize);
        const before = expectedSize >>> 0 === absent ? undefined : this.#bytes(expected, expectedSize).slice();
        const after = this.#bytes(desired, desiredSize).slice();
        this.#runChange(operation, () => operations.compareAndSwap(name, before, after));
      },
      list_keys: (_store: number, operation: number, prefix: number, size: number) => {
        const begin = this.#text(prefix, size);
        this.#runOperation(operation, () => operations.list(begin));
      },
      fetch: (_store: number, operation: number, url: number, urlSize: number, maxSize: number, milliseconds: number) => {
        const location = this.#text(url, urlSize);
        this.#runOperation(operation, () => fetchDocument(this.services.fetch, location, maxSize, milliseconds), true);
      },
      pause: (operation: number, milliseconds: number) => {
        this.#runOperation(operation, () => new Promise<void>((resolve) => void new Timer(milliseconds, resolve)));
      },
      now: () => clock.read(),
      random: (pointer: number, size: number) => fillRandom(this.#bytes(pointer, size)),
      log: (_store: number, event: number, eventSize: number, detail: number, detailSize: number) =>
        log(this.#text(event, eventSize), this.#text(detail, detailSize)),
      ...(isFolder(store) && (store as HostFolder).imports(() => this.#memory.bytes, log, module, (operation, call) => this.#runChange(operation, call))),
    });
  }

  // Calls the store, and completes the operation with its result.
  #runOperation(operation: number, call: () => Answer<Result>, inBackground = this.#inBackground): void {
    try {
      const answer = call();
      if (!isPromise(answer)) return this.#onDone(operation, answer);
      const complete = (work: () => void): void => {
        this.#background.delete(done);
        this.#runAs(inBackground, work);
      };
      const done = answer.then(
        (later) => complete(() => this.#onDone(operation, later)),
        (error) => complete(() => this.#onFailed(operation, error)),
      );
      if (inBackground) this.#background.add(done);
    } catch (error) {
      this.#onFailed(operation, error);
    }
  }
  #runChange(operation: number, call: () => Answer<Result>): void {
    this.#runOperation(operation, call);
    this.services.clock.invalidate();
  }
  // Operations that begin in `work` belong to a request, or to none.
  #runAs(inBackground: boolean, work: () => void): void {
    const before = this.#inBackground;
    this.#inBackground = inBackground;
    work();
    this.#inBackground = before;
  }
  #onDone(operation: number, answer: Result): void {
    const status = typeof answer === "number" ? answer : answer === false ? Status.different : Status.done;
    this.#complete(operation, status, answer);
  }
  #onFailed(operation: number, error: unknown): void {
    this.services.log("store", error);
    this.#complete(operation, InvalidValue.is(error) ? Status.corrupt : Status.unavailable);
  }
  #complete(operation: number, status: number, answer?: Result): void {
    const request = this.#tryCall((exports) => {
      const [pointer, size] = Array.isArray(answer)
        ? this.#copyInValues(answer)
        : answer instanceof Uint8Array
          ? this.#copyIntoMemory(answer)
          : [0, 0];
      return exports.complete(operation, status, pointer, size);
    });
    if (request) this.#resume(request);
  }
  // Copies `values` into a buffer, in the encoding of get_many.
  #copyInValues(values: Values): [number, number] {
    let size = 4;
    for (const value of values) size += 4 + (value?.length ?? 0);
    const memory = this.#memory;
    const pointer = this.#exports.allocate(size);
    const { bytes } = memory;
    memory.setNumber(pointer, values.length);
    let end = pointer + 4;
    for (const value of values) {
      memory.setNumber(end, value ? value.length : absent);
      end += 4;
      if (!value) continue;
      bytes.set(value, end);
      end += value.length;
    }
    return [pointer, size];
  }
}
