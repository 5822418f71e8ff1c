// The management interface of the package: what tests/wasm/management_test.py, which runs it in its hosts, does not test.
import assert from "node:assert/strict";
import test from "node:test";
import { createManagement } from "portail/management";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, base, bundle, expectProblem, expectStatus, list, quiet, slow, startPortal } from "./sample_portal.mjs";

const lock = "config.import-lock";
const { sub: subject } = JSON.parse(Buffer.from(sample.tokens.administrator.split(".")[1], "base64url"));
const settings = { ...sample.settings, PORTAIL_MANAGE_SUBJECTS: [subject] };
const mailObject = { typeObjet: "TYPE", description: "Pièce", utilisablePourLiasse: true, typeAffectation: "Rien" };
const document = (bundles) =>
  JSON.stringify({
    objetsCourrier: [{ id: 1, ...mailObject }],
    tiers: [{ numeroTiers: "T1", nomTiers: "Durand", prenomTiers: "Chloé", utilisateurs: ["sub-client"], gestionnaires: [] }],
    liasses: Array.from({ length: bundles }, (_, i) => bundle({ id: `L-${i}` })),
  });

const start = (store = mapStore(), more = {}) => createManagement({ store, settings, ...quiet, ...more });
const listing = (store) => ({ ...slow(store), list: async (prefix) => (await new Promise(setImmediate), store.list(prefix)) });
const call = (target, more = {}) => new Request(`${base}/manage/${target}`, { ...as("administrator"), ...more });
const importOf = (body, more = {}) =>
  call("import", { method: "POST", body, ...more, headers: { ...as("administrator").headers, "Content-Type": "application/json" } });
const pieces = (texts) => ReadableStream.from(texts).pipeThrough(new TextEncoderStream());

test("one store has both interfaces, each by its own handler", async () => {
  const store = mapStore();
  const [management, portail] = await Promise.all([start(store), startPortal(store)]);
  assert.deepEqual(Object.keys(management).sort(), ["basePath", "dispose", "fetch", "handle", "idle", "log"]);
  await expectStatus(management.fetch(importOf(document(3))), 200);
  const answer = await portail.fetch(new Request(`${base}/api/app/objet-courrier`, as("client")));
  assert.equal((await answer.json()).totalCount, 1);
  await expectProblem(await portail.fetch(call("status")), 404);
  await expectProblem(await management.fetch(list({ ...as("administrator") })), 404);
  const texts = await management.handle({
    method: "GET", target: "/manage/status", headers: Object.entries(as("administrator").headers), https: true, bodyAsText: true,
  });
  assert.equal(JSON.parse(texts.body).format, "current");
});

test("an invalid option or setting is reported in one line", async () => {
  const { list: _, ...withoutList } = mapStore();
  await assert.rejects(start(withoutList), { name: "TypeError", message: "portail: the store has no function list" });
  await assert.rejects(start({ ...mapStore(), list: 1 }), { name: "TypeError", message: "portail: the store has no function list" });
  await assert.rejects(start(mapStore(), { settings: { ...settings, PORTAIL_MANAGE_MAX_DOCUMENT: 0 } }), {
    message: "portail: PORTAIL_MANAGE_MAX_DOCUMENT must be 1 to 1000000 MiB, not 0",
  });
  await assert.rejects(start(mapStore(), { settings: { ...settings, PORTAIL_MANAGE_LISTEN: "x" } }), {
    message: "portail: unknown setting PORTAIL_MANAGE_LISTEN",
  });
});

test("a base path is removed from the target", async () => {
  const management = await start(mapStore(), { basePath: "/operators" });
  await expectStatus(management.fetch(new Request(`${base}/operators/manage/status`, as("administrator"))), 200);
  await expectStatus(management.fetch(call("status")), 404);
});

test("of two concurrent imports, the second waits for the lock of the first", async () => {
  const values = new Map();
  const management = await start(listing(mapStore(values)));
  const answers = await Promise.all([management.fetch(importOf(document(20))), management.fetch(importOf(document(20)))]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  assert.equal(values.get(lock).length, 0);
});

test("an import renews its lock, also in a store whose calls return no promise", async () => {
  let time = Date.now();
  let changes = 0;
  const working = mapStore();
  const compareAndSwap = (key, expected, desired) => {
    changes += key === lock;
    return working.compareAndSwap(key, expected, desired);
  };
  const put = (key, value) => ((time += 1_000), working.put(key, value));
  const management = await start({ ...working, compareAndSwap, put }, { now: () => time });
  await expectStatus(management.fetch(importOf(document(100))), 200);
  assert.equal(changes, 3); // it is acquired, renewed and released
});

test("the deadline is that of one operation, not of an import", async () => {
  const working = mapStore();
  const later = (name) => async (...parameters) => (await new Promise((resolve) => setTimeout(resolve, 5)), working[name](...parameters));
  const store = { get: later("get"), put: later("put"), delete: later("delete"), list: later("list") };
  const management = await start(store, { deadline: 300 });
  const began = performance.now();
  await expectStatus(management.fetch(importOf(document(100))), 200);
  assert.ok(performance.now() - began > 300);
  const hanging = await start({ ...store, list: () => new Promise(() => {}) }, { deadline: 50 });
  await expectProblem(await hanging.fetch(call("check")), 503);
});

test("the deadline is that of one piece of a document", async () => {
  const text = document(1);
  const every = async function* (milliseconds) {
    for (let at = 0; at < text.length; at += 8) {
      yield text.slice(at, at + 8);
      await new Promise((resolve) => setTimeout(resolve, milliseconds));
    }
  };
  const management = await start(mapStore(), { deadline: 200 });
  await expectStatus(management.fetch(importOf(pieces(every(20)), { duplex: "half" })), 200);
  await expectProblem(await management.fetch(importOf(pieces(every(1_000)), { duplex: "half" })), 503);
});

test("a list that is not one of keys is 500", async () => {
  for (const [keys, message] of [
    ["abc", "store: TypeError: list gives an array of keys"],
    [[1], "store: TypeError: a value is a Uint8Array, an ArrayBuffer or a string, not number"],
    [[null], "store: the host completed list_keys with bytes that are not its keys"],
  ]) {
    const logged = [];
    const management = await start({ ...mapStore(new Map([["format", new TextEncoder().encode("1")]])), list: () => keys }, { log: (event, detail) => logged.push(`${event}: ${detail}`) });
    await expectProblem(await management.fetch(call("check")), 500);
    assert.deepEqual(logged, [message, "request failed: the store has an invalid value"]);
  }
});

test("a document that does not fit into the memory is 503, and traps nothing", async () => {
  const management = await start(mapStore(), { settings: { ...settings, PORTAIL_MANAGE_MAX_DOCUMENT: 1000 } });
  const blank = new Uint8Array(1024 * 1024).fill(0x20);
  const body = ReadableStream.from((function* () { for (let i = 0; i < 400; ++i) yield blank; })());
  await expectProblem(await management.fetch(importOf(body, { duplex: "half" })), 503);
  await expectStatus(management.fetch(importOf(document(2))), 200);
});
