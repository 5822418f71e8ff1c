// A portal over a folder of Node: the file imports, the thread of writes, and which folders are accepted. What the module does with them,
// the lease of writers and the cache, is tested by tests/stores too.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { sample } from "./sample.mjs";

// Counters of the package's calls of node:fs.
const calls = { stats: 0, reads: 0 };
const { lstatSync, readFileSync } = fs;
fs.lstatSync = (...parameters) => (++calls.stats, lstatSync(...parameters));
fs.readFileSync = (...parameters) => (++calls.reads, readFileSync(...parameters));
syncBuiltinESMExports();
const { createPortail } = await import("portail");
const { folderStore } = await import("portail/folder");
const { mapStore } = await import("portail/map");

const list = "/api/app/objet-courrier";

function temporaryPath(t) {
  const folder = mkdtempSync(join(tmpdir(), "portail-folder-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return join(folder, "tpyo");
}
function sampleFolder(t) {
  const folder = temporaryPath(t);
  mkdirSync(folder);
  for (const [key, value] of sample.values()) writeFileSync(join(folder, key), value);
  return folder;
}

// A portal over `folder`, with its log.
async function start(t, folder, options) {
  const logged = [];
  const log = (...line) => logged.push(line.join(": "));
  const portail = await createPortail({ store: folderStore(folder, options), settings: sample.settings, log, accessLog: () => {} });
  t.after(() => portail.dispose());
  const ask = (target, persona = "client", more = {}) =>
    portail.fetch(new Request(`https://portal.example${target}`, { headers: { authorization: `Bearer ${sample.tokens[persona]}` }, ...more }));
  const status = async (target) => {
    const response = await ask(target);
    await response.body?.cancel();
    return response.status;
  };
  const update = async (id, typeAffectation) => {
    const headers = { authorization: `Bearer ${sample.tokens.administrator}`, "content-type": "application/json" };
    const body = JSON.stringify({ utilisablePourLiasse: true, typeAffectation });
    const response = await ask(`${list}/${id}`, "administrator", { method: "PUT", headers, body });
    return [response.status, (await response.json()).typeAffectation];
  };
  const kind = async (id) => (await (await ask(`${list}/${id}`, "administrator")).json()).typeAffectation;
  return { portail, logged, status, update, kind };
}
const refused = (folder, message, options) =>
  assert.rejects(createPortail({ store: folderStore(folder, options), settings: sample.settings, log: () => {} }), { message: `portail: ${message}` });
const importHint = (folder) => `\`portail import --store dir:${folder} DOCUMENT\` makes one there`;

test("a missing folder is refused, and not created", async (t) => {
  const folder = temporaryPath(t);
  for (const options of [undefined, {}, { create: false }]) await refused(folder, `${folder} does not exist: ${importHint(folder)}`, options);
  assert.equal(existsSync(folder), false);
});

test("a folder that holds no portal is refused: a volume that is not mounted, other files", async (t) => {
  const folder = temporaryPath(t);
  mkdirSync(folder);
  await refused(folder, `${folder} holds no portal: ${importHint(folder)}`);
  assert.deepEqual(readdirSync(folder), []);
  writeFileSync(join(folder, "notes"), "");
  for (const create of [false, true]) {
    await refused(folder, `${folder} holds other files and no store (notes): name an empty or a new folder`, { create });
  }
});

test("a path that is not a folder is refused", async (t) => {
  const file = temporaryPath(t);
  writeFileSync(file, "");
  for (const create of [false, true]) await refused(file, `${file} is not a folder`, { create });
});

test("a folder whose parent is missing is refused, and whether a folder exists is not guessed", async (t) => {
  const parent = temporaryPath(t);
  const below = join(parent, "below");
  await refused(below, `${below} cannot be created: its parent folder does not exist: create it first`, { create: true });
  assert.equal(existsSync(parent), false);
  const long = join(parent, "..", "a".repeat(256));
  await refused(long, `${long} cannot be read: the host's log has the reason`);
  await refused(long, `${long} cannot be created: the host's log has the reason`, { create: true });
});

test("with create the folder is created, for its owner only, and served while it is empty", async (t) => {
  const folder = temporaryPath(t);
  for (let i = 0; i < 2; ++i) {
    const { status } = await start(t, folder, { create: true });
    assert.equal(await status("/health/ready"), 200);
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  }
});

test("the folder's own path may be a link", async (t) => {
  const folder = sampleFolder(t);
  symlinkSync(folder, `${folder}.link`);
  const { status } = await start(t, `${folder}.link`);
  assert.equal(await status(list), 200);
});

test("a repeated answer costs one stat, and no file is read", async (t) => {
  const { status, update } = await start(t, sampleFolder(t));
  await update(1, "Optionnel"); // makes the revision
  Object.assign(calls, { stats: 0, reads: 0 });
  assert.equal(await status(list), 200);
  assert.ok(calls.reads > 0);
  for (let i = 0; i < 3; ++i) {
    Object.assign(calls, { stats: 0, reads: 0 });
    assert.equal(await status(list), 200);
    assert.deepEqual(calls, { stats: 1, reads: 0 });
  }
});

test("an update moves the revision by two, is found immediately, and leaves no files of its own", async (t) => {
  const folder = sampleFolder(t);
  const { update, kind } = await start(t, folder);
  let size = 0;
  for (const each of ["Rien", "Optionnel", "Obligatoire"]) {
    assert.deepEqual(await update(1, each), [200, each]);
    assert.equal(await kind(1), each);
    size += 2;
    assert.equal(statSync(join(folder, "~revision")).size, size);
  }
  const added = readdirSync(folder).filter((name) => !sample.values().has(name) && !name.startsWith("audit."));
  assert.deepEqual(added.sort(), ["~revision", "~writers"]);
  assert.deepEqual(readdirSync(join(folder, "~writers")).sort(), ["holder", "lease"]);
  assert.deepEqual(readdirSync(join(folder, "~writers/holder")), []);
  assert.equal(statSync(join(folder, "configuration")).mode & 0o777, 0o600);
});

test("two portals over one folder lose no update of each other", async (t) => {
  const folder = sampleFolder(t);
  const portals = [await start(t, folder), await start(t, folder)];
  const wanted = (id) => (id % 2 ? "Rien" : "Optionnel");
  const ids = Array.from({ length: 10 }, (_, i) => i + 1);
  const updates = await Promise.all(ids.map((id) => portals[id % 2].update(id, wanted(id))));
  assert.deepEqual(updates, ids.map((id) => [200, wanted(id)]));
  for (const { kind } of portals) {
    for (const id of ids) assert.equal(await kind(id), wanted(id));
  }
});

test("a write waits for another writer, revokes its lease after 5 seconds, and blocks no other request", { timeout: 60_000 }, async (t) => {
  const folder = sampleFolder(t);
  const { logged, status, update } = await start(t, folder);
  const holder = join(folder, "~writers/holder/other");
  mkdirSync(holder, { recursive: true });
  const since = performance.now();
  let ended = false;
  const updated = update(1, "Rien").finally(() => (ended = true));
  assert.equal(await status(list), 200);
  assert.deepEqual([ended, existsSync(holder)], [false, true]);
  assert.deepEqual(await updated, [200, "Rien"]);
  assert.ok(performance.now() - since >= 5_000);
  assert.equal(existsSync(holder), false);
  assert.ok(logged.includes("store: the lease of a stalled writer was removed: other"), logged.join("\n"));
});

test("a program with a portal that has written ends by itself", (t) => {
  const program = `
    import { createPortail } from "portail";
    import { folderStore } from "portail/folder";
    const portail = await createPortail({ store: folderStore(${JSON.stringify(sampleFolder(t))}), settings: ${JSON.stringify(sample.settings)} });
    const response = await portail.fetch(new Request("https://portal.example${list}/1", {
      method: "PUT", body: '{"utilisablePourLiasse":true,"typeAffectation":"Rien"}',
      headers: { authorization: "Bearer ${sample.tokens.administrator}", "content-type": "application/json" } }));
    console.log(response.status);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { timeout: 30_000, encoding: "utf8", cwd: import.meta.dirname });
  assert.equal(output, "200\n");
});

test("a folder of writers that is a link is not followed", async (t) => {
  const folder = sampleFolder(t);
  const other = temporaryPath(t);
  mkdirSync(other);
  writeFileSync(join(other, "kept"), "");
  utimesSync(join(other, "kept"), 1_600_000_000, 1_600_000_000);
  symlinkSync(other, join(folder, "~writers"));
  const { update } = await start(t, folder);
  await update(1, "Rien");
  assert.equal(existsSync(join(other, "kept")), true);
});

test("the reason of a failure is logged without the path", async (t) => {
  const folder = sampleFolder(t);
  const { logged, status } = await start(t, folder);
  t.mock.method(fs, "readFileSync", () => {
    throw Object.assign(new Error(`EIO: i/o error, open '${folder}/catalogue.0'`), { code: "EIO", syscall: "open" });
  });
  syncBuiltinESMExports();
  assert.equal(await status(list), 503);
  fs.readFileSync.mock.restore();
  syncBuiltinESMExports();
  assert.ok(logged.includes("store: open: EIO"), logged.join("\n"));
  assert.equal(await status(list), 200);
});

test("a store that has a member `folder` is a store", async (t) => {
  const store = { ...mapStore(sample.values()), folder: "data" };
  const portail = await createPortail({ store, settings: sample.settings });
  t.after(() => portail.dispose());
  assert.equal((await portail.fetch(new Request("https://portal.example/health/ready"))).status, 200);
});

// (module (memory (export "memory") 1) (func (export "_initialize")) (func (export "allocate") (param i32) (result i32) i32.const 8)
//   (func (export "write_in_folder") (param i32 i32 i32) (result i32) unreachable))
const trapping = new WebAssembly.Module(
  Buffer.from(
    "AGFzbQEAAAABEANgAABgAX8Bf2ADf39/AX8DBAMAAQIFAwEAAQc1BAZtZW1vcnkCAAtfaW5pdGlhbGl6ZQAACGFsbG9jYXRlAAEPd3JpdGVfaW5fZm9sZGVyAAIKDQMCAAsEAEEICwMAAAs=",
    "base64",
  ),
);
test("a thread that ends during a write fails all pending writes", async (t) => {
  const writes = [];
  const { write } = folderStore(sampleFolder(t)).imports(() => new Uint8Array(4), () => {}, trapping, (_, call) => writes.push(call()));
  for (let i = 0; i < 3; ++i) write(1, i, 0, 4);
  const ended = await Promise.allSettled(writes);
  assert.deepEqual(ended.map(({ status, reason }) => [status, reason?.name]), Array(3).fill(["rejected", "RuntimeError"]));
});

test("after a thread of writes that failed, the next write has a new one", async (t) => {
  const folder = folderStore(sampleFolder(t));
  const empty = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
  const writes = [];
  const { write } = folder.imports(() => new Uint8Array(4), () => {}, empty, (_, call) => writes.push(call()));
  for (let i = 0; i < 2; ++i) {
    write(1, i, 0, 4);
    await assert.rejects(writes[i], { name: "TypeError" });
  }
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
    const folder = sampleFolder(t);
    const { logged, status } = await start(t, folder);
    const file = join(folder, "catalogue.0");
    const many = (target) => Promise.all(Array.from({ length: 16 }, () => status(target)));
    assert.deepEqual(new Set(await many(list)), new Set([200]));
    rmSync(file);
    make(file);
    assert.deepEqual(new Set(await many(list)), new Set([500]));
    assert.match(logged.join("\n"), kind === "larger than any value" ? /larger than any value/ : /not a regular file/);
    assert.equal(await status("/health/live"), 200);
    assert.equal(await status("/api/abp/application-configuration"), 200);
  });
}
