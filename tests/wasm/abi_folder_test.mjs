// Tests a portal over a folder of the module's host (wasm/abi/portail.h, "Folders"), by the files of abi_host.mjs.
import assert from "node:assert/strict";
import test from "node:test";
import { AbiHost, conformance, Flag, Kind, State, Status } from "./abi_host.mjs";
import { sample } from "./sample.mjs";

const { settings, tokens } = sample;
const list = { target: "/api/app/objet-courrier", headers: { Authorization: `Bearer ${tokens.client}` } };
const change = {
  method: "PUT",
  target: "/api/app/objet-courrier/1",
  headers: { Authorization: `Bearer ${tokens.administrator}`, "Content-Type": "application/json" },
  flags: Flag.https | Flag.hasBody,
};

function hostWithFolder(values = sample.values()) {
  const host = new AbiHost();
  host.time = BigInt(Date.now()) * 1000n;
  host.files.set("", { kind: Kind.folder, modified: 0 });
  for (const [key, bytes] of values) host.files.set(key, { kind: Kind.file, bytes, modified: 0 });
  return { host, portal: host.createInFolder(settings, { create: false }) };
}
function statusOf(host, portal, request = list) {
  const handle = host.begin(portal, request);
  assert.equal(host.exports.state(handle), State.answered);
  const { status } = host.head(handle);
  host.exports.end(handle);
  return status;
}
// Begins an update, and passes its body.
function beginUpdate(host, portal, kind) {
  const handle = host.begin(portal, change);
  host.giveBody(handle, `{"utilisablePourLiasse":false,"typeAffectation":"${kind}"}`);
  host.giveBody(handle, "");
  return handle;
}
function update(host, portal, kind) {
  const handle = beginUpdate(host, portal, kind);
  const { status } = host.head(handle);
  host.exports.end(handle);
  return status;
}
const revision = (host) => host.files.get("~revision")?.size;

test("faults of folders name them", () => {
  const hint = "`portail import --store dir:data DOCUMENT` makes one there";
  const host = new AbiHost();
  assert.equal(host.createInFolder(settings, { create: false }), `data does not exist: ${hint}`);
  assert.equal(host.files.size, 0);
  host.files.set("", { kind: Kind.file, modified: 0 });
  assert.equal(host.createInFolder(settings), "data is not a folder");
  host.files.set("", { kind: Kind.folder, modified: 0 });
  assert.equal(host.createInFolder(settings, { create: false }), `data holds no portal: ${hint}`);
  host.files.set("notes", { kind: Kind.file, bytes: Buffer.alloc(0), modified: 0 });
  assert.equal(host.createInFolder(settings), "data holds other files and no store (notes): name an empty or a new folder");
  host.failingFile = () => -4;
  assert.equal(host.createInFolder(settings, { create: false }), "data cannot be read: the host's log has the reason");
  assert.equal(host.createInFolder(settings), "data cannot be created: the host's log has the reason");
});

test("with create an empty folder is made and accepted", () => {
  const host = new AbiHost();
  const portal = host.createInFolder(settings);
  assert.deepEqual([...host.files.keys()], [""]);
  assert.equal(statusOf(host, portal, { target: "/health/ready" }), 200);
});

test("a repeated request costs one call for the revision, other ones those of their files", () => {
  const { host, portal } = hostWithFolder();
  assert.equal(update(host, portal, "Rien"), 200);
  assert.equal(statusOf(host, portal), 200);
  for (let i = 0; i < 3; ++i) {
    host.fileCalls = [];
    assert.equal(statusOf(host, portal), 200);
    assert.deepEqual(host.fileCalls, ["status ~revision"]);
  }
});

test("an update is one write, which moves the revision by two and leaves no files of its own", () => {
  const { host, portal } = hostWithFolder();
  const before = new Set(host.files.keys());
  for (const [i, kind] of ["Rien", "Optionnel"].entries()) {
    assert.equal(update(host, portal, kind), 200);
    assert.equal(revision(host), 2 * i + 2);
  }
  const added = [...host.files.keys()].filter((name) => !before.has(name) && !name.startsWith("audit."));
  assert.deepEqual(added.sort(), ["~revision", "~writers", "~writers/holder", "~writers/lease"]);
});

test("a write is completed later, and others read meanwhile", () => {
  const { host, portal } = hostWithFolder();
  host.asynchronous = true;
  const handle = beginUpdate(host, portal, "Rien");
  assert.equal(host.exports.state(handle), State.waiting);
  assert.equal(statusOf(host, portal), 200);
  assert.equal(revision(host), undefined);
  let writes = 0;
  for (; host.exports.state(handle) === State.waiting; ++writes) {
    const written = host.pending.shift();
    assert.equal(written.name, "write");
    assert.equal(written.complete(), handle);
  }
  assert.deepEqual([host.head(handle).status, revision(host), writes], [200, 2, 2]); // of the audit record, and of the value
});

test("a request that expires while it waits for its write gets 503", () => {
  const { host, portal } = hostWithFolder();
  host.asynchronous = true;
  const handle = beginUpdate(host, portal, "Rien");
  assert.equal(host.exports.expire(handle), State.answered);
  assert.equal(host.head(handle).status, 503);
  host.exports.end(handle);
  host.fileCalls = [];
  assert.equal(host.pending[0].complete(), 0); // it happens, and no request waits
  assert.ok(host.fileCalls.some((call) => call.startsWith("rename ~writers/holder/")), host.fileCalls.join("\n"));
});

