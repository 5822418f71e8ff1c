// Cloudflare KV as a store. It has no compare-and-swap, and other locations see a write after up to a minute, or after their cache's
// TTL. Of two concurrent changes, one may be lost.
import type { Store } from "../store.js";

/** The used members of a KVNamespace. */
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

// Cloudflare's KV reports success for a missing key. In workerd a folder may serve as KV, which reports 404.
function unlessNotFound(error: unknown): void {
  if (!String(error).includes("failed: 404")) throw error;
}

// KV does not accept "." and ".." as names.
function nameOf(key: string): string {
  return key === "." || key === ".." ? `~${key}` : key;
}
