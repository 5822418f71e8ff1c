// What is not the client's fault: stores, clocks and logs that fail, and the end.
import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, base, change, expectProblem, expectStatus, list, make, newConfiguration } from "./sample_portal.mjs";

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

test("of a read whose first key is refused later and whose second one at once, both are heard", async (t) => {
  const unheard = [];
  const hear = (error) => unheard.push(error.message);
  process.on("unhandledRejection", hear);
  t.after(() => process.off("unhandledRejection", hear));
  const working = mapStore(sample.values());
  let { get } = working;
  const portail = await make({ ...working, get: (key) => get(key) });
  const page = () => portail.fetch(new Request(`${base}/api/app/objet-courrier`, as("client")));
  await expectStatus(page(), 200);
  const asked = [];
  get = (key) => {
    if (asked.push(key) === 1) return Promise.reject(new Error("later"));
    throw new Error("at once");
  };
  await expectProblem(await page(), 503);
  await new Promise(setImmediate);
  assert.deepEqual(asked, ["catalogue.0", "configuration"]);
  assert.deepEqual(unheard, []);
});

test("a store that hangs is given up after the deadline", async () => {
  const portail = await make({ ...mapStore(), get: () => new Promise(() => {}) }, { deadline: 50 });
  await expectProblem(await portail.fetch(list()), 503);
});

test("dispose ends what waits, and every request after it", async () => {
  const portail = await make({ ...mapStore(), get: () => new Promise(() => {}) });
  const waiting = portail.fetch(list());
  setImmediate(() => portail.dispose());
  await assert.rejects(waiting, { message: "portail: it was disposed of" });
  await assert.rejects(portail.fetch(list()), { message: "portail: it was disposed of" });
  portail.dispose();
});

test("a store that cannot answer gives 503 whatever it throws, and only what is no value gives 500", async () => {
  const working = mapStore(sample.values());
  const status = async (get) => (await (await make({ ...working, get })).fetch(list())).status;
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
    await expectStatus((await make({ ...working, get })).fetch(list()), 200);
  }
});

test("a log that throws changes nothing", async () => {
  const log = () => {
    throw new Error("no space left");
  };
  for (const fail of [() => Promise.reject(new Error("down")), () => JSON.parse("down")]) {
    const working = mapStore(sample.values());
    let get = fail;
    const portail = await make({ ...working, get: (key) => get(key) }, { log, deadline: 1000 });
    await expectStatus(portail.fetch(list()), 503);
    get = working.get;
    await expectStatus(portail.fetch(list()), 200);
  }
});

test("what a store rejects with is told, even where it has no text", async () => {
  const said = [];
  const get = () => Promise.reject(Object.create(null));
  const portail = await make({ ...mapStore(), get }, { log: (...line) => said.push(line), deadline: 1000 });
  await expectStatus(portail.fetch(list()), 503);
  assert.deepEqual(said[0], ["store", "object without a text"]);
});

test("a clock that gives no time fails the requests that begin, and no others", async () => {
  const working = mapStore(sample.values());
  const wrong = [NaN, Infinity, undefined, Promise.resolve(0), 1e300, "0", 0n].map((time) => () => time);
  for (const broken of [...wrong, () => undefined.now]) {
    let now = Date.now;
    let answer;
    const answers = new Promise((resolve) => (answer = resolve));
    const said = [];
    const portail = await make(
      { ...working, getMany: async (keys) => (await answers, keys.map(working.get)) },
      { now: () => now(), log: (event) => said.push(event) },
    );
    const underWay = portail.fetch(list());
    await new Promise(setImmediate);
    now = broken;
    await expectProblem(await portail.fetch(list()), 500);
    assert.deepEqual(said, ["now"]);
    answer();
    await expectStatus(underWay, 200);
    now = Date.now;
    await expectStatus(portail.fetch(list()), 200);
  }
});

test("a change that hangs does not hold up those after it for ever, in a store without compareAndSwap", async () => {
  const working = mapStore(sample.values());
  let reads = 0;
  let hangsAt = 0;
  const store = {
    get: async (key) => (++reads === hangsAt ? new Promise(() => {}) : working.get(key)),
    put: async (key, value) => working.put(key, value),
    delete: async (key) => working.delete(key),
  };
  const portail = await make(store, { deadline: 500 });
  await expectStatus(portail.fetch(change(newConfiguration)), 200); // and reads what is kept from then on
  reads = 0;
  await expectStatus(portail.fetch(change(newConfiguration.replace("Rien", "Optionnel"))), 200);
  hangsAt = reads; // the last one is of the swap
  reads = 0;
  await expectStatus(portail.fetch(change(newConfiguration)), 503);
  await expectStatus(portail.fetch(change(newConfiguration)), 200);
});
