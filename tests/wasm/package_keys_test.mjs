// The key set of a portal by URL: the option `fetch`, and idle().
import assert from "node:assert/strict";
import test from "node:test";
import { mapStore } from "portail/map";
import { sample } from "./sample.mjs";
import { expectStatus, list, slow, startPortal } from "./sample_portal.mjs";

const url = "https://issuer.example/keys";
const settings = { ...sample.settings, PORTAIL_JWKS: url };

// A portal whose provider gives `answers` in turn, each a function.
async function portalOf(answers, more = {}) {
  const calls = [];
  const log = [];
  const fetch = async (...parameters) => {
    calls.push(parameters);
    return answers[Math.min(calls.length, answers.length) - 1]();
  };
  const portail = await startPortal(undefined, { settings, fetch, log: (event, detail) => log.push(`${event}: ${detail}`), ...more });
  return { portail, calls, log };
}
const keySet = () => new Response(sample.settings.PORTAIL_JWKS);

test("the option fetch gets the URL, once for all requests, and follows no redirect", async () => {
  const { portail, calls } = await portalOf([keySet]);
  for (const answer of await Promise.all(Array.from({ length: 10 }, () => portail.fetch(list())))) assert.equal(answer.status, 200);
  assert.equal(calls.length, 1);
  const [location, { headers, redirect, signal }] = calls[0];
  assert.deepEqual([location, headers, redirect], [url, { accept: "application/json" }, "manual"]);
  assert.ok(signal instanceof AbortSignal);
});

test("idle resolves when a refresh that follows an answer has ended", async () => {
  let time = Date.now();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  const { portail, calls } = await portalOf([keySet, () => held.then(keySet)], { now: () => time, store: slow(mapStore(sample.values())) });
  await expectStatus(portail.fetch(list()), 200);
  await portail.idle();
  time += 300_000;
  await (await portail.fetch(list())).text();
  let isIdle = false;
  const idle = portail.idle().then(() => (isIdle = true));
  while (calls.length < 2) await new Promise(setImmediate);
  await new Promise(setImmediate);
  assert.equal(isIdle, false);
  release();
  await idle;
  assert.equal(calls.length, 2);
});

test("failures of fetch are reported, and requests get 503", async () => {
  for (const [answer, reason] of [
    [() => Promise.reject(new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } })), "ECONNREFUSED"],
    [() => new Response(null, { status: 302, headers: { Location: "/elsewhere" } }), "answered 302, and redirects are not followed"],
    [() => Response.json({}, { status: 500 }), "answered 500"],
    [() => new Response("x".repeat(1_000_000)), "it is larger than 256 KiB"],
    [() => ({ type: "opaqueredirect", status: 0, body: null }), "redirects are not followed"],
  ]) {
    const { portail, log } = await portalOf([answer]);
    await expectStatus(portail.fetch(list()), 503);
    assert.equal(log[0], `key set not refreshed: cannot fetch ${url}: ${reason}`);
  }
});
