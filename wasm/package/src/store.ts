// What a store is for this package: any object with these functions. Each may answer at once or by a promise.

export type Answer<T> = T | PromiseLike<T>;

/** What a get may give: a string stands for its UTF-8; undefined and null for "there is none". */
export type StoredValue = Uint8Array | ArrayBuffer | string | undefined | null;

export interface Store {
  get(key: string): Answer<StoredValue>;
  /** As many values as keys, in their order. Left out: a get for each key, all at the same time. */
  getMany?(keys: string[]): Answer<readonly StoredValue[]>;
  put(key: string, value: Uint8Array): Answer<unknown>;
  /** That there was no such key is success. */
  delete(key: string): Answer<unknown>;
  /**
   * Sets the key to `desired` if its value is exactly `expected` (undefined: if it has none), atomically between all who
   * write; false where it is another one. Left out: a get and a put, one after the other within this portal, so that of
   * two changes which two processes make at the same time one may be lost.
   */
  compareAndSwap?(key: string, expected: Uint8Array | undefined, desired: Uint8Array): Answer<boolean>;
}

const encoder = new TextEncoder();

/** What a store gave is not what its function gives. Other errors, a TypeError of a failed fetch too, say that it cannot. */
export class NoValue extends TypeError {
  // Each entry of the package is bundled by itself: another one's class is not this one.
  static readonly #mark = Symbol.for("portail: no value");

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, NoValue.#mark, { value: true });
  }
  static is(error: unknown): boolean {
    return (error as Record<symbol, unknown> | undefined)?.[NoValue.#mark] === true;
  }
}

/** The bytes themselves, of whatever realm: test runners have several. undefined where it is no view of bytes. */
export function viewOf(bytes: unknown): Uint8Array | undefined {
  return ArrayBuffer.isView(bytes) ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : undefined;
}

/** Throws NoValue for what is no value. */
export function bytesOf(value: StoredValue): Uint8Array | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof Uint8Array) return value;
  if (typeof value === "string") return encoder.encode(value);
  const view = viewOf(value);
  if (view) return view;
  if (Object.prototype.toString.call(value) === "[object ArrayBuffer]") return new Uint8Array(value as ArrayBuffer);
  throw new NoValue(`a value is a Uint8Array, an ArrayBuffer or a string, not ${typeof value}`);
}

export function sameBytes(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
  if (!a || !b) return a === b;
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

export function isPromise<T>(answer: Answer<T>): answer is PromiseLike<T> {
  return typeof (answer as PromiseLike<T> | undefined)?.then === "function";
}

/** `next(answer)`, now or when the promise is kept. */
export function then<T, U>(answer: Answer<T>, next: (value: T) => Answer<U>): Answer<U> {
  return isPromise(answer) ? answer.then(next) : next(answer);
}
