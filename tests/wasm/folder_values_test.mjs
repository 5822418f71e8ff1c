// What portail/folder keeps of what it read, and when it reads again. The times that files show, and the clocks, are the
// tests' own: no test waits.
import assert from "node:assert/strict";
import fs from "node:fs";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";

// What the store calls of node:fs, counted. `seen` may change a status, `then` runs once it is known and before it is told;
// `fault` is thrown in its place. `held` is waited for before the bytes that were read are told.
const { readFile, lstatSync } = fs;
const calls = {};
const nothing = { reads: 0, looks: 0, seen: undefined, then: undefined, fault: undefined, held: undefined };
fs.readFile = (file, options, told) => {
  ++calls.reads;
  readFile(file, options, async (...read) => (await calls.held, told(...read)));
};
fs.lstatSync = (...given) => {
  ++calls.looks;
  const status = lstatSync(...given);
  calls.then?.();
  if (calls.fault) throw calls.fault;
  return status && calls.seen ? calls.seen(status) : status;
};
syncBuiltinESMExports();
const { folderStore } = await import("portail/folder");

const wrote = Date.now(); // when all files were written, as `stamped` has it
const key = "value";

// A store over a new folder, and its clocks in milliseconds, which the test sets.
function make(t, value = "first") {
  const folder = mkdtempSync(path.join(tmpdir(), "portail-folder-"));
  t.after(() => {
    Object.assign(calls, nothing); // rmSync looks at files too
    rmSync(folder, { recursive: true });
  });
  const clocks = { wall: wrote + 60_000, steady: 1_000_000 };
  t.mock.method(Date, "now", () => clocks.wall);
  t.mock.method(performance, "now", () => clocks.steady);
  const file = path.join(folder, key);
  writeFileSync(file, value);
  Object.assign(calls, nothing);
  const store = folderStore(folder, { create: true });
  calls.looks = 0; // at the folder
  const get = async () => Buffer.from((await store.get(key)) ?? "(none)").toString();
  return { folder, file, store, clocks, get };
}
// Every file was written at the same moment, and is the same one: what a look cannot tell apart but by the size.
function stamped(status, at = wrote) {
  return { dev: 1, ino: 1, size: status.size, mtimeMs: at, ctimeMs: at, isFile: () => true };
}
const inPlace = (file, value) => writeFileSync(file, value);
function byRename(file, value) {
  writeFileSync(`${file}~`, value);
  renameSync(`${file}~`, file);
}

test("a file that stays as it is, is read twice and looked at from then on", async (t) => {
  const { get } = make(t);
  calls.seen = (status) => stamped(status);
  for (let i = 0; i < 5; ++i) assert.equal(await get(), "first");
  assert.deepEqual([calls.reads, calls.looks], [2, 6]);
});

