// Tests the package's stores by its conformance suite; stores of platforms use a mock of the platform.
import assert from "node:assert/strict";
import test from "node:test";
import { cloudflareKvStore } from "portail/cloudflare-kv";
import { cases } from "portail/conformance";
import { denoKvStore } from "portail/deno-kv";
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

const stores = {
  "a Map": () => mapStore(),
  "a Map, by promises": () => {
    const store = mapStore();
    return Object.fromEntries(Object.entries(store).map(([name, call]) => [name, async (...parameters) => call(...parameters)]));
  },
  "Cloudflare KV": () => cloudflareKvStore(kvNamespace()),
  "Deno.Kv": () => denoKvStore(denoKv()),
};
for (const [name, make] of Object.entries(stores)) {
  const store = make();
  for (const each of cases) test(`${name}: ${each.name}`, () => each.check(store));
}

test("Cloudflare KV lists the keys . and .. by their names", async () => {
  const store = cloudflareKvStore(kvNamespace());
  for (const key of [".", "..", "a"]) await store.put(key, new Uint8Array());
  assert.deepEqual(await store.list(""), ["a", ".", ".."]);
});

test("a deletion in Cloudflare KV ignores only a missing key", async () => {
  const deleting = (reason) => cloudflareKvStore({ ...kvNamespace(), delete: () => Promise.reject(new Error(reason)) }).delete("a");
  await deleting("KV DELETE failed: 404 Not Found");
  await assert.rejects(deleting("KV DELETE failed: 500 Internal Server Error"), { message: "KV DELETE failed: 500 Internal Server Error" });
});

// Stores with one defect each, and the messages of the cases that detect it. `map` has the values of `store`.
const defects = {
  "a value of a key that was never written": [
    ({ store }) => ({ get: (key) => store.get(key) ?? (key === "never" ? "x" : undefined) }),
    ["the value of never is 1 bytes: 120; expected none"],
  ],
  "bytes that are no text": [
    ({ store }) => ({ put: (key, value) => store.put(key, new TextEncoder().encode(new TextDecoder().decode(value))) }),
    [/^the value of written is 512 bytes: 0,1,2,.*,39; expected 256 bytes: 0,1,2,.*,39$/, /^the value of long is 519064 bytes: /],
  ],
  "values above 64 KiB": [
    ({ store }) => ({ put: (key, value) => store.put(key, value.slice(0, 65_536)) }),
    [/^the value of long is 65536 bytes: 0,31,62,.*; expected 262144 bytes: 0,31,62,.*/],
  ],
  "values above 200 KiB": [
    ({ store }) => ({ put: (key, value) => store.put(key, value.slice(0, 204_800)) }),
    [/^the value of long is 204800 bytes: /],
  ],
  "a value that becomes shorter": [
    ({ store, map }) => ({
      put(key, value) {
        const longer = Uint8Array.from(map.get(key) ?? value);
        if (longer.length < value.length) return store.put(key, value);
        longer.set(value);
        return store.put(key, longer);
      },
    }),
    [/^the value of written is 4 bytes: 116,101,120,116; expected 0 bytes: $/, /^the value of long is 262144 bytes: .*; expected 262143 bytes: /],
  ],
  "the last byte of a key": [
    ({ store }) => ({ get: (key) => store.get(key.slice(0, 199)), put: (key, value) => store.put(key.slice(0, 199), value) }),
    [/^the value of x{200} is 200 bytes: .*; expected 200 bytes: /],
  ],
  "the keys . and ..": [
    ({ store }) => {
      const same = (key) => (key === ".." ? "." : key);
      return { get: (key) => store.get(same(key)), put: (key, value) => store.put(same(key), value), delete: (key) => store.delete(same(key)) };
    },
    ["the value of . is 2 bytes: 46,46; expected 1 bytes: 46"],
  ],
  "deletions": [
    () => ({ delete() {} }),
    ["the value of .. is 2 bytes: 46,46; expected none", "the value of deleted is 1 bytes: 120; expected none",
      "list gives list.,list.=C3=A9,list.a,list.b.c,list.removed, not list.,list.=C3=A9,list.a,list.b.c"],
  ],
  "a second deletion": [
    ({ store, map }) => ({
      delete(key) {
        if (!map.has(key)) throw new Error(`there is no ${key}`);
        store.delete(key);
      },
    }),
    ["there is no deleted"],
  ],
  "the order of getMany": [
    ({ store }) => ({ getMany: (keys) => [...keys].sort().map(store.get) }),
    ["the value of many.59 is another one"],
  ],
  "absent keys of getMany": [
    ({ store, map }) => ({ getMany: (keys) => keys.filter((key) => map.has(key)).map(store.get) }),
    ["32 values of 62 keys"],
  ],
  "the prefix of list": [
    ({ store }) => ({ list: (prefix) => store.list(prefix).filter((key) => key !== prefix) }),
    ["list gives list.=C3=A9,list.a,list.b.c, not list.,list.=C3=A9,list.a,list.b.c"],
  ],
  "a list of keys that do not exist": [
    ({ store }) => ({ list: (prefix) => [...store.list(prefix), "list.x"].filter((key) => prefix === "list.x" || key !== "list.x") }),
    ["list gives list.x for a prefix of no key"],
  ],
  "a swap of any value": [
    ({ store }) => ({ compareAndSwap: (key, _, desired) => (store.put(key, desired), true) }),
    ["compareAndSwap of swapped gives true, not false", "20 won"],
  ],
  "a swap that compares lengths": [
    ({ store, map }) => ({ compareAndSwap: (key, expected, desired) => map.get(key)?.length === expected?.length && (store.put(key, desired), true) }),
    ["compareAndSwap of swapped gives true, not false"],
  ],
  "a swap that takes an empty value for an absent one": [
    ({ store, map }) => ({ compareAndSwap: (key, expected, desired) => sameText(map.get(key) ?? "", expected ?? "") && (store.put(key, desired), true) }),
    ["compareAndSwap of swapped gives true, not false"],
  ],
  "a swap that changes nothing": [
    ({ store, map }) => ({ compareAndSwap: (key, expected) => (map.has(key) ? sameText(map.get(key), expected ?? "absent") : expected === undefined) }),
    ["compareAndSwap of swapped gives true, not false", "20 won"],
  ],
  "a swap that never succeeds": [
    () => ({ compareAndSwap: () => false }),
    ["compareAndSwap of swapped gives false, not true", "0 won"],
  ],
  "a swap that is not atomic": [
    ({ store, map }) => ({
      async compareAndSwap(key, expected, desired) {
        if (!sameText(map.get(key) ?? "absent", expected ?? "absent")) return false;
        await undefined;
        store.put(key, desired);
        return true;
      },
    }),
    ["20 won"],
  ],
};
const sameText = (a, b) => Buffer.from(a).equals(Buffer.from(b));

for (const [name, [defect, expected]] of Object.entries(defects)) {
  test(`the cases detect a store that lacks: ${name}`, async () => {
    const map = new Map();
    const store = mapStore(map);
    const messages = [];
    for (const each of cases) await each.check({ ...store, ...defect({ store, map }) }).catch(({ message }) => messages.push(message));
    assert.equal(messages.length, expected.length, messages.join("\n"));
    messages.forEach((message, i) => (expected[i] instanceof RegExp ? assert.match : assert.equal)(message, expected[i]));
  });
}

test("the cases accept a store without list", async () => {
  const { list: _, ...store } = mapStore();
  for (const each of cases) await each.check(store);
});
