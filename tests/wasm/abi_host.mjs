// A minimal host of the module: wasm/abi/portail.h in plain JavaScript, without the package. It has a Map for each store, and completes
// operations immediately, or when the test does it.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const compile = (file) => new WebAssembly.Module(readFileSync(file));
const compiled = compile(process.env.TEST_MODULE);
/** The cases of a host's files (folder_conformance.cpp). */
export const conformance = compile(new URL("folder-conformance.wasm", pathToFileURL(process.env.TEST_MODULE)));
const absent = 0xffffffff;
const utf8 = new TextEncoder();

export const State = { unknown: 0, waiting: 1, wantsBody: 2, answered: 3, piece: 4, end: 5, broken: 6 };
export const Flag = { https: 1, forwardingTrusted: 2, draining: 4, hasBody: 8 };
export const Status = { done: 0, different: 1, unavailable: 2, corrupt: 3 };

export class AbiHost {
  stores = new Map(); // number → Map of values
  pending = []; // { name, operation, complete(status?, values?) }, if the host is asynchronous
  log = [];
  documents = new Map(); // by URL, for fetch
  fetched = [];
  prefixes = []; // of list_keys
  listed = (keys) => keys; // changes the result of list_keys
  asynchronous = false;
  failing; // the status of operations, instead of their results
  files = new Map(); // of the only folder: path → { kind, bytes or size, modified }
  fileCalls = []; // names of imports, with their paths
  failingFile = () => undefined; // (import, paths) → a result instead of the call's own
  time = 1_700_000_000_000_000n;
  changes = 0; // of files
  waited = 0; // milliseconds

  constructor(module = compiled) {
    const start = (name, operation, result) => {
      const entry = {
        name,
        operation,
        complete: (status, values) => {
          const [outcome, content] = status !== undefined || this.failing ? [status ?? this.failing, null] : result();
          return this.complete(operation, outcome, values ?? content);
        },
      };
      if (this.asynchronous) this.pending.push(entry);
      else entry.complete();
    };
    const text = (at, size) => Buffer.from(this.bytes(at, size)).toString();
    const portail = {
      get_many: (store, operation, at, size) => {
        const keys = texts(this.bytes(at, size).slice());
        start("get_many", operation, () => [Status.done, valuesOf(keys.map((key) => this.stores.get(store).get(key)))]);
      },
      put: (store, operation, key, keySize, value, valueSize) => {
        const [name, bytes] = [text(key, keySize), this.bytes(value, valueSize).slice()];
        start("put", operation, () => [Status.done, (this.stores.get(store).set(name, bytes), null)]);
      },
      remove: (store, operation, key, keySize) => {
        const name = text(key, keySize);
        start("remove", operation, () => [Status.done, (this.stores.get(store).delete(name), null)]);
      },
      compare_and_swap: (store, operation, key, keySize, expected, expectedSize, desired, desiredSize) => {
        const name = text(key, keySize);
        const before = expectedSize >>> 0 === absent ? undefined : text(expected, expectedSize);
        const after = this.bytes(desired, desiredSize).slice();
        start("compare_and_swap", operation, () => {
          const values = this.stores.get(store);
          const current = values.has(name) ? Buffer.from(values.get(name)).toString() : undefined;
          if (current !== before) return [Status.different, null];
          values.set(name, after);
          return [Status.done, null];
        });
      },
      list_keys: (store, operation, at, size) => {
        const prefix = text(at, size);
        this.prefixes.push(prefix);
        const keys = () => this.listed([...this.stores.get(store).keys()].filter((key) => key.startsWith(prefix)));
        start("list_keys", operation, () => [Status.done, valuesOf(keys().map((key) => utf8.encode(key)))]);
      },
      fetch: (_store, operation, url, urlSize, maxSize, milliseconds) => {
        const document = this.documents.get(text(url, urlSize));
        this.fetched.push({ url: text(url, urlSize), maxSize, milliseconds });
        start("fetch", operation, () => [Status.done, documentOf(document)]);
      },
      pause: (operation, milliseconds) => {
        if (!this.asynchronous) this.time += BigInt(milliseconds) * 1000n;
        start("pause", operation, () => [Status.done, null]);
      },
      ...fileImports(this, start),
      now: () => this.time,
      random: (at, size) => void crypto.getRandomValues(this.bytes(at, size)),
      log: (store, event, eventSize, detail, detailSize) =>
        void this.log.push({ store, event: text(event, eventSize), detail: text(detail, detailSize) }),
    };
    this.exports = new WebAssembly.Instance(module, { portail }).exports;
    this.exports._initialize();
  }

