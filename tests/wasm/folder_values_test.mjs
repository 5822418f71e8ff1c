// The cache of portail/folder, and when it reads again. The tests set the times of files and the clocks, so no test waits.
import assert from "node:assert/strict";
import fs from "node:fs";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";

// Counters of the store's calls of node:fs, and hooks: `changeStatus` may change a status, `then` runs after the stat and before it
// returns, and `fault` is thrown instead. `delay` is awaited before the callback of a read.
const { readFile, lstatSync } = fs;
const calls = {};
const noCalls = { reads: 0, stats: 0, changeStatus: undefined, then: undefined, fault: undefined, delay: undefined };
fs.readFile = (file, options, callback) => {
  ++calls.reads;
  readFile(file, options, async (...read) => (await calls.delay, callback(...read)));
};
fs.lstatSync = (...arguments_) => {
  ++calls.stats;
  const status = lstatSync(...arguments_);
  calls.then?.();
  if (calls.fault) throw calls.fault;
  return status && calls.changeStatus ? calls.changeStatus(status) : status;
};
syncBuiltinESMExports();
const { folderStore } = await import("portail/folder");

const writtenAt = Date.now(); // the time of all files, see `stamped`
const key = "value";

// Creates a store over a new folder, with clocks in milliseconds, which the test sets.
function createStore(t, value = "first") {
  const folder = mkdtempSync(path.join(tmpdir(), "portail-folder-"));
  t.after(() => {
    Object.assign(calls, noCalls); // rmSync also calls stat
    rmSync(folder, { recursive: true });
  });
  const clocks = { wall: writtenAt + 60_000, steady: 1_000_000 };
  t.mock.method(Date, "now", () => clocks.wall);
  t.mock.method(performance, "now", () => clocks.steady);
  const file = path.join(folder, key);
  writeFileSync(file, value);
  Object.assign(calls, noCalls);
  const store = folderStore(folder, { create: true });
  calls.stats = 0; // those of the folder
  const get = async () => Buffer.from((await store.get(key)) ?? "(none)").toString();
  return { folder, file, store, clocks, get };
}
// Returns a status in which files differ only by their size: all have the same times and identity.
function stamped(status, at = writtenAt) {
  return { dev: 1, ino: 1, size: status.size, mtimeMs: at, ctimeMs: at, isFile: () => true };
}
const inPlace = (file, value) => writeFileSync(file, value);
function byRename(file, value) {
  writeFileSync(`${file}~`, value);
  renameSync(`${file}~`, file);
}

test("an unchanged file is read twice, and validated by stat afterwards", async (t) => {
  const { get } = createStore(t);
  calls.changeStatus = (status) => stamped(status);
  for (let i = 0; i < 5; ++i) assert.equal(await get(), "first");
  assert.deepEqual([calls.reads, calls.stats], [2, 6]);
});

test("a difference in any member of a status is a change", async (t) => {
  const { get, file } = createStore(t);
  let status = { ...stamped({ size: 5 }) };
  calls.changeStatus = () => status;
  for (let i = 0; i < 3; ++i) await get();
  for (const member of ["dev", "ino", "mtimeMs", "ctimeMs"]) {
    const value = `by ${member}`.slice(0, 5);
    inPlace(file, value);
    status = { ...status, [member]: status[member] - 1 };
    assert.equal(await get(), value, member);
  }
  inPlace(file, "longer");
  status = { ...status, size: 6 };
  assert.equal(await get(), "longer");
});

for (const replace of [inPlace, byRename]) {
  test(`a change to a file of the same size in the same tick is detected: ${replace.name}`, async (t) => {
    const { get, file, clocks } = createStore(t);
    calls.changeStatus = (status) => stamped(status);
    // Two seconds, the coarsest resolution of file systems.
    for (clocks.wall = writtenAt; clocks.wall < writtenAt + 2_000; clocks.wall += 250) {
      const value = `at ${String(clocks.wall).slice(-4)}`;
      replace(file, value);
      for (let i = 0; i < 4; ++i) assert.equal(await get(), value);
    }
  });

  test(`a write between a stat and its result is detected by the next stat: ${replace.name}`, async (t) => {
    for (const cached of [false, true]) {
      const { get, file } = createStore(t);
      await get();
      if (cached) await get();
      let remaining = 1;
      calls.then = () => remaining-- > 0 && replace(file, "later");
      await get(); // the value at the stat, or a later one
      assert.equal(await get(), "later", cached ? "cached" : "read");
      assert.equal(await get(), "later");
    }
  });
}

