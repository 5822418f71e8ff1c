// The store operations of the module, by the functions of a store. Only the module of the management interface lists keys, and the engine
// checks that its store has the function.
import { settled } from "./deadline.js";
import { bytesOf, isPromise, InvalidValue, sameBytes, then, type Answer, type Store, type StoredValue } from "./store.js";

export type Values = (Uint8Array | undefined)[];

const nothing = (): void => {};

export class Operations {
  // The last compare-and-swap of a store without that function. The next one waits for it, at most until its request expires, so one
  // that hangs does not block the others.
  #last: PromiseLike<boolean> | undefined;
  #until = 0;

  /** `deadline`: the milliseconds after which the portal no longer waits for an operation. */
  constructor(
    private readonly store: Store,
    private readonly deadline = 30_000,
  ) {}

  /** Returns one value for each key, in the order of the keys. */
  getMany(keys: string[]): Answer<Values> {
    return then(this.#values(keys), (values) => {
      if (!Array.isArray(values) || values.length !== keys.length) {
        throw new InvalidValue(`getMany gives an array of ${keys.length} values here`);
      }
      return values.map(bytesOf);
    });
  }
  put(key: string, value: Uint8Array): Answer<void> {
    return then(this.store.put(key, value), nothing);
  }
  remove(key: string): Answer<void> {
    return then(this.store.delete(key), nothing);
  }
  compareAndSwap(key: string, expected: Uint8Array | undefined, desired: Uint8Array): Answer<boolean> {
    const { store } = this;
    if (!store.compareAndSwap) return this.#readAndPut(key, expected, desired);
    return then(store.compareAndSwap(key, expected, desired), (swapped) => {
      if (typeof swapped !== "boolean") throw new InvalidValue("compareAndSwap gives true or false");
      return swapped;
    });
  }
  list(prefix: string): Answer<Values> {
    return then(this.store.list!(prefix), (keys) => {
      if (!Array.isArray(keys)) throw new InvalidValue("list gives an array of keys");
      return keys.map(bytesOf);
    });
  }

  #values(keys: string[]): Answer<readonly StoredValue[]> {
    if (this.store.getMany) return this.store.getMany(keys);
    const answers: Answer<StoredValue>[] = [];
    try {
      for (const key of keys) answers.push(this.store.get(key));
    } catch (error) {
      answers.push(Promise.reject(error)); // earlier promises may also reject, and must be handled
    }
    return answers.some(isPromise) ? Promise.all(answers) : (answers as StoredValue[]);
  }

  #readAndPut(key: string, expected: Uint8Array | undefined, desired: Uint8Array): Answer<boolean> {
    const swap = (): Answer<boolean> =>
      then(this.store.get(key), (current) =>
        sameBytes(bytesOf(current), expected) ? then(this.store.put(key, desired), () => true) : false,
      );
    const now = performance.now();
    const swapped = this.#last && now < this.#until ? settled(this.#last, this.#until - now).then(swap) : swap();
    this.#last = isPromise(swapped) ? swapped : undefined;
    this.#until = now + this.deadline;
    return swapped;
  }
}