  bytes(at, size) {
    return new Uint8Array(this.exports.memory.buffer, at, size);
  }
  copyIntoMemory(bytes) {
    if (!bytes || bytes.length === 0) return [0, 0];
    const at = this.exports.allocate(bytes.length);
    this.bytes(at, bytes.length).set(bytes);
    return [at, bytes.length];
  }

  /** Returns the handle of the portal, or its fault. */
  create(store, settings, values = new Map()) {
    this.stores.set(store, values);
    const pairs = Object.entries(settings).flat();
    const portal = this.exports.create(
      store,
      ...this.copyIntoMemory(Buffer.concat([number(pairs.length / 2), ...pairs.map(encoded)])),
    );
    return portal || Buffer.from(this.bytes(this.exports.fault(), this.exports.fault_size())).toString();
  }
  /** The same over the folder of `files`, which is created if it is not there. */
  createInFolder(settings, { create = true } = {}) {
    const pairs = Object.entries(settings).flat();
    const encodedSettings = Buffer.concat([number(pairs.length / 2), ...pairs.map(encoded)]);
    const name = this.copyIntoMemory(Buffer.from("data"));
    const portal = this.exports.create_in_folder(1, create ? 1 : 0, ...name, ...this.copyIntoMemory(encodedSettings));
    return portal || Buffer.from(this.bytes(this.exports.fault(), this.exports.fault_size())).toString();
  }
  begin(portal, { method = "GET", target, headers = {}, flags = Flag.https }) {
    const pairs = Object.entries(headers).flat();
    const head = [number(flags), encoded(method), encoded(target), number(pairs.length / 2), ...pairs.map(encoded)];
    return this.exports.begin(portal, ...this.copyIntoMemory(Buffer.concat(head)));
  }
  complete(operation, status, values) {
    return this.exports.complete(operation, status, ...this.copyIntoMemory(values));
  }
  giveBody(request, text) {
    return this.exports.give_body(request, ...this.copyIntoMemory(utf8.encode(text)));
  }
  data(request) {
    return Buffer.from(this.bytes(this.exports.data(request), this.exports.data_size(request)));
  }
  /** Returns { status, close, headers } of a request in the state `answered`. */
  head(request) {
    const data = this.data(request);
    const [status, close, count] = [0, 4, 8].map((at) => data.readUInt32LE(at));
    const fields = texts(Buffer.concat([number(2 * count), data.subarray(12)]));
    const headers = {};
    for (let i = 0; i < fields.length; i += 2) headers[fields[i]] = fields[i + 1];
    return { status, close, headers };
  }
  /** Returns the whole body, and ends the request. */
  body(request) {
    const pieces = [];
    while (this.exports.next(request) === State.piece) pieces.push(this.data(request));
    const state = this.exports.state(request);
    if (state !== State.end) throw new Error(`state ${state}`);
    this.exports.end(request);
    return Buffer.concat(pieces).toString();
  }
}

const FileFailure = { missing: -1, occupied: -2, other: -3 };
export const Kind = { file: 0, folder: 1, other: 2 };

