// A Map as a store, for trials, tests, and data that is loaded at start.
import { sameBytes, type ListingStore } from "../store.js";

/** Changes are applied to the map immediately. Values are not copied when they are read: do not change their bytes. */
export function mapStore(map: Map<string, Uint8Array> = new Map()): ListingStore {
  return {
    get: (key) => map.get(key),
    put: (key, value) => void map.set(key, value),
    delete: (key) => void map.delete(key),
    compareAndSwap(key, expected, desired) {
      if (!sameBytes(map.get(key), expected)) return false;
      map.set(key, desired);
      return true;
    },
    list: (prefix) => [...map.keys()].filter((key) => key.startsWith(prefix)),
  };
}
