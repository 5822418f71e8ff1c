// Answers in pieces: their maximum number, and that answers which clients do not read are cut off for others.
import assert from "node:assert/strict";
import test from "node:test";
import { as, base, longLists, startPortal } from "./sample_portal.mjs";

const maxStreams = 8;
const stall = 5_000; // milliseconds

// Long enough to be sent in pieces.
const dashboard = () => new Request(`${base}/api/app/liasse/dashboard-list`, as("manager"));

test("only an answer that its client does not read is cut off for another one", async (t) => {
  const clock = { now: 1_000_000 };
  t.mock.method(performance, "now", () => clock.now);
  const portail = await startPortal(longLists());
  t.after(() => portail.dispose());
  const first = await portail.fetch(dashboard());
  assert.equal(first.status, 200);
  const whole = Buffer.from(await first.arrayBuffer());
  const readers = [];
  for (let i = 0; i < maxStreams; ++i) readers.push((await portail.fetch(dashboard())).body.getReader());
  assert.equal((await portail.fetch(dashboard())).status, 503);
  assert.equal((await portail.fetch(new Request(`${base}/health/live`))).status, 200);
  clock.now += stall;
  const piece = await readers[0].read(); // it continues
  assert.equal(piece.done, false);
  const another = await portail.fetch(dashboard());
  assert.equal(another.status, 200);
  await assert.rejects(readers[1].read(), /its client did not read it/);
  assert.deepEqual(Buffer.from(await another.arrayBuffer()), whole);
  const rest = [piece.value];
  for (let read; !(read = await readers[0].read()).done; ) rest.push(read.value);
  assert.deepEqual(Buffer.concat(rest), whole);
  for (const reader of readers.slice(2)) await reader.cancel();
  for (let i = 0; i < 3 * maxStreams; ++i) {
    const answer = await portail.fetch(dashboard());
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), whole, "room is given back");
  }
});

test("answers whose requests were aborted no longer count", async (t) => {
  const portail = await startPortal(longLists());
  t.after(() => portail.dispose());
  for (let i = 0; i < 3 * maxStreams; ++i) {
    const controller = new AbortController();
    const answer = await portail.fetch(new Request(dashboard(), { signal: controller.signal }));
    assert.equal(answer.status, 200);
    const reading = answer.body.getReader().read(); // of every other one a piece is being made
    if (i % 2) await reading;
    controller.abort();
    await reading.catch(() => {});
  }
});
