// Tests the module against its ABI (wasm/abi/portail.h), by a minimal host (abi_host.mjs).
import assert from "node:assert/strict";
import test from "node:test";
import { AbiHost, encoded, Flag, number, State, Status } from "./abi_host.mjs";
import { sample } from "./sample.mjs";

const { settings, tokens } = sample;
const list = (token = tokens.client) => ({ target: "/api/app/liasse", headers: { Authorization: `Bearer ${token}` } });
const change = {
  method: "PUT",
  target: "/api/app/objet-courrier/1",
  headers: { Authorization: `Bearer ${tokens.administrator}`, "Content-Type": "application/json" },
  flags: Flag.https | Flag.hasBody,
};
const newConfiguration = '{"utilisablePourLiasse":false,"typeAffectation":"Rien"}';

function hostAtTime() {
  const host = new AbiHost();
  host.time = BigInt(Date.now()) * 1000n;
  return host;
}
function hostWithPortal() {
  const host = hostAtTime();
  return { host, portal: host.create(1, settings, sample.values()) };
}

test("the version is 3", () => assert.equal(new AbiHost().exports.abi_version(), 3));

test("faults of settings are one line for the operator", () => {
  const host = new AbiHost();
  const { PORTAIL_ISSUER, ...rest } = settings;
  assert.equal(host.create(1, rest), "no issuer: set PORTAIL_ISSUER to the iss of the tokens");
  assert.equal(host.create(1, { ...settings, PORTAIL_ISUER: "x" }), "unknown setting PORTAIL_ISUER; did you mean PORTAIL_ISSUER?");
  assert.equal(host.create(1, { ...settings, PORTAIL_LEEWAY: "soon" }), "PORTAIL_LEEWAY must be 0 to 300 seconds, not soon");
  assert.equal(typeof host.create(1, settings), "number");
  assert.equal(host.exports.fault_size(), 0);
  assert.equal(host.exports.create(1, ...host.copyIntoMemory(number(7))), 0);
});

test("links of an orchestrator are named in the log, and ignored", () => {
  const host = new AbiHost();
  assert.equal(host.create(1, { ...settings, PORTAIL_PORT: "8443" }), "unknown setting PORTAIL_PORT");
  assert.equal(typeof host.create(7, { ...settings, PORTAIL_PORT: "tcp://10.0.0.1:8443", PORTAIL_SERVICE_HOST: "10.0.0.1" }), "number");
  assert.deepEqual(host.log, [{ store: 7, event: "variables of an orchestrator are ignored", detail: "PORTAIL_PORT, PORTAIL_SERVICE_HOST" }]);
});

test("a synchronous host has the answer before begin returns", () => {
  const { host, portal } = hostWithPortal();
  const request = host.begin(portal, list());
  assert.equal(host.exports.state(request), State.answered);
  const { status, close, headers } = host.head(request);
  assert.deepEqual([status, close, headers["Content-Type"]], [200, 0, "application/json; charset=utf-8"]);
  const body = host.body(request);
  assert.equal(headers["Content-Length"], String(Buffer.byteLength(body)));
  assert.equal(typeof JSON.parse(body), "object");
  assert.equal(host.exports.state(request), State.unknown);
});

test("requests of an asynchronous host continue in any order", () => {
  const { host, portal } = hostWithPortal();
  const expected = host.body(host.begin(portal, list()));
  host.asynchronous = true;
  const requests = Array.from({ length: 50 }, () => host.begin(portal, list()));
  assert.ok(requests.every((request) => host.exports.state(request) === State.waiting));
  while (host.pending.length > 0) {
    const [entry] = host.pending.splice(((host.pending.length * 7919) % 13) % host.pending.length, 1);
    assert.ok(requests.includes(entry.complete()));
  }
  for (const request of requests) {
    assert.equal(host.head(request).status, 200);
    let body = "";
    for (let state = host.exports.next(request); state !== State.end; state = host.exports.next(request)) {
      while (host.pending.length > 0) host.pending.shift().complete();
      body += host.data(request);
    }
    assert.equal(body, expected);
    host.exports.end(request);
  }
});

test("portals of one instance have settings and stores of their own", () => {
  const { host, portal } = hostWithPortal();
  const other = host.create(2, { ...settings, PORTAIL_TENANT: "another" }, new Map());
  assert.equal(host.head(host.begin(portal, list())).status, 200);
  assert.equal(host.head(host.begin(other, list())).status, 401);
  host.exports.dispose(other);
  assert.equal(host.begin(other, list()), 0);
  assert.equal(host.head(host.begin(portal, list())).status, 200);
});

