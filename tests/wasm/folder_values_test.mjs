// The cache of portail/folder, and what ends it: the revision of the folder, which its writers move (core/files/revision.hpp).
import assert from "node:assert/strict";
import fs from "node:fs";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";

// Counters of the store's calls of node:fs. `fault` is thrown by a stat.
const { readFile, lstatSync } = fs;
const calls = {};
const noCalls = { reads: 0, stats: 0, fault: undefined };
fs.readFile = (...arguments_) => {
  ++calls.reads;
  readFile(...arguments_);
};
fs.lstatSync = (...arguments_) => {
  ++calls.stats;
  if (calls.fault) throw calls.fault;
  return lstatSync(...arguments_);
};
syncBuiltinESMExports();
const { folderStore } = await import("portail/folder");

const key = "value";

// Creates a store over a new folder, with one value that the store wrote.
async function createStore(t, value = "first") {
  const folder = mkdtempSync(path.join(tmpdir(), "portail-folder-"));
  t.after(() => {
    Object.assign(calls, noCalls); // rmSync also calls stat
    rmSync(folder, { recursive: true });
  });
  Object.assign(calls, noCalls);
  const store = folderStore(folder, { create: true });
  await store.put(key, Buffer.from(value));
  Object.assign(calls, noCalls);
  const get = async (name = key) => Buffer.from((await store.get(name)) ?? "(none)").toString();
  const byHand = (content, name = key) => writeFileSync(path.join(folder, name), content);
  return { folder, file: path.join(folder, key), revision: path.join(folder, "~revision"), store, get, byHand };
}
const bytes = (text) => Buffer.from(text);

test("a write moves the revision by two, a swap that fails and what reading changes do not", async (t) => {
  const { store, revision } = await createStore(t);
  const size = () => statSync(revision).size;
  assert.equal(size(), 2);
  assert.equal(await store.compareAndSwap(key, bytes("first"), bytes("second")), true);
  assert.equal(size(), 4);
  assert.equal(await store.compareAndSwap(key, bytes("first"), bytes("third")), false);
  await store.put("consultation.a.0", bytes("1"));
  await store.put("audit.1.2", bytes("1"));
  assert.equal(size(), 4);
  await store.delete(key);
  assert.equal(size(), 6);
});

test("values are read once, and absent ones once too, while the revision is the same", async (t) => {
  const { get, byHand } = await createStore(t);
  for (let i = 0; i < 5; ++i) {
    assert.equal(await get(), "first");
    assert.equal(await get("absent"), "(none)");
    byHand("by hand");
    byHand("by hand", "absent");
  }
  assert.equal(calls.reads, 1);
});

test("a batch needs one stat", async (t) => {
  const { store } = await createStore(t);
  await store.put("other", bytes("2"));
  const values = () => store.getMany([key, "other", "absent"]);
  await values();
  calls.stats = 0;
  assert.deepEqual(
    (await values()).map((value) => value && Buffer.from(value).toString()),
    ["first", "2", undefined],
  );
  assert.equal(calls.stats, 1);
});

test("after a write of any key all values are read again", async (t) => {
  const { store, get, byHand } = await createStore(t);
  assert.equal(await get(), "first");
  byHand("later");
  assert.equal(await get(), "first");
  await store.put("other", bytes("2"));
  assert.equal(await get(), "later");
});

test("without a revision, or with an odd one, each value is read each time", async (t) => {
  for (const spoil of [(revision) => rmSync(revision), (revision) => truncateSync(revision, 3), (revision) => (rmSync(revision), mkdirSync(revision))]) {
    const { get, byHand, revision } = await createStore(t);
    spoil(revision);
    for (const value of ["a", "b", "c"]) {
      byHand(value);
      assert.equal(await get(), value);
    }
  }
});

test("the write after a writer that died makes readers fast again", async (t) => {
  const { store, get, byHand, revision } = await createStore(t);
  truncateSync(revision, 3);
  await store.put("other", bytes("2"));
  assert.equal(statSync(revision).size, 4);
  assert.equal(await get(), "first");
  byHand("by hand");
  assert.equal(await get(), "first");
});

