// Cloudflare KV as a store. It has no compare-and-swap, and other locations see a write after up to a minute, or after their cache's
// TTL. Of two concurrent changes, one may be lost.
import type { ListingStore } from "../store.js";

/** The used members of a KVNamespace. */
export interface KvNamespace {
  get(key: string, type: "arrayBuffer"): Promise<ArrayBuffer | null>;
  put(key: string, value: Uint8Array): Promise<void>;
  delete(key: string): Promise<void>;
  list(options: { prefix: string; cursor?: string }): Promise<KvPage>;
}
export interface KvPage {
  readonly keys: readonly { readonly name: string }[];
  readonly list_complete: boolean;
  readonly cursor?: string;
}

export function cloudflareKvStore(namespace: KvNamespace): ListingStore {
  return {
    get: (key) => namespace.get(nameOf(key), "arrayBuffer"),
    put: (key, value) => namespace.put(nameOf(key), value),
    delete: (key) => namespace.delete(nameOf(key)).catch(unlessNotFound),
    async list(prefix) {
      const keys: string[] = [];
      let page: KvPage | undefined;
      do {
        page = pageOf(await namespace.list({ prefix, ...(page?.cursor && { cursor: page.cursor }) }));
        for (const { name } of page.keys) keys.push(keyOf(name));
      } while (!page.list_complete);
      return keys;
    },
  };
}

// workerd's folder answers with all its files.
function pageOf(answer: KvPage | KvPage["keys"]): KvPage {
  return "list_complete" in answer ? answer : { keys: answer, list_complete: true };
}

// Cloudflare's KV reports success for a missing key. In workerd a folder may serve as KV, which reports 404.
function unlessNotFound(error: unknown): void {
  if (!String(error).includes("failed: 404")) throw error;
}

// KV does not accept "." and ".." as names.
function nameOf(key: string): string {
  return key === "." || key === ".." ? `~${key}` : key;
}
function keyOf(name: string): string {
  return name.replace(/^~/, "");
}