test("a file that changed less than four seconds ago is not cached", async (t) => {
  for (const [age, reads] of [[3_999, 5], [4_000, 2]]) {
    const { get, clocks } = createStore(t);
    calls.changeStatus = (status) => stamped(status);
    clocks.wall = writtenAt + age;
    for (let i = 0; i < 5; ++i) assert.equal(await get(), "first");
    assert.equal(calls.reads, reads, `${age} ms`);
  }
});

test("a file with times in the future or without ctime is not cached", async (t) => {
  for (const changeStatus of [(status) => stamped(status, writtenAt + 3_600_000), (status) => ({ ...stamped(status), ctimeMs: undefined })]) {
    const { get } = createStore(t);
    calls.changeStatus = changeStatus;
    for (let i = 0; i < 4; ++i) assert.equal(await get(), "first");
    assert.equal(calls.reads, 4);
  }
});

test("a clock that was set back is detected, and one that was set forward causes no error", async (t) => {
  const { get, file, clocks } = createStore(t);
  calls.changeStatus = (status) => stamped(status);
  for (let i = 0; i < 3; ++i) await get();
  clocks.wall -= 60_000; // to the time of the first write
  clocks.steady += 10;
  inPlace(file, "other");
  for (let i = 0; i < 3; ++i) assert.equal(await get(), "other");
  clocks.wall += 3_600_000;
  clocks.steady += 10;
  const { reads } = calls;
  assert.equal(await get(), "other");
  assert.equal(await get(), "other");
  assert.ok(calls.reads <= reads + 1, `${calls.reads - reads} reads`);
});

test("a removed file has no value, and a new file has one", async (t) => {
  const { get, file, store } = createStore(t);
  for (let i = 0; i < 3; ++i) await get();
  rmSync(file);
  for (let i = 0; i < 3; ++i) assert.equal(await get(), "(none)");
  await store.put(key, Buffer.from("again"));
  for (let i = 0; i < 3; ++i) assert.equal(await get(), "again");
});

test("calls during a read share the next read, and get the value at the time of the call", async (t) => {
  for (const [lookup, reads] of [["for the first time", 3], ["before", 2]]) {
    const { get, file } = createStore(t);
    if (lookup === "before") await get();
    calls.reads = 0;
    let resume;
    calls.delay = new Promise((resolve) => (resume = resolve));
    const first = get();
    while (calls.reads === 0) await new Promise(setImmediate);
    byRename(file, "later");
    const others = Array.from({ length: 50 }, get);
    resume();
    await first;
    for (const answer of await Promise.all(others)) assert.equal(answer, "later");
    assert.equal(calls.reads, reads, lookup);
  }
});

test("a stat that fails rejects only the calls that use it", async (t) => {
  const { get } = createStore(t);
  await get();
  calls.fault = Object.assign(new Error("EIO"), { code: "EIO" });
  for (const answer of [get(), get()]) await assert.rejects(answer, { code: "EIO" });
  calls.fault = undefined;
  assert.equal(await get(), "first");
});

test("the cache is bounded", async (t) => {
  const { store, folder } = createStore(t);
  calls.changeStatus = (status) => stamped(status);
  const keys = Array.from({ length: 160 }, (_, i) => `large.${i}`); // of 256 KiB: 40 MiB
  for (const name of keys) writeFileSync(path.join(folder, name), Buffer.alloc(262_144, name));
  for (let i = 0; i < 3; ++i) {
    calls.reads = 0;
    for (const name of keys) assert.equal((await store.get(name)).length, 262_144);
    assert.equal(calls.reads, 160); // each is the least recently used one
  }
  calls.reads = 0;
  for (let i = 0; i < 3; ++i) for (const name of keys.slice(-100)) await store.get(name);
  assert.equal(calls.reads, 0);
});

test("a thousand requests against a writer: none gets a value that was replaced before", { timeout: 120_000 }, async (t) => {
  const { store, file } = createStore(t, "0000000");
  t.mock.restoreAll();
  let written = 0;
  let asking = true;
  const writing = (async () => {
    for (let i = 1; asking; ++i) {
      (i % 2 ? byRename : inPlaceWhole)(file, String(i).padStart(7, "0"));
      written = i;
      await new Promise(setImmediate);
    }
  })();
  const ask = async () => {
    for (let i = 0; i < 63; ++i) {
      const minimum = written;
      const value = Number(Buffer.from(await store.get(key)).toString());
      assert.ok(value >= minimum && value <= written + 1, `got ${value}, but ${minimum} was written before, and ${written} now`);
    }
  };
  try {
    await Promise.all(Array.from({ length: 16 }, ask));
  } finally {
    asking = false;
    await writing;
  }
  assert.ok(written > 10, `${written} values`);
});
// One write of the same size, so readers see no partial value.
function inPlaceWhole(file, value) {
  const opened = fs.openSync(file, "r+");
  fs.writeSync(opened, value, 0);
  fs.closeSync(opened);
}
