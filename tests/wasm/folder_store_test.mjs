// The package's store over a folder: which folders it accepts. Its operations are tested by the conformance suite.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { createPortail } from "portail";
import { folderStore } from "portail/folder";
import { sample } from "./sample.mjs";

function temporaryPath(t) {
  const folder = mkdtempSync(join(tmpdir(), "portail-folder-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "tpyo");
}
const importHint = (folder) => `\`portail import --store dir:${folder} DOCUMENT\` makes one there`;
async function readiness(store) {
  const portail = await createPortail({ store, settings: sample.settings });
  const response = await portail.fetch(new Request("https://portal.example/health/ready"));
  portail.dispose();
  return response.status;
}

test("a missing folder is refused, and not created", (t) => {
  const folder = temporaryPath(t);
  for (const options of [undefined, {}, { create: false }]) {
    assert.throws(() => folderStore(folder, options), {
      message: `portail: ${folder} does not exist: ${importHint(folder)}`,
    });
  }
  assert.equal(existsSync(folder), false);
});

test("a folder that holds no portal is refused: a volume that is not mounted, other files", (t) => {
  const folder = temporaryPath(t);
  mkdirSync(folder);
  const message = `portail: ${folder} holds no portal: ${importHint(folder)}`;
  assert.throws(() => folderStore(folder), { message });
  assert.deepEqual(readdirSync(folder), []);
  writeFileSync(join(folder, "notes"), "");
  const other = { message: `portail: ${folder} holds other files and no store (notes): name an empty or a new folder` };
  assert.throws(() => folderStore(folder), other);
  assert.throws(() => folderStore(folder, { create: true }), other);
});

test("a path that is not a folder is refused", (t) => {
  const file = temporaryPath(t);
  writeFileSync(file, "");
  for (const options of [{}, { create: true }]) assert.throws(() => folderStore(file, options), { message: `portail: ${file} is not a folder` });
});

test("a folder whose parent is missing is refused, and whether a folder exists is not guessed", (t) => {
  const parent = temporaryPath(t);
  const below = join(parent, "below");
  assert.throws(() => folderStore(below, { create: true }), { message: `ENOENT: no such file or directory, mkdir '${below}'` });
  assert.equal(existsSync(parent), false);
  const long = join(parent, "..", "a".repeat(256));
  for (const options of [{}, { create: true }]) assert.throws(() => folderStore(long, options), { code: "ENAMETOOLONG" });
});

test("with create the folder is created, for its owner only, and served while it is empty", async (t) => {
  const folder = temporaryPath(t);
  const store = folderStore(folder, { create: true });
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.equal(await readiness(store), 200);
  assert.equal(await readiness(folderStore(folder, { create: true })), 200);
});

test("invalid keys are refused, and files with other names are not listed", async (t) => {
  const folder = temporaryPath(t);
  const store = folderStore(folder, { create: true });
  for (const key of ["", "x".repeat(201), "a/b", "G", "~", " a", "a\n"]) {
    assert.throws(() => store.get(key), { name: "RangeError", message: `${JSON.stringify(key)} is not a valid key` });
    await assert.rejects(store.put(key, new Uint8Array()), { name: "RangeError" });
  }
  for (const file of ["x".repeat(201), "G", "a~", "~a", "é"]) writeFileSync(join(folder, file), "");
  for (const key of [".", "..", "a", "x".repeat(200)]) await store.put(key, new Uint8Array());
  assert.deepEqual((await store.list("")).sort(), [".", "..", "a", "x".repeat(200)]);
});

test("writers of two processes wait for each other", async (t) => {
  const folder = temporaryPath(t);
  const stores = [folderStore(folder, { create: true }), folderStore(folder, { create: true })];
  const swap = (store, i) => store.compareAndSwap("a", undefined, new Uint8Array([i]));
  const swapped = await Promise.all(Array.from({ length: 20 }, (_, i) => swap(stores[i % 2], i)));
  const winner = swapped.indexOf(true);
  assert.deepEqual([swapped.filter(Boolean).length, [...(await stores[0].get("a"))]], [1, [winner]]);
});

test("a writer waits for another one, and revokes its lease after 5 seconds", { timeout: 60_000 }, async (t) => {
  const folder = temporaryPath(t);
  const store = folderStore(folder, { create: true });
  const holder = join(folder, "~writers/holder/other");
  mkdirSync(holder, { recursive: true });
  let now = 1_000;
  let looks = 0;
  t.mock.method(performance, "now", () => (++looks, now));
  let ended = false;
  const written = store.put("a", new Uint8Array([1])).finally(() => (ended = true));
  for (const time of [1_000, 5_999]) {
    now = time;
    looks = 0;
    while (looks < 5 && !ended) await new Promise(setImmediate);
    assert.equal(existsSync(holder), true, `${time}`);
  }
  now = 6_000;
  await written;
  assert.deepEqual([existsSync(holder), ...(await store.get("a"))], [false, 1]);
});

test("a write leaves no file open", async (t) => {
  const store = folderStore(temporaryPath(t), { create: true });
  const write = async () => (await store.put("a", new Uint8Array()), await store.delete("a"));
  await write();
  const before = readdirSync("/proc/self/fd").length;
  for (let i = 0; i < 10; ++i) await write();
  assert.ok(readdirSync("/proc/self/fd").length < before + 10);
});

test("a folder that holds a portal is accepted", async (t) => {
  const folder = temporaryPath(t);
  mkdirSync(folder);
  for (const [key, value] of sample.values()) writeFileSync(join(folder, key), value);
  assert.equal(await readiness(folderStore(folder)), 200);
});

// A value that is not a regular file is corrupt: requests that need it get 500 immediately, and others are answered.
const kinds = {
  directory: (file) => mkdirSync(file),
  FIFO: (file) => execFileSync("mkfifo", [file]),
  "symbolic link": (file) => symlinkSync("format", file),
  "symbolic link to itself": (file) => symlinkSync(file, file),
  "symbolic link to a device": (file) => symlinkSync("/dev/zero", file),
  "symbolic link to a FIFO": (file) => {
    execFileSync("mkfifo", [`${file}.fifo`]);
    symlinkSync(`${file}.fifo`, file);
  },
  "larger than any value": (file) => truncateSync(openSync(file, "w"), 3_000_000_000),
};
for (const [kind, make] of Object.entries(kinds)) {
  test(`a value that is not a regular file: ${kind}`, async (t) => {
    const folder = temporaryPath(t);
    mkdirSync(folder);
    for (const [key, value] of sample.values()) writeFileSync(join(folder, key), value);
    const settings = sample.settings;
    const logged = [];
    const portail = await createPortail({ store: folderStore(folder), settings, log: (...line) => logged.push(line.join(" ")) });
    const file = join(folder, "catalogue.0");
    const ask = async (target) => {
      const { status, body } = await portail.fetch(
        new Request(`https://portal.example${target}`, { headers: { authorization: `Bearer ${sample.tokens.client}` } }),
      );
      await body?.cancel();
      return status;
    };
    // More requests than the platform has threads for files.
    const many = (target) => Promise.all(Array.from({ length: 16 }, () => ask(target)));
    const list = "/api/app/objet-courrier";
    assert.deepEqual(new Set(await many(list)), new Set([200]));
    rmSync(file);
    make(file);
    assert.deepEqual(new Set(await many(list)), new Set([500]));
    assert.match(logged.join("\n"), kind === "larger than any value" ? /larger than any value/ : /is not a regular file/);
    assert.equal(await ask("/health/live"), 200);
    assert.equal(await ask("/api/abp/application-configuration"), 200);
    portail.dispose();
  });
}
