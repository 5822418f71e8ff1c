// Requests whose caller no longer waits: aborted, cancelled, or garbage-collected.
import assert from "node:assert/strict";
import test from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, base, change, expectStatus, list, longLists, startPortal, newConfiguration, wrapExports } from "./sample_portal.mjs";

test("a request may be aborted while it waits for its body", async () => {
  const portail = await startPortal();
  const hanging = new ReadableStream({ pull: () => new Promise(() => {}) });
  const controller = new AbortController();
  const waiting = portail.fetch(change(hanging, { duplex: "half", signal: controller.signal }));
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(waiting, { name: "AbortError" });
});

test("a request may be aborted while it waits for its store", async () => {
  const portail = await startPortal({ ...mapStore(), get: () => new Promise(() => {}) });
  const controller = new AbortController();
  const waiting = portail.fetch(new Request(`${base}/api/app/liasse`, { ...as("client"), signal: controller.signal }));
  setImmediate(() => controller.abort());
  await assert.rejects(waiting, { name: "AbortError" });
});

test("a request that is aborted immediately never begins", async () => {
  const working = mapStore(sample.values());
  const calls = [];
  const recordCalls = ([name, answer]) => [name, (...parameters) => (calls.push(name), answer(...parameters))];
  const portail = await startPortal(Object.fromEntries(Object.entries(working).map(recordCalls)));
  for (const request of [list, (more) => change(newConfiguration, more)]) {
    const controller = new AbortController();
    const answer = portail.fetch(request({ signal: controller.signal }));
    controller.abort();
    await assert.rejects(answer, { name: "AbortError" });
  }
  assert.deepEqual(calls, []);
});

// A store with a delay, which aborts the request at the given call.
function abortingStore(at, controller) {
  const working = mapStore(sample.values());
  let call = 0;
  const aborting = ([name, answer]) => [
    name,
    async (...parameters) => {
      if (++call === at) controller.abort();
      await new Promise(setImmediate);
      return answer(...parameters);
    },
  ];
  return Object.fromEntries(Object.entries({ ...working, getMany: (keys) => keys.map(working.get) }).map(aborting));
}

test("a function of the store may abort the request that it is called for", async () => {
  for (const [request, calls] of [
    [list, 3],
    [(more) => change(newConfiguration, more), 5],
  ]) {
    for (let at = 1; at <= calls + 1; ++at) {
      const controller = new AbortController();
      const portail = await startPortal(abortingStore(at, controller));
      const answer = portail.fetch(request({ signal: controller.signal }));
      if (at <= calls) await assert.rejects(answer, { name: "AbortError" }, `call ${at} of ${calls}`);
      else await expectStatus(answer, 200);
      const others = await Promise.all(Array.from({ length: 20 }, () => portail.fetch(list())));
      assert.deepEqual(others.map(({ status }) => status), Array(20).fill(200), `after call ${at}`);
    }
  }
});

const dashboard = (more = {}) => new Request(`${base}/api/app/liasse/dashboard-list`, { ...as("manager"), ...more });

// Records the requests that the module has ended. After hang(), pieces of answers wait, as if for the store.
function watched(t) {
  let hangs = false;
  const module = { ended: [], hang: () => (hangs = true) };
  wrapExports(t, ({ state, end }) => ({
    state: (request) => (hangs && !module.ended.includes(request) ? 1 : state(request)),
    end: (request) => (module.ended.push(request), end(request)),
  }));
  return module;
}
const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

test("an answer that is cancelled while a piece is pending leaves no request and no timer", async (t) => {
  const module = watched(t);
  const portail = await startPortal(longLists());
  const before = timers();
  const reader = (await portail.fetch(dashboard())).body.getReader();
  assert.equal((await reader.read()).done, false);
  module.hang();
  const reading = reader.read();
  await new Promise(setImmediate);
  assert.equal(timers(), before + 1);
  await reader.cancel();
  assert.deepEqual(await reading, { done: true, value: undefined });
  await new Promise(setImmediate);
  assert.equal(timers(), before);
  assert.equal(module.ended.length, 1);
});

test("an aborted request's answer stops, whether a piece is waited for or not", async (t) => {
  const module = watched(t);
  const portail = await startPortal(longLists());
  const controllers = [new AbortController(), new AbortController()];
  const readers = [];
  for (const { signal } of controllers) {
    const reader = (await portail.fetch(dashboard({ signal }))).body.getReader();
    assert.equal((await reader.read()).done, false);
    readers.push(reader);
  }
  controllers[0].abort();
  await assert.rejects(readers[0].read(), { name: "AbortError" });
  module.hang();
  const reading = readers[1].read();
  controllers[1].abort();
  await assert.rejects(reading, { name: "AbortError" });
  assert.equal(module.ended.length, 2);
});

test("an answer that is garbage-collected ends its request, once", { timeout: 60_000 }, async (t) => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  const until = async (done) => {
    for (; !done(); await new Promise(setImmediate)) collect();
  };
  const module = watched(t);
  const portail = await startPortal(longLists());
  const dropAnswer = async () => void (await portail.fetch(dashboard()));
  await dropAnswer();
  await until(() => module.ended.length > 0);

  let gone = false;
  const registry = new FinalizationRegistry(() => (gone = true));
  const read = async () => {
    const { body } = await portail.fetch(dashboard());
    registry.register(body);
    for await (const piece of body) assert.ok(piece.length > 0);
  };
  await read();
  assert.equal(module.ended.length, 2);
  await until(() => gone);
  await dropAnswer(); // when its end is known, so is whatever else was collected
  await until(() => module.ended.length > 2);
  assert.equal(module.ended.length, 3);
});
