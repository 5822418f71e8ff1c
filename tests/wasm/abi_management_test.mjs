// Tests portail-manage.wasm against the ABI, by the minimal host of abi_host.mjs: what it has in addition to portail.wasm.
import assert from "node:assert/strict";
import test from "node:test";
import { AbiHost, encoded, Flag, number, State, Status } from "./abi_host.mjs";
import { sample } from "./sample.mjs";

const { sub: subject } = JSON.parse(Buffer.from(sample.tokens.administrator.split(".")[1], "base64url"));
const settings = { ...sample.settings, PORTAIL_MANAGE_SUBJECTS: subject };
const headers = { Authorization: `Bearer ${sample.tokens.administrator}`, "Content-Type": "application/json" };
const check = { target: "/manage/check", headers };
const importRequest = { method: "POST", target: "/manage/import", headers, flags: Flag.https | Flag.hasBody };

function hostWithManagement(values = sample.values()) {
  const host = new AbiHost();
  host.time = BigInt(Date.now()) * 1000n;
  return { host, management: host.create(1, settings, values) };
}
// Completes the pending operations until `name` is pending; returns that one.
function pendingAt(host, name) {
  while (host.pending[0].name !== name) host.pending.shift().complete();
  return host.pending.shift();
}

test("the version is that of portail.wasm", () => assert.equal(new AbiHost().exports.abi_version(), 3));

test("a synchronous host lists the keys before begin returns", () => {
  const { host, management } = hostWithManagement();
  const request = host.begin(management, check);
  assert.equal(host.exports.state(request), State.answered);
  assert.equal(host.head(request).status, 200);
  assert.deepEqual([JSON.parse(host.body(request)).bundles, new Set(host.prefixes).has("liasse.")], [1000, true]);
});

test("listed keys may be repeated, and others are ignored", () => {
  const bodies = [(keys) => keys, (keys) => ["zzz", ...keys, ...keys]].map((listed) => {
    const { host, management } = hostWithManagement();
    host.listed = listed;
    return host.body(host.begin(management, check));
  });
  assert.equal(bodies[1], bodies[0]);
});

test("a list that is not one of keys is 500, and a failed one 503", () => {
  for (const [status, bytes, expected] of [
    [Status.done, Buffer.concat([number(2), encoded("a")]), 500],
    [Status.done, Buffer.concat([number(1), encoded("a"), number(0)]), 500],
    [Status.done, null, 500],
    [Status.corrupt, null, 500],
    [Status.unavailable, null, 503],
  ]) {
    const { host, management } = hostWithManagement();
    host.asynchronous = true;
    const request = host.begin(management, check);
    const { operation } = pendingAt(host, "list_keys");
    assert.equal(host.complete(operation, status, bytes), request);
    while (host.pending.length > 0) host.pending.shift().complete(); // the audit record of the call
    assert.equal(host.exports.state(request), State.answered);
    assert.equal(host.head(request).status, expected);
  }
});

test("an import that expires leaves its lock, and the next one acquires it after a minute", () => {
  const { host, management } = hostWithManagement();
  const send = (asynchronous) => {
    const request = host.begin(management, importRequest);
    host.asynchronous = asynchronous;
    host.giveBody(request, '{"tiers":[{"numeroTiers":"T-1","nomTiers":"D","prenomTiers":"C","utilisateurs":["s"],"gestionnaires":[]}]}');
    host.giveBody(request, "");
    return request;
  };
  const request = send(true);
  pendingAt(host, "put");
  assert.equal(host.exports.expire(request), State.answered);
  assert.equal(host.head(request).status, 503);
  host.exports.end(request);
  host.asynchronous = false;
  assert.equal(host.head(send(false)).status, 409);
  host.time += 61_000_000n;
  assert.equal(host.head(send(false)).status, 200);
});

test("a piece of a body for which there is no memory is lost", () => {
  const host = new AbiHost();
  host.time = BigInt(Date.now()) * 1000n;
  const management = host.create(1, { ...settings, PORTAIL_MANAGE_MAX_DOCUMENT: "1000" }, new Map());
  const request = host.begin(management, importRequest);
  const piece = " ".repeat(1024 * 1024);
  let pieces = 0;
  while (host.exports.state(request) === State.wantsBody && pieces < 256) (host.giveBody(request, piece), ++pieces);
  assert.ok(pieces > 200 && pieces < 230, `${pieces} pieces`);
  assert.equal(host.head(request).status, 503);
});