test("any write ends the revision of a writer that died", async (t) => {
  const { store, revision } = await createStore(t);
  truncateSync(revision, 3);
  await store.put("consultation.a.0", bytes("1"));
  assert.equal(statSync(revision).size, 4);
});

test("a folder that was restored has another revision of the same size", async (t) => {
  const { get, byHand, revision } = await createStore(t);
  assert.equal(await get(), "first");
  byHand("restored");
  utimesSync(revision, 1_600_000_000, 1_600_000_000);
  assert.equal(await get(), "restored");
});

test("what reading changes is read each time", async (t) => {
  const { store, get, byHand } = await createStore(t);
  for (const name of ["consultation.a.0", "audit.1.2", "config.jwks", "config.fetched-jwks.0"]) {
    await store.put(name, bytes("1"));
    assert.equal(await get(name), "1");
    byHand("2", name);
    assert.equal(await get(name), "2", name);
  }
});

test("a program that does not know revisions cannot write", async (t) => {
  const { folder, store, get } = await createStore(t);
  const writers = path.join(folder, "~writers");
  // It was at work when the first writer with revisions began.
  rmSync(path.join(writers, "lease"));
  mkdirSync(path.join(writers, "lease/older/inside"), { recursive: true });
  mkdirSync(path.join(writers, "next"));
  await store.put(key, bytes("second"));
  assert.throws(() => renameSync(path.join(writers, "lease/older/inside"), path.join(folder, key)));
  assert.throws(() => renameSync(path.join(writers, "next"), path.join(writers, "lease")), { code: "ENOTDIR" });
  assert.equal(existsSync(path.join(writers, "older")), false);
  assert.equal(await get(), "second");
});

test("a write leaves no files of its own", async (t) => {
  const { folder } = await createStore(t);
  assert.deepEqual(readdirSync(folder).sort(), [key, "~revision", "~writers"]);
  assert.deepEqual(readdirSync(path.join(folder, "~writers")).sort(), ["holder", "lease"]);
  assert.deepEqual(readdirSync(path.join(folder, "~writers/holder")), []);
});

test("a removed value is absent, and a new one is found", async (t) => {
  const { get, store } = await createStore(t);
  for (let i = 0; i < 3; ++i) await get();
  await store.delete(key);
  for (let i = 0; i < 3; ++i) assert.equal(await get(), "(none)");
  await store.put(key, bytes("again"));
  for (let i = 0; i < 3; ++i) assert.equal(await get(), "again");
});

test("a stat that fails rejects only the calls that use it", async (t) => {
  const { get } = await createStore(t);
  await get();
  calls.fault = Object.assign(new Error("EIO"), { code: "EIO" });
  for (const answer of [get(), get()]) await assert.rejects(answer, { code: "EIO" });
  calls.fault = undefined;
  assert.equal(await get(), "first");
});

test("a thousand requests against a writer: none gets a value that was replaced before", { timeout: 120_000 }, async (t) => {
  const { store, folder } = await createStore(t, "0");
  const other = folderStore(folder, { create: true }); // as another process
  let written = 0;
  let asking = true;
  const writing = (async () => {
    for (let i = 1; asking; ++i) {
      await other.put(key, bytes(String(i)));
      written = i;
    }
  })();
  let answers = 0;
  const ask = async () => {
    for (let i = 0; i < 63 || written <= 10; ++i) {
      const minimum = written;
      const value = Number(Buffer.from(await store.get(key)).toString());
      assert.ok(value >= minimum && value <= written + 1, `got ${value}, but ${minimum} was written before, and ${written} now`);
      ++answers;
      await new Promise(setImmediate);
    }
  };
  try {
    await Promise.all(Array.from({ length: 16 }, ask));
  } finally {
    asking = false;
    await writing;
  }
  assert.ok(answers >= 1008 && written > 10, `${answers} answers, ${written} values`);
});
