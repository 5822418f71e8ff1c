// One instance of the module with one portal in it: the imports, and the requests that wait for them.
import { absent, Decoder, State, Status, version, type Exports } from "./abi.js";
import type { Clock } from "./clock.js";
import { latin1Of } from "./latin1.js";
import type { Log } from "./log.js";
import { Memory } from "./memory.js";
import { readHead, writeHead, type Head, type RawResponse, type TextResponse } from "./messages.js";
import type { Operations, Values } from "./operations.js";
import { fillRandom } from "./random.js";
import { isPromise, NoValue, type Answer } from "./store.js";

/** What an instance finds outside of it. */
export interface Surroundings {
  operations: Operations;
  clock: Clock;
  log: Log;
}

/** An answer; whole, with its body where it has one, or with the request at the first of its pieces. */
export interface Shown {
  answer: TextResponse;
  whole: boolean;
}

interface Waiter {
  goOn: () => void;
  fail: (reason: unknown) => void;
}

const theStore = 1; // the number of the only store
// What has a length is whole, and is there at once.
const isLength = ([name]: RawResponse["headers"][0]): boolean => name === "Content-Length";

export class Guest {
  /** Why no call is possible any more: it was disposed of, or it trapped. */
  ended: unknown;
  #exports!: Exports;
  #memory!: Memory;
  #portal = 0;
  #running = false; // the module is: who is called now is an import
  #waiters = new Map<number, Waiter>();
  #utf8 = new TextDecoder();

  private constructor(private readonly surroundings: Surroundings) {}

  static async start(module: WebAssembly.Module, settings: Uint8Array, surroundings: Surroundings): Promise<Guest> {
    const guest = new Guest(surroundings);
    const { exports } = await WebAssembly.instantiate(module, { portail: guest.#imports() });
    guest.#exports = exports as unknown as Exports;
    guest.#memory = new Memory(guest.#exports.memory);
    guest.#exports._initialize();
    const found = guest.#exports.abi_version();
    if (found !== version) throw new Error(`portail: the module speaks version ${found} of its ABI, not ${version}`);
    guest.#portal = guest.#exports.create(theStore, ...guest.#give(settings));
    if (guest.#portal === 0) {
      const fault = guest.#bytes(guest.#exports.fault(), guest.#exports.fault_size());
      throw new Error(`portail: ${guest.#utf8.decode(fault)}`);
    }
    return guest;
  }

  /** Not while it asks its store, whose functions may ask the portal. */
  get isFree(): boolean {
    return !this.ended && !this.#running;
  }

  /** The number of the request. Throws a TypeError where the head's texts are not of bytes. */
  begin(head: Head): number {
    let wrong: string | undefined;
    const request = this.#call((exports) => {
      const at = exports.allocate(head.size);
      wrong = writeHead(head, this.#memory, at);
      if (wrong === undefined) return exports.begin(this.#portal, at, head.size);
      exports.release(at);
      return 0;
    });
    if (wrong === undefined) return request;
    throw new TypeError(`portail: ${JSON.stringify(wrong)} is not of bytes, one to a character`);
  }
  state(request: number): number {
    return this.#call((exports) => exports.state(request));
  }
  /** In the state in which the answer's head is shown. The request goes on to its body. */
  answer(request: number, bodyAsText: boolean): Shown {
    return this.#call((exports) => {
      const answer: TextResponse = readHead(this.#memory, exports.data(request), exports.data_size(request));
      const hasLength = answer.headers.some(isLength);
      if (exports.next(request) === State.end) return { answer, whole: true };
      if (hasLength) {
        const at = exports.data(request);
        const end = at + exports.data_size(request);
        const { bytes } = this.#memory;
        answer.body = bodyAsText ? latin1Of(bytes, at, end) : bytes.slice(at, end);
      }
      return { answer, whole: hasLength };
    });
  }
  /** A copy. */
  data(request: number): Uint8Array<ArrayBuffer> {
    return this.#call((exports) => this.#bytes(exports.data(request), exports.data_size(request)).slice());
  }
  next(request: number): number {
    return this.#call((exports) => exports.next(request));
  }
  /** An empty piece is the end. */
  giveBody(request: number, piece: Uint8Array): number {
    return this.#call((exports) => exports.give_body(request, ...this.#give(piece)));
  }
  loseBody(request: number): number {
    return this.#call((exports) => exports.lose_body(request));
  }
  /** At any time, by a store's function too: the module is in the middle of it then, and it ends soon after. */
  end(request: number): void {
    if (this.#running) return queueMicrotask(() => this.end(request));
    this.#quietly((exports) => exports.end(request));
    this.#wake(request);
  }

  /** Resolves when something has happened to a request that waits; rejects when nothing more will. */
  progress(request: number): Promise<void> {
    return new Promise((goOn, fail) => {
      if (this.ended) fail(this.ended);
      else this.#waiters.set(request, { goOn, fail });
    });
  }
  expire(request: number): void {
    this.#quietly((exports) => exports.expire(request));
    this.#wake(request);
  }
  /** Fails the call that waits for the request, if there is one. */
  fail(request: number, reason: unknown): void {
    this.#take(request)?.fail(reason);
  }
  dispose(): void {
    this.#stop(new Error("portail: it was disposed of"));
  }

  #stop(reason: unknown): void {
    this.ended ??= reason;
    const waiters = [...this.#waiters.values()];
    this.#waiters.clear();
    for (const waiter of waiters) waiter.fail(this.ended);
  }
  #take(request: number): Waiter | undefined {
    const waiter = this.#waiters.get(request);
    this.#waiters.delete(request);
    return waiter;
  }
  #wake(request: number): void {
    this.#take(request)?.goOn();
  }

