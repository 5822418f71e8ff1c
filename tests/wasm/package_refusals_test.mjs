// No refusal without a reason in a log, from the first request on.
import assert from "node:assert/strict";
import test from "node:test";
import { createPortail } from "portail";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, base, list, longLists, wrapExports } from "./sample_portal.mjs";

const working = () => mapStore(sample.values());
// Sends a first request. Returns its status, the lines of the log, and the reasons of the access log.
async function first({ store = working(), settings = {}, request = list(), more = {}, dispose = false } = {}) {
  const lines = [];
  const log = (event, detail) => lines.push(`${event}: ${detail}`);
  const accessLog = (line) => lines.push(`access: ${JSON.parse(line).reason}`);
  const portail = await createPortail({ store, settings: { ...sample.settings, ...settings }, log, accessLog, ...more });
  if (dispose) portail.dispose();
  const { status } = await portail.fetch(request).catch((error) => ({ status: error.message }));
  return [status, ...lines];
}
const fails = (get) => ({ ...working(), get });

test("no keys", async () => {
  const unusable = "access: No key set can be used";
  const fetch = () => Promise.reject(new Error("no network"));
  const missing = "key set: missing: store it as config.jwks, or in the setting jwks";
  assert.deepEqual(await first({ settings: { PORTAIL_JWKS: undefined } }), [503, missing, unusable]);
  assert.deepEqual(await first({ settings: { PORTAIL_JWKS: { keys: [] } } }), [503, unusable]);
  const url = "https://a.invalid/";
  const notFetched = `key set not refreshed: cannot fetch ${url}: no network`;
  assert.deepEqual(await first({ settings: { PORTAIL_JWKS: url }, more: { fetch } }), [503, notFetched, unusable]);
});

test("a store that throws, rejects, gives an invalid value, or hangs", async () => {
  const unavailable = "access: The store is unavailable";
  const thrown = "store: TypeError: Cannot read properties of undefined (reading 'down')";
  assert.deepEqual(await first({ store: fails(() => undefined.down) }), [503, thrown, unavailable]);
  assert.deepEqual(await first({ store: fails(() => Promise.reject(new Error("down"))) }), [503, "store: Error: down", unavailable]);
  const invalid = "store: TypeError: a value is a Uint8Array, an ArrayBuffer or a string, not number";
  assert.deepEqual(await first({ store: fails(() => 42) }), [500, invalid, "request failed: the store has an invalid value"]);
  const expired = "access: The request was cancelled, or its deadline expired";
  assert.deepEqual(await first({ store: fails(() => new Promise(() => {})), more: { deadline: 20 } }), [503, expired]);
});

test("a module that traps, or that is disposed", async (t) => {
  wrapExports(t, () => ({ begin: () => { throw new WebAssembly.RuntimeError("unreachable"); } }));
  assert.deepEqual(await first(), [500, "module: RuntimeError: unreachable"]);
  t.mock.restoreAll();
  assert.deepEqual(await first({ dispose: true }), ["portail: it is disposed", "module: Error: portail: it is disposed"]);
});

test("a clock that fails", async () => {
  assert.deepEqual(await first({ more: { now: () => NaN } }), [500, "now: TypeError: now gives no milliseconds"]);
});

test("more long answers than are sent concurrently", async () => {
  const lines = [];
  const logs = { log: (event, detail) => lines.push(`${event}: ${detail}`), accessLog: () => {} };
  const portail = await createPortail({ store: longLists(), settings: sample.settings, ...logs });
  const answers = [];
  for (let i = 0; i < 9; ++i) answers.push(await portail.fetch(new Request(`${base}/api/app/liasse/dashboard-list`, as("manager"))));
  assert.deepEqual(answers.map(({ status }) => status), [...Array(8).fill(200), 503]);
  assert.deepEqual(lines, ["request refused: 8 long answers are being sent"]);
});

test("a caller that is refused", async () => {
  assert.deepEqual(await first({ request: new Request(`${base}/api/app/liasse`) }), [401, "access: No bearer token was sent"]);
  const request = new Request("http://portail.exemple.fr/api/app/liasse", as("client"));
  assert.deepEqual(await first({ request }), [403, "access: The request was not sent over HTTPS; the setting transport is direct"]);
});
