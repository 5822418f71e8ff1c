// A Map as a store: for trying the portal out, for tests, and for data that is loaded at start.
import { sameBytes, type Store } from "../store.js";

/** Every change is made in the map, at once. Values are not copied when they are read: do not change their bytes. */
export function mapStore(map: Map<string, Uint8Array> = new Map()): Store {
  return {
    get: (key) => map.get(key),
    put: (key, value) => void map.set(key, value),
    delete: (key) => void map.delete(key),
    compareAndSwap(key, expected, desired) {
      if (!sameBytes(map.get(key), expected)) return false;
      map.set(key, desired);
      return true;
    },
  };
}