test("a body is read piece by piece, and only if it is needed", () => {
  const { host, portal } = hostWithPortal();
  const request = host.begin(portal, change);
  assert.equal(host.exports.state(request), State.wantsBody);
  assert.equal(host.giveBody(request, newConfiguration.slice(0, 9)), State.wantsBody);
  assert.equal(host.giveBody(request, newConfiguration.slice(9)), State.wantsBody);
  assert.equal(host.giveBody(request, ""), State.answered);
  assert.equal(host.head(request).status, 200);
  assert.match(host.body(request), /"utilisablePourLiasse":false,"typeAffectation":"Rien"/);

  const unwanted = host.begin(portal, { ...change, headers: {} });
  assert.equal(host.exports.state(unwanted), State.answered);
  assert.equal(host.head(unwanted).status, 401);
  assert.equal(host.giveBody(unwanted, "x"), State.answered);
});

test("a lost body is 400 and an expired one 408, and they change nothing", () => {
  for (const [end, status] of [["lose_body", 400], ["expire", 408]]) {
    const { host, portal } = hostWithPortal();
    const before = Buffer.from(host.stores.get(1).get("configuration")).toString();
    const request = host.begin(portal, change);
    host.giveBody(request, newConfiguration);
    assert.equal(host.exports[end](request), State.answered);
    assert.equal(host.head(request).status, status);
    assert.equal(Buffer.from(host.stores.get(1).get("configuration")).toString(), before);
  }
});

test("an expired request calls no further import, and its operation may be completed late", () => {
  const { host, portal } = hostWithPortal();
  host.asynchronous = true;
  const request = host.begin(portal, list());
  const [late] = host.pending;
  assert.equal(host.exports.expire(request), State.answered);
  assert.equal(host.pending.length, 1);
  assert.equal(host.head(request).status, 503);
  assert.equal(late.complete(), 0);
  assert.equal(host.exports.state(request), State.answered);
  host.exports.end(request);
  assert.equal(late.complete(), 0);
});

test("the handle of a cancelled request is invalid, also after its operation is completed", () => {
  const { host, portal } = hostWithPortal();
  host.asynchronous = true;
  const request = host.begin(portal, list());
  host.exports.end(request);
  host.exports.end(request);
  assert.equal(host.pending[0].complete(), 0);
  for (const call of ["state", "next", "expire", "lose_body", "data", "data_size"])
    assert.equal(host.exports[call](request), 0);
  const again = host.begin(portal, list());
  assert.notEqual(again, request);
});

test("a handle is not reused", () => {
  const { host, portal } = hostWithPortal();
  host.asynchronous = true;
  const [requests, operations] = [new Set(), new Set()];
  for (let i = 0; i < 70_000; ++i) {
    const request = host.begin(portal, list());
    requests.add(request);
    operations.add(host.pending.pop().operation);
    host.exports.end(request);
  }
  assert.deepEqual([requests.size, operations.size], [70_000, 70_000]);
});

test("more requests than there is memory for are refused, and the others are answered", () => {
  const { host, portal } = hostWithPortal();
  host.asynchronous = true;
  const managed = () => host.begin(portal, { ...list(tokens.manager), target: "/api/app/liasse/dashboard-list" });
  const requests = [];
  for (let request = managed(); request !== 0; request = managed()) requests.push(request);
  assert.ok(requests.length > 2_000, String(requests.length));
  // The values of all of them do not fit into the memory.
  const statuses = [];
  while (statuses.at(-1) !== 503) {
    const request = host.pending.pop().complete();
    if (host.exports.state(request) === State.answered) statuses.push(host.head(request).status);
  }
  assert.ok(statuses.length > 100, String(statuses.length));
  assert.ok(statuses.slice(0, -1).every((status) => status === 200));
  for (const request of requests) host.exports.end(request);
  host.asynchronous = false;
  assert.equal(host.head(managed()).status, 200);
});

// Allocates so many buffers of 1 MiB. Beside them a portal and its requests use less than 1 MiB.
const mebibyte = 1024 * 1024;
const occupy = (host, count) => Array.from({ length: count }, () => host.exports.allocate(mebibyte));

test("a request begins if at most half of the memory is in use", () => {
  const { host, portal } = hostWithPortal();
  occupy(host, 127);
  assert.equal(host.head(host.begin(portal, list())).status, 200);
  const [last] = occupy(host, 1);
  assert.equal(host.begin(portal, list()), 0);
  host.exports.release(last);
  assert.equal(host.head(host.begin(portal, list())).status, 200);
});

test("a request receives values if at most seven eighths of the memory are in use", () => {
  for (const [count, status] of [
    [223, 200],
    [224, 503],
  ]) {
    const { host, portal } = hostWithPortal();
    host.asynchronous = true;
    const request = host.begin(portal, list());
    occupy(host, count);
    while (host.exports.state(request) === State.waiting) host.pending.shift().complete();
    assert.equal(host.head(request).status, status, String(count));
  }
});

