// Failures that the client does not cause: of stores, clocks and logs; and dispose.
import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, base, change, expectProblem, expectStatus, list, startPortal, newConfiguration } from "./sample_portal.mjs";

test("a store that fails causes the contract's 503 and 500, and the portal continues to serve", async () => {
  const working = mapStore(sample.values());
  let get = working.get;
  const logged = [];
  const portail = await startPortal(
    { ...working, get: (key) => get(key) },
    { log: (event, detail) => logged.push(`${event}: ${detail}`) },
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
  assert.ok(logged.includes("store: Error: thrown") && logged.includes("store: Error: rejected"), logged.join("\n"));
  const short = await startPortal({ ...working, getMany: () => [] });
  await expectProblem(await short.fetch(list()), 500);
  const swap = await startPortal({ ...working, compareAndSwap: () => "yes" });
  await expectProblem(await swap.fetch(change(newConfiguration)), 500);
});

test("if the reads of two keys fail, one later and one immediately, both errors are handled", async (t) => {
  const unheard = [];
  const hear = (error) => unheard.push(error.message);
  process.on("unhandledRejection", hear);
  t.after(() => process.off("unhandledRejection", hear));
  const working = mapStore(sample.values());
  let { get } = working;
  const portail = await startPortal({ ...working, get: (key) => get(key) });
  const page = () => portail.fetch(new Request(`${base}/api/app/objet-courrier`, as("client")));
  await expectStatus(page(), 200);
  const keys = [];
  get = (key) => {
    if (keys.push(key) === 1) return Promise.reject(new Error("later"));
    throw new Error("immediately");
  };
  await expectProblem(await page(), 503);
  await new Promise(setImmediate);
  assert.deepEqual(keys, ["catalogue.0", "configuration"]);
  assert.deepEqual(unheard, []);
});

test("a request to a store that hangs expires after the deadline", async () => {
  const portail = await startPortal({ ...mapStore(), get: () => new Promise(() => {}) }, { deadline: 50 });
  await expectProblem(await portail.fetch(list()), 503);
});

test("dispose rejects pending requests, and every later request", async () => {
  const portail = await startPortal({ ...mapStore(), get: () => new Promise(() => {}) });
  const waiting = portail.fetch(list());
  setImmediate(() => portail.dispose());
  await assert.rejects(waiting, { message: "portail: it is disposed" });
  await assert.rejects(portail.fetch(list()), { message: "portail: it is disposed" });
  portail.dispose();
});

test("a store that throws any error causes 503, and only an invalid value causes 500", async () => {
  const working = mapStore(sample.values());
  const status = async (get) => (await (await startPortal({ ...working, get })).fetch(list())).status;
  for (const failure of [new TypeError("fetch failed"), undefined, null, Object.create(null)]) {
    const fail = () => {
      throw failure;
    };
    assert.equal(await status(fail), 503);
    assert.equal(await status(async () => fail()), 503);
  }
  for (const value of [42, {}, [], Symbol("x"), new SharedArrayBuffer(4)]) {
    assert.equal(await status(() => value), 500);
  }
});

test("values may be of another realm", async () => {
  const working = mapStore(sample.values());
  const elsewhere = vm.runInNewContext("Uint8Array");
  const copy = (key) => working.get(key) && elsewhere.from(working.get(key));
  for (const get of [copy, (key) => copy(key)?.buffer]) {
    await expectStatus((await startPortal({ ...working, get })).fetch(list()), 200);
  }
});

test("a log that throws changes nothing", async () => {
  const log = () => {
    throw new Error("no space left");
  };
  for (const fail of [() => Promise.reject(new Error("down")), () => JSON.parse("down")]) {
    const working = mapStore(sample.values());
    let get = fail;
    const portail = await startPortal({ ...working, get: (key) => get(key) }, { log, deadline: 1000 });
    await expectStatus(portail.fetch(list()), 503);
    get = working.get;
    await expectStatus(portail.fetch(list()), 200);
  }
});

test("a rejection of a store is logged, even if it cannot be converted to a string", async () => {
  const logged = [];
  const get = () => Promise.reject(Object.create(null));
  const portail = await startPortal({ ...mapStore(), get }, { log: (...line) => logged.push(line), deadline: 1000 });
  await expectStatus(portail.fetch(list()), 503);
  assert.deepEqual(logged[0], ["store", "object without a text"]);
});

test("a clock that fails causes failures of requests that begin, and of no others", async () => {
  const working = mapStore(sample.values());
  const wrong = [NaN, Infinity, undefined, Promise.resolve(0), 1e300, "0", 0n].map((time) => () => time);
  for (const broken of [...wrong, () => undefined.now]) {
    let now = Date.now;
    let answer;
    const answers = new Promise((resolve) => (answer = resolve));
    const logged = [];
    const portail = await startPortal(
      { ...working, getMany: async (keys) => (await answers, keys.map(working.get)) },
      { now: () => now(), log: (event) => logged.push(event) },
    );
    const pending = portail.fetch(list());
    await new Promise(setImmediate);
    now = broken;
    await expectProblem(await portail.fetch(list()), 500);
    assert.deepEqual(logged, ["now"]);
    answer();
    await expectStatus(pending, 200);
    now = Date.now;
    await expectStatus(portail.fetch(list()), 200);
  }
});
