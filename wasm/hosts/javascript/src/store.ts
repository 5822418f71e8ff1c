// The interface of a store: any object with these functions. Each may return a value or a promise.

export type Answer<T> = T | PromiseLike<T>;

/** A result of get: a string stands for its UTF-8 bytes; undefined and null for an absent value. */
export type StoredValue = Uint8Array | ArrayBuffer | string | undefined | null;

export interface Store {
  get(key: string): Answer<StoredValue>;
  /** Returns one value for each key, in the order of the keys. Default is a concurrent get for each key. */
  getMany?(keys: string[]): Answer<readonly StoredValue[]>;
  put(key: string, value: Uint8Array): Answer<unknown>;
  /** Succeeds if the key does not exist. */
  delete(key: string): Answer<unknown>;
  /**
   * Sets the key to `desired` if its value is exactly `expected` (undefined: if it is absent), atomically among all writers. Returns
   * false if the value differs. Default is a get and a put, serialized within this portal: of concurrent changes by two processes,
   * one may be lost.
   */
  compareAndSwap?(key: string, expected: Uint8Array | undefined, desired: Uint8Array): Answer<boolean>;
  /** Returns the keys that begin with `prefix`, in any order; others are ignored. Only the management interface needs it. */
  list?(prefix: string): Answer<readonly string[]>;
}

/** A store that the management interface can use. */
export interface ListingStore extends Store {
  list(prefix: string): Answer<readonly string[]>;
}

/** A folder, by folderStore of portail/folder. The module itself implements its store. */
export interface FolderStore {
  readonly folder: string;
  readonly create: boolean;
}

const encoder = new TextEncoder();

/** Thrown for an invalid result of a store's function. All other errors, such as a TypeError of fetch, mean an unavailable store. */
export class InvalidValue extends TypeError {
  // Each entry point of the package is a bundle of its own, with a class of its own.
  static readonly #mark = Symbol.for("portail: no value");

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, InvalidValue.#mark, { value: true });
  }
  static is(error: unknown): boolean {
    return (error as Record<symbol, unknown> | undefined)?.[InvalidValue.#mark] === true;
  }
}

/** Returns a Uint8Array of a view of any realm (test runners have several); undefined for other values. */
export function viewOf(bytes: unknown): Uint8Array | undefined {
  return ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : undefined;
}

/** Returns the bytes of a value. Throws InvalidValue for other types. */
export function bytesOf(value: StoredValue): Uint8Array | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return encoder.encode(value);
  const view = viewOf(value);
  if (view) return view;
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") return new Uint8Array(value as ArrayBuffer);
  throw new InvalidValue(`a value is a Uint8Array, an ArrayBuffer or a string, not ${typeof value}`);
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (!a || !b) return a === b;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export function isPromise<T>(answer: Answer<T>): answer is PromiseLike<T> {
  return typeof (answer as PromiseLike<T> | undefined)?.then === "function";
}

/** Returns `next(answer)`, or a promise of it if `answer` is a promise. */
export function then<T, U>(answer: Answer<T>, next: (value: T) => Answer<U>): Answer<U> {
  return isPromise(answer) ? answer.then(next) : next(answer);
}