test("the memory has 1 to 256 MiB, and beyond them the module traps", () => {
  const { memory } = new AbiHost().exports;
  assert.equal(memory.buffer.byteLength, mebibyte);
  memory.grow(255 * 16); // pages of 64 KiB
  assert.equal(memory.buffer.byteLength, 256 * mebibyte);
  assert.throws(() => memory.grow(1), RangeError);
  assert.throws(() => occupy(new AbiHost(), 256), WebAssembly.RuntimeError);
});

test("dispose ends pending requests", () => {
  const { host, portal } = hostWithPortal();
  host.asynchronous = true;
  const requests = Array.from({ length: 5 }, () => host.begin(portal, list()));
  host.exports.dispose(portal);
  for (const request of requests) assert.equal(host.exports.state(request), State.unknown);
  for (const entry of host.pending) assert.equal(entry.complete(), 0);
});

test("failures of the store are the contract's 503 and 500", () => {
  for (const [status, values, expected] of [
    [Status.unavailable, null, 503],
    [Status.corrupt, null, 500],
    [77, null, 500],
    [Status.done, Buffer.from("nonsense"), 500],
    [Status.done, number(1), 500],
  ]) {
    const { host, portal } = hostWithPortal();
    host.asynchronous = true;
    const request = host.begin(portal, list());
    host.pending.shift().complete(status, values);
    assert.equal(host.exports.state(request), State.answered);
    assert.equal(host.head(request).status, expected);
    const { error } = JSON.parse(host.body(request));
    assert.deepEqual(Object.keys(error), ["code", "message", "details", "data", "validationErrors"]);
  }
});

test("a malformed head is refused", () => {
  const { host, portal } = hostWithPortal();
  for (const head of [
    [],
    number(0),
    Buffer.concat([number(0), encoded("GET"), encoded("/"), number(3)]),
    Buffer.concat([number(0), encoded("GET"), encoded("/"), number(0), number(0)]),
    Buffer.concat([number(0), number(0xffffffff)]),
  ]) {
    assert.equal(host.exports.begin(portal, ...host.copyIntoMemory(head)), 0);
  }
});

test("10,000 requests, some cancelled, do not grow the memory", () => {
  const { host, portal } = hostWithPortal();
  const round = (i) => {
    host.asynchronous = i % 3 === 0;
    const request = host.begin(portal, list());
    if (host.asynchronous) host.exports.end(request);
    else host.body(request);
    for (const entry of host.pending.splice(0)) entry.complete();
  };
  for (let i = 0; i < 1000; ++i) round(i);
  const before = host.exports.memory.buffer.byteLength;
  for (let i = 0; i < 10_000; ++i) round(i);
  assert.equal(host.exports.memory.buffer.byteLength, before);
});

// A portal whose keys come from a URL.
const url = "https://issuer.example/keys?a=b";
function hostWithFetchedKeys(more = {}) {
  const host = hostAtTime();
  host.documents.set(url, settings.PORTAIL_JWKS);
  return { host, portal: host.create(1, { ...settings, PORTAIL_JWKS: url, ...more }, sample.values()) };
}
const second = 1_000_000n;

test("a key set is fetched for the first request that needs it, and stored", () => {
  const { host, portal } = hostWithFetchedKeys({ PORTAIL_JWKS_TIMEOUT: "3" });
  const request = host.begin(portal, list());
  assert.equal(host.head(request).status, 200);
  host.body(request);
  assert.deepEqual(host.fetched, [{ url, maxSize: 256 * 1024 + 1, milliseconds: 3000 }]);
  const [name] = [...host.stores.get(1).keys()].filter((key) => /^config\.fetched-jwks\.[0-9a-f]{32}$/.test(key));
  assert.match(Buffer.from(host.stores.get(1).get(name)).toString(), /^keys 1\nhttps:\/\/issuer.example\/keys\?[0-9a-f]{32}\n/);
  const another = host.create(2, { ...settings, PORTAIL_JWKS: url }, host.stores.get(1));
  assert.equal(host.head(host.begin(another, list())).status, 200);
  assert.equal(host.fetched.length, 1);
});

test("a refresh that is due begins at the end of a request and belongs to none", () => {
  const { host, portal } = hostWithFetchedKeys();
  host.body(host.begin(portal, list()));
  host.time += 300n * second;
  const request = host.begin(portal, list());
  assert.equal(host.fetched.length, 1);
  host.asynchronous = true;
  host.body(request);
  const names = [];
  for (let entry; (entry = host.pending.shift()); ) {
    names.push(entry.name);
    assert.equal(entry.complete(), 0);
  }
  assert.deepEqual(names, ["get_many", "compare_and_swap", "fetch", "compare_and_swap"]);
  assert.equal(host.fetched.length, 2);
  assert.deepEqual(host.log, []);
});

