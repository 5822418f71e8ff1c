// Tests the package's stores by its conformance suite; stores of platforms use a mock of the platform.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { after } from "node:test";
import { cloudflareKvStore } from "portail/cloudflare-kv";
import { cases } from "portail/conformance";
import { denoKvStore } from "portail/deno-kv";
import { folderStore } from "portail/folder";
import { mapStore } from "portail/map";

// A mock of Workers KV: values are copied, and results are promises.
function kvNamespace() {
  const values = new Map();
  return {
    get: async (key, type) => (assert.equal(type, "arrayBuffer"), values.get(key)?.slice().buffer ?? null),
    put: async (key, value) => void values.set(key, value.slice()),
    delete: async (key) => void values.delete(key),
    // Two keys to a page, and the last page may be empty.
    async list({ prefix, cursor = "0" }) {
      const all = [...values.keys()].filter((name) => name.startsWith(prefix)).sort();
      const [begin, end] = [Number(cursor), Number(cursor) + 2];
      const keys = all.slice(begin, end).map((name) => ({ name }));
      return begin >= all.length ? { keys, list_complete: true } : { keys, list_complete: false, cursor: String(end) };
    },
  };
}

// A mock of Deno.Kv: values of at most 64 KiB, at most 10 keys in one call, versionstamps, atomic changes.
function denoKv() {
  const entries = new Map();
  let version = 0;
  const find = (key) => entries.get(JSON.stringify(key)) ?? { value: null, versionstamp: null };
  return {
    async getMany(keys) {
      if (keys.length > 10) throw new TypeError("too many ranges (max 10)");
      return keys.map((key) => ({ key, ...find(key) }));
    },
    async *list({ start, end }) {
      const [first, last] = [start, end].map((key) => key.join("/"));
      for (const name of [...entries.keys()]) {
        const key = JSON.parse(name);
        if (key.join("/") >= first && key.join("/") < last) yield { key, ...entries.get(name) };
      }
    },
    atomic() {
      const checks = [];
      const changes = [];
      return {
        check(...more) {
          checks.push(...more);
          return this;
        },
        set(key, value) {
          if (value.length > 65536) throw new TypeError("value too large (max 65536 bytes)");
          changes.push((versionstamp) => entries.set(JSON.stringify(key), { value, versionstamp }));
          return this;
        },
        delete(key) {
          changes.push(() => entries.delete(JSON.stringify(key)));
          return this;
        },
        async commit() {
          await undefined;
          if (checks.some(({ key, versionstamp }) => find(key).versionstamp !== versionstamp)) return { ok: false };
          const versionstamp = String(++version).padStart(20, "0");
          for (const change of changes) change(versionstamp);
          return { ok: true };
        },
      };
    },
  };
}

const folder = mkdtempSync(path.join(tmpdir(), "portail-stores-"));
after(() => rmSync(folder, { recursive: true }));

const stores = {
  "a Map": () => mapStore(),
  "a Map, by promises": () => {
    const store = mapStore();
    return Object.fromEntries(Object.entries(store).map(([name, call]) => [name, async (...parameters) => call(...parameters)]));
  },
  "Cloudflare KV": () => cloudflareKvStore(kvNamespace()),
  "Deno.Kv": () => denoKvStore(denoKv()),
  "a folder": () => folderStore(folder, { create: true }),
};
for (const [name, make] of Object.entries(stores)) {
  const store = make();
  for (const each of cases) test(`${name}: ${each.name}`, () => each.check(store));
}

test("the suite detects a store that loses values", async () => {
  const lossy = { ...mapStore(), put: () => {} };
  const failed = [];
  for (const each of cases) await each.check(lossy).catch(() => failed.push(each.name));
  assert.ok(failed.length >= 4, String(failed));
});
