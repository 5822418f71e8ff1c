// IndexedDB as a store: one object store with the portal's keys. Every operation is one transaction, so compare-and-swap is atomic
// among all pages and workers of the origin.
import { bytesOf, sameBytes, type ListingStore, type StoredValue } from "../store.js";

const objects = "values";

export interface IndexedDbStore extends ListingStore {
  close(): void;
  /** Resolves when the store is unusable: a page deleted the database, or the browser its data. Not after close(). */
  lost: Promise<void>;
}

/** Opens the database, and creates it if necessary. Rejects if the browser rejects it. */
export async function indexedDbStore(name = "portail"): Promise<IndexedDbStore> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(objects);
  const database = await result(opening);
  const lost = new Promise<void>((resolve) => {
    database.onclose = () => resolve();
    // So that another page may delete the database, or a later version change it.
    database.onversionchange = () => {
      database.close();
      resolve();
    };
  });

  const reading = () => database.transaction(objects).objectStore(objects);
  // Runs `change` in a transaction. Resolves with its result after the transaction has completed.
  const writing = async <T>(change: (values: IDBObjectStore) => T | Promise<T>): Promise<T> => {
    const transaction = database.transaction(objects, "readwrite");
    const complete = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error ?? new Error("the transaction was aborted"));
    });
    const [changed] = await Promise.all([change(transaction.objectStore(objects)), complete]);
    return changed;
  };

  return {
    get: (key) => result<StoredValue>(reading().get(key)),
    getMany(keys) {
      const values = reading();
      return Promise.all(keys.map((key) => result<StoredValue>(values.get(key))));
    },
    put: (key, value) => writing((values) => void values.put(value, key)),
    delete: (key) => writing((values) => void values.delete(key)),
    compareAndSwap: (key, expected, desired) =>
      writing(async (values) => {
        const current = await result<StoredValue>(values.get(key));
        if (!sameBytes(bytesOf(current), expected)) return false;
        values.put(desired, key);
        return true;
      }),
    // Up to "~", which is above all characters of a key.
    list: async (prefix) => (await result(reading().getAllKeys(IDBKeyRange.bound(prefix, `${prefix}~`)))) as string[],
    close: () => database.close(),
    lost,
  };
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
