// Request bodies of every kind of platform and client.
import assert from "node:assert/strict";
import test from "node:test";
import vm from "node:vm";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { change, expectProblem, expectStatus, list, startPortal, newConfiguration } from "./sample_portal.mjs";

test("a body that never ends, breaks off, or is too long", async () => {
  const portail = await startPortal(undefined, { deadline: 50 });
  const hanging = new ReadableStream({ pull: () => new Promise(() => {}) });
  await expectProblem(await portail.fetch(change(hanging, { duplex: "half" })), 408);
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) });
  await expectProblem(await portail.fetch(change(broken, { duplex: "half" })), 400);

  let sent = 0;
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(((sent += 65536), 65536)).fill(32)),
    cancel: () => void (cancelled = true),
  });
  await expectProblem(await portail.fetch(change(endless, { duplex: "half" })), 413);
  assert.ok(sent < 1_000_000, String(sent));
  assert.ok(cancelled);

  const before = process.memoryUsage().arrayBuffers;
  const huge = new Uint8Array(100_000_000).fill(32);
  await expectProblem(await portail.fetch(change(huge)), 413);
  assert.ok(process.memoryUsage().arrayBuffers - before < 250_000_000);
  assert.equal((await portail.fetch(change(newConfiguration))).status, 200);
});

test("a body that hangs is cancelled when its request expires", async () => {
  const portail = await startPortal(undefined, { deadline: 50 });
  for (const aborted of [false, true]) {
    const controller = new AbortController();
    if (aborted) setTimeout(() => controller.abort(), 20);
    let cancel;
    const cancelled = new Promise((resolve) => (cancel = resolve));
    const hanging = new ReadableStream({ pull: () => new Promise(() => {}), cancel });
    const answer = portail.fetch(change(hanging, { duplex: "half", signal: controller.signal }));
    if (aborted) await assert.rejects(answer, { name: "AbortError" });
    else await expectProblem(await answer, 408);
    await cancelled;
  }
});

test("pieces of a body are bytes, of whatever realm", async () => {
  const portail = await startPortal();
  const bytes = new TextEncoder().encode(newConfiguration);
  const elsewhere = vm.runInNewContext("Uint8Array");
  const put = (piece) => {
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(piece);
        controller.close();
      },
    });
    return portail.fetch(change(body, { duplex: "half" }));
  };
  await expectStatus(put(bytes), 200);
  await expectStatus(put(elsewhere.from(bytes)), 200);
  const refused = (type) => ({ name: "TypeError", message: `portail: a piece of a body is a Uint8Array, not ${type}` });
  await assert.rejects(put(newConfiguration), refused("string"));
  await assert.rejects(put(bytes.buffer), refused("object"));
  await expectStatus(put(bytes), 200);
});

// A request without `body`, as in Firefox.
function withoutBody(request) {
  return Object.defineProperty(request, "body", { value: undefined });
}

test("a request that does not show its body", async () => {
  const portail = await startPortal();
  const changed = await portail.fetch(withoutBody(change(newConfiguration)));
  assert.equal(changed.status, 200);
  assert.equal((await changed.json()).typeAffectation, "Rien");
  await expectProblem(await portail.fetch(withoutBody(change(undefined))), 400);
  await expectProblem(await portail.fetch(withoutBody(change(new Uint8Array(10_000_000).fill(32)))), 413);
  const used = change(newConfiguration);
  await used.text();
  await expectProblem(await portail.fetch(withoutBody(used)), 500);
  await expectStatus(portail.fetch(withoutBody(list())), 200);
});

test("a target, a method and headers are of bytes, one to a character", async () => {
  const keys = [];
  const working = mapStore(sample.values());
  const portail = await startPortal({ ...working, get: (key) => (keys.push(key), working.get(key)) });
  const request = { method: "GET", target: "/", headers: [], https: true };
  for (const [more, text] of [
    [{ target: "/\u012fapi/app/liasse" }, "/\u012fapi/app/liasse"],
    [{ method: "G\u0145T" }, "G\u0145T"],
    [{ headers: [["Accept-Language", "\u0166r"]] }, "\u0166r"],
  ]) {
    await assert.rejects(portail.handle({ ...request, ...more }), {
      name: "TypeError",
      message: `portail: "${text}" is not of bytes, one to a character`,
    });
  }
  assert.deepEqual(keys, []);
  await expectStatus(portail.handle({ ...request, target: "/health/live", headers: [["X", "\u00ff"]] }), 200);
});