test("each member of a status tells of a change", async (t) => {
  const { get, file } = make(t);
  let status = { ...stamped({ size: 5 }) };
  calls.seen = () => status;
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
  test(`a file of the same size in the same tick is seen: ${replace.name}`, async (t) => {
    const { get, file, clocks } = make(t);
    calls.seen = (status) => stamped(status);
    // Of two seconds, as the coarsest file systems have them.
    for (clocks.wall = wrote; clocks.wall < wrote + 2_000; clocks.wall += 250) {
      const value = `at ${String(clocks.wall).slice(-4)}`;
      replace(file, value);
      for (let i = 0; i < 4; ++i) assert.equal(await get(), value);
    }
  });

  test(`a writer between a look and its answer is seen by the next one: ${replace.name}`, async (t) => {
    for (const known of [false, true]) {
      const { get, file } = make(t);
      await get();
      if (known) await get();
      let left = 1;
      calls.then = () => left-- > 0 && replace(file, "later");
      await get(); // as it was at the look, or later
      assert.equal(await get(), "later", known ? "known" : "read");
      assert.equal(await get(), "later");
    }
  });
}

test("what changed less than four seconds ago is not kept", async (t) => {
  for (const [age, reads] of [[3_999, 5], [4_000, 2]]) {
    const { get, clocks } = make(t);
    calls.seen = (status) => stamped(status);
    clocks.wall = wrote + age;
    for (let i = 0; i < 5; ++i) assert.equal(await get(), "first");
    assert.equal(calls.reads, reads, `${age} ms`);
  }
});

test("times in the future, and hosts that do not tell a file's own, are never believed", async (t) => {
  for (const seen of [(status) => stamped(status, wrote + 3_600_000), (status) => ({ ...stamped(status), ctimeMs: undefined })]) {
    const { get } = make(t);
    calls.seen = seen;
    for (let i = 0; i < 4; ++i) assert.equal(await get(), "first");
    assert.equal(calls.reads, 4);
  }
});

test("a clock that was set back is noticed, and one that was set forward does no harm", async (t) => {
  const { get, file, clocks } = make(t);
  calls.seen = (status) => stamped(status);
  for (let i = 0; i < 3; ++i) await get();
  clocks.wall -= 60_000; // to the moment of the first writing
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

test("a file that goes has no value, and one that comes has", async (t) => {
  const { get, file, store } = make(t);
  for (let i = 0; i < 3; ++i) await get();
  rmSync(file);
  for (let i = 0; i < 3; ++i) assert.equal(await get(), "(none)");
  await store.put(key, Buffer.from("again"));
  for (let i = 0; i < 3; ++i) assert.equal(await get(), "again");
});

test("those who ask while a file is read share the next reading, and see what was there when they asked", async (t) => {
  for (const [asked, readings] of [["for the first time", 3], ["before", 2]]) {
    const { get, file } = make(t);
    if (asked === "before") await get();
    calls.reads = 0;
    let goOn;
    calls.held = new Promise((resolve) => (goOn = resolve));
    const first = get();
    while (calls.reads === 0) await new Promise(setImmediate);
    byRename(file, "later");
    const others = Array.from({ length: 50 }, get);
    goOn();
    await first;
    for (const answer of await Promise.all(others)) assert.equal(answer, "later");
    assert.equal(calls.reads, readings, asked);
  }
});

test("a look that fails, fails for those who look, and for nobody else", async (t) => {
  const { get } = make(t);
  await get();
  calls.fault = Object.assign(new Error("EIO"), { code: "EIO" });
  for (const answer of [get(), get()]) await assert.rejects(answer, { code: "EIO" });
  calls.fault = undefined;
  assert.equal(await get(), "first");
});

test("what is kept is bounded", async (t) => {
  const { store, folder } = make(t);
  calls.seen = (status) => stamped(status);
  const keys = Array.from({ length: 160 }, (_, i) => `large.${i}`); // of 256 KiB: 40 MiB
  for (const name of keys) writeFileSync(path.join(folder, name), Buffer.alloc(262_144, name));
  for (let i = 0; i < 3; ++i) {
    calls.reads = 0;
    for (const name of keys) assert.equal((await store.get(name)).length, 262_144);
    assert.equal(calls.reads, 160); // each is the one that was asked for least lately
  }
  calls.reads = 0;
  for (let i = 0; i < 3; ++i) for (const name of keys.slice(-100)) await store.get(name);
  assert.equal(calls.reads, 0);
});

test("a thousand requests against a writer: none is shown what was replaced before it came", { timeout: 120_000 }, async (t) => {
  const { store, file } = make(t, "0000000");
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
      const least = written;
      const shown = Number(Buffer.from(await store.get(key)).toString());
      assert.ok(shown >= least && shown <= written + 1, `${shown} is shown, ${least} was there, now ${written}`);
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
// In one write, of the same size: no reader sees a part of it.
function inPlaceWhole(file, value) {
  const opened = fs.openSync(file, "r+");
  fs.writeSync(opened, value, 0);
  fs.closeSync(opened);
}
