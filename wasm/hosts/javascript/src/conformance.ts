// The conformance test of stores, for their authors: a case throws if the store fails it. The store must be empty before the first
// case; the cases leave values in it. Works with any test runner, or without one.
import { Operations } from "./operations.js";
import { bytesOf, sameBytes, type Store } from "./store.js";

export interface Case {
  name: string;
  check(store: Store): Promise<void>;
}

const maxValueSize = 256 * 1024;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

async function expectValue(store: Store, key: string, expected: Uint8Array | undefined): Promise<void> {
  const found = bytesOf(await store.get(key));
  if (sameBytes(found, expected)) return;
  const show = (value: Uint8Array | undefined) => (value ? `${value.length} bytes: ${value.slice(0, 40)}` : "none");
  throw new Error(`the value of ${key} is ${show(found)}; expected ${show(expected)}`);
}
async function expectSwap(
  store: Store,
  expected: boolean,
  key: string,
  before: Uint8Array | undefined,
  after: Uint8Array,
): Promise<void> {
  const swapped = await new Operations(store).compareAndSwap(key, before, after);
  if (swapped !== expected) throw new Error(`compareAndSwap of ${key} gives ${swapped}, not ${expected}`);
}

export const cases: readonly Case[] = [
  {
    name: "a key that was never written has no value",
    check: (store) => expectValue(store, "never", undefined),
  },
  {
    name: "what was put is read, whatever its bytes",
    async check(store) {
      const every = Uint8Array.from({ length: 256 }, (_, i) => i);
      for (const value of [bytes("text"), new Uint8Array(), every]) {
        await store.put("written", value);
        await expectValue(store, "written", value);
      }
    },
  },
  {
    name: "a value may have 256 KiB, and become shorter again",
    async check(store) {
      for (const size of [maxValueSize, maxValueSize - 1, 120_000, 60_000, 59_999, 65_536, 1, 0]) {
        const value = Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);
        await store.put("long", value);
        await expectValue(store, "long", value);
      }
    },
  },
  {
    name: "keys are any of the port's alphabet, with 1 to 200 bytes",
    async check(store) {
      const keys = ["a", ".", "..", "0", "liasse.=C3=A9", "a-b_c.d", "x".repeat(200), `${"x".repeat(199)}y`];
      for (const key of keys) await store.put(key, bytes(key));
      for (const key of keys) await expectValue(store, key, bytes(key));
      await store.delete("..");
      await expectValue(store, ".", bytes("."));
      await expectValue(store, "..", undefined);
    },
  },
  {
    name: "what was deleted has no value, and may be deleted again",
    async check(store) {
      await store.put("deleted", bytes("x"));
      await store.delete("deleted");
      await expectValue(store, "deleted", undefined);
      await store.delete("deleted");
      await store.delete("never");
    },
  },
  {
    name: "getMany keeps the order, repeats and absences",
    async check(store) {
      for (let i = 0; i < 60; i += 2) await store.put(`many.${i}`, bytes(`value ${i}`));
      const keys = [...Array.from({ length: 60 }, (_, i) => `many.${59 - i}`), "many.0", "many.0"];
      const values = store.getMany ? await store.getMany(keys) : await Promise.all(keys.map((key) => store.get(key)));
      if (values.length !== keys.length) throw new Error(`${values.length} values of ${keys.length} keys`);
      keys.forEach((key, i) => {
        const number = Number(key.slice(5));
        if (!sameBytes(bytesOf(values[i]), number % 2 === 0 ? bytes(`value ${number}`) : undefined)) {
          throw new Error(`the value of ${key} is another one`);
        }
      });
    },
  },
  {
    name: "list returns the keys that begin with a prefix, if the store has this function",
    async check(store) {
      if (!store.list) return;
      const expected = ["list.", "list.=C3=A9", "list.a", "list.b.c"];
      for (const key of [...expected, "list", "list-", "list_", "lisu", "list.removed"]) await store.put(key, bytes(key));
      await store.put("list.a", new Uint8Array(maxValueSize));
      await store.delete("list.removed");
      const found = (await store.list("list.")).filter((key) => key.startsWith("list."));
      if (found.sort().join() !== expected.join()) throw new Error(`list gives ${found.join()}, not ${expected.join()}`);
      const none = (await store.list("list.x")).filter((key) => key.startsWith("list.x"));
      if (none.length > 0) throw new Error(`list gives ${none.join()} for a prefix of no key`);
    },
  },
  {
    name: "compareAndSwap changes exactly what was expected",
    async check(store) {
      await expectSwap(store, false, "swapped", bytes("a"), bytes("b"));
      await expectValue(store, "swapped", undefined);
      await expectSwap(store, true, "swapped", undefined, new Uint8Array());
      await expectSwap(store, false, "swapped", undefined, bytes("b"));
      await expectSwap(store, true, "swapped", new Uint8Array(), bytes("b"));
      await expectSwap(store, false, "swapped", bytes("bb"), bytes("c"));
      await expectSwap(store, false, "swapped", bytes("B"), bytes("c"));
      await expectSwap(store, true, "swapped", bytes("b"), bytes("c"));
      await expectValue(store, "swapped", bytes("c"));
    },
  },
  {
    name: "of twenty concurrent swaps, one succeeds",
    async check(store) {
      const operations = new Operations(store);
      const desired = Array.from({ length: 20 }, (_, i) => bytes(`by ${i}`));
      const results = await Promise.all(desired.map((value) => operations.compareAndSwap("race", undefined, value)));
      const winners = desired.filter((_, i) => results[i]);
      if (winners.length !== 1) throw new Error(`${winners.length} won`);
      await expectValue(store, "race", winners[0]);
    },
  },
];