test("a failure of any call of an update: an error or the change, and the next update succeeds", () => {
  const { host, portal } = hostWithFolder();
  const value = () => Buffer.from(host.files.get("configuration").bytes).toString();
  const statuses = {};
  let failing = 0;
  for (let isInjected = true; isInjected; ++failing) {
    assert.equal(update(host, portal, "Rien"), 200);
    const before = value();
    let calls = 0;
    host.failingFile = () => (calls++ === failing ? -4 : undefined);
    const status = update(host, portal, "Optionnel");
    isInjected = calls > failing;
    const isChanged = value() !== before;
    // 503: not changed, or the outcome is unknown.
    assert.ok(status === 200 ? isChanged : status === 503, `call ${failing}: ${status}`);
    statuses[`${status} ${isChanged}`] = (statuses[`${status} ${isChanged}`] ?? 0) + 1;
    host.failingFile = () => undefined;
    assert.equal(update(host, portal, "Obligatoire"), 200);
    assert.match(value(), /Obligatoire/);
  }
  assert.ok(failing > 20, `${failing} calls`);
  assert.ok(statuses["503 false"] > 0 && statuses["503 true"] > 0 && statuses["200 true"] > 0, JSON.stringify(statuses));
});

test("a value that is no file is a 500, one that cannot be read a 503, and the next request succeeds", () => {
  const { host, portal } = hostWithFolder();
  const file = host.files.get("configuration");
  for (const [result, status, detail] of [[-3, 500, /not a regular file/], [-4, 503, /the host's log has the reason/]]) {
    host.failingFile = (name, path) => (name === "read" && path === "configuration" ? result : undefined);
    assert.equal(statusOf(host, portal), status);
    assert.match(host.log.map((line) => line.detail).join("\n"), detail);
  }
  host.failingFile = () => undefined;
  host.files.set("configuration", { ...file, size: 256 * 1024 + 1 });
  assert.equal(statusOf(host, portal), 500);
  assert.match(host.log.map((line) => line.detail).join("\n"), /larger than any value/);
  host.files.set("configuration", file);
  assert.equal(statusOf(host, portal), 200);
});

test("a writer waits by a clock that is never set", () => {
  const { host, portal } = hostWithFolder();
  for (const path of ["~writers", "~writers/holder", "~writers/holder/other"]) host.files.set(path, { kind: Kind.folder, modified: 0 });
  host.failingFile = () => void (host.time -= 3_600_000_000n);
  assert.equal(update(host, portal, "Rien"), 200);
  assert.ok(host.waited >= 5_000 && host.waited < 5_100, `${host.waited} ms`);
  assert.equal(host.files.has("~writers/holder/other"), false);
});

test("invalid work is refused", () => {
  const { host } = hostWithFolder();
  for (const work of [[], [0], [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255], [7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]) {
    assert.equal(host.exports.write_in_folder(1, ...host.copyIntoMemory(Buffer.from(work))), Status.unavailable);
  }
});

// A host with the folder that the cases of files need.
function hostWithOtherFiles() {
  const host = new AbiHost(conformance);
  const kinds = { "": Kind.folder, target: Kind.folder, "target/file": Kind.file, link: Kind.other, fifo: Kind.other };
  for (const [path, kind] of Object.entries(kinds)) host.files.set(path, { kind, bytes: Buffer.alloc(0), modified: 0 });
  return host;
}

test("the files of this host pass the cases of files", () => {
  assert.equal(hostWithOtherFiles().createInFolder({}), "19 cases passed");
});

// Hosts with one defect each, a result of an import instead of its own, and the cases that detect it.
const isFile = (host, path) => host.files.get(path)?.kind === Kind.file;
const defects = {
  "a creation replaces a file": [
    (host) => (name, path) => void (name === "create" && isFile(host, path) && host.files.delete(path)),
    ["creation is exclusive"],
  ],
  "a rename does not replace a file": [
    (host) => (name, _, to) => (name === "rename" && isFile(host, to) ? -2 : undefined),
    ["a rename replaces a file", "another file has another time or size", "two writers: one has the lease, and the second waits"],
  ],
  "a rename replaces a folder with content": [
    (host) => (name, _, to) => void (name === "rename" && [...host.files.keys()].filter((file) => file.startsWith(`${to}/`)).forEach((file) => host.files.delete(file))),
    ["a rename replaces an empty folder, and no other", "two writers: one has the lease, and the second waits"],
  ],
  "a removal of a folder removes its content": [
    (host) => (name, path) => void (name === "remove" && [...host.files.keys()].filter((file) => file.startsWith(`${path}/`)).forEach((file) => host.files.delete(file))),
    ["files and folders are removed by calls of their own"],
  ],
  "a link is followed": [(host) => (name, path) => (name === "list" && path === "link" ? 0 : undefined), ["no link is followed, and no FIFO blocks"]],
  "the removal of a file removes an empty folder": [
    (host) => (name, path) => void (name === "remove" && path === "e" && host.files.get(path)?.kind === Kind.folder && host.files.set(path, { kind: Kind.other, modified: 0 })),
    ["the removal of a file removes no folder"],
  ],
  "a missing file is another failure": [
    (host) => (name, path) => (name !== "create" && name !== "make_folder" && !host.files.has(path) ? -4 : undefined),
    ["a name that does not exist"],
  ],
  "folders are not known": [(host) => (name, path) => (name === "list" && isFile(host, path) ? 0 : undefined), ["a folder is no value, and a file no folder"]],
};
for (const [name, [defect, expected]] of Object.entries(defects)) {
  test(`the cases of files detect: ${name}`, () => {
    const host = hostWithOtherFiles();
    host.failingFile = defect(host);
    const report = host.createInFolder({});
    for (const each of expected) assert.ok(report.startsWith("FAILED: ") && report.includes(each), report);
  });
}
