// The installed package as its users have it: fetch, settings, stores that fail, bodies, the end.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { createPortail } from "portail";
import { mapStore } from "portail/map";
import { creator } from "portail/module";
import { sample } from "./sample.mjs";

const base = "https://portail.exemple.fr";
const quiet = { log: () => {} };
const asClient = { headers: { Authorization: `Bearer ${sample.tokens.client}` } };
const list = () => new Request(`${base}/api/app/liasse`, asClient);
const change = (body, more = {}) =>
  new Request(`${base}/api/app/objet-courrier/1`, {
    method: "PUT",
    headers: { Authorization: `Bearer ${sample.tokens.administrator}`, "Content-Type": "application/json" },
    body,
    ...more,
  });
const newConfiguration = '{"utilisablePourLiasse":false,"typeAffectation":"Rien"}';

function make(store = mapStore(sample.values()), more = {}) {
  return createPortail({ store, settings: sample.settings, ...quiet, ...more });
}
// As a store whose answers take a while.
function slow(store) {
  const later =
    (call) =>
    async (...given) => (await new Promise(setImmediate), call(...given));
  return { get: later(store.get), put: later(store.put), delete: later(store.delete) };
}
async function expectProblem(response, status) {
  assert.equal(response.status, status);
  assert.equal(response.headers.get("Content-Type"), "application/json; charset=utf-8");
  const { error } = await response.json();
  assert.deepEqual(Object.keys(error), ["code", "message", "details", "data", "validationErrors"]);
}

test("the main entry has at most 15 KB of JavaScript, and nothing is needed at run time", () => {
  const entry = createRequire(import.meta.url).resolve("portail");
  assert.ok(statSync(entry).size <= 15_000, `${statSync(entry).size} bytes`);
  const { dependencies } = JSON.parse(readFileSync(entry.replace(/dist.*/, "package.json"), "utf8"));
  assert.equal(dependencies, undefined);
});

test("stores that answer at once and by promises give the same bytes", async () => {
  const [now, later] = await Promise.all([make(), make(slow(mapStore(sample.values())))]);
  for (const target of [
    "/api/app/liasse",
    "/api/app/liasse/dashboard-list",
    "/api/abp/application-configuration",
    "/nowhere",
  ]) {
    const [a, b] = await Promise.all(
      [now, later].map((portail) => portail.fetch(new Request(base + target, asClient))),
    );
    assert.equal(a.status, b.status);
    assert.equal(await a.text(), await b.text(), target);
  }
});

test("a hundred requests at the same time, in one module", async () => {
  const portail = await make(slow(mapStore(sample.values())));
  const expected = await (await portail.fetch(list())).text();
  const bodies = await Promise.all(Array.from({ length: 100 }, async () => (await portail.fetch(list())).text()));
  assert.deepEqual(new Set(bodies), new Set([expected]));
});

test("a change is made in the store, and two portals are independent", async () => {
  const values = sample.values();
  const [portail, other] = await Promise.all([make(slow(mapStore(values))), make()]);
  const changed = await portail.fetch(change(newConfiguration));
  assert.equal(changed.status, 200);
  assert.equal((await changed.json()).typeAffectation, "Rien");
  const read = async (from) =>
    (await (await from.fetch(new Request(`${base}/api/app/objet-courrier/1`, asClient))).json()).typeAffectation;
  assert.equal(await read(portail), "Rien");
  assert.notEqual(await read(other), "Rien");
  other.dispose();
  assert.equal(await read(portail), "Rien");
});

test("HEAD and 304 have no body", async () => {
  const portail = await make();
  const head = await portail.fetch(new Request(`${base}/api/app/liasse`, { ...asClient, method: "HEAD" }));
  assert.equal(head.status, 200);
  assert.equal(head.body, null);
  const got = await portail.fetch(new Request(`${base}/api/app/objet-courrier/1`, asClient));
  const headers = { ...asClient.headers, "If-None-Match": got.headers.get("ETag") };
  assert.equal((await portail.fetch(new Request(`${base}/api/app/objet-courrier/1`, { headers }))).status, 304);
});

