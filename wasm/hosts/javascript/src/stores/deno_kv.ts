// Deno.Kv as a store. Its values have at most 64 KiB, those of the portal up to 256 KiB. A longer value is split into parts with keys of
// their own, [prefix, key, 0] and so on, which are written and read atomically.
import { sameBytes, type ListingStore } from "../store.js";

/** The used members of a Deno.Kv. */
export interface DenoKv {
  getMany(keys: readonly DenoKvKey[]): Promise<readonly DenoKvEntry[]>;
  list(selector: { start: DenoKvKey; end: DenoKvKey }): AsyncIterable<{ readonly key: DenoKvKey }>;
  atomic(): DenoKvChange;
}
export type DenoKvKey = readonly (string | number)[];
export interface DenoKvEntry {
  readonly value: unknown;
  readonly versionstamp: string | null;
}
export interface DenoKvChange {
  check(...checks: { key: DenoKvKey; versionstamp: string | null }[]): this;
  set(key: DenoKvKey, value: Uint8Array): this;
  delete(key: DenoKvKey): this;
  commit(): Promise<{ ok: boolean }>;
}

const maxPartSize = 60_000;
const parts = Array.from({ length: 5 }, (_, part) => part); // 300,000 bytes
const maxKeysPerCall = 10; // limit of Deno.Kv.getMany

export function denoKvStore(kv: DenoKv, prefix = "portail"): ListingStore {
  const keyOf = (key: string, part: number): DenoKvKey => [prefix, key, part];

  async function entries(keys: DenoKvKey[]): Promise<DenoKvEntry[]> {
    const batches = [];
    for (let at = 0; at < keys.length; at += maxKeysPerCall) batches.push(kv.getMany(keys.slice(at, at + maxKeysPerCall)));
    return (await Promise.all(batches)).flat();
  }
  // A full part is followed by another one, which may be empty. One getMany reads a consistent state.
  async function read(key: string, first: DenoKvEntry): Promise<Uint8Array | undefined> {
    const bytes = (first.value ?? undefined) as Uint8Array | undefined;
    if (!bytes || bytes.length < maxPartSize) return bytes;
    const all = await entries(parts.map((part) => keyOf(key, part)));
    const written = all.filter((entry) => entry.versionstamp !== null).map((entry) => entry.value as Uint8Array);
    return written.length === 0 ? undefined : new Uint8Array(await new Blob(written as BlobPart[]).arrayBuffer());
  }
  function set(change: DenoKvChange, key: string, value: Uint8Array): DenoKvChange {
    change.set(keyOf(key, 0), value.slice(0, maxPartSize));
    for (const part of parts.slice(1)) {
      const begin = part * maxPartSize;
      if (begin <= value.length) change.set(keyOf(key, part), value.slice(begin, begin + maxPartSize));
      else change.delete(keyOf(key, part));
    }
    return change;
  }
  async function getMany(keys: string[]): Promise<(Uint8Array | undefined)[]> {
    const firsts = await entries(keys.map((key) => keyOf(key, 0)));
    return Promise.all(firsts.map((first, i) => read(keys[i]!, first)));
  }

  return {
    get: async (key) => (await getMany([key]))[0],
    getMany,
    put: (key, value) => set(kv.atomic(), key, value).commit(),
    delete(key) {
      const change = kv.atomic();
      for (const part of parts) change.delete(keyOf(key, part));
      return change.commit();
    },
    async compareAndSwap(key, expected, desired) {
      const [first] = await entries([keyOf(key, 0)]);
      const current = await read(key, first!);
      if (!sameBytes(current, expected)) return false;
      const check = { key: keyOf(key, 0), versionstamp: first!.versionstamp };
      return (await set(kv.atomic().check(check), key, desired).commit()).ok;
    },
    // Up to "~", which is above all characters of a key.
    async list(begin) {
      const keys: string[] = [];
      for await (const { key } of kv.list({ start: [prefix, begin], end: [prefix, `${begin}~`] })) {
        if (key[2] === 0) keys.push(String(key[1]));
      }
      return keys;
    },
  };
}