// The imports of files over `host.files`, and `write` by this instance.
function fileImports(host, start) {
  const { files } = host;
  const parent = (path) => path.slice(0, Math.max(path.lastIndexOf("/"), 0));
  const within = (path) => [...files.keys()].filter((name) => name.startsWith(`${path}/`));
  // Each call gets its paths as texts, and its other arguments as they are.
  const call = (name, paths, run) => (_folder, ...parameters) => {
    const texts = Array.from({ length: paths }, (_, i) => Buffer.from(host.bytes(parameters[2 * i], parameters[2 * i + 1])).toString());
    host.fileCalls.push([name, ...texts].join(" "));
    return host.failingFile(name, ...texts) ?? run(...texts, ...parameters.slice(2 * paths)) ?? 0;
  };
  const give = (bytes, at, size) => {
    if (bytes.length <= size) host.bytes(at, bytes.length).set(bytes);
    return bytes.length;
  };
  const create = (path, file) => {
    if (files.has(path)) return FileFailure.occupied;
    if (path && files.get(parent(path))?.kind !== Kind.folder) return FileFailure.missing;
    files.set(path, { modified: ++host.changes, ...file });
  };
  return {
    file_status: call("status", 1, (path, at) => {
      const file = files.get(path);
      if (!file) return FileFailure.missing;
      const status = new DataView(host.exports.memory.buffer, at, 32);
      status.setUint32(0, file.kind, true);
      status.setUint32(4, 0, true);
      status.setBigUint64(8, BigInt(file.size ?? file.bytes?.length ?? 0), true);
      for (const time of [16, 24]) status.setBigInt64(time, 1_700_000_000_000_000_000n + BigInt(file.modified), true);
    }),
    file_read: call("read", 1, (path, at, size) => {
      const file = files.get(path);
      if (!file) return FileFailure.missing;
      if (file.kind !== Kind.file) return FileFailure.other;
      return file.size > size ? file.size : give(file.bytes, at, size);
    }),
    file_create: call("create", 1, (path, at, size, length) =>
      create(path, { kind: Kind.file, bytes: host.bytes(at, size).slice(), size: Number(length) }),
    ),
    file_make_folder: call("make_folder", 1, (path) => create(path, { kind: Kind.folder })),
    file_rename: call("rename", 2, (from, to) => {
      if (!files.has(from) || (to && !files.has(parent(to)))) return FileFailure.missing;
      if (files.get(to)?.kind === Kind.folder && within(to).length > 0) return FileFailure.occupied;
      for (const name of [from, ...within(from)]) {
        files.set(to + name.slice(from.length), files.get(name));
        files.delete(name);
      }
    }),
    file_remove: call("remove", 1, (path, isFolder) => {
      if (!files.has(path)) return FileFailure.missing;
      if ((files.get(path).kind === Kind.folder) !== (isFolder !== 0)) return FileFailure.other;
      if (within(path).length > 0) return FileFailure.occupied;
      files.delete(path);
    }),
    file_list: call("list", 1, (path, at, size) => {
      if (!files.has(path)) return FileFailure.missing;
      if (files.get(path).kind !== Kind.folder) return FileFailure.other;
      const names = [...files.keys()].filter((name) => name && parent(name) === path).map((name) => name.slice(path ? path.length + 1 : 0));
      return give(Buffer.from(names.map((name) => `${name}\0`).join("")), at, size);
    }),
    file_sync: call("sync", 1, () => undefined),
    wait: (milliseconds) => void (host.waited += milliseconds),
    monotonic: () => BigInt(host.waited) * 1000n,
    write: (folder, operation, at, size) => {
      const work = host.bytes(at, size).slice();
      start("write", operation, () => [host.exports.write_in_folder(folder, ...host.copyIntoMemory(work)), null]);
    },
  };
}

export function number(value) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
export function encoded(text) {
  const bytes = Buffer.from(text);
  return Buffer.concat([number(bytes.length), bytes]);
}
/** The result of fetch: of a text as the body of a 200, or of { status, body }. */
export function documentOf(document) {
  const { status, body } = typeof document === "string" ? { status: 200, body: document } : (document ?? { status: 0, body: "not there" });
  return Buffer.concat([number(status), Buffer.from(body)]);
}
export function valuesOf(values) {
  const parts = values.map((value) =>
    value === undefined ? number(absent) : Buffer.concat([number(value.length), value]),
  );
  return Buffer.concat([number(values.length), ...parts]);
}
function texts(bytes) {
  const data = Buffer.from(bytes);
  const found = [];
  let at = 4;
  for (let left = data.readUInt32LE(0); left > 0; --left) {
    const size = data.readUInt32LE(at);
    found.push(data.subarray(at + 4, at + 4 + size).toString());
    at += 4 + size;
  }
  return found;
}