test("thousands of requests of every kind leave the module's memory as it was", async () => {
  const { instantiate } = WebAssembly;
  let memory;
  WebAssembly.instantiate = async (...given) => {
    const instance = await instantiate(...given);
    memory = instance.exports.memory;
    return instance;
  };
  const portail = await make(slow(mapStore(sample.values())), { deadline: 5 });
  WebAssembly.instantiate = instantiate;
  const kinds = [
    async () => (await portail.fetch(list())).text(),
    async () => (await portail.fetch(new Request(`${base}/api/app/liasse`, { ...asClient, method: "HEAD" }))).status,
    async () => (await portail.fetch(new Request(`${base}/api/app/liasse/dashboard-list`, asClient))).body?.cancel(),
    async () => (await portail.fetch(change(newConfiguration))).status,
    async () => (await portail.fetch(change(newConfiguration, { headers: {} }))).status,
    async () => portail.fetch(new Request(list(), { signal: AbortSignal.timeout(0) })).catch(() => {}),
  ];
  const round = () => Promise.all(kinds.map((kind) => kind()));
  for (let i = 0; i < 50; ++i) await round();
  const before = memory.buffer.byteLength;
  for (let i = 0; i < 200; ++i) await round();
  assert.equal(memory.buffer.byteLength, before);
});

test("settings that make no sense are one line", async () => {
  const { PORTAIL_ISSUER, ...rest } = sample.settings;
  const made = (settings, store = mapStore()) => createPortail({ store, settings });
  await assert.rejects(made(rest), { message: "portail: no issuer: set PORTAIL_ISSUER to the iss of the tokens" });
  await assert.rejects(made(undefined), /no issuer/);
  await assert.rejects(made({ ...sample.settings, PORTAIL_TYPO: "1" }), {
    message: "portail: there is no setting PORTAIL_TYPO",
  });
  await assert.rejects(made({ ...sample.settings, PORTAIL_ISSUER: {} }), {
    message: "PORTAIL_ISSUER cannot be of type object",
  });
  await assert.rejects(made(sample.settings, {}), { message: "portail: the store has no function get" });
  const typed = {
    ...sample.settings,
    PORTAIL_AUDIENCE: ["portail", "other"],
    PORTAIL_JWKS: JSON.parse(sample.settings.PORTAIL_JWKS),
    PATH: "/bin",
  };
  const portail = await createPortail({ store: mapStore(sample.values()), settings: typed });
  assert.equal((await portail.fetch(list())).status, 200);
});

test("a store that fails gives the contract's 503 and 500, and the portal lives on", async () => {
  const working = mapStore(sample.values());
  let get = working.get;
  const said = [];
  const portail = await make(
    { ...working, get: (key) => get(key) },
    { log: (event, detail) => said.push(`${event}: ${detail}`) },
  );
  for (const [broken, status] of [
    [
      () => {
        throw new Error("thrown");
      },
      503,
    ],
    [
      async () => {
        throw new Error("rejected");
      },
      503,
    ],
    [() => ({ rows: [] }), 500],
    [async () => 42, 500],
  ]) {
    get = broken;
    await expectProblem(await portail.fetch(list()), status);
    get = working.get;
    assert.equal((await portail.fetch(list())).status, 200);
  }
  assert.ok(said.includes("store: Error: thrown") && said.includes("store: Error: rejected"), said.join("\n"));
  const short = await make({ ...working, getMany: () => [] });
  await expectProblem(await short.fetch(list()), 500);
  const swap = await make({ ...working, compareAndSwap: () => "yes" });
  await expectProblem(await swap.fetch(change(newConfiguration)), 500);
});

test("a store that hangs is given up after the deadline", async () => {
  const portail = await make({ ...mapStore(), get: () => new Promise(() => {}) }, { deadline: 50 });
  await expectProblem(await portail.fetch(list()), 503);
});

