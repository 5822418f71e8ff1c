// The installed package: its files, fetch, concurrent requests, dispose.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import test from "node:test";
import { gzipSync } from "node:zlib";
import * as main from "portail";
import { readJsonLines } from "portail/json-lines";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { as, base, change, list, startPortal, newConfiguration, slow } from "./sample_portal.mjs";

test("the compressed main entry is at most 12.4 KB, and readable; it has no dependencies at run time", () => {
  const entry = createRequire(import.meta.url).resolve("portail");
  const text = readFileSync(entry, "utf8");
  const { length } = gzipSync(text);
  assert.ok(length <= 12_400, `${length} bytes`);
  // Before its message an uncaught error shows the line that threw it.
  assert.ok(Math.max(...text.split("\n").map((line) => line.length)) <= 250);
  const { dependencies } = JSON.parse(readFileSync(entry.replace(/dist.*/, "package.json"), "utf8"));
  assert.equal(dependencies, undefined);
});

test("only the documented names are exported", async () => {
  assert.deepEqual(Object.keys(main), ["createPortail"]);
  const { default: about } = await import("portail/package.json", { with: { type: "json" } });
  assert.equal(about.name, "portail");
});

test("synchronous and asynchronous stores return the same bytes", async () => {
  const [now, later] = await Promise.all([startPortal(), startPortal(slow(mapStore(sample.values())))]);
  for (const [target, status] of [
    ["/api/app/liasse", 200],
    ["/api/app/liasse/dashboard-list", 403],
    ["/api/abp/application-configuration", 200],
    ["/nowhere", 404],
  ]) {
    const [a, b] = await Promise.all(
      [now, later].map((portail) => portail.fetch(new Request(base + target, as("client")))),
    );
    assert.deepEqual([a.status, b.status], [status, status], target);
    assert.equal(await a.text(), await b.text(), target);
  }
});

test("a hundred requests at the same time, in one module", async () => {
  const portail = await startPortal(slow(mapStore(sample.values())));
  const first = await portail.fetch(list());
  assert.equal(first.status, 200);
  const expected = await first.text();
  const bodies = await Promise.all(Array.from({ length: 100 }, async () => (await portail.fetch(list())).text()));
  assert.deepEqual(new Set(bodies), new Set([expected]));
});

test("a change is made in the store, and two portals are independent", async () => {
  const values = sample.values();
  const [portail, other] = await Promise.all([startPortal(slow(mapStore(values))), startPortal()]);
  const changed = await portail.fetch(change(newConfiguration));
  assert.equal(changed.status, 200);
  assert.equal((await changed.json()).typeAffectation, "Rien");
  const read = async (from) =>
    (await (await from.fetch(new Request(`${base}/api/app/objet-courrier/1`, as("client")))).json()).typeAffectation;
  assert.equal(await read(portail), "Rien");
  assert.equal(await read(other), "Obligatoire");
  other.dispose();
  assert.equal(await read(portail), "Rien");
});

test("HEAD and 304 have no body", async () => {
  const portail = await startPortal();
  const head = await portail.fetch(new Request(`${base}/api/app/liasse`, { ...as("client"), method: "HEAD" }));
  assert.equal(head.status, 200);
  assert.equal(head.body, null);
  const got = await portail.fetch(new Request(`${base}/api/app/objet-courrier/1`, as("client")));
  const headers = { ...as("client").headers, "If-None-Match": got.headers.get("ETag") };
  assert.equal((await portail.fetch(new Request(`${base}/api/app/objet-courrier/1`, { headers }))).status, 304);
});

test("thousands of requests of every kind do not grow the module's memory", async () => {
  const { instantiate } = WebAssembly;
  let memory;
  WebAssembly.instantiate = async (...parameters) => {
    const instance = await instantiate(...parameters);
    memory = instance.exports.memory;
    return instance;
  };
  const portail = await startPortal(slow(mapStore(sample.values())), { deadline: 5 });
  WebAssembly.instantiate = instantiate;
  const kinds = [
    { request: list, after: (answer) => answer.text(), sees: 200 },
    { request: () => new Request(`${base}/api/app/liasse`, { ...as("client"), method: "HEAD" }), sees: 200 },
    {
      request: () => new Request(`${base}/api/app/liasse/dashboard-list`, as("client")),
      after: (answer) => answer.body?.cancel(),
      sees: 403,
    },
    { request: () => change(newConfiguration), sees: 200 },
    { request: () => change(newConfiguration, { headers: {} }), sees: 401 },
    { request: () => new Request(list(), { signal: AbortSignal.timeout(0) }), sees: "TimeoutError" },
  ].map((kind) => ({ ...kind, seen: new Set() }));
  const send = async ({ request, after, seen }) => {
    try {
      const answer = await portail.fetch(request());
      await after?.(answer);
      seen.add(answer.status);
    } catch (error) {
      seen.add(error.name);
    }
  };
  const round = () => Promise.all(kinds.map(send));
  for (let i = 0; i < 50; ++i) await round();
  const before = memory.buffer.byteLength;
  for (let i = 0; i < 200; ++i) await round();
  assert.equal(memory.buffer.byteLength, before);
  // Some run out of time, but each kind got through.
  for (const { request, seen, sees } of kinds) assert.ok(seen.has(sees), `${request}: ${[...seen]}`);
});

test("readiness reports draining", async () => {
  const portail = await startPortal();
  const ready = async () => (await portail.fetch(new Request(`${base}/health/ready`))).status;
  assert.equal(await ready(), 200);
  portail.drain();
  assert.equal(await ready(), 503);
});

test("lines of an export are read, and an invalid line is reported with its number", () => {
  const read = (text) => [...readJsonLines(text)].map(({ key, value }) => [key, Buffer.from(value).toString()]);
  assert.deepEqual(read('{"key":"format","value":"MQ=="}\n\n{"key":"a","value":""}\n'), [["format", "1"], ["a", ""]]);
  for (const line of ["null", "[]", '{"key":"a"}', '{"key":1,"value":""}']) {
    assert.throws(() => read(line), { message: "line 1 is not a line of portail export --format json-lines: SyntaxError: no key or no value" });
  }
  for (const line of ["{", '{"key":"a","value":"*"}']) {
    assert.throws(() => read(`{"key":"a","value":""}\n${line}`), {
      name: "SyntaxError", message: /^line 2 is not a line of portail export --format json-lines: (?!.*destructure)/,
    });
  }
});

test("a body as a text has the same bytes, one to a character", async () => {
  const portail = await startPortal();
  const request = { method: "GET", target: "/api/app/liasse", headers: Object.entries(as("client").headers), https: true };
  const { body: bytes } = await portail.handle(request);
  const { body: text } = await portail.handle({ ...request, bodyAsText: true });
  assert.match(Buffer.from(bytes).toString(), /é/);
  assert.deepEqual(Buffer.from(text, "latin1"), Buffer.from(bytes));
  const { body: none } = await portail.handle({ ...request, method: "HEAD", bodyAsText: true });
  assert.equal(none, null);
});

test("the clock is read once for a request that reads", async () => {
  for (const store of [mapStore(sample.values()), slow(mapStore(sample.values()))]) {
    let clockReads = 0;
    const portail = await startPortal(store, { now: () => (++clockReads, Date.now()) });
    await portail.fetch(list());
    clockReads = 0;
    assert.equal((await portail.fetch(list())).status, 200);
    assert.equal(clockReads, 1);
  }
});
