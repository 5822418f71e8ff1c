// The four operations of a store, as the module asks for them, over what a store offers.
import { endOf } from "./deadline.js";
import { bytesOf, isPromise, NoValue, sameBytes, then, type Answer, type Store, type StoredValue } from "./store.js";

export type Values = (Uint8Array | undefined)[];

const nothing = (): void => {};

export class Operations {
  // The last compare-and-swap of a store that has none of its own. The next one waits for it, until its request is given
  // up: one that hangs does not hold the others up for ever.
  #last: PromiseLike<boolean> | undefined;
  #until = 0;

  /** `deadline`: the milliseconds after which the portal no longer waits for an operation. */
  constructor(
    private readonly store: Store,
    private readonly deadline = 30_000,
  ) {}

  /** As many as keys, in their order. */
  getMany(keys: string[]): Answer<Values> {
    return then(this.#values(keys), (values) => {
      if (!Array.isArray(values) || values.length !== keys.length) {
        throw new NoValue(`getMany gives an array of ${keys.length} values here`);
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
      if (typeof swapped !== "boolean") throw new NoValue("compareAndSwap gives true or false");
      return swapped;
    });
  }

  #values(keys: string[]): Answer<readonly StoredValue[]> {
    if (this.store.getMany) return this.store.getMany(keys);
    const answers: Answer<StoredValue>[] = [];
    try {
      for (const key of keys) answers.push(this.store.get(key));
    } catch (error) {
      answers.push(Promise.reject(error)); // those before it may reject too, and that must be handled
    }
    return answers.some(isPromise) ? Promise.all(answers) : (answers as StoredValue[]);
  }

  #readAndPut(key: string, expected: Uint8Array | undefined, desired: Uint8Array): Answer<boolean> {
    const swap = (): Answer<boolean> =>
      then(this.store.get(key), (current) =>
        sameBytes(bytesOf(current), expected) ? then(this.store.put(key, desired), () => true) : false,
      );
    const now = performance.now();
    const swapped = this.#last && now < this.#until ? endOf(this.#last, this.#until - now).then(swap) : swap();
    this.#last = isPromise(swapped) ? swapped : undefined;
    this.#until = now + this.deadline;
    return swapped;
  }
}