test("a body that never ends, breaks off, or is too long", async () => {
  const portail = await make(undefined, { deadline: 50 });
  const hanging = new ReadableStream({ pull: () => new Promise(() => {}) });
  await expectProblem(await portail.fetch(change(hanging, { duplex: "half" })), 503);
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
  await expectProblem(await portail.fetch(change(broken, { duplex: "half" })), 503);

  let given = 0;
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(((given += 65536), 65536)).fill(32)),
    cancel: () => void (cancelled = true),
  });
  await expectProblem(await portail.fetch(change(endless, { duplex: "half" })), 413);
  assert.ok(given < 1_000_000, String(given));
  assert.ok(cancelled);

  const before = process.memoryUsage().arrayBuffers;
  const huge = new Uint8Array(100_000_000).fill(32);
  await expectProblem(await portail.fetch(change(huge)), 413);
  assert.ok(process.memoryUsage().arrayBuffers - before < 250_000_000);
  assert.equal((await portail.fetch(change(newConfiguration))).status, 200);
});

test("a body that hangs is cancelled when its request is given up", async () => {
  const portail = await make(undefined, { deadline: 50 });
  for (const aborted of [false, true]) {
    const controller = new AbortController();
    if (aborted) setTimeout(() => controller.abort(), 20);
    let cancel;
    const cancelled = new Promise((resolve) => (cancel = resolve));
    const hanging = new ReadableStream({ pull: () => new Promise(() => {}), cancel });
    const answer = portail.fetch(change(hanging, { duplex: "half", signal: controller.signal }));
    if (aborted) await assert.rejects(answer, { name: "AbortError" });
    else await expectProblem(await answer, 503);
    await cancelled;
  }
});

test("a request may be aborted while it waits for its body", async () => {
  const portail = await make();
  const hanging = new ReadableStream({ pull: () => new Promise(() => {}) });
  const controller = new AbortController();
  const waiting = portail.fetch(change(hanging, { duplex: "half", signal: controller.signal }));
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(waiting, { name: "AbortError" });
});

test("a request may be aborted while it waits for its store", async () => {
  const portail = await make({ ...mapStore(), get: () => new Promise(() => {}) });
  const controller = new AbortController();
  const waiting = portail.fetch(new Request(`${base}/api/app/liasse`, { ...asClient, signal: controller.signal }));
  setImmediate(() => controller.abort());
  await assert.rejects(waiting, { name: "AbortError" });
});

test("dispose ends what waits, and every request after it", async () => {
  const portail = await make({ ...mapStore(), get: () => new Promise(() => {}) });
  const waiting = portail.fetch(list());
  setImmediate(() => portail.dispose());
  await assert.rejects(waiting, { message: "portail: it was disposed of" });
  await assert.rejects(portail.fetch(list()), { message: "portail: it was disposed of" });
  portail.dispose();
});

test("draining is what readiness says", async () => {
  const portail = await make();
  const ready = async () => (await portail.fetch(new Request(`${base}/health/ready`))).status;
  assert.equal(await ready(), 200);
  portail.drain();
  assert.equal(await ready(), 503);
});

test("a module that could not be had is asked for again", async () => {
  const bytes = readFileSync(createRequire(import.meta.url).resolve("portail/portail.wasm"));
  const found = [Promise.reject(new Error("no network")), WebAssembly.compile(bytes)];
  const createLater = creator(() => found.shift());
  const options = { store: mapStore(sample.values()), settings: sample.settings, ...quiet };
  await assert.rejects(createLater(options), { message: "no network" });
  const portail = await createLater(options);
  assert.equal((await portail.fetch(list())).status, 200);
});

test("a module that traps is replaced", async () => {
  const values = sample.values();
  let time = Date.now;
  const portail = await make(mapStore(values), { now: () => time() });
  time = () => {
    throw new WebAssembly.RuntimeError("unreachable");
  };
  await expectProblem(await portail.fetch(list()), 500);
  time = Date.now;
  assert.equal((await portail.fetch(list())).status, 200);
});
