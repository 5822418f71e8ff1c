// A minimal host of the module: wasm/abi/portail.h in plain JavaScript, without the package. It has a Map for each store, and completes
// operations immediately, or when the test does it.
import { readFileSync } from "node:fs";

const compiled = new WebAssembly.Module(readFileSync(process.env.TEST_MODULE));
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
  time = 1_700_000_000_000_000n;

  constructor() {
    const start = (name, operation, result) => {
      const entry = {
        name,
        operation,
        complete: (status, values) => this.complete(operation, status ?? this.failing ?? result()[0], values ?? (this.failing ? null : result()[1])),
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
      now: () => this.time,
      random: (at, size) => void crypto.getRandomValues(this.bytes(at, size)),
      log: (store, event, eventSize, detail, detailSize) =>
        void this.log.push({ store, event: text(event, eventSize), detail: text(detail, detailSize) }),
    };
    this.exports = new WebAssembly.Instance(compiled, { portail }).exports;
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