test("a request that waits for keys can expire and be cancelled, and the fetch goes on", () => {
  for (const stop of ["expire", "end"]) {
    const { host, portal } = hostWithFetchedKeys();
    host.asynchronous = true;
    const request = host.begin(portal, list());
    while (!host.pending.some(({ name }) => name === "pause")) host.pending.shift().complete();
    host.exports[stop](request);
    if (stop === "expire") assert.equal(host.head(request).status, 503);
    while (host.pending.length > 0) host.pending.shift().complete();
    assert.equal(host.fetched.length, 1);
    host.asynchronous = false;
    assert.equal(host.head(host.begin(portal, list())).status, 200);
    assert.equal(host.fetched.length, 1);
  }
});

test("dispose ends a fetch", () => {
  const { host, portal } = hostWithFetchedKeys();
  host.asynchronous = true;
  host.begin(portal, list());
  while (host.fetched.length === 0) host.pending.shift().complete();
  host.exports.dispose(portal);
  for (const entry of host.pending) assert.equal(entry.complete(), 0);
});

test("a host that does not fetch, and answers that are no key set", () => {
  for (const [document, reason] of [
    [undefined, `cannot fetch https://issuer.example/keys: not there`],
    [{ status: 302, body: "" }, "cannot fetch https://issuer.example/keys: answered 302, and redirects are not followed"],
    ["x".repeat(256 * 1024 + 1), "cannot fetch https://issuer.example/keys: it is larger than 256 KiB"],
  ]) {
    const { host, portal } = hostWithFetchedKeys();
    host.documents.set(url, document);
    assert.equal(host.head(host.begin(portal, list())).status, 503);
    assert.deepEqual(host.log.map(({ event, detail }) => [event, detail])[0], ["key set not refreshed", reason]);
  }
});

test("each refusal has its reason in the log, once for each cause", () => {
  const stored = (changes) => new Map([...sample.values(), ...Object.entries(changes)].filter(([, value]) => value !== undefined));
  const utf8 = new TextEncoder();
  const keyless = { PORTAIL_JWKS: undefined };
  const byUrl = { PORTAIL_JWKS: "https://issuer.example/keys" };
  const list = { target: "/api/app/objet-courrier", headers: { Authorization: `Bearer ${tokens.client}` } };
  const ready = { target: "/health/ready" };
  const rows = [
    ["no key set", { more: keyless }, [ready, ready, list], [503, 503, 503],
      ["key set: missing: store it as config.jwks, or in the setting jwks", "No key set can be used"]],
    ["an unusable key set", { more: keyless, values: { "config.jwks": utf8.encode("{") } }, [ready, ready, list], [503, 503, 503],
      ["key set: not a JWK set: malformed JSON", "No key set can be used"]],
    ["a key set that is not fetched yet", { more: byUrl }, [ready, ready], [503, 503],
      ["key set: not fetched yet: the first fetch follows this answer",
        "key set not refreshed: cannot fetch https://issuer.example/keys: not there"]],
    ["a store that fails", { more: keyless, failing: Status.unavailable }, [ready, ready, list], [503, 503, 503],
      ["key set: config.jwks could not be read", "No key set can be used"]],
    ["a store of a later version", { values: { format: utf8.encode("2") } }, [ready, ready, list], [503, 503, 503],
      ["store refused: the store was written by a newer version of portail: use that version, or import into a new store",
        "The store is unavailable"]],
    ["a damaged value", { values: { "catalogue.0": utf8.encode("{") } }, [ready, list], [200, 500],
      ["request failed: the store has an invalid value"]],
    ["plain HTTP", { flags: 0, more: { PORTAIL_TRANSPORT: "direct" } }, [ready, list], [200, 403],
      ["The request was not sent over HTTPS; the setting transport is direct"]],
    ["no token", {}, [ready, { target: list.target }], [200, 401], ["No bearer token was sent"]],
    ["a shutdown", { flags: Flag.https | Flag.draining }, [ready, ready, list], [503, 503, 200],
      ["stopping: /health/ready is 503: the host is shutting down"]],
  ];
  for (const [what, { more = {}, values = {}, failing, flags = Flag.https }, requests, ...expected] of rows) {
    const host = hostAtTime();
    const portal = host.create(1, Object.fromEntries(Object.entries({ ...settings, ...more }).filter(([, value]) => value)), stored(values));
    host.failing = failing;
    const statuses = requests.map((request) => {
      const handle = host.begin(portal, { flags, ...request });
      const { status } = host.head(handle);
      host.body(handle);
      return status;
    });
    const lines = host.log.map(({ event, detail }) => (event === "access" ? JSON.parse(detail).reason : `${event}: ${detail}`));
    assert.deepEqual([statuses, lines], expected, what);
  }
});
