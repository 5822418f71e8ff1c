// Cloudflare KV as a store. It has no compare-and-swap, and what was written is seen elsewhere after up to a minute, or
// what its cache was told: of two changes at the same time one may be lost.
import type { Store } from "../store.js";

/** What is used of a KVNamespace. */
export interface KvNamespace {
  get(key: string, type: "arrayBuffer"): Promise<ArrayBuffer | null>;
  put(key: string, value: Uint8Array): Promise<void>;
  delete(key: string): Promise<void>;
}

export function cloudflareKvStore(namespace: KvNamespace): Store {
  return {
    get: (key) => namespace.get(nameOf(key), "arrayBuffer"),
    put: (key, value) => namespace.put(nameOf(key), value),
    delete: (key) => namespace.delete(nameOf(key)).catch(unlessNotFound),
  };
}

// Cloudflare's own says nothing where there is nothing; what stands in for it in workerd may be a folder, which does.
function unlessNotFound(error: unknown): void {
  if (!String(error).includes("failed: 404")) throw error;
}

// Two keys are no names in KV.
function nameOf(key: string): string {
  return key === "." || key === ".." ? `~${key}` : key;
}