  // A trap ends the guest.
  #call<T>(call: (exports: Exports) => T): T {
    if (this.ended) throw this.ended;
    const running = this.#running;
    this.#running = true;
    try {
      return call(this.#exports);
    } catch (error) {
      this.#stop(error);
      throw error;
    } finally {
      this.#running = running;
      if (!running) this.surroundings.clock.pass();
    }
  }

  // For calls without a waiting caller: if one ends in a trap, the callers that wait for a request get the error.
  #quietly<T>(call: (exports: Exports) => T): T | undefined {
    try {
      return this.#call(call);
    } catch {
      return undefined;
    }
  }

  #bytes(at: number, size: number): Uint8Array {
    return new Uint8Array(this.#memory.bytes.buffer, at, size);
  }
  #text(at: number, size: number): string {
    return this.#utf8.decode(this.#bytes(at, size));
  }
  // The bytes in a buffer of the module's: its address and size, as calls take them.
  #give(bytes: Uint8Array): [number, number] {
    if (bytes.length === 0) return [0, 0];
    const at = this.#exports.allocate(bytes.length);
    this.#bytes(at, bytes.length).set(bytes);
    return [at, bytes.length];
  }

  #imports(): WebAssembly.ModuleImports {
    const { operations, clock, log } = this.surroundings;
    return {
      get_many: (_store: number, operation: number, keys: number, size: number) => {
        const decoder = new Decoder(this.#memory, keys, size);
        const names: string[] = [];
        for (let left = decoder.number(); left > 0; --left) names.push(decoder.text());
        this.#answer(operation, () => operations.getMany(names));
      },
      put: (_store: number, operation: number, key: number, keySize: number, value: number, valueSize: number) => {
        const [name, bytes] = [this.#text(key, keySize), this.#bytes(value, valueSize).slice()];
        this.#answer(operation, () => operations.put(name, bytes));
      },
      remove: (_store: number, operation: number, key: number, keySize: number) => {
        const name = this.#text(key, keySize);
        this.#answer(operation, () => operations.remove(name));
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
        this.#answer(operation, () => operations.compareAndSwap(name, before, after));
      },
      now: () => clock.read(),
      random: (at: number, size: number) => fillRandom(this.#bytes(at, size)),
      log: (_store: number, event: number, eventSize: number, detail: number, detailSize: number) =>
        log(this.#text(event, eventSize), this.#text(detail, detailSize)),
    };
  }

  // Asks the store, and completes the operation with its answer: values, whether it swapped, or nothing.
  #answer(operation: number, ask: () => Answer<Values | boolean | void>): void {
    try {
      const answer = ask();
      if (!isPromise(answer)) return this.#done(operation, answer);
      answer.then(
        (later) => this.#done(operation, later),
        (error) => this.#failed(operation, error),
      );
    } catch (error) {
      this.#failed(operation, error);
    }
  }
  #done(operation: number, answer: Values | boolean | void): void {
    this.#complete(operation, answer === false ? Status.different : Status.done, answer);
  }
  #failed(operation: number, error: unknown): void {
    this.surroundings.log("store", error);
    this.#complete(operation, NoValue.is(error) ? Status.corrupt : Status.unavailable);
  }
  #complete(operation: number, status: number, answer?: Values | boolean | void): void {
    const request = this.#quietly((exports) => {
      const [at, size] = Array.isArray(answer) ? this.#giveValues(answer) : [0, 0];
      return exports.complete(operation, status, at, size);
    });
    if (request) this.#wake(request);
  }
  // In the encoding of get_many.
  #giveValues(values: Values): [number, number] {
    let size = 4;
    for (const value of values) size += 4 + (value?.length ?? 0);
    const memory = this.#memory;
    const at = this.#exports.allocate(size);
    const { bytes } = memory;
    memory.setNumber(at, values.length);
    let end = at + 4;
    for (const value of values) {
      memory.setNumber(end, value ? value.length : absent);
      end += 4;
      if (!value) continue;
      bytes.set(value, end);
      end += value.length;
    }
    return [at, size];
  }
}
