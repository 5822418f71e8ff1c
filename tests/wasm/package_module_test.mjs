// Failures of the module: it traps, cannot be instantiated, or refuses requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { mapStore } from "portail/map";
import { creator } from "portail/module";
import { sample } from "./sample.mjs";
import { change, expectProblem, expectStatus, list, startPortal, newConfiguration, quiet, wrapExports } from "./sample_portal.mjs";

// Makes the module trap at the first request after trap(); `instances` counts its instances.
function trapping(t) {
  let armed = false;
  const module = { instances: 0, trap: () => (armed = true) };
  wrapExports(t, ({ begin }) => {
    ++module.instances;
    return {
      begin(portal, head, size) {
        const at = armed ? 0xfffffff0 : head; // behind the end of any memory
        armed = false;
        return begin(portal, at, size);
      },
    };
  });
  return module;
}

test("a module of another ABI version is refused", async (t) => {
  wrapExports(t, () => ({ abi_version: () => 4 }));
  await assert.rejects(startPortal(), { message: "portail: the module has ABI version 4, not 3" });
});

test("a module that traps is replaced, once for all later requests", async (t) => {
  const module = trapping(t);
  const logged = [];
  const portail = await startPortal(undefined, { log: (event) => logged.push(event) });
  assert.equal(module.instances, 1);
  module.trap();
  await expectProblem(await portail.fetch(list()), 500);
  const answers = await Promise.all(Array.from({ length: 50 }, () => portail.fetch(list())));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(module.instances, 2);
  assert.deepEqual(logged, ["module"]);
});

test("dispose ends all instances that were created after a trap", { timeout: 10_000 }, async (t) => {
  const module = trapping(t);
  const working = mapStore(sample.values());
  let hangs = false;
  const portail = await startPortal({ ...working, get: (key) => (hangs ? new Promise(() => {}) : working.get(key)) });
  module.trap();
  await expectStatus(portail.fetch(list()), 500);
  hangs = true;
  const waiting = [portail.fetch(list()), portail.fetch(list())];
  setTimeout(() => portail.dispose(), 50);
  for (const answer of waiting) await assert.rejects(answer, { message: "portail: it is disposed" });
});

test("changes wait for those that started before a trap, in a store without compareAndSwap", async (t) => {
  const module = trapping(t);
  const working = mapStore(sample.values());
  let concurrent = 0;
  let maxConcurrent = 0;
  let goOn;
  const gate = new Promise((resolve) => (goOn = resolve));
  const put = async (key, value) => {
    if (key !== "configuration") return working.put(key, value);
    maxConcurrent = Math.max(maxConcurrent, ++concurrent);
    await gate;
    --concurrent;
    return working.put(key, value);
  };
  const portail = await startPortal({ get: async (key) => working.get(key), put, delete: async (key) => working.delete(key) });
  const before = portail.fetch(change(newConfiguration));
  while (concurrent === 0) await new Promise(setImmediate);
  module.trap();
  await expectStatus(portail.fetch(list()), 500);
  await expectStatus(before, 500);
  await expectStatus(portail.fetch(list()), 200); // by the next instance
  const after = portail.fetch(change(newConfiguration));
  for (let turn = 0; turn < 20; ++turn) await new Promise(setImmediate); // until it waits
  goOn();
  await expectStatus(after, 200);
  assert.equal(maxConcurrent, 1);
});

test("after a failed instantiation the next request retries", async (t) => {
  const module = trapping(t);
  const logged = [];
  const portail = await startPortal(undefined, { log: (event, detail) => logged.push(`${event}: ${detail}`) });
  const fail = () => WebAssembly.instantiate.mock.mockImplementationOnce(() => Promise.reject(new RangeError("out of memory")));
  module.trap();
  await expectStatus(portail.fetch(list()), 500);
  fail();
  await expectProblem(await portail.fetch(list()), 503);
  assert.equal(logged.at(-1), "module: RangeError: out of memory");
  await expectStatus(portail.fetch(list()), 200);
  module.trap();
  const withoutSignal = { method: "GET", target: "/health/live", headers: [], https: true };
  assert.equal((await portail.handle(withoutSignal)).status, 500);
  fail();
  assert.equal((await portail.handle(withoutSignal)).status, 503);
});

test("a module that takes no more requests now gives the contract's 503", async (t) => {
  let full = false;
  wrapExports(t, ({ begin }) => ({ begin: (...parameters) => (full ? 0 : begin(...parameters)) }));
  const portail = await startPortal();
  full = true;
  const answer = await portail.handle({ method: "GET", target: "/health/live", headers: [], https: true });
  const identifier = answer.headers.find(([name]) => name === "X-Correlation-Id")?.[1];
  assert.match(identifier ?? "", /^[0-9a-f]{32}$/);
  assert.deepEqual(answer, {
    status: 503,
    headers: [
      ["Content-Type", "application/json; charset=utf-8"],
      ["Content-Language", "en"],
      ["Cache-Control", "no-store"],
      ["_AbpErrorFormat", "true"],
      ["Vary", "Authorization, Origin, Accept-Encoding, Accept-Language"],
      ["X-Content-Type-Options", "nosniff"],
      ["X-Correlation-Id", identifier],
      ["Retry-After", "5"],
    ],
    body: new TextEncoder().encode(
      '{"error":{"code":null,"message":"The service cannot answer now; try again later!",' +
        '"details":null,"data":{},"validationErrors":null}}',
    ),
    close: false,
  });
  full = false;
  await expectStatus(portail.fetch(list()), 200);
});

test("after a failed compilation the module is compiled again", async () => {
  const bytes = readFileSync(createRequire(import.meta.url).resolve("portail/portail.wasm"));
  const found = [Promise.reject(new Error("no network")), WebAssembly.compile(bytes)];
  const createLater = creator(() => found.shift());
  const options = { store: mapStore(sample.values()), settings: sample.settings, ...quiet };
  await assert.rejects(createLater(options), { message: "no network" });
  const portail = await createLater(options);
  assert.equal((await portail.fetch(list())).status, 200);
});
