// The four operations of a store, as the module asks for them, over what a store offers.
import { absent, Encoder } from "./abi.js";
import { bytesOf, isPromise, sameBytes, then, type Answer, type Store, type StoredValue } from "./store.js";

const nothing = (): void => {};

export class Operations {
  // The last compare-and-swap of a store that has none of its own; the next one waits for it.
  #last: Answer<unknown> = undefined;

  constructor(private readonly store: Store) {}

  /** The values in the encoding of get_many. */
  getMany(keys: string[]): Answer<Uint8Array> {
    return then(this.#values(keys), (values) => {
      if (!Array.isArray(values) || values.length !== keys.length) {
        throw new TypeError(`getMany gives an array of ${keys.length} values here`);
      }
      const encoder = new Encoder();
      encoder.number(values.length);
      for (const value of values) {
        const bytes = bytesOf(value);
        if (bytes) encoder.text(bytes);
        else encoder.number(absent);
      }
      return encoder.bytes();
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
      if (typeof swapped !== "boolean") throw new TypeError("compareAndSwap gives true or false");
      return swapped;
    });
  }

  #values(keys: string[]): Answer<readonly StoredValue[]> {
    if (this.store.getMany) return this.store.getMany(keys);
    const answers = keys.map((key) => this.store.get(key));
    return answers.some(isPromise) ? Promise.all(answers) : (answers as StoredValue[]);
  }

  #readAndPut(key: string, expected: Uint8Array | undefined, desired: Uint8Array): Answer<boolean> {
    const swap = (): Answer<boolean> =>
      then(this.store.get(key), (current) =>
        sameBytes(bytesOf(current), expected) ? then(this.store.put(key, desired), () => true) : false,
      );
    const swapped = isPromise(this.#last) ? this.#last.then(swap, swap) : swap();
    this.#last = swapped;
    return swapped;
  }
}
